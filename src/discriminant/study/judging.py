"""Cross-validation of the contenders, on all rows or on a sample that is large enough to tell them apart."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.comparison import Comparison, compare
from discriminant.gain.matrix import Gain
from discriminant.rows import ArrayRows
from discriminant.table.errors import TableError

MOST_CELLS = 1_000_000  # of the table that learners are compared on; the chosen one is fitted to all rows
_LEAST_ROWS = 5_000


def judged(
    rows: ArrayRows,
    classes: Sequence[Any],
    gain: Gain,
    names: Sequence[str],
    *,
    cv: int,
    seed: int,
    progress: Callable[[int, int, str], Any] | None,
) -> Comparison:
    """All learners by one stratified cross-validation; codes stand for the classes."""
    counts = np.bincount(rows.codes, minlength=len(classes))
    folds = min(cv, int(counts.min()))
    if folds < 2:
        rare = classes[int(counts.argmin())]
        raise TableError(
            f"class {rare!r} has a single row, so that no model can be tried on it",
            hint="leave its row out, or merge the class with another",
        )
    unnamed = Gain(np.array(gain.matrix))
    return compare(rows, gain=unnamed, learners=list(names), cv=folds, n_jobs=-1, progress=progress, random_state=seed)


def sample_of(X: Any, codes: NDArray[np.int32], seed: int) -> NDArray[np.intp] | None:
    """Rows to compare learners on, as many of each class as its share; None for all of them."""
    n, d = X.shape
    cells = X.nnz if sparse.issparse(X) else n * d
    cells *= max((int(codes.max()) + 1) / 2, 1)  # a plane a class
    wanted = max(int(n * MOST_CELLS / max(cells, 1)), _LEAST_ROWS)
    if n <= 1.2 * wanted:
        return None
    random = np.random.default_rng(seed)
    parts = []
    for k in range(int(codes.max()) + 1):
        own = np.flatnonzero(codes == k)
        m = min(own.size, max(round(wanted * own.size / n), 100))
        parts.append(random.choice(own, m, replace=False))
    return np.sort(np.concatenate(parts))
