"""The squared hinge of few rows: from the bottom of one parabola towards that of the next.

    F(u) = ½ Σ ρ u² + Σ ω max(0, 1 − m)²,     m = V u,   V = c(z, 1)

While the rows inside the slab (m < 1) stay the same, F is a parabola, whose bottom is one solution of linear equations.
Where the same rows are inside at the bottom as on the way there, it is the minimum of F. Else F is followed towards
it as far as it falls: along a line that takes the margins alone, no row. So a step costs one product with the rows and
the squares of those inside.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotrs

from discriminant.optimise.line_search import flat_point

Array = NDArray[np.float64]

_ROUNDING = 1e-15  # of F, which a step must promise to change by more


@dataclass(frozen=True)
class ParabolaMinimum:
    """Weights u where F is least, or where the steps ended."""

    u: Array
    n_iterations: int


def least_of_parabolas(
    Z: Array, sign: NDArray[np.int8] | Array, weight: Array | None, ridge: Array, max_iterations: int
) -> ParabolaMinimum | None:
    """The minimum for rows (z, 1) with signs c = ±1, weights ω and ρ; None where the equations are singular."""
    V, half_ridge = Z * sign[:, None], 0.5 * ridge
    u, margins, inside = np.zeros(V.shape[1]), np.zeros(len(V)), np.arange(len(V))
    for n in range(1, max_iterations + 1):
        bottom = _bottom(V, weight, half_ridge, inside)
        if bottom is None:
            return None
        there = V @ bottom
        next_inside = (there < 1.0).nonzero()[0]
        if next_inside.size == inside.size and (next_inside == inside).all():
            return ParabolaMinimum(bottom, n)
        step, change, pull = bottom - u, there - margins, half_ridge * u
        line = _Line(margins, change, weight, float(pull @ step), float((half_ridge * step) @ step))
        slope, least = line.slopes(0.0)[0], _ROUNDING * line.value(0.0, float(pull @ u))
        if -slope <= least:
            return ParabolaMinimum(u, n)
        t = flat_point(line.slopes, slope)
        u, margins = u + t * step, margins + t * change
        inside = (margins < 1.0).nonzero()[0]
    return ParabolaMinimum(u, max_iterations)


def _bottom(V: Array, weight: Array | None, half_ridge: Array, inside: NDArray[np.intp]) -> Array | None:
    """(½ρ + Σ ω v v′) u = Σ ω v over the rows inside."""
    A = V if inside.size == len(V) else V.take(inside, axis=0)
    if weight is None:
        squares, right = A.T @ A, A.sum(axis=0)
    else:
        root = np.sqrt(weight[inside])
        A = A * root[:, None]
        squares, right = A.T @ A, root @ A
    squares.flat[:: len(squares) + 1] += half_ridge
    factor, failed = dpotrf(squares, lower=True, overwrite_a=True)
    return None if failed else dpotrs(factor, right, lower=True)[0]


@dataclass(frozen=True)
class _Line:
    """½F along a step that changes the margins by ``change``: t ↦ … + across·t + ½ along·t²."""

    margins: Array
    change: Array
    weight: Array | None
    across: float
    along: float

    def value(self, t: float, half_square: float) -> float:
        """F at t, where the penalty is known."""
        lack = np.maximum(0.0, 1.0 - self.margins - t * self.change)
        return half_square + float(lack @ lack if self.weight is None else lack @ (self.weight * lack))

    def slopes(self, t: float) -> tuple[float, float]:
        """The first two derivatives of ½F."""
        lack = 1.0 - self.margins - t * self.change
        moving = np.where(lack > 0.0, self.change, 0.0)
        if self.weight is not None:
            moving *= self.weight
        first = self.across + t * self.along - float(lack @ moving)
        return first, self.along + float(moving @ self.change)
