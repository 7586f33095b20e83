"""What stands around and between the rows of a text table: lines before the header, comments, columns set in spaces.

All of it is seen in the first rows. Comment lines are emptied and runs of spaces become one tab, line by line, so that
rows keep their line numbers.
"""

import io
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from discriminant.table.reading.csv_dialect import checked_delimiter, looks_like_data, rows_of, sniff_delimiter

_MARKS = ("#", "%", "//")
_MOST_BEFORE = 60  # lines before a header
_SNIFFED_LINES = 200
_BLOCK = 1 << 20

Split = Callable[[str], Sequence[str]]  # a line into its cells


class Layout(NamedTuple):
    """How many lines come before the header, what comments begin with, whether the header is written as one, and the
    fewest spaces between columns that are set in spaces.
    """

    lines_before: int = 0
    comment: str = ""
    header_in_comment: bool = False
    spaces: int = 0
    notes: tuple[str, ...] = ()

    @property
    def cleans(self) -> bool:
        """Whether anything is to be done with the rows."""
        return bool(self.comment or self.spaces)

    def cleaned(self, block: bytes) -> bytes:
        """Whole lines without comments, and with one tab between columns that are set in spaces."""
        if self.comment:
            block = re.sub(rb"(?m)^[ \t]*" + re.escape(self.comment.encode()) + rb"[^\r\n]*", b"", block)
        if self.spaces:
            block = re.sub(rb"(?m)^[ \t]+|[ \t]+(?=\r?$)", b"", block)
            gap = rb'"[^"\r\n]*"|[ \t]{%d,}|\t' % self.spaces
            block = re.sub(gap, lambda found: found[0] if found[0][:1] == b'"' else b"\t", block)
        return block

    def cleaned_head(self, text: str) -> str:
        """The header and the rows behind it."""
        if self.header_in_comment:
            text = re.sub(r"^\s*" + re.escape(self.comment) + "[ \t]*", "", text)
        return self.cleaned(text.encode()).decode()


class Cleaned(io.RawIOBase):
    """A stream of rows as the layout cleans them, in blocks of whole lines."""

    def __init__(self, stream: Any, layout: Layout) -> None:
        super().__init__()
        self._stream = stream
        self._layout = layout
        self._held = b""
        self._ready = b""
        self._ended = False

    def readable(self) -> bool:
        """It is."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Up to ``size`` bytes."""
        while not self._ended and (size < 0 or len(self._ready) < size):
            piece = self._stream.read(_BLOCK)
            self._ended = not piece
            self._held += piece
            end = len(self._held) if self._ended else self._held.rfind(b"\n") + 1
            self._ready += self._layout.cleaned(self._held[:end])
            self._held = self._held[end:]
        size = len(self._ready) if size < 0 else size
        found, self._ready = self._ready[:size], self._ready[size:]
        return found

    def close(self) -> None:
        """And the stream beneath."""
        if not self.closed:
            self._stream.close()
        super().close()


def sniff_layout(text: str, name: str, delimiter: str | None) -> Layout:
    """From the beginning of a text."""
    lines = re.split(r"\r\n|\n|\r", text)[:_SNIFFED_LINES]
    comment = _comment_mark(lines, delimiter)
    own = [i for i, line in enumerate(lines) if line.strip() and not _begins(line, comment)]
    if not own:
        return Layout()
    spaces = _spaces([lines[i] for i in own], delimiter)
    split = _splitter([lines[i] for i in own], delimiter, spaces)
    named = _header_in_comment(lines[: own[0] + 1], comment, split) if comment else None
    before = 0 if named is not None else _lines_before([lines[i] for i in own], split)
    first = named if named is not None else own[before] if before else _after_comments(lines, comment)
    comments = sum(_begins(line, comment) for line in lines) - (named is not None)
    told = [f"{name} has comment lines, which begin with {comment}: they were passed over."] if comments else []
    if before:
        some = "a line" if before == 1 else f"{before} lines"
        told.append(f"{name} has {some} before its header, which {'was' if before == 1 else 'were'} passed over.")
    told += [f"{name} has columns set apart by spaces."] if spaces else []
    return Layout(first, comment, named is not None, spaces, tuple(told))


def _begins(line: str, comment: str) -> bool:
    return bool(comment) and line.lstrip().startswith(comment)


def _after_comments(lines: Sequence[str], comment: str) -> int:
    """The first line that is no comment, if comments come before it."""
    if not comment:
        return 0
    return next((i for i, line in enumerate(lines) if line.strip() and not _begins(line, comment)), 0)


def _comment_mark(lines: Sequence[str], delimiter: str | None) -> str:
    """What comment lines begin with: the first line, or lines among others that have not as many cells as these."""
    filled = [line for line in lines if line.strip()]
    for mark in _MARKS:
        marked = [line for line in filled if _begins(line, mark)]
        own = [line for line in filled if not _begins(line, mark)]
        if not marked or not own:
            continue
        split = _splitter(own, delimiter, _spaces(own, delimiter))
        usual = _usual(own, split)
        alike = sum(len(split(line)) == usual for line in marked)
        if _begins(filled[0], mark):
            is_header = len(marked) == 1 and alike and not filled[0].lstrip()[len(mark) :].startswith((" ", "\t"))
            return "" if is_header or (usual > 1 and alike > 1) else mark
        if usual > 1 and not alike:
            return mark
    return ""


def _header_in_comment(lines: Sequence[str], comment: str, split: Split) -> int | None:
    """The line of a header that is written as the last comment before the rows, which then begin with numbers."""
    marked = [i for i, line in enumerate(lines[:-1]) if _begins(line, comment)]
    first = split(lines[-1])
    if not marked or len(first) < 2 or not any(looks_like_data([cell]) for cell in first):
        return None
    names = split(lines[marked[-1]].strip()[len(comment) :].strip())
    return marked[-1] if len(names) == len(first) and not looks_like_data(names) else None


def _lines_before(lines: Sequence[str], split: Split) -> int:
    """Lines before the header: a title, who wrote the table and when. They fill at most half of the cells of a row."""
    usual = _usual(lines[len(lines) // 2 :], split)
    if usual < 2:
        return 0
    for k, line in enumerate(lines[:_MOST_BEFORE]):
        cells = split(line)
        filled = [cell for cell in cells if cell.strip()]
        if len(cells) == usual and len(filled) > usual // 2:
            return k if len(filled) >= usual - 1 and not looks_like_data(cells) else 0
        if len(filled) > usual // 2 or line.count('"') % 2 or (filled and not re.search(r"[^\W\d_]", line)):
            return 0
    return 0


def _usual(lines: Sequence[str], split: Split) -> int:
    """How many cells most of the lines have."""
    return Counter(len(split(line)) for line in lines).most_common(1)[0][0]


def _splitter(lines: Sequence[str], delimiter: str | None, spaces: int) -> Split:
    if spaces:
        return lambda line: _in_spaces(line, spaces)
    later = "\n".join(lines[len(lines) // 2 :])
    cut = sniff_delimiter(later) if delimiter is None else checked_delimiter(delimiter)
    return lambda line: next(iter(rows_of(line, cut)), [])


def _in_spaces(line: str, least: int) -> list[str]:
    if least == 1:
        return re.findall(r'"[^"]*"|\S+', line)
    return re.split(r"[ \t]{2,}|\t", line.strip())


def _spaces(lines: Sequence[str], delimiter: str | None) -> int:
    """The fewest spaces between columns that are set in spaces; 0 where another sign separates them, or none.

    One or two, whichever finds more columns; two of equals, which leaves texts together.
    """
    if delimiter is not None and checked_delimiter(delimiter) != " ":
        return 0
    columns = {}
    for least in (2, 1):
        before = _lines_before(lines, lambda line, least=least: _in_spaces(line, least))  # type: ignore[misc]
        if _set_in_spaces(lines[before:], delimiter, least):
            columns[least] = len(_in_spaces(lines[-1], least))
    return max(columns, key=lambda least: columns[least], default=0)


def _set_in_spaces(lines: Sequence[str], delimiter: str | None, least: int) -> bool:
    if len(lines) < 2 or 2 * sum("  " in line.strip() for line in lines) < len(lines):
        return False
    text = "\n".join(lines)
    first = next(iter(rows_of(text, " " if delimiter else sniff_delimiter(text))), [])
    if len(first) > 1 and all(first):  # cut by single signs, spaces perhaps
        return False
    rows = [_in_spaces(line, least) for line in lines]
    measured = all(any(looks_like_data([cell]) for cell in row) for row in rows[1:])  # else it may be prose
    return measured and len(rows[0]) > 1 and len({len(row) for row in rows}) == 1
