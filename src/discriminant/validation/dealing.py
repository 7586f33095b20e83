"""Rows dealt to folds: each class evenly, the rows of a group together.

Each class has a pile of cards, its groups (without groups, its rows), the largest first. A card goes to the fold with
the fewest rows of the class so far, by lot among equals, so that every V consecutive rows go to V different folds: a
table sorted by class or by time is cut as well as a shuffled one. Groups with rows of several classes go first, each
into the fold where Σ_k c_k F_k/n_k² is least, with c_k its rows of class k, F_k those in the fold and n_k those in all:
what it then adds to Σ (F_k/n_k)² over folds and classes is least.

Classes are dealt in the order of their first rows, and groups in that of theirs: what they are called, and which of two
classes is the positive one, makes no difference.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from discriminant.kernels.compiled import INTERPRETED
from discriminant.kernels.folds import deal

Codes = NDArray[np.int32]


def generator_of(random_state: Any) -> np.random.Generator:
    """The generator of a seed: the same numbers wherever folds are dealt; None is a different draw each time."""
    if isinstance(random_state, int | np.integer):
        check_random_state(random_state)  # which refuses what is no seed
        return np.random.default_rng(int(random_state))
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))


def number_groups(groups: Any) -> NDArray[np.intp]:
    """A whole number for each row, the same for rows of a group; groups are numbered in the order of their first rows.

    >>> number_groups(["b", "a", "b", "c"]).tolist()
    [0, 1, 0, 2]
    """
    _, first, number = np.unique(groups, return_index=True, return_inverse=True)
    return np.asarray(first.argsort().argsort()[number.reshape(-1)], dtype=np.intp)


def deal_folds(
    codes: Codes, n_folds: int, random: np.random.Generator, groups: NDArray[np.intp] | None = None
) -> Codes:
    """The fold of each row, for classes given by code and groups by number."""
    filled = np.zeros((int(codes.max()) + 1, n_folds))
    if groups is None:
        folds = np.empty(codes.size, dtype=np.int32)
        for k in _by_first_row(codes):
            of_k = np.flatnonzero(codes == k)
            folds[of_k] = _deal_class(np.ones(of_k.size), filled[k], random)
        return folds
    class_counts = np.bincount(codes)
    group, of_class, count = _cells(codes, groups)
    of_group = np.full(int(groups.max()) + 1, -1, dtype=np.int32)
    several, n_rows = np.bincount(group) > 1, np.bincount(groups)
    ends = np.searchsorted(group, np.arange(several.size + 1))
    for g in sorted(np.flatnonzero(several).tolist(), key=lambda g: -int(n_rows[g])):
        own = slice(ends[g], ends[g + 1])
        k = of_class[own]
        cost = (count[own] / class_counts[k] ** 2) @ filled[k]
        of_group[g] = np.lexsort((random.random(n_folds), cost))[0]
        filled[k, of_group[g]] += count[own]
    for k in _by_first_row(codes):
        alone = (of_class == k) & ~several[group]
        of_group[group[alone]] = _deal_class(count[alone].astype(np.float64), filled[k], random)
    return of_group[groups]


def groups_of_classes(codes: Codes, groups: NDArray[np.intp]) -> NDArray[np.intp]:
    """The number of groups in which each class has rows."""
    return np.bincount(_cells(codes, groups)[1])


def _cells(codes: Codes, groups: NDArray[np.intp]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """(group, class, number of rows) of each group's share in a class, in the order of the groups."""
    n_classes = int(codes.max()) + 1
    cells, counts = np.unique(groups * n_classes + codes, return_counts=True)
    return cells // n_classes, cells % n_classes, counts


def _by_first_row(codes: Codes) -> NDArray[np.intp]:
    """The classes that have rows, in the order of their first ones."""
    present, first = np.unique(codes, return_index=True)
    return np.asarray(present[first.argsort()], dtype=np.intp)


def _deal_class(sizes: NDArray[np.float64], filled: NDArray[np.float64], random: np.random.Generator) -> Codes:
    """A fold for each group of one class, of which the folds hold so many rows already."""
    folds, lots = np.empty(sizes.size, dtype=np.int32), random.random(filled.size + sizes.size)[::-1].copy()
    deal_out = deal.suited_to(INTERPRETED * sizes.size)
    if sizes.size == 0 or sizes.min() == sizes.max():
        deal_out(sizes, lots, filled, folds)
        return folds
    order = np.argsort(-sizes, kind="stable")
    dealt = np.empty_like(folds)
    deal_out(sizes[order], lots, filled, dealt)
    folds[order] = dealt
    return folds
