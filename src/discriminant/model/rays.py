"""The nearest change of answer where the boundary is bent: a search along rays.

    t(u)   how far a row goes in direction u, ‖u‖ = 1, until its answer changes
    u*     minimises t(u); there the ray meets the boundary at a right angle: u ∥ ∇f

From several directions, u is turned towards the normal where its ray ends, less and less far until t is smaller. Each
turn makes t smaller, so that the search ends in a nearest point, though a still nearer one elsewhere is not ruled out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.cached import cached_property
from discriminant.model.boundary import rivals
from discriminant.model.decision_model import DecisionModel
from discriminant.model.movable import Movable

Array = NDArray[np.float64]
Changed = Callable[[Array], NDArray[np.bool_]]  # which of these steps (n × free features) change the answer

_POINTS = 64
_FARTHEST = 2.0**12  # times the first guess
_MOST_RAYS = 64
_AROUND = 24  # further rays, in directions that count
_REFINED = 6
_TURNS = 200


@dataclass(frozen=True)
class ColumnSteps:
    """Steps of columns, straight or curved, in deviations of each."""

    scores: Array
    movables: tuple[Movable, ...]

    @cached_property
    def _starts(self) -> Array:
        return np.array([m.start for m in self.movables])

    @cached_property
    def _deviations(self) -> Array:
        return np.array([m.deviation for m in self.movables])

    @cached_property
    def _features(self) -> tuple[NDArray[np.intp], Array, Array, Array, Array]:
        """The features of all columns: the column, its least and largest value, the unit, the weight of raw values."""
        pairs = [(j, f) for j, movable in enumerate(self.movables) for f in movable.features]
        columns = np.array([j for j, _ in pairs])
        low = np.array([-np.inf if f.low is None else f.low for _, f in pairs])
        high = np.array([np.inf if f.high is None else f.high for _, f in pairs])
        unit = np.array([np.nan if f.unit is None else f.unit for _, f in pairs])
        weights = np.column_stack([m.weights for m in self.movables]) / np.array([f.scale for _, f in pairs])
        return columns, low, high, unit, weights

    def values(self, steps: Array) -> Array:
        """The values of the columns, n×m; one that does not step keeps its own."""
        own = np.array([m.value for m in self.movables])
        return np.where(steps == 0, own, self._starts + steps * self._deviations)

    def _raw(self, values: Array) -> Array:
        columns, low, high, unit, _ = self._features
        v = np.clip(values[:, columns], low, high)
        by_log = np.isfinite(unit)
        v[:, by_log] = np.sign(v[:, by_log]) * np.log1p(np.abs(v[:, by_log]) / unit[by_log])
        return v

    def scores_at(self, steps: Array) -> Array:
        """n×P, of steps n×m."""
        away = self._raw(self._starts + steps * self._deviations) - self._raw(self._starts[None])
        return np.asarray(self.scores + away @ self._features[-1].T)

    def slopes_at(self, step: Array) -> Array:
        """P×m; over two deviations, so that no flat piece hides what lies behind it."""
        columns, weights = self._features[0], self._features[-1]
        values = self._starts + step * self._deviations
        change = (self._raw((values + self._deviations)[None]) - self._raw((values - self._deviations)[None]))[0] / 2.0
        slopes = np.zeros((len(self.scores), len(self.movables)))
        np.add.at(slopes.T, columns, (weights * change).T)
        return slopes


def nearest_by_rays(model: DecisionModel, answer: int, path: ColumnSteps, known: Sequence[Array] = ()) -> Array | None:
    """The step, in deviations of the columns that may change, that changes the answer; None where no ray does.

    ``known`` are steps that do, if there are any.
    """
    scores, W = path.scores, path.slopes_at(np.zeros(len(path.movables)))

    def changed(steps: Array) -> NDArray[np.bool_]:
        return np.asarray(model.decide_scores(path.scores_at(steps)).assigned != answer)

    def normal(step: Array) -> Array | None:
        found = rivals(model, answer, path.scores_at(step[None])[0])
        return _unit(max(found, key=lambda rival: rival.value).slopes @ path.slopes_at(step)) if found else None

    guess = _first_guess(model, scores, answer, W)
    if guess is None:
        return None
    starts = [u for u in map(_unit, known) if u is not None]
    rays = [(_reach(changed, u, guess), u) for u in [*starts, *_directions(model, scores, answer, W)]]
    refined = 2 if starts else _REFINED
    best = sorted((ray for ray in rays if np.isfinite(ray[0])), key=lambda ray: ray[0])[:refined]
    ends = [_turn_ray(changed, normal, t, u) for t, u in best]
    return min(ends, key=lambda step: float(np.linalg.norm(step))) if ends else None


def _first_guess(model: DecisionModel, scores: Array, answer: int, W: Array) -> float | None:
    """The order of magnitude of the distance: as if the boundary were straight."""
    sizes = []
    for rival in rivals(model, answer, scores):
        length = float(np.linalg.norm(rival.slopes @ W))
        if length > 0:
            sizes.append(max(-rival.value, 1e-9) / length)
    return min(sizes) if sizes else None


def _directions(model: DecisionModel, scores: Array, answer: int, W: Array) -> list[Array]:
    """The directions to look in: to each other answer, from the likeliest class to each other one, and all around.

    Of one column, both ways.
    """
    if W.shape[1] == 1:
        return [np.ones(1), -np.ones(1)]
    towards = [rival.slopes @ W for rival in rivals(model, answer, scores)]
    likeliest = int(scores.argmax())
    between = [W[k] - W[likeliest] for k in range(len(W)) if k != likeliest]
    units = [_unit(a) for a in [*towards, *between][:_MOST_RAYS]]
    around = np.random.default_rng(0).standard_normal((_AROUND, W.shape[1])) * np.abs(W).max(axis=0)
    return [u for u in [*units, *map(_unit, around)] if u is not None]


def _unit(a: Array) -> Array | None:
    largest = float(np.abs(a).max(initial=0.0))
    if largest == 0.0:
        return None
    scaled = a / largest  # so that no square underflows
    return np.asarray(scaled / np.linalg.norm(scaled))


def _reach(changed: Changed, u: Array, guess: float) -> float:
    """t(u), to the last digits, on the far side; infinite where the answer stays the same."""
    low, high = 0.0, np.inf
    lengths = guess * np.geomspace(1 / _FARTHEST, _FARTHEST, _POINTS)
    while True:
        beyond = changed(lengths[:, None] * u)
        if not beyond.any():
            return high
        first = int(beyond.argmax())
        low, high = (lengths[first - 1] if first else low), float(lengths[first])
        if high - low <= 1e-14 * high:
            return high
        lengths = low + (high - low) * np.arange(1, _POINTS + 1) / _POINTS


def _turn_ray(changed: Changed, normal: Callable[[Array], Array | None], t: float, u: Array) -> Array:
    """The end of the ray after it was turned to where it is shortest."""
    share = 1.0
    for _ in range(_TURNS):
        n = normal(t * u)
        v = None if n is None else _unit((1 - share) * u + share * n)
        if v is None or float(np.linalg.norm(v - u)) < 1e-9:
            break
        shorter = _reach(changed, v, t)
        if shorter < t:
            t, u = shorter, v
            share = min(1.0, 2 * share)
        else:
            share /= 2
    return t * u
