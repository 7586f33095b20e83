"""The small quadratic program inside every support vector machine, by an interior-point method.

    primal   min over w, b:  ½‖w‖² + Σ u max(0, 1 − m) − g·w − h b,      m = c(w·x + b)
    dual     max over α:     Σ α − ½‖g + Σ α c x‖²    s.t.  Σ α c = −h,  0 ≤ α ≤ u

g = Σ u c x and h = Σ u c are those of rows known to lie inside the slab, where α = u; without any they are zero. An
infinite u makes the slab hard: m ≥ 1. With s, ξ ≥ 0 and m − 1 = s − ξ, the optimum has s α = 0 and ξ(u − α) = 0; the
method follows s α = ξ(u − α) = μ to μ = 0 (Mehrotra's predictor and corrector). All of a Newton step but a matrix of
the size of w is diagonal (Ferris and Munson 2002):

    (diag(1, …, 1, 0) + Σ (x, 1)(x, 1)′/D) (Δw, Δb) = …,     D = s/α + ξ/(u − α)
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotrs

from discriminant.cached import cached_property
from discriminant.rows.threads import over_spans

Array = NDArray[np.float64]

_TO_THE_WALL = 0.995  # of the longest step that leaves all multipliers positive
_LONGEST_PATH = 100
_PATIENCE = 15  # steps without a smaller gap
_BLOCK_NUMBERS = 1 << 16


@dataclass(frozen=True)
class SlabProgram:
    """The rows (x, 1), their signs c, the caps u, and (g, h) of the rows that are no longer in question."""

    rows: Array
    sign: Array
    cap: Array
    pull: Array
    base: float = 0.0  # what those rows add to both objectives

    @cached_property
    def is_hard(self) -> bool:
        """Whether no row may enter the slab."""
        return bool(np.isinf(self.cap).any())

    def margins(self, plane: Array) -> Array:
        """c(w·x + b)."""
        return np.asarray(self.sign * (self.rows @ plane))

    def combined(self, alpha: Array) -> Array:
        """(g + Σ α c x, h + Σ α c)."""
        return np.asarray(self.pull + (self.sign * alpha) @ self.rows)

    def primal(self, plane: Array, margin: Array) -> float:
        """The value of a plane; of a hard slab, without regard to the rows inside."""
        inside = 0.0 if self.is_hard else float(self.cap @ np.maximum(0.0, 1.0 - margin))
        return self.base + inside + float(0.5 * plane[:-1] @ plane[:-1] - self.pull @ plane)


@dataclass(frozen=True)
class PathPoint:
    """A point of the way to the optimum: the plane (w, b), α, s, and where the slab is soft u − α and ξ, else empty."""

    plane: Array
    alpha: Array
    above: Array
    room: Array  # kept beside α, because u − α loses its digits where it matters
    below: Array
    n_iterations: int = 0
    converged: bool = False


def follow_path(program: SlabProgram, point: PathPoint, tolerance: float = 1e-11) -> PathPoint:
    """Go from a point to the optimum, until the gap is ``tolerance`` of the objective or rounding stops it."""
    best, least, since = point, np.inf, 0
    for n in range(point.n_iterations, _LONGEST_PATH):
        gap = _complementarity(point)
        lack = program.combined(point.alpha) - np.append(point.plane[:-1], 0.0)
        scale = abs(program.primal(point.plane, program.margins(point.plane))) + 1e-300
        astray = _weight_of(lack, point.plane)
        if not np.isfinite(gap + astray):
            break
        since += 1
        if (gap + astray) / scale < least:
            converged = gap <= tolerance * scale and astray <= np.sqrt(tolerance) * scale
            best, least, since = replace(point, n_iterations=n, converged=converged), (gap + astray) / scale, 0
        # what is astray comes down to its rounding and then rises again
        if least <= tolerance or (since and gap <= tolerance * scale) or since > _PATIENCE:
            break
        moved = _advance(program, point, lack, gap)
        if moved is None:
            break
        point = moved
    return best


def _weight_of(lack: Array, plane: Array) -> float:
    """What w ≠ g + Σ α c x and Σ α c ≠ −h may add to the gap."""
    of_w, w = float(np.linalg.norm(lack[:-1])), float(np.linalg.norm(plane[:-1]))
    return of_w * (of_w + w) + abs(float(lack[-1])) * (1.0 + abs(float(plane[-1])))


def starting_point(program: SlabProgram, plane: Array) -> PathPoint:
    """A point with this plane: s − ξ = m − 1 exactly, and the products s α and ξ(u − α) alike."""
    if program.is_hard:
        return hard_starting_point(program, plane)
    beyond = program.margins(plane) - 1.0
    above = np.maximum(beyond, 0.0) + _room(beyond)
    below = above - beyond
    both = above + below
    return PathPoint(plane, program.cap * (below / both), above, program.cap * (above / both), below)


def hard_starting_point(program: SlabProgram, plane: Array) -> PathPoint:
    """A point with this plane and α of the size that goes with it, however high their caps.

    At the optimum of a hard slab Σ α = ‖w‖²; without a plane α is of the size that makes one.
    """
    beyond = program.margins(plane) - 1.0
    room = _room(beyond)
    above = np.maximum(np.abs(beyond), room)
    squares = max(float(np.mean(np.square(program.rows[:, :-1]).sum(axis=1))), 1e-300)
    mass = float(plane[:-1] @ plane[:-1]) / beyond.size or 1.0 / squares
    alpha = np.minimum(room / above * mass, 0.5 * program.cap)
    if program.is_hard:
        return PathPoint(plane, alpha, above, np.empty(0), np.empty(0))
    left = program.cap - alpha
    return PathPoint(plane, alpha, above, left, above * alpha / left)


def _room(beyond: Array) -> float:
    return max(float(np.abs(beyond).mean()), 1e-3)


def _complementarity(point: PathPoint) -> float:
    return float(point.above @ point.alpha) + float(point.below @ point.room)


def _advance(program: SlabProgram, point: PathPoint, lack: Array, gap: float) -> PathPoint | None:
    """One predictor and corrector; None where rounding leaves no step."""
    step = _NewtonStep.at(program, point, lack)
    if step is None:
        return None
    pairs = point.alpha.size + point.room.size
    mu = gap / pairs
    ahead = step.towards(0.0)
    longest = step.longest(ahead)
    reached = _complementarity(_moved_to(point, ahead, longest)) / pairs
    move = step.towards(mu * (reached / mu) ** 3, ahead)
    length = min(1.0, _TO_THE_WALL * step.longest(move))
    if not length > 1e-9:
        return None
    return _moved_to(point, move, length)


def _moved_to(point: PathPoint, move: PathPoint, length: float) -> PathPoint:
    return PathPoint(
        point.plane + length * move.plane,
        point.alpha + length * move.alpha,
        point.above + length * move.above,
        point.room + length * move.room,
        point.below + length * move.below,
    )


@dataclass(frozen=True)
class _NewtonStep:
    """The linear equations at a point, factored."""

    program: SlabProgram
    point: PathPoint
    lack: Array
    astray: Array  # s − ξ − (m − 1), zero but for rounding and a hard start
    softness: Array  # 1/D
    factor: Array
    scale: Array

    @classmethod
    def at(cls, program: SlabProgram, point: PathPoint, lack: Array) -> "_NewtonStep | None":
        stiffness = point.above / point.alpha
        astray = point.above - program.margins(point.plane) + 1.0
        if not program.is_hard:
            stiffness += point.below / point.room
            astray -= point.below
        softness = 1.0 / stiffness
        curvature = _weighted_squares(program.rows, softness)
        d = curvature.shape[0] - 1
        curvature[np.arange(d), np.arange(d)] += 1.0
        factored = _factor(curvature)
        if factored is None:
            return None
        return cls(program, point, lack, astray, softness, *factored)

    def towards(self, mu: float, ahead: PathPoint | None = None) -> PathPoint:
        """The step to s α = ξ(u − α) = μ, with the second-order terms of the step ``ahead``."""
        program, point = self.program, self.point
        of_above = mu - point.above * point.alpha
        if ahead is not None:
            of_above -= ahead.above * ahead.alpha
        wanted = self.astray + of_above / point.alpha
        if not program.is_hard:
            of_below = mu - point.below * point.room
            if ahead is not None:
                of_below += ahead.below * ahead.alpha
            wanted -= of_below / point.room
        right = (program.sign * wanted * self.softness) @ program.rows + self.lack
        plane = self.scale * dpotrs(self.factor, self.scale * right, lower=True)[0]
        alpha = self.softness * (wanted - program.sign * (program.rows @ plane))
        above = (of_above - point.above * alpha) / point.alpha
        if program.is_hard:
            return PathPoint(plane, alpha, above, point.room, point.below)
        return PathPoint(plane, alpha, above, -alpha, (of_below + point.below * alpha) / point.room)

    def longest(self, move: PathPoint) -> float:
        """The longest step, up to 1, that keeps s, α, ξ and u − α from turning negative."""
        point = self.point
        pairs = [(point.alpha, move.alpha), (point.above, move.above)]
        if not self.program.is_hard:
            pairs += [(point.room, move.room), (point.below, move.below)]
        return min(1.0, *(_to_zero(value, change) for value, change in pairs))


def _weighted_squares(rows: Array, weight: Array) -> Array:
    """Σ weight (x, 1)(x, 1)′, in blocks that stay in the cache."""
    n, width = rows.shape
    step = max(_BLOCK_NUMBERS // width, 1)

    def of_span(start: int, stop: int) -> Array:
        total = np.zeros((width, width))
        for a in range(start, stop, step):
            b = min(a + step, stop)
            block = rows[a:b] * np.sqrt(weight[a:b])[:, None]
            total += block.T @ block  # NumPy recognises z′z and calls syrk
        return total

    return np.asarray(np.sum(over_spans(of_span, n, width), axis=0))


def _to_zero(value: Array, change: Array) -> float:
    fastest = float((-change / value).max())
    return np.inf if not fastest > 0.0 else 1.0 / fastest


def _factor(curvature: Array) -> tuple[Array, Array] | None:
    """A Cholesky factor of the matrix scaled to a diagonal of ones, and the scale."""
    diagonal = np.diagonal(curvature)
    if not (np.isfinite(diagonal).all() and (diagonal > 0).all()):
        return None
    scale = 1.0 / np.sqrt(diagonal)
    scaled = curvature * scale * scale[:, None]
    for ridge in (0.0, 1e-15, 1e-13, 1e-11):
        # SciPy's own wrapper takes as long as the work itself on the small matrices of a small table
        factor, failed = dpotrf(scaled + ridge * np.eye(scale.size) if ridge else scaled, lower=True)
        if not failed:
            return factor, scale
    return None
