"""The soft slab: what all of its solvers share.

    primal   min over w, b:  ½‖w‖² + Σ u ℓ(m),      m = c(w·x + b),   u = C ω
    dual     max over α:     Σ α − ½‖Σ α c x‖² − ½Σ δα²   s.t.  Σ α c = 0,  0 ≤ α ≤ cap

hinge ℓ = max(0, 1 − m): cap = u, δ = 0;   squared hinge ℓ = max(0, 1 − m)²: no cap, δ = 1/(2u). Any feasible α has a
dual value below any primal value, so that the two together say how far an answer can be from the optimum.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.optimise.centred_rows import CentredRows

Array = NDArray[np.float64]

_MOST_STEPS = 100
_ROUNDING = 1e-6
_SUM_ROUNDING = 1e-14  # of sums of multipliers, relative
_SQUARE_ROUNDING = 1e-8  # whose square is lost beside 1


@dataclass(frozen=True)
class SlabLoss:
    """u of each row, and whether the loss is squared."""

    u: Array
    squared: bool = False

    @property
    def cap(self) -> Array:
        """The largest α."""
        return np.full_like(self.u, np.inf) if self.squared else self.u

    @property
    def softening(self) -> Array:
        """δ, which the squared hinge adds to the diagonal of the dual."""
        return 0.5 / self.u if self.squared else np.zeros_like(self.u)

    def value(self, margin: Array) -> float:
        """Σ u ℓ(m)."""
        lack = np.maximum(0.0, 1.0 - margin)
        return float(self.u @ (lack * lack if self.squared else lack))

    def dual(self, alpha: Array, combined: Array) -> float:
        """The dual at a feasible α with w = Σ α c x."""
        soft = 0.5 * float((self.softening * alpha) @ alpha) if self.squared else 0.0
        return float(alpha.sum()) - 0.5 * float(combined @ combined) - soft

    def intercept(self, scores: Array, sign: Array) -> float:
        """The best b for these w·x."""
        return (_squared_intercept if self.squared else best_intercept)(scores, sign, self.u)


@dataclass(frozen=True)
class SlabOptimum:
    """A plane w·x + b, the dual variables α that prove it, and both objectives, with every row counted."""

    w: Array
    b: float
    alpha: Array
    primal: float
    dual: float
    n_iterations: int

    @property
    def margin(self) -> float:
        """1/‖w‖."""
        return 1.0 / float(np.linalg.norm(self.w))

    @property
    def support(self) -> NDArray[np.intp]:
        """The rows with α > 0."""
        return np.flatnonzero(self.alpha)

    @property
    def gap(self) -> float:
        """(primal − dual)/primal; the primal is positive wherever both classes have rows, unless it underflows."""
        return (self.primal - self.dual) / self.primal if self.primal else 0.0


def certify(
    centred: CentredRows,
    c: Array,
    loss: SlabLoss,
    plane: Array,
    alpha: Array,
    n_iterations: int,
    free: bool = True,
    combination: Array | None = None,
) -> SlabOptimum:
    """A plane with both objectives, the dual at the nearest feasible α; b is ``free``, or there is none.

    ``combination`` is Σ α c (x, 1) of the α that are given, where somebody knows it.
    """
    given = alpha
    alpha = np.where(alpha >= (1.0 - _SUM_ROUNDING) * loss.cap, loss.cap, np.maximum(alpha, 0.0))
    if free:
        alpha = balance(alpha, c)
    if combination is None or not np.array_equal(alpha, given):
        combination = centred.combination(alpha * c)
    combined = combination[:-1]
    # a smaller multiple of α, where it has a higher dual value (by the square of what it is smaller by); at the optimum
    # none has, and rounding alone must not take a multiplier from its cap
    multiple = float(alpha.sum()) / max(float(combined @ combined), 1e-300)
    if multiple < 1.0 - _SQUARE_ROUNDING:
        alpha, combined = multiple * alpha, multiple * combined
    margin = c * centred.scores(plane)
    divisor, primal = without_rounding(plane[:-1], loss.value(margin), float(margin.min()))
    dual = loss.dual(alpha, combined)
    if primal < dual <= (1.0 + _SUM_ROUNDING) * primal:  # no dual value is above a primal one but by rounding
        dual = primal
    return SlabOptimum(*centred.user_plane(plane / divisor), alpha, primal, dual, n_iterations)


def without_rounding(w: Array, loss: float, least: float) -> tuple[float, float]:
    """What to divide a plane of this loss and least margin by, and its primal value then.

    It is made longer so that no row is inside, where only rounding puts them there: with a large u a margin of
    1 − 10⁻¹⁶ would cost more than all of ‖w‖².
    """
    half = 0.5 * float(w @ w)
    primal = half + loss
    if 1.0 - _ROUNDING < least < 1.0 and half / least**2 < primal:
        return least, half / least**2
    return 1.0, primal


def balance(alpha: Array, c: Array) -> Array:
    """α with Σ α c = 0: the larger side shrinks to the smaller, so that no cap is exceeded.

    Sides that differ by the rounding of their sums are balance: a multiplier at its cap stays there.
    """
    positive, negative = float(alpha[c > 0].sum()), float(alpha[c < 0].sum())
    least = min(positive, negative)
    if abs(positive - negative) <= _SUM_ROUNDING * least:
        return alpha
    if least == 0.0:
        return np.zeros_like(alpha)
    return np.where(c > 0, alpha * (least / positive), alpha * (least / negative))


def best_intercept(scores: Array, sign: Array, cap: Array, h: float = 0.0) -> float:
    """The middle of the b that minimise Σ u max(0, 1 − c(score + b)) − h b.

    The slope in b, −Σ u c over the rows with margin below 1, less h, rises by u at each b = c − score.
    """
    kinks = sign - scores
    order = np.argsort(kinks, kind="stable")
    slope = np.cumsum(cap[order]) - cap[sign > 0].sum() - h
    slack = 1e-12 * (float(cap.sum()) + abs(h))
    first = min(int(np.searchsorted(slope, -slack)), kinks.size - 1)
    flat = slope[first] <= slack and first + 1 < kinks.size
    last = first + 1 if flat else first
    return float(0.5 * (kinks[order[first]] + kinks[order[last]]))


def _squared_intercept(scores: Array, sign: Array, u: Array) -> float:
    """The b that minimises Σ u max(0, 1 − c(score + b))², by the weighted mean of c − score over the rows inside."""
    kinks = sign - scores
    b = float(u @ kinks / u.sum())
    for _ in range(_MOST_STEPS):
        inside = sign * (scores + b) < 1.0
        if not inside.any():
            break
        moved = float(u[inside] @ kinks[inside] / u[inside].sum())
        if abs(moved - b) <= 1e-15 * (1.0 + abs(b)):
            break
        b = moved
    return b
