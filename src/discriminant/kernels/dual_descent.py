"""Dual coordinate descent for the slab: one α after another to its best value, the others held.

    max Σ α − ½‖Σ α c x‖² − ½ρ(Σ α c)² − ½Σ δα²    s.t. 0 ≤ α ≤ u

w = Σ α c x is kept up to date, so that a step costs one row (Hsieh et al. 2008); the last weight is the intercept, that
moves by ρ at a step: b = b₀ + ρΣ α c.
"""

import numpy as np

from discriminant.kernels.access import Rows, add, dot, fetch, square
from discriminant.kernels.compiled import Array, compiled

_AHEAD = 2  # visits by which memory is asked for; each is longer than one of the perceptron


@compiled
def row_squares(rows: Rows, squares: Array) -> None:
    """‖x‖² of each row."""
    for i in range(squares.size):
        squares[i] = square(rows, i, 0.0)


@compiled
def descend(
    rows: Rows,
    sign: Array,
    cap: Array,
    softening: Array,
    steepness: Array,
    stiffness: float,
    order: Array,
    n_active: int,
    alpha: Array,
    w: Array,
    slopes: Array,
) -> int:
    """Visit order[:n_active] once; the number of rows that stay active.

    ``steepness`` is ‖x‖² + ρ + δ, ``softening`` δ, ``stiffness`` ρ. ``slopes`` holds the largest and the least
    projected slope of the pass before, and is given those of this one. A row at a bound whose slope points out farther
    than any did in the pass before is moved behind the active ones.
    """
    highest, lowest = -np.inf, np.inf
    outward_above, outward_below = slopes[0], slopes[1]
    last = w.size - 1
    t = 0
    while t < n_active:
        i = order[t]
        if t + _AHEAD < n_active:
            fetch(rows, order[t + _AHEAD])
        c = sign[i]
        a, u = alpha[i], cap[i]
        slope = c * dot(rows, i, w) - 1.0 + softening[i] * a
        projected = slope
        if a == 0.0:
            if slope > outward_above:
                n_active -= 1
                order[t] = order[n_active]
                order[n_active] = i
                continue
            projected = min(slope, 0.0)
        elif a == u:
            if slope < outward_below:
                n_active -= 1
                order[t] = order[n_active]
                order[n_active] = i
                continue
            projected = max(slope, 0.0)
        highest, lowest = max(highest, projected), min(lowest, projected)
        if projected != 0.0 and steepness[i] > 0.0:
            alpha[i] = min(max(a - slope / steepness[i], 0.0), u)
            step = (alpha[i] - a) * c
            add(rows, i, step, w)
            w[last] += step * (stiffness - 1.0)
        t += 1
    slopes[0], slopes[1] = highest, lowest
    return n_active
