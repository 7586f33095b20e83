"""Proximal Newton steps on some columns: the fit by its quadratic model, the penalty as it is."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.kernels.coordinate_descent import sweep_columns
from discriminant.kernels.group_descent import sweep_column_groups
from discriminant.optimise.composite.columns import ScaledColumns
from discriminant.optimise.composite.fits import Fit
from discriminant.optimise.composite.group_quadratic import minimise_grouped, steepest_of
from discriminant.optimise.composite.groups import GroupedPenalty
from discriminant.optimise.composite.penalty import WeightPenalty
from discriminant.optimise.composite.quadratic import minimise_quadratic

Array = NDArray[np.float64]

_MOST_GRAM = 3000  # columns whose products are formed, in 72 MB
_MOST_TOGETHER = 600  # weights of several planes, from where on sweeps over the rows are less work than their matrix
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
    """The step to the least point of the model at the scores, from weights v of these columns; θ·x are their slopes.

    ``left`` is the relative gap: the nearer the optimum, the more of the model is worth knowing. Rows without
    curvature get a share of the largest there is, else they would say nothing of how far to go.
    """  # fmt: skip
    a, c = fit.curvature(scores)
    a = np.where(a > 0.0, a, min(left, _LEAST_CURVATURE) * fit.steepest * fit.weight)
    precision = float(np.clip(_FORCING * left, _FINEST, _COARSEST))
    if len(a) > 1 and v.size <= _MOST_TOGETHER:
        return _of_planes(columns, penalty, v, theta, slopes, a, c, precision)
    if len(a) > 1 or columns.n_columns > _MOST_GRAM:
        return _by_sweeps(columns, penalty, v, theta, a, c)
    h = a[0]
    H, mean = columns.gram(h)
    new = least_of_model(H, -slopes[0], v[0], penalty, precision)[None, :]
    step_b = np.zeros(1)
    if columns.intercept:
        total = h.sum()
        step_b = -((new - v) @ mean) + (theta.sum() / total if total > 0 else 0.0)
    return Step(new, step_b, columns.scores(new - v, step_b))


def least_of_model(H: Array, slope: Array, w: Array, penalty: WeightPenalty, precision: float = 1e-5) -> Array:
    """The least point of a quadratic model plus a penalty of weights alone or in groups."""
    if isinstance(penalty, GroupedPenalty):
        return minimise_grouped(H, slope, w, penalty, precision)
    return minimise_quadratic(H, slope, w, penalty, precision)


def _of_planes(
    columns: ScaledColumns,
    penalty: WeightPenalty,
    v: Array,
    theta: Array,
    slopes: Array,
    a: Array,
    c: Array,
    precision: float,
) -> Step:
    """The step of several planes by the matrix of all their weights, with the intercepts eliminated."""
    H, cross, corner = _curvature_of_planes(columns, a, c)
    shift = np.zeros(len(a))
    if columns.intercept:
        inverse = np.linalg.pinv(corner, hermitian=True)
        H = H - cross @ inverse @ cross.T
    new = least_of_model(H, -slopes.ravel(), v.ravel(), penalty.of_all_planes(len(a)), precision).reshape(v.shape)
    if columns.intercept:
        shift = inverse @ (theta.sum(axis=1) - (new - v).ravel() @ cross)
    return Step(new, shift, columns.scores(new - v, shift))


def _curvature_of_planes(columns: ScaledColumns, a: Array, c: Array) -> tuple[Array, Array, Array]:
    """The curvature of the weights of all planes (Kd×Kd), of weights and intercepts (Kd×K), of intercepts (K×K)."""
    K, d = len(a), columns.n_columns
    H, cross, corner = np.empty((K, d, K, d)), np.empty((K, d, K)), np.empty((K, K))
    for k in range(K):
        for m in range(k + 1):
            h = a[k] - c[k] ** 2 if k == m else -c[k] * c[m]
            H[k, :, m, :] = columns.products(h)
            H[m, :, k, :] = H[k, :, m, :]
            cross[k, :, m] = cross[m, :, k] = columns.correlations(h[None])[0]
            corner[k, m] = corner[m, k] = h.sum()
    return H.reshape(K * d, K * d), cross.reshape(K * d, K), corner


def _by_sweeps(columns: ScaledColumns, penalty: WeightPenalty, v: Array, theta: Array, a: Array, c: Array) -> Step:
    """The step by single weights or groups, where the matrix of all of them together is too large to be formed."""
    new, b = v.copy(), np.zeros(len(v))
    state = columns.for_kernel(), theta, a, c, new, b, np.zeros_like(theta), np.zeros(theta.shape[1])
    low, high = (np.ascontiguousarray(np.broadcast_to(ends, v.shape)) for ends in (penalty.low, penalty.high))
    limits = penalty.l1, penalty.l2, low, high, columns.intercept
    if isinstance(penalty, GroupedPenalty):
        sweep: Any = sweep_column_groups
        form: tuple[Any, ...] = (*penalty.members, penalty.strength, _steepest(columns, penalty, a, c))
    else:
        sweep, form = sweep_columns, (columns.curvatures(a, c),)
    first = 0.0
    for _ in range(_MOST_SWEEPS):
        fall = sweep(*state, *form, *limits)
        first = max(first, fall)
        if fall <= _SWEEP_SHARE * first:
            break
    return Step(new, b, state[6])


def _steepest(columns: ScaledColumns, penalty: GroupedPenalty, a: Array, c: Array) -> Array:
    """A bound of the curvature of each plane and part (K×parts)."""
    order, begins = penalty.members
    own = columns.curvatures(a, c)[:, order]
    found = np.empty((len(a), begins.size - 1))
    found[:, penalty.strength.size :] = own[:, begins[penalty.strength.size] :]
    for g in range(penalty.strength.size):
        part = columns.take(order[begins[g] : begins[g + 1]])
        for k in range(len(a)):
            found[k, g] = steepest_of(part.products(a[k] - c[k] ** 2 if c.size else a[k]))
    return found


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
