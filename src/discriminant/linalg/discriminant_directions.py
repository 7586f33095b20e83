"""What tells the classes apart, given a metric: S⁻¹δ_k, the discriminant directions, and the null space.

Where the class means differ inside the null space of S, the classes are separated there without error, and the
ordinary answer S⁻δ would hide it. The rule is the limit of (S + εPP′)⁻¹δ for ε → 0 with P the null directions in
which means differ: differences along P come before all others, and the rest decides only between classes that
coincide there.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from discriminant.linalg.metric import EPS, Metric, svd

Array = NDArray[np.float64]
PullBack = Callable[[Array], Array]

# How many times larger a score along P is than all scores within the range of S, at most and at least; the more,
# the more digits of those scores are lost to rounding.
_MOST_DOMINANCE, _LEAST_DOMINANCE = 1e8, 1e4


@dataclass(frozen=True)
class ClassContrasts:
    """What tells the classes apart, from displacements δ_k of K class means from a common centre.

    ``solved`` (K×d): S⁻¹δ_k. ``directions`` (d×r) in order of ``ratios``, their J = w·S_B w/w·S_W w, infinite for
    the ``separating`` (d×s) ones, which come first. ``separated``: pairs (i, j) of classes that those tell apart.
    """

    solved: Array
    directions: Array
    ratios: Array
    separating: Array
    separated: NDArray[np.bool_]


def discriminate_classes(
    metric: Metric, displacements: Array, mass: Array, noise: Array, offset: Array
) -> ClassContrasts:
    """Solve for every class. ``mass`` n_k weighs S_B; ``noise`` (d) is how far rounding can move a mean.

    ``offset`` (d) is how far from zero the columns lie: scores of raw rows lose digits to it.
    """
    if not metric.null.shape[1]:
        halves = metric.half(displacements.T)
        return _within_range(metric.half_transposed, halves, displacements, mass, metric.null)
    separating = separating_directions(metric, displacements, noise)
    # take the part in the null space away: what is left lies in the range of S
    inside = displacements.T - metric.null @ (metric.null.T @ displacements.T)
    halves = metric.half(inside)
    unsure = 2 * float((np.abs(separating).T @ noise).max(initial=0.0))
    far = float((np.abs(separating).T @ offset).max(initial=0.0))
    return combine_directions(metric.half_transposed, halves, displacements, mass, separating, unsure, far)


def with_solutions(found: ClassContrasts, solved: Array, scale: Array) -> ClassContrasts:
    """The same answers with better S⁻¹δ_k: the directions are combinations of these, in units of ``scale``."""
    before = (found.solved[1:] - found.solved[0]).T * scale[:, None]
    mixing = np.linalg.lstsq(before, found.directions * scale[:, None], rcond=None)[0]
    return replace(found, solved=solved, directions=(solved[1:] - solved[0]).T @ mixing)


def separating_directions(metric: Metric, displacements: Array, noise: Array) -> Array:
    """Orthonormal directions of the null space along which class means differ by more than noise."""
    null = metric.null
    left, sizes, _ = svd(null.T @ displacements.T)
    directions = null @ left
    unsure = np.abs(directions).T @ noise + metric.null_error(directions, displacements.T)
    return np.asarray(directions[:, sizes > np.sqrt(len(displacements)) * unsure])


def combine_directions(
    pull_back: PullBack, halves: Array, displacements: Array, mass: Array, separating: Array, unsure: float, far: float
) -> ClassContrasts:
    """A contrast from the whitened displacements (r×K), the way back from them, and the null directions.

    Classes nearer than ``unsure`` along the null directions coincide there, and so do classes that scores of rows
    ``far`` from zero could not tell apart in double precision.
    """
    if not separating.shape[1]:
        return _within_range(pull_back, halves, displacements, mass, separating)
    K = len(displacements)
    along = separating.T @ displacements.T  # s×K: class positions along the separating directions
    gaps = np.linalg.norm(along[:, :, None] - along[:, None, :], axis=0)
    size = float(np.abs(along).max(initial=0.0))
    rounding = EPS * size * (size + far)  # of a score, in units where a gap g counts g²
    separated = gaps > max(unsure, 10 * np.sqrt(rounding))
    # merge what coincides, or the rest of a gap would outweigh everything the range of S says
    along = np.stack([along[:, ~separated[k]].mean(axis=1) for k in range(K)], axis=1)
    solved = np.zeros(displacements.shape)
    farthest = 1.0
    if separated.sum() < K * (K - 1):  # some classes coincide along P: the range of S must decide
        solved += pull_back(halves).T
        farthest = max(float((halves * halves).sum(axis=0).max(initial=0.0)), 1.0)
    if separated.any():
        least = float(gaps[separated].min()) ** 2
        precise = _MOST_DOMINANCE if farthest == 1.0 else 1e-6 * least / (rounding * farthest)
        epsilon = least / (float(np.clip(precise, _LEAST_DOMINANCE, _MOST_DOMINANCE)) * farthest)
        solved += (separating @ along / epsilon).T
    directions, ratios = _directions(pull_back, halves, mass, separating, along)
    return ClassContrasts(solved, _orient(directions, displacements), ratios, separating, separated)


def _within_range(
    pull_back: PullBack, halves: Array, displacements: Array, mass: Array, separating: Array
) -> ClassContrasts:
    """The answers where no null direction tells classes apart."""
    K = len(displacements)
    u, ratios = _leading_directions(halves * np.sqrt(mass), K - 1)
    both = pull_back(np.column_stack([halves, u]))
    separated = np.zeros((K, K), dtype=np.bool_)
    return ClassContrasts(both[:, :K].T, _orient(both[:, K:], displacements), ratios, separating, separated)


def _orient(directions: Array, displacements: Array) -> Array:
    """A direction is known up to sign: from the first class to the last."""
    return np.asarray(directions * np.where((displacements[-1] - displacements[0]) @ directions < 0, -1.0, 1.0))


def _leading_directions(remaining: Array, most: int) -> tuple[Array, Array]:
    """The directions of greatest spread, and their squared singular values; those of rounding are left out."""
    u, sizes, _ = svd(remaining)
    u, sizes = u[:, :most], sizes[:most]
    kept = sizes > 1e-12 * sizes.max(initial=0.0)
    return u[:, kept], sizes[kept] ** 2


def _directions(
    pull_back: PullBack, halves: Array, mass: Array, separating: Array, along: Array
) -> tuple[Array, Array]:
    """Directions of greatest J: first those of infinite J, then those of what they leave unexplained."""
    K = mass.size
    roots = np.sqrt(mass)
    left, sizes, right = svd(along * roots)
    found = sizes > 1e-12 * sizes.max(initial=0.0)
    endless = separating @ left[:, found]
    remaining = halves * roots
    remaining = remaining - remaining @ right[found].T @ right[found]
    u, ratios = _leading_directions(remaining, K - 1 - endless.shape[1])
    directions = np.column_stack([endless, pull_back(u)])
    return directions, np.concatenate([np.full(endless.shape[1], np.inf), ratios])
