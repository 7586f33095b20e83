"""Minimise a smooth convex criterion F that is a sum over rows.

Three methods, all of whose steps are tried in full and halved until F falls enough:

    newton            p = −(∇²F)⁻¹∇F: one Hessian a step; for few columns or few rows
    quasi-newton      p = −B∇F, where B starts as the inverse Hessian of some of the rows and learns from the gradients
                      seen (Nocedal 1980): one pass over the rows a step; for many rows, or many columns
    truncated-newton  ∇²F p = −∇F solved roughly by conjugate gradients, a pass each; where that learns too slowly

Their progress is measured in the same way, free of the units of the columns: λ = √(−p·∇F/Σω) is the change the next
step would make in the score of a typical row, and the iteration ends when it is below the tolerance.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from discriminant.linalg.conjugate_gradients import conjugate_gradients
from discriminant.linalg.metric import EPS, metric_of_scatter
from discriminant.optimise.rare_columns import has_rare_columns
from discriminant.statistics.correlations import mostly_chance
from discriminant.statistics.margin_risk import MarginRisk

__all__ = ["METHODS", "MarginRisk", "Minimum", "Risk", "minimise"]

Array = NDArray[np.float64]
Solve = Callable[[Array], Array]

METHODS = ("auto", "newton", "quasi-newton", "truncated-newton")

_SAMPLE_ROWS = 10_000
_LEAST_FACTOR = 4  # rows of the sample for each weight
_MOST_SAMPLE_WORK = 5e8  # multiplications for its Hessian
_MOST_HESSIAN_WEIGHTS = 1500
_ENOUGH_FACTOR, _MANY_WEIGHTS = 30, 100
_MORE_THAN_WEIGHTS = 100  # rows by which dependent columns are told from independent ones
_LEAST_SHARE = 1e-6
_SAMPLE_STEPS = 6
_MEMORY = 20
_PATIENCE, _PATIENCE_OF_MANY = 40, 100  # quasi-Newton steps before a better curvature is asked for
_SUFFICIENT = 1e-4
_ROUNDING = 1e-13
_MOST_HALVINGS = 50
_STALLED = 15  # steps that bring the next one no nearer to zero
_ROUNDED_OFF = 1e-4
_SAME, _STRETCH = 0.05, 4.0  # relative difference of two steps; by what to lengthen a repeated one


class Risk(Protocol):
    """What a criterion must be able to tell of itself."""

    @property
    def n_weights(self) -> int:
        """The number of unknowns."""

    @property
    def total_weight(self) -> float:
        """Σω."""

    def value_and_gradient(self, u: Array) -> tuple[float, Array]:
        """F and ∇F."""

    def hessian(self, u: Array) -> Array:
        """∇²F."""

    def products(self, u: Array) -> Callable[[Array], Array]:
        """v ↦ ∇²F·v."""

    def diagonal(self, u: Array) -> Array:
        """The diagonal of ∇²F."""

    def of_sample(self, n_rows: int) -> Self:
        """The criterion estimated from some rows."""

    def to_user(self, u: Array) -> Array:
        """The weights in the units of the columns."""

    def from_user(self, v: Array) -> Array:
        """The weights it is a function of."""

    @property
    def rows(self) -> Any:
        """The rows it is a sum over."""


@dataclass(frozen=True)
class Minimum:
    """Where an iteration ended: ``u`` in the risk's own coordinates, ``weights`` in the units of the columns.

    ``gradient`` is the last one computed, before a last step of size ``step_left``.
    """

    u: Array
    weights: Array
    value: float
    gradient: Array
    step_left: float  # λ
    last_step: Array  # the last one whose value was looked at
    last_size: float  # what λ was before it
    n_iterations: int
    n_passes: int
    converged: bool
    deficient: bool  # columns that may determine one another
    method: str


@dataclass
class _Walk:
    """A point of a risk, moved by line searches."""

    risk: Risk
    u: Array
    tolerance: float
    max_iterations: int
    value: float = field(init=False)
    gradient: Array = field(init=False)
    moved: Array = field(init=False)
    step_left: float = np.inf
    moved_by: float = 0.0
    n_iterations: int = 0
    n_passes: int = 0
    best: float = np.inf
    since_best: int = 0
    stuck: bool = False
    deficient: bool = False

    def __post_init__(self) -> None:
        self.value, self.gradient = self._at(self.u)
        self.moved = np.zeros_like(self.u)

    @property
    def converged(self) -> bool:
        return self.step_left <= self.tolerance

    def _at(self, u: Array) -> tuple[float, Array]:
        self.n_passes += 1
        return self.risk.value_and_gradient(u)

    def goes_on(self, step: Array) -> bool:
        """Whether another pass is worth while. The last step, too small to be seen in F, is taken without one."""
        fall = max(-float(step @ self.gradient), 0.0)
        self.step_left = float(np.sqrt(fall / self.risk.total_weight))
        self.since_best = 0 if self.step_left < 0.9 * self.best else self.since_best + 1
        self.best = min(self.best, self.step_left)
        if self.since_best > _STALLED and self.best < _ROUNDED_OFF:
            self.stuck = True  # what is left is rounding
        if self.converged:
            self.u = self.u + step
            self.value -= fall / 2
        return not (self.converged or self.stuck) and self.n_iterations < self.max_iterations

    def move(self, step: Array) -> Array:
        """Go along the step until F has fallen enough; the change of the gradient."""
        self.n_iterations += 1
        slope, length = float(step @ self.gradient), 1.0
        enough = _ROUNDING * abs(self.value)  # near the minimum F falls by less than its own rounding
        for _ in range(_MOST_HALVINGS):
            reached = self.u + length * step
            value, gradient = self._at(reached)
            if value <= self.value + _SUFFICIENT * length * slope + enough and np.isfinite(gradient).all():
                turned = gradient - self.gradient
                self.u, self.value, self.gradient = reached, value, gradient
                self.moved, self.moved_by = length * step, length * self.step_left
                return turned
            length *= _shorter(self.value, slope * length, value)
        self.stuck = True
        return np.zeros_like(step)

    def told(self, method: str) -> Minimum:
        return Minimum(
            self.u,
            self.risk.to_user(self.u),
            self.value,
            self.gradient,
            self.step_left,
            self.moved,
            self.moved_by,
            self.n_iterations,
            self.n_passes,
            self.converged,
            self.deficient,
            method,
        )


def _shorter(value: float, slope: float, reached: float) -> float:
    """The factor to the bottom of the parabola through what was seen, at least a tenth and at most a half."""
    if not np.isfinite(reached):
        return 0.1
    bend = reached - value - slope
    return float(np.clip(-slope / (2 * bend), 0.1, 0.5)) if bend > 0 else 0.5


# --- the three methods ----------------------------------------------------------------------------------


def _newton(walk: _Walk) -> None:
    """Where F falls for ever, as a likelihood without a maximum does, steps repeat; every other is then lengthened."""
    before = np.zeros_like(walk.u)
    while True:
        metric = metric_of_scatter(walk.risk.hessian(walk.u))
        walk.deficient = metric.null.shape[1] > 0
        step = -metric.solve(walk.gradient)
        if not walk.goes_on(step):
            return
        repeated = np.abs(step - before).max() <= _SAME * np.abs(step).max()
        walk.move(_STRETCH * step if repeated else step)
        before = np.zeros_like(step) if repeated else step


def _quasi_newton(walk: _Walk, start: Solve, patience: int) -> None:
    pairs: deque[tuple[Array, Array, float]] = deque(maxlen=_MEMORY)
    while True:
        step = -_inverse_times(walk.gradient, pairs, start)
        if not walk.goes_on(step) or walk.n_iterations >= patience:
            return
        turned = walk.move(step)
        bend = float(walk.moved @ turned)
        if bend > 0:
            pairs.append((walk.moved, turned, 1.0 / bend))


def _inverse_times(g: Array, pairs: deque[tuple[Array, Array, float]], start: Solve) -> Array:
    """B g by the two loops of the limited-memory update."""
    g = g.copy()
    shares = []
    for moved, turned, rho in reversed(pairs):
        shares.append(rho * float(moved @ g))
        g -= shares[-1] * turned
    g = start(g)
    for (moved, turned, rho), share in zip(pairs, reversed(shares), strict=True):
        g += (share - rho * float(turned @ g)) * moved
    return g


def _truncated_newton(walk: _Walk) -> None:
    while True:
        step, passes = _rough_solution(walk)
        walk.n_passes += passes
        if not walk.goes_on(step):
            return
        walk.move(step)


def _rough_solution(walk: _Walk) -> tuple[Array, int]:
    """p with ∇²F p ≈ −∇F, the closer the nearer the minimum is (Eisenstat and Walker 1996)."""
    product = walk.risk.products(walk.u)
    diagonal = walk.risk.diagonal(walk.u)
    inverse = 1.0 / np.where(diagonal > 0, diagonal, 1.0)
    size = float(walk.gradient @ (inverse * walk.gradient))
    total = walk.risk.total_weight
    forcing = min(0.25, np.sqrt(np.sqrt(size / total)))
    # Below the rounding of the gradient there is nothing to solve. The iteration would go far along directions in which
    # F is flat, such as the same constant added to the scores of every class.
    rounding = EPS * np.sqrt(walk.u.size * total / max(size, 1e-300))
    found = conjugate_gradients(
        product, -walk.gradient, lambda r: inverse * r, max(forcing, rounding), 10 * walk.u.size
    )
    return (found.x if found.n_products else found.step_left), found.n_products


# --- which, and from where ------------------------------------------------------------------------------


def minimise(
    risk: Risk,
    *,
    start: Array | None = None,
    method: str = "auto",
    tolerance: float = 1e-6,
    max_iterations: int = 200,
) -> Minimum:
    """The minimum of a risk, from ``start`` (in the units of the columns) or from that of a sample of the rows."""
    sample = _sample_size(risk)
    chosen = _method_for(risk, sample) if method == "auto" else method
    u = None if start is None else risk.from_user(start)
    curvature: Solve | None = None
    deficient = False
    if sample and (u is None or chosen == "quasi-newton"):
        if u is None and has_rare_columns(risk.rows.matrix, sample):
            chosen = "newton" if method == "auto" else method
        else:
            near, curvature, deficient = _of_sample(risk, sample, u)
            u = near if u is None else u
    walk = _Walk(risk, np.zeros(risk.n_weights) if u is None else u, tolerance, max_iterations)
    walk.deficient = deficient
    if chosen == "quasi-newton":
        patience = _PATIENCE if risk.n_weights <= _MOST_HESSIAN_WEIGHTS else _PATIENCE_OF_MANY
        if curvature is None:
            curvature, walk.deficient = _curvature_at(risk, walk.u)
        _quasi_newton(walk, curvature, min(max_iterations, patience))
        if walk.converged or walk.n_iterations >= max_iterations:
            return walk.told(chosen)
    if chosen == "newton" or (chosen == "quasi-newton" and risk.n_weights <= _MOST_HESSIAN_WEIGHTS):
        _newton(walk)
    else:
        _truncated_newton(walk)
    return walk.told(chosen)


def _sample_size(risk: Risk) -> int:
    """Rows enough to estimate a Hessian from, or 0 where that is not worth while."""
    p = risk.n_weights
    m = int(max(min(_SAMPLE_ROWS, _MOST_SAMPLE_WORK / p**2), _LEAST_FACTOR * p))
    return m if 4 * m <= risk.rows.n_rows and p <= _MOST_HESSIAN_WEIGHTS else 0


def _method_for(risk: Risk, sample: int) -> str:
    return "quasi-newton" if sample or risk.n_weights > _MOST_HESSIAN_WEIGHTS else "newton"


def _of_sample(risk: Risk, sample: int, start: Array | None) -> tuple[Array, Solve, bool]:
    """Where to start, an inverse Hessian, and whether columns may determine one another: from a sample of the rows.

    By Newton steps, of which the first, from zero, is least squares. Where rows are few for each weight and the
    correlations of the columns little more than chance, the diagonal alone is the better curvature.
    """
    u = np.zeros(risk.n_weights) if start is None else start
    if u.size > _MANY_WEIGHTS and sample < _ENOUGH_FACTOR * u.size:
        fewest = risk.of_sample(u.size + _MORE_THAN_WEIGHTS)
        H = fewest.hessian(u)
        if mostly_chance(H, u.size + _MORE_THAN_WEIGHTS):
            diagonal = np.where(np.diagonal(H) > 0, np.diagonal(H), 1.0)
            return u, lambda g: g / diagonal, _is_deficient(H)
    few = risk.of_sample(sample)
    walk = _Walk(few, u, float(np.sqrt(u.size / sample)), _SAMPLE_STEPS)
    while True:
        H = few.hessian(walk.u)
        solve = metric_of_scatter(_bounded(H)).solve
        step = -solve(walk.gradient)
        if not walk.goes_on(step):
            return walk.u, solve, _is_deficient(H)
        walk.move(step)


def _bounded(H: Array) -> Array:
    """A Hessian of some rows with a bounded inverse: they may hold nothing of a direction that others do."""
    diagonal = np.diagonal(H)
    mean = diagonal.mean()
    H = H + np.diag(np.where(diagonal > 0, _LEAST_SHARE * diagonal, mean if mean > 0 else 1.0))
    return np.asarray(H)


def _is_deficient(H: Array) -> bool:
    return bool(metric_of_scatter(H).null.shape[1] > 0)


def _curvature_at(risk: Risk, u: Array) -> tuple[Solve, bool]:
    """An inverse Hessian, of many weights its diagonal; and whether columns determine one another."""
    if risk.n_weights <= _MOST_HESSIAN_WEIGHTS:
        metric = metric_of_scatter(risk.hessian(u))
        return metric.solve, metric.null.shape[1] > 0
    diagonal = risk.diagonal(u)
    return lambda g: g / np.where(diagonal > 0, diagonal, 1.0), False
