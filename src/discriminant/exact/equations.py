"""Linear equations in whole numbers: by python-flint, or by elimination where they are few."""

from functools import cache
from math import gcd
from typing import Any

import numpy as np

from discriminant.exact.whole_numbers import Whole
from discriminant.forks import importing

_FEW = 8  # unknowns: elimination takes less than 0.2 ms, which does not pay for importing python-flint
_MOST_WORK = 2e9  # n⁴ times the bits of the largest number: some seconds of elimination, as for 75 rows of floats


class TooManyUnknownsError(ArithmeticError):
    """Raised where python-flint is missing and so many equations would take longer than a person waits."""

    def __init__(self, n: int) -> None:
        super().__init__(f"equations with {n} unknowns need python-flint: pip install discriminant[exact]")


def solve(A: Whole, B: Whole) -> tuple[Whole, int]:
    """Whole numbers X and q > 0 with A X = q B, for a square A; ZeroDivisionError where A is singular."""
    n = len(A)
    flint = None if n <= _FEW else import_flint()
    if flint is not None:
        X, q = flint.fmpz_mat(A.tolist()).solve(flint.fmpz_mat(B.reshape(n, -1).tolist())).numer_denom()
        return np.array([int(v) for v in X.entries()], dtype=object).reshape(B.shape), int(q)
    if n > _FEW and n**4 * int(np.abs(A).max()).bit_length() > _MOST_WORK:
        raise TooManyUnknownsError(n)
    return _eliminate(A, B)


@cache
def import_flint() -> Any:
    """The package of python-flint, or None where it is not installed."""
    with importing:
        try:
            import flint  # wanted only for what is large, and slow to import
        except ImportError:
            return None
        return flint


def _eliminate(A: Whole, B: Whole) -> tuple[Whole, int]:
    """Elimination with exact divisions, then substitution from below: X is as Cramer has it (Bareiss 1968).

    On lists, which take a third less time than arrays of Python's integers.
    """
    n, determinant = len(A), 1
    right = B if B.ndim == 2 else B[:, None]
    table = np.hstack([A, right]).tolist()
    for k in range(n):
        pivot = next((i for i in range(k, n) if table[i][k]), None)
        if pivot is None:
            raise ZeroDivisionError("the equations are singular")
        table[k], table[pivot] = table[pivot], table[k]
        head, *tail = table[k][k:]
        for row in table[k + 1 :]:
            own = row[k]
            row[k + 1 :] = [(x * head - own * y) // determinant for x, y in zip(row[k + 1 :], tail, strict=True)]
        determinant = head
    X: Whole = np.zeros(right.shape, dtype=object)
    for k in range(n - 1, -1, -1):
        known = np.array(table[k][k + 1 : n], dtype=object) @ X[k + 1 :]
        X[k] = (determinant * np.array(table[k][n:], dtype=object) - known) // table[k][k]
    shared = gcd(determinant, *X.ravel().tolist()) * (1 if determinant > 0 else -1)
    return X.reshape(B.shape) // shared, determinant // shared
