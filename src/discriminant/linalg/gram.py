"""Inner products of sparse rows with one another: K = XX′, dense.

A column with n entries adds n² products. Columns that many rows share are multiplied as a dense matrix, the others
entry by entry.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.kernels.margins import add_squares
from discriminant.rows.matrix import Matrix, kernel_form

Array = NDArray[np.float64]

_ROWS_AT_ONCE = 256
_SHARED = 1 / 12  # of the rows; columns that more of them share are dearer entry by entry than as dense ones
# nanoseconds for a product of two entries of a sparse column, and for a multiplication and addition of dense matrices
_ENTRY_WORK, _DENSE_WORK = 1.5, 0.06


def gram(X: Matrix) -> Array:
    """XX′ of sparse rows: right on and below its diagonal."""
    n, d = X.shape
    shared = np.bincount(X.indices, minlength=d) > _SHARED * n
    K = np.zeros((n + 1, n + 1))  # the last of each is of the constant that kernels add to every row
    add_squares(kernel_form(_columns_of(X, ~shared)), np.ones(d), K)
    K = _without_last(K)
    dense = X[:, np.flatnonzero(shared)].toarray()
    for a in range(0, n, _ROWS_AT_ONCE):  # in bands, so that K is not held twice
        b = min(a + _ROWS_AT_ONCE, n)
        K[a:b, :b] += dense[a:b] @ dense[:b].T
    return K


def _columns_of(X: Matrix, kept: NDArray[np.bool_]) -> Matrix:
    """The transpose of sparse rows, with the entries of some columns alone."""
    chosen = kept[X.indices]
    ends = np.concatenate([[0], np.cumsum(chosen)])[X.indptr]
    return sparse.csr_array((X.data[chosen], X.indices[chosen], ends), X.shape).T.tocsr()


def _without_last(K: Array) -> Array:
    """A matrix without its last row and column, contiguous in the memory it has: who factors it makes no copy."""
    n = len(K) - 1
    numbers = K.ravel()
    for i in range(1, n):
        numbers[i * n : (i + 1) * n] = K[i, :n]
    return numbers[: n * n].reshape(n, n)


@dataclass(frozen=True)
class GramWork:
    """What K of some rows costs, from how many entries the columns have."""

    shared: int  # columns that are multiplied as dense ones
    squares: float  # products of two entries of the others

    @classmethod
    def of(cls, X: Matrix) -> "GramWork":
        """The space of all rows."""
        counts = np.bincount(X.indices, minlength=X.shape[1])
        shared = counts > _SHARED * X.shape[0]
        rest = np.where(shared, 0, counts).astype(np.float64)
        return cls(int(np.count_nonzero(shared)), float(rest @ rest))

    def with_factor(self, n: int, share: float) -> float:
        """Nanoseconds for K of n of the rows, that have this share of the entries, and for its Cholesky factor."""
        return _ENTRY_WORK * share * share * self.squares + _DENSE_WORK * n * n * (0.5 * self.shared + n / 3)
