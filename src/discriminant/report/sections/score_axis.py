"""An axis of scores that a few far rows cannot squeeze: it shows where the rows of each class lie, and counts the rest.

Rows above each stored threshold are known, so that the share of a class below any of them is known too. The axis goes
from the least 2.5% point of the classes to the largest 97.5% point, unless the whole range is hardly wider.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

_TAIL = 0.025  # share of a class that may lie beyond either end
_AIR = 0.35  # of the central range, added at either end
_ROOMY = 3.0  # the whole range is shown while it is at most so many times the central one
_BINS = 60
_FEWEST = 20  # thresholds: fewer say too little of where the rows lie


def robust_histogram(two: dict[str, Any], stored: dict[str, Any] | None) -> tuple[dict[str, Any] | None, str]:
    """The stored bars and nothing, or bars of the central scores and how many rows lie beyond, as (bars, number)."""
    falling = all(left > right for left, right in pairwise(two["thresholds"]))
    if stored is None or not falling or len(two["thresholds"]) < _FEWEST:
        return stored, ""
    low, high = _central(two)
    whole = abs(stored["edges"][-1] - stored["edges"][0])
    if not 0 < high - low < whole / _ROOMY:
        return stored, ""
    low, high = _with_threshold(low, high, two["thresholds"][two["chosen"]])
    low, high = max(low, two["thresholds"][-1]), min(high, two["thresholds"][0])
    edges = [low + (high - low) * b / _BINS for b in range(_BINS + 1)]
    counts = [_counts(two["thresholds"], above, edges) for above in (two["negatives"], two["positives"])]
    beyond = sum(two["totals"]) - sum(map(sum, counts))
    return {"edges": edges, "counts": counts}, f"{round(beyond):,}" if beyond >= 0.5 else ""


def _central(two: dict[str, Any]) -> tuple[float, float]:
    ends = [_ends(two["thresholds"], above) for above in (two["negatives"], two["positives"])]
    return min(low for low, _ in ends), max(high for _, high in ends)


def _ends(thresholds: Sequence[float], above: Sequence[float]) -> tuple[float, float]:
    """The thresholds, falling, beyond which 2.5% of a class lies on either side."""
    total = above[-1]
    top = next((i for i, n in enumerate(above) if n >= _TAIL * total), 0)
    bottom = next((i for i, n in enumerate(above) if n >= (1 - _TAIL) * total), len(above) - 1)
    return thresholds[bottom], thresholds[top]


def _with_threshold(low: float, high: float, threshold: float) -> tuple[float, float]:
    """Some air at the ends, and the chosen threshold where it is not far away."""
    reach = high - low
    if low - reach <= threshold <= high + reach:
        low, high = min(low, threshold), max(high, threshold)
    return low - _AIR * reach, high + _AIR * reach


def _counts(thresholds: Sequence[float], above: Sequence[float], edges: Sequence[float]) -> list[float]:
    """Rows between edges; rows between two thresholds are taken to lie at the inner one."""
    counts = [0.0] * (len(edges) - 1)
    middle = (edges[0] + edges[-1]) / 2
    for (higher, lower), (before, after) in zip(pairwise(thresholds), pairwise(above), strict=True):
        place = min(max(middle, lower), higher)
        if edges[0] <= place <= edges[-1]:
            counts[min(max(bisect_right(edges, place) - 1, 0), len(counts) - 1)] += max(0.0, after - before)
    return counts
