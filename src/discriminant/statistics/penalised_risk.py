"""What criteria of planes have in common: sums over rows of scaled coordinates, and a penalty on the weights.

    F(u) = ½ Σ ρ u² + Σ ω L(u; z),     ρ = α/s² by each weight, none by an intercept

u are the weights of one plane, or of K planes one after another, in the coordinates z = (x − μ)/s of a `ColumnScaling`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from discriminant.cached import cached_property
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import take_rows
from discriminant.statistics.scaling import ColumnScaling, ScaledRows

Array = NDArray[np.float64]


@dataclass
class _Sums:
    gradient: Array
    value: float = 0.0


RiskAndGradient = Sequence[_Sums]


class PenalisedRisk:
    """A criterion; a frozen dataclass that extends it has these fields, and says how its sums are made."""

    rows: ArrayRows
    penalty: float
    offset: Array | None
    given_scaling: ColumnScaling | None

    has_intercept: ClassVar[bool] = True
    several_lengths: ClassVar[bool] = False  # whether steps of t, t/2, t/4, … are looked at in one pass

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the weights: (d+1), or K×(d+1)."""
        raise NotImplementedError

    def _add_risk(self, v: Array) -> RiskAndGradient:
        """Σωℓ and its gradient by v, the weights of blocks of rows, span by span."""
        raise NotImplementedError

    def hessian(self, u: Array) -> Array:
        """∇²F."""
        raise NotImplementedError

    def products(self, u: Array) -> Callable[[Array], Array]:
        """v ↦ ∇²F·v."""
        raise NotImplementedError

    def diagonal(self, u: Array) -> Array:
        """The diagonal of ∇²F, without the rest of it."""
        raise NotImplementedError

    def _of_rows(self, chosen: NDArray[np.intp]) -> dict[str, Any]:
        """Fields of its own that go with some of the rows."""
        return {}

    @cached_property
    def scaling(self) -> ColumnScaling:
        """The coordinates of the weights."""
        return self.given_scaling or ColumnScaling.of(self.rows, self.penalty)

    @cached_property
    def scaled_rows(self) -> ScaledRows:
        """The rows in them."""
        return ScaledRows(self.rows.matrix, self.scaling)

    @property
    def n_weights(self) -> int:
        """The number of unknowns."""
        return int(np.prod(self.shape))

    @property
    def total_weight(self) -> float:
        """Σω."""
        return self.rows.total_weight

    @property
    def classes(self) -> NDArray[Any]:
        """The classes of all rows."""
        return self.rows.classes

    @property
    def n_rows(self) -> int:
        """The number of rows that count."""
        return self.rows.n_rows

    @cached_property
    def ridge(self) -> Array:
        """ρ of all weights."""
        one = np.append(self.penalty / self.scaling.scale**2, 0.0) if self.penalty else np.zeros(self.shape[-1])
        return np.tile(one, self.n_weights // self.shape[-1])

    def to_user(self, u: Array) -> Array:
        """Weights in the units of the columns."""
        return self.scaling.to_user(u.reshape(self.shape))

    def from_user(self, v: Array) -> Array:
        """Weights of the scaled coordinates, flattened."""
        return self.scaling.from_user(v).ravel()

    def value_and_gradient(self, u: Array) -> tuple[float, Array]:
        """F and ∇F."""
        with np.errstate(over="ignore", invalid="ignore"):  # whoever iterates sees what is not finite
            return self._penalised(self._add_risk(self.scaling.for_blocks(u.reshape(self.shape))), u)

    def _penalised(self, spans: RiskAndGradient, u: Array) -> tuple[float, Array]:
        """F and ∇F from the sums of spans."""
        value = sum(s.value for s in spans) + 0.5 * float(self.ridge @ (u * u))
        gradient = self.scaling.of_blocks(np.sum([s.gradient for s in spans], axis=0))
        return value, gradient.ravel() + self.ridge * u

    def value_gradient_and_hessian(self, u: Array) -> tuple[float, Array, Array]:
        """F, ∇F and ∇²F."""
        return *self.value_and_gradient(u), self.hessian(u)

    def along(self, u: Array, step: Array, size: float) -> Callable[[float], tuple[float, Array]]:
        """F and ∇F at u + t·step, for a step that changes the score of a typical row by ``size``."""
        return lambda t: self.value_and_gradient(u + t * step)

    def scores(self, u: Array) -> Array:
        """w·x + b + o of every row, for each plane."""
        scores = self.scaled_rows.scores(u.reshape(self.shape))
        return scores if self.offset is None else scores + self.offset

    def of_sample(self, n_rows: int) -> Self:
        """The same criterion estimated from some rows of each class, in the same coordinates."""
        rows = self.rows
        chosen, factor = draw_stratified(rows.codes, rows.classes.size, n_rows)
        weight = factor * rows.weights_at(chosen)
        few = ArrayRows(take_rows(rows.matrix, chosen), rows.classes, rows.codes[chosen], weight)
        offset = None if self.offset is None else self.offset[chosen]
        parts = {"rows": few, "offset": offset, "given_scaling": self.scaling, **self._of_rows(chosen)}
        return replace(self, **parts)  # type: ignore[type-var]

    def _zero(self) -> _Sums:
        return _Sums(np.zeros(self.shape))


def draw_stratified(codes: NDArray[np.int32], n_classes: int, n_rows: int) -> tuple[NDArray[np.intp], Array]:
    """About so many rows, spread over the table, a rare class with up to its equal share; and how many each stands for.

    >>> chosen, factor = draw_stratified(np.array([0, 1, 0, 0, 0, 0, 0, 0]), 2, 4)
    >>> chosen.tolist(), factor.tolist()
    ([0, 1, 4, 7], [2.3333333333333335, 1.0, 2.3333333333333335, 2.3333333333333335])
    """
    counts = np.bincount(codes, minlength=n_classes)
    share = np.minimum(counts, np.maximum(n_rows * counts // codes.size, n_rows // (2 * n_classes)))
    chosen, factors = [], []
    for k in np.flatnonzero(counts):
        places = np.flatnonzero(codes == k)
        taken = places[np.linspace(0, counts[k] - 1, max(int(share[k]), 1)).astype(np.intp)]
        chosen.append(taken)
        factors.append(np.full(taken.size, counts[k] / taken.size))
    rows, factor = np.concatenate(chosen), np.concatenate(factors)
    order = np.argsort(rows)
    return rows[order], factor[order]
