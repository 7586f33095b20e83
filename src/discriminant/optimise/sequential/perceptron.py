"""The perceptron between two classes: epochs of the sequential rules, or of the batch rule, from given weights.

    minimise  E(w) = −Σ over mistakes of ω c (w·x − θ)

Sequential: w += η ω c (x, 1) at each mistake, at once. Batch: all of an epoch's mistakes together. Weights are
augmented, (w, −θ).
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from discriminant.kernels.perceptron import (
    KNOWN,
    LOGGED,
    LONGEST,
    MISTAKES,
    NEW,
    RUN,
    STANDING,
    VISITS,
    Log,
    empty_log,
    multiclass_pass,
    new_tally,
    perceptron_pass,
)
from discriminant.losses import PERCEPTRON
from discriminant.optimise.sequential.row_order import Visits
from discriminant.rows import ArrayRows
from discriminant.statistics.risk import RiskSums

Array = NDArray[np.float64]


@dataclass
class Course:
    """How learning went: the weights now, Σ v·Δw for their mean (empty if none is wanted), the mistakes an epoch."""

    w: Array
    lagged: Array
    n_visits: int = 0
    mistakes: list[int] = field(default_factory=list)
    converged: bool = False

    @classmethod
    def begin(cls, w: Array, *, averaged: bool) -> "Course":
        """At given weights, before the first row."""
        return cls(w.copy(), np.zeros(w.shape if averaged else (0,) * w.ndim))

    @property
    def n_updates(self) -> int:
        """Mistakes learnt from."""
        return sum(self.mistakes)

    @property
    def mean(self) -> Array:
        """The mean of the weights after each visit."""
        return self.w - self.lagged / max(self.n_visits, 1)

    def end_epoch(self, n_visits: int, mistakes: int) -> bool:
        """Note what an epoch brought; whether it was the last, because all is right or nothing is finite any more."""
        self.n_visits = n_visits
        self.mistakes.append(mistakes)
        self.converged = mistakes == 0
        return self.converged or not np.isfinite(self.w).all()


class Watcher:
    """Whoever wants to see the weights change: a trace, a vote, a pocket."""

    capacity = 256  # updates to be shown at once

    def begin(self, tally: NDArray[np.int64]) -> None:
        """Before the first row; may set the run of right rows that is to be outlasted, tally[LONGEST]."""

    def see(self, log: Log, n_visits: int) -> None:
        """Updates in order, ``n_visits`` rows having been visited in all. The arrays are used again."""

    def look(self, w: Array, tally: NDArray[np.int64]) -> None:
        """The present weights, whose run of right rows is longer than tally[LONGEST]; may set them KEPT."""


def sequential(
    visits: Visits,
    sign: NDArray[np.int8],
    course: Course,
    *,
    eta: float,
    max_epochs: int,
    zero_is_negative: bool = False,
    watcher: Watcher | None = None,
) -> None:
    """Epochs of visits until one passes without a mistake; the course goes on from where it stands."""
    log = empty_log(watcher.capacity if watcher else 0, course.w.size)
    tally = new_tally()
    tally[VISITS] = course.n_visits
    if watcher:
        watcher.begin(tally)
    for _ in range(max_epochs):
        before = int(tally[MISTAKES])
        for order in visits.epoch():
            at = 0
            while at < order.size:
                at = perceptron_pass(
                    visits.table, sign, visits.step_weight, order, at, eta, zero_is_negative,
                    course.w, course.lagged, log, tally,
                )  # fmt: skip
                if watcher:
                    _show(watcher, course.w, log, tally)
        if course.end_epoch(int(tally[VISITS]), int(tally[MISTAKES]) - before):
            break
    if watcher:
        _show(watcher, course.w, log, tally, whatever_is_there=True)


def _show(watcher: Watcher, w: Array, log: Log, tally: NDArray[np.int64], *, whatever_is_there: bool = False) -> None:
    """Show the watcher a full log, or the weights that made it pause."""
    n = int(tally[LOGGED])
    if n and (n == watcher.capacity or whatever_is_there):
        watcher.see(Log(log.row[:n], log.visit[:n], log.weights[:n]), int(tally[VISITS]))
        tally[LOGGED] = 0
    if tally[RUN] > tally[LONGEST] and tally[STANDING] == NEW:
        tally[STANDING] = KNOWN
        watcher.look(w, tally)


def batch(
    rows: ArrayRows,
    sign: NDArray[np.int8],
    course: Course,
    *,
    eta: float,
    max_epochs: int,
    watcher: Watcher | None = None,
) -> None:
    """w += η Σ over mistakes of ω c (x, 1), once an epoch, until there are none; an epoch is one visit."""
    for _ in range(max_epochs):
        sums = RiskSums.of(rows, sign, PERCEPTRON, course.w)
        if sums.n_mistakes:
            step = -eta * sums.gradient
            course.w += step
            if course.lagged.size:
                course.lagged += course.n_visits * step
            if watcher:
                watcher.see(Log(np.array([-1]), np.array([course.n_visits]), course.w[None]), course.n_visits + 1)
        if course.end_epoch(course.n_visits + 1, sums.n_mistakes):
            break


def direct(visits: Visits, course: Course, *, eta: float, max_epochs: int) -> None:
    """Epochs of the rule of K classes on a plane for each (K×(d+1) weights)."""
    tally = new_tally()
    tally[VISITS] = course.n_visits
    for _ in range(max_epochs):
        before = int(tally[MISTAKES])
        for order in visits.epoch(len(course.w)):
            multiclass_pass(visits.table, visits.codes, visits.step_weight, order, eta, course.w, course.lagged, tally)
        if course.end_epoch(int(tally[VISITS]), int(tally[MISTAKES]) - before):
            break
