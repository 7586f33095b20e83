"""Where the rows of a text table begin and end, exactly as the parser sees them.

A quote opens only at the beginning of a cell; inside quotes, newlines and delimiters are text and two quotes are one.
After the closing quote the cell goes on, unquoted, to the next delimiter or newline.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_QUOTE, _NEWLINE, _RETURN = b'"\n\r'

Places = NDArray[np.int64]


class Rows(NamedTuple):
    """The rows of a block: [start, end) of each without its newline, the line each begins on, and lines in all."""

    starts: Places
    ends: Places
    lines: Places
    n_lines: int


def line_ends(block: bytes) -> Places:
    """Places of all newlines, in quotes or not: \\n, or \\r where no \\n follows."""
    codes = np.frombuffer(block, dtype=np.uint8)
    ends = codes == _NEWLINE
    if b"\r" in block:
        alone = codes == _RETURN
        alone[:-1] &= codes[1:] != _NEWLINE
        ends |= alone
    return np.flatnonzero(ends)


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
    """Those places that are in no quoted part."""
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


def rows_in(block: bytes, delimiter: str) -> Rows:
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
    return Rows(starts[filled], (ends - returns)[filled], lines[filled], int(n_lines))


def _returns_before(block: bytes, ends: Places, starts: Places) -> Places:
    """1 where a row ends in \\r\\n, else 0."""
    if b"\r" not in block:
        return np.zeros(ends.size, dtype=np.int64)
    codes = np.frombuffer(block, dtype=np.uint8)
    newline = np.append(codes, 0)[ends] == _NEWLINE
    returns: Places = (newline & (ends > starts) & (codes[np.maximum(ends - 1, 0)] == _RETURN)).astype(np.int64)
    return returns


def cells_in(block: bytes, rows: Rows, delimiter: str) -> Places:
    """How many cells each row has."""
    delimiters = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == ord(delimiter))
    if b'"' in block:
        delimiters = outside(delimiters, *quoted_spans(block, delimiter))
    return np.asarray(np.searchsorted(delimiters, rows.ends) - np.searchsorted(delimiters, rows.starts) + 1)


def physical_lines(block: bytes) -> Iterator[tuple[int, int]]:
    """[start, end) of each line with its newline, quotes or not."""
    start = 0
    for end in (line_ends(block) + 1).tolist():
        yield start, end
        start = end
    if start < len(block):
        yield start, len(block)
