"""The space that n rows of more than n columns span, and metrics of coordinates in it.

With the centred rows Z′ = QR the rows in the basis Q are R′: n×n numbers stand for n×d, and nothing d×d is formed. The
largest columns are rotated first: what rounding then adds to a column is in proportion to its own size, and a column
that is the same in every row keeps a weight of exactly zero, however far from zero it lies.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from discriminant.linalg.metric import EPS, Metric
from discriminant.rows.matrix import Matrix

Array = NDArray[np.float64]

_NEGLIGIBLE = 1e-6  # an error beside the spread of the least column, from which on it matters whose error it is
_RANK = 1e-14  # of the largest square


@dataclass(frozen=True)
class RowSpace:
    """An orthonormal basis Q of the space of n rows in d ≥ n dimensions, as Householder reflectors.

    ``order`` lists the columns from the largest to the least; ``sizes`` bound their lengths.
    """

    reflectors: Array
    tau: Array
    coordinates: Array
    order: NDArray[np.intp]
    sizes: Array

    @classmethod
    def of(cls, Z: Array) -> "RowSpace":
        """The row space of Z (n×d, n ≤ d)."""
        sizes = np.sqrt(len(Z)) * np.abs(Z).max(axis=0)
        order = np.argsort(-sizes, kind="stable")
        qr, tau, _, _ = lapack.dgeqrf(np.asfortranarray(Z.T[order]), lwork=64 * len(Z), overwrite_a=1)
        return cls(qr, tau, np.triu(qr[: len(Z)]).T, order, sizes)

    def without_rows(self) -> "RowSpace":
        """The same space without the places of the rows in it."""
        if not self.coordinates.size:
            return self
        n = len(self.coordinates)
        reflectors = self.reflectors.copy(order="F")
        reflectors[:n] = np.tril(reflectors[:n], -1)  # R, of which nothing but Q is needed, stands above
        return replace(self, reflectors=reflectors, coordinates=np.empty((n, 0)))

    @property
    def basis(self) -> Array:
        """Q (d×n)."""
        return self.lift(np.eye(len(self.coordinates)))

    def lift(self, C: Array) -> Array:
        """Coordinates (n×k) -> vectors of the d-dimensional space: QC."""
        lifted = np.empty((self.order.size, *C.shape[1:]))
        lifted[self.order] = self._apply(C, "N")
        return lifted

    def lower(self, V: Array) -> Array:
        """Vectors (d×k) -> their coordinates in the row space: Q′V."""
        return self._apply(V[self.order], "T")

    def errors(self, of_columns: Array) -> Array:
        """How far errors of these sizes in the columns, independent of one another, can move each coordinate.

        Rounding in the rotation is one more: some ε of the size of the column. Where even the largest error is small
        beside the least column that varies, every coordinate is given the largest.
        """
        n = len(self.coordinates)
        moving = self.sizes > 0
        of_rotation = 16 * n * EPS * self.sizes
        of_columns = np.where(moving, np.maximum(of_columns, of_rotation), 0.0)
        largest = max(float(of_columns.max(initial=0.0)), float(np.linalg.norm(of_rotation)))
        if largest <= _NEGLIGIBLE * float(self.sizes[moving].min(initial=np.inf)):
            return np.full(n, largest if moving.any() else 0.0)
        return np.asarray(np.linalg.norm(self.basis * of_columns[:, None], axis=0))

    def _apply(self, A: Array, trans: str) -> Array:
        d, n = self.reflectors.shape
        flat = A.ndim == 1
        A = A.reshape(len(A), -1)
        padded = np.zeros((d, A.shape[1]), order="F")
        padded[: len(A)] = A
        out, _, _ = lapack.dormqr("L", trans, self.reflectors, self.tau, padded, 64 * max(1, A.shape[1]), overwrite_c=1)
        out = np.asarray(out if trans == "N" else out[:n])
        return out[:, 0] if flat else out


@dataclass(frozen=True)
class GramSpace:
    """The space of wide sparse rows X, by the eigenvectors of X X′ = V λ V′.

    The coordinates are V√λ, along the orthonormal directions λ^(−½)V′X, which are never formed.
    """

    X: Matrix
    turn: Array  # λ^(−½)V′
    coordinates: Array

    @classmethod
    def of(cls, X: Matrix) -> "GramSpace":
        """The space of the rows of X."""
        squares, vectors = np.linalg.eigh((X @ X.T).toarray())
        kept = squares > _RANK * max(float(squares[-1]), 1e-300)
        roots, vectors = np.sqrt(squares[kept]), vectors[:, kept]
        return cls(X, (vectors / roots).T, vectors * roots)

    def lift(self, C: Array) -> Array:
        """Coordinates -> vectors of the d-dimensional space."""
        return np.asarray(self.X.T @ (self.turn.T @ C))

    def lower(self, V: Array) -> Array:
        """Vectors -> their coordinates."""
        return np.asarray(self.turn @ (self.X @ V))


@dataclass(frozen=True)
class LiftedMetric(Metric):
    """A metric of coordinates in a row space, seen from the full space."""

    space: RowSpace
    inner: Metric

    @classmethod
    def of(cls, space: RowSpace, inner: Metric) -> "LiftedMetric":
        """All as seen inside the row space; outside it no row has anything."""
        return cls(inner.rank, space.lift(inner.null), inner.condition, inner.resolution, space, inner)

    def half(self, V: Array) -> Array:
        """The half of the coordinates of V."""
        return self.inner.half(self.space.lower(V))

    def half_transposed(self, H: Array) -> Array:
        """What the inner metric gives, lifted to the columns."""
        return self.space.lift(self.inner.half_transposed(H))

    def null_error(self, directions: Array, V: Array) -> Array:
        """The error as seen inside the row space."""
        return self.inner.null_error(self.space.lower(directions), self.space.lower(V))
