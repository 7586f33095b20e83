"""Rows in memory: a checked matrix with coded labels and weights, as every learner wants them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.parameters import real_array
from discriminant.rows.labels import Codes, code_labels, places_of, signs
from discriminant.rows.matrix import (
    Matrix,
    column_labels,
    constant_columns,
    dense_block,
    largest_by_column,
    read_matrix,
    refuse_non_finite,
    root_of_squares,
    take_rows,
    with_zero_columns,
)
from discriminant.rows.protocol import NeedsRowsInMemory, Rows, Schema
from discriminant.rows.threads import over_spans

S = TypeVar("S")

# Sparse tables up to this many columns are summed as dense blocks.
DENSE_COLUMNS = 2000
# Products of two such values can still be summed over 10¹⁸ of them.
LARGEST_SUMMED = 1e145
# A constant column this large costs the others digits in sums of products.
_LARGE_CONSTANT = 1e6
_NO_WEIGHT = np.empty(0)


@dataclass(frozen=True)
class ArrayRows(Rows):
    """n rows of d columns with a class and a weight each; rows of weight zero are left out.

    ``weight`` is None when every row counts once.
    """

    matrix: Matrix
    classes: NDArray[Any]
    codes: Codes
    weight: NDArray[np.float64] | None = None
    names: tuple[str, ...] | None = None
    row_numbers: NDArray[np.intp] | None = None  # in the user's table, where some rows were left out
    row_ids: NDArray[np.int64] | None = None  # what samples and folds go by, where it is not the numbers
    origin: Any = None  # origin(i) says in which file and row of it row i stands, for messages

    @property
    def n_rows(self) -> int:
        """The number of rows that count."""
        return int(self.matrix.shape[0])

    @property
    def n_columns(self) -> int:
        """The number of columns, d."""
        return int(self.matrix.shape[1])

    @property
    def numbers_so_far(self) -> int:
        """How many numbers their source holds up to the last of these rows, by which kernels judge whether they pay.

        A small block far into a source is one of many; how many are to come it cannot know.
        """
        rows = 0 if self.row_numbers is None or not self.n_rows else int(self.row_numbers[-1]) + 1
        return max(rows, self.n_rows) * self.n_columns

    @property
    def schema(self) -> Schema:
        """Everything is known of rows in memory."""
        return Schema(self.n_columns, self.names, self.classes, self.n_rows)

    def batches(self) -> Iterator["ArrayRows"]:
        """One block: statistics cut it into what fits the cache and the threads."""
        yield self

    @property
    def numbers(self) -> NDArray[np.intp]:
        """The numbers of the rows in the user's table."""
        return np.arange(self.n_rows) if self.row_numbers is None else self.row_numbers

    @property
    def ids(self) -> NDArray[np.int64]:
        """What samples and folds are functions of, beside the seed: a column of ids, or the numbers of the rows."""
        return self.numbers if self.row_ids is None else self.row_ids

    @property
    def weights(self) -> NDArray[np.float64]:
        """ω of every row."""
        return np.ones(self.n_rows) if self.weight is None else self.weight

    def weight_of(self, part: slice) -> NDArray[np.float64]:
        """ω of some rows as kernels take it: empty where every row counts once."""
        return _NO_WEIGHT if self.weight is None else self.weight[part]

    def weights_at(self, places: NDArray[np.intp]) -> NDArray[np.float64]:
        """ω of the rows at these places."""
        return np.ones(places.size) if self.weight is None else self.weight[places]

    def weigh(self, values: NDArray[np.float64], part: slice = slice(None)) -> NDArray[np.float64]:
        """Numbers of rows (of all, or of a part), in their first axis, each multiplied by its ω."""
        if self.weight is None:
            return values
        return values * self.weight[part].reshape(-1, *(1,) * (values.ndim - 1))

    def weigh_squares(self, values: NDArray[np.float64], part: slice = slice(None)) -> NDArray[np.float64]:
        """Rows of a block, each multiplied by √ω, so that their products have the weight ω."""
        return values if self.weight is None else values * np.sqrt(self.weight[part])[:, None]

    def weigh_entries(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Numbers of the entries of sparse rows, each multiplied by ω of its row."""
        return values if self.weight is None else values * np.repeat(self.weight, np.diff(self.matrix.indptr))

    def sum_blocks(
        self, zero: Callable[[], S], add: Callable[[S, slice, NDArray[np.float64]], S], block_rows: int
    ) -> list[S]:
        """``add(sums, part, block)`` of every dense block of so many rows, in a span of rows for each thread."""

        def of_span(start: int, stop: int) -> S:
            sums = zero()
            for a in range(start, stop, block_rows):
                part = slice(a, min(a + block_rows, stop))
                sums = add(sums, part, dense_block(self.matrix, part.start, part.stop))
            return sums

        return over_spans(of_span, self.n_rows, self.n_columns)

    def reweighed(self, factor: NDArray[np.float64]) -> "ArrayRows":
        """The same rows with their weights multiplied by a factor each."""
        return replace(self, weight=self.weigh(factor))

    def join(self, other: "ArrayRows") -> "ArrayRows":
        """These rows and then the others, with the classes of both."""
        codes, other_codes = (rows.classes[rows.codes] for rows in (self, other))
        classes, codes = code_labels(np.concatenate([codes, other_codes]))
        stack = sparse.vstack if sparse.issparse(self.matrix) or sparse.issparse(other.matrix) else np.vstack
        matrix = stack([self.matrix, other.matrix])
        weighted = self.weight is not None or other.weight is not None
        weight = np.concatenate([self.weights, other.weights]) if weighted else None
        numbers = np.concatenate([self.numbers, other.numbers])
        ids = None if self.row_ids is None else np.concatenate([self.ids, other.ids])
        return ArrayRows(read_matrix(matrix), classes, codes, weight, self.names, numbers, ids)

    def take(self, rows: NDArray[np.intp]) -> "ArrayRows":
        """Some of the rows, with the classes that occur among them."""
        present, places = np.unique(self.codes[rows], return_inverse=True)
        weight = None if self.weight is None else self.weight[rows]
        numbers = self.numbers[rows]
        ids = None if self.row_ids is None else self.row_ids[rows]
        origin = None if self.origin is None else self.origin.take(rows)
        codes = places.astype(np.int32)
        return ArrayRows(
            take_rows(self.matrix, rows), self.classes[present], codes, weight, self.names, numbers, ids, origin
        )

    def recoded(self, classes: NDArray[Any]) -> "ArrayRows":
        """The same rows with codes that refer to these classes, which hold all of theirs."""
        if classes is self.classes or np.array_equal(classes, self.classes):
            return replace(self, classes=classes)
        return replace(self, classes=classes, codes=places_of(self.classes, classes).astype(np.int32)[self.codes])

    def refuse_non_finite(self) -> None:
        """Raise for the first NaN or infinity, naming its row and column."""
        refuse_non_finite(self.matrix, self.names, "X", self.row_numbers, self.origin)

    def refuse_overflow(self) -> None:
        """Raise for the column of the largest values, when sums over it have overflowed."""
        self.refuse_non_finite()
        largest = largest_by_column(self.matrix)
        j = int(largest.argmax())
        raise ValueError(
            f"column {self.names[j] if self.names else j!r} reaches {largest[j]:.3g}, and sums over it overflow; "
            "rescale that column (divide it by a power of ten)"
        )

    def refuse_extremes(self) -> None:
        """Raise for NaN, infinity, or values so large that sums of their products overflow."""
        if root_of_squares(self.matrix) <= LARGEST_SUMMED:
            return
        self.refuse_non_finite()
        if largest_by_column(self.matrix).max() > LARGEST_SUMMED:
            self.refuse_overflow()

    def large_constants(self, beyond: float = _LARGE_CONSTANT) -> NDArray[np.intp]:
        """Columns with one value in every row, and a larger one than that.

        To a learner with an intercept they say nothing, but in its sums they drown the other columns.
        """
        ends = dense_block(self.matrix[[0, -1]], 0, 2)
        finite = np.isfinite(ends[0])  # infinities are refused, not left out
        suspected = np.flatnonzero(finite & (np.abs(ends[0]) > beyond) & (ends[0] == ends[1]))
        return suspected[constant_columns(self.matrix[:, suspected])] if suspected.size else suspected

    def with_zeros(self, columns: NDArray[np.intp]) -> "ArrayRows":
        """The same rows with some columns made zero."""
        return replace(self, matrix=with_zero_columns(self.matrix, columns)) if columns.size else self

    def signs(self, positive: int) -> NDArray[np.int8]:
        """+1 for the rows of a class, −1 for the rest."""
        return signs(self.codes, positive)

    @property
    def total_weight(self) -> float:
        """Σω."""
        return float(self.n_rows if self.weight is None else self.weight.sum())

    @property
    def stays_sparse(self) -> bool:
        """Whether the rows are sparse and so wide that they are only ever multiplied, never made dense."""
        return bool(sparse.issparse(self.matrix)) and self.n_columns > DENSE_COLUMNS


def from_arrays(X: Any, y: Any, weight: Any = None) -> ArrayRows:
    """Rows from a table X, labels y and optional non-negative ``weight``; ``fit`` takes them in place of X.

    >>> rows = from_arrays([[0.0], [1.0], [4.0]], ["low", "low", "high"], weight=[1, 1, 2])
    >>> rows.classes.tolist(), rows.codes.tolist(), rows.weight.tolist()
    (['high', 'low'], [1, 1, 0], [1.0, 1.0, 2.0])
    """
    matrix = read_matrix(X)
    if 0 in matrix.shape:
        refuse_empty(matrix)
    weights = None if weight is None else read_weights(weight, matrix.shape[0])
    classes, codes = code_labels(y)
    if codes.size != matrix.shape[0]:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X has {matrix.shape[0]} rows "
            f"and y has {codes.size} labels"
        )
    rows = ArrayRows(matrix, classes, codes, weights, None if isinstance(X, np.ndarray) else column_labels(X))
    return rows if weights is None or weights.all() else rows.take(np.flatnonzero(weights))


def read_source(X: Any, y: Any = None, weight: Any = None) -> Rows:
    """A rows source as it is, or rows from a table with its labels."""
    if not isinstance(X, Rows):
        return from_arrays(X, y, weight)
    if y is not None or weight is not None:
        raise ValueError("a rows source carries its own labels and weights; leave y and sample_weight out")
    return X


def read_rows(X: Any, y: Any = None, weight: Any = None) -> ArrayRows:
    """Read rows for a method that goes back to single rows."""
    return in_memory(read_source(X, y, weight), "This method")


def in_memory(rows: Rows, method: str) -> ArrayRows:
    """The rows as a method takes them that goes back to single rows: from a source elsewhere by way of its spool.

    ``method`` names it where the source has none.
    """
    if isinstance(rows, ArrayRows):
        return rows
    if rows.spool is False:
        raise NeedsRowsInMemory(method)
    from discriminant.rows.spool import spooled

    return spooled(rows, None if rows.spool is True or rows.spool == "auto" else rows.spool).rows


def reads_by_passes(rows: Rows) -> bool:
    """Whether a learner that can do with sums over the rows, pass by pass, should: they stay where they are."""
    return not isinstance(rows, ArrayRows) and not rows.spools


def refuse_empty(matrix: Matrix) -> None:
    """A table must have a row and a column."""
    n, d = matrix.shape
    refuse_no_rows(n, f" (shape=({n}, {d}))")
    if d == 0:
        raise ValueError(f"Found array with 0 feature(s) (shape=({n}, {d})) while a minimum of 1 is required.")


def refuse_no_rows(n_rows: int, shape: str = "") -> None:
    """A table must have a row."""
    if n_rows == 0:
        raise ValueError(f"Found array with 0 sample(s){shape} while a minimum of 1 is required.")


def read_weights(weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Non-negative finite weights, not all zero; None stays None."""
    if weight is None:
        return None
    weights = real_array(weight, "sample_weight")
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {weights.ndim} dimensions")
    if weights.size != n_rows:
        raise ValueError(f"sample_weight has {weights.size} entries but X has {n_rows} rows")
    bad = np.flatnonzero(~(weights >= 0) | np.isinf(weights))
    if bad.size:
        raise ValueError(f"sample_weight is {weights[bad[0]]} at row {bad[0]}; weights must be finite and >= 0")
    with np.errstate(over="ignore"):
        if not np.isfinite(weights.sum()):
            raise ValueError("sample_weight sums to infinity; divide the weights by a power of ten")
    if not weights.any():
        raise ValueError("sample_weight is zero for every row; nothing is left to fit")
    return weights
