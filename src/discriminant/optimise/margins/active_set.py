"""The exact optimum of a slab program once it is known which rows lie on the slab's edge.

    m = 1 and Σ α c = −h on the edge,   α = 0 outside,   α = u inside,   w = g + Σ α c x

About the mean x̄ of the edge rows these are linear equations for the coefficients β = α c of the edge rows alone:
with A = X − x̄ and w₀ = g − h x̄, both with the rows inside added, w = w₀ + A′β must have A w = c − c̄. They are solved
by singular values, whose conditioning is that of A and not its square, as a correction to a β that is nearly right, so
that rows which determine one another keep the shares they have. Where the answer contradicts the sets (α out of its
bounds, a margin on the wrong side) the rows change sets, and again.
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from discriminant.linalg.metric import svd
from discriminant.optimise.margins.interior_point import PathPoint, SlabProgram
from discriminant.optimise.margins.slab import best_intercept

Array = NDArray[np.float64]

_MOST_CHANGES = 40
_ROUNDING = 1e-11
_RANK = 1e-12
_MOST_EDGE_ROWS = 3000


class Place(IntEnum):
    """Where a row lies."""

    OUTSIDE = 0
    EDGE = 1
    INSIDE = 2


@dataclass(frozen=True)
class ActiveSetSolution:
    """A plane, its α and the place of each row; exact but for rounding where they agree."""

    plane: Array
    alpha: Array
    place: NDArray[np.int8]


def solve_active_set(
    program: SlabProgram, path: PathPoint, most_changes: int = _MOST_CHANGES
) -> ActiveSetSolution | None:
    """The optimum near the end of a path; None where the sets do not come to rest."""
    place = _places(program, path)
    alpha = path.alpha
    for _ in range(most_changes):
        edge = place == Place.EDGE
        if np.count_nonzero(edge) > _MOST_EDGE_ROWS:
            return None
        solution = _solve(program, alpha, place) if edge.any() else _without_edge(program, place)
        margin = program.margins(solution.plane)
        moved = _new_places(program, solution, margin)
        if np.array_equal(moved, place):
            return solution
        place, alpha = moved, np.clip(solution.alpha, 0.0, program.cap)
    return None


def _places(program: SlabProgram, path: PathPoint) -> NDArray[np.int8]:
    """A row is where the larger of each pair of multipliers says."""
    place = np.full(path.alpha.size, Place.EDGE, np.int8)
    unit = path.alpha.max() if program.is_hard else program.cap
    beyond = path.multipliers < path.slacks * unit
    place[beyond[0]] = Place.OUTSIDE
    if not program.is_hard:
        place[beyond[1]] = Place.INSIDE
    return place


def _new_places(program: SlabProgram, solution: ActiveSetSolution, margin: Array) -> NDArray[np.int8]:
    """The places that the plane and α speak for."""
    place = solution.place.copy()
    slack = _ROUNDING * (1.0 + float(np.abs(margin).max()))
    unit = solution.alpha.max() if program.is_hard else program.cap
    edge = place == Place.EDGE
    place[edge & ((solution.alpha < -_ROUNDING * unit) | (margin > 1.0 + slack))] = Place.OUTSIDE
    place[edge & ((solution.alpha - program.cap > _ROUNDING * unit) | (margin < 1.0 - slack))] = Place.INSIDE
    place[(solution.place == Place.OUTSIDE) & (margin < 1.0 - slack)] = Place.EDGE
    place[(solution.place == Place.INSIDE) & (margin > 1.0 + slack)] = Place.EDGE
    if not edge.any() and not _balances(program, solution.alpha):
        place[np.abs(margin - 1.0) <= slack] = Place.EDGE  # the intercept put some there
    return place


def _balances(program: SlabProgram, alpha: Array) -> bool:
    size = float(program.cap.sum()) + abs(float(program.pull[-1]))
    return abs(float(program.combined(alpha)[-1])) <= _ROUNDING * size


def _solve(program: SlabProgram, alpha: Array, place: NDArray[np.int8]) -> ActiveSetSolution:
    """The equations of the edge rows."""
    edge, inside = place == Place.EDGE, place == Place.INSIDE
    X, c = program.rows.dense(edge), program.sign[edge]
    fixed = program.combined(np.where(inside, program.cap, 0.0))
    centre = X.mean(axis=0)
    A = X - centre
    wanted = c - c.mean()
    beta = alpha[edge] * c
    beta += (-fixed[-1] - beta.sum()) / c.size
    w = fixed[:-1] - fixed[-1] * centre + A.T @ beta
    U, S, V = svd(A)
    kept = _RANK * max(S[0], 1e-300) < S
    U, S, V = U[:, kept], S[kept], V[kept]
    for _ in range(3):  # the second and third refine the first
        along = (U.T @ (wanted - A @ w)) / S
        w += V.T @ along
        beta += U @ (along / S)
    plane = np.append(w, np.mean(c - X @ w))
    solution = np.zeros(place.size)
    solution[inside] = program.cap[inside]
    solution[edge] = beta * c
    return ActiveSetSolution(plane, solution, place)


def _without_edge(program: SlabProgram, place: NDArray[np.int8]) -> ActiveSetSolution:
    """No row on the edge: w follows from the rows inside, and b is the middle of those that are as good."""
    alpha = np.where(place == Place.INSIDE, program.cap, 0.0)
    w = program.combined(alpha)[:-1]
    scores = program.rows.scores(np.append(w, 0.0))
    b = best_intercept(scores, program.sign, program.cap, program.pull[-1])
    return ActiveSetSolution(np.append(w, b), alpha, place)
