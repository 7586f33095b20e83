"""A criterion minimised with some combinations of its weights held, and the intervals such minima give.

    F(c) = min F(u) s.t. Au = c        by Newton steps p that keep Au: p = −H⁻¹g + H⁻¹A′λ with λ such that Ap = 0
    interval of one combination a·u: all c with 2(F(c) − F_min) ≤ z²

The signed root r(c) = ±√(2(F(c) − F_min)) is nearly a line, so that a few secants find where it is ±z.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from discriminant.linalg.metric import metric_of_scatter
from discriminant.optimise.newton import Iteration
from discriminant.statistics.penalised_risk import PenalisedRisk

Array = NDArray[np.float64]

_MOST_STEPS = 100
_MOST_SECANTS = 60
_FAR = 1e4  # standard errors; a profile that has not risen there is flat
_TOLERANCE = 1e-12  # of F, whose natural unit is 1
_LITTLE = 1e-12


def _minimum(risk: PenalisedRisk, u: Array, step_at: Callable[[Array, Array], Array]) -> tuple[Array, float]:
    """The weights and the value where steps that depend on weights and gradient end."""
    at = Iteration(risk, u, float(np.sqrt(_TOLERANCE / risk.total_weight)), _MOST_STEPS)
    at.follow(lambda at: step_at(at.u, at.gradient))
    return at.u, at.value


def constrained_minimum(risk: PenalisedRisk, u: Array, A: Array, c: Array) -> tuple[Array, float]:
    """The weights that minimise a risk subject to Au = c, and its value there, from weights near by."""

    def keeping(u: Array, gradient: Array) -> Array:
        """−H⁻¹g + H⁻¹A′λ with λ such that Ap = 0."""
        solve = _solver(risk.hessian(u))
        down, along = solve(gradient), solve(A.T)
        return np.asarray(along @ np.linalg.lstsq(A @ along, A @ down, rcond=None)[0] - down)

    return _minimum(risk, u + _restoring_step(risk, u, A, c - A @ u), keeping)


def _restoring_step(risk: PenalisedRisk, u: Array, A: Array, missing: Array) -> Array:
    """The step to Au = c along which F, seen as a parabola, changes least."""
    towards = _solver(risk.hessian(u))(A.T)
    return np.asarray(towards @ np.linalg.lstsq(A @ towards, missing, rcond=None)[0])


def _solver(H: Array) -> Callable[[Array], Array]:
    """H⁻¹, with a little added: a direction in which the information has died away must still be one to move in."""
    return metric_of_scatter(H + _LITTLE * np.trace(H) / len(H) * np.eye(len(H))).solve


def free_minimum(risk: PenalisedRisk, u: Array, free: NDArray[np.bool_]) -> float:
    """The least value with the weights that are not free held where they are; free ones may determine one another."""

    def of_free(u: Array, gradient: Array) -> Array:
        step = np.zeros_like(u)
        step[free] = -metric_of_scatter(risk.hessian(u)[np.ix_(free, free)]).solve(gradient[free])
        return step

    return _minimum(risk, u, of_free)[1]


def profile_interval(risk: PenalisedRisk, best: Array, a: Array, error: float, z: float) -> tuple[float, float]:
    """(low, high) of a·u where the signed root of the profile is ∓z; infinite where it never is.

    ``best`` minimises the risk and ``error`` is the standard error of a·u there, from which the search starts.
    """
    least = risk.value_and_gradient(best)[0]
    low, high = (_Profile(risk, best, least, a, sign).end(z, error) for sign in (-1.0, 1.0))
    return low, high


@dataclass
class _Profile:
    """|r(c)| to one side of the minimum, each point found from the one before."""

    risk: PenalisedRisk
    best: Array
    least: float
    a: Array
    sign: float
    u: Array = field(init=False)

    def __post_init__(self) -> None:
        self.u = self.best

    def root(self, distance: float) -> float:
        """√(2(F(c) − F_min)) at so far from the best value of a·u."""
        c = float(self.a @ self.best) + self.sign * distance
        self.u, value = constrained_minimum(self.risk, self.u, self.a[None], np.array([c]))
        return float(np.sqrt(2 * max(value - self.least, 0.0)))

    def end(self, z: float, error: float) -> float:
        """Where the root is z."""
        near, below, far = 0.0, 0.0, z * error
        while (above := self.root(far)) < z:
            near, below, far = far, above, far * (2.0 if above > z / 2 else 3.0)
            if far > _FAR * z * error:
                return self.sign * np.inf
        for _ in range(_MOST_SECANTS):
            middle = near + (far - near) * (z - below) / (above - below)
            root = self.root(middle)
            if abs(root - z) <= 1e-9 * z:
                break
            if root < z:
                near, below = middle, root
            else:
                far, above = middle, root
        return float(self.a @ self.best) + self.sign * middle
