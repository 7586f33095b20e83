"""Small linear systems and inequalities in whole numbers, which neither round nor overflow."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.object_]  # Python integers


def _system(V: Whole) -> Whole:
    """The equations Σ α_i v_i = 0, Σ α_i = 1, with their right side as the last column."""
    k, m = V.shape
    right = np.array([0] * m + [1], dtype=object)[:, None]
    return np.hstack([np.vstack([V.T, np.ones((1, k), dtype=object)]), right])


def _pivoted(tableau: Whole, row: int, column: int, denominator: int) -> Whole:
    """The tableau with one more column solved for: numerators over the pivot, all divisions exact (Edmonds 1967)."""
    kept = tableau[row].copy()
    tableau = (tableau * kept[column] - np.outer(tableau[:, column], kept)) // denominator
    tableau[row] = kept
    return tableau


def eliminated(V: Whole) -> list[Fraction] | None:
    """α > 0 with Σα = 1 and Σ α_i v_i = 0, if the equations have one solution and that is positive."""
    tableau, denominator = _system(V), 1
    k, free = V.shape[0], list(range(V.shape[1] + 1))
    places = []
    for column in range(k):
        row = next((i for i in free if tableau[i, column]), None)
        if row is None:
            return None
        tableau, denominator = _pivoted(tableau, row, column, denominator), tableau[row, column]
        free.remove(row)
        places.append(row)
    if any(tableau[i, -1] for i in free):
        return None
    alpha = [Fraction(tableau[i, -1], denominator) for i in places]
    return alpha if min(alpha) > 0 else None


def gordan(V: Whole) -> tuple[Whole | None, Whole]:
    """Either α ≥ 0 with Σα = 1 and Σ α_i v_i = 0, or a normal u with u·v_i > 0 for every i; in whole numbers.

    Phase one of the simplex method, min Σ a s.t. (V, 1)′α + a = (0, 1), α, a ≥ 0; Bland's rule keeps it from cycling.
    """
    k, m = V.shape[0], V.shape[1] + 1
    system = _system(V)
    tableau = np.hstack([system[:, :k], np.eye(m, dtype=int).astype(object), system[:, k:]])
    costs = -tableau.sum(axis=0)
    costs[k:-1] = 0
    tableau = np.vstack([tableau, costs])
    basis, denominator = list(range(k, k + m)), 1
    while (entering := next((j for j in range(k) if tableau[-1, j] < 0), None)) is not None:
        rising = [i for i in range(m) if tableau[i, entering] > 0]
        ratios = {i: (Fraction(tableau[i, -1], tableau[i, entering]), basis[i]) for i in rising}
        leaving = min(rising, key=ratios.__getitem__)
        tableau, denominator = _pivoted(tableau, leaving, entering, denominator), tableau[leaving, entering]
        basis[leaving] = entering
    if tableau[-1, -1] != 0:
        return None, tableau[-1, k:-2] - denominator  # the duals of Σ α_i v_i = 0, turned round
    alpha = np.array([Fraction(0)] * k, dtype=object)
    for i, j in enumerate(basis):
        if j < k:
            alpha[j] = Fraction(tableau[i, -1], denominator)
    return alpha, np.array([], dtype=object)
