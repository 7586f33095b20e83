"""Rows seen from a point among them, so that an offset of the columns costs no digits.

    scores   w·(x − x₀),      combinations   Σ v (x − x₀)

over all rows, in blocks on threads; and a few rows in full, in coordinates that number no more than they do: where
there are more columns than rows, X = R′Q′ with orthonormal Q has the same inner products as R′. Wide sparse rows are
known by their inner products alone.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.linalg.row_space import RowSpace
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import Matrix, dense_block
from discriminant.rows.threads import over_spans
from discriminant.statistics.shifted_sums import column_means, pilot_means

Array = NDArray[np.float64]

_BLOCK_NUMBERS = 1 << 15
_RANK = 1e-14  # of the largest square


@dataclass(frozen=True)
class RowFrame:
    """A matrix of rows and the point x₀ (None: the origin, so that sparse rows stay sparse)."""

    matrix: Matrix
    centre: Array | None

    @classmethod
    def of(cls, rows: ArrayRows) -> "RowFrame":
        """About the midpoint of the pilot means; wide sparse rows about the origin."""
        return cls(rows.matrix, None if rows.stays_sparse else column_means(pilot_means(rows)))

    def scores(self, plane: Array) -> Array:
        """w·(x − x₀) + b of every row, for plane = (w, b)."""
        w, b = plane[:-1], plane[-1]
        if sparse.issparse(self.matrix):
            return np.asarray(self.matrix @ w + (b - self._along(w)))
        n, d = self.matrix.shape
        scores = np.empty(n)

        def of_span(start: int, stop: int) -> None:
            step = max(_BLOCK_NUMBERS // d, 1)
            for a in range(start, stop, step):
                scores[a : a + step][: stop - a] = self._block(a, min(a + step, stop)) @ w

        over_spans(of_span, n, d)
        scores += b
        return scores

    def combination(self, v: Array) -> Array:
        """(Σ v (x − x₀), Σ v)."""
        total = float(v.sum())
        if sparse.issparse(self.matrix):
            combined = np.asarray(self.matrix.T @ v)
            return np.append(combined if self.centre is None else combined - total * self.centre, total)
        n, d = self.matrix.shape

        def of_span(start: int, stop: int) -> Array:
            step = max(_BLOCK_NUMBERS // d, 1)
            part = np.zeros(d)
            for a in range(start, stop, step):
                b = min(a + step, stop)
                part += v[a:b] @ self._block(a, b)
            return part

        return np.append(np.sum(over_spans(of_span, n, d), axis=0), total)

    def combination_of(self, chosen: NDArray[np.intp], v: Array) -> Array:
        """The same of some rows, whose coefficients v are given in their order."""
        return self.taken(chosen).combination(v)

    def taken(self, chosen: NDArray[np.intp]) -> "RowFrame":
        """Some rows, seen from the same point."""
        return RowFrame(self.matrix[chosen], self.centre)

    def few(self, chosen: NDArray[np.intp]) -> "FewRows":
        """Some rows in full."""
        part = self.matrix[chosen]
        if self.centre is None:
            return _by_inner_products(part)
        X = dense_block(part, 0, chosen.size) - self.centre
        if X.shape[1] <= X.shape[0]:
            return FewRows(_augmented(X))
        space = RowSpace.of(X)
        return FewRows(_augmented(space.coordinates), space.basis.T)

    def uncentred(self, plane: Array) -> tuple[Array, float]:
        """w and the intercept for rows as they are."""
        return plane[:-1], float(plane[-1] - self._along(plane[:-1]))

    def _along(self, w: Array) -> float:
        return 0.0 if self.centre is None else float(self.centre @ w)

    def _block(self, a: int, b: int) -> Array:
        block = dense_block(self.matrix, a, b)
        return block if self.centre is None else block - self.centre


@dataclass(frozen=True)
class FewRows:
    """(x, 1) of some rows, in coordinates by orthonormal directions: the columns, or the rows of turn·basis."""

    augmented: Array
    basis: Matrix = None
    turn: Array | None = None

    def plane(self, own: Array) -> Array:
        """A plane of these coordinates in those of the frame."""
        w = own[:-1] if self.turn is None else own[:-1] @ self.turn
        return np.append(w if self.basis is None else self.basis.T @ w, own[-1])

    def own(self, plane: Array) -> Array:
        """A plane of the frame, or as much of it as these rows see, in these coordinates."""
        w = plane[:-1] if self.basis is None else self.basis @ plane[:-1]
        return np.append(w if self.turn is None else self.turn @ w, plane[-1])


def _by_inner_products(X: Matrix) -> FewRows:
    """Rows by the eigenvectors of X X′ = V λ V′: coordinates V√λ along the directions λ^(−½)V′X."""
    squares, vectors = np.linalg.eigh((X @ X.T).toarray())
    kept = squares > _RANK * max(float(squares[-1]), 1e-300)
    roots, vectors = np.sqrt(squares[kept]), vectors[:, kept]
    return FewRows(_augmented(vectors * roots), X, (vectors / roots).T)


def _augmented(X: Array) -> Array:
    return np.column_stack([X, np.ones(X.shape[0])])
