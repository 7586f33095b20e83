"""Sparse text files: lines ``label index:value index:value ...`` as labels and matrices in compressed rows.

A block of lines is parsed at once, by arrays; if anything in it is not as it should be, line by line, which names what
is wrong. A line may lack its label (all labels are then NaN), may carry ``qid:...`` (left out) and a ``# comment``.
"""

import re
import warnings
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discriminant.findings import shown
from discriminant.table.errors import TableError, require_room
from discriminant.table.reading.batch import BadRows, SparseBatch
from discriminant.table.reading.csv_rows import LONGEST_ROW
from discriminant.table.reading.inputs import Input

_BLOCK_BYTES = 1 << 22
_FEW_FEATURES = 1 << 20  # columns that need few values: arrays of so many numbers are small
_FEATURES_PER_VALUE = 1000  # of the sparsest tables there are, hashed texts, a sample of rows fills more
_BYTES_PER_FEATURE = 160  # twenty numbers: weights, moments and the like
_COMMENT = re.compile(rb"#[^\n]*")
_QUERY = re.compile(rb"[ \t]qid:\d+")
_LARGEST_INDEX = 2**31 - 2
_MOST_DIGITS = len(str(_LARGEST_INDEX))

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


class SparseRows(NamedTuple):
    """Rows of a sparse matrix: row i has ``indices[starts[i]:starts[i+1]]``, as written, in increasing order."""

    labels: Floats
    starts: Integers
    indices: Integers
    values: Floats
    lines: Integers


_NONE = np.zeros(0, dtype=np.int64)
_NO_ROWS = SparseRows(np.zeros(0), np.zeros(1, dtype=np.int64), _NONE, np.zeros(0), _NONE)


class SvmlightFile:
    """One sparse text file."""

    names: tuple[str, ...] = ()

    def __init__(self, source: Input) -> None:
        self.source = source
        self.name = source.name
        self.notes: list[str] = []
        if b" qid:" in source.head:
            self.notes.append(f"{self.name} has query ids (qid:), which were left out.")

    def bytes_in_memory(self) -> int:
        """About as many as all cells take when they are read at once."""
        return 2 * self.source.stored_bytes()

    def rows(self, on_bad: BadRows, block_bytes: int = _BLOCK_BYTES) -> Iterator[SparseRows]:
        """Blocks of rows in order."""
        line = 1
        for block in self._blocks(block_bytes):
            rows = parse_lines(block, line, on_bad)
            line += block.count(b"\n") or block.count(b"\r")
            yield rows

    def _blocks(self, block_bytes: int) -> Iterator[bytes]:
        held = b""
        try:
            with self.source.open() as stream:
                while piece := stream.read(block_bytes):
                    held += piece
                    end = held.rfind(b"\n") + 1
                    if end:
                        yield held[:end]
                        held = held[end:]
                    elif len(held) > LONGEST_ROW:
                        raise TableError(
                            f"{self.name}: a line is longer than {LONGEST_ROW >> 20} MB", "is it svmlight?"
                        )
        except OSError as error:
            raise self.source.broken(error) from error
        if held:
            yield held


def joined_rows(parts: list[SparseRows]) -> SparseRows:
    """All rows of several blocks."""
    if not parts:
        return _NO_ROWS
    counts = np.concatenate([np.diff(part.starts) for part in parts])
    return SparseRows(
        np.concatenate([part.labels for part in parts]),
        np.concatenate([[0], np.cumsum(counts)]),
        np.concatenate([part.indices for part in parts]),
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.lines for part in parts]),
    )


def count_features(rows: SparseRows, first_index: int) -> int:
    """How many columns the rows have, up to the largest index; one that is far beyond what the rows fill is refused.

    A model keeps several numbers for each column, so that one index in a short file could take all memory.
    """
    if not rows.indices.size:
        return 0
    largest = int(rows.indices.argmax())
    n_features = int(rows.indices[largest]) - first_index + 1
    line = rows.lines[np.searchsorted(rows.starts, largest, side="right") - 1]
    if n_features > max(_FEW_FEATURES, _FEATURES_PER_VALUE * rows.indices.size):
        raise TableError(
            f"line {line} has index {rows.indices[largest]:,}, which makes {n_features:,} columns of "
            f"{rows.indices.size:,} values in all",
            "if it is no slip, number the indices that are used from 1",
        )
    require_room(_BYTES_PER_FEATURE * n_features, f"line {line} has index {rows.indices[largest]:,}, and a model of it")
    return n_features


def matrix_of(rows: SparseRows, n_features: int, first_index: int) -> Any:
    """A CSR array; indices beyond the last feature are left out."""
    from scipy import sparse

    starts, columns, values = rows.starts, rows.indices - first_index, rows.values
    beyond = columns >= n_features
    if beyond.any():
        kept = np.concatenate([[0], np.cumsum(~beyond)])
        starts, columns, values = kept[starts], columns[~beyond], values[~beyond]
    return sparse.csr_array((values, columns, starts), shape=(rows.labels.size, n_features))


def whole_labels(labels: NDArray[np.float64]) -> NDArray[Any]:
    """The labels as integers if they are whole."""
    whole = labels.astype(np.int64)
    return whole if np.array_equal(whole, labels) else labels


def sparse_batch(rows: SparseRows, n_features: int, first_index: int, file: str, on_bad: BadRows) -> SparseBatch:
    """Rows with indices from ``first_index`` on; a row with a lesser one is bad."""
    low = np.flatnonzero(rows.indices < first_index)
    if low.size:
        bad = np.unique(np.searchsorted(rows.starts, low, side="right") - 1)
        for i in bad.tolist():
            on_bad(int(rows.lines[i]), f"an index is less than {first_index}, where the model's indices begin")
        rows = _without(rows, bad)
    return SparseBatch(matrix_of(rows, n_features, first_index), rows.labels, rows.lines, file)


def _without(rows: SparseRows, bad: NDArray[np.int64]) -> SparseRows:
    keep = np.ones(rows.labels.size, dtype=bool)
    keep[bad] = False
    counts = np.diff(rows.starts)
    pairs = np.repeat(keep, counts)
    starts = np.concatenate([[0], np.cumsum(counts[keep])])
    return SparseRows(rows.labels[keep], starts, rows.indices[pairs], rows.values[pairs], rows.lines[keep])


# --- lines -------------------------------------------------------------------------------------------------


class _LineError(ValueError):
    """A line that is not as it should be."""


def parse_lines(block: bytes, first_line: int, on_bad: BadRows) -> SparseRows:
    """The rows of a block of whole lines."""
    plain = block.replace(b"\r", b"\n" if b"\n" not in block else b" ")
    plain = _COMMENT.sub(b"", plain) if b"#" in plain else plain
    plain = _QUERY.sub(b"", plain) if b"qid" in plain else plain
    rows = _at_once(plain, first_line)
    return rows if rows is not None else _line_by_line(plain, first_line, on_bad)


def _at_once(text: bytes, first_line: int) -> SparseRows | None:
    """All lines by arrays; None if any is odd."""
    codes = np.frombuffer(text, dtype=np.uint8)
    blank = codes <= 32
    starts_word = ~blank
    starts_word[1:] &= blank[:-1]
    words = np.flatnonzero(starts_word)
    if not words.size:
        return _NO_ROWS
    colons = np.flatnonzero(codes == ord(":"))
    line_of_word = np.searchsorted(np.flatnonzero(codes == ord("\n")), words)
    is_first = np.diff(line_of_word, prepend=-1) > 0
    parts = np.bincount(np.searchsorted(words, colons, side="right") - 1, minlength=words.size)
    unlabelled = bool(parts[0])
    if not np.array_equal(parts == 0, np.zeros_like(is_first) if unlabelled else is_first) or parts.max() > 1:
        return None
    if not _indices_are_digits(codes, words[parts == 1], colons) or blank[np.minimum(colons + 1, codes.size - 1)].any():
        return None
    numbers = _numbers(text)
    if numbers is None or numbers.size != words.size + colons.size:
        return None
    return _assemble(numbers, parts, is_first, line_of_word, first_line, unlabelled)


def _indices_are_digits(codes: NDArray[np.uint8], words: Integers, colons: Integers) -> bool:
    """Whether there are digits, and nothing else, before each colon."""
    other = (codes < ord("0")) | (codes > ord("9"))
    before = np.cumsum(other, dtype=np.int32) - other
    return bool((colons > words).all() and (before[colons] == before[words]).all())


def _numbers(text: bytes) -> Floats | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)  # older NumPy warns where newer refuses
            return np.fromstring(text.replace(b":", b" ").decode("latin-1"), sep=" ")
    except (ValueError, DeprecationWarning):
        return None


def _assemble(
    numbers: Floats,
    parts: Integers,
    is_first: NDArray[np.bool_],
    line_of_word: Integers,
    first_line: int,
    unlabelled: bool,
) -> SparseRows | None:
    place = np.concatenate([[0], np.cumsum(parts + 1)[:-1]])  # of each word's first number
    pairs = place[parts == 1]
    written, values = numbers[pairs], numbers[pairs + 1]
    labels = np.full(is_first.sum(), np.nan) if unlabelled else numbers[place[is_first]]
    if not (np.isfinite(values).all() and (unlabelled or np.isfinite(labels).all())):
        return None
    if not ((written >= 0) & (written <= _LARGEST_INDEX) & (written == np.floor(written))).all():
        return None
    indices = written.astype(np.int64)
    row_of_pair = (np.cumsum(is_first) - 1)[parts == 1]
    if ((np.diff(row_of_pair) == 0) & (np.diff(indices) <= 0)).any():
        return None
    starts = np.searchsorted(row_of_pair, np.arange(labels.size + 1))
    return SparseRows(labels, starts, indices, values, line_of_word[is_first] + first_line)


def _line_by_line(text: bytes, first_line: int, on_bad: BadRows) -> SparseRows:
    rows: list[tuple[float, list[tuple[int, float]], int]] = []
    for number, line in enumerate(text.split(b"\n")):
        words = line.split()
        if not words:
            continue
        try:
            rows.append((*_one_line(words), first_line + number))
        except _LineError as error:
            on_bad(first_line + number, str(error))
    counts = [len(pairs) for _, pairs, _ in rows]
    flat = [pair for _, pairs, _ in rows for pair in pairs]
    return SparseRows(
        np.array([label for label, _, _ in rows], dtype=np.float64),
        np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]),
        np.array([index for index, _ in flat], dtype=np.int64),
        np.array([value for _, value in flat], dtype=np.float64),
        np.array([line for _, _, line in rows], dtype=np.int64),
    )


def _one_line(words: list[bytes]) -> tuple[float, list[tuple[int, float]]]:
    label = np.nan
    if b":" not in words[0]:
        label = _number(words[0], "label")
        words = words[1:]
    pairs = sorted(_pair(word) for word in words)
    for (index, _), (following, _) in pairwise(pairs):
        if index == following:
            raise _LineError(f"index {index} stands there twice")
    return label, pairs


def _pair(word: bytes) -> tuple[int, float]:
    index, colon, value = word.partition(b":")
    if not colon or not index.isdigit():
        raise _LineError(f"{shown(word.decode('utf-8', 'replace'))} is not index:value")
    if len(index.lstrip(b"0")) > _MOST_DIGITS or int(index) > _LARGEST_INDEX:
        raise _LineError(f"index {shown(index.decode())} is larger than {_LARGEST_INDEX}, the largest there can be")
    return int(index), _number(value, f"value at index {int(index)}")


def _number(text: bytes, what: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = np.nan
    if not np.isfinite(number) or b"_" in text:
        raise _LineError(f"the {what} is {shown(text.decode('utf-8', 'replace'))}, which is no finite number")
    return number
