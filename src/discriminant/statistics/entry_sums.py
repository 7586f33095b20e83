"""Sums of products over sparse rows from their entries alone, where that is less work than dense blocks of them.

The columns of most sparse tables, indicators above all, lie near zero beside their spread, so that sums about zero lose
no digits; sums of whole numbers lose none at all.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.kernels.margins import add_rows, add_squares
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import Matrix, kernel_form
from discriminant.rows.protocol import ClassProducts

Array = NDArray[np.float64]

_DEARER_ENTRY = 10  # products of dense blocks are made in the time of one product of two entries of a sparse row
_HARDLY_ANY_WORK = 1 << 24  # multiplications of dense blocks: milliseconds, for which no kernel is worth loading
_LARGEST_WHOLE = 1 << 10
_EXACT_SUMS = 2.0**52


def has_few_entries(matrix: Matrix) -> bool:
    """Whether rows are sparse, and squared with less work entry by entry than as dense blocks."""
    if not sparse.issparse(matrix):
        return False
    n, d = matrix.shape
    entries = np.diff(matrix.indptr).astype(np.float64)
    return bool(_DEARER_ENTRY * (entries @ entries) < n * float(d) ** 2)


def whole_columns(rows: ArrayRows) -> NDArray[np.bool_]:
    """Columns of sparse rows of which sums of squares are not rounded: of small whole numbers, as the weights are."""
    exact = sparse.issparse(rows.matrix) and rows.total_weight * _LARGEST_WHOLE**2 < _EXACT_SUMS
    if not exact or not (rows.weight is None or _are_small_and_whole(rows.weight).all()):
        return np.zeros(rows.n_columns, dtype=bool)
    whole = np.ones(rows.n_columns, dtype=bool)
    whole[rows.matrix.indices[~_are_small_and_whole(rows.matrix.data)]] = False
    return whole


def _are_small_and_whole(numbers: Array) -> NDArray[np.bool_]:
    return np.asarray((np.rint(numbers) == numbers) & (np.abs(numbers) <= _LARGEST_WHOLE))


def products_of_entries(rows: ArrayRows) -> ClassProducts | None:
    """Sums of each class about zero; None where dense blocks are less work, or hardly any."""
    d, K = rows.n_columns, rows.classes.size
    if rows.n_rows * d * d < _HARDLY_ANY_WORK or not has_few_entries(rows.matrix):
        return None
    squares, cubic, quartic = np.zeros((K, d + 1, d + 1)), np.zeros((K, d + 1)), np.zeros(K)
    for k in range(K):
        own = np.flatnonzero(rows.codes == k)
        part = rows.matrix[own]
        weight = rows.weights_at(own)
        table = kernel_form(part)
        add_squares(table, weight, squares[k])
        lengths = np.bincount(np.repeat(np.arange(own.size), np.diff(part.indptr)), part.data**2, minlength=own.size)
        add_rows(table, weight * lengths, cubic[k])
        quartic[k] = float(weight @ lengths**2)
    counts, sums = squares[:, d, d].copy(), squares[:, d, :d].copy()
    lower = squares[:, :d, :d]
    full = lower + np.tril(lower, -1).transpose(0, 2, 1)
    return ClassProducts(rows.classes, rows.n_rows, np.zeros((K, d)), counts, sums, full, cubic[:, :d], quartic)
