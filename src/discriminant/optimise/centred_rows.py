"""Rows seen from a point among them, so that an offset of the columns costs no digits.

Some of them can be taken in full, in coordinates that number no more than they do.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.cached import cached_property
from discriminant.kernels.compiled import Kernel
from discriminant.linalg.row_space import GramSpace
from discriminant.optimise.subspace_rows import SubspaceRows
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import Matrix, dense_block
from discriminant.statistics.entry_sums import has_few_entries
from discriminant.statistics.scaling import ColumnScaling, ScaledRows
from discriminant.statistics.shifted_sums import column_means, pilot_means

Array = NDArray[np.float64]
Places = NDArray[np.intp]

_FEW_NUMBERS = 1 << 18  # which stay in the cache
_HARDLY_ANY_WORK = 1 << 24  # multiplications of dense rows, too few to choose how


def squared_by_entries(rows: ArrayRows) -> bool:
    """Whether weighted squares of all rows are less work entry by entry, and any to speak of."""
    much = rows.n_rows * float(rows.n_columns) ** 2 >= _HARDLY_ANY_WORK
    return much and not rows.stays_sparse and has_few_entries(rows.matrix)


@dataclass(frozen=True)
class CentredRows(ScaledRows):
    """x − μ of the rows; wide sparse rows stay where they are, and are known by their inner products alone."""

    wide_sparse: bool = False
    by_entries: bool = False  # whether sums of squares are less work from the entries of sparse rows

    @classmethod
    def of(cls, rows: ArrayRows) -> "CentredRows":
        """About the midpoint of the means of a few rows of each class; wide sparse rows about the origin."""
        if rows.stays_sparse:
            return cls.about_origin(rows.matrix, wide_sparse=True)
        return cls(rows.matrix, ColumnScaling.centring(rows.matrix, column_means(pilot_means(rows))))

    @classmethod
    def for_squares(cls, rows: ArrayRows) -> "CentredRows":
        """The same, but about the origin where weighted squares of all rows are less work entry by entry."""
        if squared_by_entries(rows):
            return replace(cls.about_origin(rows.matrix), by_entries=True)
        return cls.of(rows)

    @classmethod
    def about_origin(cls, matrix: Matrix, wide_sparse: bool = False) -> "CentredRows":
        """The rows as they are, about the origin."""
        return cls(matrix, ColumnScaling.centring(matrix, np.zeros(matrix.shape[1])), wide_sparse)

    @cached_property
    def few(self) -> Array | None:
        """(x − μ, 1) of dense rows, where they are so few that going through them block by block takes longer."""
        if sparse.issparse(self.matrix) or self.matrix.size > _FEW_NUMBERS:
            return None
        few = np.ones((self.matrix.shape[0], self.matrix.shape[1] + 1))
        np.subtract(self.matrix, self.scaling.centre, out=few[:, :-1])
        return few

    def scores(self, u: Array) -> Array:
        """u·(x − μ, 1) of every row; one column for each plane where u is K×(d+1)."""
        return super().scores(u) if self.few is None else self.few @ u.T

    def combination(self, v: Array) -> Array:
        """Σ v (x − μ, 1) over the rows; K×(d+1) where v is n×K."""
        return super().combination(v) if self.few is None else v.T @ self.few

    def suited(self, kernel: Kernel) -> Any:
        """A kernel, which is compiled where rows have so much to do."""
        return kernel if self.by_entries else super().suited(kernel)

    def take(self, chosen: Places | slice) -> "CentredRows":
        """Some rows, seen from the same point."""
        return replace(self, matrix=self.matrix[chosen])

    def in_full(self, chosen: Places | slice) -> SubspaceRows:
        """Some rows in full."""
        if self.wide_sparse:
            space = GramSpace.of(self.matrix[chosen])
            return SubspaceRows(space.coordinates, space)
        return SubspaceRows.of(self.dense(chosen))

    def dense(self, chosen: Places | NDArray[np.bool_] | slice) -> Array:
        """x − μ of some rows."""
        part = self.matrix[chosen]
        return np.asarray(dense_block(part, 0, part.shape[0]) - self.scaling.centre)

    def centred_plane(self, w: Array, b: float) -> Array:
        """(w, b) of rows as they are, as a plane of these."""
        return self.scaling.from_user(np.append(w, b))

    def user_plane(self, plane: Array) -> tuple[Array, float]:
        """w and the intercept for rows as they are."""
        plane = self.scaling.to_user(plane)
        return plane[:-1], float(plane[-1])
