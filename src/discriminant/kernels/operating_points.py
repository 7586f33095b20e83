"""Two classes of scores -> the points of their operating curve, and its convex hull."""

from typing import Any

import numpy as np

from discriminant.kernels.compiled import Array, compiled


@compiled
def split(values: Array, codes: Array, positive: int, chosen: Array, others: Array) -> int:
    """Values of the positive code to ``chosen``, the rest to ``others``, in their order; how many were chosen.

    Both arrays have room for all values.
    """
    first, second = 0, 0
    for i in range(values.size):
        is_chosen = codes[i] == positive
        chosen[first] = values[i]
        others[second] = values[i]
        first += is_chosen
        second += not is_chosen
    return first


@split.in_numpy
def _split(values: Array, codes: Array, positive: int, chosen: Array, others: Array) -> int:
    inside = codes == positive
    n = int(np.count_nonzero(inside))
    chosen[:n], others[: values.size - n] = values[inside], values[~inside]
    return n


@compiled
def merge_points(
    positives: Array,
    negatives: Array,
    positive_weight: Array,
    negative_weight: Array,
    thresholds: Array,
    detected: Array,
    alarms: Array,
) -> int:
    """Fill each distinct score θ, from the highest down, with Σω of the positives and of the negatives at or above it.

    Scores ascend; weights lie beside them, or are empty where every row counts once. The first point is θ = ∞ with
    nothing above it. Returns how many points there are; the last three arrays have room for one more than scores.
    """
    thresholds[0], detected[0], alarms[0] = np.inf, 0.0, 0.0
    i, j, m = positives.size, negatives.size, 1
    above_p, above_n = 0.0, 0.0
    weighted = positive_weight.size + negative_weight.size > 0
    while i > 0 or j > 0:
        from_positives = j == 0 or (i > 0 and positives[i - 1] >= negatives[j - 1])
        theta = positives[i - 1] if from_positives else negatives[j - 1]
        while i > 0 and positives[i - 1] == theta:
            i -= 1
            above_p += positive_weight[i] if weighted else 1.0
        while j > 0 and negatives[j - 1] == theta:
            j -= 1
            above_n += negative_weight[j] if weighted else 1.0
        thresholds[m], detected[m], alarms[m] = theta, above_p, above_n
        m += 1
    return m


@merge_points.in_numpy
def _merge_points(
    positives: Array,
    negatives: Array,
    positive_weight: Array,
    negative_weight: Array,
    thresholds: Array,
    detected: Array,
    alarms: Array,
) -> int:
    distinct = np.unique(np.concatenate([positives, negatives]))[::-1]
    m = distinct.size + 1
    thresholds[0], detected[0], alarms[0], thresholds[1:m] = np.inf, 0.0, 0.0, distinct
    weighted = positive_weight.size + negative_weight.size > 0
    for scores, weight, above in ((positives, positive_weight, detected), (negatives, negative_weight, alarms)):
        counted = scores.size - np.searchsorted(scores, distinct, "left")
        above[1:m] = np.append(0.0, np.cumsum(weight[::-1]))[counted] if weighted else counted
    return m


@compiled
def upper_hull(x: Array, y: Array, kept: Array) -> Any:
    """Indices (in ``kept``) of the corners of the least concave curve above points of ascending x; how many there are.

    Points on a straight side are left out; of points with one x the last (highest) stays, except for the first of all.
    """
    size = 0
    for i in range(len(x)):
        while size >= 2:
            a, b = kept[size - 2], kept[size - 1]
            turn = (x[b] - x[a]) * (y[i] - y[a]) - (y[b] - y[a]) * (x[i] - x[a])
            if turn < 0.0:
                break
            size -= 1
        kept[size] = i
        size += 1
    return size


@upper_hull.in_numpy
def _upper_hull(x: Array, y: Array, kept: Array) -> Any:
    """The loop itself over Python's numbers, which for few points is as quick as anything."""
    corners = [0] * len(kept)
    size: int = upper_hull.py_func(x.tolist(), y.tolist(), corners)
    kept[:size] = corners[:size]
    return size
