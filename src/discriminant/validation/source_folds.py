"""Folds as a function of row ids, or of the order of rows: the same in memory, in files, databases and on clusters.

    h = splitmix64(id, seed)                 (`rows.protocol.draw_numbers`; arithmetic modulo 2⁶⁴)
    fold = ⌊V·⌊h/2³²⌋/2³²⌋

with splitmix64(id, seed): z = (id + 1 + seed·γ)·γ for γ = 0x9E3779B97F4A7C15, then

    z = (z ⊕ ⌊z/2³⁰⌋)·0xBF58476D1CE4E5B9,   z = (z ⊕ ⌊z/2²⁷⌋)·0x94D049BB133111EB,   h = z ⊕ ⌊z/2³¹⌋.

The id of a row is its number in the table, counted from 0, or what the column says that ``id=`` names. Rows of one id
are in one fold: ids that name groups (a patient, a machine) keep these together. No fold looks at the class: each has a
share of every class as chance deals it, which for n rows of a class is n/V up to about √(n/V).

Where rows come in the order of time (``TimeOrder(None, V)``), row i of n is in fold ⌊i(V + 1)/n⌋ − 1, and the model of
a fold learns from the rows before it; the first block, −1, is never judged.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.rows import ArrayRows, Rows
from discriminant.rows.protocol import draw_numbers
from discriminant.rows.views import ChangedRows
from discriminant.statistics.alignment import sums_of_others
from discriminant.validation.time_order import TimeOrder

Numbers = NDArray[np.intp]


class SourceFolds(ABC):
    """Which rows of a source judge which model; picklable, so that it is asked where the rows are."""

    n_folds: int

    @abstractmethod
    def __call__(self, block: ArrayRows) -> Numbers:
        """The fold in which each row of a block is judged, −1 for none."""

    @abstractmethod
    def learns(self, folds: Numbers, fold: int) -> NDArray[np.bool_]:
        """Whether the model of a fold learns from rows of these folds."""

    @abstractmethod
    def sums_learnt(self, parts: Mapping[int, Any]) -> list[Any]:
        """The sum of what the model of each fold learns from, of statistics of the folds."""

    def learnt(self, rows: Rows, fold: int) -> ChangedRows:
        """The rows that the model of a fold learns from."""
        return ChangedRows(rows, _LearntRows(self, fold))


@dataclass(frozen=True)
class _LearntRows:
    folds: SourceFolds
    fold: int

    def __call__(self, block: ArrayRows) -> ArrayRows:
        return block.take(np.flatnonzero(self.folds.learns(self.folds(block), self.fold)))


@dataclass(frozen=True)
class IdFolds(SourceFolds):
    """V folds by row id and seed; given as ``cv=`` they are dealt in memory as over a source.

    Parameters
    ----------
    n_folds : V.
    random_state : the seed.

    Examples
    --------
    >>> IdFolds(3).of_ids(np.arange(8)).tolist()
    [2, 1, 0, 2, 0, 0, 0, 2]
    """

    n_folds: int
    random_state: int = 0

    def of_ids(self, ids: NDArray[np.integer[Any]]) -> Numbers:
        """The fold of each id."""
        upper = draw_numbers(ids.astype(np.int64), self.random_state) >> np.uint64(32)
        return ((upper * np.uint64(self.n_folds)) >> np.uint64(32)).astype(np.intp)

    def __call__(self, block: ArrayRows) -> Numbers:
        """The fold of each row of a block."""
        return self.of_ids(block.ids)

    def learns(self, folds: Numbers, fold: int) -> NDArray[np.bool_]:
        """All rows outside the fold."""
        return np.asarray(folds != fold)

    def sums_learnt(self, parts: Mapping[int, Any]) -> list[Any]:
        """The sums of all folds but each."""
        return sums_of_others([parts[f] for f in range(self.n_folds)])

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Numbers, Numbers]]:
        """(rows learnt from, rows judged) of each fold, of a table whose rows have their numbers for ids."""
        fold = self.of_ids(np.arange(X.shape[0] if hasattr(X, "shape") else len(X)))
        return ((np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(self.n_folds))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of folds."""
        return self.n_folds


@dataclass(frozen=True)
class OrderFolds(SourceFolds):
    """V blocks of rows that come in the order of time, after a first one that is learnt from alone."""

    n_folds: int
    n_rows: int

    def __call__(self, block: ArrayRows) -> Numbers:
        """The fold of each row of a block."""
        return np.asarray(block.numbers.astype(np.intp) * (self.n_folds + 1) // self.n_rows - 1)

    def learns(self, folds: Numbers, fold: int) -> NDArray[np.bool_]:
        """Which rows a fold learns from: all before it."""
        return np.asarray(folds < fold)

    def sums_learnt(self, parts: Mapping[int, Any]) -> list[Any]:
        """The sums of all folds before each."""
        return list(accumulate([parts[f] for f in range(-1, self.n_folds - 1)], add))


def read_source_folds(cv: Any, random_state: Any, rows: Rows) -> SourceFolds:
    """The folds of a source: a number of them by row ids, `IdFolds` as they are, or `TimeOrder` without times."""
    if isinstance(cv, TimeOrder) and cv.times is None and not cv.gap:
        return OrderFolds(int(cv.n_splits), _count(rows))
    if isinstance(cv, IdFolds):
        folds = cv
    elif isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        folds = IdFolds(int(cv), _read_seed(random_state))
    else:
        raise TypeError(
            "over a rows source cv is a number of folds or IdFolds(n, seed), by row ids, or TimeOrder(None, n) "
            f"where they come in the order of time; got {cv!r}. For groups let id= name their column; for other folds "
            "pass rows.collect()"
        )
    if folds.n_folds < 2:
        raise ValueError(f"cv={folds.n_folds} leaves no rows to learn from; take at least 2 folds")
    return folds


def sum_of(parts: Mapping[int, Any]) -> Any:
    """The statistic of all rows, from those of the folds."""
    return reduce(add, (parts[f] for f in sorted(parts)))


def _count(rows: Rows) -> int:
    """How many rows there are, those of weight zero among them."""
    return rows.schema.n_rows or rows.fold(_last_number, max) + 1


def _last_number(block: ArrayRows) -> int:
    return int(block.numbers.max())


def _read_seed(random_state: Any) -> int:
    if random_state is None:
        return 0
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer) or random_state < 0:
        raise TypeError(f"over a rows source random_state is a whole number from 0 on, got {random_state!r}")
    return int(random_state)
