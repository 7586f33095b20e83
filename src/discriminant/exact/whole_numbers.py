"""Whole numbers in place of floats and fractions, and inequalities in them: nothing rounds and nothing overflows."""

from fractions import Fraction
from math import gcd, lcm

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.object_]  # Python integers
Integers = NDArray[np.int64]


def odd_parts(points: NDArray[np.float64]) -> tuple[Integers, Integers]:
    """The odd number and the exponent of two whose product each float is; both 0 for 0."""
    mantissa, exponent = np.frexp(points)
    digits = np.ldexp(mantissa, 53).astype(np.int64)
    zeros = np.where(digits != 0, np.frexp((digits & -digits).astype(np.float64))[1] - 1, 0)  # below the last digit
    return digits >> zeros, np.where(digits != 0, exponent - 53 + zeros, 0).astype(np.int64)


def whole_columns(points: NDArray[np.float64]) -> tuple[Whole, Whole]:
    """Columns times powers of two that make them whole numbers, and those powers."""
    odd, exponent = odd_parts(points)
    shift = np.maximum(0, -exponent.min(axis=0))
    return odd.astype(object) << (exponent + shift).astype(object), 1 << shift.astype(object)


def whole_multiple(values: Whole) -> tuple[Whole, int]:
    """Whole numbers in the same proportion as fractions, and by what they were multiplied."""
    common = lcm(*(Fraction(v).denominator for v in values))
    return np.array([int(v * common) for v in values], dtype=object), common


def primitive(x: Whole) -> Whole:
    """The whole numbers in the same proportion that have no common divisor."""
    return np.asarray(x // (gcd(*x.tolist()) or 1))


def gordan_alternative(V: Whole) -> tuple[Whole | None, Whole]:
    """Either α ≥ 0 with Σα = 1 and Σ α_i v_i = 0, or a normal u with u·v_i > 0 for every i; in whole numbers.

    Phase one of the simplex method, min Σ a s.t. (V, 1)′α + a = (0, 1), α, a ≥ 0; Bland's rule keeps it from cycling.
    """
    k, m = V.shape[0], V.shape[1] + 1
    tableau = np.zeros((m + 1, k + m + 1), dtype=object)
    tableau[: m - 1, :k], tableau[m - 1, :k], tableau[m - 1, -1] = V.T, 1, 1
    tableau[:m, k:-1] = np.eye(m, dtype=int)
    tableau[m, :k], tableau[m, -1] = -tableau[:m, :k].sum(axis=0), -1
    basis, denominator = list(range(k, k + m)), 1
    while (entering := next((j for j in range(k) if tableau[-1, j] < 0), None)) is not None:
        rising = [i for i in range(m) if tableau[i, entering] > 0]
        ratios = {i: (Fraction(tableau[i, -1], tableau[i, entering]), basis[i]) for i in rising}
        leaving = min(rising, key=ratios.__getitem__)
        tableau, denominator = _pivot(tableau, leaving, entering, denominator), tableau[leaving, entering]
        basis[leaving] = entering
    if tableau[-1, -1] != 0:
        return None, tableau[-1, k:-2] - denominator  # the duals of Σ α_i v_i = 0, with their signs changed
    alpha = np.full(k, Fraction(0), dtype=object)
    for i, j in enumerate(basis):
        if j < k:
            alpha[j] = Fraction(tableau[i, -1], denominator)
    return alpha, np.array([], dtype=object)


def _pivot(tableau: Whole, row: int, column: int, denominator: int) -> Whole:
    """The tableau with one more column solved for: numerators over the pivot, all divisions exact (Edmonds 1967)."""
    kept = tableau[row].copy()
    tableau = (tableau * kept[column] - np.outer(tableau[:, column], kept)) // denominator
    tableau[row] = kept
    return tableau
