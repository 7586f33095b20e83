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
from math import isfinite, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotrs

from discriminant.cached import cached_property
from discriminant.optimise.centred_rows import CentredRows
from discriminant.rows.threads import over_spans

Array = NDArray[np.float64]

_TO_THE_WALL = 0.995  # of the longest step that leaves all multipliers positive
_LONGEST_PATH = 100
_PATIENCE = 15  # steps without a smaller gap
_BLOCK_NUMBERS = 1 << 16


@dataclass(frozen=True)
class AugmentedRows:
    """Dense rows (x, 1), and the sums over them that `CentredRows` makes of sparse ones."""

    Z: Array

    def scores(self, plane: Array) -> Array:
        """w·x + b of every row."""
        return np.asarray(self.Z @ plane)

    def combination(self, v: Array) -> Array:
        """Σ v (x, 1)."""
        return np.asarray(v @ self.Z)

    def squares(self, h: Array) -> Array:
        """Σ h (x, 1)(x, 1)′, in blocks that stay in the cache."""
        n, width = self.Z.shape
        step = max(_BLOCK_NUMBERS // width, 1)
        if n <= step:
            return _squares(self.Z, h)

        def of_span(start: int, stop: int) -> Array:
            total = np.zeros((width, width))
            for a in range(start, stop, step):
                b = min(a + step, stop)
                total += _squares(self.Z[a:b], h[a:b])
            return total

        return np.asarray(np.sum(over_spans(of_span, n, width), axis=0))

    def diagonal(self, h: Array) -> Array:
        """The diagonal of Σ h (x, 1)(x, 1)′."""
        return np.asarray(h @ np.square(self.Z))

    def dense(self, chosen: NDArray[np.bool_]) -> Array:
        """The chosen rows x."""
        return self.Z[chosen, :-1]


@dataclass(frozen=True)
class SlabProgram:
    """The rows (x, 1), their signs c, the caps u, and (g, h) of the rows that are no longer in question."""

    rows: AugmentedRows | CentredRows
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
        return np.asarray(self.sign * self.rows.scores(plane))

    def combined(self, alpha: Array) -> Array:
        """(g + Σ α c x, h + Σ α c)."""
        return np.asarray(self.pull + self.rows.combination(self.sign * alpha))

    def primal(self, plane: Array, margin: Array) -> float:
        """The value of a plane; of a hard slab, without regard to the rows inside."""
        inside = 0.0 if self.is_hard else float(self.cap @ np.maximum(0.0, 1.0 - margin))
        return self.base + inside + float(0.5 * plane[:-1] @ plane[:-1] - self.pull @ plane)


@dataclass(frozen=True)
class PathPoint:
    """A point of the way to the optimum: the plane (w, b), the multipliers of the rows and what each is the price of.

    α is the price of s, and where the slab is soft u − α that of ξ. They are kept in one array, α, u − α, s and ξ one
    under the other (of a hard slab α and s), because a step does the same to all of them.
    """

    plane: Array
    pairs: Array  # u − α is kept beside α, because a difference loses its digits where it matters
    n_iterations: int = 0
    converged: bool = False

    @property
    def multipliers(self) -> Array:
        """α, and u − α."""
        return self.pairs[: len(self.pairs) // 2]

    @property
    def slacks(self) -> Array:
        """s, and ξ."""
        return self.pairs[len(self.pairs) // 2 :]

    @property
    def alpha(self) -> Array:
        """α."""
        return np.asarray(self.pairs[0])

    def moved(self, move: "PathPoint", length: float) -> "PathPoint":
        """The point that lies along a move."""
        return PathPoint(self.plane + length * move.plane, self.pairs + length * move.pairs)


def follow_path(program: SlabProgram, point: PathPoint, tolerance: float = 1e-11) -> PathPoint:
    """Go from a point to the optimum, until the gap is ``tolerance`` of the objective or rounding stops it."""
    best, least, since = point, (True, np.inf), 0
    for n in range(point.n_iterations, _LONGEST_PATH):
        gap, margins = _complementarity(point.pairs), program.margins(point.plane)
        lack = program.combined(point.alpha)
        lack[:-1] -= point.plane[:-1]
        scale = abs(program.primal(point.plane, margins)) + 1e-300
        astray = _weight_of(lack, point.plane)
        if not isfinite(gap + astray):
            break
        since += 1
        converged = gap <= tolerance * scale and astray <= sqrt(tolerance) * scale
        lacking = (not converged, (gap + astray) / scale)  # rounding may have let a point before lie less astray
        if lacking < least:
            best, least, since = replace(point, n_iterations=n, converged=converged), lacking, 0
        # the residuals fall to their rounding, and then rise again
        if least[1] <= tolerance or (since and gap <= tolerance * scale) or since > _PATIENCE:
            break
        moved = _advance(program, point, margins, lack, gap)
        if moved is None:
            break
        point = moved
    return best


def _weight_of(lack: Array, plane: Array) -> float:
    """What w ≠ g + Σ α c x and Σ α c ≠ −h may add to the gap."""
    of_w, w = sqrt(lack[:-1] @ lack[:-1]), sqrt(plane[:-1] @ plane[:-1])
    return of_w * (of_w + w) + abs(float(lack[-1])) * (1.0 + abs(float(plane[-1])))


def starting_point(program: SlabProgram, plane: Array) -> PathPoint:
    """A point with this plane: s − ξ = m − 1 exactly, and the products s α and ξ(u − α) alike."""
    if program.is_hard:
        return hard_starting_point(program, plane)
    beyond = program.margins(plane) - 1.0
    above = np.maximum(beyond, 0.0) + _room(beyond)
    below = above - beyond
    share = program.cap / (above + below)
    return PathPoint(plane, np.stack((share * below, share * above, above, below)))


def hard_starting_point(program: SlabProgram, plane: Array) -> PathPoint:
    """A point with this plane and α of the size that goes with it, however high their caps.

    At the optimum of a hard slab Σ α = ‖w‖²; without a plane α is of the size that makes one.
    """
    beyond = program.margins(plane) - 1.0
    room = _room(beyond)
    above = np.maximum(np.abs(beyond), room)
    squares = max(float(program.rows.diagonal(np.full(beyond.size, 1.0 / beyond.size))[:-1].sum()), 1e-300)
    mass = float(plane[:-1] @ plane[:-1]) / beyond.size or 1.0 / squares
    alpha = np.minimum(room / above * mass, 0.5 * program.cap)
    if program.is_hard:
        return PathPoint(plane, np.stack((alpha, above)))
    left = program.cap - alpha
    return PathPoint(plane, np.stack((alpha, left, above, above * alpha / left)))


def _room(beyond: Array) -> float:
    return max(float(np.abs(beyond).mean()), 1e-3)


def _complementarity(pairs: Array) -> float:
    """Σ s α + Σ ξ(u − α)."""
    half = len(pairs) // 2
    return float(np.vdot(pairs[:half], pairs[half:]))


def _advance(program: SlabProgram, point: PathPoint, margins: Array, lack: Array, gap: float) -> PathPoint | None:
    """One predictor and corrector; None where rounding leaves no step."""
    step = _NewtonStep.at(program, point, margins, lack)
    if step is None:
        return None
    n_products = point.pairs.size // 2
    mu = gap / n_products
    ahead = step.towards()
    reached = _complementarity(point.pairs + _longest(point, ahead) * ahead.pairs) / n_products
    move = step.towards(mu * (reached / mu) ** 3, ahead)
    length = min(1.0, _TO_THE_WALL * _longest(point, move))
    return point.moved(move, length) if length > 1e-9 else None


def _longest(point: PathPoint, move: PathPoint) -> float:
    """The longest step, up to 1, that keeps s, α, ξ and u − α from turning negative."""
    return 1.0 / max(1.0, -float((move.pairs / point.pairs).min()))


@dataclass(frozen=True)
class _NewtonStep:
    """The linear equations at a point, factored."""

    program: SlabProgram
    point: PathPoint
    stiffness: Array  # s/α and ξ/(u − α)
    lack: Array
    astray: Array  # s − ξ − (m − 1), zero but for rounding and a hard start
    softness: Array  # 1/D
    factor: Array
    scale: Array

    @classmethod
    def at(cls, program: SlabProgram, point: PathPoint, margins: Array, lack: Array) -> "_NewtonStep | None":
        slacks = point.slacks
        stiffness = slacks / point.multipliers
        softness = 1.0 / stiffness.sum(axis=0)
        astray = slacks[0] - margins + 1.0
        if not program.is_hard:
            astray -= slacks[1]
        curvature = program.rows.squares(softness)
        curvature.flat[: -1 : len(curvature) + 1] += 1.0  # of w, not of b
        factored = _factor(curvature)
        if factored is None:
            return None
        return cls(program, point, stiffness, lack, astray, softness, *factored)

    def towards(self, mu: float = 0.0, ahead: PathPoint | None = None) -> PathPoint:
        """The step to s α = ξ(u − α) = 0; after a step ``ahead`` to μ, with the second-order terms of that step."""
        program, of_pairs = self.program, -self.point.slacks
        if ahead is not None:
            of_pairs += (mu - ahead.multipliers * ahead.slacks) / self.point.multipliers
        wanted = self.astray + of_pairs[0]
        if not program.is_hard:
            wanted -= of_pairs[1]
        right = program.rows.combination(program.sign * wanted * self.softness) + self.lack
        plane = self.scale * dpotrs(self.factor, self.scale * right, lower=True)[0]
        pairs = np.empty_like(self.point.pairs)
        half = len(of_pairs)
        pairs[0] = self.softness * (wanted - program.margins(plane))
        if not program.is_hard:
            np.negative(pairs[0], out=pairs[1])
        pairs[half:] = of_pairs - self.stiffness * pairs[:half]
        return PathPoint(plane, pairs)


def _squares(rows: Array, weight: Array) -> Array:
    block = rows * np.sqrt(weight)[:, None]
    return np.asarray(block.T @ block)  # NumPy recognises z′z and calls syrk


def _factor(curvature: Array) -> tuple[Array, Array] | None:
    """A Cholesky factor of the matrix scaled to a diagonal of ones, and the scale."""
    diagonal = curvature.diagonal()
    if not (diagonal.min() > 0.0 and diagonal.max() < np.inf):
        return None
    scale = 1.0 / np.sqrt(diagonal)
    scaled = curvature * scale * scale[:, None]
    for ridge in (0.0, 1e-15, 1e-13, 1e-11):
        # SciPy's own wrapper takes as long as the work itself on the small matrices of a small table
        factor, failed = dpotrf(scaled + ridge * np.eye(scale.size) if ridge else scaled, lower=True)
        if not failed:
            return factor, scale
    return None
