"""The nearest value of one column at which the answer changes.

From its value outwards, both ways and piece by piece: within a piece what the column adds goes one way, so that the
answer at 64 points and at its end tells where it changes, and the interval before the first of them is divided again,
until no number (or no whole multiple of the column's step) is left between.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from discriminant.model.movable import Movable

Array = NDArray[np.float64]
Changed = Callable[[Array], NDArray[np.bool_]]  # at which of these values the answer is another one

_POINTS = 64
_FARTHEST = 60  # doublings of a hundredth of a deviation, where a column has no end


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
    """Up to 64 values in (start, stop], in order from start; the last of them is the last there is."""
    if step is None:
        points = start + (stop - start) * (np.arange(1, _POINTS + 1) / _POINTS)
        points[-1] = stop
        return np.asarray(points[points != start])
    up = stop > start
    first, last = start / step, stop / step
    first, last = (np.floor(first) + 1, np.floor(last)) if up else (np.ceil(first) - 1, np.ceil(last))
    count = int(min(abs(last - first) + 1, _POINTS)) if (last >= first) == up or last == first else 0
    return np.asarray(np.unique(np.round(np.linspace(first, last, count)))[:: 1 if up else -1] * step, dtype=np.float64)
