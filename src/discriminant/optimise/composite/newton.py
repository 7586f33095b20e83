"""Proximal Newton steps on some columns: the fit by its quadratic model, the penalty as it is."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.kernels.coordinate_descent import sweep_columns
from discriminant.optimise.composite.columns import ScaledColumns
from discriminant.optimise.composite.fits import Fit
from discriminant.optimise.composite.penalty import WeightPenalty
from discriminant.optimise.composite.quadratic import minimise_quadratic

Array = NDArray[np.float64]

_MOST_GRAM = 3000  # columns whose products are formed, in 72 MB
_SUFFICIENT = 1e-4  # of the fall that the model promises
_HALVINGS = 40
_LEAST_CURVATURE = 1e-2  # of the largest, of any row, while the gap is larger than that
_FORCING, _FINEST, _COARSEST = 0.1, 1e-6, 3e-2  # share of the slopes that a model may leave, for each of the gap
_MOST_SWEEPS = 200
_SWEEP_SHARE = 1e-6  # of the fall of the first sweep at which sweeps end
_ROUNDING = 1e-13


@dataclass(frozen=True)
class Step:
    """Weights (K×d) where the model is least, and the change of the intercepts (K) and of the scores (K×n)."""

    v: Array
    intercept: Array
    scores: Array


def model_step(
    fit: Fit,
    columns: ScaledColumns,
    penalty: WeightPenalty,
    v: Array,
    scores: Array,
    theta: Array,
    slopes: Array,
    left: float,
) -> Step:
    """To the least point of the model at the scores, from the weights v of these columns; θ·x are their slopes.

    ``left`` is the relative gap: the nearer the optimum, the more of the model is worth knowing. Rows without
    curvature get a share of the largest there is, else they would say nothing of how far to go.
    """  # fmt: skip
    a, c = fit.curvature(scores)
    a = np.where(a > 0.0, a, min(left, _LEAST_CURVATURE) * fit.steepest * fit.weight)
    if len(a) > 1 or columns.n_columns > _MOST_GRAM:
        return _by_sweeps(columns, penalty, v, theta, a, c)
    h = a[0]
    H, mean = columns.gram(h)
    precision = float(np.clip(_FORCING * left, _FINEST, _COARSEST))
    new = minimise_quadratic(H, -slopes[0], v[0], penalty, precision)[None, :]
    step_b = np.zeros(1)
    if columns.intercept:
        total = h.sum()
        step_b = -((new - v) @ mean) + (theta.sum() / total if total > 0 else 0.0)
    return Step(new, step_b, columns.scores(new - v, step_b))


def _by_sweeps(columns: ScaledColumns, penalty: WeightPenalty, v: Array, theta: Array, a: Array, c: Array) -> Step:
    """By single weights, where the matrix of all of them together is too large to be formed."""
    new, b = v.copy(), np.zeros(len(v))
    moved, mixed = np.zeros_like(theta), np.zeros(theta.shape[1])
    rows, norms = columns.for_kernel(), columns.curvatures(a, c)
    first = 0.0
    for _ in range(_MOST_SWEEPS):
        fall = sweep_columns(
            rows, theta, a, c, new, b, moved, mixed, norms,
            penalty.l1, penalty.l2, penalty.low, penalty.high, columns.intercept,
        )  # fmt: skip
        first = max(first, fall)
        if fall <= _SWEEP_SHARE * first:
            break
    return Step(new, b, moved)


def step_length(
    fit: Fit, penalty: WeightPenalty, value: float, v: Array, scores: Array, theta: Array, step: Step
) -> float:
    """The first of 1, ½, ¼ … at which the criterion falls enough; 0 if none does.

    Where the promised fall is lost in the rounding of the criterion, its value cannot judge the step, which is taken.
    """
    change, penalised = step.v - v, penalty.value(v)
    promised = penalty.value(step.v) - penalised - float((theta * step.scores).sum())
    if abs(promised) <= _ROUNDING * abs(value):
        return 1.0
    share = 1.0
    for _ in range(_HALVINGS):
        tried = fit.value(scores + share * step.scores) + penalty.value(v + share * change)
        if tried <= value + _SUFFICIENT * share * promised:
            return share
        share *= 0.5
    return 0.0
