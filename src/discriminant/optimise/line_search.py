"""The one line search of all methods here (Armijo 1966): how far to go along a direction p.

The length t is the first of ever shorter ones with F(u + t·p) ≤ F(u) + σ·t·p·∇F(u), or the one at which F is flat along
p where finding it reads no row. Near the minimum, where F falls by less than its own rounding, the slopes at both ends
say by how much it falls (Hager and Zhang 2005).
"""

from collections.abc import Callable
from typing import TypeVar

import numpy as np

Rest = TypeVar("Rest")

_SUFFICIENT = 1e-4  # σ, the share of the promised fall that a step must bring
_ROUNDING = 1e-13  # of F, if scores are ordinary
_MOST_ROUNDING = 1e-9  # of F, if they are far: then it takes slopes to tell a fall
_MOST_TRIALS = 60
_FLAT = 0.1  # share of the slope at the start that may be left at a flat point


def to_the_bottom(value: float, slope: float, reached: float) -> float:
    """The factor to the bottom of the parabola through what was seen, at least a tenth and at most a half."""
    if not np.isfinite(reached):
        return 0.1
    bend = reached - value - slope
    return float(np.clip(-slope / (2 * bend), 0.1, 0.5)) if bend > 0 else 0.5


def halve(value: float, slope: float, reached: float) -> float:
    """A half, whatever was seen."""
    return 0.5


def line_search(
    at: Callable[[float], tuple[float, Rest]],
    value: float,
    slope: float,
    length: float = 1.0,
    shorten: Callable[[float, float, float], float] = to_the_bottom,
    slope_of: Callable[[Rest], float] = lambda _: np.inf,
) -> tuple[float, float, Rest] | None:
    """(t, F and what else ``at`` gives there) from a first length on; None where no length brings a fall.

    ``value`` and ``slope`` are F and p·∇F at t = 0, and ``slope_of`` finds p·∇F in what else there is.
    """
    for _ in range(_MOST_TRIALS):
        reached, rest = at(length)
        risen = reached - value - _SUFFICIENT * length * slope
        if risen <= _ROUNDING * abs(value):
            return length, reached, rest
        if risen <= _MOST_ROUNDING * abs(value) and slope_of(rest) <= (2 * _SUFFICIENT - 1) * slope:
            return length, reached, rest
        length *= shorten(value, slope * length, reached)
    return None


def flat_point(at: Callable[[float], tuple[float, float]], slope: float) -> float:
    """Where a convex function is all but flat, from its first two derivatives; at 0 the first is ``slope`` < 0."""
    t, low, high = 1.0, 0.0, np.inf
    for _ in range(_MOST_TRIALS):
        first, second = at(t)
        if abs(first) <= _FLAT * abs(slope):
            break
        low, high = (low, t) if first > 0 else (t, high)
        guess = t - first / second if second > 0 else 2.0 * t
        t = guess if low < guess < high else (2.0 * t if np.isinf(high) else 0.5 * (low + high))
    return t
