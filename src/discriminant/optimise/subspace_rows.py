"""A penalised criterion of more columns than rows, in the space the rows span.

    minimise over w, b   Σ ω L(w·x + b) + ½α‖w‖²

What w has at right angles to every x − x̄ is paid for and changes no score, so at the minimum w = Qv with the
orthonormal basis Q of those directions; and since ‖w‖ = ‖v‖ the same criterion of n coordinates z = Q′(x − x̄) has its
minimum at v, with the intercept b + w·x̄.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.linalg.row_space import RowSpace
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import dense_block
from discriminant.statistics.shifted_sums import centred

Array = NDArray[np.float64]

_MOST_ROWS = 1500  # beyond, n×n curvatures cost more than products with the rows
_MOST_WORK = 5e10  # multiplications to find the basis


@dataclass(frozen=True)
class SpannedRows:
    """Rows by their coordinates in their own space."""

    rows: ArrayRows
    space: RowSpace
    centre: Array

    @classmethod
    def of(cls, rows: ArrayRows) -> "SpannedRows | None":
        """None where that is not worth while: of sparse rows, of many, or where columns are no more than rows."""
        n, d = rows.n_rows, rows.n_columns
        if sparse.issparse(rows.matrix) or n >= d or n > _MOST_ROWS or n * n * d > _MOST_WORK:
            return None
        X = dense_block(rows.matrix, 0, n)
        Z, centre = centred(X)
        space = RowSpace.of(Z)
        return cls(replace(rows, matrix=space.coordinates, names=None), space, centre)

    def lift(self, planes: Array) -> Array:
        """Planes (…×(d+1)) of the rows as they are, from those of the coordinates (…×(n+1))."""
        w = self.space.lift(planes[:, :-1].T).T
        return np.column_stack([w, planes[:, -1] - w @ self.centre])
