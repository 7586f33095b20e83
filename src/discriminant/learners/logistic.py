"""Logistic regression by maximum likelihood, of two classes or several."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.findings import Finding, NotConverged, Separable, warn_of
from discriminant.learners.base import LinearClassifier, linear_scores, log_posteriors, refuse_one_class, winners
from discriminant.learners.class_codes import class_codes
from discriminant.learners.class_weights import check_class_weight, weighed_by_class
from discriminant.learners.inference import LikelihoodInference
from discriminant.learners.information import MOST_WEIGHTS
from discriminant.learners.leave_out import kfold_scores
from discriminant.learners.moment_backends import Evidence, gather
from discriminant.learners.offsets import offset_array, read_offset
from discriminant.learners.reading_plan import BY_PASSES, ReadingPlan
from discriminant.learners.registry import LearnerEntry
from discriminant.learners.row_diagnostics import RowDiagnostics
from discriminant.learners.separation_check import separation_finding, source_separation_finding
from discriminant.learners.small_penalty import at_rest
from discriminant.learners.sources import logistic_risk_of_source, regression_evidence
from discriminant.learners.sparse_logistic import LimitedLogistic
from discriminant.learners.weight_limits import LIMITED, Bounds, Signs
from discriminant.linalg.metric import metric_of_scatter
from discriminant.losses import LOGISTIC
from discriminant.optimise.firth import FirthRisk
from discriminant.optimise.newton import Iteration
from discriminant.optimise.passes import minimise_by_passes
from discriminant.optimise.smooth import METHODS, minimise
from discriminant.optimise.subspace_rows import SubspaceRows
from discriminant.parameters import read_choice, read_count, read_flag, read_penalty, read_positive, renamed_parameters
from discriminant.rows import ArrayRows, Rows, in_memory, reads_by_passes
from discriminant.rows.spool import few_pages_resident
from discriminant.rows.threads import single_threaded_blas
from discriminant.rows.views import CountedRows
from discriminant.statistics.margin_risk import MarginRisk
from discriminant.statistics.overview import FirstPass
from discriminant.statistics.softmax_risk import SoftmaxRisk

Array = NDArray[np.float64]

_FAR_OFFSET = 700.0  # from where on e^−|score| is no float
_MOST_SINGULAR = 1000  # columns whose singular curvature is factored in about a second
_MOST_WEIGHTS_SEEN = 1000  # of which a solver surely tells whether columns determine one another
_ROUNDING_LEFT = 1e-6  # of a score, where columns all but determine one another


@renamed_parameters(max_iterations="max_iter", n_iterations_="n_iter_")
class LogisticRegression(LimitedLogistic, RowDiagnostics, LikelihoodInference, LinearClassifier):
    """Logistic regression: maximum likelihood unless told otherwise, with what it says of its estimates.

    Parameters
    ----------
    alpha : L2 penalty ½α‖w‖² on the weights; 0, the default, is maximum likelihood. scikit-learn's C is 1/alpha.
    l1_ratio : ρ of the elastic net α(ρ‖w‖₁ + ½(1 − ρ)‖w‖²), from 0 (the ridge) to 1 (the lasso: sparse weights).
    bounds : (low, high) of some weights, None where there is none: ``{"age": (0, None)}``, by name or place, or a pair
        for each column; two classes.
    monotone : 1 for columns whose weight must not be negative, −1 for not positive: ``{"age": 1}``; two classes.
    firth : add Firth's penalty (two classes, alpha = 0), which has an answer even where classes are separable.
    class_weight : None, a mapping of classes to weights, or "balanced"; it multiplies ``sample_weight``.
    solver : "newton", "quasi-newton", "truncated-newton", or "auto", by the shape of the table.
    tol : the change in the score of a typical row that a further step would make, at which the iteration ends; with
        ``l1_ratio``, ``bounds`` or ``monotone`` the relative duality gap (primal − dual)/primal.
    max_iter : of the solver.

    Attributes
    ----------
    coef_, intercept_, classes_, n_iter_, solver_, log_likelihood_, deviance_, null_deviance_, findings_.
    n_passes_ : how often the rows of a source were read that stay where they are.
    primal_, dual_, gap_, proved_zero_, multipliers_, kkt_ : with ``l1_ratio``, ``bounds`` or ``monotone``: both
        criteria, the relative gap, which zeros are proved to be zero at the optimum, what each bound costs (the fall of
        the criterion if it gave way by one unit; positive at ``high``), and the largest violation of the conditions of
        optimality.
    covariance_, standard_errors_, intercept_standard_errors_, p_values_ : computed when first asked for, from the
        information matrix that the fit keeps (no row is kept). Only where alpha = 0; a fit of some 40,000 rows and more
        does without that matrix, which would take as long as the fit, and `compute_information` takes it from the rows.

    Notes
    -----
    The weights w and the intercepts b solve

        minimise  α(ρ‖w‖₁ + ½(1 − ρ)‖w‖²) − Σ ω log p(y | x),   p(k | x) ∝ exp(w_k·x + b_k + o_k),   low ≤ w ≤ high

    (intercepts are never penalised).

    α = 0 is maximum likelihood. In the convention ½‖w‖² + C·(loss) it is α = 1/C. Two classes have one plane, the
    log-odds of the second; K have a plane each, whose weights sum to zero over the classes where α = 0.

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
        l1_ratio: float = 0.0,
        bounds: Bounds = None,
        monotone: Signs = None,
        firth: bool = False,
        class_weight: Mapping[Any, float] | str | None = None,
        solver: str = "auto",
        tol: float = 1e-8,
        max_iter: int = 200,
    ) -> None:
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.bounds = bounds
        self.monotone = monotone
        self.firth = firth
        self.class_weight = class_weight
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter

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
        """
        self.check_parameters()
        with self.unchanged_on_error():
            source = self.read_source(X, y, sample_weight, reset=True)
            for name in ("n_passes_", *LIMITED):
                self.__dict__.pop(name, None)  # of an earlier fit
            with single_threaded_blas():
                if offset is None and not (self.firth or self._limited) and reads_by_passes(source):
                    self._learn_by_passes(source)
                else:
                    rows = in_memory(source, type(self).__name__)
                    with few_pages_resident(rows):
                        self._learn(rows, read_offset(offset, rows, sample_weight))
        warn_of(self.findings_)
        return self

    def reading_plan(self) -> ReadingPlan:
        """A pass to plan by, and some four to the maximum; Firth's penalty and limits go back to the rows."""
        return super().reading_plan() if self.firth or self._limited else BY_PASSES

    def _learn(self, rows: ArrayRows, offset: Array | None = None) -> None:
        refuse_one_class(rows.classes)
        self._refuse_firth_of_many(rows)
        rows = weighed_by_class(rows, self.class_weight)
        if self._limited:
            self._learn_limited(rows, offset)
            return
        risk, found, planes = self._estimated(rows, offset)
        self._keep(risk, found, planes)
        deficient = found.deficient or (
            self.firth and metric_of_scatter(risk.hessian(np.zeros_like(found.u))).null.size > 0
        )
        separated = () if self.alpha or self.firth else separation_finding(rows, risk, found)
        self.findings_ = self._findings(risk, found, gather(rows) if deficient else None, separated)

    def _learn_by_passes(self, source: Rows) -> None:
        """From sums over rows that stay where they are; from the rows, if the first pass could hold them all."""
        rows = CountedRows(source)
        overview = FirstPass.over(rows)
        if overview.holds_all:
            self._learn(overview.sample)
            self.n_passes_ = rows.passes
            return
        refuse_one_class(overview.classes)
        risk = logistic_risk_of_source(rows, overview, float(self.alpha), self.class_weight)
        found = minimise_by_passes(risk, tolerance=float(self.tol), max_iterations=int(self.max_iter))
        self._keep(risk, found, np.atleast_2d(found.weights))
        evidence = regression_evidence(risk, self.column_names_in()) if found.deficient else None
        separated = () if self.alpha else source_separation_finding(risk, found)
        self.findings_ = self._findings(risk, found, evidence, separated)
        self.n_passes_ = rows.passes

    def _keep(self, risk: Any, found: Iteration, planes: Array) -> None:
        self.classes_ = risk.classes
        self.coef_, self.intercept_ = planes[:, :-1].copy(), planes[:, -1].copy()
        self.n_iter_, self.solver_ = found.n_iterations, found.method
        self.log_likelihood_ = _likelihood(risk, found)
        self._keep_information(risk, found)

    def _estimated(
        self, rows: ArrayRows, offset: Array | None = None, start: Array | None = None
    ) -> tuple[Any, Iteration, Array]:
        """(the criterion, its minimum, the planes (w, b)), from planes to start at if there are any."""
        rows = rows.with_zeros(rows.large_constants())
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
        subspace = SubspaceRows.of_wide(rows) if self.alpha else None
        return self._risk(subspace.in_place_of(rows) if subspace else rows, offset), subspace

    def _risk(self, rows: ArrayRows, offset: Array | None) -> Any:
        if rows.classes.size > 2:
            return SoftmaxRisk(rows, float(self.alpha), offset)
        kind = FirthRisk if self.firth else MarginRisk
        return kind(rows, rows.signs(1), LOGISTIC, float(self.alpha), offset)

    def _findings(
        self, risk: Any, found: Iteration, evidence: Evidence | None, separated: tuple[Finding, ...]
    ) -> tuple[Finding, ...]:
        """What the evidence says of columns that may determine one another, an iteration cut short, separation."""
        findings: tuple[Finding, ...] = ()
        if evidence is not None:
            findings += evidence.regress(class_codes(self.classes_.size), float(self.alpha)).findings
        if found.step_left > max(float(self.tol), _ROUNDING_LEFT) and not separated:
            findings += (_not_converged(found, risk.offset),)
        return findings + separated

    def check_parameters(self) -> None:
        """Refuse parameters that make no sense, before any row is touched."""
        read_penalty(self.alpha, "alpha")
        self._check_limits()
        read_flag(self.firth, "firth")
        check_class_weight(self.class_weight)
        read_choice(self.solver, METHODS, "solver")
        read_positive(self.tol, "tol")
        read_count(self.max_iter, "max_iter")
        if self.firth and (self.alpha or self._limited):
            raise ValueError("firth=True is a penalty of its own; leave alpha at 0 with it, and bounds out")

    def _refuse_firth_of_many(self, rows: ArrayRows) -> None:
        if self.firth and rows.classes.size > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: firth=True is for two "
                f"classes, and y has {rows.classes.size}; set alpha instead, or fit pairs of them with OneVsOne"
            )
        # more weights than rows make the curvature singular, and every step factors it by its eigenvectors
        most = _MOST_SINGULAR if rows.n_columns >= rows.n_rows else MOST_WEIGHTS - 1
        if self.firth and rows.n_columns > most:
            raise ValueError(
                f"firth=True needs the curvature of all weights together, and {rows.n_columns} columns are too many "
                f"for {rows.n_rows} rows (at most {most}); set alpha instead, or select columns"
            )

    # --- scores -----------------------------------------------------------------------------------------

    def decision_function(self, X: Any, offset: ArrayLike | None = None) -> Array:
        """The log-odds of each row: (n,) for two classes, (n, K) scores for more."""
        scores = self.scores(X, offset)
        return scores[:, 0] if len(self.intercept_) == 1 else scores

    def predict(self, X: Any, offset: ArrayLike | None = None) -> NDArray[Any]:
        """The most probable class of each row."""
        chosen = winners(self.scores(X, offset))
        return self.classes_[chosen]

    def predict_log_proba(self, X: Any, offset: ArrayLike | None = None) -> Array:
        """log P(class | x), right where the probabilities themselves underflow."""
        return log_posteriors(self.scores(X, offset))

    def predict_proba(self, X: Any, offset: ArrayLike | None = None) -> Array:
        """P(class | x)."""
        return np.exp(self.predict_log_proba(X, offset))

    def scores(self, X: Any, offset: ArrayLike | None = None) -> Array:
        """The scores of each row, as a matrix."""
        scores = super().scores(X)
        if offset is None:
            return scores
        return scores + offset_array(offset, *scores.shape).reshape(scores.shape)

    def kfold_decision_function(
        self, X: Any, y: Any, folds: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Array:
        """The score of each row by the model of all rows outside its fold; ``folds`` gives each row's fold.

        X, y are the rows this model was fitted to, without offsets. Fits start at its weights, and end where any other
        would: at the minimum, to ``tol``. Each fold must leave rows of every class.
        """
        self.check_fitted()
        rows = self.read_rows(X, y, sample_weight, reset=False)
        matrix, near = self.read_columns(X), self._start_for_parts()

        def without(inside: NDArray[np.bool_], tested: NDArray[np.intp]) -> Array:
            rest = rows.taken(np.flatnonzero(~inside))
            self._refuse_other_classes(rest.classes)
            planes = self._planes_near(weighed_by_class(rest, self.class_weight), near)
            scores = linear_scores(matrix[tested], planes[:, :-1], planes[:, -1])
            return scores[:, 0] if len(planes) == 1 else scores

        with single_threaded_blas():
            return kfold_scores(self.decision_function(X), rows.numbers, folds, without)

    def _start_for_parts(self) -> Array | None:
        """The planes, unless they are on their way to infinity, or parts may leave some directions undetermined."""
        diverged = any(isinstance(finding, Separable | NotConverged) for finding in self.findings_)
        unseen = not self.alpha and self.coef_.size > _MOST_WEIGHTS_SEEN
        return None if diverged or unseen else np.column_stack([self.coef_, self.intercept_])

    def _planes_near(self, rows: ArrayRows, start: Array | None) -> Array:
        """The estimate, from a start that knew more rows; of what these rows leave undetermined nothing must stay."""
        if self._limited:
            return self._limited_planes(rows, start)
        _, found, planes = self._estimated(rows, start=start)
        known = start is not None and (found.deficient or not found.converged)
        return self._estimated(rows)[2] if known else planes

    def _refuse_other_classes(self, classes: NDArray[Any]) -> None:
        if not np.array_equal(classes, self.classes_):
            raise ValueError(
                f"a fold leaves rows of the classes {classes.tolist()} to be fitted, and the model is of "
                f"{self.classes_.tolist()}; spread the rows of each class over the folds"
            )

    # --- inference --------------------------------------------------------------------------------------

    def _risk_of_rows(self, X: Any, y: Any, sample_weight: Any, offset: Any) -> Any:
        source = self.read_source(X, y, sample_weight, reset=False)
        if offset is None and not self.firth and reads_by_passes(source):
            overview = FirstPass.over(source)
            if not overview.holds_all:
                return logistic_risk_of_source(source, overview, 0.0, self.class_weight)
            source = overview.sample
        rows = in_memory(source, "An interval or a test")
        own_offset = read_offset(offset, rows, sample_weight)
        rows = weighed_by_class(rows, self.class_weight)
        return self._criterion_of(rows.with_zeros(rows.large_constants()), own_offset)[0]

    def _penalised_by_information(self) -> bool:
        return bool(self.firth)

    def _why_no_likelihood(self) -> str | None:
        if not (self.alpha or self._limited):
            return None
        pulls = f"alpha={self.alpha} pulls the weights towards zero" if self.alpha else "bounds hold the weights back"
        return (
            f"standard errors, intervals and tests belong to a likelihood alone, and {pulls}; "
            "fit with alpha=0 and without bounds, or with firth=True"
        )

    def _title(self, n_rows: int) -> str:
        penalty = " with Firth's penalty" if self.firth else ""
        return f"Logistic regression of {n_rows} rows{penalty}"


def _not_converged(found: Iteration, offset: Array | None) -> Finding:
    left = f"A further step would change the score of a typical row by {found.step_left:.1e}"
    reach = 0.0 if offset is None else float(np.abs(offset).max())
    if reach > _FAR_OFFSET:
        left = f"offset reaches {reach:.3g}, and a score beyond ±{_FAR_OFFSET:g} is a certainty whatever the weights"
        remedy = "Check the units of offset, which is added to log-odds; subtract what all rows have in common"
    else:
        remedy = "Raise max_iter (or tol), or set alpha"
    return NotConverged(f"The solver stopped after {found.n_iterations} iterations", left, remedy)


def _likelihood(risk: Any, found: Iteration) -> float:
    """log p of the rows, without any penalty."""
    if isinstance(risk, FirthRisk):
        return -risk.plain.value_and_gradient(found.u)[0]
    return min(0.5 * float(risk.ridge @ found.u**2) - found.value, 0.0)


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
