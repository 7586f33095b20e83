"""Adaline between two classes: gradient descent on squares, all rows at once or one after another.

    minimise  E(w) = ½ Σ ω (c − w·x + θ)²

Batch: w += δ(t) Σ ω (c − w·x + θ)(x, 1) in epoch t. Stochastic: w += δ(t) ω (c − w·x + θ)(x, 1) at visit t; with
Σδ = ∞ and Σδ² < ∞ it approaches the same least-squares plane. Weights are augmented, (w, −θ); without an intercept
(x, 0) takes the place of (x, 1), and θ stays what it is.
"""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from discriminant.kernels.adaline import adaline_pass, squared_errors
from discriminant.losses import SQUARED
from discriminant.optimise.sequential.row_order import RowOrder
from discriminant.rows import ArrayRows
from discriminant.rows.threads import over_spans
from discriminant.schedules import Schedule
from discriminant.statistics.risk import RiskSums, curvature_product

Array = NDArray[np.float64]

_GROWING_EPOCHS = 3
_JUDGED_ROWS = 10_000


@dataclass
class AdalineState:
    """How learning went: the weights, E before the first epoch and after each, the number of the next update."""

    w: Array
    losses: list[float] = field(default_factory=list)
    t: int = 0
    converged: bool = False
    diverged: bool = False
    mistakes: list[int] = field(default_factory=list)  # at the points of the path
    path: list[Array] | None = None  # the weights before the first epoch and after each, where they are wanted

    def note(self) -> None:
        """Keep the present weights, if somebody wants to see them."""
        if self.path is not None:
            self.path.append(self.w.copy())


class AdalineRule(Protocol):
    """How the weights move; ``steady`` says that nothing but too large a step can make the loss grow again."""

    steady: bool

    def loss(self, w: Array) -> float:
        """E(w)."""

    def move(self, state: AdalineState) -> None:
        """One epoch, from weights whose loss was asked for last."""


def run_epochs(rule: AdalineRule, state: AdalineState, *, max_epochs: int, tol: float) -> None:
    """Epochs until the loss settles; where it diverges, the weights of the least loss are taken back."""
    losses = [rule.loss(state.w)]
    least, best = losses[0], state.w.copy()
    if not state.losses:
        state.note()
    for _ in range(max_epochs):
        rule.move(state)
        state.note()
        losses.append(rule.loss(state.w))
        if losses[-1] < least:
            least, best = losses[-1], state.w.copy()
        state.diverged = not np.isfinite(losses[-1]) or (_growing(losses) and losses[-1] > 2 * losses[0])
        state.converged = not state.diverged and abs(losses[-2] - losses[-1]) <= tol * losses[-2]
        if state.converged or state.diverged:
            break
    state.diverged |= rule.steady and _growing(losses)
    if state.diverged:
        state.w = best
    state.losses += losses if not state.losses else losses[1:]


def step_of_chunk(rule: AdalineRule, state: AdalineState) -> None:
    """One epoch over new rows: how their loss compares with that of other rows says nothing."""
    before = rule.loss(state.w)
    if not state.losses:
        state.note()
    rule.move(state)
    state.note()
    state.losses += [rule.loss(state.w)] if state.losses else [before, rule.loss(state.w)]


def _growing(losses: list[float]) -> bool:
    """Whether the last few epochs all raised the loss."""
    recent = losses[-_GROWING_EPOCHS - 1 :]
    return len(recent) > _GROWING_EPOCHS and bool(min(np.diff(recent)) > 0)


class BatchRule:
    """One step along the gradient of all rows; the pass that gives the loss gives the gradient too."""

    steady = True

    def __init__(self, rows: ArrayRows, sign: NDArray[np.int8], schedule: Schedule, *, intercept: bool = True) -> None:
        self._rows, self._sign, self._schedule, self._intercept = rows, sign, schedule, intercept
        self._gradient = np.empty(0)

    def loss(self, w: Array) -> float:
        """E(w)."""
        sums = RiskSums.of(self._rows, self._sign, SQUARED, w)
        self._gradient = sums.gradient / 2
        self._gradient[-1] *= self._intercept
        return sums.value / 2

    def move(self, state: AdalineState) -> None:
        """w −= δ(t) ∇E."""
        state.w -= self._schedule(state.t) * self._gradient
        state.t += 1


class StochasticRule:
    """A step at every row."""

    steady = False

    def __init__(self, row_order: RowOrder, sign: NDArray[np.int8], schedule: Schedule, *, normalised: bool) -> None:
        self._row_order, self._sign, self._schedule, self._normalised = row_order, sign, schedule, normalised

    def loss(self, w: Array) -> float:
        """E(w)."""
        row_order = self._row_order
        if not w.any():
            return float(row_order.weight.sum() if row_order.weight.size else row_order.codes.size) / 2
        spans = over_spans(
            lambda a, b: squared_errors(row_order.table, self._sign, row_order.weight, a, b, w),
            row_order.codes.size,
            int(row_order.numbers_a_row),
        )
        return float(sum(spans)) / 2

    def move(self, state: AdalineState) -> None:
        """All rows, in the order of their visits."""
        row_order = self._row_order
        for order, ahead in row_order.epoch():
            steps = self._schedule.of_updates(state.t, order.size)
            adaline_pass(
                row_order.table, self._sign, row_order.step_weight, order, ahead, steps, self._normalised,
                row_order.intercept, state.w,
            )  # fmt: skip
            state.t += order.size


def largest_curvature(rows: ArrayRows, *, intercept: bool = True) -> float:
    """λmax of Σ ω (x, 1)(x, 1)′, or Σ ω x x′: steps of the batch rule are stable below 2/λmax."""
    size = rows.n_columns + 1
    moved = np.append(np.ones(size - 1), float(intercept))
    operator = LinearOperator(
        (size, size), matvec=lambda v: moved * curvature_product(rows, rows.weight, moved * v.ravel())
    )
    # without the constant, columns that sum to zero in every row would be orthogonal to equal weights
    start = moved if intercept else moved * np.random.default_rng(0).standard_normal(size)
    if not np.isfinite(operator.matvec(operator.matvec(start))).all():
        rows.refuse_overflow()
    if not operator.matvec(start).any():
        return 0.0  # no row moves any weight
    try:
        return float(eigsh(operator, k=1, which="LA", v0=start, tol=1e-10, return_eigenvectors=False)[0])
    except ArpackError:  # the products are not finite, or all zero
        rows.refuse_overflow()
        raise


def longest_row(rows: ArrayRows, weight: Array, *, intercept: bool = True) -> float:
    """max ω‖(x, 1)‖², or ω‖x‖²: no stochastic step below 2 over this can overshoot by more than it corrects."""
    longest = 0.0
    for a in range(0, rows.n_rows, 4096):
        part = rows.matrix[a : a + 4096]
        squares = part.power(2).sum(axis=1) if sparse.issparse(part) else (part.astype(np.float64) ** 2).sum(axis=1)
        lengths = float(intercept) + np.asarray(squares).ravel()
        longest = max(longest, float((lengths * weight[a : a + 4096] if weight.size else lengths).max()))
    return longest


def worst_correlation(rows: ArrayRows, positive: int, w: Array, *, intercept: bool = True) -> tuple[float, int]:
    """The largest |cosine| between what is left, c − w·x + θ, and a column (d is the constant), and which it is.

    The constant takes part where there is an intercept. They are all zero at the least-squares plane, whatever the
    scales of the columns. Estimated from some of the rows where there are many.
    """
    some = np.unique(np.linspace(0, rows.n_rows - 1, min(rows.n_rows, _JUDGED_ROWS)).astype(np.intp))
    X = rows.matrix[some]
    X = X if sparse.issparse(X) else X.astype(np.float64)
    omega = rows.weights_at(some)
    left = np.where(rows.codes[some] == positive, 1.0, -1.0) - (X @ w[:-1] + w[-1])
    products = np.append(X.T @ (omega * left), intercept * (omega @ left))
    squares = np.append((X * X if not sparse.issparse(X) else X.multiply(X)).T @ omega, omega.sum())
    scale = np.sqrt(squares * (omega @ left**2))
    cosines = np.abs(products) / np.where(scale > 0, scale, 1.0)
    return float(cosines.max()), int(cosines.argmax())
