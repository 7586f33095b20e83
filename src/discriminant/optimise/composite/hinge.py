"""The hinge plus a penalty of each weight by itself, by an interior point.

    min over w, b:  Σ ω max(0, 1 − m) + Σ (λ₁|w| + ½λ₂w²)      s.t.  low ≤ w ≤ high,      m = c(w·x + b)
    max over θ:     Σ cθ − Σ g*(X′θ)                            s.t.  0 ≤ cθ ≤ ω,  Σθ = 0

λ₁|w| is λ₁ max(0, w) + λ₁ max(0, −w), and a bound is a hinge of infinite weight: so all is of one kind, with A the rows
c(x, 1) and unit rows ±e below them,

    min  ½v′Dv + Σ u ξ      s.t.  Av + ξ − r = s ≥ 0,  ξ ≥ 0,      multipliers α of s and β = u − α of ξ  (ξ = 0: u = ∞)

A step eliminates all but v: (D + A′ΣA)Δv = …, Σ = 1/(s/α + ξ/β), as in optimise/margins/interior_point.py.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from discriminant.hyperplane import Planes
from discriminant.optimise.composite.columns import ScaledColumns
from discriminant.optimise.composite.fits import MarginFit
from discriminant.optimise.composite.penalty import WeightPenalty
from discriminant.optimise.composite.working_set import CompositeOptimum
from discriminant.optimise.margins.slab import best_intercept

Array = NDArray[np.float64]

_MOST_STEPS = 200
_BACK = 0.995  # of the way to where something becomes negative
_ROOM = 0.1  # from bounds, at the start
_RIDGES = (1e-15, 1e-13, 1e-11)  # of the diagonal, the first that leaves a factor
_WORSE = 10.0  # times the gap before, at which no more is to be had
_NEAR = 3.0  # times the gap asked for at which μ is worth a look at the true one


@dataclass(frozen=True)
class HingeFit(MarginFit):
    """ℓ(m) = max(0, 1 − m), which has no curvature."""

    steepest = np.inf

    def value(self, z: Array) -> float:
        """Σ ω max(0, 1 − m)."""
        return float(self.weight @ np.maximum(1.0 - self._margins(z)[0], 0.0))

    def dual(self, z: Array) -> Array:
        """θ = ωc of the rows with m < 1, one of the slopes there are."""
        return np.asarray(self.weight * self.sign * (self._margins(z) < 1.0))

    def curvature(self, z: Array) -> tuple[Array, Array]:
        """Zeros: the hinge is made of straight lines."""
        return np.zeros_like(z), np.empty((0, 0))

    def dual_value(self, theta: Array) -> float:
        """Σ cθ."""
        return self._lifted(self.sign * theta, theta)


@dataclass(frozen=True)
class _Program:
    """The rows c(x, 1) and below them unit rows sign·e of columns ``place``; r and u of all, D of the weights."""

    columns: ScaledColumns
    c: Array
    place: NDArray[np.intp]
    sign: Array
    r: Array
    u: Array
    D: Array

    @property
    def soft(self) -> NDArray[np.bool_]:
        """Which rows may lie inside the slab, with a slack ξ."""
        return np.isfinite(self.u)

    def margins(self, w: Array, b: float) -> Array:
        """Av."""
        return np.concatenate([self.c * self.columns.scores(w[None], np.array([b]))[0], self.sign * w[self.place]])

    def pulls(self, y: Array) -> tuple[Array, float]:
        """A′y, of the weights and of the intercept."""
        pull = self.c * y[: self.c.size]
        units = np.bincount(self.place, self.sign * y[self.c.size :], minlength=self.D.size)
        return self.columns.correlations(pull[None])[0] + units, float(pull.sum())

    def solver(self, h: Array) -> "_Solver":
        """The solver of D + A′ diag(h) A."""
        H, mean = self.columns.gram(h[: self.c.size])
        H[np.diag_indices_from(H)] += self.D + np.bincount(self.place, h[self.c.size :], minlength=self.D.size)
        return _Solver(_factor(H), mean, float(h[: self.c.size].sum()))


@dataclass(frozen=True)
class _Solver:
    """A factor in which the intercept is eliminated."""

    factor: tuple[Array, bool]
    mean: Array
    total: float

    def solve(self, right: Array, constant: float, intercept: bool) -> tuple[Array, float]:
        w = cho_solve(self.factor, right - self.mean * constant, check_finite=False)
        if not intercept:
            return w, 0.0
        own = constant / self.total if self.total > 0.0 else 0.0  # below the least number, rows say nothing of it
        return w, own - float(self.mean @ w)


def _factor(H: Array) -> tuple[Array, bool]:
    """A factor of H, or of H with a larger diagonal where columns determine one another."""
    for ridge in (0.0, *_RIDGES):
        raised = H.copy()
        raised[np.diag_indices_from(H)] *= 1.0 + ridge
        try:
            found: tuple[Array, bool] = cho_factor(raised, lower=True, check_finite=False, overwrite_a=True)
        except LinAlgError:
            continue
        return found
    raise LinAlgError("columns determine one another beyond what rounding leaves")


@dataclass(frozen=True)
class _Point:
    w: Array
    b: float
    s: Array
    xi: Array
    alpha: Array
    beta: Array

    def moved(self, step: "_Point", length: float) -> "_Point":
        """The point so far along a step."""
        pairs = zip(vars(self).values(), vars(step).values(), strict=True)
        return _Point(*(here + length * there for here, there in pairs))

    def product(self, soft: NDArray[np.bool_]) -> float:
        """The mean of sα and ξβ: μ."""
        return float((self.s @ self.alpha + self.xi[soft] @ self.beta[soft]) / (self.s.size + soft.sum()))


def minimise_hinge(
    fit: HingeFit,
    columns: ScaledColumns,
    penalty: WeightPenalty,
    *,
    tolerance: float,
    max_iterations: int,
    start: Planes | None = None,
) -> CompositeOptimum:
    """The optimum to a relative gap; ``start`` is no help to an interior point. Only bounds prove a weight zero."""
    scaled = penalty.scaled(columns.scale)
    fixed = np.asarray(scaled.low == scaled.high)
    v = np.where(fixed, scaled.low, 0.0)
    offset = columns.scores(v[None], np.zeros(1))[0]
    free = np.flatnonzero(~fixed)
    program = _program(fit, columns.take(free), scaled.take(free), offset)
    point, n, least = _start(program), 0, np.inf
    best: CompositeOptimum | None = None
    while True:
        mu, last = point.product(program.soft), n >= min(max_iterations, _MOST_STEPS)
        moved = None if last else _advance(program, point)
        if moved is None or mu * program.u.size <= _NEAR * tolerance * abs(_value(program, point)):
            v[free] = _snap_weights(program, scaled.take(free), point)
            found = _certify_plane(fit, columns, penalty, v, point.alpha[: program.c.size])
            best = found if best is None or found.gap < best.gap else best
            if moved is None or best.gap <= tolerance or found.gap > least:
                return replace(best, n_iterations=n)  # found, or rounding undoes what was won
            least = _WORSE * found.gap
        point, n = moved, n + 1


def _program(fit: HingeFit, columns: ScaledColumns, penalty: WeightPenalty, offset: Array) -> _Program:
    every = np.arange(penalty.l1.size)
    penalised, lower, upper = penalty.l1 > 0, np.isfinite(penalty.low), np.isfinite(penalty.high)
    parts = [
        (every[penalised], -1.0, np.zeros(every.size)[penalised], penalty.l1[penalised]),
        (every[penalised], 1.0, np.zeros(every.size)[penalised], penalty.l1[penalised]),
        (every[lower], 1.0, penalty.low[lower], np.full(lower.sum(), np.inf)),
        (every[upper], -1.0, -penalty.high[upper], np.full(upper.sum(), np.inf)),
    ]
    place, r, u = (np.concatenate([part[i] for part in parts]) for i in (0, 2, 3))
    sign = np.concatenate([np.full(part[0].size, part[1]) for part in parts])
    needed = 1.0 - fit.sign * (fit.offset + offset)
    return _Program(
        columns, fit.sign, place.astype(np.intp), sign, np.concatenate([needed, r]), np.concatenate([fit.weight, u]),
        penalty.l2,
    )  # fmt: skip


def _start(program: _Program) -> _Point:
    w = np.zeros(program.D.size)
    beyond = program.margins(w, 0.0) - program.r
    soft = program.soft
    xi = np.where(soft, np.maximum(-beyond, 0.0) + _ROOM, 0.0)
    s = np.where(soft, np.maximum(beyond, 0.0) + _ROOM, np.maximum(beyond, _ROOM))
    half = 0.5 * np.where(soft, program.u, 2.0 * np.median(program.u[: program.c.size]))
    return _Point(w, 0.0, s, xi, half, np.where(soft, half, np.inf))


def _value(program: _Program, point: _Point) -> float:
    lost = program.u[program.soft] @ point.xi[program.soft]
    return float(lost + 0.5 * (program.D * point.w) @ point.w)


def _advance(program: _Program, point: _Point) -> _Point | None:
    """A predictor and a corrector from one factor; None where rounding leaves no step."""
    soft, ratio = program.soft, point.s / point.alpha
    bend = 1.0 / np.where(soft, ratio + point.xi / point.beta, ratio)
    try:
        solver = program.solver(bend)
    except LinAlgError:
        return None
    mu = point.product(soft)
    zero = np.zeros_like(point.s)
    first = _step(program, point, solver, bend, -point.alpha * point.s, np.where(soft, -point.beta * point.xi, 0.0))
    ahead = point.moved(first, _longest(program, point, first)).product(soft)
    centre = mu * (max(ahead, 0.0) / mu) ** 3
    t1 = centre - point.alpha * point.s - first.alpha * first.s
    t2 = np.where(soft, centre - np.where(soft, point.beta, 0.0) * point.xi + first.alpha * first.xi, zero)
    step = _step(program, point, solver, bend, t1, t2)
    length = _BACK * _longest(program, point, step)
    if not np.isfinite(length) or length < 1e-10:
        return None
    return point.moved(step, min(length, 1.0))


def _step(program: _Program, point: _Point, solver: _Solver, bend: Array, t1: Array, t2: Array) -> _Point:
    """Where sα = t₁ and ξβ = t₂ beyond what they are, and the rest holds, to first order."""
    soft = program.soft
    missing = program.margins(point.w, point.b) + point.xi - program.r - point.s
    beta = np.where(soft, point.beta, 1.0)
    e = -missing - np.where(soft, t2 / beta, 0.0) + t1 / point.alpha
    pull, constant = program.pulls(point.alpha + bend * e)
    w, b = solver.solve(pull - program.D * point.w, constant, program.columns.intercept)
    alpha = bend * (e - program.margins(w, b))
    s = (t1 - point.s * alpha) / point.alpha
    xi = np.where(soft, (t2 + point.xi * alpha) / beta, 0.0)
    return _Point(w, b, s, xi, alpha, np.where(soft, -alpha, 0.0))


def _longest(program: _Program, point: _Point, step: _Point) -> float:
    """The share of a step after which something would become negative; at most one."""
    soft, longest = program.soft, 1.0
    for name, of in (("s", slice(None)), ("alpha", slice(None)), ("xi", soft), ("beta", soft)):
        here, there = getattr(point, name)[of], getattr(step, name)[of]
        falling = there < 0.0
        longest = min(longest, float((-here[falling] / there[falling]).min(initial=1.0)))
    return longest


def _snap_weights(program: _Program, penalty: WeightPenalty, point: _Point) -> Array:
    """The weights, exactly zero or at a bound where the multipliers say so."""
    w, n = point.w.copy(), program.c.size
    held = point.alpha[n:] > point.s[n:]
    soft = program.soft[n:]
    at_zero = soft & held & (point.beta[n:] > point.xi[n:])
    w[program.place[at_zero]] = 0.0
    for bound, sign in ((penalty.low, 1.0), (penalty.high, -1.0)):
        met = program.place[~soft & held & (program.sign == sign)]
        w[met] = bound[met]
    return penalty.nearest(w)


def _certify_plane(
    fit: HingeFit, columns: ScaledColumns, penalty: WeightPenalty, v: Array, alpha: Array
) -> CompositeOptimum:
    """A plane with its best intercept, and both criteria, with α made feasible."""
    coef = penalty.unscaled_weights(v[None], columns.scale)
    v = coef * columns.scale
    scores = columns.scores(v, np.zeros(1))[0] + fit.offset
    b = best_intercept(scores, fit.sign, fit.weight) if columns.intercept else 0.0
    alpha = np.clip(alpha, 0.0, fit.weight)
    if columns.intercept:
        sides = [float(alpha[fit.sign == side].sum()) for side in (-1.0, 1.0)]
        for side, own in zip((-1.0, 1.0), sides, strict=True):
            alpha[fit.sign == side] *= min(sides) / own if own > 0 else 1.0
    theta = (fit.sign * alpha)[None]
    raw = columns.correlations(theta) * columns.scale
    primal = fit.value(scores[None] - fit.offset + b) + penalty.value(coef)
    dual, factor = max(_dual_at(fit, penalty, theta, raw, t) for t in {1.0, penalty.greatest_factor(raw)})
    held = np.broadcast_to((penalty.low == 0) & (penalty.high == 0), coef.shape)
    return CompositeOptimum(
        coef, np.array([b]) - coef @ columns.shift, primal, dual, (primal - dual) / max(abs(primal), 1e-300),
        factor * theta, factor * raw, penalty.violations(coef, raw), penalty.multipliers(coef, raw), held, 0,
    )  # fmt: skip


def _dual_at(fit: HingeFit, penalty: WeightPenalty, theta: Array, raw: Array, factor: float) -> tuple[float, float]:
    cost = penalty.conjugate(factor * raw)
    return (fit.dual_value(factor * theta) - cost if np.isfinite(cost) else -np.inf), factor
