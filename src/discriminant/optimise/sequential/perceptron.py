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
from discriminant.optimise.sequential.row_order import RowOrder
from discriminant.rows import ArrayRows
from discriminant.statistics.risk import RiskSums

Array = NDArray[np.float64]


@dataclass
class PerceptronState:
    """How learning went: the weights now, Σ v·Δw for their mean (empty if none is wanted), the mistakes an epoch."""

    w: Array
    lagged: Array
    n_visits: int = 0
    mistakes: list[int] = field(default_factory=list)
    converged: bool = False

    @classmethod
    def begin(cls, w: Array, *, averaged: bool) -> "PerceptronState":
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


class Observer:
    """Whoever wants to see the weights change: a trace, a vote, a pocket."""

    capacity = 256  # updates to be shown at once

    def begin(self, tally: NDArray[np.int64]) -> None:
        """Before the first row; may set the run of right rows that is to be outlasted, tally[LONGEST]."""

    def see(self, log: Log, n_visits: int) -> None:
        """Updates in order, ``n_visits`` rows having been visited in all. The arrays are used again."""

    def look(self, w: Array, tally: NDArray[np.int64]) -> None:
        """The present weights, whose run of right rows is longer than tally[LONGEST]; may set them KEPT."""


def sequential(
    row_order: RowOrder,
    sign: NDArray[np.int8],
    state: PerceptronState,
    *,
    eta: float,
    max_epochs: int,
    zero_is_negative: bool = False,
    observer: Observer | None = None,
) -> None:
    """Epochs until one passes without a mistake; the state goes on from where it stands."""
    log = empty_log(observer.capacity if observer else 0, state.w.size)
    tally = new_tally()
    tally[VISITS] = state.n_visits
    if observer:
        observer.begin(tally)
    for _ in range(max_epochs):
        before = int(tally[MISTAKES])
        for order, ahead in row_order.epoch():
            at = 0
            while at < order.size:
                at = perceptron_pass(
                    row_order.table, sign, row_order.step_weight, order, ahead, at, eta, zero_is_negative,
                    state.w, state.lagged, log, tally,
                )  # fmt: skip
                if observer:
                    _show(observer, state.w, log, tally)
        if state.end_epoch(int(tally[VISITS]), int(tally[MISTAKES]) - before):
            break
    if observer:
        _show(observer, state.w, log, tally, whatever_is_there=True)


def _show(observer: Observer, w: Array, log: Log, tally: NDArray[np.int64], *, whatever_is_there: bool = False) -> None:
    """Show the observer a full log, or the weights that made it pause."""
    n = int(tally[LOGGED])
    if n and (n == observer.capacity or whatever_is_there):
        observer.see(Log(log.row[:n], log.visit[:n], log.weights[:n]), int(tally[VISITS]))
        tally[LOGGED] = 0
    if tally[RUN] > tally[LONGEST] and tally[STANDING] == NEW:
        tally[STANDING] = KNOWN
        observer.look(w, tally)


def batch(
    rows: ArrayRows,
    sign: NDArray[np.int8],
    state: PerceptronState,
    *,
    eta: float,
    max_epochs: int,
    observer: Observer | None = None,
) -> None:
    """w += η Σ over mistakes of ω c (x, 1), once an epoch, until there are none; an epoch is one visit."""
    for _ in range(max_epochs):
        sums = RiskSums.of(rows, sign, PERCEPTRON, state.w)
        if sums.n_mistakes:
            step = -eta * sums.gradient
            state.w += step
            if state.lagged.size:
                state.lagged += state.n_visits * step
            if observer:
                observer.see(Log(np.array([-1]), np.array([state.n_visits]), state.w[None]), state.n_visits + 1)
        if state.end_epoch(state.n_visits + 1, sums.n_mistakes):
            break


def direct(row_order: RowOrder, state: PerceptronState, *, eta: float, max_epochs: int) -> None:
    """Epochs of the rule of K classes on a plane for each (K×(d+1) weights)."""
    tally = new_tally()
    tally[VISITS] = state.n_visits
    for _ in range(max_epochs):
        before = int(tally[MISTAKES])
        for order, ahead in row_order.epoch(len(state.w)):
            multiclass_pass(
                row_order.table, row_order.codes, row_order.step_weight, order, ahead, eta,
                state.w, state.lagged, tally,
            )  # fmt: skip
        if state.end_epoch(int(tally[VISITS]), int(tally[MISTAKES]) - before):
            break
