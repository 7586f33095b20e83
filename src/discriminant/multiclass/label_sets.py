"""Several labels of a row at once, read as classes: each distinct set of labels is one.

y is an indicator matrix (n×L): y[i, l] is 1 where row i has label l. Whether a row has a label is then a problem
between two sides of classes, as it is in one-vs-all: the sets that hold the label, and the others. So everything that
learns sides, rows read once for all of them included, learns labels.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


@dataclass(frozen=True)
class LabelSets:
    """The set of each row, and the labels in each set."""

    codes: NDArray[np.int32]  # of the rows
    members: NDArray[np.int32]  # sets × labels: 1 where the set holds the label
    sparse: bool  # whether y was a sparse matrix, and answers are to be

    @property
    def n_labels(self) -> int:
        """L, the number of labels."""
        return int(self.members.shape[1])

    def sides(self, present: NDArray[Any]) -> NDArray[np.int32]:
        """The side of each of some sets in the problem of each label (labels × sets)."""
        return np.ascontiguousarray(self.members[present].T)


def read_label_sets(y: Any) -> LabelSets | None:
    """The label sets of an indicator matrix; None where y gives each row one class.

    >>> found = read_label_sets([[1, 0, 1], [0, 0, 1], [1, 0, 1]])
    >>> found.codes.tolist(), found.members.tolist()
    ([1, 0, 1], [[0, 0, 1], [1, 0, 1]])
    """
    if sparse.issparse(y):
        return _code_sets(_indicators(y.tocsr().toarray()), True)
    shape = _shape(y)
    if len(shape) != 2 or shape[1] < 2:
        return None
    return _code_sets(_indicators(np.asarray(y)), False)


def _shape(y: Any) -> tuple[int, ...]:
    """That of an array or of nested lists; () of all else, such as lists of different lengths."""
    if not (isinstance(y, list | tuple) and len(y) > 0 and isinstance(y[0], list | tuple | np.ndarray)):
        return tuple(getattr(y, "shape", ()))
    try:
        return np.shape(y)
    except ValueError:
        return ()


def _indicators(table: NDArray[Any]) -> NDArray[np.bool_]:
    present = table == 1
    other = np.argwhere(~(present | (table == 0)))
    if other.size:
        i, j = other[0].tolist()
        raise ValueError(
            "Multioutput target data is not supported with label binarization: a y of several columns says by 0 and 1 "
            f"which labels a row has, and it is {table[i, j]} at row {i}, column {j}; fit a model for each column"
        )
    return np.asarray(present, dtype=bool)


def _code_sets(present: NDArray[np.bool_], was_sparse: bool) -> LabelSets:
    """Sets are numbers of 64 binary digits, one number after the other where there are more labels."""
    missing = -present.shape[1] % 64
    packed = np.packbits(np.pad(present, ((0, 0), (missing, 0))), axis=1)
    codes = np.zeros(len(present), dtype=np.int64)
    for word in np.ascontiguousarray(packed).view(">u8").astype(np.uint64).T:
        values, places = np.unique(word, return_inverse=True)
        codes = np.unique(codes * values.size + places, return_inverse=True)[1]
    first = np.unique(codes, return_index=True)[1]
    return LabelSets(codes.astype(np.int32), present[first].astype(np.int32), was_sparse)
