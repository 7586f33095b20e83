"""How a text table is written, seen in its first rows: delimiter, header, decimal comma, what stands around rows.

Before the header there may be other lines, among the rows comments, and columns may be set in spaces. Comment lines are
emptied and runs of spaces become one tab, line by line, so that rows keep their line numbers.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from discriminant.findings import listed, shown
from discriminant.table.errors import TableError
from discriminant.table.texts import BLANK_TOKENS, COMMA_NUMBER, GROUPED_BY_POINTS, GROUPED_NUMBER, PLAIN_NUMBER

_SNIFFED_ROWS = 200
# A text with commas may stand in a table that is separated by any of the others; the other way round is rare.
_DELIMITERS = ("\t", ";", "|", ",", "\x01", "^", "~", ":", "!", "#")
_NUMBER, _COMMA_NUMBER, _COMMA_GROUPED, _POINT_GROUPED = (
    re.compile(pattern) for pattern in (PLAIN_NUMBER, COMMA_NUMBER, GROUPED_NUMBER, GROUPED_BY_POINTS)
)
_MAYBE_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_MARKS = ("#", "%", "//")
_MOST_BEFORE = 60  # lines before a header
_SNIFFED_LINES = 200

Row = Sequence[str]
Split = Callable[[str], Sequence[str]]  # a line into its cells


class CsvDialect(NamedTuple):
    """How the rows are written."""

    delimiter: str
    names: tuple[str, ...]
    has_header: bool
    decimal_comma: bool
    notes: tuple[str, ...]


def rows_of(text: str, delimiter: str, most: int = _SNIFFED_ROWS) -> list[Row]:
    """The first rows of a text, cells trimmed; empty lines left out."""
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    rows: list[Row] = []
    for cells in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
        if any(cell.strip() for cell in cells) or len(cells) > 1:
            rows.append([cell.strip() for cell in cells])
        if len(rows) >= most:
            break
    return rows


def sniff_dialect(text: str, name: str, delimiter: str | None) -> CsvDialect:
    """Tell the dialect from the beginning of a text, which ends at the end of a row (or of the file)."""
    delimiter = checked_delimiter(delimiter) if delimiter is not None else sniff_delimiter(text)
    rows = rows_of(text, delimiter)
    if not rows:
        raise TableError(f"{name} is empty", "name a table with a header line and rows")
    has_header = not looks_like_data(rows[0])
    names, notes = column_names(rows[0], name, has_header)
    comma, example = sniff_decimal_comma(rows[has_header:], delimiter)
    if comma:
        notes.append(f"{name} has decimal commas: {example} was read as {with_point(example)}.")
    return CsvDialect(delimiter, names, has_header, comma, tuple(notes))


def checked_delimiter(delimiter: str) -> str:
    """A delimiter as a person gives it."""
    delimiter = {"\\t": "\t", "tab": "\t", "comma": ",", "semicolon": ";", "space": " "}.get(delimiter, delimiter)
    if len(delimiter) != 1 or delimiter in '"\r\n' or not delimiter.isascii():
        raise TableError(f"{shown(delimiter)} is no delimiter", "give one character, such as ; or tab")
    return delimiter


def sniff_delimiter(text: str) -> str:
    """The character that cuts most rows into as many cells as the first one."""
    best, best_share = ",", 0.0
    for candidate in _DELIMITERS:
        if candidate not in text:
            continue
        share = _agreement(rows_of(text, candidate))
        if share > best_share + 0.05:
            best, best_share = candidate, share
    if best_share == 0.0 and " " in text:
        rows = rows_of(text, " ")
        if rows and len(rows[0]) > 2 and _agreement(rows) == 1.0:
            return " "
    return best


def _agreement(rows: list[Row]) -> float:
    """Share of rows with as many cells as the first, 0 if that is a single cell."""
    if not rows or len(rows[0]) < 2:
        return 0.0
    return Counter(len(row) for row in rows)[len(rows[0])] / len(rows)


def looks_like_data(row: Row) -> bool:
    """Whether a first line is no header: it holds numbers and nothing else."""
    filled = [cell for cell in row if cell not in BLANK_TOKENS]
    return bool(filled) and all(_NUMBER.fullmatch(cell) or _COMMA_NUMBER.fullmatch(cell) for cell in filled)


def column_names(first: Row, name: str, has_header: bool) -> tuple[tuple[str, ...], list[str]]:
    """Names of the columns, each once, and what was done to them."""
    if not has_header:
        names = tuple(f"column {j + 1}" for j in range(len(first)))
        last = "" if len(names) == 1 else f" to {names[-1]!r}"
        called = f"the columns are called {names[0]!r}{last}."
        return names, [f"{name} has no header line (its first line holds only numbers): {called}"]
    names, notes = distinct_names(first, name)
    numeric = [cell for cell in first if _NUMBER.fullmatch(cell)]
    if numeric:
        notes.append(
            f"{name} has column names that look like data ({listed(numeric, 3)}): "
            "if its first line is no header, add one."
        )
    return names, notes


def distinct_names(given: Row, name: str) -> tuple[tuple[str, ...], list[str]]:
    """Names trimmed, empty ones numbered, repeated ones told apart; and what was done."""
    notes: list[str] = []
    trimmed = [cell.strip() or f"column {j + 1}" for j, cell in enumerate(given)]
    nameless = [new for cell, new in zip(given, trimmed, strict=True) if not cell.strip()]
    if nameless:
        notes.append(f"{name} has columns without a name: {listed(nameless)}.")
    taken = set(trimmed)
    seen: Counter[str] = Counter()
    names: list[str] = []
    renamed: list[str] = []
    for cell in trimmed:
        seen[cell] += 1
        if seen[cell] > 1:
            while (new := f"{cell} ({seen[cell]})") in taken:
                seen[cell] += 1
            taken.add(new)
            renamed.append(new)
            cell = new
        names.append(cell)
    if renamed:
        notes.append(f"{name} repeats column names: the later ones are called {listed(renamed)}.")
    return tuple(names), notes


def sniff_decimal_comma(rows: Sequence[Row], delimiter: str) -> tuple[bool, str]:
    """Whether numbers are written 3,14; and one of them. Decimal points beside them, or 1,234,567, speak against it."""
    if delimiter == ",":
        return False, ""
    sure, unsure = "", ""
    for row in rows:
        for cell in row:
            if _COMMA_GROUPED.fullmatch(cell):
                return False, ""
            if _POINT_GROUPED.fullmatch(cell) and "," not in cell:
                continue  # 1.234 says nothing
            if _NUMBER.fullmatch(cell) and "." in cell:
                return False, ""
            if _POINT_GROUPED.fullmatch(cell) or _COMMA_NUMBER.fullmatch(cell):
                if _MAYBE_GROUPED.fullmatch(cell):
                    unsure = unsure or cell
                else:
                    sure = sure or cell
    # Spreadsheets separate with semicolons just where the comma is taken by decimals.
    example = sure or (unsure if delimiter == ";" else "")
    return bool(example), example


def with_point(cell: str) -> str:
    """3,14 as 3.14 and 1.234,5 as 1234.5."""
    return cell.replace(".", "").replace(",", ".")


# --- what stands around the rows ---------------------------------------------------------------------------


class TextLayout(NamedTuple):
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

    def clean(self, block: bytes) -> bytes:
        """Whole lines without comments, and with one tab between columns that are set in spaces."""
        if self.comment:
            block = re.sub(rb"(?m)^[ \t]*" + re.escape(self.comment.encode()) + rb"[^\r\n]*", b"", block)
        if self.spaces:
            block = re.sub(rb"(?m)^[ \t]+|[ \t]+(?=\r?$)", b"", block)
            gap = rb'"[^"\r\n]*"|[ \t]{%d,}|\t' % self.spaces
            block = re.sub(gap, lambda found: found[0] if found[0][:1] == b'"' else b"\t", block)
        return block

    def clean_head(self, text: str) -> str:
        """The header and the rows behind it."""
        if self.header_in_comment:
            text = re.sub(r"^\s*" + re.escape(self.comment) + "[ \t]*", "", text)
        return self.clean(text.encode()).decode()


def sniff_layout(text: str, name: str, delimiter: str | None) -> TextLayout:
    """Tell the layout from the beginning of a text."""
    lines = re.split(r"\r\n|\n|\r", text)[:_SNIFFED_LINES]
    comment = _comment_mark(lines, delimiter)
    own = [i for i, line in enumerate(lines) if line.strip() and not _begins(line, comment)]
    if not own:
        return TextLayout()
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
    return TextLayout(first, comment, named is not None, spaces, tuple(told))


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
