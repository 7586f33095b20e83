"""Newton's method and its kin: steps downhill on a smooth convex criterion F, each as long as a line search lets it be.

    newton            p = −(∇²F)⁻¹∇F
    quasi-newton      p = −B∇F, where B starts as a given inverse Hessian and learns from the gradients (Nocedal 1980)
    truncated-newton  ∇²F p = −∇F solved roughly by conjugate gradients

Progress is measured in the same way for all, free of the units of the columns: λ = √(−p·∇F/Σω) is the change the next
step would make in the score of a typical row, and the iteration ends when it is below the tolerance.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from discriminant.linalg.conjugate_gradients import conjugate_gradients
from discriminant.linalg.metric import EPS, metric_of_scatter
from discriminant.optimise.line_search import halve, line_search, to_the_bottom
from discriminant.statistics.penalised_risk import PenalisedRisk

Array = NDArray[np.float64]
Solve = Callable[[Array], Array]

_MEMORY = 20  # pairs of steps and gradients that B learns from
_STALLED = 15  # steps that bring the next one no nearer to zero
_ROUNDED_OFF = 1e-4
_LONGEST, _GROWTH = 100.0, 4.0  # of a step: changes of scores by so much, or times those of the steps before together
_SAME, _STRETCH = 0.05, 4.0  # relative difference of two steps that count as one, and by how much it is then lengthened


@dataclass
class Iteration:
    """A point of a criterion, moved by steps until the next would be within the tolerance."""

    risk: PenalisedRisk
    u: Array  # in the coordinates of the risk
    tolerance: float
    max_iterations: int
    method: str = "newton"
    deficient: bool = False  # whether columns may determine one another
    value: float = field(init=False)
    gradient: Array = field(init=False)  # the last one computed, before a last step of size ``step_left``
    step_left: float = np.inf  # λ
    doubt: float = 1.0  # by which λ is taken to be larger than by the curvature that a step is made with
    remainder: float = np.inf  # what λ will be after the step that is proposed, where its rule knows
    last_step: Array = field(init=False)  # the last one whose value was looked at
    last_size: float = 0.0  # what λ was before it
    n_iterations: int = 0
    n_passes: int = 0
    stuck: bool = False
    hessian: Array | None = None  # the last one computed, where steps are made of it: before a step of ``step_left``
    _best: float = np.inf
    _since_best: int = 0

    def __post_init__(self) -> None:
        self.value, self.gradient = self._looked_at(*self.risk.value_and_gradient(self.u))
        self.last_step = np.zeros_like(self.u)

    @property
    def weights(self) -> Array:
        """u in the units of the columns."""
        return self.risk.to_user(self.u)

    @property
    def converged(self) -> bool:
        """Whether the next step would be within the tolerance."""
        return self.step_left <= self.tolerance

    @property
    def ended(self) -> bool:
        """Whether no further step is worth while, or allowed."""
        return self.converged or self.stuck or self.n_iterations >= self.max_iterations

    def follow(self, step_at: "StepRule", patience: int | None = None) -> None:
        """Make the steps of a rule, until none is worth while or there were so many.

        Where F falls for ever, as a likelihood without a maximum does, steps repeat; every other is then lengthened.
        """
        before = np.zeros_like(self.u)
        while patience is None or patience >= self.max_iterations or self.n_iterations < patience:
            step = step_at(self)
            if not self._goes_on(step) or self.n_iterations >= (patience or self.max_iterations):
                return
            step = self.bounded(step)
            repeated = np.abs(step - before).max() <= _SAME * np.abs(step).max()
            self._move(_STRETCH * step if repeated else step)
            before = np.zeros_like(step) if repeated else step

    def bounded(self, step: Array) -> Array:
        """The step, shortened where curvature that is lost in rounding would send the scores anywhere.

        In the coordinates of the risk, where columns have unit spread, the length of a step is about what it changes
        the score of a typical row by.
        """
        length, most = float(np.linalg.norm(step)), max(_LONGEST, _GROWTH * float(np.linalg.norm(self.u)))
        return step * (most / length) if length > most else step

    def _looked_at(self, value: float, gradient: Array) -> tuple[float, Array]:
        self.n_passes += 1
        return (value if np.isfinite(gradient).all() else np.inf), gradient

    def _goes_on(self, step: Array) -> bool:
        """Whether another pass is worth while. The last step, too small to be seen in F, is taken without one."""
        fall = max(-float(step @ self.gradient), 0.0)
        size = float(np.sqrt(fall / self.risk.total_weight))
        self.step_left = self.doubt * size
        self._since_best = 0 if self.step_left < 0.9 * self._best else self._since_best + 1
        self._best = min(self._best, self.step_left)
        if self._since_best > _STALLED and self._best < _ROUNDED_OFF:
            self.stuck = True  # what is left is rounding
        if self.remainder <= self.tolerance:
            self.last_step, self.last_size = step, size
            self.step_left = self.remainder
        if self.converged:
            last = self.bounded(step)
            if last is not step:  # it leads far, though F falls by next to nothing
                self.last_step, self.last_size = last, size
            self.u = self.u + last
            self.value -= fall / 2
        return not (self.converged or self.stuck) and self.n_iterations < self.max_iterations

    def _move(self, step: Array) -> None:
        """Go along the step until F has fallen enough."""
        self.n_iterations += 1
        along = self.risk.along(self.u, step, self.step_left)
        shorten = halve if self.risk.several_lengths else to_the_bottom
        found = line_search(
            lambda t: self._looked_at(*along(t)),
            self.value,
            float(step @ self.gradient),
            shorten=shorten,
            slope_of=lambda gradient: float(step @ gradient),
        )
        if found is None:
            self.stuck = True
            return
        length, self.value, self.gradient = found
        self.last_step, self.last_size = length * step, length * self.step_left / self.doubt
        self.u = self.u + self.last_step


# the step at a point
StepRule = Callable[[Iteration], Array]


def newton_step(at: Iteration) -> Array:
    """−(∇²F)⁻¹∇F: one Hessian a step."""
    at.hessian = at.risk.hessian(at.u)
    metric = metric_of_scatter(at.hessian)
    at.deficient = metric.null.shape[1] > 0
    return -metric.solve(at.gradient)


class QuasiNewtonSteps:
    """−B∇F: one pass over the rows a step; B starts as ``start``."""

    def __init__(self, start: Solve) -> None:
        self._start = start
        self._pairs: deque[tuple[Array, Array, float]] = deque(maxlen=_MEMORY)
        self._gradient: Array | None = None

    def __call__(self, at: Iteration) -> Array:
        """The next step, from what the last one showed."""
        if self._gradient is not None:
            turned = at.gradient - self._gradient
            bend = float(at.last_step @ turned)
            if bend > 0:
                self._pairs.append((at.last_step, turned, 1.0 / bend))
        self._gradient = at.gradient
        return -self._inverse_times(at.gradient)

    def _inverse_times(self, g: Array) -> Array:
        """B g by the two loops of the limited-memory update."""
        g = g.copy()
        shares = []
        for moved, turned, rho in reversed(self._pairs):
            shares.append(rho * float(moved @ g))
            g -= shares[-1] * turned
        g = self._start(g)
        for (moved, turned, rho), share in zip(self._pairs, reversed(shares), strict=True):
            g += (share - rho * float(turned @ g)) * moved
        return g


def truncated_newton_step(at: Iteration) -> Array:
    """p with ∇²F p ≈ −∇F, the closer the nearer the minimum is (Eisenstat and Walker 1996)."""
    product, diagonal = at.risk.products(at.u), at.risk.diagonal(at.u)
    inverse = 1.0 / np.where(diagonal > 0, diagonal, 1.0)
    size = float(at.gradient @ (inverse * at.gradient))
    total = at.risk.total_weight
    forcing = min(0.25, np.sqrt(np.sqrt(size / total)))
    # Below the rounding of the gradient there is nothing to solve. The iteration would go far along directions in which
    # F is flat, such as the same constant added to the scores of every class.
    rounding = EPS * np.sqrt(at.u.size * total / max(size, 1e-300))
    found = conjugate_gradients(product, -at.gradient, lambda r: inverse * r, max(forcing, rounding), 10 * at.u.size)
    at.n_passes += found.n_products
    return found.x if found.n_products else found.step_left
