"""The curvature of the multinomial criterion at a point: products with it, all of it, and what is near it.

    ∇²F = Σ ω A ⊗ zz′ + ρ,     A = diag(p) − pp′ of each row, K×K,     z = (scaled columns, 1)

Everything is class by class (K×n): sums over the classes then run along the rows, which is what processors do fast.
The plane common to all classes changes no probability: A·1 = 0. Weights, gradients and steps sum to zero over the
classes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg.blas import dsyrk

from discriminant.cached import cached_property
from discriminant.rows.matrix import Matrix
from discriminant.statistics.scaling import ScaledRows

Array = NDArray[np.float64]

_NEARLY_CERTAIN = 1e-6


@dataclass(frozen=True)
class SoftmaxCurvature:
    """∇²F where the rows have probabilities ``P`` (K×n); ``weight`` is ω, or None for ones, ``ridge`` ρ of one plane.

    ``codes`` are the classes of the rows. Near a separation their probabilities are all but one, and 1 − p must be had
    from those of the others.
    """

    rows: ScaledRows
    products_rows: ScaledRows  # the same, in the form in which products take the least time
    P: Array
    codes: NDArray[np.integer]
    weight: Array | None
    ridge: Array

    @property
    def shape(self) -> tuple[int, int]:
        """K×(d+1)."""
        return len(self.P), self.ridge.size

    def times(self, direction: Array) -> Array:
        """∇²F·v for v column by column ((d+1)×K, flattened), which is how sparse rows are multiplied fastest."""
        V, scaling = direction.reshape(self.shape[::-1]), self.rows.scaling
        w = V[:-1] * self._inverse_scale
        intercepts = V[-1] - scaling.shift @ w if self._is_shifted else V[-1]

        def add(total: Array, a: int, b: int, X: Matrix) -> None:
            along, p = class_scores(X, w, intercepts), self.P[:, a:b]
            if self._nearly_certain:
                along -= along[self.codes[a:b], np.arange(b - a)]
            along -= (p * along).sum(axis=0)
            along *= p
            if self.weight is not None:
                along *= self.weight[a:b]
            add_class_sums(total, along, X)

        total, *others = self.products_rows.fold_blocks(self._zero, add)
        for other in others:
            total += other
        if self._is_shifted:
            total[:-1] -= scaling.shift[:, None] * total[-1]
        total[:-1] *= self._inverse_scale
        total += self.ridge[:, None] * V
        return total.ravel()

    def _zero(self) -> Array:
        """Sums by column and class, in the order in which products with the rows come."""
        K, size = self.shape
        return np.zeros((size, K)) if sparse.issparse(self.products_rows.matrix) else np.zeros((K, size)).T

    @cached_property
    def _inverse_scale(self) -> Array:
        return np.asarray(1.0 / self.rows.scaling.scale[:, None])

    @cached_property
    def _is_shifted(self) -> bool:
        return bool(self.rows.scaling.shift.any())

    @cached_property
    def _nearly_certain(self) -> bool:
        """Whether 1 − p of the own classes is so small that its digits would be lost."""
        return bool(self._misses().mean() < _NEARLY_CERTAIN)

    def _misses(self) -> Array:
        """1 − p of the own class of each row, from the probabilities of the others."""
        others = self.P.copy()
        others[self.codes, np.arange(self.codes.size)] = 0.0
        return np.asarray(others.sum(axis=0))

    def diagonal(self) -> Array:
        """The diagonal of ∇²F, column by column."""
        h = self._variances()
        return np.asarray((self.rows.diagonal(h.T) + self.ridge).T.ravel())

    def over_classes(self) -> Array:
        """Σ ωA of all rows (K×K)."""
        C = -self._weighed(self.P) @ self.P.T
        np.fill_diagonal(C, 0.0)
        np.fill_diagonal(C, -C.sum(axis=1))
        return np.asarray(C)

    def over_columns(self) -> Array:
        """Σ h zz′/Σh with h = ω tr A."""
        h = self._variances().sum(axis=0)
        total = float(h.sum())
        return np.asarray(self.rows.squares(h) / (total if total > 0 else 1.0))

    def reduced(self) -> Array:
        """The matrix of the first K − 1 planes, of which a step that sums to zero over the classes can be had.

        With δ of the last class zero, the others solve (∇²F − 11′/K ⊗ ρ)δ = −g; then their mean is taken from all.
        """
        K, size = self.shape
        H = self._blocks()[:-1, :, :-1]
        H[:, np.arange(size), :, np.arange(size)] += self.ridge[:, None, None] * (np.eye(K - 1) - 1.0 / K)
        return H.reshape((K - 1) * size, (K - 1) * size)

    def matrix(self) -> Array:
        """∇²F, plus a term by the mean plane of all classes that makes it regular."""
        K, size = self.shape
        H = self._blocks()
        H += H[np.arange(K), :, np.arange(K)].mean(axis=0)[:, None, :] / K
        H = H.reshape(K * size, K * size)
        H[np.diag_indices_from(H)] += np.tile(self.ridge, K)
        return H

    def _blocks(self) -> Array:
        """Σ ωA ⊗ zz′ as K×(d+1)×K×(d+1): −ω p_k p_j off the diagonal, and on it ω p_k(1 − p_k) = Σ_j≠k ω p_k p_j."""
        K, _ = self.shape
        H = self._pairs_of_entries() if self.rows.has_few_entries else self._products_of_classes()
        every = np.arange(K)
        H[every, :, every] = 0.0
        H[every, :, every] = -H.sum(axis=2)
        return H

    def _products_of_classes(self) -> Array:
        """−Σ ω pp′ ⊗ zz′: of the rows √ω p ⊗ z in one product."""
        K, size = self.shape
        P = self.P if self.weight is None else self.P * np.sqrt(self.weight)

        def add(total: Array, a: int, b: int, X: Array) -> None:
            Z = P[:, a:b].T[:, :, None] * self.rows.augmented(X)[:, None, :]
            # adds to the upper triangle in Fortran's order, which is the lower one in ours
            dsyrk(-1.0, Z.reshape(b - a, K * size).T, 1.0, total.T, overwrite_c=1)

        lower = np.sum(self.rows.fold_dense(lambda: np.zeros((K * size, K * size)), add), axis=0)
        lower += np.tril(lower, -1).T
        return np.asarray(lower.reshape(K, size, K, size))

    def _pairs_of_entries(self) -> Array:
        """The products pair by pair, from the entries of sparse rows."""
        K, size = self.shape
        H = np.zeros((K, size, K, size))
        for k in range(1, K):
            between = self.rows.squares(self._weighed(self.P[:k] * self.P[k]).T)
            for j in range(k):
                H[k, :, j] = H[j, :, k] = -between[j]
        return H

    def _variances(self) -> Array:
        """ω p_k(1 − p_k) of all rows (K×n)."""
        own = self.codes, np.arange(self.codes.size)
        h = self.P * (1.0 - self.P)
        h[own] = self.P[own] * self._misses()
        return self._weighed(h)

    def _weighed(self, h: Array) -> Array:
        return h if self.weight is None else h * self.weight


def class_scores(X: Matrix, w: Array, b: Array) -> Array:
    """w_k·x + b_k of a block (K×n) for weights w (d×K) and intercepts b (K)."""
    S = np.ascontiguousarray((X @ w).T) if sparse.issparse(X) else w.T @ X.T
    S += b[:, None]
    return S


def add_class_sums(total: Array, pull: Array, X: Matrix) -> None:
    """total += Σ pull_k (x, 1) for each class k: (d+1)×K; ``pull`` is K×n."""
    if sparse.issparse(X):
        total[:-1] += X.T @ np.ascontiguousarray(pull.T)
    else:
        total[:-1] += (pull @ X).T
    total[-1] += pull.sum(axis=1)
