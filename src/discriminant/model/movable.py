"""A number or date of a row that may be more or less: what it adds to the scores, as a function of its value.

A column enters by one value feature or by several (see `table.encoding`), so that what it adds is continuous in its
value x and, between the ends of its pieces, straight in x, or straight in sign(x)·log(1 + |x|/unit). Beyond the
outermost ends it stays the same: there x counts as clipped, also in the length of a change,

    size(x) = |clip(x) − clip(value)| / deviation

The nearest value at which an answer changes is looked for outwards, both ways and piece by piece: within a piece what
the column adds goes one way, so that the answer at 64 points and at its end tells where it changes, and the interval
before the first of them is divided again, until no number (or no whole multiple of the column's step) is left between.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.cached import cached_property
from discriminant.table.encoding import Column, Feature

Array = NDArray[np.float64]
Changed = Callable[[Array], NDArray[np.bool_]]  # at which of these values the answer is another one

_FEW_DAYS = 2.0  # between the first and last date of a column whose dates differ by the time of the day alone
_SECOND = 1.0 / 86400.0
_POINTS = 64
_FARTHEST = 60  # doublings of a hundredth of a deviation, where a column has no end


@dataclass(frozen=True)
class Movable:
    """The column, the places of its value features in the encoded row, their weights (P×m), and its value."""

    column: Column
    places: NDArray[np.intp]
    weights: Array
    value: float

    @property
    def features(self) -> tuple[Feature, ...]:
        """The pieces it enters by."""
        return self.column.values

    @cached_property
    def straight(self) -> bool:
        """Whether it adds a multiple of its value, wherever it is."""
        return len(self.features) == 1 and self.features[0].straight

    @cached_property
    def deviation(self) -> float:
        """What a change of it is counted in."""
        column, first = self.column, self.features[0]
        if column.deviation is not None:
            return column.deviation
        if len(self.features) == 1 and first.unit is None:
            return first.scale
        spread = 0.0 if column.low is None or column.high is None else (column.high - column.low) / np.sqrt(12.0)
        return float(spread) if np.isfinite(spread) and spread > 0 else 1.0

    @cached_property
    def step(self) -> float | None:
        """Its values are whole multiples of this: whole days for dates, but for dates all within two days."""
        column = self.column
        if column.step is not None or column.kind != "date":
            return column.step
        hours = column.low is not None and column.high is not None and column.high - column.low < _FEW_DAYS
        return _SECOND if hours else 1.0

    @cached_property
    def low(self) -> float:
        """Below this it adds always the same."""
        return min(-np.inf if f.low is None else f.low for f in self.features)

    @cached_property
    def high(self) -> float:
        """Above this it adds always the same."""
        return max(np.inf if f.high is None else f.high for f in self.features)

    @cached_property
    def start(self) -> float:
        """Its value, clipped."""
        return float(np.clip(self.value, self.low, self.high))

    @cached_property
    def breaks(self) -> Array:
        """Where pieces end, and 0 where a logarithm changes its sign, in order."""
        ends = {end for f in self.features for end in (f.low, f.high) if end is not None}
        if any(f.unit is not None for f in self.features) and self.low < 0 < self.high:
            ends.add(0.0)
        return np.array(sorted(ends))

    def encoded(self, x: Array) -> Array:
        """The value features at values x, n×m."""
        with np.errstate(over="ignore"):
            return np.column_stack([f.encoded(f.raw_of(x)) for f in self.features])

    def added(self, x: Array) -> Array:
        """What they add to the scores, n×P."""
        return np.asarray(self.encoded(x) @ self.weights.T)

    def size(self, x: float) -> float:
        """How far x is from the value."""
        return abs(float(np.clip(x, self.low, self.high)) - self.start) / self.deviation

    def slopes(self, x: float) -> Array:
        """What one unit more adds to each score, at x."""
        total = np.zeros(len(self.weights))
        for feature, weights in zip(self.features, self.weights.T, strict=True):
            inside = (feature.low is None or x >= feature.low) and (feature.high is None or x < feature.high)
            if inside:
                total += weights / feature.scale / (1.0 if feature.unit is None else feature.unit + abs(x))
        return total


def nearest_value(movable: Movable, changed: Changed) -> float | None:
    """The nearest value that changes the answer; None where none does."""
    found = [_towards(movable, changed, sign) for sign in (1.0, -1.0)]
    values = [x for x in found if x is not None]
    return min(values, key=lambda x: (movable.size(x), abs(x - movable.value)), default=None)


def _towards(movable: Movable, changed: Changed, sign: float) -> float | None:
    """The first value upwards (1) or downwards (−1)."""
    end = movable.high if sign > 0 else movable.low
    inner = [b for b in movable.breaks.tolist() if sign * movable.start < sign * b < sign * end]
    start = movable.start
    for stop in [*sorted(inner, key=lambda b: sign * b), end]:
        if np.isinf(stop):
            return _without_end(movable, changed, start, sign)
        found = _within(changed, start, stop, movable.step)
        if found is not None:
            return found
        start = stop
    return None


def _without_end(movable: Movable, changed: Changed, start: float, sign: float) -> float | None:
    away = movable.deviation * 0.01 * 2.0 ** np.arange(_FARTHEST)
    stops = start + sign * away
    stops = stops[np.isfinite(stops)]
    beyond = changed(stops)
    if not beyond.any():
        return None
    first = int(beyond.argmax())
    reached = float(stops[first - 1]) if first else start
    later = (float(stop) for stop in stops[first:])  # the first may have no whole multiple
    return next((x for stop in later if (x := _within(changed, reached, stop, movable.step)) is not None), None)


def _within(changed: Changed, start: float, stop: float, step: float | None) -> float | None:
    """The first value after start, up to stop."""
    found = None
    points = _between(start, stop, step)
    while points.size:
        beyond = changed(points)
        if beyond.any():
            first = int(beyond.argmax())
            start = float(points[first - 1]) if first else start
            found = stop = float(points[first])
        elif found is None:
            return None
        else:
            start = float(points[-1])
        points = _between(start, stop, step)
        points = points[points != stop]
    return found


def _between(start: float, stop: float, step: float | None) -> Array:
    """Choose up to 64 values in (start, stop], in order from start; the last of them is the last there is."""
    if step is None:
        points = start + (stop - start) * (np.arange(1, _POINTS + 1) / _POINTS)
        points[-1] = stop
        return np.asarray(points[points != start])
    up = stop > start
    first, last = start / step, stop / step
    first, last = (np.floor(first) + 1, np.floor(last)) if up else (np.ceil(first) - 1, np.ceil(last))
    count = int(min(abs(last - first) + 1, _POINTS)) if (last >= first) == up or last == first else 0
    return np.asarray(np.unique(np.round(np.linspace(first, last, count)))[:: 1 if up else -1] * step, dtype=np.float64)
