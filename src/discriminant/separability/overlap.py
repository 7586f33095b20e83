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

from discriminant.rows import ArrayRows
from discriminant.rows.matrix import Matrix
from discriminant.separability.signed_rows import Array, Indices, SignedRows
from discriminant.separability.slab import halve_until_less

MANY_COLUMNS = 200  # beyond so many a linear program and weights in whole numbers are long
FEW_COLUMNS = 50  # up to so many weights in whole numbers are always found
_MOST_COLUMNS = 5000
_MOST_STEPS = 50
_LEAST_SLACK = 1e-6  # beside the largest: with less, a row is left out
_LEAST_MULTIPLIER = 1e-4  # the same of weights that are given, all of which are positive
_TRUSTED = 1e-10  # the least σ² beside the largest that floats tell from 0
_SAFE = 0.5
_PARTS = 2.0**50
_EPS = float(np.finfo(np.float64).eps)


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
    if not surrounds_origin(V[indices], parts / parts.sum(), float(left)):
        return None
    return indices, tuple(Fraction(int(a)) for a in parts)


def prove_overlap(rows: ArrayRows, multipliers: Array) -> bool:
    """Whether weights α > 0 with Σ α_i v_i = 0 exist near these, so that no plane but one through every row is right.

    Such are the slopes of a loss at its minimum, where its gradient Σ slope_i·v_i is zero. False says nothing.
    """
    indices = np.flatnonzero(multipliers > _LEAST_MULTIPLIER * multipliers.max())
    if not 0 < rows.n_columns < min(_MOST_COLUMNS, indices.size - 1):
        return False
    try:
        with np.errstate(all="ignore"):  # what is not finite is refused when it is factored
            A, rounding = _of_unit_columns(rows, indices)
        alpha = _balance(A, multipliers[indices])
    except (LinAlgError, ValueError):  # dependent columns; numbers that are not finite
        return False
    alpha = alpha / alpha.sum()
    return surrounds_origin(A, alpha, float(np.abs(alpha @ A).max()) + rounding)


def surrounds_origin(V: Matrix, alpha: Array, left: float) -> bool:
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


def _of_unit_columns(rows: ArrayRows, indices: Indices) -> tuple[Matrix, float]:
    """Some of the v_i, each column about its mean (where zeros are stored) and divided by its length.

    That changes no plane. Also a bound of what rounding adds to means of the columns: of the numbers, and of the sum.
    """
    X = rows.matrix[indices]
    c = np.where(rows.codes[indices] == 1, 1.0, -1.0)
    ones = np.full((indices.size, 1), 1.0 / np.sqrt(indices.size))
    if sparse.issparse(X):
        used = np.bincount(rows.matrix.indices[rows.matrix.data != 0], minlength=X.shape[1]) > 0
        lengths = np.sqrt(np.bincount(X.indices, X.data.astype(np.float64) ** 2, minlength=X.shape[1]))[used]
        if not lengths.all():
            raise LinAlgError
        Z = sparse.hstack([X[:, used] @ sparse.diags_array(1.0 / lengths), ones], format="csr")
        return sparse.csr_array(sparse.diags_array(c) @ Z), _EPS * indices.size
    same = np.ptp(X, axis=0) == 0
    if same.any() and np.ptp(rows.matrix[:, same], axis=0).any():  # other rows alone have values of the column
        raise LinAlgError
    Z = np.asarray(X[:, ~same], dtype=np.float64)
    centre = Z.mean(axis=0)
    Z = Z - centre
    lengths = np.sqrt(np.einsum("ij,ij->j", Z, Z))
    beside_centre = float(np.max(np.abs(centre) / lengths, initial=0.0))
    return c[:, None] * np.hstack([Z / lengths, ones]), _EPS * (indices.size + beside_centre)


def _gram(A: Matrix) -> Array:
    gram = A.T @ A
    return np.asarray(gram.toarray() if sparse.issparse(gram) else gram)
