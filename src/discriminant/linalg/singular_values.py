"""Singular values, also where divide and conquer does not find them.

LAPACK's fast method gives up on some matrices with many equal or vanishing singular values (such as the standardised
pixels of scanned digits); the older one, by QR steps, takes longer and does not.
"""

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

Array = NDArray[np.float64]


def refuse_infinite(A: Array) -> None:
    """Refuse what is not finite, of which LAPACK complains on standard output."""
    if not np.isfinite(A).all():
        raise ValueError("products of the numbers overflow; bring the columns to similar scales")


def svd(A: Array, *, full_matrices: bool = False) -> tuple[Array, Array, Array]:
    """U, the singular values, and V′ of A = U diag(σ) V′."""
    refuse_infinite(A)
    try:
        return np.linalg.svd(A, full_matrices=full_matrices)
    except np.linalg.LinAlgError:
        U, singular, V = scipy.linalg.svd(A, full_matrices=full_matrices, lapack_driver="gesvd", check_finite=False)
        return U, singular, V
