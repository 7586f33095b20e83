"""Rows that are copies of one another: found, and kept together when rows are divided into folds.

A row that is in the table twice would be tried by a model that has learnt from its copy, which flatters learners that
remember. Rows are copies if all their features and their class are equal. In tables of few different values copies come
about by chance, in two ways to see it:

- with s_j the chance that two rows agree in feature j, n²/2·Π s_j pairs would agree in all if these were independent;
- rows written down twice agree in their class as well. D pairs that agree in all features but not in their class are
  different rows, and D·Σp_k²/(1 − Σp_k²) more of their kind agree in the class, p_k being the shares of the classes.

Such copies are no mistake, and stay where they fall. To keep them together would be worse than to do nothing: the fold
that loses all rows of one class with these features is judged by a model that has seen those of the others alone.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.validation.dealing import groups_of_classes, number_groups

Codes = NDArray[np.int32]
Groups = NDArray[np.intp]
Words = NDArray[np.uint64]

_BY_CHANCE = 0.1  # of the pairs of copies that there are, expected by chance: then chance explains them all
_FEW_VALUES = 20  # different ones of a feature
_BLOCK_ROWS = 16_384
_MIXERS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)  # of splitmix64, a hash whose bits all depend on all bits


@dataclass(frozen=True)
class Copies:
    """``groups`` has the same number for rows that are copies; ``extra`` rows would go if one of each were kept.

    Groups are numbered in the order of their first rows.
    """

    groups: Groups
    extra: int
    largest: int
    by_chance: bool


def copies_of(X: Any, codes: Codes) -> Copies | None:
    """The copies among the rows of a design matrix; None where there are none."""
    features = _hashes(X)
    rows = _mix(features ^ _mix(codes.astype(np.uint64)))
    _, first, groups, counts = np.unique(rows, return_index=True, return_inverse=True, return_counts=True)
    groups = first.argsort().argsort()[groups]
    extra = int(groups.size - counts.size)
    if not extra:
        return None
    pairs = _pairs(counts)
    apart = _pairs(np.unique(features, return_counts=True)[1]) - pairs
    by_chance = _copies_by_chance(codes, pairs, apart) or (
        not sparse.issparse(X) and _expected_by_chance(X, codes, pairs, extra)
    )
    return Copies(groups, extra, int(counts.max()), by_chance)


def _pairs(counts: NDArray[np.intp]) -> float:
    """Of rows in groups of these sizes."""
    return float((counts.astype(np.float64) * (counts - 1)).sum() / 2)


def _hashes(X: Any) -> Words:
    """64 bits of each row; of rows that differ the same but once in 10¹⁹ times."""
    found = np.zeros(X.shape[0], dtype=np.uint64)
    if sparse.issparse(X):
        rows = X.tocsr()
        cells = _mix(rows.indices.astype(np.uint64) * np.uint64(_MIXERS[0]) ^ _bits(rows.data))
        filled = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
        np.add.at(found, filled[rows.data != 0], cells[rows.data != 0])
        return found
    for a in range(0, len(X), _BLOCK_ROWS):
        part = found[a : a + _BLOCK_ROWS]
        for column in np.asarray(X[a : a + _BLOCK_ROWS], dtype=np.float64).T:
            part[:] = _mix(part ^ _bits(column))
    return found


def _bits(values: Any) -> Words:
    return np.asarray(values + 0.0, dtype=np.float64).view(np.uint64)  # −0 is 0


def _mix(words: Words) -> Words:
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(_MIXERS[0])
    words = (words ^ (words >> np.uint64(27))) * np.uint64(_MIXERS[1])
    return np.asarray(words ^ (words >> np.uint64(31)))


def _copies_by_chance(codes: Codes, pairs: float, apart: float) -> bool:
    """Whether so many rows of equal features are of different classes that chance explains those of the same."""
    shares = np.bincount(codes) / codes.size
    same = float(shares @ shares)
    surely = max(apart - 2 * np.sqrt(apart), 0.0)  # a few may be wrong classes of rows written down twice
    return bool(surely * same >= _BY_CHANCE * pairs * (1 - same))


def _expected_by_chance(X: Any, codes: Codes, pairs: float, extra: int) -> bool:
    n = codes.size
    shares = np.bincount(codes) / n
    expected = n * n / 2 * float(shares @ shares)
    few = True
    for column in X.T:
        counts = np.unique(column, return_counts=True)[1] / n
        few = few and counts.size <= _FEW_VALUES
        expected *= float(counts @ counts)
        if expected < _BY_CHANCE * pairs and not few:
            return False
    return expected >= _BY_CHANCE * pairs or (few and extra > n / 2)


def kept_together(codes: Codes, copies: Copies | None, n_folds: int) -> Groups | None:
    """A group for each row: its copies, but for those by chance, and those of a class with too few different rows.

    Such a class is dealt out row by row, for else some fold would have none of it.
    """
    if copies is None or copies.by_chance:
        return None
    few = groups_of_classes(codes, copies.groups) < n_folds
    apart = few[codes]
    groups = copies.groups.copy()
    groups[apart] = groups.size + np.flatnonzero(apart)
    return number_groups(groups)
