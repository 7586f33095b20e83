"""The least change over several columns of which some are curved, by Lagrangian relaxation.

With h_j(x) what column j adds to the shortfall f of another answer when its value becomes x, and d_j its size,

    minimise Σ_j d_j(x_j)²  subject to  f + Σ_j h_j(x_j) ≥ 0

For a multiplier λ the columns part: each maximises λ h_j(x) − d_j(x)² by itself, which is solved piece by piece in
closed form (h_j is straight in x or in its logarithm), and Σ h_j grows with λ, so that the least λ that is enough is
found by bisection. Where all h_j are concave this is the least change. Elsewhere a column may jump at that λ; then the
pieces that were reached are kept and the bisection is done again within them, which is exact for pieces that are
straight. The answer at the change that is found is always asked of the model itself, and where columns are few, rays
from there (see `rays`) look for a nearer one.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from discriminant.model.movable import Movable

Array = NDArray[np.float64]

_DOUBLINGS = 400  # of the multiplier, from 1 either way
_BISECTIONS = 120
_CHORDS = 16  # in place of a piece in which a logarithm and another form act together


@dataclass(frozen=True)
class Intervals:
    """The pieces of all columns: h = base + slope·(T(x) − T(anchor)) from low to high, T the logarithm or x itself."""

    column: NDArray[np.intp]
    low: Array
    high: Array
    unit: Array  # infinite where x itself enters
    slope: Array
    anchor: Array  # the point nearest to where the column is
    base: Array
    start: Array  # where the column is
    deviation: Array

    def only(self, kept: NDArray[np.intp]) -> "Intervals":
        """Some of the intervals."""
        return Intervals(*(getattr(self, part.name)[kept] for part in fields(self)))


def least_change(
    movables: Sequence[Movable], slopes: Array, value: float, changes: Callable[[Array], bool]
) -> Array | None:
    """Values that lead to another answer, whose shortfall has these slopes in the scores and this value."""
    every = _intervals(movables, slopes)
    found = _enough(every, value, changes)
    if found is None:
        return None
    values, reached = found
    again = _enough(every.only(reached), value, changes)
    return values if again is None or _size(movables, values) <= _size(movables, again[0]) else again[0]


def _size(movables: Sequence[Movable], values: Array) -> float:
    return float(np.linalg.norm([m.size(x) for m, x in zip(movables, values.tolist(), strict=True)]))


def _enough(
    intervals: Intervals, value: float, changes: Callable[[Array], bool]
) -> tuple[Array, NDArray[np.intp]] | None:
    """Values at the least multiplier that is enough, and the interval of each."""
    low, high = 0.0, 1.0
    for _ in range(_DOUBLINGS):
        if value + _at(intervals, high)[2] >= 0:
            break
        low, high = high, 2.0 * high
    else:
        return None
    for _ in range(_DOUBLINGS if low == 0.0 else 0):
        if value + _at(intervals, high / 2.0)[2] < 0:
            low = high / 2.0
            break
        high /= 2.0
    for _ in range(_BISECTIONS):
        middle = low + (high - low) / 2.0
        if not low < middle < high:
            break
        low, high = (low, middle) if value + _at(intervals, middle)[2] >= 0 else (middle, high)
    for k in range(40):  # rounding may leave the row just before the boundary
        values, reached, _ = _at(intervals, high * (1.0 + 2.0**k * 1e-15 if k else 1.0))
        if changes(values):
            return values, reached
    return None


def _at(of: Intervals, multiplier: float) -> tuple[Array, NDArray[np.intp], float]:
    """The values that are best for a multiplier, their intervals, and what they add to the shortfall together."""
    x = _candidates(of, multiplier)
    with np.errstate(over="ignore", invalid="ignore"):
        h = of.base + of.slope * (_entering(x, of.unit) - _entering(of.anchor, of.unit))
        worth = multiplier * h - ((x - of.start) / of.deviation) ** 2
    worth = np.where(np.isfinite(worth), worth, -np.inf)
    candidate = worth.argmax(axis=0)
    each = np.arange(of.column.size)
    x, h, worth = x[candidate, each], h[candidate, each], worth[candidate, each]
    order = np.lexsort((each, -worth, of.column))
    _, firsts = np.unique(of.column[order], return_index=True)
    best = order[firsts]
    return x[best], best, float(h[best].sum())


def _candidates(of: Intervals, multiplier: float) -> Array:
    """Where λ h − d² may be largest in each interval: where its slope is 0, and at the ends; 5×n."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        pull = 0.5 * multiplier * of.slope * of.deviation**2
        straight = of.start + pull
        # (x − start)(unit + |x|) = pull
        sign = np.where(of.high > 0, 1.0, -1.0)
        half = 0.5 * (of.unit - sign * of.start)
        root = np.sqrt(half * half + of.unit * sign * of.start + pull * sign)
        curved = [sign * (-half + root), sign * (-half - root)]
    by_log = np.isfinite(of.unit)
    rows = [of.anchor, np.where(by_log, curved[0], straight), np.where(by_log, curved[1], straight), of.low, of.high]
    return np.stack([np.where(np.isfinite(row), np.clip(row, of.low, of.high), of.anchor) for row in rows])


def _entering(x: Array, unit: Array) -> Array:
    """x itself, or its logarithm."""
    return np.where(np.isfinite(unit), np.sign(x) * np.log1p(np.abs(x) / unit), x)


def _intervals(movables: Sequence[Movable], slopes: Array) -> Intervals:
    rows = [(j, *row) for j, movable in enumerate(movables) for row in _of_column(movable, slopes)]
    table = np.array(rows)
    return Intervals(table[:, 0].astype(np.intp), *table[:, 1:].T)


def _of_column(movable: Movable, slopes: Array) -> Iterator[tuple[float, ...]]:
    """(low, high, unit, slope, anchor, base, start, deviation) of each of its pieces."""
    start, deviation = movable.start, movable.deviation
    before = slopes @ movable.added(np.array([start]))[0]
    for low, high, unit, slope in _pieces(movable, slopes):
        anchor = min(max(start, low), high)
        base = float(slopes @ movable.added(np.array([anchor]))[0] - before)
        yield low, high, unit, slope, anchor, base, start, deviation


def _pieces(movable: Movable, slopes: Array) -> Iterator[tuple[float, float, float, float]]:
    """(low, high, unit, slope): by the one form that acts between low and high, or by chords where several do."""
    inner = [b for b in movable.breaks.tolist() if movable.low < b < movable.high]
    for low, high in pairwise([movable.low, *inner, movable.high]):
        acting: dict[float, float] = {}
        for feature, weights in zip(movable.features, movable.weights.T, strict=True):
            if (feature.low is None or feature.low < high) and (feature.high is None or feature.high > low):
                unit = np.inf if feature.unit is None else feature.unit
                acting[unit] = acting.get(unit, 0.0) + float(slopes @ weights) / feature.scale
        if len(acting) <= 1:
            unit, slope = next(iter(acting.items()), (np.inf, 0.0))
            yield low, high, unit, slope
        else:
            yield from _chords(movable, slopes, low, high)


def _chords(movable: Movable, slopes: Array, low: float, high: float) -> Iterator[tuple[float, float, float, float]]:
    far = movable.deviation * 2.0 ** np.arange(_CHORDS)
    if np.isfinite(low) and np.isfinite(high):
        ends = np.linspace(low, high, _CHORDS + 1)
    else:  # from the end that there is, and straight on from the last point
        ends = low + np.array([0.0, *far]) if np.isfinite(low) else high - np.array([*far[::-1], 0.0])
    if not np.isfinite(ends).all():
        ends = np.array([*-far[::-1], 0.0, *far])
    h = movable.added(ends) @ slopes
    each = np.diff(h) / np.diff(ends)
    outer = [(low, ends[0], each[0])] if low < ends[0] else []
    outer += [(ends[-1], high, each[-1])] if high > ends[-1] else []
    for a, b, slope in [*zip(ends[:-1], ends[1:], each, strict=True), *outer]:
        yield float(a), float(b), np.inf, float(slope)
