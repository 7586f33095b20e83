"""Which rows judge which model: the one reader of ``cv`` and ``groups``.

===========================  ===========================================================================
a number k                   k folds with as much of each class in each, whole groups in one (`dealing`)
"loo"                        every row, or every group, is a fold of its own
`IdFolds`                    folds as over a source: by the ids of the rows and a seed
a splitter                   its ``split(X, y, groups)``: scikit-learn's, or `TimeOrder`
pairs (training, tested)     rows by number or by a mask, as splitters give them
a fold for each row          any labels; −1, as in scikit-learn's PredefinedSplit, is never judged
===========================  ===========================================================================

All are of the table as it was given; rows without weight are left out afterwards, but a number of folds deals out the
rows that count alone. A row is judged once at most, by a model that has learnt from the rows its split names. Rows that
no split tests, such as the first ones of a TimeSeriesSplit, are learnt from and never judged: no figure, threshold or
calibration looks at them. Every model must know every class, and each class needs judged rows in two folds, because the
threshold of a fold is found on the others. Where groups are given, no model learns from a group that it judges.
"""

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from discriminant.cached import cached_property
from discriminant.rows import ArrayRows
from discriminant.validation.dealing import deal_folds, generator_of, groups_of_classes, number_groups
from discriminant.validation.row_weights import RowWeights
from discriminant.validation.source_folds import IdFolds
from discriminant.validation.table import Table
from discriminant.validation.time_order import Split, TimeOrder

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]
T = TypeVar("T", bound=np.generic)

_MEANINGS = "a number of folds, 'loo', a splitter, pairs of (training, tested) rows, or a fold for each row"


@dataclass(frozen=True)
class Folds:
    """The fold that each row is judged in, −1 for none, and the rows that each fold's model learns from.

    ``learnt`` is None where every model learns from all rows outside its fold; ``groups`` is the number of each row's
    group, None where every row is one of its own. Folds are a splitter themselves: given
    as ``cv=`` they judge the same rows by models of the same rows.

    Parameters
    ----------
    of_row : n numbers, the fold of each row.
    learnt, groups : as above.

    Examples
    --------
    >>> from discriminant import compare
    >>> X, y = [[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]], [0, 0, 0, 1, 1, 1]
    >>> found = compare(X, y, learners=["lda"], cv=3, random_state=0)
    >>> found.cv.n_folds, len(found.cv.of_row), bool((found.cv.of_row == found.folds).all())
    (3, 6, True)
    """

    of_row: NDArray[np.int32]
    learnt: tuple[Numbers, ...] | None = None
    groups: Numbers | None = None

    @classmethod
    def of_splits(cls, splits: Iterable[Split], n_rows: int) -> "Folds":
        """The folds from the rows learnt from and the rows judged of each."""
        of_row, learnt, complete = np.full(n_rows, -1, dtype=np.int32), [], True
        for f, (training, tested) in enumerate(splits):
            again = tested[of_row[tested] >= 0]
            if again.size:
                raise ValueError(
                    f"cv tests row {again[0]} in folds {of_row[again[0]]} and {f}; a row is judged once at most, as by "
                    "a number of folds, StratifiedKFold, GroupKFold or TimeSeriesSplit"
                )
            of_row[tested] = f
            learnt.append(training)
            complete = complete and training.size + tested.size == n_rows
        for f, training in enumerate(learnt):
            if (own := training[of_row[training] == f]).size:
                raise ValueError(f"cv learns from row {own[0]} in fold {f}, where it also tests it")
        return cls(of_row, None if complete else tuple(learnt))

    @cached_property
    def n_folds(self) -> int:
        """V, the number of folds."""
        return int(self.of_row.max(initial=-1)) + 1

    @cached_property
    def judged(self) -> Numbers | None:
        """The rows that are judged; None where all are."""
        return None if self.of_row.min(initial=0) >= 0 else np.flatnonzero(self.of_row >= 0)

    @property
    def of_judged(self) -> NDArray[np.int32]:
        """The fold of each row that is judged."""
        return self.judged_part(self.of_row)

    def judged_part(self, values: NDArray[T]) -> NDArray[T]:
        """The values of the rows that are judged."""
        return values if self.judged is None else values[self.judged]

    def row_weights(self, weight: Array | None) -> RowWeights:
        """How much each judged row counts, given their weights, and which of them go together."""
        return RowWeights(weight, None if self.groups is None else self.judged_part(self.groups))

    @property
    def leave_one_out(self) -> bool:
        """Whether every row is judged by the model of all others."""
        return self.learnt is None and self.n_folds == self.of_row.size

    @property
    def fewest_learnt(self) -> int:
        """The number of rows that the model of the fewest rows learns from."""
        if self.learnt is not None:
            return min(rows.size for rows in self.learnt)
        return int(self.of_row.size - np.bincount(self.of_judged).max())

    def tested(self, fold: int) -> Numbers:
        """The rows judged in a fold."""
        return np.flatnonzero(self.of_row == fold)

    def training(self, fold: int) -> Numbers:
        """The rows its model learns from."""
        return np.flatnonzero(self.of_row != fold) if self.learnt is None else self.learnt[fold]

    def split(self, X: Any = None, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """(rows learnt from, rows judged) of each fold."""
        return ((self.training(f), self.tested(f)) for f in range(self.n_folds))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of folds."""
        return self.n_folds

    def take(self, rows: Numbers) -> "Folds":
        """The folds of some of the rows; a fold without any is left out."""
        present, place_of_fold = np.unique(self.of_row[rows], return_inverse=True)
        of_row = (place_of_fold - np.count_nonzero(present < 0)).astype(np.int32)
        groups = None if self.groups is None else self.groups[rows]
        if self.learnt is None:
            return Folds(of_row, None, groups)
        place = np.full(self.of_row.size, -1)
        place[rows] = np.arange(rows.size)
        kept = (place[self.learnt[f]] for f in present[present >= 0])
        return Folds(of_row, tuple(places[places >= 0] for places in kept), groups)


def read_folds(cv: Any, table: Table, groups: Any = None, random_state: Any = None) -> Folds:
    """The folds of the rows that count."""
    group = None if groups is None else _read_groups(groups, table.n_given)
    kept = group if group is None or table.numbers is None else number_groups(group[table.numbers])
    folds = _read(cv, table, group, kept, random_state)
    _refuse_unknown_classes(folds, table)
    if kept is not None:
        _refuse_shared_groups(folds, kept, np.asarray(groups), table)
        folds = replace(folds, groups=kept)
    return folds


def _read(cv: Any, table: Table, group: Numbers | None, kept: Numbers | None, random_state: Any) -> Folds:
    """``group`` is of the table as it was given, ``kept`` of the rows that count."""
    codes, n_rows = table.given.codes, table.n_given
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        _refuse_few_rows(int(cv), table, kept)
        return Folds(deal_folds(codes, int(cv), generator_of(random_state), kept))
    if isinstance(cv, str) and cv == "loo":
        return Folds(np.asarray(np.arange(codes.size) if kept is None else kept, dtype=np.int32))
    if isinstance(cv, IdFolds):
        return Folds(cv.of_ids(_ids(table)).astype(np.int32))
    if isinstance(cv, Folds) and group is None:
        folds = cv
    elif hasattr(cv, "split") and not isinstance(cv, str):
        folds = Folds.of_splits(_splits_of(cv, table, group), n_rows)
    elif isinstance(cv, Iterable) and not isinstance(cv, str):
        entries = cv if isinstance(cv, np.ndarray) else list(cv)
        pairs = len(entries) > 0 and isinstance(entries[0], tuple | list | np.ndarray)
        folds = Folds.of_splits(_given_splits(entries, n_rows), n_rows) if pairs else _of_labels(entries, n_rows)
    else:
        raise (ValueError if isinstance(cv, str) else TypeError)(f"cv must be {_MEANINGS}, got {cv!r}")
    if folds.of_row.size != n_rows:
        raise ValueError(f"cv gives a fold for {folds.of_row.size} rows, but the table has {n_rows}")
    return folds if table.numbers is None else folds.take(table.numbers)


def _ids(table: Table) -> NDArray[np.integer[Any]]:
    """The ids of the rows that count: their own where they have some, else their numbers in the table."""
    X = table.source[0]
    if isinstance(X, ArrayRows):
        return X.ids
    return np.arange(table.n_given) if table.numbers is None else table.numbers


def _read_groups(groups: Any, n_rows: int) -> Numbers:
    values = np.asarray(groups)
    if values.shape != (n_rows,):
        raise ValueError(f"groups must name the group of each of {n_rows} rows, got an array of shape {values.shape}")
    missing = np.flatnonzero([g is None or g != g for g in values.tolist()])
    if missing.size:
        raise ValueError(f"groups names none for row {missing[0]}; every row needs its group")
    return number_groups(values.astype(str) if values.dtype == object else values)


def _refuse_few_rows(n_folds: int, table: Table, group: Numbers | None) -> None:
    if n_folds < 2:
        raise ValueError(f"cv={n_folds} leaves no rows to learn from; take at least 2 folds")
    codes = table.given.codes
    counts = np.bincount(codes) if group is None else groups_of_classes(codes, group)
    k = int(counts.argmin())
    if counts[k] < n_folds:
        what = "" if counts[k] == 1 else "s"
        has = f"{counts[k]} row{what}" if group is None else f"rows in {counts[k]} group{what}"
        fewer = f"take cv={counts[k]}, or " if counts[k] > 1 else ""
        raise ValueError(
            f"class {table.given.classes.tolist()[k]!r} has {has}, too few for cv={n_folds} folds with some of it in "
            f"each; {fewer}leave the class out, or merge it with another"
        )


def _splits_of(cv: Any, table: Table, group: Numbers | None) -> Iterator[Split]:
    X, y, _ = table.source
    if isinstance(X, ArrayRows):
        X, y = X.matrix, table.labels
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of splitters that ignore groups, which are looked at below
            splits = list(cv.split(X, np.asarray(y), group))
    except ValueError as error:
        hint = "; give groups=, the group of each row" if group is None and "groups" in str(error) else ""
        raise ValueError(f"cv={type(cv).__name__}: {error}{hint}") from error
    if not splits and isinstance(cv, TimeOrder):
        raise ValueError("no block of rows has all classes before it; take fewer blocks, or a smaller gap")
    return _given_splits(splits, table.n_given)


def _given_splits(splits: Iterable[Any], n_rows: int) -> Iterator[Split]:
    for f, pair in enumerate(splits):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise TypeError(f"cv must be {_MEANINGS}; entry {f} is {pair!r}")
        training, tested = (_read_rows(rows, f, n_rows) for rows in pair)
        yield training, tested


def _read_rows(rows: Any, fold: int, n_rows: int) -> Numbers:
    numbers = np.asarray(rows)
    if numbers.dtype == bool and numbers.shape == (n_rows,):
        return np.flatnonzero(numbers)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise TypeError(f"split {fold} of cv must name rows by number, or by a mask of {n_rows} rows, got {rows!r}")
    outside = numbers[(numbers < 0) | (numbers >= n_rows)]
    if outside.size:
        raise ValueError(f"split {fold} of cv names row {outside[0]}, but the table has {n_rows}")
    return numbers.astype(np.intp)


def _of_labels(cv: Any, n_rows: int) -> Folds:
    labels = np.asarray(cv)
    if labels.shape != (n_rows,):
        raise ValueError(f"cv gives a fold for {len(labels)} rows, but the table has {n_rows}")
    found, of_row = np.unique(labels, return_inverse=True)
    never = int(found.dtype.kind in "if" and found[0] == -1)
    return Folds((of_row - never).astype(np.int32))


# --- what must not be -----------------------------------------------------------------------------------


def _refuse_unknown_classes(folds: Folds, table: Table) -> None:
    """Every model knows every class, and every class has judged rows in two folds."""
    codes, K, V = table.given.codes, table.given.classes.size, folds.n_folds
    if V < 2:
        raise ValueError("cv puts all rows into one fold; there must be two at least, each judged by other rows")
    total = np.bincount(codes, minlength=K)
    cells = folds.of_judged * np.int32(K) + folds.judged_part(codes)
    inside = np.bincount(cells, minlength=V * K).reshape(V, K)
    for k, label in enumerate(table.given.classes.tolist()):
        where = np.flatnonzero(inside[:, k])
        if where.size < 2:
            lie = f"lie in fold {where[0]}" if where.size else "are never judged"
            what = "all" if inside[:, k].sum() in (0, total[k]) else "all judged"
            raise ValueError(
                f"{what} rows of class {label!r} {lie}; a class needs judged rows in two folds at least, so that "
                "those of one can be judged by what the others say"
            )
    if folds.learnt is not None:
        for f, training in enumerate(folds.learnt):
            unseen = np.flatnonzero(np.bincount(codes[training], minlength=K) == 0)
            if unseen.size:
                label = table.given.classes.tolist()[unseen[0]]
                raise ValueError(f"the model of fold {f} learns from no row of class {label!r}; give it some")


def _refuse_shared_groups(folds: Folds, group: Numbers, labels: NDArray[Any], table: Table) -> None:
    """No model learns from a group that it judges."""
    if folds.learnt is None:
        first = np.unique(group, return_index=True)[1][group]  # the first row of each row's group
        apart = np.flatnonzero(folds.of_row != folds.of_row[first])
        pairs = [(int(first[apart[0]]), int(apart[0]))] if apart.size else []
    else:
        pairs = []
        for training, tested in folds.split():
            shared = np.flatnonzero(np.isin(group[training], group[tested]))
            if shared.size:
                learnt = int(training[shared[0]])
                pairs.append((learnt, int(tested[(group[tested] == group[learnt]).argmax()])))
    if pairs:
        one, other = (p if table.numbers is None else int(table.numbers[p]) for p in pairs[0])
        raise ValueError(
            f"cv lets group {labels.tolist()[one]!r} judge its own model: of its rows {one} and {other} one is judged "
            "and the other learnt from; give a number of folds, or a splitter for groups such as GroupKFold"
        )
