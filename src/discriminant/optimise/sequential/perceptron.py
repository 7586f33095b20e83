"""The perceptron between two classes: epochs of the sequential rules, or of the batch rule, from given weights.

    minimise  E(w) = −Σ over mistakes of ω c (w·x − θ)

Sequential: w += η ω c (x, 1) at each mistake, at once. Batch: all of an epoch's mistakes together. Weights are
augmented, (w, −θ); without an intercept (x, 0) takes the place of (x, 1), and θ stays what it is.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from discriminant.kernels.perceptron import (
    KNOWN,
    LOGGED,
    LONGEST,
    MISTAKES,
    NEVER,
    NEW,
    RUN,
    STANDING,
    VISITS,
    Log,
    empty_log,
    multiclass_pass,
    new_tally,
    perceptron_epochs,
    perceptron_pass,
)
from discriminant.losses import PERCEPTRON
from discriminant.optimise.sequential.row_order import RowOrder
from discriminant.rows import ArrayRows
from discriminant.statistics.risk import RiskSums

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Patience:
    """When to give up: so many epochs in which mistakes did not fall by ``drop`` below the fewest there were.

    After ``hopeless_epochs`` already while the fewest are more than ``hopeless``: no plane seems right for all rows.
    """

    epochs: int = NEVER
    drop: float = 0.0
    hopeless_epochs: int = NEVER
    hopeless: float = np.inf

    def bears(self, idle: int, fewest: float) -> bool:
        """Whether so many epochs without fewer mistakes are not too many."""
        return idle < (self.hopeless_epochs if fewest > self.hopeless else self.epochs)


ENDLESS = Patience()


@dataclass
class PerceptronState:
    """How learning went: the weights now, Σ v·Δw for their mean (empty if none is wanted), the mistakes an epoch.

    ``fewest`` mistakes of an epoch were made ``idle`` epochs ago; ``gave_up`` where that was more than patience bore.
    """

    w: Array
    lagged: Array
    n_visits: int = 0
    mistakes: list[int] = field(default_factory=list)
    converged: bool = False
    fewest: float = np.inf
    idle: int = 0
    gave_up: bool = False

    @classmethod
    def begin(cls, w: Array, *, averaged: bool) -> "PerceptronState":
        """The state at given weights, before the first row."""
        return cls(w.copy(), np.zeros(w.shape if averaged else (0,) * w.ndim))

    @property
    def mean(self) -> Array:
        """The mean of the weights after each visit."""
        return self.w - self.lagged / max(self.n_visits, 1)

    def end_epoch(self, n_visits: int, mistakes: int, patience: Patience) -> bool:
        """Note what an epoch brought; whether it was the last: all is right, nothing finite, or nothing gets better."""
        fewer = mistakes < self.fewest - patience.drop
        self.fewest, self.idle = (mistakes, 0) if fewer else (self.fewest, self.idle + 1)
        return self.end_epochs(n_visits, [mistakes], patience)

    def end_epochs(self, n_visits: int, mistakes: list[int], patience: Patience) -> bool:
        """End several epochs at once, whose fewest mistakes are noted already."""
        self.n_visits = n_visits
        self.mistakes += mistakes
        self.converged = mistakes[-1] == 0
        self.gave_up = not self.converged and not patience.bears(self.idle, self.fewest)
        return self.converged or self.gave_up or not np.isfinite(self.w).all()


class Observer:
    """Whoever wants to see the weights change: a trace, a vote, a pocket."""

    capacity = 256  # updates to be shown at once

    def begin(self, tally: NDArray[np.int64]) -> None:
        """Before the first row; may set the run of right rows that is to be outlasted, tally[LONGEST]."""

    def see(self, log: Log, n_visits: int) -> None:
        """Updates in order, ``n_visits`` rows having been visited in all. The arrays are used again."""

    def look(self, w: Array, tally: NDArray[np.int64]) -> None:
        """The present weights, whose run of right rows is longer than tally[LONGEST]; may set them KEPT."""


def run_stochastic(
    row_order: RowOrder,
    sign: NDArray[np.int8],
    state: PerceptronState,
    *,
    eta: float,
    max_epochs: int,
    right_on_plane: int = 0,
    observer: Observer | None = None,
    patience: Patience = ENDLESS,
) -> None:
    """Epochs until one passes without a mistake, or patience ends; the state goes on from where it stands."""
    if observer is None and row_order.is_short:
        _sequential_unseen(row_order, sign, state, eta, max_epochs, right_on_plane, patience)
        return
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
                    row_order.table, sign, row_order.step_weight, order, ahead, at, eta, right_on_plane,
                    row_order.intercept, state.w, state.lagged, log, tally,
                )  # fmt: skip
                if observer:
                    _show(observer, state.w, log, tally)
        if state.end_epoch(int(tally[VISITS]), int(tally[MISTAKES]) - before, patience):
            break
    if observer:
        _show(observer, state.w, log, tally, whatever_is_there=True)


def _sequential_unseen(
    row_order: RowOrder,
    sign: NDArray[np.int8],
    state: PerceptronState,
    eta: float,
    max_epochs: int,
    right_on_plane: int,
    patience: Patience,
) -> None:
    """Run short epochs without an observer, many by one call of a kernel."""
    log, tally = empty_log(0, state.w.size), new_tally()
    tally[VISITS] = state.n_visits
    while max_epochs > 0:
        mistakes = np.zeros(min(max_epochs, row_order.epochs_at_once), np.int64)
        n_epochs, state.idle, state.fewest = perceptron_epochs(
            row_order.table, sign, row_order.step_weight, row_order.order, row_order.shuffled, row_order.state,
            eta, right_on_plane, row_order.intercept, state.w, state.lagged, log, tally,
            state.idle, float(state.fewest), patience.epochs, patience.drop,
            patience.hopeless_epochs, patience.hopeless, mistakes,
        )  # fmt: skip
        if state.end_epochs(int(tally[VISITS]), mistakes[:n_epochs].tolist(), patience):
            break
        max_epochs -= n_epochs


def _show(observer: Observer, w: Array, log: Log, tally: NDArray[np.int64], *, whatever_is_there: bool = False) -> None:
    """Show the observer a full log, or the weights that made it pause."""
    n = int(tally[LOGGED])
    if n and (n == observer.capacity or whatever_is_there):
        observer.see(Log(log.row[:n], log.visit[:n], log.weights[:n]), int(tally[VISITS]))
        tally[LOGGED] = 0
    if tally[RUN] > tally[LONGEST] and tally[STANDING] == NEW:
        tally[STANDING] = KNOWN
        observer.look(w, tally)


def run_batch(
    rows: ArrayRows,
    sign: NDArray[np.int8],
    state: PerceptronState,
    *,
    eta: float,
    max_epochs: int,
    intercept: bool = True,
    observer: Observer | None = None,
    patience: Patience = ENDLESS,
) -> None:
    """w += η Σ over mistakes of ω c (x, 1), once an epoch, until there are none; an epoch is one visit."""
    moved = np.append(np.ones(rows.n_columns), float(intercept))
    for _ in range(max_epochs):
        sums = RiskSums.of(rows, sign, PERCEPTRON, state.w)
        if sums.n_mistakes:
            step = -eta * sums.gradient * moved
            state.w += step
            if state.lagged.size:
                state.lagged += state.n_visits * step
            if observer:
                observer.see(Log(np.array([-1]), np.array([state.n_visits]), state.w[None]), state.n_visits + 1)
        if state.end_epoch(state.n_visits + 1, sums.n_mistakes, patience):
            break


def run_multiclass(
    row_order: RowOrder, state: PerceptronState, *, eta: float, max_epochs: int, patience: Patience = ENDLESS
) -> None:
    """Epochs of the rule of K classes on a plane for each (K×(d+1) weights)."""
    tally = new_tally()
    tally[VISITS] = state.n_visits
    for _ in range(max_epochs):
        before = int(tally[MISTAKES])
        for order, ahead in row_order.epoch(len(state.w)):
            multiclass_pass(
                row_order.table, row_order.codes, row_order.step_weight, order, ahead, eta,
                row_order.intercept, state.w, state.lagged, tally,
            )  # fmt: skip
        if state.end_epoch(int(tally[VISITS]), int(tally[MISTAKES]) - before, patience):
            break
