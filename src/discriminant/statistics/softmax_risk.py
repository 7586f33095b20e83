"""The multinomial criterion of K planes at once.

    F(W) = ½α Σ_k ‖w_k‖² − Σ ω log p_y(x),   p_k(x) = exp(s_k) / Σ_j exp(s_j),   s_k = w_k·x + b_k + o_k

Adding the same plane to all K changes no probability. Weights that sum to zero over the classes stay so under every
step, and the Hessian is made regular across that direction, which then has no effect.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from discriminant.rows import ArrayRows
from discriminant.statistics.penalised_risk import Array, PenalisedRisk, RiskAndGradient
from discriminant.statistics.scaling import ColumnScaling


@dataclass(frozen=True)
class SoftmaxRisk(PenalisedRisk):
    """F as a function of the K×(d+1) weights (u_k, b_k), flattened; ``penalty`` is α."""

    rows: ArrayRows
    penalty: float = 0.0
    offset: Array | None = None
    given_scaling: ColumnScaling | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """K×(d+1)."""
        return int(self.rows.classes.size), self.rows.n_columns + 1

    def to_user(self, u: Array) -> Array:
        """K×(d+1) weights in the units of the columns, those that sum to zero over the classes."""
        planes = super().to_user(u)
        return np.asarray(planes - planes.mean(axis=0))

    def _add_risk(self, v: Array) -> RiskAndGradient:
        def add(sums: Any, a: int, b: int, X: Any) -> None:
            value, pull = self._of_block(X, v, a, b)
            sums.value += value
            sums.gradient[:, :-1] += pull.T @ X
            sums.gradient[:, -1] += pull.sum(axis=0)

        return self.scaled_rows.fold_blocks(self._zero, add)

    def hessian(self, u: Array) -> Array:
        """∇²F, plus a term by the mean plane of all classes that makes it regular."""
        P, (K, size) = self.probabilities(u), self.shape
        blocks = np.zeros((K, K, size, size))
        for k in range(1, K):
            between = self.scaled_rows.squares((self.rows.weights * P[:, k])[:, None] * P[:, :k])
            blocks[k, :k] = blocks[:k, k] = -between
            blocks[k, k] += between.sum(axis=0)  # ω p_k (1 − p_k) = Σ_j ω p_k p_j
            blocks[np.arange(k), np.arange(k)] += between
        blocks += blocks[np.arange(K), np.arange(K)].mean(axis=0) / K
        H = blocks.transpose(0, 2, 1, 3).reshape(K * size, K * size)
        return np.asarray(H + np.diag(self.ridge))

    def products(self, u: Array) -> Callable[[Array], Array]:
        """v ↦ ∇²F·v."""
        P = self.probabilities(u)
        weight = self.rows.weight

        def product(direction: Array) -> Array:
            V = self.scaling.for_blocks(direction.reshape(self.shape))

            def add(total: Array, a: int, b: int, X: Array) -> None:
                p = P[a:b]
                along = p * (X @ V[:, :-1].T + V[:, -1])
                along -= p * along.sum(axis=1, keepdims=True)
                if weight is not None:
                    along *= weight[a:b, None]
                total[:, :-1] += along.T @ X
                total[:, -1] += along.sum(axis=0)

            total = np.sum(self.scaled_rows.fold_blocks(lambda: np.zeros(self.shape), add), axis=0)
            return np.asarray(self.scaling.of_blocks(total).ravel() + self.ridge * direction)

        return product

    def diagonal(self, u: Array) -> Array:
        """The diagonal of ∇²F."""
        P = self.probabilities(u)
        h = P * (1.0 - P)
        if self.rows.weight is not None:
            h *= self.rows.weight[:, None]
        return self.scaled_rows.diagonal(h).ravel() + self.ridge

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
