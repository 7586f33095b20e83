"""The multinomial criterion of K planes at once.

    F(W) = ½α Σ_k ‖w_k‖² − Σ ω log p_y(x),   p_k(x) = exp(s_k) / Σ_j exp(s_j),   s_k = w_k·x + b_k + o_k

Adding the same plane to all K changes no probability. Weights that sum to zero over the classes stay so under every
step, and the Hessian is made regular across that direction, which then has no effect.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from discriminant.cached import cached_property
from discriminant.rows import ArrayRows
from discriminant.statistics.margin_risk import stratified
from discriminant.statistics.scaling import Frame, FramedRows

Array = NDArray[np.float64]


@dataclass
class _Sums:
    gradient: Array
    value: float = 0.0


@dataclass(frozen=True)
class SoftmaxRisk:
    """F as a function of the K×(d+1) weights (u_k, b_k), flattened, in the frame of its rows; ``penalty`` is α."""

    rows: ArrayRows
    penalty: float = 0.0
    offset: Array | None = None
    given_frame: Frame | None = None

    @cached_property
    def frame(self) -> Frame:
        """The coordinates of the weights."""
        return self.given_frame or Frame.of(self.rows, self.penalty)

    @cached_property
    def _framed(self) -> FramedRows:
        return FramedRows(self.rows, self.frame)

    @property
    def n_classes(self) -> int:
        """K."""
        return int(self.rows.classes.size)

    @property
    def shape(self) -> tuple[int, int]:
        """K×(d+1)."""
        return self.n_classes, self.rows.n_columns + 1

    @property
    def n_weights(self) -> int:
        """K(d + 1)."""
        return self.n_classes * (self.rows.n_columns + 1)

    @property
    def total_weight(self) -> float:
        """Σω."""
        return self.rows.total_weight

    @cached_property
    def ridge(self) -> Array:
        """α/s² for each weight; none for the intercepts."""
        one = np.append(self.penalty / self.frame.scale**2, 0.0) if self.penalty else np.zeros(self.shape[1])
        return np.tile(one, self.n_classes)

    def to_user(self, u: Array) -> Array:
        """K×(d+1) weights in the units of the columns, those that sum to zero over the classes."""
        planes = self.frame.to_user(u.reshape(self.shape))
        return np.asarray(planes - planes.mean(axis=0))

    def from_user(self, v: Array) -> Array:
        """Weights of the frame, flattened."""
        return self.frame.from_user(v).ravel()

    # --- sums -------------------------------------------------------------------------------------------

    def value_and_gradient(self, u: Array) -> tuple[float, Array]:
        """F and ∇F."""
        V = self.frame.for_blocks(u.reshape(self.shape))

        def add(sums: _Sums, a: int, b: int, X: Array) -> None:
            value, pull = self._of_block(X, V, a, b)
            sums.value += value
            sums.gradient[:, :-1] += pull.T @ X
            sums.gradient[:, -1] += pull.sum(axis=0)

        with np.errstate(over="ignore", invalid="ignore"):  # whoever iterates sees what is not finite
            spans = self._framed.fold_blocks(lambda: _Sums(np.zeros(self.shape)), add)
            value = sum(s.value for s in spans) + 0.5 * float(self.ridge @ (u * u))
            gradient = self.frame.of_blocks(np.sum([s.gradient for s in spans], axis=0))
            return value, gradient.ravel() + self.ridge * u

    def hessian(self, u: Array) -> Array:
        """∇²F, plus a term by the mean plane of all classes that makes it regular."""
        P, (K, size) = self.probabilities(u), self.shape
        weight = self.rows.weight

        def add(total: Array, a: int, b: int, X: Array) -> None:
            Z = np.empty((b - a, size))
            np.subtract(X, self.frame.shift, out=Z[:, :-1])
            Z[:, :-1] /= self.frame.scale
            Z[:, -1] = 1.0
            p = P[a:b]
            omega = np.ones(b - a) if weight is None else weight[a:b]
            for k in range(K):
                for j in range(k + 1):
                    h = omega * p[:, k] * ((1.0 - p[:, k]) if j == k else -p[:, j])
                    total[k, j] += Z.T @ (Z * h[:, None])

        blocks = np.sum(self._framed.fold_dense(lambda: np.zeros((K, K, size, size)), add), axis=0)
        upper = np.triu_indices(K, 1)
        blocks[upper] = blocks.transpose(1, 0, 2, 3)[upper]
        blocks += blocks[np.arange(K), np.arange(K)].mean(axis=0) / K
        H = blocks.transpose(0, 2, 1, 3).reshape(K * size, K * size)
        return np.asarray(H + np.diag(self.ridge))

    def products(self, u: Array) -> Callable[[Array], Array]:
        """v ↦ ∇²F·v."""
        P = self.probabilities(u)
        weight = self.rows.weight

        def product(direction: Array) -> Array:
            V = self.frame.for_blocks(direction.reshape(self.shape))

            def add(total: Array, a: int, b: int, X: Array) -> None:
                p = P[a:b]
                along = p * (X @ V[:, :-1].T + V[:, -1])
                along -= p * along.sum(axis=1, keepdims=True)
                if weight is not None:
                    along *= weight[a:b, None]
                total[:, :-1] += along.T @ X
                total[:, -1] += along.sum(axis=0)

            total = np.sum(self._framed.fold_blocks(lambda: np.zeros(self.shape), add), axis=0)
            return np.asarray(self.frame.of_blocks(total).ravel() + self.ridge * direction)

        return product

    def diagonal(self, u: Array) -> Array:
        """The diagonal of ∇²F."""
        P = self.probabilities(u)
        weight = self.rows.weight

        def add(total: Array, a: int, b: int, X: Array) -> None:
            h = P[a:b] * (1.0 - P[a:b])
            if weight is not None:
                h *= weight[a:b, None]
            total[:, :-1] += h.T @ ((X - self.frame.shift) / self.frame.scale) ** 2
            total[:, -1] += h.sum(axis=0)

        total = np.sum(self._framed.fold_dense(lambda: np.zeros(self.shape), add), axis=0)
        return np.asarray(total.ravel() + self.ridge)

    def scores(self, u: Array) -> Array:
        """s_k of every row (n×K)."""
        V, scores = self.frame.for_blocks(u.reshape(self.shape)), np.empty((self.rows.n_rows, self.n_classes))

        def add(_: None, a: int, b: int, X: Array) -> None:
            scores[a:b] = X @ V[:, :-1].T + V[:, -1]

        self._framed.fold_blocks(lambda: None, add)
        return scores if self.offset is None else scores + self.offset

    def probabilities(self, u: Array) -> Array:
        """p_k of every row (n×K)."""
        scores = self.scores(u)
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
        return scores

    def _of_block(self, X: Array, V: Array, a: int, b: int) -> tuple[float, Array]:
        """−Σω log p_y and ω(p − e_y) of a block."""
        S = X @ V[:, :-1].T + V[:, -1]
        if self.offset is not None:
            S += self.offset[a:b]
        S -= S.max(axis=1, keepdims=True)
        own = np.arange(b - a), self.rows.codes[a:b]
        value = -S[own]
        np.exp(S, out=S)
        total = S.sum(axis=1)
        value += np.log(total)
        S /= total[:, None]
        S[own] -= 1.0
        if self.rows.weight is not None:
            value *= self.rows.weight[a:b]
            S *= self.rows.weight[a:b, None]
        return float(value.sum()), S

    def of_sample(self, n_rows: int) -> "SoftmaxRisk":
        """The same criterion estimated from some rows of each class, in the same frame."""
        chosen, factor = stratified(self.rows.codes, self.n_classes, n_rows)
        weight = factor if self.rows.weight is None else factor * self.rows.weight[chosen]
        few = ArrayRows(self.rows.matrix[chosen], self.rows.classes, self.rows.codes[chosen], weight)
        offset = None if self.offset is None else self.offset[chosen]
        return replace(self, rows=few, offset=offset, given_frame=self.frame)
