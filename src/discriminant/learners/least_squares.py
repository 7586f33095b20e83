"""Least squares, as regression and as a classifier.

    minimise  Σ ω_i (y_i − b − w·x_i)² + α‖w‖²          (the intercept b is never penalised)

The classifier regresses codes: −1 and +1 for two classes, +1 for a row's own class and −1 for the others with
more. Where columns are combinations of one another the weights are not unique; the shortest are taken and the
columns named.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from discriminant.findings import Finding, NotConverged, column_names
from discriminant.learners import diagnosis
from discriminant.learners.additive import read_penalty
from discriminant.learners.base import linear_scores
from discriminant.learners.evidence import Evidence
from discriminant.learners.moments_learner import MomentsLearner
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import column_labels, dense_block, read_matrix, refuse_non_finite
from discriminant.rows.source import read_weights, refuse_empty
from discriminant.solvers.matrix_free import SparseClasses, regress
from discriminant.solvers.metric import EPS, LiftedMetric, Metric, RowSpace, metric_of_factor
from discriminant.solvers.refinement import refined_least_squares
from discriminant.statistics.triangular import TriangularFactor

Array = NDArray[np.float64]

_DENSE_COLUMNS = 2000


@dataclass(frozen=True)
class LeastSquaresFit:
    """Coefficients (d, or q×d for q targets), intercept, rank, Σω·residual², and findings."""

    coef: Array
    intercept: Array | float
    rank: int | None
    residual_sum_of_squares: Array | float
    findings_: tuple[Finding, ...]

    def predict(self, X: Any) -> Array:
        """b + w·x of each row."""
        coef = np.atleast_2d(self.coef)
        values = linear_scores(read_matrix(X), coef, np.atleast_1d(self.intercept))
        return values[:, 0] if np.ndim(self.intercept) == 0 else values


def least_squares(
    X: Any, y: ArrayLike, *, weight: Any = None, alpha: float = 0.0, intercept: bool = True
) -> LeastSquaresFit:
    """Regress y (n, or n×q) on the columns of X, refined until the coefficients are right to the last digits.

    >>> fit = least_squares([[1.0], [2.0], [3.0]], [3.0, 5.0, 7.0])
    >>> fit.coef.tolist(), fit.intercept
    ([2.0], 1.0)
    """
    alpha = read_penalty(alpha, "alpha")
    rows = _regression_rows(X, weight)
    targets = _read_targets(y, rows)
    if sparse.issparse(rows.matrix) and rows.n_columns > _DENSE_COLUMNS:
        coef, offset, rank, findings = _sparse_regression(rows, targets, alpha, intercept)
    else:
        coef, offset, rank, findings = _dense_regression(rows, targets, alpha, intercept)
    residual = targets - linear_scores(rows.matrix, coef, offset)
    squares = (residual**2 if rows.weight is None else rows.weight[:, None] * residual**2).sum(axis=0)
    if np.ndim(y) == 1:
        return LeastSquaresFit(coef[0], float(offset[0]), rank, float(squares[0]), findings)
    return LeastSquaresFit(coef, offset, rank, squares, findings)


def _regression_rows(X: Any, weight: Any) -> ArrayRows:
    matrix = read_matrix(X)
    refuse_empty(matrix)
    names = column_labels(X)
    refuse_non_finite(matrix, names)
    one_class = np.zeros(matrix.shape[0], dtype=np.int32)
    return ArrayRows(matrix, np.zeros(1), one_class, read_weights(weight, matrix.shape[0]), names)


def _read_targets(y: ArrayLike, rows: ArrayRows) -> Array:
    try:
        targets = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"y must be numbers, one (or q) for each row ({error})") from error
    if targets.ndim not in (1, 2) or len(targets) != rows.n_rows:
        raise ValueError(f"y must have one entry for each of the {rows.n_rows} rows, got shape {targets.shape}")
    targets = targets.reshape(rows.n_rows, -1)
    refuse_non_finite(targets, None, "y")
    return targets


def _dense_regression(
    rows: ArrayRows, targets: Array, alpha: float, intercept: bool
) -> tuple[Array, Array, int, tuple[Finding, ...]]:
    centre = _weighted_mean(rows) if intercept else np.zeros(rows.n_columns)
    n = float(rows.n_rows if rows.weight is None else rows.weight.sum())
    largest = np.abs(centre)
    metric = _metric_of_rows(rows, centre, alpha, n * (4 * EPS * largest) ** 2)
    answers = [
        refined_least_squares(rows.matrix, t, rows.weight, metric, centre if intercept else None, alpha)
        for t in targets.T.copy()
    ]
    findings = diagnosis.of_condition(metric)
    if metric.null.shape[1] and rows.n_columns <= rows.n_rows:
        scales = np.sqrt(np.einsum("ij,ij->j", *[dense_block(rows.matrix, 0, rows.n_rows)] * 2) / rows.n_rows)
        scales = np.where(scales > 0, scales, 1.0)
        involved = column_names(diagnosis.involved(metric.null, scales), rows.names)
        relations = diagnosis.relations(metric.null, scales, rows.names)
        findings += diagnosis.redundant(involved, relations, metric.rank, rows.n_columns)
    return (
        np.vstack([a.coef for a in answers]),
        np.array([a.intercept for a in answers]),
        metric.rank,
        findings,
    )


def _weighted_mean(rows: ArrayRows) -> Array:
    weight = np.ones(rows.n_rows) if rows.weight is None else rows.weight
    first = dense_block(rows.matrix, 0, 1)[0]
    total = np.zeros(rows.n_columns)
    for a in range(0, rows.n_rows, 4096):
        b = min(a + 4096, rows.n_rows)
        total += weight[a:b] @ (dense_block(rows.matrix, a, b) - first)
    return first + total / weight.sum()


def _metric_of_rows(rows: ArrayRows, centre: Array, alpha: float, noise: Array) -> Metric:
    """The metric of Σω(x − centre)(x − centre)′ + αI, by orthogonal factors alone."""
    if rows.n_rows >= rows.n_columns:
        factor = TriangularFactor.of_rows(rows, centre[None, :])
        if alpha > 0:
            factor = factor + TriangularFactor(np.sqrt(alpha) * np.eye(rows.n_columns))
        return metric_of_factor(factor.R, noise)
    Z = dense_block(rows.matrix, 0, rows.n_rows) - centre
    if rows.weight is not None:
        Z *= np.sqrt(rows.weight)[:, None]
    space = RowSpace.of(Z)
    coordinates = space.coordinates
    if alpha > 0:
        coordinates = np.vstack([coordinates, np.sqrt(alpha) * np.eye(len(coordinates))])
    level = (16 * rows.n_rows * EPS) ** 2 * float((Z * Z).sum())
    return LiftedMetric(space, metric_of_factor(coordinates, np.full(rows.n_rows, max(level, float(noise.max())))))


def _sparse_regression(
    rows: ArrayRows, targets: Array, alpha: float, intercept: bool
) -> tuple[Array, Array, None, tuple[Finding, ...]]:
    sums = SparseClasses.of(rows)
    if not intercept:
        sums = SparseClasses(rows, sums.counts, np.zeros_like(sums.means))
    weight = sums.root_weight**2
    target_mean = weight @ targets / weight.sum() if intercept else np.zeros(targets.shape[1])
    answer = regress(sums.total_operator(), sums.root_weight[:, None] * (targets - target_mean), alpha)
    findings: tuple[Finding, ...] = ()
    if not answer.converged:
        findings = (NotConverged.of_gradient(answer.gradient_left),)
    coef = answer.coef.T
    return coef, target_mean - coef @ sums.mean, None, findings


class LeastSquaresClassifier(MomentsLearner):
    """Least squares on class codes.

    Parameters
    ----------
    alpha : ridge penalty α on ‖w‖²; 0 is plain least squares (the pseudo-inverse where columns are redundant).

    Attributes
    ----------
    coef_, intercept_, classes_, rank_ (None for large sparse rows, where it is not computed), findings_.

    >>> model = LeastSquaresClassifier().fit([[0.0], [1.0], [3.0], [4.0]], ["a", "a", "b", "b"])
    >>> model.predict([[1.9], [2.1]]).tolist()
    ['a', 'b']
    """

    def __init__(self, *, alpha: float = 0.0) -> None:
        self.alpha = alpha

    def _check_parameters(self) -> None:
        read_penalty(self.alpha, "alpha")

    def _learn(self, evidence: Evidence, rows: ArrayRows | None) -> None:
        answer = evidence.regress(class_codes(evidence.classes.size), float(self.alpha))
        self.classes_ = evidence.classes
        self.coef_ = answer.coef
        self.intercept_ = answer.intercept
        self.rank_ = answer.rank
        self.findings_ = answer.findings


def class_codes(n_classes: int) -> Array:
    """Targets of each class (K×q): ∓1 in one column for two classes, else a column each."""
    if n_classes == 2:
        return np.array([[-1.0], [1.0]])
    return 2.0 * np.eye(n_classes) - 1.0
