"""Least squares, as regression and as a classifier."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.findings import Finding, NotConverged, column_names
from discriminant.learners import diagnosis
from discriminant.learners.additive import MomentsLearner
from discriminant.learners.base import class_codes, linear_scores
from discriminant.learners.class_weights import ClassWeight
from discriminant.learners.moment_backends import Evidence
from discriminant.learners.registry import LearnerEntry
from discriminant.learners.sparse_coefficients import SparseCoefficients
from discriminant.learners.sparse_least_squares import LimitedLeastSquares
from discriminant.learners.through_origin import regression_through_origin
from discriminant.learners.weight_limits import LIMITED, Bounds, ColumnGroups, Signs, WeightLimits
from discriminant.linalg.matrix_free import SparseClasses
from discriminant.linalg.regression import RegressionPlanes, matrix_free_planes, refined_planes
from discriminant.parameters import read_flag, read_penalty, read_positive, real_array
from discriminant.rows import ArrayRows, Rows
from discriminant.rows.matrix import column_labels, read_matrix, refuse_non_finite
from discriminant.rows.memory import read_weights, refuse_empty
from discriminant.statistics.moments import ClassMoments

Array = NDArray[np.float64]


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
    X: Any, y: ArrayLike, *, weight: ArrayLike | None = None, alpha: float = 0.0, intercept: bool = True
) -> LeastSquaresFit:
    """Regress y (n, or n×q) on the columns of X, refined until the coefficients are right to the last digits.

    Parameters
    ----------
    X : a table of numbers, dense or sparse.
    y : n numbers, or n×q.
    weight : of the rows.
    alpha : ridge penalty α on ‖w‖².
    intercept : whether there is one.

    Returns
    -------
    LeastSquaresFit
        Coefficients, intercept, rank, Σω·residual² and findings.

    Examples
    --------
    >>> fit = least_squares([[1.0], [2.0], [3.0]], [3.0, 5.0, 7.0])
    >>> fit.coef.tolist(), fit.intercept
    ([2.0], 1.0)
    """
    alpha = read_penalty(alpha, "alpha")
    rows = _regression_rows(X, weight)
    targets = _read_targets(y, rows)
    if rows.stays_sparse:
        planes = matrix_free_planes(SparseClasses.of(rows), targets, alpha, intercept)
    else:
        planes = refined_planes(rows, targets, _mean(rows) if intercept else None, alpha)
    coef, offset, metric = planes.coef, planes.intercept, planes.metric
    residual = targets - linear_scores(rows.matrix, coef, offset)
    squares = rows.weights @ residual**2
    findings = _regression_findings(rows, planes)
    rank = None if metric is None else metric.rank
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
    targets = real_array(y, "y")
    if targets.ndim not in (1, 2) or len(targets) != rows.n_rows:
        raise ValueError(f"y must have one entry for each of the {rows.n_rows} rows, got shape {targets.shape}")
    targets = targets.reshape(rows.n_rows, -1)
    refuse_non_finite(targets, None, "y")
    return targets


def _mean(rows: ArrayRows) -> Array:
    return ClassMoments.of_rows(rows, full=False).mean


def _regression_findings(rows: ArrayRows, planes: RegressionPlanes) -> tuple[Finding, ...]:
    if planes.gradient_left is not None:
        return (NotConverged.of_gradient(planes.gradient_left),)
    metric = planes.metric
    if metric is None:
        return ()
    findings = diagnosis.condition_findings(metric)
    if metric.null.shape[1] and rows.n_columns <= rows.n_rows:
        scales = diagnosis.column_scales(ClassMoments.of_rows(rows, full=False))
        involved = column_names(diagnosis.involved_columns(metric.null, scales), rows.names)
        relations = diagnosis.column_relations(metric.null, scales, rows.names)
        findings += diagnosis.redundant_columns_finding(involved, relations, metric.rank, rows.n_columns)
    return findings


class LeastSquaresClassifier(LimitedLeastSquares, SparseCoefficients, MomentsLearner):
    """Least squares on class codes.

    Parameters
    ----------
    alpha : ridge penalty α on ‖w‖²; 0 is plain least squares (the pseudo-inverse where columns are redundant).
    l1_ratio : ρ of the elastic net, from 0 (the ridge) to 1 (the lasso: sparse weights). scikit-learn's ElasticNet
        divides the squares by the number of rows: its alpha is α/n.
    bounds : (low, high) of some weights, None where there is none: ``{"age": (0, None)}``, by name or place, or a pair
        for each column; of more than two classes by class, ``{"setosa": {"age": (0, None)}}``.
    monotone : 1 for columns whose weight must not be negative, −1 for not positive: ``{"age": 1}``; likewise.
    column_groups : lists of columns (names or places) whose weights are zero together or not at all, such as the
        indicators of one category: √|G|·‖w_G‖ in the place of their part of ‖w‖₁. Columns of a group have no bounds.
    fit_intercept : False for planes through the origin; the criterion is the same without b.
    class_weight : None, a mapping of classes to weights, or "balanced"; it multiplies ``sample_weight``. A class of
        weight 0 stays in ``classes_``, and no row is assigned to it.
    tol : with ``l1_ratio``, ``bounds`` or ``monotone``, the relative duality gap (primal − dual)/primal to reach.

    Attributes
    ----------
    coef_, intercept_ : arrays 1×d and 1, of K > 2 classes K×d and K: the weights w and −θ.
    classes_ : array of K labels, sorted.
    findings_ : tuple of `Finding`: what was odd about the data or the fit.
    rank_ : int, of the columns; None for large sparse rows and with limits, where it is not computed.
    primal_, dual_, gap_ : with ``l1_ratio``, ``bounds`` or ``monotone``: both criteria and the relative gap, numbers,
        of K > 2 classes arrays.
    proved_zero_ : likewise, array like ``coef_``: which zeros are proved to be zero at the optimum.
    multipliers_ : likewise, array like ``coef_``: the fall of the criterion if a bound gave way by one unit, positive
        at ``high``.
    kkt_ : likewise, the largest violation of the conditions of optimality.
    n_iter_ : likewise, int, the steps.

    Notes
    -----
    The weights w and the intercept b solve

        minimise  ½Σ ω_i (y_i − b − w·x_i)² + α(ρ‖w‖₁ + ½(1 − ρ)‖w‖²),   low ≤ w ≤ high      (b is never penalised)

    The classifier regresses codes: −1 and +1 for two classes, +1 for a row's own class and −1 for the others with
    more. Where columns are combinations of one another the weights are not unique; the shortest are taken and the
    columns named.

    Two classes in some hundred hardly correlated columns are solved by conjugate gradients to ten digits, without the
    d×d scatter. A model keeps no rows, so that rows can be added to such a fit or forgotten only if it was begun with
    ``partial_fit``, which keeps the scatter.

    Examples
    --------
    >>> model = LeastSquaresClassifier().fit([[0.0], [1.0], [3.0], [4.0]], ["a", "a", "b", "b"])
    >>> model.predict([[1.9], [2.1]]).tolist()
    ['a', 'b']
    """

    def __init__(
        self,
        *,
        alpha: float = 0.0,
        l1_ratio: float = 0.0,
        bounds: Bounds = None,
        monotone: Signs = None,
        column_groups: ColumnGroups = None,
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
        tol: float = 1e-8,
    ) -> None:
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.bounds = bounds
        self.monotone = monotone
        self.column_groups = column_groups
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol

    def check_parameters(self) -> None:
        """Refuse parameters that make no sense, before any row is touched."""
        read_penalty(self.alpha, "alpha")
        read_positive(self.tol, "tol")
        WeightLimits.of(self).check()
        read_flag(self.fit_intercept, "fit_intercept")

    def wants_each_class(self) -> bool | None:
        """Whether to keep the scatter of each class."""
        # the total scatter is all it needs, but of few columns that of each class is the faster way there
        return None if self.n_features_in_ < 64 else False

    def learn_from(self, evidence: Evidence, rows: Rows | None) -> None:
        """Set the attributes from the evidence."""
        for name in (*LIMITED, "n_iter_"):
            self.__dict__.pop(name, None)  # of an earlier fit
        if self._limited:
            self._learn_limited(evidence, rows, class_codes(evidence.classes.size))
            return
        codes = class_codes(evidence.classes.size)
        if self.fit_intercept:
            answer = evidence.regress(codes, float(self.alpha))
        else:
            answer = regression_through_origin(evidence, rows, codes, float(self.alpha))
        self.classes_ = evidence.classes
        self.coef_ = answer.coef
        self.intercept_ = answer.intercept
        self.rank_ = answer.rank
        self.findings_ = answer.findings


LEARNERS = (
    LearnerEntry("least-squares", "Least squares", LeastSquaresClassifier, closed_form=True, wide=True, signs=True),
)
