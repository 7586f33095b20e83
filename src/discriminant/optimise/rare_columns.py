"""Columns that a sample of the rows says too little about: few rows make up nearly all of their sum of squares.

The indicator of a rare level is such a column. How many of its rows a sample has is chance, so that a solution of the
sample starts far off along it, with a curvature that is wrong by orders.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.rows import ArrayRows
from discriminant.rows.matrix import Matrix, take_rows

_FEW_ROWS = 5
_MOST_NUMBERS = 1 << 18  # to look at


def has_rare_columns(matrix: Matrix, sample: int) -> bool:
    """Whether some column is the same in all rows of a sample of that size but a few, and not in the whole table."""
    n, d = matrix.shape
    if not sparse.issparse(matrix):
        thin = _alike_in_sample(matrix, sample)
        return any(bool((matrix[:, j] != matrix[0, j]).any()) for j in thin.tolist())
    stored = np.bincount(matrix.indices, minlength=d)
    often = np.flatnonzero(2 * stored > n)
    thin = np.flatnonzero((stored > 0) & (2 * stored <= n) & (stored * sample < _FEW_ROWS * n))
    return bool(thin.size or (often.size and _some_vary(matrix[:, often[_alike_in_sample(matrix[:, often], sample)]])))


def _alike_in_sample(matrix: Matrix, sample: int) -> NDArray[np.intp]:
    """Columns with one value in all rows of a sample of that size but a few."""
    n, d = matrix.shape
    looked_at = min(sample, max(_MOST_NUMBERS // d, 1))
    X = take_rows(matrix, np.linspace(0, n - 1, looked_at).astype(np.intp))
    X = X.toarray() if sparse.issparse(X) else np.asarray(X)
    # one of three rows has the common value, if a column has one
    differ = np.min([np.count_nonzero(X[k] != X, axis=0) for k in (0, looked_at // 2, looked_at - 1)], axis=0)
    return np.flatnonzero(differ * sample < _FEW_ROWS * looked_at)


def _some_vary(part: Matrix) -> bool:
    """Whether some column of sparse rows is not constant."""
    return bool(part.shape[1] and (part.max(axis=0).toarray() != part.min(axis=0).toarray()).any())


def without_rare_columns(sample: ArrayRows, centre: NDArray[np.float64]) -> ArrayRows:
    """The sample of a source with such columns held at the middle of all rows, so that nothing is learnt of them."""
    matrix = sample.matrix
    few = matrix[: max(_MOST_NUMBERS // matrix.shape[1], 1)] if sparse.issparse(matrix) else matrix
    rare = np.flatnonzero(_few_differ(few))
    if not rare.size:
        return sample
    if sparse.issparse(matrix):
        return sample.with_zeros(rare)
    matrix = np.array(matrix, np.float64)
    matrix[:, rare] = centre[rare]
    return replace(sample, matrix=matrix)


def _few_differ(sample: Matrix) -> NDArray[np.bool_]:
    X = sample.toarray() if sparse.issparse(sample) else np.asarray(sample, np.float64)
    X = X - X[0]  # exactly zero where a column is constant
    largest = np.abs(X).max(axis=0)
    X /= np.where(largest > 0, largest, 1.0)
    X -= X.mean(axis=0)
    squares = np.square(X, out=X)
    return np.asarray(squares.max(axis=0) * _FEW_ROWS >= squares.sum(axis=0))
