"""Rows that overlap widely, in many columns: weights in floats that prove as much as exact ones.

At the least of Σ max(0, 1 − u·v_i)² (v_i = c_i(x_i, 1)) the slacks α_i = max(0, 1 − u·v_i) have Σ α_i v_i = 0: they are
weights of a face. Newton's method finds that least value exactly, once it
knows which rows have slack. A linear program of as many columns takes minutes, and weights in whole numbers hours.

In floats V′α = ε is not quite 0. But if V has full rank, δ = −V(V′V)⁻¹ε mends it, with ‖δ‖ ≤ ‖ε‖/σ for the least
singular value σ of V; where that is less than any α, exact weights α + δ > 0 exist. Then the rows surround their common
mean: no plane but one through every row is without mistakes.
"""

from fractions import Fraction

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigvalsh

from discriminant.rows.matrix import Matrix
from discriminant.separability.signed_rows import Array, Indices, SignedRows
from discriminant.separability.slab import halve_until_less

MANY_COLUMNS = 200  # beyond so many a linear program and weights in whole numbers are long
FEW_COLUMNS = 50  # up to so many weights in whole numbers are always found
_MOST_COLUMNS = 5000
_MOST_STEPS = 50
_LEAST_SLACK = 1e-6  # beside the largest: with less, a row is left out
_TRUSTED = 1e-10  # the least σ² beside the largest that floats tell from 0
_SAFE = 0.5
_PARTS = 2.0**50


def overlap_weights(signed: SignedRows, margins: Array) -> tuple[Indices, tuple[Fraction, ...]] | None:
    """Rows that surround their mean and their weights; None where they do not, or that cannot be told in floats.

    Newton's method starts at the plane with these margins.
    """
    V = nonzero_columns(signed.V)
    if not 0 < V.shape[1] <= _MOST_COLUMNS or V.shape[0] <= V.shape[1]:
        return None
    try:
        slack = _least_slacks(V, margins)
        indices = np.flatnonzero(slack > _LEAST_SLACK * slack.max())
        alpha = _balance(V[indices], slack[indices])
    except LinAlgError:
        return None
    parts = np.rint(alpha / alpha.max() * _PARTS)
    left = np.abs(parts @ V[indices]).max() / parts.sum()
    if not surrounds(V[indices], parts / parts.sum(), float(left)):
        return None
    return indices, tuple(Fraction(int(a)) for a in parts)


def surrounds(V: Matrix, alpha: Array, left: float) -> bool:
    """Whether weights that leave at most this in every column can be mended to exact ones, all positive."""
    gram = _gram(V)
    values = eigvalsh(gram, check_finite=False)
    least = float(values[0] - _TRUSTED * values[-1])
    return least > 0 and float(np.sqrt(len(gram) / least)) * left < _SAFE * float(alpha.min())


def nonzero_columns(V: Matrix) -> Matrix:
    """The columns that are not zero in every row."""
    used = np.bincount(V.indices[V.data != 0], minlength=V.shape[1]) > 0 if sparse.issparse(V) else V.any(axis=0)
    return V if used.all() else V[:, used]


def _least_slacks(V: Matrix, margins: Array) -> Array:
    """max(0, 1 − u·v_i) at the least sum of their squares: where the rows with slack stay the same, that is exact."""
    squares = float((np.maximum(0.0, 1.0 - margins) ** 2).sum())
    for _ in range(_MOST_STEPS):
        inside = margins < 1.0
        A = V[inside]
        reached = np.asarray(V @ cho_solve(cho_factor(_gram(A)), np.asarray(A.sum(axis=0)).ravel()))
        if ((reached < 1.0) == inside).all():
            return np.maximum(0.0, 1.0 - reached)
        size, squares = halve_until_less(margins, reached - margins, squares)
        margins = margins + size * (reached - margins)
        if size == 0.0:
            break
    return np.maximum(0.0, 1.0 - margins)


def _balance(A: Matrix, alpha: Array) -> Array:
    """The nearest weights with Σ α_i v_i = 0, to rounding."""
    factor = cho_factor(_gram(A))
    for _ in range(3):
        alpha = alpha - A @ cho_solve(factor, A.T @ alpha)
    return alpha


def _gram(A: Matrix) -> Array:
    gram = A.T @ A
    return np.asarray(gram.toarray() if sparse.issparse(gram) else gram)
