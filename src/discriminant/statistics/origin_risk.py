"""A criterion of planes through the origin: the same criterion, with every intercept held at zero.

F₀(u) = F(u, 0),     in coordinates z = x/s that leave the origin where it is
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.cached import cached_property
from discriminant.statistics.penalised_risk import Array, PenalisedRisk
from discriminant.statistics.scaling import ColumnScaling


@dataclass(frozen=True)
class OriginRisk(PenalisedRisk):
    """F₀ of the weights alone (d, or K×d flattened), from a criterion that has intercepts too."""

    whole: Any  # a criterion whose coordinates are about zero

    has_intercept = False

    @classmethod
    def of(cls, risk: Any) -> "OriginRisk":
        """The criterion without its intercepts."""
        return cls(replace(risk, given_scaling=ColumnScaling.about_zero(risk.rows, risk.penalty)))

    @property
    def rows(self) -> Any:  # type: ignore[override]
        """The rows of the criterion."""
        return self.whole.rows

    @property
    def penalty(self) -> float:  # type: ignore[override]
        """α, the strength of the penalty."""
        return float(self.whole.penalty)

    @property
    def offset(self) -> Any:  # type: ignore[override]
        """Added to the scores as they are."""
        return self.whole.offset

    @property
    def shape(self) -> tuple[int, ...]:
        """d, or K×d."""
        return (*self.whole.shape[:-1], self.whole.shape[-1] - 1)

    @property
    def scaling(self) -> ColumnScaling:
        """The coordinates of the weights."""
        return self.whole.scaling  # type: ignore[no-any-return]

    @cached_property
    def _free(self) -> NDArray[np.bool_]:
        """Which of the weights of the whole criterion these are."""
        free = np.ones(self.whole.shape, dtype=bool)
        free[..., -1] = False
        return free.ravel()

    def _embedded(self, u: Array) -> Array:
        """All weights, with intercepts of zero."""
        whole = np.zeros(self._free.size)
        whole[self._free] = u.ravel()
        return whole

    @cached_property
    def ridge(self) -> Array:
        """ρ of all weights."""
        return np.asarray(self.whole.ridge[self._free])

    def to_user(self, u: Array) -> Array:
        """Planes in the units of the columns, with the intercepts there are not."""
        return np.asarray(self.whole.to_user(self._embedded(u)))

    def from_user(self, v: Array) -> Array:
        """Weights of the scaled coordinates, flattened."""
        return np.asarray(self.whole.from_user(v)[self._free])

    def value_and_gradient(self, u: Array) -> tuple[float, Array]:
        """F₀ and its gradient."""
        value, gradient = self.whole.value_and_gradient(self._embedded(u))
        return value, gradient[self._free]

    def hessian(self, u: Array) -> Array:
        """∇²F₀."""
        return np.asarray(self.whole.hessian(self._embedded(u))[np.ix_(self._free, self._free)])

    def value_gradient_and_hessian(self, u: Array) -> tuple[float, Array, Array]:
        """F₀, its gradient and its Hessian."""
        value, gradient, hessian = self.whole.value_gradient_and_hessian(self._embedded(u))
        return value, gradient[self._free], hessian[np.ix_(self._free, self._free)]

    def products(self, u: Array) -> Callable[[Array], Array]:
        """v ↦ ∇²F₀·v."""
        product = self.whole.products(self._embedded(u))
        return lambda direction: np.asarray(product(self._embedded(direction))[self._free])

    def diagonal(self, u: Array) -> Array:
        """The diagonal of ∇²F₀."""
        return np.asarray(self.whole.diagonal(self._embedded(u))[self._free])

    def scores(self, u: Array) -> Array:
        """w·x + o of every row, for each plane."""
        return np.asarray(self.whole.scores(self._embedded(u)))

    def of_sample(self, n_rows: int) -> "OriginRisk":
        """The same criterion estimated from some rows, in the same coordinates."""
        return OriginRisk(self.whole.of_sample(n_rows))
