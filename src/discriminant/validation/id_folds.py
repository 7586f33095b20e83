"""Folds as a function of row ids: the same in memory, in files, in a database and on a cluster.

    h = splitmix64(id, seed)                 (`rows.protocol.draw_numbers`; arithmetic modulo 2⁶⁴)
    fold = ⌊V·⌊h/2³²⌋/2³²⌋

with splitmix64(id, seed): z = (id + 1 + seed·γ)·γ for γ = 0x9E3779B97F4A7C15, then

    z = (z ⊕ ⌊z/2³⁰⌋)·0xBF58476D1CE4E5B9,   z = (z ⊕ ⌊z/2²⁷⌋)·0x94D049BB133111EB,   h = z ⊕ ⌊z/2³¹⌋.

The id of a row is its number in the table, counted from 0, or what the column says that ``id=`` names. Rows of one id
are in one fold: ids that name groups (a patient, a machine) keep these together. No fold looks at the class: each has a
share of every class as chance deals it, which for n rows of a class is n/V up to about √(n/V).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.rows import ArrayRows, Rows
from discriminant.rows.protocol import draw_numbers
from discriminant.rows.views import ChangedRows


@dataclass(frozen=True)
class IdFolds:
    """V folds by row id and seed; given as ``cv=`` they are dealt in memory as over a source.

    Parameters
    ----------
    n_folds : V.
    random_state : the seed.

    Examples
    --------
    >>> IdFolds(3).of_ids(np.arange(8)).tolist()
    [2, 1, 0, 1, 2, 1, 2, 0]
    """

    n_folds: int
    random_state: int = 0

    def of_ids(self, ids: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
        """The fold of each id."""
        upper = draw_numbers(ids.astype(np.int64), self.random_state) >> np.uint64(32)
        return ((upper * np.uint64(self.n_folds)) >> np.uint64(32)).astype(np.intp)

    def __call__(self, block: ArrayRows) -> NDArray[np.intp]:
        """The fold of each row of a block."""
        return self.of_ids(block.ids)

    def rest(self, rows: Rows, fold: int) -> ChangedRows:
        """The rows outside a fold."""
        return ChangedRows(rows, _WithoutFold(self, fold))

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """(rows learnt from, rows judged) of each fold, of a table whose rows have their numbers for ids."""
        fold = self.of_ids(np.arange(X.shape[0] if hasattr(X, "shape") else len(X)))
        return ((np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(self.n_folds))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of folds."""
        return self.n_folds


@dataclass(frozen=True)
class _WithoutFold:
    folds: IdFolds
    fold: int

    def __call__(self, block: ArrayRows) -> ArrayRows:
        return block.taken(np.flatnonzero(self.folds(block) != self.fold))


def read_id_folds(cv: Any, random_state: Any) -> IdFolds:
    """The folds of a source: a number of them, or `IdFolds` as they are."""
    if isinstance(cv, IdFolds):
        folds = cv
    elif isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        folds = IdFolds(int(cv), _read_seed(random_state))
    else:
        raise TypeError(
            f"over a rows source cv is a number of folds, or IdFolds(n, seed), by the ids of the rows; got {cv!r}. For "
            "groups let id= name their column; for other folds pass rows.collect()"
        )
    if folds.n_folds < 2:
        raise ValueError(f"cv={folds.n_folds} leaves no rows to learn from; take at least 2 folds")
    return folds


def _read_seed(random_state: Any) -> int:
    if random_state is None:
        return 0
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer) or random_state < 0:
        raise TypeError(f"over a rows source random_state is a whole number from 0 on, got {random_state!r}")
    return int(random_state)
