"""The columns of a table in coordinates in which they are alike, v = (x − m)/s, one after the other in memory.

Sparse columns keep their zeros: m = 0. A plane (v, b) there has w = v/s and the intercept b − w·m in the user's units.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.cached import cached_property
from discriminant.hyperplane import Planes
from discriminant.kernels.coordinate_descent import complete_symmetric
from discriminant.kernels.margins import add_squares
from discriminant.rows.matrix import Matrix, kernel_form

Array = NDArray[np.float64]

_LEAST_SPREAD = 1e-13  # of its mean; below that a column is constant but for rounding
_LEAST_SCALE = 1e-150  # whose square's reciprocal is finite
_FEW_USED = 8  # columns for each that has a weight, from where on those alone are multiplied
_TOGETHER = 512  # columns that are brought to their scale at a time


@dataclass(frozen=True)
class ScaledColumns:
    """``transposed`` has a row for each column of the table: a C-ordered matrix, or CSR."""

    transposed: Any
    shift: Array
    scale: Array
    intercept: bool

    @classmethod
    def of(cls, matrix: Matrix, intercept: bool = True) -> "ScaledColumns":
        """Deviations from the means, in units of their root mean square; without an intercept about zero."""
        if sparse.issparse(matrix):
            columns = sparse.csr_array(matrix.T)
            squares = sparse.csr_array((columns.data**2, columns.indices, columns.indptr), columns.shape)
            scale = _units(np.sqrt(np.asarray(squares.sum(axis=1)).ravel() / max(matrix.shape[0], 1)))
            data = columns.data / np.repeat(scale, np.diff(columns.indptr))
            scaled = sparse.csr_array((data, columns.indices, columns.indptr), columns.shape)
            return cls(scaled, np.zeros(len(scale)), scale, intercept)
        transposed = np.array(matrix.T, dtype=np.float64, order="C")
        first = transposed[:, :1].copy()
        shift, scale = np.zeros(len(transposed)), np.ones(len(transposed))
        for start in range(0, len(transposed), _TOGETHER):
            part = slice(start, start + _TOGETHER)
            block = transposed[part]
            if intercept:
                block -= first[part]  # so that a constant column is exactly its mean
                moved = block.mean(axis=1)
                block -= moved[:, None]
                shift[part] = first[part, 0] + moved
            spread = np.sqrt((block**2).mean(axis=1))
            spread[spread <= _LEAST_SPREAD * np.abs(shift[part])] = 0.0
            scale[part] = _units(spread)
            block /= scale[part, None]
            block[spread == 0.0] = 0.0
        return cls(transposed, shift, scale, intercept)

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return int(self.transposed.shape[0])

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.transposed.shape[1])

    def take(self, columns: NDArray[np.intp]) -> "ScaledColumns":
        """The same for some of the columns."""
        if columns.size == self.n_columns:
            return self
        return ScaledColumns(self.transposed[columns], self.shift[columns], self.scale[columns], self.intercept)

    def rescaled(self, scale: Array) -> "ScaledColumns":
        """The columns in other units."""
        if np.array_equal(scale, self.scale):
            return self
        factor = self.scale / scale
        if sparse.issparse(self.transposed):
            data = self.transposed.data * np.repeat(factor, np.diff(self.transposed.indptr))
            scaled: Any = sparse.csr_array(
                (data, self.transposed.indices, self.transposed.indptr), self.transposed.shape
            )
        else:
            scaled = self.transposed * factor[:, None]
        return ScaledColumns(scaled, self.shift, scale, self.intercept)

    # --- products ---------------------------------------------------------------------------------------

    def scores(self, v: Array, b: Array) -> Array:
        """The scores (K×n) of planes (K×d)."""
        used = np.flatnonzero(v.any(axis=0))
        if _FEW_USED * used.size < v.shape[1]:
            return self.take(used).scores(v[:, used], b)
        return np.asarray((self.transposed.T @ v.T).T + b[:, None])

    def correlations(self, theta: Array) -> Array:
        """θ·x of each plane and column (K×d)."""
        return np.asarray((self.transposed @ theta.T).T)

    def squares(self, a: Array) -> Array:
        """Σ a(x − x̄)² of each column, x̄ its mean weighed by a; about zero without an intercept."""
        squared = self.transposed**2 if not sparse.issparse(self.transposed) else self.transposed.power(2)
        total = np.asarray(squared @ a)
        if not self.intercept:
            return total
        return np.asarray(np.maximum(total - np.asarray(self.transposed @ a) ** 2 / a.sum(), 0.0))

    def curvatures(self, a: Array, c: Array) -> Array:
        """The curvature of each weight by itself (K×d), Σ (a − c²)x²."""
        squared = self.transposed**2 if not sparse.issparse(self.transposed) else self.transposed.power(2)
        return np.asarray((squared @ (a - c**2 if c.size else a).T).T)

    def products(self, a: Array) -> Array:
        """Σ a xx′, dense, of few columns."""
        if sparse.issparse(self.transposed):
            return np.asarray((self.transposed.multiply(a[None, :]) @ self.transposed.T).toarray())
        return np.asarray((self.transposed * a) @ self.transposed.T)

    def gram(self, h: Array) -> tuple[Array, Array]:
        """Σ h(x − x̄)(x − x̄)′ with x̄ = Σhx/Σh (zero without an intercept), and x̄."""
        d = self.n_columns
        if sparse.issparse(self.transposed):
            sums = np.zeros((d + 1, d + 1))
            add_squares(self._rows, h, sums)
            pulls, total = sums[d, :d].copy(), sums[d, d]
        else:
            weighed = self.transposed * np.sqrt(h)
            sums, pulls, total = weighed @ weighed.T, self.transposed @ h, h.sum()
        mean = pulls / total if self.intercept and total > 0 else np.zeros(d)
        return complete_symmetric(sums, pulls, mean), mean

    @cached_property
    def _rows(self) -> Any:
        """Sparse rows, as kernels take them."""
        return kernel_form(sparse.csr_array(self.transposed.T))

    def for_kernel(self) -> Any:
        """The columns as kernels take rows."""
        return kernel_form(self.transposed)

    # --- units ------------------------------------------------------------------------------------------

    def from_user(self, w: Array, intercept: Array) -> Planes:
        """(v, b) of planes in the user's units."""
        return Planes(w * self.scale, intercept + w @ self.shift)


def _units(spread: Array) -> Array:
    return np.where(spread > _LEAST_SCALE, spread, 1.0)
