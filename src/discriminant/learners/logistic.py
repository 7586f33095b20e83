"""Logistic regression by maximum likelihood, of two classes or several."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.findings import Finding, warn_of
from discriminant.learners.base import class_codes, refuse_one_class, unchanged_on_error
from discriminant.learners.class_weights import (
    ClassWeight,
    check_class_weight,
    has_zero,
    refuse_one_weighed,
    weighed_by_class,
)
from discriminant.learners.declared_classes import include_classes
from discriminant.learners.inference import LikelihoodInference
from discriminant.learners.information import MOST_WEIGHTS
from discriminant.learners.logistic_folds import LogisticFolds
from discriminant.learners.moment_backends import Evidence, gather_evidence
from discriminant.learners.offsets import OffsetScores, read_offset, unfinished_findings
from discriminant.learners.reading_plan import BY_PASSES, ReadingPlan
from discriminant.learners.registry import LearnerEntry
from discriminant.learners.row_diagnostics import RowDiagnostics
from discriminant.learners.separation_check import at_rest, separation_finding, source_separation_finding
from discriminant.learners.sources import logistic_risk_of_source, regression_evidence
from discriminant.learners.sparse_coefficients import SparseCoefficients
from discriminant.learners.sparse_logistic import LimitedLogistic
from discriminant.learners.weight_limits import LIMITED, Bounds, ColumnGroups, Signs
from discriminant.linalg.metric import metric_of_scatter
from discriminant.losses import LOGISTIC
from discriminant.optimise.firth import FirthRisk
from discriminant.optimise.newton import Iteration
from discriminant.optimise.passes import minimise_by_passes
from discriminant.optimise.smooth import METHODS, Method, minimise
from discriminant.optimise.subspace_rows import SubspaceRows
from discriminant.parameters import (
    read_choice,
    read_count,
    read_flag,
    read_penalty,
    read_positive,
    read_strength,
    renamed_parameters,
)
from discriminant.rows import ArrayRows, Rows, in_memory, reads_by_passes
from discriminant.rows.spool import few_pages_resident
from discriminant.rows.threads import single_threaded_blas
from discriminant.rows.views import CountedRows
from discriminant.statistics.margin_risk import MarginRisk
from discriminant.statistics.origin_risk import OriginRisk
from discriminant.statistics.overview import FirstPass
from discriminant.statistics.softmax_risk import SoftmaxRisk

Array = NDArray[np.float64]

_MOST_SINGULAR = 1000  # columns whose singular curvature is factored in about a second

THEIR_SOLVERS = frozenset({"lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"})
_ROUNDING_LEFT = 1e-6  # of a score, where columns all but determine one another


@renamed_parameters(max_iterations="max_iter", n_iterations_="n_iter_")
class LogisticRegression(
    LogisticFolds, LimitedLogistic, RowDiagnostics, LikelihoodInference, OffsetScores, SparseCoefficients
):
    """Logistic regression: maximum likelihood unless told otherwise, with what it says of its estimates.

    Parameters
    ----------
    alpha : L2 penalty ½α‖w‖² on the weights; 0, the default, is maximum likelihood.
    C : the same as scikit-learn has it, 1/alpha (``np.inf`` for none); give one of the two.
    l1_ratio : ρ of the elastic net α(ρ‖w‖₁ + ½(1 − ρ)‖w‖²), from 0 (the ridge) to 1 (the lasso: sparse weights).
    bounds : (low, high) of some weights, None where there is none: ``{"age": (0, None)}``, by name or place, or a pair
        for each column; of more than two classes by class, ``{"setosa": {"age": (0, None)}}``.
    monotone : 1 for columns whose weight must not be negative, −1 for not positive: ``{"age": 1}``; likewise.
    column_groups : lists of columns (names or places) whose weights are zero together or not at all, such as the
        indicators of one category: √|G|·‖w_G‖ in the place of their part of ‖w‖₁. Columns of a group have no bounds.
    firth : add Firth's penalty (two classes, alpha = 0), which has an answer even where classes are separable.
    fit_intercept : False for planes through the origin; the criterion is the same without b.
    class_weight : None, a mapping of classes to weights, or "balanced"; it multiplies ``sample_weight``. A class of
        weight 0 stays in ``classes_``, and no row is assigned to it.
    warm_start : begin at the weights of the last fit, if its columns and classes were the same.
    solver : "newton", "quasi-newton", "truncated-newton", or "auto", by the shape of the table.
    tol : the change in the score of a typical row that a further step would make, at which the iteration ends; with
        ``l1_ratio``, ``bounds`` or ``monotone`` the relative duality gap (primal − dual)/primal.
    max_iter : the most iterations of the solver; with 0 the weights are zero, or those of a warm start.

    Attributes
    ----------
    coef_, intercept_ : arrays 1×d and 1, of K > 2 classes K×d and K: the weights w and −θ.
    classes_ : array of K labels, sorted.
    findings_ : tuple of `Finding`: what was odd about the data or the fit.
    n_iter_ : array of one int, as in scikit-learn: the iterations.
    solver_ : str, the method that gave the weights.
    log_likelihood_ : float, log p of the rows, without any penalty.
    null_deviance_ : float, the deviance of intercepts alone.
    n_passes_ : int, how often the rows of a source were read that stay where they are.
    primal_, dual_, gap_ : with ``l1_ratio``, ``bounds`` or ``monotone``: both criteria and the relative gap, numbers.
    proved_zero_ : likewise, array like ``coef_``: which zeros are proved to be zero at the optimum.
    multipliers_ : likewise, array like ``coef_``: the fall of the criterion if a bound gave way by one unit, positive
        at ``high``.
    kkt_ : likewise, the largest violation of the conditions of optimality.
    covariance_ : array of the weights of a plane after another, each with its intercept last; from the information
        matrix that the fit keeps (no row is kept). Only where alpha = 0; a fit of some 40,000 rows and more does
        without that matrix, which would take as long as the fit, and `compute_information` takes it from the rows.

    Notes
    -----
    The weights w and the intercepts b solve

        minimise  α(ρ‖w‖₁ + ½(1 − ρ)‖w‖²) − Σ ω log p(y | x),   p(k | x) ∝ exp(w_k·x + b_k + o_k),   low ≤ w ≤ high

    (intercepts are never penalised). α = 0 is maximum likelihood. In the convention ½‖w‖² + C·(loss) it is α = 1/C. Two
    classes have one plane, the log-odds of the second; K have a plane each, whose weights sum to zero over the classes
    where α = 0.

    Rows of a source that stay where they are (`rows.from_batches` and others) are read pass by pass: the first gives
    coordinates and a sample to start from, each further one a Newton step. Weights, deviance and standard errors are
    those of the fit in memory; likelihood-ratio tests and profile intervals are given the source once more.

    Where some plane leaves no row on the wrong side (and some strictly on the right one), the likelihood rises for ever
    along it: the estimate does not exist. That is found, and said with the plane; ``firth=True`` or ``alpha`` give a
    finite answer.

    Examples
    --------
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 1, 0, 1, 1])
    >>> model.coef_.round(4).tolist(), model.standard_errors_.round(4).tolist()
    ([[1.214]], [[0.9126]])
    """

    def __init__(
        self,
        *,
        alpha: float = 0.0,
        C: float | None = None,
        l1_ratio: float = 0.0,
        bounds: Bounds = None,
        monotone: Signs = None,
        column_groups: ColumnGroups = None,
        firth: bool = False,
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
        solver: Method = "auto",
        tol: float = 1e-8,
        max_iter: int = 200,
        warm_start: bool = False,
    ) -> None:
        self.alpha = alpha
        self.C = C
        self.l1_ratio = l1_ratio
        self.bounds = bounds
        self.monotone = monotone
        self.column_groups = column_groups
        self.firth = firth
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start

    def penalty_strength(self) -> float:
        """α, from ``alpha`` or from ``C``."""
        return float(self.alpha) if self.C is None else 1.0 / float(self.C)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = not self.firth
        return tags

    # --- fit --------------------------------------------------------------------------------------------

    def fit(
        self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, offset: ArrayLike | None = None
    ) -> Self:
        """Learn from a table with its labels, or from a rows source alone.

        ``offset`` is added to the scores as it is: a number for each row, or with K > 2 classes one for each class.

        Parameters
        ----------
        X, y, sample_weight : a table with its labels and weights of rows, or a rows source alone.
        offset : added to the scores: a number for each row, or with K > 2 classes one for each class.

        Returns
        -------
        Self
            This model, fitted.
        """
        self.check_parameters()
        with unchanged_on_error(self):
            source = self.read_source(X, y, sample_weight, reset=True)
            self._near = self._warm_planes()
            for name in ("n_passes_", "covariance_", *LIMITED):
                self.__dict__.pop(name, None)  # of an earlier fit
            self._information = None
            with single_threaded_blas():
                if offset is None and self._needs_sums_alone and reads_by_passes(source):
                    self._learn_by_passes(source)
                else:
                    rows = in_memory(source, type(self).__name__)
                    with few_pages_resident(rows):
                        self._learn(rows, read_offset(offset, rows, sample_weight))
        warn_of(self.findings_)
        return self

    def reading_plan(self) -> ReadingPlan:
        """A pass to plan by, and some four to the maximum; Firth's penalty and limits go back to the rows."""
        return BY_PASSES if self._needs_sums_alone else super().reading_plan()

    @property
    def _needs_sums_alone(self) -> bool:
        return bool(self.fit_intercept) and not (self.firth or self._limited or has_zero(self.class_weight))

    def _warm_planes(self) -> Array | None:
        """Where the last fit ended, if a fit is to begin there."""
        if not self.warm_start or "coef_" not in self.__dict__:
            return None
        self.densify()
        return np.column_stack([self.coef_, self.intercept_])

    def _learn(self, rows: ArrayRows, offset: Array | None = None) -> None:
        refuse_one_class(rows.classes)
        every, rows = rows.classes, weighed_by_class(rows, self.class_weight)
        refuse_one_weighed(rows.classes, every)
        if every.size > rows.classes.size and offset is not None:
            raise ValueError("a class_weight of 0 does not go with offset; leave the rows of the class out")
        if self.firth:
            _refuse_rows_for_firth(rows)
        self._learn_weighed(rows, offset)
        if every.size > rows.classes.size:
            include_classes(self, every)
            self._information = None

    def _learn_weighed(self, rows: ArrayRows, offset: Array | None) -> None:
        if self._limited:
            self._learn_limited(rows, offset)
            return
        risk, found, planes = self._estimated(rows, offset, self._near_start(rows))
        self._keep(risk, found, planes)
        deficient = found.deficient or (
            self.firth and metric_of_scatter(risk.hessian(np.zeros_like(found.u))).null.size > 0
        )
        separated = () if self.penalty_strength() or self.firth else separation_finding(rows, risk, found)
        self.findings_ = self._findings(risk, found, gather_evidence(rows) if deficient else None, separated)

    def _near_start(self, rows: ArrayRows) -> Array | None:
        """The planes of the last fit, where they are of as many columns and classes."""
        planes = 1 if rows.classes.size == 2 else rows.classes.size
        near = self._near
        return near if near is not None and near.shape == (planes, rows.n_columns + 1) else None

    def _learn_by_passes(self, source: Rows) -> None:
        """Learn from sums over rows that stay where they are; from the rows, if the first pass could hold them all."""
        rows = CountedRows(source)
        overview = FirstPass.over(rows)
        if overview.holds_all:
            self._learn(overview.sample)
            self.n_passes_ = rows.passes
            return
        refuse_one_class(overview.classes)
        risk = logistic_risk_of_source(rows, overview, self.penalty_strength(), self.class_weight)
        found = minimise_by_passes(risk, tolerance=float(self.tol), max_iterations=int(self.max_iter))
        self._keep(risk, found, np.atleast_2d(found.weights))
        evidence = regression_evidence(risk, self.column_names_in()) if found.deficient else None
        separated = () if self.penalty_strength() else source_separation_finding(risk, found)
        self.findings_ = self._findings(risk, found, evidence, separated)
        self.n_passes_ = rows.passes

    def _keep(self, risk: Any, found: Iteration, planes: Array) -> None:
        self.classes_ = risk.classes
        self.coef_, self.intercept_ = planes[:, :-1].copy(), planes[:, -1].copy()
        self.n_iter_, self.solver_ = np.array([found.n_iterations]), found.method
        self.log_likelihood_ = _likelihood(risk, found)
        self._keep_information(risk, found)

    def _estimated(
        self, rows: ArrayRows, offset: Array | None = None, start: Array | None = None
    ) -> tuple[Any, Iteration, Array]:
        """(the criterion, its minimum, the planes (w, b)), from planes to start at if there are any."""
        rows = self._without_large_constants(rows)
        rows.refuse_extremes()
        risk, subspace = self._criterion_of(rows, offset)
        found = minimise(
            risk,
            start=None if subspace or start is None else start[0] if len(start) == 1 else start,
            method="quasi-newton" if self.firth else str(self.solver),
            tolerance=float(self.tol),
            max_iterations=int(self.max_iter),
        )
        found = at_rest(risk, found)
        planes = np.atleast_2d(subspace.to_user(found.weights) if subspace else found.weights)
        if not (np.isfinite(planes).all() and np.isfinite(found.gradient).all()):
            rows.refuse_overflow()
        return risk, found, planes

    def _criterion_of(self, rows: ArrayRows, offset: Array | None) -> tuple[Any, SubspaceRows | None]:
        """The criterion of all weights, or of those in the space of the rows where these are fewer."""
        subspace = SubspaceRows.of_wide(rows) if self.penalty_strength() and self.fit_intercept else None
        return self._risk(subspace.in_place_of(rows) if subspace else rows, offset), subspace

    def _risk(self, rows: ArrayRows, offset: Array | None) -> Any:
        if rows.classes.size > 2:
            risk: Any = SoftmaxRisk(rows, self.penalty_strength(), offset)
        else:
            kind = FirthRisk if self.firth else MarginRisk
            risk = kind(rows, rows.signs(1), LOGISTIC, self.penalty_strength(), offset)
        return risk if self.fit_intercept else OriginRisk.of(risk)

    def _without_large_constants(self, rows: ArrayRows) -> ArrayRows:
        """The rows with zeros for constants too large to be summed beside others: the intercept says what they do."""
        return rows.with_zeros(rows.large_constants()) if self.fit_intercept else rows

    def _findings(
        self, risk: Any, found: Iteration, evidence: Evidence | None, separated: tuple[Finding, ...]
    ) -> tuple[Finding, ...]:
        """What the evidence says of columns that may determine one another, an iteration cut short, separation."""
        findings: tuple[Finding, ...] = ()
        if evidence is not None:
            no_targets = class_codes(self.classes_.size)[:, :0]  # the columns alone are in question
            findings += evidence.regress(no_targets, self.penalty_strength()).findings
        if found.step_left > max(float(self.tol), _ROUNDING_LEFT) and not separated:
            findings += (unfinished_findings(found, risk.offset),)
        return findings + separated

    def check_parameters(self) -> None:
        """Refuse parameters that make no sense, before any row is touched."""
        read_penalty(self.alpha, "alpha")
        if self.C is not None and read_strength(self.C, "C") and self.alpha:
            raise ValueError(f"alpha={self.alpha} and C={self.C} are one penalty, alpha = 1/C; give one of them")
        self._check_limits()
        for name in ("firth", "fit_intercept", "warm_start"):
            read_flag(getattr(self, name), name)
        if not self.fit_intercept and self.firth:
            raise ValueError("fit_intercept=False goes with the likelihood and its penalties; leave firth out")
        check_class_weight(self.class_weight)
        if isinstance(self.solver, str) and self.solver in THEIR_SOLVERS:
            raise ValueError(
                f"solver must be one of {', '.join(METHODS)}, got {self.solver!r}, one of scikit-learn's; leave solver "
                "out, for the method that suits the table finds the same optimum"
            )
        read_choice(self.solver, METHODS, "solver")
        read_positive(self.tol, "tol")
        read_count(self.max_iter, "max_iter", least=0)
        if self.firth and (self.penalty_strength() or self._limited):
            raise ValueError("firth=True is a penalty of its own; leave alpha at 0 with it, and bounds out")

    # --- inference --------------------------------------------------------------------------------------

    def _risk_of_rows(self, X: Any, y: Any, sample_weight: Any, offset: Any) -> Any:
        source = self.read_source(X, y, sample_weight, reset=False)
        if offset is None and self._needs_sums_alone and reads_by_passes(source):
            overview = FirstPass.over(source)
            if not overview.holds_all:
                return logistic_risk_of_source(source, overview, 0.0, self.class_weight)
            source = overview.sample
        rows = in_memory(source, "An interval or a test")
        own_offset = read_offset(offset, rows, sample_weight)
        rows = weighed_by_class(rows, self.class_weight)
        return self._criterion_of(self._without_large_constants(rows), own_offset)[0]

    def _penalised_by_information(self) -> bool:
        return bool(self.firth)

    def _why_no_likelihood(self) -> str | None:
        alpha = self.penalty_strength()
        if not (alpha or self._limited):
            return None
        pulls = f"alpha={alpha} pulls the weights towards zero" if alpha else "bounds hold the weights back"
        return (
            f"standard errors, intervals and tests belong to a likelihood alone, and {pulls}; "
            "fit with alpha=0 and without bounds, or with firth=True"
        )

    def _title(self, n_rows: int) -> str:
        penalty = " with Firth's penalty" if self.firth else ""
        return f"Logistic regression of {n_rows} rows{penalty}"


def _likelihood(risk: Any, found: Iteration) -> float:
    """log p of the rows, without any penalty."""
    if isinstance(risk, FirthRisk):
        return -risk.plain.value_and_gradient(found.u)[0]
    return min(0.5 * float(risk.ridge @ found.u**2) - found.value, 0.0)


def _refuse_rows_for_firth(rows: ArrayRows) -> None:
    """Refuse more than two classes, and more columns than a curvature is factored of."""
    if rows.classes.size > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: firth=True is for two "
            f"classes, and y has {rows.classes.size}; set alpha instead, or fit pairs of them with OneVsOne"
        )
    # more weights than rows make the curvature singular, and every step factors it by its eigenvectors
    most = _MOST_SINGULAR if rows.n_columns >= rows.n_rows else MOST_WEIGHTS - 1
    if rows.n_columns > most:
        raise ValueError(
            f"firth=True needs the curvature of all weights together, and {rows.n_columns} columns are too many "
            f"for {rows.n_rows} rows (at most {most}); set alpha instead, or select columns"
        )


LEARNERS = (
    LearnerEntry(  # weights without a limit are doubtful: the ridge is the same learner with one
        "logistic", "Logistic regression", LogisticRegression,
        fallback="logistic-ridge", passes=10, most_passes=10, planes_together=True, signs=True,
    ),
    LearnerEntry(
        "logistic-ridge", "Ridge logistic regression", LogisticRegression, {"alpha": 1.0},
        ridge="alpha", sparse=True, wide=True, passes=10, most_passes=10, planes_together=True, signs=True,
    ),
)  # fmt: skip
