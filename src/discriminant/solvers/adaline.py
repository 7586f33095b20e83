"""Adaline between two classes: gradient descent on squares, all rows at once or one after another.

    minimise  E(w) = ½ Σ ω (c − w·x + θ)²

Batch: w += δ(t) Σ ω (c − w·x + θ)(x, 1) in epoch t. Stochastic: w += δ(t) ω (c − w·x + θ)(x, 1) at visit t; with
Σδ = ∞ and Σδ² < ∞ it approaches the same least-squares plane. Weights are augmented, (w, −θ).
"""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, eigsh

from discriminant.kernels.adaline import adaline_pass, squared_errors
from discriminant.losses import SQUARED
from discriminant.rows import ArrayRows
from discriminant.rows.threads import over_spans
from discriminant.schedules import Schedule
from discriminant.solvers.visits import Visits
from discriminant.statistics.risk import RiskSums, curvature_product

Array = NDArray[np.float64]

_GROWING_EPOCHS = 3


@dataclass
class Approach:
    """How learning went: the weights, E before the first epoch and after each, the number of the next update."""

    w: Array
    losses: list[float] = field(default_factory=list)
    t: int = 0
    converged: bool = False
    diverged: bool = False

    def judge(self, tol: float) -> bool:
        """Whether to stop: because an epoch changed little, or because the loss grows and grows."""
        before, loss = self.losses[-2:]
        recent = self.losses[-_GROWING_EPOCHS - 1 :]
        growing = len(recent) > _GROWING_EPOCHS and min(np.diff(recent)) > 0 and loss > 2 * self.losses[0]
        self.diverged = bool(not np.isfinite(loss) or growing)
        self.converged = not self.diverged and abs(before - loss) <= tol * before
        return self.converged or self.diverged


class Rule(Protocol):
    """How the weights move."""

    def loss(self, w: Array) -> float:
        """E(w)."""

    def move(self, course: Approach) -> None:
        """One epoch, from weights whose loss was asked for last."""


def approach(rule: Rule, course: Approach, *, max_epochs: int, tol: float) -> None:
    """Epochs until the loss settles; where it diverges, the weights of the least loss are taken back."""
    least, best = rule.loss(course.w), course.w.copy()
    course.losses = course.losses or [least]
    for _ in range(max_epochs):
        rule.move(course)
        course.losses.append(rule.loss(course.w))
        if course.losses[-1] < least:
            least, best = course.losses[-1], course.w.copy()
        if course.judge(tol):
            break
    course.diverged |= course.losses[-1] > course.losses[0]
    if course.diverged:
        course.w = best


class BatchRule:
    """One step along the gradient of all rows; the pass that gives the loss gives the gradient too."""

    def __init__(self, rows: ArrayRows, sign: NDArray[np.int8], schedule: Schedule) -> None:
        self._rows, self._sign, self._schedule = rows, sign, schedule
        self._gradient = np.empty(0)

    def loss(self, w: Array) -> float:
        """E(w)."""
        sums = RiskSums.of(self._rows, self._sign, SQUARED, w)
        self._gradient = sums.gradient / 2
        return sums.value / 2

    def move(self, course: Approach) -> None:
        """w −= δ(t) ∇E."""
        course.w -= self._schedule(course.t) * self._gradient
        course.t += 1


class StochasticRule:
    """A step at every row."""

    def __init__(self, visits: Visits, sign: NDArray[np.int8], schedule: Schedule, *, normalised: bool) -> None:
        self._visits, self._sign, self._schedule, self._normalised = visits, sign, schedule, normalised

    def loss(self, w: Array) -> float:
        """E(w); rows that were taken together with others have no weight of their own."""
        visits = self._visits
        if not w.any():
            return float(visits.weight.sum() if visits.weight.size else visits.codes.size) / 2
        spans = over_spans(
            lambda a, b: squared_errors(visits.table, self._sign, visits.weight, a, b, w),
            visits.codes.size,
            int(visits.numbers_a_row),
        )
        return float(sum(spans)) / 2

    def move(self, course: Approach) -> None:
        """All rows, in the order of their visits."""
        visits = self._visits
        for order, ahead in visits.epoch():
            steps = self._schedule.of_updates(course.t, order.size)
            adaline_pass(visits.table, self._sign, visits.weight, order, ahead, steps, self._normalised, course.w)
            course.t += order.size


def largest_curvature(rows: ArrayRows) -> float:
    """λmax of Σ ω (x, 1)(x, 1)′: steps of the batch rule are stable below 2/λmax."""
    size = rows.n_columns + 1
    operator = LinearOperator((size, size), matvec=lambda v: curvature_product(rows, rows.weight, v.ravel()))
    start = np.append(np.ones(size - 1), 1.0)
    return float(eigsh(operator, k=1, which="LA", v0=start, tol=1e-10, return_eigenvectors=False)[0])


def longest_row(rows: ArrayRows, weight: Array) -> float:
    """max ω‖(x, 1)‖²: no stochastic step below 2 over this can overshoot by more than it corrects."""
    longest = 0.0
    for a in range(0, rows.n_rows, 4096):
        part = rows.matrix[a : a + 4096]
        squares = part.power(2).sum(axis=1) if sparse.issparse(part) else (part.astype(np.float64) ** 2).sum(axis=1)
        lengths = 1.0 + np.asarray(squares).ravel()
        longest = max(longest, float((lengths * weight[a : a + 4096] if weight.size else lengths).max()))
    return longest
