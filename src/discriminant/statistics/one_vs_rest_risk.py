"""The criteria of K planes, each between one class and all others, as one criterion.

    F(U) = Σ_k F_k(u_k)

No plane knows of another, so that the Hessian has a block for each; together they share the passes over the rows.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import block_diag

from discriminant.cached import cached_property
from discriminant.losses import Loss
from discriminant.rows import ArrayRows
from discriminant.statistics.margin_risk import MarginRisk
from discriminant.statistics.penalised_risk import Array, PenalisedRisk
from discriminant.statistics.scaling import ColumnScaling


@dataclass(frozen=True)
class OneVsRestRisk(PenalisedRisk):
    """F as a function of the K×(d+1) weights (u_k, b_k), flattened; ``penalty`` is α."""

    rows: ArrayRows
    loss: Loss
    penalty: float = 0.0
    offset: None = None
    given_scaling: ColumnScaling | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """K×(d+1)."""
        return int(self.rows.classes.size), self.rows.n_columns + 1

    @cached_property
    def planes(self) -> list[MarginRisk]:
        """F_k of each class."""
        rows, K = self.rows, self.rows.classes.size
        return [MarginRisk(rows, rows.signs(k), self.loss, self.penalty, None, self.scaling) for k in range(K)]

    def value_and_gradient(self, u: Array) -> tuple[float, Array]:
        """F and ∇F."""
        found = [risk.value_and_gradient(u_k) for risk, u_k in self._each(u)]
        return sum(value for value, _ in found), np.concatenate([gradient for _, gradient in found])

    def hessian(self, u: Array) -> Array:
        """∇²F."""
        return np.asarray(block_diag(*[risk.hessian(u_k) for risk, u_k in self._each(u)]))

    def value_gradient_and_hessian(self, u: Array) -> tuple[float, Array, Array]:
        """F, ∇F and ∇²F."""
        values, gradients, hessians = zip(*(r.value_gradient_and_hessian(u_k) for r, u_k in self._each(u)), strict=True)
        return sum(values), np.concatenate(gradients), np.asarray(block_diag(*hessians))

    def products(self, u: Array) -> Callable[[Array], Array]:
        """v ↦ ∇²F·v."""
        each = [risk.products(u_k) for risk, u_k in self._each(u)]

        def product(direction: Array) -> Array:
            parts = direction.reshape(self.shape)
            return np.concatenate([of_plane(v) for of_plane, v in zip(each, parts, strict=True)])

        return product

    def diagonal(self, u: Array) -> Array:
        """The diagonal of ∇²F, without the rest of it."""
        return np.concatenate([risk.diagonal(u_k) for risk, u_k in self._each(u)])

    def _each(self, u: Array) -> list[tuple[MarginRisk, Array]]:
        return list(zip(self.planes, u.reshape(self.shape), strict=True))
