"""Small linear systems and inequalities in whole numbers, which neither round nor overflow."""

from fractions import Fraction
from math import gcd, isqrt

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.object_]  # Python integers

_PRIME = 2**31 - 1
_FEW = 22  # equations, from where on digits are faster than elimination


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


# --- equations ------------------------------------------------------------------------------------------


def solved(A: Whole, b: Whole) -> tuple[Whole, int] | None:
    """Whole numbers x and q > 0 with A x = q b, for a square A; None where A is singular."""
    return _by_elimination(A, b) if len(b) <= _FEW else _by_digits(A, b)


def _by_elimination(A: Whole, b: Whole) -> tuple[Whole, int] | None:
    """Elimination with exact divisions, then substitution from below: x is as Cramer has it (Bareiss 1968).

    On lists, which take a third less time than arrays of Python's integers.
    """
    n, before = len(b), 1
    table = [[*row, value] for row, value in zip(A.tolist(), b.tolist(), strict=True)]
    for k in range(n):
        pivot = next((i for i in range(k, n) if table[i][k]), None)
        if pivot is None:
            return None
        table[k], table[pivot] = table[pivot], table[k]
        head, *tail = table[k][k:]
        for row in table[k + 1 :]:
            own = row[k]
            row[k + 1 :] = [(x * head - own * y) // before for x, y in zip(row[k + 1 :], tail, strict=True)]
        before = head
    x = [0] * n
    for k in range(n - 1, -1, -1):
        known = sum(a * v for a, v in zip(table[k][k + 1 : n], x[k + 1 :], strict=True))
        x[k] = (before * table[k][n] - known) // table[k][k]
    shared = gcd(before, *x) * (1 if before > 0 else -1)
    return np.array([v // shared for v in x], dtype=object), before // shared


def _by_digits(A: Whole, b: Whole) -> tuple[Whole, int] | None:
    """The solution digit after digit in base p, then turned into fractions; None where A is singular modulo p.

    The fractions are right when they solve the equations; by Cramer's and Hadamard's bounds there are digits enough at
    some point (Dixon 1982).
    """
    inverse = _inverse(A)
    if inverse is None:
        return None
    bits = 62 - _PRIME.bit_length() - len(b).bit_length()  # so that sums of their products with digits do not overflow
    limbs = _limbs(A, bits)
    digits, modulus, left = np.zeros(len(b), dtype=object), 1, b
    for lifts in _lifts(A, b):
        for _ in range(lifts):
            digit = (inverse * (left % _PRIME).astype(np.int64) % _PRIME).sum(axis=1) % _PRIME
            digits, modulus = digits + modulus * digit.astype(object), modulus * _PRIME
            left = (left - _times(limbs, bits, digit)) // _PRIME
        found = _as_fractions(digits, modulus)
        if found is not None and not (A @ found[0] - found[1] * b).any():
            return found
    raise AssertionError("Hadamard's bound leaves no room for this")


def _lifts(A: Whole, b: Whole) -> list[int]:
    """Digits to find before each attempt: few, in case the answer is simple; at last as many as Hadamard asks for."""
    lengths = [isqrt(int(v)) + 1 for v in (A * A).sum(axis=0)] + [isqrt(int(b @ b)) + 1]
    bits = sum(v.bit_length() for v in lengths)
    enough = 2 * (bits + 2) // (_PRIME.bit_length() - 1) + 2
    return [4, 12, max(enough - 16, 1)]


def _limbs(A: Whole, bits: int) -> list[NDArray[np.int64]]:
    """A = Σ limb_k 2^(k·bits), in machine integers."""
    most = max((abs(v) for v in A.ravel().tolist()), default=0).bit_length() // bits
    parts = [A >> bits * k for k in range(most + 1)]
    return [(part if k == most else part & (1 << bits) - 1).astype(np.int64) for k, part in enumerate(parts)]


def _times(limbs: list[NDArray[np.int64]], bits: int, digit: NDArray[np.int64]) -> Whole:
    """A·digit."""
    product = (limbs[-1] @ digit).astype(object)
    for limb in limbs[-2::-1]:
        product = (product << bits) + (limb @ digit)
    return product


def _inverse(A: Whole) -> NDArray[np.int64] | None:
    """A⁻¹ modulo a prime."""
    n = len(A)
    table = np.hstack([(A % _PRIME).astype(np.int64), np.eye(n, dtype=np.int64)])
    for j in range(n):
        pivot = j + int(np.argmax(table[j:, j] != 0))
        if not table[pivot, j]:
            return None
        table[[j, pivot]] = table[[pivot, j]]
        table[j] = table[j] * pow(int(table[j, j]), -1, _PRIME) % _PRIME
        others = np.delete(np.arange(n), j)
        table[others] = (table[others] - table[others, j][:, None] * table[j]) % _PRIME
    return table[:, n:]


def _as_fractions(digits: Whole, modulus: int) -> tuple[Whole, int] | None:
    """Whole numbers x and q with x ≡ q·digits, all below √(modulus/2); None if there are none."""
    bound, common = isqrt(modulus // 2), 1
    for value in digits.tolist():
        remainder = value * common % modulus
        if min(remainder, modulus - remainder) > bound:
            common *= _denominator(remainder, modulus, bound)
            if common > bound:
                return None
    numerators = digits * common % modulus
    numerators = np.where(numerators > bound, numerators - modulus, numerators)
    return numerators, common


def _denominator(value: int, modulus: int, bound: int) -> int:
    """q with q·value ≡ a small number, by Euclid's algorithm."""
    (r, s), (t, v) = (modulus, value), (0, 1)
    while s > bound:
        quotient = r // s
        (r, s), (t, v) = (s, r - quotient * s), (v, t - quotient * v)
    return abs(v)


def primitive(x: Whole) -> Whole:
    """The whole numbers in the same proportion that have no common divisor."""
    return np.asarray(x // (gcd(*x.tolist()) or 1))
