"""A quadratic model plus norms of groups of weights.

    min over w:  slope·(w − w₀) + ½(w − w₀)′H(w − w₀) + Σ_G λ_G‖w_G‖ + Σ g(w)

Sweeps over groups find which of them are zero; where a group has weights its norm is smooth, and Newton's steps for all
weights that are free together end what sweeps begin. Both never raise the criterion, and they take turns.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from discriminant.kernels.group_descent import sweep_matrix_groups
from discriminant.optimise.composite.groups import GroupedPenalty
from discriminant.optimise.composite.quadratic import move_if_lower, newton_step

Array = NDArray[np.float64]

_SWEEPS = 20  # before weights are solved for together
_MOST_ROUNDS = 200
_HALVINGS = 12


def steepest_of_groups(H: Array, penalty: GroupedPenalty) -> Array:
    """A bound of the largest curvature of each part: by its trace, and by its rows' absolute sums."""
    order, begins = penalty.members
    found = []
    for start, stop in pairwise(begins.tolist()):
        part = order[start:stop]
        found.append(steepest_of(H[np.ix_(part, part)]))
    return np.array(found)


def steepest_of(part: Array) -> float:
    """A bound of the largest eigenvalue."""
    return float(min(np.trace(part), np.abs(part).sum(axis=1).max()))


def minimise_grouped(H: Array, slope: Array, w: Array, penalty: GroupedPenalty, precision: float = 1e-5) -> Array:
    """The least point, from w: until the slopes that groups still ask for are a share of what they were first."""
    w, slope = w.copy(), slope.copy()
    shape = (
        *penalty.members, penalty.strength, steepest_of_groups(H, penalty),
        penalty.l1, penalty.l2, penalty.low, penalty.high,
    )  # fmt: skip
    first = sweep_matrix_groups(H, slope, w, *shape, 1, 0.0)
    enough = precision**2 * first
    for _ in range(_MOST_ROUNDS):
        if sweep_matrix_groups(H, slope, w, *shape, _SWEEPS, enough) <= enough:
            break
        _solve_free(H, slope, w, penalty)
    return w


def _solve_free(H: Array, slope: Array, w: Array, penalty: GroupedPenalty) -> None:
    """One of Newton's steps for the weights of groups that are not zero and of columns that are free to move."""
    moving = (w > penalty.low) & (w < penalty.high) & ((w != 0.0) | (penalty.l1 == 0.0))
    has_weights = penalty.by_column(penalty.norms(w), np.zeros(w.size))[0] > 0
    free = np.flatnonzero(np.where(penalty.grouped, has_weights, moving) & (np.diagonal(H) + penalty.l2 > 0))
    if free.size < 2:
        return
    at, some = w[free], penalty.take(free)
    S = H[np.ix_(free, free)] + _curvature_of_norms(some, at)
    pull = np.where(some.grouped, some.l2 * at, some.slopes(at)[0]) + _slope_of_norms(some, at)
    step = newton_step(S, slope[free] + pull, some.l2)
    if step is None:
        return
    for _ in range(_HALVINGS):
        moved = some.nearest(at + step)
        moved = np.where((some.l1 > 0) & (moved * at < 0), 0.0, moved)
        if move_if_lower(H, slope, w, free, moved, some):
            return
        step = 0.5 * step


def _slope_of_norms(penalty: GroupedPenalty, w: Array) -> Array:
    strengths = penalty.by_column(penalty.strength[None], np.zeros(w.size))[0]
    return np.asarray(strengths * penalty.directions(w)[0])


def _curvature_of_norms(penalty: GroupedPenalty, w: Array) -> Array:
    """λ_G(I − uu′)/‖w_G‖ with u = w_G/‖w_G‖, in the place of each group."""
    norms, u = penalty.norms(w)[0], penalty.directions(w)[0]
    order, begins = penalty.members
    found = np.zeros((w.size, w.size))
    for g, norm in enumerate(norms):
        part = order[begins[g] : begins[g + 1]]
        found[np.ix_(part, part)] = penalty.strength[g] / norm * (np.eye(part.size) - np.outer(u[part], u[part]))
    return found
