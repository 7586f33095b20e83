"""Rows in coordinates of the space they span, which number no more than the rows.

A penalised criterion of more columns than rows is minimised there:

    minimise over w, b   Σ ω L(w·x + b) + ½α‖w‖²

What w has at right angles to every x − x̄ is paid for and changes no score, so at the minimum w = Qv with the
orthonormal basis Q of those directions; and since ‖w‖ = ‖v‖ the same criterion of n coordinates z = Q′(x − x̄) has its
minimum at v, with the intercept b + w·x̄.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.linalg.row_space import GramSpace, RowSpace
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import dense_block
from discriminant.statistics.shifted_sums import centre_matrix

Array = NDArray[np.float64]

_MOST_ROWS = 1500  # beyond, n×n curvatures cost more than products with the rows
_MOST_WORK = 5e10  # multiplications to find the basis


@dataclass(frozen=True)
class SubspaceRows:
    """z = Q′(x − μ) of rows; without a ``space`` Q is the identity, without a ``centre`` μ is zero."""

    coordinates: Array
    space: RowSpace | GramSpace | None = None
    centre: Array | None = None

    @classmethod
    def of(cls, Z: Array, centre: Array | None = None) -> "SubspaceRows":
        """The subspace of dense rows that are centred already: by their columns, unless rows are fewer."""
        if Z.shape[1] <= Z.shape[0]:
            return cls(Z, None, centre)
        space = RowSpace.of(Z)
        return cls(space.coordinates, space, centre)

    @classmethod
    def of_wide(cls, rows: ArrayRows) -> "SubspaceRows | None":
        """None where that is not worth while: of sparse rows, of many, or where columns are no more than rows."""
        n, d = rows.n_rows, rows.n_columns
        if sparse.issparse(rows.matrix) or n >= d or n > _MOST_ROWS or n * n * d > _MOST_WORK:
            return None
        return cls.of(*centre_matrix(dense_block(rows.matrix, 0, n)))

    @property
    def augmented(self) -> Array:
        """(z, 1)."""
        return np.column_stack([self.coordinates, np.ones(len(self.coordinates))])

    def in_place_of(self, rows: ArrayRows) -> ArrayRows:
        """The same rows with these coordinates as columns."""
        return replace(rows, matrix=self.coordinates, names=None)

    def to_user(self, u: Array) -> Array:
        """Planes (…, d+1) of the rows as they are, from those of the coordinates."""
        w = u[..., :-1] if self.space is None else self.space.lift(u[..., :-1].T).T
        b = u[..., -1:] if self.centre is None else u[..., -1:] - (w @ self.centre)[..., None]
        return np.concatenate([w, b], axis=-1)

    def from_user(self, v: Array) -> Array:
        """Planes of the coordinates: what these rows see of planes of the rows as they are."""
        w = v[..., :-1]
        b = v[..., -1:] if self.centre is None else v[..., -1:] + (w @ self.centre)[..., None]
        return np.concatenate([w if self.space is None else self.space.lower(w.T).T, b], axis=-1)
