"""What the correlations of a sample say of the columns."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.rows.matrix import dense_block, read_matrix, refuse_non_finite

_MOST = 0.5


def mostly_chance(scatter: NDArray[np.float64], n_rows: int) -> bool:
    """Whether chance, by which a squared correlation of n rows is 1/n on average, explains most of their sum."""
    p = len(scatter)
    deviations = np.sqrt(np.where(np.diagonal(scatter) > 0, np.diagonal(scatter), 1.0))
    squares = float(((scatter / deviations / deviations[:, None]) ** 2).sum()) - p
    return bool(p * (p - 1) / n_rows > _MOST * squares)


def variance_inflation(X: Any) -> NDArray[np.float64]:
    """How many times the variance of each weight is what it would be if its column were uncorrelated with the others.

    The variance inflation factor of column j is 1/(1 − R²_j), R²_j of the regression of the column on all others; they
    are the diagonal of the inverse of the columns' correlation matrix.

    Parameters
    ----------
    X : table
        Of more rows than columns.

    Returns
    -------
    ndarray
        A number for each column, at least one; infinite where others determine it, not a number where it is constant.

    Examples
    --------
    >>> variance_inflation([[1.0, 2.0], [2.0, 1.0], [3.0, 4.0], [4.0, 3.0]]).round(4).tolist()
    [1.5625, 1.5625]
    """
    matrix = read_matrix(X)
    refuse_non_finite(matrix, None, "X")
    Z = np.array(dense_block(matrix, 0, matrix.shape[0]), dtype=np.float64)
    Z -= Z.mean(axis=0)
    size = np.sqrt((Z**2).sum(axis=0))
    varying = size > 0
    found = np.full(Z.shape[1], np.nan)
    _, s, V = np.linalg.svd(Z[:, varying] / size[varying], full_matrices=len(Z) < int(varying.sum()))
    s = np.append(s, np.zeros(len(V) - s.size))
    null = s <= max(Z.shape) * np.finfo(float).eps * max(float(s.max(initial=0.0)), 1.0)
    inflation = (V[~null] ** 2 / s[~null, None] ** 2).sum(axis=0)
    inflation[(V[null] ** 2).sum(axis=0) > np.finfo(float).eps * len(V)] = np.inf
    found[varying] = inflation
    return found
