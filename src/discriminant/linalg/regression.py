"""Least squares on rows: an orthogonal factor for the metric, refinement for the digits; products alone if sparse.

minimise  Σ ω (t − b − w·x)² + α‖w‖²   for each of q targets
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.linalg.matrix_free import SparseClasses, regress
from discriminant.linalg.metric import EPS, Metric
from discriminant.linalg.refinement import class_residuals, refined_least_squares, target_residuals
from discriminant.linalg.ridge import ridge_metric_of_factor
from discriminant.linalg.row_space import LiftedMetric, RowSpace
from discriminant.rows import ArrayRows, Rows
from discriminant.rows.matrix import dense_block
from discriminant.rows.memory import LARGEST_SUMMED
from discriminant.rows.views import ChangedRows, ZeroColumns
from discriminant.statistics.moments import ClassMoments
from discriminant.statistics.residuals import CentredResiduals
from discriminant.statistics.shifted_sums import rounding_scatter
from discriminant.statistics.triangular import TriangularFactor

Array = NDArray[np.float64]


@dataclass(frozen=True)
class RegressionPlanes:
    """Solutions: coef (q×d), intercept (q), the metric where one was formed, the gradient left where iterated."""

    coef: Array
    intercept: Array
    metric: Metric | None = None
    gradient_left: float | None = None


def refined_planes(rows: ArrayRows, targets: Array, centre: Array | None, alpha: float) -> RegressionPlanes:
    """The planes of targets (n×q) of rows in memory, right to the last digits; ``centre`` None is for no intercept."""
    large = np.empty(0, dtype=np.intp)
    if centre is not None:
        large = rows.large_constants(LARGEST_SUMMED)  # twice the working precision has no room for them
        rows, centre = rows.with_zeros(large), _with_zeros(centre, large)
    metric = metric_of_rows(rows, np.zeros(rows.n_columns) if centre is None else centre, alpha)
    residuals = target_residuals(rows, targets)
    shape = targets.shape[1], rows.n_columns
    coef, intercept = refined_least_squares(residuals, shape, rows.total_weight, metric, centre, alpha)
    coef[:, large] = 0.0
    return RegressionPlanes(coef, intercept, metric)


def refined_class_planes(rows: Rows, m: ClassMoments, targets: Array, alpha: float) -> RegressionPlanes:
    """The planes of targets of each class (K×q), right to the last digits, of rows wherever they are."""
    constant = (np.diagonal(m.within) == 0) & (np.ptp(m.means, axis=0) == 0)
    large = np.flatnonzero(constant & (np.abs(m.means[0]) > LARGEST_SUMMED))
    centre = _with_zeros(m.mean, large)
    if large.size:  # twice the working precision has no room for them
        rows = ChangedRows(rows, ZeroColumns(large))
    factor = TriangularFactor.of_source(rows, m.classes, np.tile(centre, (m.classes.size, 1)))
    metric = ridge_metric_of_factor(factor.R, alpha, rounding_scatter(m.n, centre[None], 4))
    residuals = class_residuals(rows, m.classes, targets)
    shape = targets.shape[1], m.n_columns
    coef, intercept = refined_least_squares(residuals, shape, m.n, metric, centre, alpha)
    coef[:, large] = 0.0
    return RegressionPlanes(coef, intercept, metric)


def _with_zeros(centre: Array, columns: NDArray[np.intp]) -> Array:
    zeroed = centre.copy()
    zeroed[columns] = 0.0
    return zeroed


def polished_planes(
    rows: Rows, m: ClassMoments, targets: Array, metric: Metric, planes: RegressionPlanes, alpha: float
) -> RegressionPlanes:
    """Planes solved from squares, corrected twice by residuals of the rows themselves.

    That takes the error from ε·cond² times the size of the moments to what the rounding of the residuals leaves, which
    is ε·cond where they are small. ``targets`` (K×q) are those of each class. One pass in working precision costs a
    fraction of the scatter.
    """
    coef, intercept, centre = planes.coef, planes.intercept, m.mean
    centres = np.tile(centre, (m.classes.size, 1))
    for _ in range(2):
        sums = rows.fold(CentredResiduals(m.classes, targets - (intercept + coef @ centre), coef, centres))
        step = metric.solve(sums[:-1] - alpha * coef.T).T
        intercept = intercept + sums[-1] / m.n - step @ centre
        coef = coef + step
    return RegressionPlanes(coef, intercept, metric)


def metric_of_rows(rows: ArrayRows, centre: Array, alpha: float) -> Metric:
    """The metric of Σω(x − centre)(x − centre)′ + αI, by orthogonal factors alone."""
    if rows.n_rows >= rows.n_columns:
        factor = TriangularFactor.of_rows(rows, np.tile(centre, (rows.classes.size, 1)))
        return ridge_metric_of_factor(factor.R, alpha, rounding_scatter(rows.total_weight, centre[None], 4))
    space = RowSpace.of(rows.weigh_squares(dense_block(rows.matrix, 0, rows.n_rows) - centre))
    noise = space.errors(np.sqrt(rows.total_weight) * 4 * EPS * np.abs(centre)) ** 2
    return LiftedMetric.of(space, ridge_metric_of_factor(space.coordinates, alpha, noise))


def matrix_free_planes(sums: SparseClasses, targets: Array, alpha: float, intercept: bool = True) -> RegressionPlanes:
    """The planes of targets (n×q), without any d×d matrix."""
    if not intercept:
        sums = SparseClasses(sums.rows, sums.counts, np.zeros_like(sums.means))
    root = sums.root_weight
    target_mean = root**2 @ targets / sums.n if intercept else np.zeros(targets.shape[1])
    answer = regress(sums, root[:, None] * (targets - target_mean), alpha)
    coef = answer.coef.T
    left = None if answer.converged else answer.gradient_left
    return RegressionPlanes(coef, target_mean - coef @ sums.mean, gradient_left=left)
