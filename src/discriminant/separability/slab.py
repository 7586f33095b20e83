"""A plane that probably separates, if any does: least squares on the rows inside the slab.

    minimise  Σ max(0, 1 − u·v_i)²    (squared hinge; v_i = c_i(x_i, 1))

Newton's step solves the least squares of the rows with u·v_i < 1 (Keerthi & DeCoste 2005). A mistake adds at least 1 to
the sum. Where a plane separates, the sum falls by the same part again and again, to below 1; where it no longer does, a
linear program takes over.
"""

from collections.abc import Iterator

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.sparse.linalg import LinearOperator, lsqr

from discriminant.rows.matrix import Matrix
from discriminant.separability.signed_rows import Array, Mask

_MOST_STEPS = 40
_ENOUGH = 0.8  # a step that leaves more of the sum than this is the last
_RIDGE = 1e-10  # beside the mean square of a column: keeps singular systems solvable
_DENSE_COLUMNS = 1000
_PRODUCTS = 60  # of a sparse matrix and a vector, in one step


def slab_planes(V: Matrix, on_plane: Matrix) -> Iterator[tuple[Array, Array]]:
    """(u, V u) after each step, for as long as the sum falls fast; u is perpendicular to the rows on the plane."""
    Q = _orthonormal_basis(on_plane)
    if Q.size and not sparse.issparse(V):
        V = V - (V @ Q) @ Q.T
    u, margins, before = np.zeros(V.shape[1]), np.zeros(V.shape[0]), float(V.shape[0])
    for _ in range(_MOST_STEPS):
        step = _least_squares(V, margins < 1, u, Q) - u
        step -= Q @ (Q.T @ step)
        along = np.asarray(V @ step)
        size, squares = halve_until_less(margins, along, before)
        u, margins = u + size * step, margins + size * along
        yield u, margins
        if squares > _ENOUGH * before:
            return
        before = squares


def _orthonormal_basis(rows: Matrix) -> Array:
    """Columns that span the rows, which are independent."""
    rows = rows.toarray() if sparse.issparse(rows) else rows
    return np.asarray(np.linalg.qr(rows.T)[0])


def _least_squares(V: Matrix, inside: Mask, start: Array, Q: Array) -> Array:
    """argmin Σ (1 − u·v_i)² over the rows inside, very slightly shrunk."""
    A = V if inside.all() else V[inside]
    if sparse.issparse(A) or min(A.shape) > _DENSE_COLUMNS:
        return _conjugate_gradients(A, start, Q)
    if A.shape[0] < A.shape[1]:
        return np.asarray(np.linalg.lstsq(A, np.ones(A.shape[0]))[0])
    gram = A.T @ A
    gram[np.diag_indices_from(gram)] += _RIDGE * np.trace(gram) / len(gram)
    try:
        return np.asarray(cho_solve(cho_factor(gram), A.sum(axis=0)))
    except LinAlgError:
        return start


def _conjugate_gradients(A: Matrix, start: Array, Q: Array) -> Array:
    """Solve in few products with the table, perpendicular to Q."""
    perpendicular = LinearOperator(
        A.shape,
        matvec=lambda u: A @ (u - Q @ (Q.T @ u)),
        rmatvec=lambda r: (z := A.T @ r) - Q @ (Q.T @ z),
        dtype=np.float64,
    )
    return np.asarray(lsqr(perpendicular, np.ones(A.shape[0]), iter_lim=_PRODUCTS, x0=start)[0])


def halve_until_less(margins: Array, along: Array, now: float) -> tuple[float, float]:
    """The first of 1, ½, ¼, … at which the sum is less than now, and that sum."""
    for size in (0.5 ** np.arange(12)).tolist():
        left = np.maximum(0.0, 1.0 - margins - size * along)
        squares = float(left @ left)
        if squares < now:
            return size, squares
    return 0.0, now
