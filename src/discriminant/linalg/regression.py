"""Least squares on rows: an orthogonal factor for the metric, refinement for the digits; products alone if sparse.

minimise  Σ ω (t − b − w·x)² + α‖w‖²   for each of q targets
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from discriminant.linalg.matrix_free import SparseClasses, regress
from discriminant.linalg.metric import EPS, Metric, metric_of_factor
from discriminant.linalg.refinement import refined_least_squares
from discriminant.linalg.row_space import LiftedMetric, RowSpace
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import dense_block
from discriminant.rows.memory import LARGEST_SUMMED
from discriminant.rows.threads import over_spans
from discriminant.statistics.moments import rounding_scatter
from discriminant.statistics.triangular import TriangularFactor

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Planes:
    """Solutions: coef (q×d), intercept (q), the metric where one was formed, the gradient left where iterated."""

    coef: Array
    intercept: Array
    metric: Metric | None = None
    gradient_left: float | None = None


def refined_planes(rows: ArrayRows, targets: Array, centre: Array | None, alpha: float) -> Planes:
    """The planes of targets (n×q), right to the last digits; ``centre`` is the mean, or None for no intercept."""
    large = np.empty(0, dtype=np.intp)
    if centre is not None:
        large = rows.large_constants(LARGEST_SUMMED)  # twice the working precision has no room for them
        rows, centre = rows.with_zeros(large), np.where(np.isin(np.arange(centre.size), large), 0.0, centre)
    metric = metric_of_rows(rows, np.zeros(rows.n_columns) if centre is None else centre, alpha)
    answers = [
        refined_least_squares(rows.matrix, target, rows.weight, metric, centre, alpha) for target in targets.T.copy()
    ]
    coef = np.vstack([beta for beta, _ in answers])
    coef[:, large] = 0.0
    return Planes(coef, np.array([b for _, b in answers]), metric)


def polished_planes(
    rows: ArrayRows, targets: Array, metric: Metric, planes: Planes, centre: Array, alpha: float
) -> Planes:
    """Planes solved from squares, corrected twice by residuals of the rows themselves.

    That takes the error from ε·cond² times the size of the moments to what the rounding of the residuals leaves, which
    is ε·cond where they are small. ``targets`` (K×q) are those of each class. One pass in working precision costs a
    fraction of the scatter.
    """
    coef, intercept = planes.coef, planes.intercept
    for _ in range(2):
        residuals = partial(_residual_sums, rows, targets, coef, intercept, centre)
        sums = np.sum(over_spans(residuals, rows.n_rows, rows.n_columns), axis=0)
        step = metric.solve(sums[:-1] - alpha * coef.T).T
        intercept = intercept + sums[-1] / rows.total_weight - step @ centre
        coef = coef + step
    return Planes(coef, intercept, metric)


def _residual_sums(
    rows: ArrayRows, targets: Array, coef: Array, intercept: Array, centre: Array, start: int, stop: int
) -> Array:
    """Σωr(x − centre) over Σωr ((d+1)×q) of a span of rows."""
    total = np.zeros((rows.n_columns + 1, len(coef)))
    offset = intercept + coef @ centre
    for a in range(start, stop, 1024):
        b = min(a + 1024, stop)
        Z = dense_block(rows.matrix, a, b) - centre
        residual = targets[rows.codes[a:b]] - Z @ coef.T - offset
        if rows.weight is not None:
            residual *= rows.weight[a:b, None]
        total[:-1] += Z.T @ residual
        total[-1] += residual.sum(axis=0)
    return total


def metric_of_rows(rows: ArrayRows, centre: Array, alpha: float) -> Metric:
    """The metric of Σω(x − centre)(x − centre)′ + αI, by orthogonal factors alone."""
    if rows.n_rows >= rows.n_columns:
        factor = TriangularFactor.of_rows(rows, np.tile(centre, (rows.classes.size, 1)))
        return metric_of_factor(_with_ridge(factor.R, alpha), rounding_scatter(rows.total_weight, centre[None], 4))
    Z = dense_block(rows.matrix, 0, rows.n_rows) - centre
    if rows.weight is not None:
        Z *= np.sqrt(rows.weight)[:, None]
    space = RowSpace.of(Z)
    noise = space.errors(np.sqrt(rows.total_weight) * 4 * EPS * np.abs(centre)) ** 2
    return LiftedMetric.of(space, metric_of_factor(_with_ridge(space.coordinates, alpha), noise))


def _with_ridge(R: Array, alpha: float) -> Array:
    """R stacked on √α I."""
    return np.vstack([R, np.sqrt(alpha) * np.eye(R.shape[1])]) if alpha > 0 else R


def matrix_free_planes(sums: SparseClasses, targets: Array, alpha: float, intercept: bool = True) -> Planes:
    """The planes of targets (n×q), without any d×d matrix."""
    if not intercept:
        sums = SparseClasses(sums.rows, sums.counts, np.zeros_like(sums.means))
    root = sums.root_weight
    target_mean = root**2 @ targets / sums.n if intercept else np.zeros(targets.shape[1])
    answer = regress(sums, root[:, None] * (targets - target_mean), alpha)
    coef = answer.coef.T
    left = None if answer.converged else answer.gradient_left
    return Planes(coef, target_mean - coef @ sums.mean, gradient_left=left)
