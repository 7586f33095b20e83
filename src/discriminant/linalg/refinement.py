"""Least squares to the last digit: any rough solver, and residuals in twice the working precision.

    given    rows x_i, targets y_i, weights ω_i, a metric of Σω(x − m)(x − m)′ + αI
    repeat   r_i = y_i − b − x_i·β                          (twice the working precision)
             g = Σω r(x − m) − αβ,   s = Σω r               (twice the working precision)
             β += metric.solve(g),   b += s/n − m·(the same step)

Each round multiplies the error by about ε·cond, so the limit is the exact solution of the given rows, rounded.
"""

import numpy as np
from numpy.typing import NDArray

from discriminant.kernels.extended import centred, residual_sums
from discriminant.linalg.metric import EPS, Metric
from discriminant.rows.matrix import Matrix, blocks

Array = NDArray[np.float64]

_MOST_ROUNDS = 40


def refined_least_squares(
    matrix: Matrix,
    y: Array,
    weight: Array | None,
    metric: Metric,
    centre: Array | None,
    ridge: float = 0.0,
) -> tuple[Array, float]:
    """(β, b) of least Σω(y − b − x·β)² + ridge‖β‖²; ``centre`` is the mean of the rows, or None for no intercept."""
    d = matrix.shape[1]
    total = float(len(y) if weight is None else weight.sum())
    m = np.zeros(d) if centre is None else centre
    beta, beta_low = np.zeros(d), np.zeros(d)
    b, b_low = 0.0, 0.0
    best_step, step_size, rounds = np.inf, np.inf, 0
    while rounds < _MOST_ROUNDS:
        s, g = _gradient(matrix, y, weight, beta, beta_low, b, b_low, m)
        step = metric.solve(g - ridge * beta - ridge * beta_low)
        shift = 0.0 if centre is None else s / total - float(m @ step)
        step_size = _relative(step, beta)
        if rounds and (step_size >= best_step / 2 or not np.isfinite(step_size)):
            break  # no more digits to be had
        best_step = step_size
        beta, beta_low = _accumulate(beta, beta_low, step)
        pair = _accumulate(np.array([b]), np.array([b_low]), np.array([shift]))
        b, b_low = float(pair[0][0]), float(pair[1][0])
        rounds += 1
        if step_size < EPS / 4 and abs(shift) <= EPS / 4 * abs(b):
            break
    return beta, b


def _gradient(
    matrix: Matrix,
    y: Array,
    weight: Array | None,
    beta: Array,
    beta_low: Array,
    b: float,
    b_low: float,
    m: Array,
) -> tuple[float, Array]:
    """(Σωr, Σωr(x − m)), summed in twice the working precision and then rounded."""
    high, low = np.zeros(beta.size + 1), np.zeros(beta.size + 1)
    none = np.empty(0)
    for part, block in blocks(matrix, 4096):
        residual_sums(block, y[part], none if weight is None else weight[part], beta, beta_low, b, b_low, high, low)
    gradient = np.empty(beta.size)
    centred(high, low, m, gradient)
    return float(high[0] + low[0]), gradient


def _accumulate(high: Array, low: Array, step: Array) -> tuple[Array, Array]:
    """(high + low) + step, renormalised."""
    total = high + step
    back = total - high
    error = (high - (total - back)) + (step - back) + low
    renormalised = total + error
    return renormalised, error - (renormalised - total)


def _relative(step: Array, beta: Array) -> float:
    """The largest step beside its own coefficient."""
    size = np.maximum(np.abs(beta), np.abs(beta + step))
    moved = size > 0
    return float((np.abs(step[moved]) / size[moved]).max(initial=0.0))
