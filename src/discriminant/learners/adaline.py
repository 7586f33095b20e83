"""Adaline (Widrow and Hoff): the least-squares plane, approached by gradient steps."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metaestimators import available_if

from discriminant.findings import Diverged, Finding, NotConverged, column_names
from discriminant.learners.base import class_codes
from discriminant.learners.class_weights import ClassWeight, learns_in_parts
from discriminant.learners.moment_backends import gather_evidence
from discriminant.learners.registry import LearnerEntry
from discriminant.learners.sequential import ContinuedLearner, Start, one_or_all, positive_codes
from discriminant.learners.through_origin import regression_through_origin
from discriminant.losses import SQUARED
from discriminant.optimise.sequential.adaline import (
    AdalineRule,
    AdalineState,
    BatchRule,
    StochasticRule,
    largest_curvature,
    longest_row,
    run_epochs,
    step_of_chunk,
    worst_correlation,
)
from discriminant.optimise.sequential.row_order import RowOrder
from discriminant.optimise.traces import Trace, measure
from discriminant.parameters import read_choice, read_flag, read_penalty, read_positive, renamed_parameters
from discriminant.rows import ArrayRows
from discriminant.schedules import Schedule, read_schedule
from discriminant.statistics.risk import RiskSums

Array = NDArray[np.float64]

AdalineRuleName = Literal["stochastic", "batch", "closed-form"]
ScheduleName = Literal["constant", "inverse", "inverse-sqrt", "normalised"]

_NORMALISED_STEP = 0.1
_FAR_FROM_LEAST_SQUARES = 0.1  # a correlation


def _takes_chunks(adaline: "Adaline") -> bool:
    if adaline.rule == "closed-form":
        raise AttributeError("rule='closed-form' takes all rows at once; LeastSquaresClassifier.partial_fit adds rows")
    return learns_in_parts(adaline)


@renamed_parameters(max_epochs="max_iter", n_epochs_="n_iter_")
class Adaline(ContinuedLearner):
    """Gradient steps on the squared error towards the least-squares plane.

    Parameters
    ----------
    rule : "stochastic", "batch" or "closed-form".
    eta : the first step. None takes half the largest stable one: 1/λmax of Σω(x, 1)(x, 1)′ for "batch",
        1/max ω‖(x, 1)‖² for "stochastic"; for normalised steps 0.1, where 2 is the largest.
    schedule : how steps change: "constant", "inverse" (η/(1 + t/n), with n visits an epoch), "inverse-sqrt",
        "normalised" (η/‖(x, 1)‖² at each row), a `Schedule`, or any function of t that gives δ(t). None is "constant"
        for "batch" and "inverse" for "stochastic". `robbins_monro` says whether a schedule is fit for stochastic steps.
    fit_intercept : False for planes through the origin: θ stays 0, and (x, 0) takes the place of (x, 1).
    max_iter, tol : stop after so many epochs, or when one changes E by no more than this fraction of it. A fit that
        is then still far from the least-squares plane says so, with the column that tells.
    shuffle : whether "stochastic" visits rows in a new random order each epoch (see `Perceptron`).
    init : "zeros", "random" standard normal weights, or the weights to start from: w and then −θ, a row for each plane.
    trace : keep the weights before the first epoch and after each, E and the rows that are wrong there in ``trace_``.
    class_weight : None, a mapping of classes to weights, or "balanced"; it multiplies ``sample_weight``. A class of
        weight 0 stays in ``classes_``.
    warm_start : begin at the weights of the last fit, if its columns and classes were the same.
    random_state : seed of the shuffles and the random start.

    Attributes
    ----------
    coef_, intercept_ : arrays 1×d and 1, of K > 2 classes K×d and K: the weights w and −θ.
    classes_ : array of K labels, sorted.
    findings_ : tuple of `Finding`: what was odd about the data or the fit.
    loss_ : array of E before the first epoch and after each, summed over the planes.
    eta_ : float, the first step taken; not there in closed form.
    converged_ : bool, whether an epoch changed E by no more than ``tol`` of it, near the least-squares plane.
    n_iter_ : int, the epochs; 1 in closed form.
    trace_ : with ``trace``, a `Trace`, or a tuple of one for each plane.

    Notes
    -----
    With c = ±1 for the classes:

        minimise  E(w) = ½ Σ ω (c − w·x + θ)²
        "batch":       w += δ(t) Σ ω (c − w·x + θ) x     over all rows, in epoch t
        "stochastic":  w += δ(t) ω (c − w·x + θ) x       at each row, in visit t;  Σδ = ∞, Σδ² < ∞
        "closed-form": the plane both approach, at once

    The threshold learns as the weight of a constant column, in the same steps.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
    >>> model = Adaline(rule="batch", max_iter=10_000, tol=0).fit(X, y)
    >>> model.coef_.round(6).tolist(), model.intercept_.round(6).tolist()
    ([[0.6]], [-1.2])
    """

    _state: "_States"
    _fixed = ("rule", "eta", "schedule", "trace", "fit_intercept")

    def __init__(
        self,
        *,
        rule: AdalineRuleName = "stochastic",
        eta: float | None = None,
        schedule: ScheduleName | Schedule | Callable[[int], float] | None = None,
        fit_intercept: bool = True,
        max_iter: int = 100,
        tol: float = 1e-6,
        shuffle: bool = True,
        init: Start = "zeros",
        trace: bool = False,
        class_weight: ClassWeight = None,
        warm_start: bool = False,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.rule = rule
        self.eta = eta
        self.schedule = schedule
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.init = init
        self.trace = trace
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Refuse parameters that make no sense, before any row is touched."""
        super().check_parameters()
        read_choice(self.rule, get_args(AdalineRuleName), "rule")
        read_penalty(self.tol, "tol")
        read_flag(self.shuffle, "shuffle")
        read_flag(self.trace, "trace")
        eta = 1.0 if self.eta is None else read_positive(self.eta, "eta")
        if isinstance(self.schedule, str):
            read_choice(self.schedule, get_args(ScheduleName), "schedule")
        if not self._normalised():
            read_schedule(self._schedule_name(), eta)
        elif self.rule == "batch":
            raise ValueError("schedule='normalised' divides by the length of each row; it goes with rule='stochastic'")
        elif eta >= 2:
            raise ValueError(f"normalised steps are stable for eta below 2 only, got {self.eta!r}")

    def _shuffled(self) -> bool:
        return self.rule == "stochastic" and self.shuffle

    def _normalised(self) -> bool:
        return isinstance(self.schedule, str) and self.schedule == "normalised"

    def _schedule_name(self) -> Any:
        if self.schedule is not None:
            return self.schedule
        return "constant" if self.rule == "batch" else "inverse"

    # --- learning ---------------------------------------------------------------------------------------

    @available_if(_takes_chunks)
    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """One epoch over these rows, in the order they come, from the weights there are.

        The first call must name all ``classes``, unless its rows hold them all; it also fixes the steps.

        Parameters
        ----------
        X, y, sample_weight : a table with its labels and weights of rows, or a rows source alone.
        classes : all classes there will be; the first call may name them before it has rows of each.

        Returns
        -------
        Self
            This model, fitted.
        """
        return super().partial_fit(X, y, classes, sample_weight)

    def _begin(self, start: Array) -> "_States":
        return _States([AdalineState(w.copy(), path=[] if self.trace else None) for w in start])

    def _advance(self, rows: ArrayRows, visits: RowOrder, max_epochs: int) -> None:
        states = self._state.states
        if self.rule == "closed-form":
            self._solve(rows, visits)
            return
        goes_on = self._state.schedule is not None
        self._state.schedule = self._state.schedule or self._read_schedule(rows, visits)
        for positive, state in zip(positive_codes(self.classes_.size), states, strict=True):
            rule = self._rule(rows, visits, visits.signs(positive), self._state.schedule)
            if goes_on:
                step_of_chunk(rule, state)
            else:
                run_epochs(rule, state, max_epochs=max_epochs, tol=float(self.tol))
        self.eta_ = float(self._state.schedule(0))
        self._report()
        self._keep_traces(rows, visits)

    def _rule(self, rows: ArrayRows, visits: RowOrder, sign: NDArray[np.int8], schedule: Schedule) -> AdalineRule:
        if self.rule == "batch":
            return BatchRule(rows, sign, schedule, intercept=bool(self.fit_intercept))
        return StochasticRule(visits, sign, schedule, normalised=self._normalised())

    def _read_schedule(self, rows: ArrayRows, visits: RowOrder) -> Schedule:
        eta = self._own_step(rows, visits) if self.eta is None else float(self.eta)
        name = "constant" if self._normalised() else self._schedule_name()
        decay = float(visits.n_visits) if self.rule == "stochastic" else 1.0
        return read_schedule(name, eta, decay=decay)

    def _own_step(self, rows: ArrayRows, visits: RowOrder) -> float:
        return _NORMALISED_STEP if self._normalised() else self._largest_stable_step(rows, visits) / 2

    def _largest_stable_step(self, rows: ArrayRows, visits: RowOrder) -> float:
        if self._normalised():
            return 2.0
        constant = bool(self.fit_intercept)
        if self.rule == "batch":
            curvature = largest_curvature(rows, intercept=constant)
        else:
            curvature = longest_row(rows, visits.step_weight, intercept=constant)
        return 2.0 / curvature if curvature > 0 else 2.0

    def _solve(self, rows: ArrayRows, visits: RowOrder) -> None:
        present, codes = np.unique(rows.codes, return_inverse=True)  # rows of a class without weight are not there
        own = replace(rows, classes=rows.classes[present], codes=codes.astype(np.int32))
        evidence, targets = gather_evidence(own, per_class=False), class_codes(self.classes_.size)[present]
        if self.fit_intercept:
            answer = evidence.regress(targets, 0.0)
        else:
            answer = regression_through_origin(evidence, own, targets, 0.0)
        planes = np.column_stack([answer.coef, answer.intercept])
        for positive, state, w in zip(positive_codes(self.classes_.size), self._state.states, planes, strict=True):
            state.w, state.converged = w, True
            state.losses = [RiskSums.of(rows, visits.signs(positive), SQUARED, w).value / 2]
            state.note()
        self._state.findings = answer.findings
        self.__dict__.pop("eta_", None)
        self._report()
        self._keep_traces(rows, visits)

    def _keep_traces(self, rows: ArrayRows, visits: RowOrder) -> None:
        """The path of each plane; mistakes of epochs over rows that came before are those of then."""
        self.__dict__.pop("trace_", None)
        if not self.trace:
            return
        for positive, state in zip(positive_codes(self.classes_.size), self._state.states, strict=True):
            new = np.array((state.path or [])[len(state.mistakes) :])
            state.mistakes += measure(rows, visits.signs(positive), SQUARED, new)[1].tolist()
        self.trace_ = one_or_all([
            Trace.of_weights(np.array(state.path), np.array(state.losses), np.array(state.mistakes, dtype=np.int64))
            for state in self._state.states
        ])  # fmt: skip

    def _report(self) -> None:
        states = self._state.states
        self._set_planes(np.vstack([state.w for state in states]))
        longest = max(len(state.losses) for state in states)
        # a plane that was done early keeps its last loss
        self.loss_ = np.sum([np.pad(c.losses, (0, longest - len(c.losses)), mode="edge") for c in states], axis=0)
        self.n_iter_ = max(longest - 1, 1)  # a closed form is one step
        self.converged_ = all(state.converged for state in states)

    # --- findings ---------------------------------------------------------------------------------------

    def _findings(self, rows: ArrayRows) -> tuple[Finding, ...]:
        if self.rule == "closed-form":
            return self._state.findings
        if any(state.diverged for state in self._state.states):
            return (self._divergence(rows),)
        chosen = zip(positive_codes(self.classes_.size), self._state.states, strict=True)
        constant = bool(self.fit_intercept)
        cosine, column = max(
            worst_correlation(rows, positive, state.w, intercept=constant) for positive, state in chosen
        )
        if cosine <= _FAR_FROM_LEAST_SQUARES:
            return ()
        self.converged_ = False
        name = "the constant" if column == rows.n_columns else repr(column_names([column], rows.names)[0])
        return (
            NotConverged(
                f"Adaline is still far from the least-squares plane after {self.n_iter_} epochs",
                f"What it leaves unexplained has a correlation of {cosine:.2f} with {name}, and would have none there",
                "Standardise the columns, let steps decay, allow more epochs (and tol=0), or take rule='closed-form'",
            ),
        )

    def _divergence(self, rows: ArrayRows) -> Finding:
        stable = self._largest_stable_step(rows, RowOrder.of(rows, shuffled=self._shuffled(), seed=0))
        if self._normalised():
            bound = "2 (in units of 1/‖(x, 1)‖²)"
        else:
            bound = f"{'2/λmax' if self.rule == 'batch' else '2/max‖(x, 1)‖²'} = {stable:.3g}"
        return Diverged(
            f"The steps are too large: the loss went from {min(self.loss_):.3g} to {self.loss_[-1]:.3g}",
            f"The first step was {self.eta_:.3g}; the largest stable one is {bound}",
            f"Take eta below {stable:.3g}, or eta=None; columns of similar scale allow larger steps",
        )


@dataclass
class _States:
    """The state of each plane, and the steps as they were first chosen."""

    states: list[AdalineState]
    schedule: Schedule | None = None
    findings: tuple[Finding, ...] = ()


LEARNERS = (
    LearnerEntry("adaline", "Adaline", Adaline, order_dependent=True, passes=100, most_passes=100, row_by_row=True),
)
