"""Support vector machines: the plane with the widest slab free of rows, or nearly free."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.findings import Finding, FlatScore, NotConverged, warn_of
from discriminant.learners.base import refuse_one_class, unchanged_on_error
from discriminant.learners.class_weights import (
    ClassWeight,
    check_class_weight,
    has_zero,
    refuse_one_weighed,
    weighed_by_class,
)
from discriminant.learners.declared_classes import include_classes
from discriminant.learners.hard_slab import SlabAnswer, hard_slab
from discriminant.learners.reading_plan import BY_PASSES, ReadingPlan
from discriminant.learners.registry import LearnerEntry
from discriminant.learners.sequential import positive_codes
from discriminant.learners.slab_places import SlabPlaces
from discriminant.learners.slab_solvers import (
    MOST_WEIGHTS,
    SOLVERS,
    STEPS,
    SlabLossName,
    Solver,
    most_epochs,
    most_visits,
    n_factored,
    solver_for,
)
from discriminant.learners.sources import source_class_factors
from discriminant.learners.sparse_coefficients import SparseCoefficients
from discriminant.learners.sparse_svm import LimitedSVM
from discriminant.learners.through_origin import OriginOptimum, mirrored_sides
from discriminant.learners.weight_limits import LIMITED, Bounds, ColumnGroups, Signs
from discriminant.optimise.centred_rows import squared_by_entries
from discriminant.optimise.margins.dual_descent import dual_descent
from discriminant.optimise.margins.hinge import finish_from, fit_hinge
from discriminant.optimise.margins.slab import SlabLoss, SlabOptimum
from discriminant.optimise.margins.slab_passes import squared_hinge_of_source
from discriminant.optimise.margins.soft_slab import SoftSlab
from discriminant.optimise.margins.squared_hinge import squared_hinge
from discriminant.optimise.smooth import MOST_FACTORED
from discriminant.parameters import (
    read_choice,
    read_count,
    read_flag,
    read_positive,
    renamed_parameters,
)
from discriminant.rows import ArrayRows, Rows, in_memory, reads_by_passes
from discriminant.rows.spool import few_pages_resident
from discriminant.rows.threads import single_threaded_blas
from discriminant.rows.views import CountedRows
from discriminant.statistics.overview import FirstPass

Array = NDArray[np.float64]


@renamed_parameters(max_iterations="max_iter", n_iterations_="n_iter_")
class LinearSVM(SlabPlaces, LimitedSVM, SparseCoefficients):
    """Maximal and soft margin, with the dual variables and the duality gap that prove the answer.

    Parameters
    ----------
    C : the price of a unit of loss; infinity asks for the hard margin, which only separable classes have
        (`NotSeparableError` has the proof where they are not).
    loss : "hinge" or "squared_hinge".
    l1_ratio : ρ of the elastic net ρ‖w‖₁ + ½(1 − ρ)‖w‖² in the place of ½‖w‖²; 1 is the lasso.
    bounds : (low, high) of some weights, None where there is none: ``{"age": (0, None)}``, by name or place, or a pair
        for each column; of more than two classes by class, ``{"setosa": {"age": (0, None)}}``.
    monotone : 1 for columns whose weight must not be negative, −1 for not positive: ``{"age": 1}``; likewise.
    column_groups : lists of columns (names or places) whose weights are zero together or not at all, such as the
        indicators of one category: √|G|·‖w_G‖ in the place of their part of ‖w‖₁. Squared hinge.
    tol : the relative duality gap (primal − dual)/primal to reach. All solvers but "dual-descent" come as near to the
        optimum as rounding lets them, whatever it is.
    solver : "auto" chooses by the shape of the table. "interior-point" (hinge) and "newton" (squared hinge) are for
        any number of rows and up to some thousand columns, or the other way round; "dual-descent" and
        "truncated-newton" for wide sparse rows.
    fit_intercept : False for planes through the origin; the criterion is the same with θ = 0.
    class_weight : None, a mapping of classes to weights, or "balanced"; it multiplies ``sample_weight``. A class of
        weight 0 stays in ``classes_``, and no row is assigned to it.
    max_iter : epochs of "dual-descent", steps of the Newton methods; None for 1000, and more epochs of rows with
        few entries, until some 10¹⁰ numbers were visited.

    Attributes
    ----------
    coef_, intercept_ : arrays 1×d and 1, of K > 2 classes K×d and K: the weights w and −θ.
    classes_ : array of K labels, sorted.
    findings_ : tuple of `Finding`: what was odd about the data or the fit.
    n_iter_ : int, the steps of all solvers and planes.
    solver_ : str, the one that gave the answer; a tuple of K where the planes of K > 2 classes come from different
        ones.
    alpha_ : array of n, the dual variables of the rows of the table; K×n of K > 2 classes.
    support_ : array of the rows with α > 0; a tuple of K of them.
    primal_, dual_, gap_ : floats, both objectives and (primal − dual)/primal; arrays of K.
    margin_ : float, 1/‖w‖; an array of K.
    n_passes_ : int, how often a source was read whose rows stay where they are (squared hinge); ``alpha_`` and
        ``support_`` are not kept of it.
    proved_zero_ : with ``l1_ratio``, ``bounds`` or ``monotone``, array like ``coef_``: which zeros are proved to be
        zero at the optimum (of the hinge those alone that bounds hold there).
    multipliers_ : likewise, array like ``coef_``: the fall of the criterion if a bound gave way by one unit, positive
        at ``high``.
    kkt_ : likewise, the largest violation of the conditions of optimality.

    Notes
    -----
    With c = ±1 for the classes:

        soft margin   min ½‖w‖² + C Σ ω ℓ(c(w·x − θ)),     ℓ(m) = max(0, 1 − m), or its square
        hard margin   min ½‖w‖²   s.t.  c(w·x − θ) ≥ 1,    C = ∞: the slab |w·x − θ| < 1 is empty, its half-width 1/‖w‖
        dual          max Σα − ½ΣΣ αᵢαⱼcᵢcⱼ xᵢ·xⱼ   s.t.  Σαc = 0,  0 ≤ α ≤ Cω
                      (− Σα²/(4Cω), and no cap on α, if squared)

    w = Σ α c x; the rows with α > 0 support the slab, and θ is the mean of w·x − c over those on its edge. θ is never
    penalised (LIBLINEAR, and with it scikit-learn's LinearSVC, adds ½θ²). The two objectives enclose the optimum.

    Several classes are learnt one against the rest. Columns are taken as they are: a slab has a width, so that their
    units matter. ``sample_weight`` multiplies C; the hard margin has no use for it.

    Examples
    --------
    >>> model = LinearSVM(C=float("inf")).fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> model.coef_.tolist(), model.intercept_.tolist(), model.margin_, model.support_.tolist()
    ([[1.0]], [-2.0], 1.0, [1, 2])
    >>> model.slab([[1.0], [2.5], [4.0]], [0, 1, 1]).tolist()
    ['edge', 'inside', 'outside']
    """

    alpha_: Array
    support_: Any
    primal_: Any
    dual_: Any
    gap_: Any
    margin_: Any
    solver_: Any

    def __init__(
        self,
        *,
        C: float = 1.0,
        loss: SlabLossName = "hinge",
        l1_ratio: float = 0.0,
        bounds: Bounds = None,
        monotone: Signs = None,
        column_groups: ColumnGroups = None,
        tol: float = 1e-4,
        solver: Solver = "auto",
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
        max_iter: int | None = None,
    ) -> None:
        self.C = C
        self.loss = loss
        self.l1_ratio = l1_ratio
        self.bounds = bounds
        self.monotone = monotone
        self.column_groups = column_groups
        self.tol = tol
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.max_iter = max_iter

    @property
    def _is_hard(self) -> bool:
        return isinstance(self.C, float | np.floating) and bool(np.isposinf(self.C))

    # --- fit --------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from a table with its labels, or from a rows source alone.

        Parameters
        ----------
        X, y, sample_weight : a table with its labels and weights of rows, or a rows source alone.

        Returns
        -------
        Self
            This model, fitted.
        """
        self.check_parameters()
        with unchanged_on_error(self):
            source = self.read_source(X, y, sample_weight, reset=True)
            for name in ("n_passes_", *LIMITED):
                self.__dict__.pop(name, None)  # of an earlier fit
            if self._needs_sums_alone and reads_by_passes(source):
                self._learn_by_passes(source)
            else:
                rows = in_memory(source, type(self).__name__)
                given = rows.row_numbers is not None and not isinstance(X, Rows)
                with few_pages_resident(rows) if self._needs_sums_alone else nullcontext():
                    self._learn_rows(rows, np.asarray(sample_weight).size if given else rows.n_rows)
            self.findings_ = self._findings()
        warn_of(self.findings_)
        return self

    def reading_plan(self) -> ReadingPlan:
        """A pass to plan by, some four to the optimum of the squared hinge and one that proves it.

        Other losses and solvers hold all rows.
        """
        return BY_PASSES if self._needs_sums_alone else super().reading_plan()

    @property
    def _needs_sums_alone(self) -> bool:
        smooth = self.loss == "squared_hinge" and not self._is_hard and not self._limited
        return smooth and self.solver != "dual-descent" and self.fit_intercept and not has_zero(self.class_weight)

    def _learn_rows(self, rows: ArrayRows, n_table: int) -> None:
        refuse_one_class(rows.classes)
        large = rows.large_constants() if self.fit_intercept else np.empty(0, np.intp)
        rows = rows.with_zeros(large)
        rows.refuse_extremes()
        weighed = weighed_by_class(rows, self.class_weight)
        refuse_one_weighed(weighed.classes, rows.classes)
        self._learn(weighed, n_table)
        include_classes(self, rows.classes)
        self.coef_[:, large] = 0.0  # what rounding left there would be multiplied by the large value

    def _learn_by_passes(self, source: Rows) -> None:
        """Learn from sums over rows that stay where they are; from the rows, if the first pass could hold them all."""
        rows = CountedRows(source)
        overview = FirstPass.over(rows)
        if overview.holds_all:
            self._learn_rows(overview.sample, overview.n_rows)
            self.n_passes_ = rows.passes
            return
        refuse_one_class(overview.classes)
        with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            found = squared_hinge_of_source(
                rows,
                overview,
                float(self.C),
                class_factor=source_class_factors(overview, self.class_weight),
                max_iterations=self._most_steps,
                tolerance=float(self.tol),
            )
        for name in ("alpha_", "support_"):
            self.__dict__.pop(name, None)  # one number for each row is not kept of rows that are elsewhere
        self._report(overview.classes, found)
        self.solver_, self.n_passes_ = "newton", rows.passes

    def check_parameters(self) -> None:
        """Refuse parameters that make no sense, before any row is touched."""
        if not self._is_hard:
            read_positive(self.C, "C")
        read_choice(self.loss, get_args(SlabLossName), "loss")
        read_positive(self.tol, "tol")
        if self.max_iter is not None:
            read_count(self.max_iter, "max_iter")
        check_class_weight(self.class_weight)
        read_flag(self.fit_intercept, "fit_intercept")
        self._check_limits()
        allowed = ("interior-point",) if self._is_hard else SOLVERS[self.loss]
        if read_choice(self.solver, get_args(Solver), "solver") not in ("auto", *allowed):
            problem = "the hard margin (C=inf)" if self._is_hard else f"loss={self.loss!r}"
            raise ValueError(f"solver={self.solver!r} does not solve {problem}; take 'auto' or one of {allowed}")

    def _learn(self, rows: ArrayRows, n_table: int) -> None:
        if self.solver == "interior-point" and not self._is_hard and n_factored(rows) > MOST_FACTORED:
            raise ValueError(
                f"solver='interior-point' would factor a matrix of {n_factored(rows)} rows and columns; take "
                "'auto' or 'dual-descent'"
            )
        # what is not finite is seen in the gap
        with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            slab = SoftSlab(rows, float(self.C))
            planes = [self._plane(slab, positive) for positive in positive_codes(rows.classes.size)]
        solvers, found = zip(*planes, strict=True)
        self.solver_ = solvers[0] if len(set(solvers)) == 1 else solvers
        numbers = slice(None) if n_table == rows.n_rows else rows.row_numbers
        alpha = np.zeros((len(found), n_table))
        alpha[:, numbers] = [one.alpha for one in found]
        support = tuple(np.flatnonzero(a) for a in alpha)
        self.alpha_, self.support_ = (alpha[0], support[0]) if len(found) == 1 else (alpha, support)
        self._report(rows.classes, found)
        if self._limited:
            self._keep_limits(found)
        if not (np.isfinite(self.coef_).all() and np.isfinite(self.intercept_).all()):
            rows.refuse_overflow()
        if np.isnan(self.gap_).any():
            raise ValueError(
                "the objective is beyond the numbers there are; take C, class_weight and weights of rows nearer to 1"
            )

    def _report(self, classes: NDArray[Any], found: Sequence[SlabAnswer]) -> None:
        """Planes and objectives."""
        self.classes_ = classes
        self.coef_ = np.vstack([one.w for one in found])
        self.intercept_ = np.array([one.b for one in found])
        self.n_iter_ = sum(one.n_iterations for one in found)
        with np.errstate(divide="ignore"):
            margin = 1.0 / np.linalg.norm(self.coef_, axis=1)
        single = len(found) == 1
        self.margin_ = float(margin[0]) if single else margin
        for name in ("primal", "dual", "gap"):
            values = np.array([getattr(one, name) for one in found])
            setattr(self, f"{name}_", float(values[0]) if single else values)

    def _plane(self, slab: SoftSlab, positive: int) -> tuple[str, SlabAnswer]:
        """The plane of one class against the rest, and the solver that gave it."""
        sign = slab.rows.signs(positive)
        if self.fit_intercept or self._limited:
            return self._plane_of(slab, sign, positive)
        if not self._is_hard and self._chosen_solver(slab.rows) == "dual-descent":  # which needs no images
            found = self._descended(slab, sign)
            if self.solver != "auto" or self._is_near(found.gap):
                return "dual-descent", found
        if self._smooth_through_origin(slab):
            found = self._squared(slab, sign, intercept=False)
            if self.solver != "auto" or self._is_near(found.gap):
                return self._chosen_solver(slab.rows), found
        mirrored, sign = mirrored_sides(slab.rows, sign)
        images = SoftSlab(mirrored, slab.C)
        if squared_by_entries(slab.rows) and self.loss == "hinge" and not self._is_hard:
            return "interior-point", OriginOptimum(self._solved("interior-point", images, sign))
        solver, found = self._plane_of(images, sign, 1)
        return solver, OriginOptimum(found)

    def _plane_of(self, slab: SoftSlab, sign: NDArray[np.int8], positive: int) -> tuple[str, Any]:
        if self._is_hard:
            return "interior-point", hard_slab(slab.rows, sign, positive)
        if self._limited:
            solver = "proximal-newton" if self.loss == "squared_hinge" else "interior-point"
            return solver, self._limited_slab(slab.rows, sign, positive, self._most_steps)
        solver = self._chosen_solver(slab.rows)
        found = self._solved(solver, slab, sign)
        if self.solver != "auto" or self._is_near(found.gap):
            return solver, found
        tries = (solver, found), self._second_try(solver, found, slab, sign)
        return min(tries, key=lambda one: np.nan_to_num(abs(one[1].gap), nan=np.inf))

    def _second_try(self, solver: str, found: Any, slab: SoftSlab, sign: NDArray[np.int8]) -> tuple[str, Any]:
        """Another solver, for rows the first is slow on or a C it cannot cope with."""
        if solver != "dual-descent":  # the loss may be lost in the rounding of the margins, but not in α
            return "dual-descent", self._solved("dual-descent", slab, sign)
        if squared_by_entries(slab.rows):  # and descent gave up early
            return "interior-point", self._solved("interior-point", slab, sign)
        exact = finish_from(slab, sign, found)
        if self._is_near(exact.gap) or n_factored(slab.rows) > MOST_WEIGHTS:
            return solver if exact is found else "interior-point", exact
        return "interior-point", self._solved("interior-point", slab, sign)

    def _solved(self, solver: str, slab: SoftSlab, sign: NDArray[np.int8]) -> Any:
        if solver == "interior-point":
            return fit_hinge(slab, sign)
        if solver == "dual-descent":
            return self._descended(slab, sign, intercept=True)
        return self._squared(slab, sign)

    def _smooth_through_origin(self, slab: SoftSlab) -> bool:
        smooth = self.loss == "squared_hinge" and self._chosen_solver(slab.rows) != "dual-descent"
        return smooth and slab.has_origin_risk

    def _squared(self, slab: SoftSlab, sign: NDArray[np.int8], *, intercept: bool = True) -> SlabOptimum:
        """By a method for smooth criteria, with a free intercept or none."""
        return squared_hinge(
            slab,
            sign,
            method="truncated-newton" if self.solver == "truncated-newton" else "auto",
            max_iterations=self._most_steps,
            tolerance=float(self.tol),
            intercept=intercept,
        )

    def _descended(self, slab: SoftSlab, sign: NDArray[np.int8], *, intercept: bool = False) -> SlabOptimum:
        """By dual coordinate descent, with a free intercept or none."""
        hinge = self.loss == "hinge"
        return dual_descent(
            slab.rows,
            sign,
            SlabLoss(slab.u, squared=not hinge),
            tolerance=float(self.tol),
            max_epochs=most_epochs(slab.rows, self.max_iter),
            most_visits=most_visits(slab.rows) if hinge and self.solver == "auto" else np.inf,
            intercept=intercept,
        )

    @property
    def _most_steps(self) -> int:
        return STEPS if self.max_iter is None else int(self.max_iter)

    def _is_near(self, gap: float) -> bool:
        return bool(abs(gap) <= float(self.tol))

    def _chosen_solver(self, rows: ArrayRows) -> str:
        return solver_for(rows, self.loss) if self.solver == "auto" else self.solver

    def _findings(self) -> tuple[Finding, ...]:
        findings: list[Finding] = []
        gap, n = float(np.max(np.abs(self.gap_))), self.n_iter_
        if not self._is_near(gap):
            findings.append(
                NotConverged(
                    f"The solver {self.solver_!r} stopped after {n} iteration{'' if n == 1 else 's'}",
                    f"The objective is still up to {gap:.1e} of itself above the optimum, more than tol={self.tol}",
                    "Raise max_iter (or tol), bring the columns to similar scales, or lower C",
                )
            )
        flat = [k for k, w in enumerate(self.coef_) if not w.any()]
        if flat:
            findings.append(
                FlatScore(
                    "The plane tells no rows apart: every weight is zero",
                    "No direction lowers the loss by more than its own length costs",
                    "Raise C, and see that some column differs between the classes",
                    classes=tuple(str(self.classes_[k]) for k in flat) if len(self.coef_) > 1 else (),
                )
            )
        return tuple(findings)


LEARNERS = (
    LearnerEntry(
        "svm", "Support vector machine", LinearSVM,
        sparse=True, wide=True, passes=10, most_passes=300, row_by_row=True,
    ),
    LearnerEntry(
        "hard-margin", "Maximal-margin plane", LinearSVM, {"C": float("inf")},
        needs="separable", passes=10, most_passes=300, row_by_row=True,
    ),
)  # fmt: skip
