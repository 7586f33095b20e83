"""Logistic regression by maximum likelihood, of two classes or several."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from discriminant.findings import Finding, NotConverged, Separable, warn_of
from discriminant.learners.base import LinearClassifier, linear_scores, log_posteriors, refuse_one_class, winners
from discriminant.learners.class_weights import check_class_weight, weighed_by_class
from discriminant.learners.inference import MOST_STORED, MOST_WEIGHTS, LikelihoodInference, SpooledCriterion
from discriminant.learners.least_squares import class_codes
from discriminant.learners.leave_out import kfold_scores
from discriminant.learners.moment_backends import Evidence, gather
from discriminant.learners.reading_plan import BY_PASSES, ReadingPlan
from discriminant.learners.registry import LearnerEntry
from discriminant.learners.separation_check import separation_finding, source_separation_finding
from discriminant.learners.sources import logistic_risk_of_source, regression_evidence
from discriminant.linalg.metric import metric_of_scatter
from discriminant.losses import LOGISTIC
from discriminant.optimise.firth import FirthRisk
from discriminant.optimise.newton import Iteration
from discriminant.optimise.passes import minimise_by_passes
from discriminant.optimise.smooth import METHODS, minimise
from discriminant.optimise.subspace_rows import SubspaceRows
from discriminant.parameters import read_choice, read_count, read_flag, read_penalty, read_positive, renamed_parameters
from discriminant.reals import real_array
from discriminant.rows import ArrayRows, Rows, in_memory, reads_by_passes
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
class LogisticRegression(LikelihoodInference, LinearClassifier):
    """Logistic regression: maximum likelihood unless told otherwise, with what it says of its estimates.

    Parameters
    ----------
    alpha : L2 penalty ½α‖w‖² on the weights; 0, the default, is maximum likelihood. scikit-learn's C is 1/alpha.
    firth : add Firth's penalty (two classes, alpha = 0), which has an answer even where classes are separable.
    class_weight : None, a mapping of classes to weights, or "balanced"; it multiplies ``sample_weight``.
    solver : "newton", "quasi-newton", "truncated-newton", or "auto", by the shape of the table.
    tol : the change in the score of a typical row that a further step would make, at which the iteration ends.
    max_iter : of the solver.

    Attributes
    ----------
    coef_, intercept_, classes_, n_iter_, solver_, log_likelihood_, deviance_, null_deviance_, findings_.
    n_passes_ : how often the rows of a source were read that stay where they are.
    covariance_, standard_errors_, intercept_standard_errors_, p_values_ : computed when first asked for, from the rows
        of the fit, which are kept (not copied) until then. Only where alpha = 0.

    Notes
    -----
    The weights w and the intercepts b solve

        minimise  ½α‖w‖² − Σ ω log p(y | x),   p(k | x) ∝ exp(w_k·x + b_k + o_k)      (intercepts are never penalised)

    α = 0 is maximum likelihood. In the convention ½‖w‖² + C·(loss) it is α = 1/C. Two classes have one plane, the
    log-odds of the second; K have a plane each, whose weights sum to zero over the classes where α = 0.

    Rows of a source that stay where they are (`rows.from_batches` and others) are read pass by pass: the first gives
    coordinates and a sample to start from, each further one a Newton step. Weights, deviance and standard errors are
    those of the fit in memory; likelihood-ratio tests and profile intervals read the rows again.

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
        firth: bool = False,
        class_weight: Mapping[Any, float] | str | None = None,
        solver: str = "auto",
        tol: float = 1e-8,
        max_iter: int = 200,
    ) -> None:
        self.alpha = alpha
        self.firth = firth
        self.class_weight = class_weight
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter

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
            for name in ("covariance_", "null_deviance_", "n_passes_"):
                self.__dict__.pop(name, None)  # of an earlier fit
            with single_threaded_blas():
                if offset is None and not self.firth and reads_by_passes(source):
                    self._learn_by_passes(source)
                else:
                    rows = in_memory(source, type(self).__name__)
                    n_table = rows.n_rows if rows.row_numbers is None else np.asarray(sample_weight).size
                    own_offset = _read_offset(offset, rows, n_table)
                    self._learn(rows, own_offset)
                    if rows is not source:
                        self._let_go_of_spool(source, own_offset)
        warn_of(self.findings_)
        return self

    def reading_plan(self) -> ReadingPlan:
        """A pass to plan by, and some four to the maximum; Firth's penalty goes back to the rows."""
        return super().reading_plan() if self.firth else BY_PASSES

    def _learn(self, rows: ArrayRows, offset: Array | None = None) -> None:
        refuse_one_class(rows.classes)
        self._refuse_firth_of_many(rows)
        rows = weighed_by_class(rows, self.class_weight)
        risk, found, planes = self._estimated(rows, offset)
        self._keep(risk, found, planes)
        deficient = found.deficient or (
            self.firth and metric_of_scatter(risk.hessian(np.zeros_like(found.u))).null.size > 0
        )
        separated = () if self.alpha or self.firth else separation_finding(rows, risk, found)
        self.findings_ = self._findings(risk, found, gather(rows) if deficient else None, separated)

    def _let_go_of_spool(self, source: Rows, offset: Array | None) -> None:
        """Keep what is mostly asked of the rows, and the way to them in place of the rows."""
        if not self.alpha and self.coef_.size <= MOST_STORED:
            _ = self.covariance_, self.null_deviance_
        as_fitted = clone(self)

        def criterion_of(rows: ArrayRows) -> Any:
            rows = weighed_by_class(rows, as_fitted.class_weight)
            return as_fitted._criterion_of(rows.with_zeros(rows.large_constants()), offset)[0]

        self._fitted = SpooledCriterion(source, criterion_of), *self._fitted[1:]

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
        if risk.newton and not self.alpha and risk.hessian_at_zero() is not None:
            _ = self.covariance_  # from the last pass, so that it can be had without the rows
        evidence = regression_evidence(risk, self.column_names_in()) if found.deficient else None
        separated = () if self.alpha else source_separation_finding(risk, found)
        self.findings_ = self._findings(risk, found, evidence, separated)
        self.n_passes_ = rows.passes

    def _keep(self, risk: Any, found: Iteration, planes: Array) -> None:
        self.classes_ = risk.classes
        self.coef_, self.intercept_ = planes[:, :-1].copy(), planes[:, -1].copy()
        self.n_iter_, self.solver_ = found.n_iterations, found.method
        self.log_likelihood_ = _likelihood(risk, found)
        self._fitted = risk, found.u, found.value

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
            no_targets = class_codes(self.classes_.size)[:, :0]  # the columns alone are in question
            findings += evidence.regress(no_targets, float(self.alpha)).findings
        if found.step_left > max(float(self.tol), _ROUNDING_LEFT) and not separated:
            findings += (_not_converged(found, risk.offset),)
        return findings + separated

    def check_parameters(self) -> None:
        """Refuse parameters that make no sense, before any row is touched."""
        read_penalty(self.alpha, "alpha")
        read_flag(self.firth, "firth")
        check_class_weight(self.class_weight)
        read_choice(self.solver, METHODS, "solver")
        read_positive(self.tol, "tol")
        read_count(self.max_iter, "max_iter")
        if self.firth and self.alpha:
            raise ValueError("firth=True is a penalty of its own; leave alpha at 0 with it")

    def _refuse_firth_of_many(self, rows: ArrayRows) -> None:
        if self.firth and rows.classes.size > 2:
            raise ValueError(
                f"firth=True is for two classes, and y has {rows.classes.size}; set alpha instead, or fit pairs of them"
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
        return scores + _offset_array(offset, *scores.shape).reshape(scores.shape)

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

    def _criterion(self) -> tuple[Any, Array, float]:
        self.check_fitted()
        if self.alpha:
            raise AttributeError(
                f"standard errors, intervals and tests belong to a likelihood alone, and alpha={self.alpha} pulls the "
                "weights towards zero; fit with alpha=0, or with firth=True"
            )
        return super()._criterion()

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


def _read_offset(offset: Any, rows: ArrayRows, n_table: int) -> Array | None:
    """Offsets of the rows that count, from those of the table: (n,) for two classes, (n, K) for more."""
    if offset is None:
        return None
    values = _offset_array(offset, n_table, 1 if rows.classes.size == 2 else rows.classes.size)
    return values if rows.row_numbers is None else values[rows.row_numbers]


def _offset_array(offset: Any, n_rows: int, planes: int) -> Array:
    values = real_array(offset, "offset")
    shape, each = ((n_rows,), "row") if planes == 1 else ((n_rows, planes), "row and class")
    if values.shape != shape:
        raise ValueError(f"offset must have shape {shape}, one number for each {each}, got {values.shape}")
    bad = np.argwhere(~np.isfinite(values))
    if bad.size:
        raise ValueError(f"offset is {values[tuple(bad[0])]} at row {bad[0][0]}; it must be finite")
    return values


LEARNERS = (
    LearnerEntry(  # weights without a limit are doubtful: the ridge is the same learner with one
        "logistic", "Logistic regression", LogisticRegression,
        fallback="logistic-ridge", passes=10, most_passes=10, planes_together=True,
    ),
    LearnerEntry(
        "logistic-ridge", "Ridge logistic regression", LogisticRegression, {"alpha": 1.0},
        ridge="alpha", sparse=True, wide=True, passes=10, most_passes=10, planes_together=True,
    ),
)  # fmt: skip
