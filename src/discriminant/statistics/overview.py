"""The first pass over rows that stay where they are: what later passes are planned from.

Classes with their rows and weights, sums of columns (class moments of dense rows, mean squares of sparse ones), and a
sample of the rows by their numbers. All of it adds.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.rows import ArrayRows, Rows
from discriminant.rows.matrix import largest_by_column
from discriminant.rows.protocol import RowSample
from discriminant.statistics.alignment import Spread, align_classes
from discriminant.statistics.moments import ClassMoments
from discriminant.statistics.scaling import ColumnScaling

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

_SAMPLE_ROWS = 10_000
_SAMPLE_NUMBERS = 1 << 24  # of dense rows: 128 MB
MOST_SCATTER_COLUMNS = 1500  # of which the d×d scatter is summed, 18 MB


@dataclass(frozen=True)
class MeanSquares:
    """Σω(x/l)² of each column beside its largest value l, so that no square overflows or vanishes."""

    largest: Array
    squares: Array

    @classmethod
    def of_rows(cls, rows: ArrayRows) -> "MeanSquares":
        """The mean squares of sparse rows."""
        rows.refuse_extremes()
        X, largest = rows.matrix, largest_by_column(rows.matrix)
        parts = rows.weigh_entries((X.data / np.where(largest > 0, largest, 1.0)[X.indices]) ** 2)
        return cls(largest, np.asarray(np.bincount(X.indices, parts, minlength=rows.n_columns), np.float64))

    def __add__(self, other: "MeanSquares") -> "MeanSquares":
        largest = np.maximum(self.largest, other.largest)
        safe = np.where(largest > 0, largest, 1.0)
        squares = self.squares * (self.largest / safe) ** 2 + other.squares * (other.largest / safe) ** 2
        return MeanSquares(largest, squares)


@dataclass(frozen=True)
class Overview:
    """What one pass tells of all rows; ``moments`` is None of sparse rows, ``squares`` of dense ones."""

    classes: NDArray[Any]
    class_rows: Counts
    class_weights: Array  # Σω of each class
    moments: ClassMoments | None
    squares: MeanSquares | None
    sample: ArrayRows
    float32: bool

    @property
    def n_rows(self) -> int:
        """The number of rows that count."""
        return int(self.class_rows.sum())

    @property
    def n_columns(self) -> int:
        """The number of columns, d."""
        return self.sample.n_columns

    @property
    def holds_all(self) -> bool:
        """Whether the rows are so few that the sample has them all."""
        return self.sample.n_rows == self.n_rows

    def weighed_sample(self) -> ArrayRows:
        """The sample with each row standing for as many as its class has for each that was drawn."""
        drawn = np.bincount(self.sample.codes, minlength=self.classes.size)
        return self.sample.reweighed((self.class_rows / np.maximum(drawn, 1))[self.sample.codes])

    def scaling(self, penalty: float) -> ColumnScaling:
        """Coordinates in which the columns are alike."""
        n = float(self.class_weights.sum())
        if self.moments is None:
            assert self.squares is not None
            deviation = self.squares.largest * np.sqrt(self.squares.squares / n)
            return ColumnScaling.of_sums(np.zeros_like(deviation), deviation, n, penalty, sparse_rows=True)
        total = self.moments.total
        deviation = np.sqrt((np.diagonal(total) if self.moments.full else total) / n)
        return ColumnScaling.of_sums(self.moments.mean, deviation, n, penalty, sparse_rows=False)

    def squares_about(self, scaling: ColumnScaling) -> Array | None:
        """Σω(z, 1)(z, 1)′ in those coordinates, from the moments; None where they do not hold it."""
        if self.moments is None or not self.moments.full:
            return None
        m, d = self.moments, self.n_columns
        shift = (m.mean - scaling.centre) / scaling.scale
        squares = np.empty((d + 1, d + 1))
        squares[:d, :d] = m.total / scaling.scale / scaling.scale[:, None] + m.n * np.outer(shift, shift)
        squares[:d, d] = squares[d, :d] = m.n * shift
        squares[d, d] = m.n
        return squares


@dataclass(frozen=True)
class FirstPass:
    """The overview of blocks, and of both of two sets of rows: what `Rows.fold` takes."""

    drawn: RowSample

    @classmethod
    def over(cls, rows: Rows) -> Overview:
        """The overview of all rows: one pass."""
        d = rows.schema.n_columns
        first = cls(RowSample(int(np.clip(_SAMPLE_NUMBERS // max(d, 1), 200, _SAMPLE_ROWS)), of_classes=True))
        return rows.fold(first.of, first.add)

    def of(self, block: ArrayRows) -> Overview:
        """The overview of one block."""
        counts = np.bincount(block.codes, minlength=block.classes.size)
        weights = np.bincount(block.codes, block.weight, block.classes.size)
        moments = squares = None
        if sparse.issparse(block.matrix):
            squares = MeanSquares.of_rows(block)
        else:
            full = block.n_columns <= MOST_SCATTER_COLUMNS
            moments = ClassMoments.of_rows(block, full=full, per_class=False)
        float32 = bool(block.matrix.dtype == np.float32)
        return Overview(
            block.classes,
            counts,
            np.asarray(weights, np.float64),
            moments,
            squares,
            self.drawn.of(block),
            float32,
        )

    def add(self, a: Overview, b: Overview) -> Overview:
        """The overview of both."""
        if (a.moments is None) != (b.moments is None):
            raise ValueError(
                "some blocks of the source are sparse and some are dense; make all of them one or the other"
            )
        classes, mine, theirs = align_classes(a.classes, b.classes)
        return Overview(
            classes,
            _add_counts(mine, a.class_rows, theirs, b.class_rows),
            mine(a.class_weights) + theirs(b.class_weights),
            None if a.moments is None or b.moments is None else a.moments + b.moments,
            None if a.squares is None or b.squares is None else a.squares + b.squares,
            self.drawn.add(a.sample, b.sample),
            a.float32 and b.float32,
        )


def _add_counts(mine: Spread, a: Counts, theirs: Spread, b: Counts) -> Counts:
    """Whole numbers, which floats hold up to 10¹⁵ rows."""
    return np.asarray(mine(a.astype(np.float64)) + theirs(b.astype(np.float64)), np.int64)
