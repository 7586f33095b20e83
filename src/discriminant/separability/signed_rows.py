"""Two classes as vectors v_i = c_i(x_i, 1), c = ±1: a plane u = (w, −θ) has row i on its side when u·v_i > 0.

A search uses them in floats, with columns scaled to [−1, 1]; a proof uses them in whole numbers.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.exact.whole_numbers import Whole, whole_columns
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import Matrix, largest_by_column

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Indices = NDArray[np.intp]

_LEAST = float(np.finfo(np.float64).smallest_subnormal)


@dataclass(frozen=True)
class SignedRows:
    """The rows of two classes: as they are, and as scaled vectors V (n×(d+1)) whose last column is c."""

    matrix: Matrix
    positive: Mask
    middle: Array
    scale: Array
    V: Matrix

    @classmethod
    def of(cls, rows: ArrayRows) -> "SignedRows":
        """Rows with the codes 0 and 1."""
        matrix = rows.matrix if sparse.issparse(rows.matrix) else np.asarray(rows.matrix, dtype=np.float64)
        positive = rows.codes == 1
        if sparse.issparse(matrix):
            scale = half_ranges(matrix)
            return cls(matrix, positive, np.zeros(scale.size), scale, _sign_sparse(matrix, positive, scale))
        middle, half = _extent(matrix)
        scale = np.where(half > 0, half, 1.0)
        return cls(matrix, positive, middle, scale, _sign_dense(matrix, positive, middle, scale))

    def weights(self, u: Array) -> Array:
        """w of the columns as they are, for the u of scaled columns: w_j = u_j/s_j, times a power of two.

        The power keeps w in the middle of what floats hold.
        """
        exponents = np.frexp(self.scale)[1]
        middle = (int(exponents.min()) + int(exponents.max())) // 2
        mantissas = np.ldexp(self.scale, -exponents)
        return np.asarray(np.ldexp(u[:-1] / mantissas, middle - exponents))

    def exact_weights(self, u: Whole) -> Whole:
        """(w, −θ) of the columns as they are, for the u of scaled columns, in fractions."""
        w = [v / Fraction(s) for v, s in zip(u[:-1], self.scale.tolist(), strict=True)]
        shift = sum((v * Fraction(m) for v, m in zip(w, self.middle.tolist(), strict=True)), Fraction(0))
        return np.array([*w, u[-1] - shift], dtype=object)

    def V_of(self, indices: Indices) -> Matrix:
        """Some of the scaled vectors; all of them without a copy."""
        return self.V if indices.size == self.V.shape[0] else self.V[indices]

    def points(self, indices: Indices) -> Array:
        """Some rows as they are, dense."""
        return points_of(self.matrix, indices)

    def whole(self, indices: Indices) -> tuple[Whole, Whole]:
        """v_i in whole numbers, and the powers of two by which the columns were multiplied (1 for the last)."""
        exact, powers = whole_columns(self.points(indices))
        c = np.where(self.positive[indices], 1, -1).astype(object)[:, None]
        return c * np.hstack([exact, np.ones_like(c)]), np.append(powers, 1)


def points_of(matrix: Matrix, indices: Indices) -> Array:
    """Some rows as a dense table of floats."""
    block = matrix[indices]
    return np.asarray(block.toarray() if sparse.issparse(block) else block, dtype=np.float64)


def half_ranges(matrix: Matrix) -> Array:
    """The scale of each column: half its range, or its largest value where zeros are not stored; never zero."""
    half = largest_by_column(matrix) if sparse.issparse(matrix) else _extent(matrix)[1]
    return np.where(half > 0, half, 1.0)


def _extent(matrix: Matrix) -> tuple[Array, Array]:
    """(middle, half range) of each column, of halves so that nothing overflows."""
    low, high = (np.asarray(f(axis=0), dtype=np.float64) / 2 for f in (matrix.min, matrix.max))
    half = high - low
    half[(half == 0) & (np.asarray(matrix.min(axis=0) != matrix.max(axis=0)))] = _LEAST  # half of the least float is 0
    return low + high, half


def _sign_sparse(matrix: Matrix, positive: Mask, scale: Array) -> Matrix:
    c = np.where(positive, 1.0, -1.0)
    data = matrix.data / scale[matrix.indices] * np.repeat(c, np.diff(matrix.indptr))
    scaled = sparse.csr_array((data, matrix.indices, matrix.indptr), matrix.shape)
    return sparse.hstack([scaled, sparse.csr_array(c[:, None])], format="csr")


def _sign_dense(matrix: Array, positive: Mask, middle: Array, scale: Array) -> Array:
    V = np.ones((matrix.shape[0], matrix.shape[1] + 1))
    np.subtract(matrix, middle, out=V[:, :-1])
    V /= np.append(scale, 1.0)
    V *= np.where(positive, 1.0, -1.0)[:, None]
    return V
