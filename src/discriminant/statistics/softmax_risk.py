"""The multinomial criterion of K planes at once.

    F(W) = ½α Σ_k ‖w_k‖² − Σ ω log p_y(x),   p_k(x) = exp(s_k) / Σ_j exp(s_j),   s_k = w_k·x + b_k + o_k

Adding the same plane to all K changes no probability. Weights that sum to zero over the classes stay so under every
step, and the Hessian is made regular across that direction, which then has no effect.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from discriminant.cached import cached_property
from discriminant.rows import ArrayRows
from discriminant.statistics.penalised_risk import Array, PenalisedRisk, RiskAndGradient
from discriminant.statistics.scaling import ColumnScaling, ScaledRows
from discriminant.statistics.softmax_curvature import SoftmaxCurvature, add_class_sums, class_scores

_MANY_NUMBERS = 1 << 17  # below, nothing is worth another form of the rows
_MOSTLY_ZEROS = 0.3  # the share of other numbers up to which products of sparse rows take less time


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

    @cached_property
    def products_rows(self) -> ScaledRows:
        """The rows as products with thin matrices take them: dense rows that are mostly zeros as sparse ones."""
        rows, X = self.scaled_rows, self.rows.matrix
        if sparse.issparse(X) or rows.scaling.subtract or X.size < _MANY_NUMBERS:
            return rows
        if np.count_nonzero(X) > _MOSTLY_ZEROS * X.size:
            return rows
        return ScaledRows(sparse.csr_array(X, dtype=np.float64), rows.scaling)

    def _add_risk(self, v: Array) -> RiskAndGradient:
        def add(sums: Any, a: int, b: int, X: Any) -> None:
            value, pull = self._of_block(X, v, a, b)
            sums.value += value
            add_class_sums(sums.gradient.T, pull, X)

        return self.products_rows.fold_blocks(self._zero, add)

    def hessian(self, u: Array) -> Array:
        """∇²F, plus a term by the mean plane of all classes that makes it regular."""
        return self.curvature(u).matrix()

    def products(self, u: Array) -> Callable[[Array], Array]:
        """v ↦ ∇²F·v."""
        times = self.curvature(u).times
        return lambda v: self.by_planes(times(self.by_columns(v)))

    def diagonal(self, u: Array) -> Array:
        """The diagonal of ∇²F."""
        return self.by_planes(self.curvature(u).diagonal())

    def by_columns(self, v: Array) -> Array:
        """Weights plane after plane, as the curvature takes them: column after column."""
        return v.reshape(self.shape).T.ravel()

    def by_planes(self, v: Array) -> Array:
        """Weights class by class, turned back into planes."""
        return v.reshape(self.shape[::-1]).T.ravel()

    def curvature(self, u: Array) -> SoftmaxCurvature:
        """∇²F in all the forms that a method may ask for."""
        P = np.empty((self.shape[0], self.rows.n_rows))
        v = self.scaling.for_blocks(u.reshape(self.shape))

        def add(_: None, a: int, b: int, X: Any) -> None:
            S = self._shifted_scores(X, v, a, b)
            np.exp(S, out=S)
            np.divide(S, S.sum(axis=0), out=P[:, a:b])

        self.products_rows.fold_blocks(lambda: None, add)
        return SoftmaxCurvature(
            self.scaled_rows, self.products_rows, P, self.rows.codes, self.rows.weight, self.ridge[: self.shape[1]]
        )

    def _shifted_scores(self, X: Any, v: Array, a: int, b: int) -> Array:
        """s_k less the largest of them (K×n), of a block."""
        S = class_scores(X, np.ascontiguousarray(v[:, :-1].T), v[:, -1])
        if self.offset is not None:
            S += self.offset[a:b].T
        S -= S.max(axis=0)
        return S

    def _of_block(self, X: Any, v: Array, a: int, b: int) -> tuple[float, Array]:
        """−Σω log p_y and ω(p − e_y) (K×n) of a block."""
        S = self._shifted_scores(X, v, a, b)
        flat = S.reshape(-1)
        own = self.rows.codes[a:b].astype(np.intp) * (b - a) + np.arange(b - a)
        own_score = flat[own]
        np.exp(S, out=S)
        exp_own = flat[own]
        flat[own] = 0.0
        others = S.sum(axis=0)
        total = others + exp_own
        S /= total
        flat[own] = -others / total  # p − 1 without cancellation where p is nearly one
        value = np.log1p(others + (exp_own - 1.0)) - own_score
        if self.rows.weight is not None:
            value *= self.rows.weight[a:b]
            S *= self.rows.weight[a:b]
        return float(value.sum()), S
