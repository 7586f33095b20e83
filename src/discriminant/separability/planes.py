"""On which side of a plane every row lies, without rounding."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discriminant.exact.whole_numbers import Whole, whole_columns, whole_multiple
from discriminant.hyperplane import Hyperplane
from discriminant.rows.matrix import Matrix, largest_by_column
from discriminant.separability.signed_rows import Array, Indices, Mask, points_of

Signs = NDArray[np.int8]

_EPS, _TINY = float(np.finfo(np.float64).eps), float(np.finfo(np.float64).smallest_subnormal)
_BLOCK = 1 << 18  # numbers made whole at a time


def exact_weights(plane: Hyperplane) -> Whole:
    """(w, −θ) of a plane of floats, as fractions."""
    return np.array([Fraction(v) for v in [*plane.w.tolist(), -plane.theta]], dtype=object)


def exact_sides(matrix: Matrix, weights: Whole) -> Signs:
    """The signs of w·x − θ for weights (w, −θ): floats where they are sure, whole numbers elsewhere."""
    u = np.array([float(v) for v in _near_one(weights)])
    with np.errstate(over="ignore", invalid="ignore"):
        scores = np.asarray(matrix @ u[:-1]) + u[-1]
        largest = largest_by_column(matrix)
        reach = float(largest @ np.abs(u[:-1])) + abs(u[-1])
        doubtful = np.flatnonzero(~(np.abs(scores) > _rounding(u.size, reach, float(largest.sum()))))
    signs = np.asarray(np.sign(np.nan_to_num(scores)), dtype=np.int8)
    step = max(_BLOCK // max(int(np.count_nonzero(u[:-1])), 1), 1)
    for start in range(0, doubtful.size, step):
        indices = doubtful[start : start + step]
        signs[indices] = _signs_in_whole_numbers(matrix, weights, indices)
    return signs


def _rounding(terms: int, reach: float, largest: float) -> float:
    """A bound on the rounding of a sum of so many terms, Σ|w_j x_j| ≤ reach, |x_j| ≤ largest, weights rounded too."""
    return (terms + 3) * (_EPS * reach + _TINY * (1.0 + largest))


def _near_one(weights: Whole) -> list[Fraction]:
    """The weights times the power of two that brings the largest near to 1: all are floats then, or nearly 0."""
    most = max(abs(Fraction(v)) for v in weights)
    power = most.denominator.bit_length() - most.numerator.bit_length()
    return [Fraction(v) * Fraction(2) ** power for v in weights]


def _signs_in_whole_numbers(matrix: Matrix, weights: Whole, indices: Indices) -> Signs:
    used = np.flatnonzero(weights[:-1])
    points, powers = whole_columns(points_of(matrix[:, used], indices))
    exact = [Fraction(w) / s for w, s in zip(weights[used], powers, strict=True)] + [Fraction(weights[-1])]
    u, _ = whole_multiple(np.array(exact, dtype=object))
    return np.asarray(np.sign(points @ u[:-1] + u[-1]), dtype=np.int8)


def plane_along(matrix: Matrix, positive: Mask, w: Array) -> Hyperplane | None:
    """The plane ⟂ w midway between the classes, if every row is strictly on its side without rounding."""
    if not w.any() or not np.isfinite(w).all():
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        projections = np.asarray(matrix @ w)
    low, high = projections[~positive].max(), projections[positive].min()
    if not (np.isfinite(projections).all() and low < high):
        return None
    plane = Hyperplane(w, low + (high - low) / 2)
    in_floats = np.sign(projections - plane.theta) == np.where(positive, 1, -1)
    if not in_floats.all() or not separates(matrix, positive, plane):
        return None
    return plane


def separates(matrix: Matrix, positive: Mask, plane: Hyperplane) -> bool:
    """Whether every row is strictly on its side of the plane."""
    sides = exact_sides(matrix, exact_weights(plane))
    return bool((sides == np.where(positive, 1, -1)).all())


def nearest_plane(weights: Whole) -> Hyperplane:
    """The plane in floats nearest to one in fractions; the very same if its whole numbers are not too long."""
    whole, common = whole_multiple(weights)
    longest = int(np.abs(whole).max()).bit_length()
    near = _near_one(weights) if longest > 1000 or (longest > 53 and common > 1) else whole
    *w, minus_theta = (float(v) for v in near)
    return Hyperplane(np.array(w), -minus_theta)
