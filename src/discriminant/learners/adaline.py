"""Adaline (Widrow and Hoff): the least-squares plane, approached by gradient steps.

    minimise  E(w) = ½ Σ ω (c − w·x + θ)²
    "batch":       w += δ(t) Σ ω (c − w·x + θ) x     over all rows, in epoch t
    "stochastic":  w += δ(t) ω (c − w·x + θ) x       at each row, in visit t;  Σδ = ∞, Σδ² < ∞
    "closed-form": the plane both approach, at once

The threshold learns as the weight of a constant column, in the same steps.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.findings import Diverged, Finding
from discriminant.learners.evidence import gather
from discriminant.learners.least_squares import class_codes
from discriminant.learners.parameters import read_choice, read_flag, read_penalty, read_positive
from discriminant.learners.sequential import ContinuedLearner, positives
from discriminant.losses import SQUARED
from discriminant.rows import ArrayRows
from discriminant.schedules import Schedule, read_schedule
from discriminant.solvers.adaline import (
    Approach,
    BatchRule,
    Rule,
    StochasticRule,
    approach,
    largest_curvature,
    longest_row,
)
from discriminant.solvers.visits import Visits
from discriminant.statistics.risk import RiskSums

Array = NDArray[np.float64]

_NORMALISED_STEP = 0.1


class Adaline(ContinuedLearner):
    """Gradient steps on squares, by the rules above.

    Parameters
    ----------
    rule : "stochastic", "batch" or "closed-form".
    eta : the first step. None takes half the largest stable one: 1/λmax of Σω(x, 1)(x, 1)′ for "batch",
        1/max ω‖(x, 1)‖² for "stochastic"; for normalised steps 0.1, where 2 is the largest.
    schedule : how steps change: "constant", "inverse" (η/(1 + t/n), with n visits an epoch), "inverse-sqrt",
        "normalised" (η/‖(x, 1)‖² at each row), a `Schedule`, or any function of t that gives δ(t). None is "constant"
        for "batch" and "inverse" for "stochastic". `robbins_monro` says whether a schedule is fit for stochastic steps.
    max_epochs, tol : stop after so many epochs, or when one changes E by no more than this fraction of it.
    shuffle : whether "stochastic" visits rows in a new random order each epoch (see `Perceptron`).
    init : "zeros", or "random" standard normal weights.
    random_state : seed of the shuffles and the random start.

    Attributes
    ----------
    coef_, intercept_, classes_, findings_; loss_ (E before the first epoch and after each, summed over planes),
    eta_ (the first step taken), converged_, n_epochs_.

    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
    >>> model = Adaline(rule="batch", max_epochs=10_000, tol=0).fit(X, y)
    >>> model.coef_.round(6).tolist(), model.intercept_.round(6).tolist()
    ([[0.6]], [-1.2])
    """

    _state: list[Approach]

    def __init__(
        self,
        *,
        rule: str = "stochastic",
        eta: float | None = None,
        schedule: Any = None,
        max_epochs: int = 100,
        tol: float = 1e-6,
        shuffle: bool = True,
        init: str = "zeros",
        random_state: Any = None,
    ) -> None:
        self.rule = rule
        self.eta = eta
        self.schedule = schedule
        self.max_epochs = max_epochs
        self.tol = tol
        self.shuffle = shuffle
        self.init = init
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        read_choice(self.rule, ("stochastic", "batch", "closed-form"), "rule")
        read_penalty(self.tol, "tol")
        read_flag(self.shuffle, "shuffle")
        eta = 1.0 if self.eta is None else read_positive(self.eta, "eta")
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

    def _begin(self, start: Array) -> list[Approach]:
        return [Approach(w.copy()) for w in start]

    def _advance(self, rows: ArrayRows, visits: Visits, max_epochs: int) -> None:
        if self.rule == "closed-form":
            self._solve(rows, visits)
            return
        schedule = self._read_schedule(rows, visits)
        for positive, course in zip(positives(self.classes_.size), self._state, strict=True):
            rule = self._rule(rows, visits, visits.signs(positive), schedule)
            approach(rule, course, max_epochs=max_epochs, tol=float(self.tol))
        self._report()

    def _rule(self, rows: ArrayRows, visits: Visits, sign: NDArray[np.int8], schedule: Schedule) -> Rule:
        if self.rule == "batch":
            return BatchRule(rows, sign, schedule)
        return StochasticRule(visits, sign, schedule, normalised=self._normalised())

    def _read_schedule(self, rows: ArrayRows, visits: Visits) -> Schedule:
        eta = self._own_step(rows, visits) if self.eta is None else float(self.eta)
        name = "constant" if self._normalised() else self._schedule_name()
        decay = float(visits.n_visits) if self.rule == "stochastic" else 1.0
        schedule = read_schedule(name, eta, decay=decay)
        self.eta_ = float(schedule(0))
        return schedule

    def _own_step(self, rows: ArrayRows, visits: Visits) -> float:
        return _NORMALISED_STEP if self._normalised() else self._largest_stable_step(rows, visits) / 2

    def _largest_stable_step(self, rows: ArrayRows, visits: Visits) -> float:
        if self._normalised():
            return 2.0
        return 2.0 / (largest_curvature(rows) if self.rule == "batch" else longest_row(rows, visits.weight))

    def _solve(self, rows: ArrayRows, visits: Visits) -> None:
        answer = gather(rows, per_class=False).regress(class_codes(self.classes_.size), 0.0)
        planes = np.column_stack([answer.coef, answer.intercept])
        for positive, course, w in zip(positives(self.classes_.size), self._state, planes, strict=True):
            course.w, course.converged = w, True
            course.losses = [RiskSums.of(rows, visits.signs(positive), SQUARED, w).value / 2]
        self._report()

    def _report(self) -> None:
        self._set_planes(np.vstack([course.w for course in self._state]))
        longest = max(len(course.losses) for course in self._state)
        # a plane that was done early keeps its last loss
        self.loss_ = np.sum(
            [np.pad(course.losses, (0, longest - len(course.losses)), mode="edge") for course in self._state], axis=0
        )
        self.n_epochs_ = longest - 1
        self.converged_ = all(course.converged for course in self._state)

    def _findings(self, rows: ArrayRows) -> tuple[Finding, ...]:
        if not any(course.diverged for course in self._state):
            return ()
        stable = self._largest_stable_step(rows, Visits.of(rows, shuffled=False, seed=0))
        bound = "2/λmax" if self.rule == "batch" else "2/max‖(x, 1)‖²"
        return (
            Diverged(
                f"The steps are too large: the loss grew from {self.loss_[0]:.3g} to {self.loss_[-1]:.3g}",
                f"The first step was {self.eta_:.3g}; the largest stable one is {bound} = {stable:.3g}",
                f"Take eta below {stable:.3g}, or eta=None; columns of similar scale allow larger steps",
            ),
        )
