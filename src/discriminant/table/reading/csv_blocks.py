"""A text table as blocks of whole rows with their line numbers; rows that are no rows are found here."""

from collections.abc import Callable, Generator, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discriminant.table.errors import TableError
from discriminant.table.reading.csv_rows import (
    Rows,
    cells_in,
    count_lines,
    last_row_end,
    line_ends,
    quoted_spans,
    rows_in,
)
from discriminant.table.reading.csv_text import utf8_lines

LONGEST_ROW = 1 << 25  # bytes; a quote that is never closed must not swallow a file into memory
_MOST_UNCLOSED = 100

OnBadRow = Callable[[int, str], None]  # line, what is wrong; raises where a bad row ends the work


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


def filled_rows(block: Block, delimiter: str, n_columns: int) -> Rows:
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


def without_bad_rows(block: Block, delimiter: str, n_columns: int, on_bad: OnBadRow) -> Block:
    """The block with each row on its own and none that has not n cells; ``on_bad`` hears of those."""
    rows = filled_rows(block, delimiter, n_columns)
    cells = cells_in(block.text, rows, delimiter)
    for i in np.flatnonzero(cells != n_columns).tolist():
        what = f"{_counted(int(cells[i]))} where the header has {n_columns} (a stray delimiter or quote?)"
        on_bad(block.first_line + int(rows.lines[i]), what)
    good = np.flatnonzero(cells == n_columns)
    return Block(b"".join(_cut(block.text, rows, i) + b"\n" for i in good.tolist()), block.first_line, block.n_lines)


def lines_of(block: Block, delimiter: str, n_columns: int, n_rows: int) -> NDArray[np.int64]:
    """The line in the file of each of the ``n_rows`` rows that have as many cells as there are columns."""
    if n_rows == block.n_lines:  # a row takes a line or more, so each has one
        return np.arange(block.first_line, block.first_line + n_rows)
    rows = filled_rows(block, delimiter, n_columns)
    lines = rows.lines + block.first_line
    return lines if lines.size == n_rows else lines[cells_in(block.text, rows, delimiter) == n_columns]


def _counted(n: int) -> str:
    return f"{n} cell" if n == 1 else f"{n} cells"


def _starts_blank(text: bytes, starts: NDArray[np.int64]) -> NDArray[np.bool_]:
    first = np.frombuffer(text, dtype=np.uint8)[starts]
    return np.asarray((first == ord(" ")) | (first == ord("\t")))


def _cut(text: bytes, rows: Rows, i: int) -> bytes:
    return text[rows.starts[i] : rows.ends[i]]


def _without(rows: Rows, dropped: NDArray[np.int64]) -> Rows:
    keep = np.ones(rows.starts.size, dtype=bool)
    keep[dropped] = False
    return Rows(rows.starts[keep], rows.ends[keep], rows.lines[keep], rows.n_lines)
