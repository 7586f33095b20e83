"""Lines ``label index:value index:value ...`` -> labels, indices and values.

A block of lines is parsed at once, by arrays; if anything in it is not as it should be, line by line, which names what
is wrong. A line may lack its label (all labels are then NaN), may carry ``qid:...`` (left out) and a ``# comment``.
"""

import re
import warnings
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discriminant.findings import shown
from discriminant.table.reading.batch import BadRows

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


class _Wrong(ValueError):
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
        return _no_rows()
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
    return _assembled(numbers, parts, is_first, line_of_word, first_line, unlabelled)


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


def _assembled(
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
        except _Wrong as error:
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
            raise _Wrong(f"index {index} stands there twice")
    return label, pairs


def _pair(word: bytes) -> tuple[int, float]:
    index, colon, value = word.partition(b":")
    if not colon or not index.isdigit():
        raise _Wrong(f"{shown(word.decode('utf-8', 'replace'))} is not index:value")
    if len(index.lstrip(b"0")) > _MOST_DIGITS or int(index) > _LARGEST_INDEX:
        raise _Wrong(f"index {shown(index.decode())} is larger than {_LARGEST_INDEX}, the largest there can be")
    return int(index), _number(value, f"value at index {int(index)}")


def _number(text: bytes, what: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = np.nan
    if not np.isfinite(number) or b"_" in text:
        raise _Wrong(f"the {what} is {shown(text.decode('utf-8', 'replace'))}, which is no finite number")
    return number


def _no_rows() -> SparseRows:
    none = np.zeros(0, dtype=np.int64)
    return SparseRows(np.zeros(0), np.zeros(1, dtype=np.int64), none, np.zeros(0), none)
