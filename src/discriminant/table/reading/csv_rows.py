"""Where the rows of a text table begin and end, exactly as the parser sees them.

A quote opens only at the beginning of a cell; inside quotes, newlines and delimiters are text and two quotes are one.
After the closing quote the cell goes on, unquoted, to the next delimiter or newline. A table is read as blocks of whole
rows with their line numbers; rows that are no rows are found here.
"""

import re
from collections.abc import Callable, Generator, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discriminant.table.errors import TableError
from discriminant.table.reading.csv_text import Places, line_ends, utf8_lines

LONGEST_ROW = 1 << 25  # bytes; a quote that is never closed must not swallow a file into memory
_MOST_UNCLOSED = 100

_QUOTE, _NEWLINE, _RETURN = b'"\n\r'

OnBadRow = Callable[[int, str], None]  # line, what is wrong; raises where a bad row ends the work


class CsvRows(NamedTuple):
    """The rows of a block: [start, end) of each without its newline, the line each begins on, and lines in all."""

    starts: Places
    ends: Places
    lines: Places
    n_lines: int


def count_lines(block: bytes) -> int:
    """How many lines end in the block."""
    returns = block.count(b"\r")
    return block.count(b"\n") + (returns - block.count(b"\r\n") if returns else 0)


def quoted_spans(block: bytes, delimiter: str) -> tuple[Places, Places]:
    """[opening quote, closing quote] of every quoted part; a part that is not closed ends behind the block."""
    quotes = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == _QUOTE)
    if quotes.size % 2:
        quotes = np.append(quotes, len(block))
    if _pairs_up(block, delimiter, quotes):
        return quotes[::2], quotes[1::2]
    opened = rb'"(?<=[\n\r' + re.escape(delimiter.encode()) + rb']")'  # the quote first: that is found quickly
    spans = [m.span(1) for m in re.finditer(opened + rb'([^"]*(?:""[^"]*)*)"?', b"\n" + block)]
    inner = np.array(spans, dtype=np.int64).reshape(-1, 2) - 1  # of what is between the quotes, in the block
    return inner[:, 0] - 1, inner[:, 1]


def _pairs_up(block: bytes, delimiter: str, quotes: Places) -> bool:
    """Whether every odd quote stands where one may open (or doubles the one before), so that quotes just alternate."""
    codes = np.frombuffer(block, dtype=np.uint8)
    opening, closing = quotes[::2], quotes[1::2]
    before = codes[np.maximum(opening - 1, 0)]
    opens = (before == ord(delimiter)) | (before == _NEWLINE) | (before == _RETURN) | (opening == 0)
    doubles = np.zeros(opening.size, dtype=bool)
    doubles[1:] = opening[1:] == closing[:-1] + 1
    return bool((opens | doubles).all())


def outside(places: Places, opening: Places, closing: Places) -> Places:
    """The places that are in no quoted part."""
    if not opening.size:
        return places
    span = np.searchsorted(opening, places, side="right") - 1
    return places[(span < 0) | (places > closing[span])]


def last_row_end(block: bytes, delimiter: str) -> int:
    """Behind the newline that ends the last whole row, 0 if there is none. The block begins where a row begins."""
    if block.endswith(b"\r"):
        block = block[:-1] + b" "  # its \n may still come
    if b'"' not in block:
        return max(block.rfind(b"\n"), block.rfind(b"\r")) + 1
    opening, closing = quoted_spans(block, delimiter)
    end = len(block)
    while (end := max(block.rfind(b"\n", 0, end), block.rfind(b"\r", 0, end))) >= 0:
        span = int(np.searchsorted(opening, end)) - 1
        if span < 0 or end > closing[span]:
            return end + 1
        end = int(opening[span])  # inside quotes: the next row end is before them
    return 0


def rows_in(block: bytes, delimiter: str) -> CsvRows:
    """The rows of a block of whole rows, lines counted from 0; lines with nothing on them are no rows."""
    newlines = line_ends(block)
    ends = outside(newlines, *quoted_spans(block, delimiter)) if b'"' in block else newlines
    n_lines = newlines.size
    if not ends.size or ends[-1] != len(block) - 1:
        ends = np.append(ends, len(block))
        n_lines += 1
    starts = np.concatenate([[0], ends[:-1] + 1])
    lines = np.searchsorted(newlines, starts) if b'"' in block else np.arange(starts.size)
    returns = _returns_before(block, ends, starts)
    filled = ends - returns > starts
    return CsvRows(starts[filled], (ends - returns)[filled], lines[filled], int(n_lines))


def _returns_before(block: bytes, ends: Places, starts: Places) -> Places:
    """1 where a row ends in \\r\\n, else 0."""
    if b"\r" not in block:
        return np.zeros(ends.size, dtype=np.int64)
    codes = np.frombuffer(block, dtype=np.uint8)
    newline = np.append(codes, 0)[ends] == _NEWLINE
    returns: Places = (newline & (ends > starts) & (codes[np.maximum(ends - 1, 0)] == _RETURN)).astype(np.int64)
    return returns


def cells_in(block: bytes, rows: CsvRows, delimiter: str) -> Places:
    """How many cells each row has."""
    delimiters = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == ord(delimiter))
    if b'"' in block:
        delimiters = outside(delimiters, *quoted_spans(block, delimiter))
    return np.asarray(np.searchsorted(delimiters, rows.ends) - np.searchsorted(delimiters, rows.starts) + 1)


# --- blocks ------------------------------------------------------------------------------------------------


class Block(NamedTuple):
    """Whole rows, as UTF-8, and the line in the file on which they begin."""

    text: bytes
    first_line: int
    n_lines: int


class BlockReader:
    """Cuts a stream into blocks. ``on_bad`` hears of quotes never closed, ``on_latin`` of the first line in Latin-1."""

    def __init__(
        self, stream: Any, name: str, delimiter: str, line: int, on_bad: OnBadRow, on_latin: Callable[[int], None]
    ) -> None:
        self._stream = stream
        self._name = name
        self._delimiter = delimiter
        self._line = line
        self._on_bad = on_bad
        self._on_latin = on_latin
        self._unclosed = 0

    def blocks(self, block_bytes: int) -> Iterator[Block]:
        """Blocks of about so many bytes; longer only where one row is."""
        held = b""
        while piece := self._stream.read(block_bytes):
            held += piece
            end = last_row_end(held, self._delimiter)
            if end:
                yield self._block(held[:end])
                held = held[end:]
            elif len(held) > LONGEST_ROW:
                held = yield from self._past_unclosed(held)
        while self._ends_unclosed(held):
            held = yield from self._past_unclosed(held)
        if held:
            yield self._block(held)

    def _block(self, text: bytes) -> Block:
        line, ended = self._line, count_lines(text)
        self._line += ended
        text, latin = utf8_lines(text)
        if latin is not None:
            self._on_latin(line + latin)
        return Block(text, line, ended if text.endswith((b"\n", b"\r")) else ended + 1)

    def _ends_unclosed(self, held: bytes) -> bool:
        """Whether a quote near the end of the file is not closed and has swallowed lines."""
        opening, closing = quoted_spans(held, self._delimiter)
        return bool(opening.size and closing[-1] == len(held) and (line_ends(held)[:-1] > opening[-1]).any())

    def _past_unclosed(self, held: bytes) -> Generator[Block, None, bytes]:
        """The rows before a quote that is never closed; returns what follows the line that it stands on."""
        row = last_row_end(held, self._delimiter)
        if row:
            yield self._block(held[:row])
        opening, closing = quoted_spans(held, self._delimiter)
        if not (opening.size and closing[-1] == len(held)):
            raise TableError(
                f"{self._name}, line {self._line}: longer than {LONGEST_ROW >> 20} MB",
                "is this a text table with a row on each line?",
            )
        self._on_bad(self._line, "a quote is opened and never closed")
        self._unclosed += 1
        if self._unclosed > _MOST_UNCLOSED:
            raise TableError(f"{self._name}: more than {_MOST_UNCLOSED} quotes are never closed", "are these quotes?")
        newlines = line_ends(held[row:])
        self._line += 1
        return held[row + int(newlines[0]) + 1 :] if newlines.size else b""


def filled_rows(block: Block, delimiter: str, n_columns: int) -> CsvRows:
    """The rows of a block, without lines that hold nothing but blanks."""
    rows = rows_in(block.text, delimiter)
    if n_columns == 1:
        return rows
    lengths = rows.ends - rows.starts
    short = np.flatnonzero(lengths < 64)  # a line of blanks that is longer is a bad row as good as any
    blank = [
        i for i in short[_starts_blank(block.text, rows.starts[short])] if not _cut(block.text, rows, i).strip(b" \t")
    ]
    return _without(rows, np.array(blank, dtype=np.int64)) if blank and delimiter not in " \t" else rows


def without_bad_rows(block: Block, delimiter: str, n_columns: int, on_bad: OnBadRow) -> bytes:
    """The text of a block with each row on its own and none that has not n cells; ``on_bad`` hears of those."""
    rows = filled_rows(block, delimiter, n_columns)
    cells = cells_in(block.text, rows, delimiter)
    for i in np.flatnonzero(cells != n_columns).tolist():
        many = f"{cells[i]} cell{'' if cells[i] == 1 else 's'}"
        what = f"{many} where the header has {n_columns} (a stray delimiter or quote?)"
        on_bad(block.first_line + int(rows.lines[i]), what)
    good = np.flatnonzero(cells == n_columns)
    return b"".join(_cut(block.text, rows, i) + b"\n" for i in good.tolist())


def lines_of(block: Block, delimiter: str, n_columns: int, n_rows: int) -> Places:
    """The line in the file of each of the ``n_rows`` rows that have as many cells as there are columns."""
    if n_rows == block.n_lines:  # a row takes a line or more, so each has one
        return np.arange(block.first_line, block.first_line + n_rows)
    rows = filled_rows(block, delimiter, n_columns)
    lines = rows.lines + block.first_line
    return lines if lines.size == n_rows else lines[cells_in(block.text, rows, delimiter) == n_columns]


def _starts_blank(text: bytes, starts: Places) -> NDArray[np.bool_]:
    first = np.frombuffer(text, dtype=np.uint8)[starts]
    return np.asarray((first == ord(" ")) | (first == ord("\t")))


def _cut(text: bytes, rows: CsvRows, i: int) -> bytes:
    return text[rows.starts[i] : rows.ends[i]]


def _without(rows: CsvRows, dropped: Places) -> CsvRows:
    keep = np.ones(rows.starts.size, dtype=bool)
    keep[dropped] = False
    return CsvRows(rows.starts[keep], rows.ends[keep], rows.lines[keep], rows.n_lines)
