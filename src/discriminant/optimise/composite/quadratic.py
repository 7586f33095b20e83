"""A quadratic model plus a penalty of each weight by itself, to the last digits.

    min over w:  slope·(w − w₀) + ½(w − w₀)′H(w − w₀) + Σ g(w)

Sweeps over single weights find which of them are zero or at a bound; then those between are solved for together, which
is what sweeps are slow at where columns are correlated. Both never raise the criterion, and they take turns.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from discriminant.kernels.coordinate_descent import sweep_matrix
from discriminant.optimise.composite.penalty import WeightPenalty

Array = NDArray[np.float64]

_SWEEPS = 40  # before weights are solved for together
_MOST_ROUNDS = 200
_PATIENCE = 5  # rounds in which the slopes must halve; of columns that rounding alone tells apart they do not
_RIDGE = 1e-13  # of the diagonal, so that columns which determine one another have an answer


def minimise_quadratic(H: Array, slope: Array, w: Array, penalty: WeightPenalty, precision: float = 1e-5) -> Array:
    """The least point, from w: until the slopes that single weights still ask for are a share of what they were first.

    ``precision`` is that share; what a weight lowers the criterion by goes with its square.
    """
    w, slope = w.copy(), slope.copy()
    bounds = penalty.l1, penalty.l2, penalty.low, penalty.high
    first = sweep_matrix(H, slope, w, *bounds, 1, 0.0)
    enough = precision**2 * first
    halved, least = 0, np.inf
    for n in range(_MOST_ROUNDS):
        fall = sweep_matrix(H, slope, w, *bounds, _SWEEPS, enough)
        if fall <= enough:
            break
        _solve_free(H, slope, w, penalty)
        fall = min(fall, sweep_matrix(H, slope, w, *bounds, 1, enough))
        if fall < 0.25 * least:
            halved, least = n, fall
        if fall <= enough or n - halved >= _PATIENCE:
            break
    return w


def _solve_free(H: Array, slope: Array, w: Array, penalty: WeightPenalty) -> None:
    """Move the weights that are neither zero nor at a bound to where they are best together, as far as signs last."""
    inside = (w > penalty.low) & (w < penalty.high)
    free = np.flatnonzero(inside & ((w != 0.0) | (penalty.l1 == 0.0)) & (np.diagonal(H) + penalty.l2 > 0))
    if free.size < 2:
        return
    at, some = w[free], penalty.take(free)
    step = newton_step(H[np.ix_(free, free)].copy(), slope[free] + some.slopes(at)[0], some.l2)
    if step is None:
        return
    for moved in (_clip_at_zero(at, step, some), _cut_short(at, step, some)):
        if move_if_lower(H, slope, w, free, moved, some):
            return


def newton_step(S: Array, gradient: Array, l2: Array) -> Array | None:
    """−(S + diag(l2))⁻¹·gradient, written over S; None where rounding leaves no answer."""
    S[np.diag_indices_from(S)] += l2 + _RIDGE * np.diagonal(S)
    try:
        step = -cho_solve(cho_factor(S, lower=True, check_finite=False), gradient)
    except LinAlgError:
        return None
    return step if np.isfinite(step).all() else None


def move_if_lower(
    H: Array, slope: Array, w: Array, free: NDArray[np.intp], moved: Array, penalty: WeightPenalty
) -> bool:
    """Give the free weights these values if that lowers the criterion; ``penalty`` is theirs, ``slope`` is kept."""
    at = w[free]
    change = moved - at
    curved = H[:, free] @ change
    rise = slope[free] @ change + 0.5 * change @ curved[free] + penalty.value(moved) - penalty.value(at)
    if not rise < 0.0:  # nor is NaN a fall
        return False
    w[free] = moved
    slope += curved
    return True


def _clip_at_zero(w: Array, step: Array, penalty: WeightPenalty) -> Array:
    """The whole step, with zero where a sign would change."""
    moved = penalty.nearest(w + step)
    return np.where((penalty.l1 > 0) & (moved * w < 0), penalty.nearest(np.zeros_like(w)), moved)


def _cut_short(w: Array, step: Array, penalty: WeightPenalty) -> Array:
    """Take as much of the step as leaves all signs and bounds alone; the weight that ends it is put exactly there."""
    with np.errstate(divide="ignore", invalid="ignore"):
        target = np.where(step > 0, penalty.high, penalty.low)
        to_zero = np.where((penalty.l1 > 0) & (w * step < 0), -w / step, np.inf)
        share = np.fmin(np.where(step != 0, (target - w) / step, np.inf), to_zero)
    first = int(np.argmin(share))
    if share[first] >= 1.0:
        return w + step
    moved = penalty.nearest(w + share[first] * step)
    moved[first] = 0.0 if to_zero[first] <= share[first] else target[first]
    return moved
