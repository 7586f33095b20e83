"""Descent by groups of weights on a quadratic model of a fit, plus the norm of each group.

    min over w:  slope·(w − w₀) + ½(w − w₀)′H(w − w₀) + Σ_G (λ_G‖w_G‖ + ½λ₂‖w_G‖²)

One group at a time is put where a bound of the sum is least in which H_G is ``steepest``, its largest curvature, in
every direction. A part of one column is put where the sum itself is least, with λ₁|w| and bounds. H is a matrix, or a
sum over rows that is never formed.
"""

import numpy as np

from discriminant.kernels.access import Rows, column, entries, value
from discriminant.kernels.compiled import Array, compiled, compiled_inline
from discriminant.kernels.coordinate_descent import least_point, move_intercepts


@compiled_inline
def shrink_group(pull: Array, steepest: float, strength: float, l2: float) -> None:
    """Put a group, given ``steepest``·w minus its slopes, to where the bound is least; ``steepest`` may be 0."""
    square = 0.0
    for p in range(pull.size):
        square += pull[p] * pull[p]
    norm = np.sqrt(square)
    share = 0.0
    if norm > strength:
        share = (1.0 - strength / norm) / (steepest + l2)
    for p in range(pull.size):
        pull[p] *= share


@compiled
def sweep_matrix_groups(
    H: Array,
    slope: Array,
    w: Array,
    order: Array,
    begins: Array,
    strength: Array,
    steepest: Array,
    l1: Array,
    l2: Array,
    low: Array,
    high: Array,
    n_sweeps: int,
    enough: float,
) -> float:
    """Sweeps over all groups, then the columns in none; ``slope`` is kept that of the model at w.

    The largest fall that one group made in the last of them.
    """
    fall = 0.0
    for _ in range(n_sweeps):
        fall = 0.0
        for g in range(begins.size - 1):
            first = order[begins[g]]
            if steepest[g] + l2[first] <= 0.0:
                continue
            new = np.empty(begins[g + 1] - begins[g])
            if g >= strength.size:
                new[0] = least_point(
                    w[first], slope[first], H[first, first], l1[first], l2[first], low[first], high[first]
                )
            else:
                for p in range(new.size):
                    j = order[begins[g] + p]
                    new[p] = steepest[g] * w[j] - slope[j]
                shrink_group(new, steepest[g], strength[g], l2[first])
            square = 0.0
            for p in range(new.size):
                j = order[begins[g] + p]
                step = new[p] - w[j]
                if step != 0.0:
                    w[j] = new[p]
                    square += step * step
                    for k in range(w.size):
                        slope[k] += step * H[j, k]
            fall = max(fall, (steepest[g] + l2[first]) * square)
        if fall <= enough:
            break
    return fall


@compiled
def sweep_column_groups(
    columns: Rows,
    theta: Array,
    a: Array,
    c: Array,
    w: Array,
    b: Array,
    moved: Array,
    mixed: Array,
    order: Array,
    begins: Array,
    strength: Array,
    steepest: Array,
    l1: Array,
    l2: Array,
    low: Array,
    high: Array,
    intercept: bool,
) -> float:
    """One sweep over the groups of K planes where H is a sum over rows; the largest fall that one group made.

    Rows are as for `sweep_columns`; ``steepest`` (K×parts) is of each plane.
    """
    several = c.size > 0
    fall = 0.0
    for g in range(begins.size - 1):
        first = order[begins[g]]
        for k in range(w.shape[0]):
            steep = steepest[k, g]
            if steep + l2[first] <= 0.0:
                continue
            new = np.empty(begins[g + 1] - begins[g])
            for p in range(new.size):
                j = order[begins[g] + p]
                slope = 0.0
                begin, end = entries(columns, j)
                for q in range(begin, end):
                    i = column(columns, q)
                    pull = a[k, i] * moved[k, i] - theta[k, i]
                    if several:
                        pull -= c[k, i] * mixed[i]
                    slope += pull * value(columns, j, q)
                if g >= strength.size:
                    new[p] = least_point(w[k, j], slope, steep, l1[j], l2[j], low[k, j], high[k, j])
                else:
                    new[p] = steep * w[k, j] - slope
            if g < strength.size:
                shrink_group(new, steep, strength[g], l2[first])
            square = 0.0
            for p in range(new.size):
                j = order[begins[g] + p]
                step = new[p] - w[k, j]
                if step != 0.0:
                    w[k, j] = new[p]
                    square += step * step
                    begin, end = entries(columns, j)
                    for q in range(begin, end):
                        i = column(columns, q)
                        change = step * value(columns, j, q)
                        moved[k, i] += change
                        if several:
                            mixed[i] += c[k, i] * change
            fall = max(fall, (steep + l2[first]) * square)
    if intercept:
        fall = max(fall, move_intercepts(theta, a, c, b, moved, mixed))
    return fall
