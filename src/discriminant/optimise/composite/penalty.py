"""The penalty of each weight by itself.

    g(w) = λ₁|w| + ½λ₂w²   where low ≤ w ≤ high, infinite elsewhere          low ≤ high

Its conjugate g*(z) = sup_w zw − g(w) is what the dual criterion is made of, and its subgradients say what is optimal:
with z = −∂(fit)/∂w, the weight w is optimal where z lies between ``least_slope`` and ``greatest_slope`` of w.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from discriminant.cached import cached_property

Array = NDArray[np.float64]

# A column without penalty or bounds has no finite conjugate; its weight is taken to lie within so many units, in which
# columns have unit deviations and a score of one is much. Only there is the gap a bound.
_REACH = 1e3
_MANY = 4096  # columns
_BELOW_ONE = 1.0 - 1e-15  # so that rounding does not carry a product beyond λ₁


@dataclass(frozen=True)
class WeightPenalty:
    """λ₁ and λ₂ of each column (d), the same for all planes; low and high of each column (d) or weight (K×d)."""

    l1: Array
    l2: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, n_columns: int, l1: float, l2: float, bounds: tuple[Array, Array] | None = None) -> "WeightPenalty":
        """One λ₁ and λ₂ for all columns."""
        low, high = bounds or (np.full(n_columns, -np.inf), np.full(n_columns, np.inf))
        return cls(np.full(n_columns, float(l1)), np.full(n_columns, float(l2)), low, high)

    def scaled(self, scale: Array) -> "WeightPenalty":
        """The same penalty as a function of v = w·scale."""
        return WeightPenalty(self.l1 / scale, self.l2 / scale**2, self.low * scale, self.high * scale)

    def unscaled_weights(self, v: Array, scale: Array) -> Array:
        """The weights w = v/scale, exactly at a bound where v is at its own."""
        scaled = self.scaled(scale)
        w = np.where(v <= scaled.low, self.low, np.where(v >= scaled.high, self.high, v / scale))
        return self.nearest(w)

    def take(self, columns: NDArray[np.intp]) -> "WeightPenalty":
        """The penalty of some of the columns."""
        return WeightPenalty(self.l1[columns], self.l2[columns], self.low[..., columns], self.high[..., columns])

    def of_plane(self, k: int) -> Self:
        """The penalty of one plane among several."""
        return self if self.low.ndim == 1 else replace(self, low=self.low[k], high=self.high[k])

    def of_all_planes(self, K: int) -> "WeightPenalty":
        """The penalty of the weights of K planes one after the other, as if they were of one."""
        low, high = (np.broadcast_to(ends, (K, self.l1.size)).ravel() for ends in (self.low, self.high))
        return WeightPenalty(np.tile(self.l1, K), np.tile(self.l2, K), low, high)

    def whole(self, columns: NDArray[np.intp]) -> NDArray[np.intp]:
        """The columns, with those that can only be worked on together with them."""
        return columns

    def shared_scale(self, scale: Array) -> Array:
        """Units of the columns in which the penalty keeps its form, as near to these as may be."""
        return scale

    def value(self, w: Array) -> float:
        """Σ g(w) of weights within their bounds."""
        l1, l2 = self.l1, self.l2
        if w.shape[-1] > _MANY:  # most of which are zero
            used = np.flatnonzero(w.any(axis=0) if w.ndim == 2 else w)
            w, l1, l2 = w[..., used], l1[used], l2[used]
        return float((l1 * np.abs(w) + 0.5 * l2 * w**2).sum())

    def nearest(self, w: Array) -> Array:
        """The weights, brought within their bounds."""
        return np.asarray(np.clip(w, self.low, self.high))

    def conjugate(self, z: Array) -> float:
        """Σ g*(z); infinite where some z is beyond what the penalty can balance."""
        told = np.flatnonzero((np.abs(z) > self.l1).any(axis=0) | self._excludes_zero)
        if not told.size:
            return 0.0  # every weight is best at zero
        z, l1, l2 = z[:, told], self.l1[told], self.l2[told]
        low, high = (ends[..., told] for ends in self._reachable)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            beyond = np.sign(z) * np.maximum(np.abs(z) - l1, 0.0)
            best = np.clip(np.where(beyond == 0.0, 0.0, beyond / l2), low, high)
            values = np.where(best == 0.0, 0.0, z * best - l1 * np.abs(best) - 0.5 * l2 * best**2)
            values = np.where(np.isinf(best), np.inf, values)
        return float(values.sum())

    def greatest_factor(self, z: Array) -> float:
        """The largest t ≤ 1 for which g*(tz) has no more than its bounded part: |tz| ≤ λ₁ where w could grow."""
        told = np.flatnonzero((np.abs(z) > self.l1).any(axis=0) & (self.l1 > 0))
        z, l1 = z[:, told], self.l1[told]
        low, high = (ends[..., told] for ends in self._reachable)
        grows = np.where(z > 0, np.isinf(high), np.isinf(low)) & (np.abs(z) > l1)
        if not grows.any():
            return 1.0
        return float((np.broadcast_to(l1, z.shape)[grows] / np.abs(z[grows])).min()) * _BELOW_ONE

    @cached_property
    def _excludes_zero(self) -> NDArray[np.bool_]:
        return np.asarray(np.atleast_2d((self.low > 0) | (self.high < 0)).any(axis=0))

    @cached_property
    def _reachable(self) -> tuple[Array, Array]:
        free = (self.l1 == 0) & (self.l2 == 0)
        low = np.where(free & np.isinf(self.low), np.minimum(-_REACH, self.high), self.low)
        return low, np.where(free & np.isinf(self.high), np.maximum(_REACH, self.low), self.high)

    # --- which weights could matter ---------------------------------------------------------------------

    @property
    def leaves_out(self) -> bool:
        """Whether a penalty large enough leaves no column a weight."""
        return bool((self.l1 > 0).all())

    def least_strength(self, z: Array) -> float:
        """The least factor of the penalty at which slopes z at zero move no weight."""
        allowed = np.where(z > 0, self.high > 0, self.low < 0)
        return float((np.abs(z) / self.l1)[allowed].max(initial=0.0))

    def is_near(self, z: Array, share: float) -> NDArray[np.bool_]:
        """Columns (d) whose slopes z (K×d) are at least this share of what a weight of zero can balance."""
        return np.asarray(np.abs(z).max(axis=0) >= share * self.l1)

    def room(self, w: Array, z: Array) -> Array:
        """How much the slopes z could still grow before the weights w move (K×d); infinite where bounds hold them."""
        least, greatest = self.slopes(w)
        up = np.where(w < self.high, greatest - z, np.inf)
        return np.asarray(np.minimum(up, np.where(w > self.low, z - least, np.inf)))

    def keeps_zero(self, z: Array, reach: Array) -> NDArray[np.bool_]:
        """Weights that are best at zero wherever the slopes are, within this reach of z."""
        up = (z + reach < self.l1) | (self.high <= 0)
        down = (-z + reach < self.l1) | (self.low >= 0)
        return np.asarray(up & down & (self.low <= 0) & (self.high >= 0))

    # --- what is optimal --------------------------------------------------------------------------------

    def slopes(self, w: Array) -> tuple[Array, Array]:
        """The least and the greatest slope of λ₁|w| + ½λ₂w², which differ at zero."""
        bend = self.l2 * w
        return bend + np.where(w > 0, self.l1, -self.l1), bend + np.where(w < 0, -self.l1, self.l1)

    def violations(self, w: Array, z: Array) -> Array:
        """How far z = −∂(fit)/∂w lies from the slopes of g at w, bounds included: zero where w is optimal."""
        least, greatest = self.slopes(w)
        above = np.where(w >= self.high, 0.0, z - greatest)
        below = np.where(w <= self.low, 0.0, least - z)
        return np.asarray(np.maximum(np.maximum(above, below), 0.0))

    def multipliers(self, w: Array, z: Array) -> Array:
        """What each bound that is met costs: the fall of the criterion for a unit that the bound gives way.

        Positive at ``high``, negative at ``low``, zero between.
        """
        least, greatest = self.slopes(w)
        at_high = np.where(w >= self.high, np.maximum(z - greatest, 0.0), 0.0)
        at_low = np.where(w <= self.low, np.minimum(z - least, 0.0), 0.0)
        return np.asarray(at_high + at_low)
