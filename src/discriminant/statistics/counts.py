"""Counts by class: how often a column is present, how much it sums to, how often each category occurs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.kernels.counting import count_categories, sum_by_class, widen_ranges
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import Matrix, blocks, dense_block
from discriminant.statistics.alignment import align_classes, refuse_absent_classes, remaining_classes

Array = NDArray[np.float64]
_Sums = tuple[Array, Array, bool, float]  # counts, sums, whether all was finite, the least value below zero

_BLOCK_ROWS = 4096
_FEW_CLASSES = 8  # of which each is summed alone in less time than a matrix of classes is multiplied
# A column with codes further apart than this is not a column of categories.
_WIDEST_COLUMN = 1 << 20
_LARGEST_CODE = 2.0**53  # beyond, not every whole number is a float


@dataclass(frozen=True)
class ClassSums:
    """n_k and Σωx (or Σω[x > 0]) of each column in each class."""

    classes: NDArray[Any]
    counts: Array
    sums: Array
    any_negative: bool = False

    @classmethod
    def zero(cls, n_columns: int = 0) -> "ClassSums":
        """The counts of no rows."""
        return cls(np.empty(0), np.empty(0), np.empty((0, n_columns)))

    @classmethod
    def of_rows(cls, rows: ArrayRows, *, presence: bool) -> "ClassSums":
        """Count in one pass. Single values may be negative (corrections), but no sum of a column in a class may be."""
        if sparse.issparse(rows.matrix):
            found = _sparse_sums(rows, presence)
        else:
            spans = _dense_sums(rows, presence)
            found = (
                np.sum([s[0] for s in spans], axis=0),
                np.sum([s[1] for s in spans], axis=0),
                all(s[2] for s in spans),
                min(s[3] for s in spans),
            )
        counts, sums, finite, least = found
        if not finite or not np.isfinite(sums.sum()):
            rows.refuse_overflow()
        if least < 0 and not presence and (sums < 0).any():
            _refuse_negative_value(rows)
        return cls(rows.classes, counts, sums, least < 0 and not presence)

    def __add__(self, other: "ClassSums") -> "ClassSums":
        """The counts of both sets of rows."""
        return self._combine(other, +1.0)

    def __sub__(self, other: "ClassSums") -> "ClassSums":
        """The counts of the rows of self that are not in other."""
        return self._combine(other, -1.0)

    def _combine(self, other: "ClassSums", sign: float) -> "ClassSums":
        if other.classes.size == 0:
            return self
        if self.classes.size == 0 and sign > 0:
            return other
        if sign < 0:
            refuse_absent_classes(self.classes, other.classes)
        classes, mine, theirs = align_classes(self.classes, other.classes)
        counts = mine(self.counts) + sign * theirs(other.counts)
        sums = mine(self.sums) + sign * theirs(other.sums)
        kept = counts > 0
        if sign < 0:
            kept = remaining_classes(classes, counts, mine(self.counts))
            _refuse_unseen(float(sums.min()))
        negative = self.any_negative or other.any_negative
        return ClassSums(classes[kept], counts[kept], np.maximum(sums[kept], 0.0), negative)


def _refuse_unseen(least: float) -> None:
    if least < -1e-6:
        raise ValueError("the rows taken away were never added: without them a count would be negative")


def _dense_sums(rows: ArrayRows, presence: bool) -> list[_Sums]:
    sum_block = sum_by_class.suited_to(rows.numbers_so_far)

    def zero() -> _Sums:
        return np.zeros(rows.classes.size), np.zeros((rows.classes.size, rows.n_columns)), True, 0.0

    def add(total: _Sums, part: slice, block: Array) -> _Sums:
        counts, sums, finite, least = total
        weight = rows.weight_of(part)
        all_finite, smallest = sum_block(block, rows.codes[part], weight, presence, counts, sums)
        return counts, sums, finite and all_finite, min(least, smallest)

    return rows.sum_blocks(zero, add, _BLOCK_ROWS)


def _sparse_sums(rows: ArrayRows, presence: bool) -> _Sums:
    X, weight, K = rows.matrix, rows.weights, rows.classes.size
    finite = bool(np.isfinite(X.data).all())
    least = float(X.data.min(initial=0.0)) if finite else 0.0
    counted = presence_of(X) if presence else X
    counts = np.bincount(rows.codes, weights=weight, minlength=K).astype(np.float64)
    if K <= _FEW_CLASSES:
        return counts, np.stack([(weight * (rows.codes == k)) @ counted for k in range(K)]), finite, least
    indicator = sparse.csr_array((weight, (rows.codes, np.arange(rows.n_rows))), shape=(K, rows.n_rows))
    return counts, (indicator @ counted).toarray(), finite, least


def presence_of(X: Any) -> Any:
    """[x > 0] of a CSR array, as floats."""
    return sparse.csr_array(((X.data > 0).astype(np.float64), X.indices, X.indptr), shape=X.shape)


def _refuse_negative_value(rows: ArrayRows) -> None:
    for part, block in blocks(rows.matrix, _BLOCK_ROWS):
        negative = np.argwhere(block < 0)
        if negative.size:
            row, j = negative[0]
            name = rows.names[j] if rows.names else int(j)
            raise ValueError(
                f"Negative values in data passed to NaiveBayes: row {rows.numbers[part][row]}, column {name!r} holds "
                f"{block[row, j]:g}, and a column of counts cannot sum below zero in a class"
            )


@dataclass(frozen=True)
class CategoryCounts:
    """How often each category of each column occurs in each class: values[j] and tables[j] (K×m_j)."""

    classes: NDArray[Any]
    counts: Array
    values: tuple[Array, ...]
    tables: tuple[Array, ...]

    @classmethod
    def of_rows(cls, rows: ArrayRows) -> "CategoryCounts":
        """Count in two passes: the range of each column, then the counts. Numbers other than small codes are coded."""
        lows, highs, whole = _ranges(rows)
        if whole and whole_and_near([np.array(pair) for pair in zip(lows, highs, strict=True)]):
            return cls._of_codes(rows, lows.astype(np.int64), highs.astype(np.int64))
        values = [np.unique(dense_block(rows.matrix[:, [j]], 0, rows.n_rows)) for j in range(rows.n_columns)]
        sizes = np.array([v.size for v in values])
        coded = replace(rows, matrix=category_codes(rows.matrix, values))
        found = cls._of_codes(coded, np.zeros_like(sizes), sizes - 1)
        return replace(found, values=tuple(values))

    @classmethod
    def _of_codes(cls, rows: ArrayRows, lows: NDArray[np.int64], highs: NDArray[np.int64]) -> "CategoryCounts":
        starts = np.concatenate([[0], np.cumsum(highs - lows + 1)])

        count = count_categories.suited_to(rows.numbers_so_far)

        def zero() -> Array:
            return np.zeros((rows.classes.size, int(starts[-1])))

        def add(total: Array, part: slice, block: Array) -> Array:
            count(block, rows.codes[part], rows.weight_of(part), lows, starts, total)
            return total

        counted = np.sum(rows.sum_blocks(zero, add, _BLOCK_ROWS), axis=0)
        values, tables = [], []
        for j, low in enumerate(lows):
            table = counted[:, starts[j] : starts[j + 1]]
            seen = np.flatnonzero(table.sum(axis=0) > 0)
            values.append((seen + low).astype(np.float64))
            tables.append(table[:, seen])
        # every row has one category in the first column, so its table sums to the class counts
        return cls(rows.classes, tables[0].sum(axis=1), tuple(values), tuple(tables))

    def with_values(self, given: Sequence[Array] | None) -> "CategoryCounts":
        """The same counts, with values that columns may have too, though no row has them."""
        if given is None:
            return self
        values, tables = [], []
        for seen, table, more in zip(self.values, self.tables, given, strict=True):
            union = np.union1d(seen, more)
            whole = np.zeros((len(table), union.size))
            whole[:, np.searchsorted(union, seen)] = table
            values.append(union)
            tables.append(whole)
        return replace(self, values=tuple(values), tables=tuple(tables))

    def __add__(self, other: "CategoryCounts") -> "CategoryCounts":
        """The counts of both sets of rows."""
        return self._combine(other, +1.0)

    def __sub__(self, other: "CategoryCounts") -> "CategoryCounts":
        """The counts of the rows of self that are not in other; categories no longer seen are dropped."""
        return self._combine(other, -1.0)

    def _combine(self, other: "CategoryCounts", sign: float) -> "CategoryCounts":
        if sign < 0:
            refuse_absent_classes(self.classes, other.classes)
        classes, mine, theirs = align_classes(self.classes, other.classes)
        counts = mine(self.counts) + sign * theirs(other.counts)
        values, tables = [], []
        for a, b, A, B in zip(self.values, other.values, self.tables, other.tables, strict=True):
            union = np.union1d(a, b)
            table = np.zeros((classes.size, union.size))
            table[:, np.searchsorted(union, a)] += mine(A)
            table[:, np.searchsorted(union, b)] += sign * theirs(B)
            values.append(union)
            tables.append(table)
        kept = counts > 0
        if sign < 0:
            kept = remaining_classes(classes, counts, mine(self.counts))
            _refuse_unseen(min(float(t.min(initial=0.0)) for t in tables))
        seen = [np.flatnonzero(t.sum(axis=0) > 1e-9) for t in tables]
        return CategoryCounts(
            classes[kept],
            counts[kept],
            tuple(v[s] for v, s in zip(values, seen, strict=True)),
            tuple(np.maximum(t[kept][:, s], 0.0) for t, s in zip(tables, seen, strict=True)),
        )


def _ranges(rows: ArrayRows) -> tuple[Array, Array, bool]:
    """(lowest, highest) of each column, and whether all are whole numbers."""

    widen = widen_ranges.suited_to(rows.numbers_so_far)

    def nothing() -> tuple[Array, Array, bool, bool]:
        return np.full(rows.n_columns, np.inf), np.full(rows.n_columns, -np.inf), True, True

    def add(found: tuple[Array, Array, bool, bool], _: slice, block: Array) -> tuple[Array, Array, bool, bool]:
        lows, highs, finite, whole = found
        block_finite, block_whole = widen(block, lows, highs)
        return lows, highs, finite and block_finite, whole and block_whole

    spans = rows.sum_blocks(nothing, add, _BLOCK_ROWS)
    if not all(s[2] for s in spans):
        rows.refuse_non_finite()
    lows, highs = np.vstack([s[0] for s in spans]).min(axis=0), np.vstack([s[1] for s in spans]).max(axis=0)
    return lows, highs, all(s[3] for s in spans)


def whole_and_near(values: Sequence[Array]) -> bool:
    """Whether (ordered) categories are whole numbers close enough together to index a table."""
    with np.errstate(over="ignore"):
        return all(
            (v == np.floor(v)).all() and v[-1] - v[0] < _WIDEST_COLUMN and np.abs(v).max() < _LARGEST_CODE
            for v in values
        )


def category_codes(matrix: Matrix, values: Sequence[Array]) -> Array:
    """The place of every cell among its column's values; −1 for a value that is not there."""
    codes = np.empty(matrix.shape)
    for j, v in enumerate(values):
        column = dense_block(matrix[:, [j]], 0, matrix.shape[0])[:, 0]
        place = np.minimum(np.searchsorted(v, column), v.size - 1)
        codes[:, j] = np.where(v[place] == column, place, -1)
    return codes
