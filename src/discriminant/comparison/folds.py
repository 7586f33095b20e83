"""Which rows are judged together: a partition of the rows into folds, the same for every learner.

Stratified: each class is dealt out evenly. Every V consecutive rows of a class go to V different folds, in an order
drawn at random, so that a table sorted by class or by time is cut as well as a shuffled one. Classes are dealt in the
order of their first rows: what they are called, and which of two is the positive one, makes no difference.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from discriminant.kernels.folds import deal
from discriminant.parameters import read_count

Folds = NDArray[np.int32]

_ORDERS = 1024  # random orders of the folds to draw from: drawing one anew for each round takes twice as long


def dealt(codes: NDArray[np.int32], counts: NDArray[np.intp], n_folds: int, random: np.random.Generator) -> Folds:
    """The fold of each row, each class (of so many rows) dealt out evenly."""
    n_rounds = -(-counts // n_folds)
    turn = by_first_row(codes)
    starts = np.zeros(counts.size, dtype=np.intp)
    starts[turn] = np.cumsum(n_rounds[turn]) - n_rounds[turn]
    orders = random.permuted(np.tile(np.arange(n_folds, dtype=np.int32), (_ORDERS, 1)), axis=1)
    rounds = random.integers(_ORDERS, size=int(n_rounds.sum()))
    folds = np.empty(codes.size, dtype=np.int32)
    deal(codes, orders, rounds, n_folds * starts, folds)
    return folds


def by_first_row(codes: NDArray[np.int32]) -> NDArray[np.intp]:
    """The classes that have rows, in the order of their first ones."""
    present, first = np.unique(codes, return_index=True)
    return np.asarray(present[first.argsort()], dtype=np.intp)


def read_folds(cv: Any, table: Any, codes: NDArray[np.int32], classes: NDArray[Any], random_state: Any) -> Folds:
    """Folds from their number, from a fold for each row, or from a splitter that tests every row once."""
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        return _of_number(cv, codes, classes, random_state)
    if hasattr(cv, "split") and not isinstance(cv, str):
        folds = _of_splits(cv.split(table, classes[codes]), codes.size, type(cv).__name__)
    elif np.ndim(cv) == 1:
        folds = _of_labels(cv, codes.size)
    else:
        raise TypeError(f"cv must be a number of folds, a fold for each row, or a splitter, got {cv!r}")
    _refuse_lonely_folds(folds, codes, classes)
    return folds


def _of_number(cv: Any, codes: NDArray[np.int32], classes: NDArray[Any], random_state: Any) -> Folds:
    n_folds = read_count(cv, "cv")
    if n_folds == 1:
        raise ValueError("cv=1 leaves no rows to learn from; take at least 2 folds")
    counts = np.bincount(codes, minlength=classes.size)
    rarest = int(counts.argmin())
    if counts[rarest] < n_folds:
        fewer = f"take cv={counts[rarest]}, or " if counts[rarest] > 1 else ""
        raise ValueError(
            f"class {classes.tolist()[rarest]!r} has {counts[rarest]} row(s), but cv={n_folds} needs one for each "
            f"fold; {fewer}leave that class out, or merge it with another"
        )
    seed = check_random_state(random_state).randint(2**31 - 1)
    return dealt(codes, counts, n_folds, np.random.default_rng(seed))


def _of_labels(cv: Any, n_rows: int) -> Folds:
    labels = np.asarray(cv)
    if labels.size != n_rows:
        raise ValueError(f"cv gives a fold for {labels.size} rows, but {n_rows} rows count")
    return np.unique(labels, return_inverse=True)[1].astype(np.int32)


def _of_splits(splits: Any, n_rows: int, name: str) -> Folds:
    folds = np.full(n_rows, -1, dtype=np.int32)
    for f, (training, tested) in enumerate(splits):
        if (folds[tested] >= 0).any() or len(training) + len(tested) != n_rows:
            raise ValueError(
                f"{name} tests a row twice, or leaves rows out; compare tests every row once, by the model of all rows "
                "outside its fold: give a number of folds, or a splitter such as StratifiedKFold or GroupKFold"
            )
        folds[tested] = f
    if (folds < 0).any():
        raise ValueError(f"{name} never tests row {int((folds < 0).argmax())}; compare tests every row once")
    return folds


def _refuse_lonely_folds(folds: Folds, codes: NDArray[np.int32], classes: NDArray[Any]) -> None:
    n_folds = int(folds.max()) + 1
    if n_folds < 2:
        raise ValueError("cv puts all rows into one fold; nothing is left to learn from")
    cells = np.bincount(folds * np.intp(classes.size) + codes, minlength=n_folds * classes.size)
    inside = cells.reshape(n_folds, classes.size)
    alone = np.argwhere(inside == inside.sum(axis=0))
    if alone.size:
        fold, k = alone[0]
        raise ValueError(
            f"all rows of class {classes.tolist()[k]!r} lie in fold {fold}, so that no model outside it knows the class"
        )
