"""Coordinate descent on a quadratic model of a fit, plus a penalty of each weight by itself.

    min over w:  slope·(w − w₀) + ½(w − w₀)′H(w − w₀) + Σ g(w),   g(w) = λ₁|w| + ½λ₂w² where low ≤ w ≤ high

One weight at a time is put where the sum is least. H is a matrix, or it is a sum over rows that is never formed.
"""

import numpy as np

from discriminant.kernels.access import Rows, column, entries, value
from discriminant.kernels.compiled import Array, compiled, compiled_inline

_TILE = 32  # rows and columns that stay in the nearest cache


@compiled_inline
def least_point(at: float, slope: float, curvature: float, l1: float, l2: float, low: float, high: float) -> float:
    """Where slope·(w − at) + ½curvature(w − at)² + g(w) is least."""
    pull = curvature * at - slope
    if pull > l1:
        w = (pull - l1) / (curvature + l2)
    elif pull < -l1:
        w = (pull + l1) / (curvature + l2)
    else:
        w = 0.0
    return min(max(w, low), high)


@compiled
def sweep_matrix(
    H: Array, slope: Array, w: Array, l1: Array, l2: Array, low: Array, high: Array, n_sweeps: int, enough: float
) -> float:
    """Sweeps over all weights, ``slope`` being kept that of the model at w, until no weight lowers it by more.

    The largest fall that one weight made in the last of them.
    """
    fall = 0.0
    for _ in range(n_sweeps):
        fall = 0.0
        for j in range(w.size):
            h = H[j, j]
            if h + l2[j] <= 0.0:
                continue
            new = least_point(w[j], slope[j], h, l1[j], l2[j], low[j], high[j])
            step = new - w[j]
            if step != 0.0:
                w[j] = new
                fall = max(fall, (h + l2[j]) * step * step)
                for k in range(w.size):
                    slope[k] += step * H[j, k]
        if fall <= enough:
            break
    return fall


@compiled_inline
def move_intercepts(theta: Array, a: Array, c: Array, b: Array, moved: Array, mixed: Array) -> float:
    """Put the intercept of each plane where the model is least; the largest fall that one made."""
    fall = 0.0
    for k in range(b.size):
        slope, h = 0.0, 0.0
        for i in range(theta.shape[1]):
            pull = a[k, i] * moved[k, i] - theta[k, i]
            h += a[k, i]
            if c.size > 0:
                pull -= c[k, i] * mixed[i]
                h -= c[k, i] * c[k, i]
            slope += pull
        if h > 0.0:
            step = -slope / h
            b[k] += step
            fall = max(fall, h * step * step)
            for i in range(theta.shape[1]):
                moved[k, i] += step
                if c.size > 0:
                    mixed[i] += c[k, i] * step
    return fall


@compiled
def sweep_columns(
    columns: Rows,
    theta: Array,
    a: Array,
    c: Array,
    w: Array,
    b: Array,
    moved: Array,
    mixed: Array,
    norms: Array,
    l1: Array,
    l2: Array,
    low: Array,
    high: Array,
    intercept: bool,
) -> float:
    """One sweep over the weights of K planes where H is a sum over rows; the largest fall that one weight made.

    In row i the fit has the slope −θ (K×n) and the curvature diag(a) − cc′ (of one plane c is empty). ``moved`` (K×n)
    are the changes of the scores so far, ``mixed`` is c·moved, ``norms`` (K×d) the curvature of each weight.
    ``columns`` are the columns of the table in the place of rows, ``low`` and ``high`` (K×d) of each weight.
    """
    n_planes, n_columns = w.shape
    several = c.size > 0
    fall = 0.0
    for j in range(n_columns):
        begin, end = entries(columns, j)
        for k in range(n_planes):
            h = norms[k, j]
            if h + l2[j] <= 0.0:
                continue
            slope = 0.0
            for p in range(begin, end):
                i = column(columns, p)
                pull = a[k, i] * moved[k, i] - theta[k, i]
                if several:
                    pull -= c[k, i] * mixed[i]
                slope += pull * value(columns, j, p)
            new = least_point(w[k, j], slope, h, l1[j], l2[j], low[k, j], high[k, j])
            step = new - w[k, j]
            if step != 0.0:
                w[k, j] = new
                fall = max(fall, (h + l2[j]) * step * step)
                for p in range(begin, end):
                    i = column(columns, p)
                    change = step * value(columns, j, p)
                    moved[k, i] += change
                    if several:
                        mixed[i] += c[k, i] * change
    if intercept:
        fall = max(fall, move_intercepts(theta, a, c, b, moved, mixed))
    return fall


@compiled
def complete_symmetric(sums: Array, pulls: Array, mean: Array) -> Array:
    """The matrix S − pull·mean′ of which ``sums`` holds S on and below the diagonal, whole and by itself."""
    d = mean.size
    H = np.empty((d, d))
    for i in range(d):
        for j in range(i + 1):
            H[i, j] = sums[i, j] - pulls[i] * mean[j]
    for i in range(0, d, _TILE):
        for j in range(0, i + 1, _TILE):
            for k in range(i, min(i + _TILE, d)):
                for m in range(j, min(j + _TILE, k)):
                    H[m, k] = H[k, m]
    return H
