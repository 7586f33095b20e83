"""Cross-validation of the contenders, on all rows or on a sample that is large enough to tell them apart."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.comparison import Comparison, compare
from discriminant.gain.matrix import Gain
from discriminant.rows import ArrayRows
from discriminant.study.holding_out import HoldingOut
from discriminant.table.errors import TableError

MOST_CELLS = 500_000  # of the table that learners are compared on; the chosen one is fitted to all rows
_LEAST_ROWS = 5_000
_MOST_STORED = 250_000  # of a sparse table: its learners take many passes, and visit columns one by one
_LEAST_SPARSE_ROWS = 2_000
_LEAST_OF_CLASS = 100  # rows
_SAME_SHARE = 0.02  # by how much a class may have another share among rows that were drawn


def judge_learners(
    rows: ArrayRows,
    classes: Sequence[Any],
    gain: Gain,
    learners: Mapping[str, Any],
    *,
    holding_out: HoldingOut,
    cv: int | None,
    seed: int,
    progress: Callable[[int, int, str], Any] | None,
) -> Comparison:
    """All learners by one cross-validation; codes stand for the classes."""
    counts = np.bincount(rows.codes, minlength=len(classes))
    if counts.min() < 2:
        rare = classes[int(counts.argmin())]
        raise TableError(
            f"class {rare!r} has a single row, so that no model can be tried on it",
            hint="leave its row out, or merge the class with another",
        )
    unnamed = Gain(np.array(gain.matrix))
    folds = holding_out.folds(rows, cv, seed)
    return compare(rows, gain=unnamed, learners=learners, cv=folds, n_jobs=-1, progress=progress, random_state=seed)


def sample_of(X: Any, codes: NDArray[np.int32], seed: int) -> NDArray[np.intp] | None:
    """Rows to compare learners on, as many of each class as its share, but enough of it; None for all of them."""
    n, K = X.shape[0], int(codes.max()) + 1
    wanted = _rows_wanted(X, K)
    if n <= 1.2 * wanted:
        return None
    shuffled = np.random.default_rng(seed).permutation(n)
    parts = []
    for k in range(K):
        own = shuffled[codes[shuffled] == k]
        parts.append(own[: max(round(wanted * own.size / n), _LEAST_OF_CLASS)])
    return np.sort(np.concatenate(parts))


def with_shares(rows: ArrayRows, shares: NDArray[np.float64]) -> ArrayRows:
    """Rows weighed so that classes have the shares of all rows; as they are where they nearly have them."""
    own = np.bincount(rows.codes, weights=rows.weights, minlength=shares.size)
    factors = shares * own.sum() / own
    return rows if np.abs(factors - 1).max() < _SAME_SHARE else rows.reweighed(factors[rows.codes])


def _rows_wanted(X: Any, n_classes: int) -> int:
    n, d = X.shape
    planes = max(n_classes / 2, 1)
    if sparse.issparse(X):
        return max(int(n * _MOST_STORED / max(X.nnz * planes, 1)), _LEAST_SPARSE_ROWS)
    return max(int(MOST_CELLS / max(d * planes, 1)), _LEAST_ROWS)
