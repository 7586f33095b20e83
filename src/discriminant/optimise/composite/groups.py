"""A penalty of columns together: all weights of a group are zero, or none need be.

    g(w) = Σ_G λ_G‖w_G‖ + ½λ₂‖w‖²,  and λ₁|w| + ½λ₂w² within bounds of each column that is in no group

The indicators of one category are such a group: the category is left out or kept as a whole. Each plane has its own
norms, as it has its own absolute values. The conjugate of a group is (‖z_G‖ − λ_G)₊²/2λ₂, which without λ₂ is infinite
beyond λ_G.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.cached import cached_property
from discriminant.optimise.composite.penalty import WeightPenalty

Array = NDArray[np.float64]

_BELOW_ONE = 1.0 - 1e-14  # so that rounding of a norm does not carry it beyond λ_G


@dataclass(frozen=True)
class GroupedPenalty(WeightPenalty):
    """``label`` has the group of each column, −1 of those in none, and ``strength`` λ_G of each group.

    Columns of groups have no λ₁ and no bounds, and those of one group the same λ₂.
    """

    label: NDArray[np.intp]
    strength: Array

    @classmethod
    def together(cls, alone: WeightPenalty, groups: list[NDArray[np.intp]], l1: float) -> "GroupedPenalty":
        """Columns that are penalised alone so far, with λ_G = λ₁√(size of the group) for those of groups."""
        label, own = np.full(alone.l1.size, -1, dtype=np.intp), alone.l1.copy()
        for number, members in enumerate(groups):
            label[members], own[members] = number, 0.0
        strength = l1 * np.sqrt([float(members.size) for members in groups])
        return cls(own, alone.l2, alone.low, alone.high, label, strength)

    # --- parts ------------------------------------------------------------------------------------------

    @cached_property
    def grouped(self) -> NDArray[np.bool_]:
        """Columns that are in a group."""
        return self.label >= 0

    @cached_property
    def members(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Columns group by group, then those in none one by one, and where each of these parts begins."""
        inside = np.flatnonzero(self.grouped)
        inside = inside[np.argsort(self.label[inside], kind="stable")]
        sizes = np.bincount(self.label[inside], minlength=self.strength.size)
        alone = np.flatnonzero(~self.grouped)
        begins = np.concatenate([[0], np.cumsum(np.concatenate([sizes, np.ones(alone.size, np.intp)]))])
        return np.concatenate([inside, alone]), begins.astype(np.intp)

    @cached_property
    def _alone(self) -> tuple[NDArray[np.intp], WeightPenalty]:
        columns = np.flatnonzero(~self.grouped)
        return columns, WeightPenalty(
            self.l1[columns], self.l2[columns], self.low[..., columns], self.high[..., columns]
        )

    @cached_property
    def _bend(self) -> Array:
        """λ₂ of each group."""
        bend = np.zeros(self.strength.size)
        bend[self.label[self.grouped]] = self.l2[self.grouped]
        return bend

    def norms(self, w: Array) -> Array:
        """‖w_G‖ of each plane and group (K×m)."""
        planes = np.atleast_2d(w)[:, self.grouped]
        labels, m = self.label[self.grouped], self.strength.size
        return np.sqrt([np.bincount(labels, plane**2, minlength=m) for plane in planes]).reshape(len(planes), m)

    def by_column(self, of_groups: NDArray[Any], of_columns: NDArray[Any]) -> NDArray[Any]:
        """Figures of groups (K×m) in the places of their columns, among those of the others (K×d)."""
        found: NDArray[Any] = np.array(np.broadcast_to(of_columns, (len(of_groups), self.label.size)))
        found[:, self.grouped] = of_groups[:, self.label[self.grouped]]
        return found

    def scaled(self, scale: Array) -> "GroupedPenalty":
        """The same penalty as a function of v = w·scale, where columns of a group share their scale."""
        units = np.ones(self.strength.size)
        units[self.label[self.grouped]] = scale[self.grouped]
        one = WeightPenalty.scaled(self, scale)
        return GroupedPenalty(one.l1, one.l2, one.low, one.high, self.label, self.strength / units)

    def shared_scale(self, scale: Array) -> Array:
        """Columns of a group get the root mean square of their scales."""
        counts = np.maximum(np.bincount(self.label[self.grouped], minlength=self.strength.size), 1)
        return np.asarray(self.by_column(self.norms(scale) / np.sqrt(counts), scale)[0])

    def take(self, columns: NDArray[np.intp]) -> "GroupedPenalty":
        """Of some of the columns, of a group all or none."""
        label = self.label[columns]
        kept, places = np.unique(label[label >= 0], return_inverse=True)
        label = label.copy()
        label[label >= 0] = places
        one = WeightPenalty.take(self, columns)
        return GroupedPenalty(one.l1, one.l2, one.low, one.high, label, self.strength[kept])

    def of_all_planes(self, K: int) -> "GroupedPenalty":
        """Of the weights of K planes one after the other, as if they were of one."""
        one, m = WeightPenalty.of_all_planes(self, K), self.strength.size
        label = np.concatenate([np.where(self.grouped, self.label + k * m, -1) for k in range(K)])
        return GroupedPenalty(one.l1, one.l2, one.low, one.high, label, np.tile(self.strength, K))

    def whole(self, columns: NDArray[np.intp]) -> NDArray[np.intp]:
        """The columns, with all others of their groups."""
        touched = np.isin(self.label, self.label[columns]) & self.grouped
        touched[columns] = True
        return np.flatnonzero(touched)

    # --- values -----------------------------------------------------------------------------------------

    def value(self, w: Array) -> float:
        """Σ g(w)."""
        return super().value(w) + float((self.norms(w) * self.strength).sum())

    def conjugate(self, z: Array) -> float:
        """Σ g*(z)."""
        columns, alone = self._alone
        beyond = np.maximum(self.norms(z) - self.strength, 0.0)
        with np.errstate(divide="ignore"):
            values = np.where(beyond > 0.0, 0.5 * beyond**2 / self._bend, 0.0)
        return alone.conjugate(z[:, columns]) + float(values.sum())

    def greatest_factor(self, z: Array) -> float:
        """The largest t ≤ 1 at which no group and no column of its own could grow."""
        columns, alone = self._alone
        norms = self.norms(z)
        beyond = norms > self.strength
        shares = np.broadcast_to(self.strength, norms.shape)[beyond] / norms[beyond]
        return min(alone.greatest_factor(z[:, columns]), float(shares.min(initial=1.0)) * _BELOW_ONE)

    # --- which weights could matter ---------------------------------------------------------------------

    @property
    def leaves_out(self) -> bool:
        """Whether a penalty large enough leaves no column a weight."""
        return self._alone[1].leaves_out and bool((self.strength > 0).all())

    def least_strength(self, z: Array) -> float:
        """The least factor of the penalty at which slopes z at zero move no weight."""
        columns, alone = self._alone
        return max(alone.least_strength(z[:, columns]), float((self.norms(z) / self.strength).max(initial=0.0)))

    def is_near(self, z: Array, share: float) -> NDArray[np.bool_]:
        """Columns whose slopes, or those of their group together, are this share of what zero can balance."""
        near = np.asarray((self.norms(z) >= share * self.strength).any(axis=0, keepdims=True))
        return np.asarray(self.by_column(near, super().is_near(z, share))[0])

    def room(self, w: Array, z: Array) -> Array:
        """How much slopes could still grow before weights move; none where a group has weights."""
        left = np.where(self.norms(w) > 0, 0.0, self.strength - self.norms(z))
        return self.by_column(left, super().room(w, z))

    def keeps_zero(self, z: Array, reach: Array) -> NDArray[np.bool_]:
        """Weights that are best at zero wherever the slopes are, within this reach of z."""
        zero = self.norms(z) + self.norms(reach) < self.strength
        return self.by_column(zero, super().keeps_zero(z, reach))

    # --- what is optimal --------------------------------------------------------------------------------

    def directions(self, w: Array) -> Array:
        """w_G/‖w_G‖ of groups with weights; zero elsewhere."""
        norms = self.by_column(self.norms(w), np.zeros(self.label.size))
        return np.where(norms > 0, np.atleast_2d(w) / np.where(norms > 0, norms, 1.0), 0.0)

    def violations(self, w: Array, z: Array) -> Array:
        """How far z lies from the subgradients of g at w: of a group of zeros in all of its columns."""
        planes, slopes = np.atleast_2d(w), np.atleast_2d(z)
        pull = self.directions(planes) * self.by_column(
            np.broadcast_to(self.strength, (len(planes), self.strength.size)), np.zeros(self.label.size)
        )
        moved = np.abs(slopes - self.l2 * planes - pull)
        beyond = np.maximum(self.norms(slopes) - self.strength, 0.0)
        of_zeros = self.by_column(beyond, np.zeros(self.label.size))
        has_weights = self.by_column(self.norms(planes), np.zeros(self.label.size)) > 0
        inside = np.where(has_weights, moved, of_zeros)
        return np.where(self.grouped, inside, super().violations(planes, slopes)).reshape(np.shape(w))
