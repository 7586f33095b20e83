"""A plane between rows of many columns, by descent: the hard margin softened ever less.

    min ½‖u‖² + Σ max(0, 1 − u·v_i)²/(2δ)     as   max Σ α − ½‖Σ α_i v_i‖² − ½δΣ α²,   α ≥ 0

for δ from 10⁻² of a row's mean square down. Of rows with few entries a pass costs little, where a linear program of as
many columns takes minutes. Where a plane separates, that of some δ does.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.kernels.dual_descent import descend, row_squares
from discriminant.kernels.ordering import shuffle
from discriminant.rows.matrix import Matrix, kernel_form
from discriminant.separability.signed_rows import Array, SignedRows

_SOFTENINGS = (1e-2, 1e-4, 1e-6)
_MOST_EPOCHS, _MOST_WORK = 1500, 1e9  # of each softening; work in numbers visited
_LOOK = 25  # epochs


def descent_planes(signed: SignedRows) -> Iterator[tuple[Array, Array]]:
    """(u, V u) now and then on the way down, as far as a bounded amount of work leads."""
    V, n = signed.V, signed.V.shape[0]
    sign = np.where(signed.positive, 1, -1).astype(np.int8)
    table = kernel_form(_without_signs(V, sign))
    squares = np.empty(n)
    row_squares(table, squares)
    alpha, u, state = np.zeros(n), np.zeros(V.shape[1]), np.array([0], np.uint64)
    order, unbounded = np.arange(n), np.full(n, np.inf)
    looks = int(min(_MOST_EPOCHS, _MOST_WORK / (V.nnz if sparse.issparse(V) else V.size))) // _LOOK + 1
    for share in _SOFTENINGS:
        softening = np.full(n, share * max(float(squares.mean()), 1.0))
        for _ in range(looks):
            n_active, slopes = n, np.array([np.inf, -np.inf])
            for _ in range(_LOOK):
                shuffle(order, 0, n_active, state)
                steepness = squares + 1.0 + softening
                n_active = descend(table, sign, unbounded, softening, steepness, 1.0, order, n_active, alpha, u, slopes)
                slopes = np.array([slopes[0] if slopes[0] > 0 else np.inf, slopes[1] if slopes[1] < 0 else -np.inf])
            yield u.copy(), np.asarray(V @ u)


def _without_signs(V: Matrix, sign: NDArray[np.int8]) -> Matrix:
    """The rows x_i of scaled columns, without c_i and the constant."""
    if sparse.issparse(V):
        X = sparse.csr_array(V[:, :-1])
        X.data = X.data * np.repeat(sign, np.diff(X.indptr))
        return X
    return np.ascontiguousarray(V[:, :-1] * sign[:, None])
