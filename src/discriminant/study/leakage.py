"""What one column tells of the class all by itself.

Each level of a column (and a blank) is best answered with its most common class; numbers of two classes with one
threshold. The rows that are then still wrong are the least errors of the column: a column without any gives the class
away, and is often one that became known only together with it.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.table.encoding import Encoding

Array = NDArray[np.float64]
Codes = NDArray[np.integer[Any]]

_FEW_VALUES = 20  # different numbers that may be codes rather than measurements
_SAMPLE = 5000
_LEAST_ROWS = 30
_LEAST_RARE = 5  # rows that are not of the most common class: with fewer, some column may fit by chance


def telling_columns(encoding: Encoding, X: Array, codes: Codes) -> Iterator[tuple[str, int]]:
    """(name, errors) of each column that alone is wrong in at most 0.1% of rows, and 1% of those hard to get right."""
    n = codes.size
    rare = n - int(np.bincount(codes).max())
    if n < _LEAST_ROWS or rare < _LEAST_RARE:
        return
    most = min(n // 1000, rare // 100)
    some = slice(None, None, max(n // _SAMPLE, 1))
    likely = 0.01 * codes[some].size
    for column, start, stop in encoding.places():
        roles = [feature.role for feature in column.features]
        if n > _SAMPLE and errors_alone(X[some, start:stop], roles, codes[some]) > likely:
            continue
        if (errors := errors_alone(X[:, start:stop], roles, codes)) <= most:
            yield column.name, errors


def errors_alone(block: Array, roles: Sequence[str], codes: Codes) -> int:
    """The least errors by the features of one column, given as encoded (an indicator is positive where it is 1)."""
    indicators = [j for j, role in enumerate(roles) if role != "value"]
    places = np.zeros(codes.size, dtype=np.intp)
    for i, j in enumerate(indicators):
        places[block[:, j] > 0] = i + 1
    if "value" not in roles:
        return _by_place(places, codes)
    filled = places == 0
    blanks = 0 if filled.all() else _by_place(places[~filled], codes[~filled])
    values = [j for j, role in enumerate(roles) if role == "value"]  # of pieces, the sum rises with the number
    return blanks + _by_number(block[np.ix_(filled, values)].sum(axis=1), codes[filled])


def _by_place(places: NDArray[np.intp], codes: Codes) -> int:
    """Each place is answered with its most common class."""
    K = int(codes.max()) + 1
    counts = np.bincount(places * K + codes).astype(np.intp)
    counts = np.pad(counts, (0, -counts.size % K)).reshape(-1, K)
    return int(counts.sum() - counts.max(axis=1).sum())


def _by_number(x: Array, codes: Codes) -> int:
    if x.size == 0:
        return 0
    distinct, places = np.unique(x, return_inverse=True)
    errors = _by_place(places, codes) if distinct.size <= _FEW_VALUES else codes.size
    present = np.unique(codes)
    if present.size <= 2:
        return min(errors, _by_threshold(places, codes == present[-1]))
    return min(errors, _by_intervals(places, codes))


def _by_threshold(places: NDArray[np.intp], positive: NDArray[np.bool_]) -> int:
    """Two classes: one threshold between different numbers, and either class above it."""
    ones = np.concatenate([[0], np.cumsum(np.bincount(places, weights=positive))])
    zeros = np.concatenate([[0], np.cumsum(np.bincount(places, weights=~positive))])
    upwards = ones + zeros[-1] - zeros  # ones below the threshold and zeros above it
    return int(min(upwards.min(), (places.size - upwards).min()))


def _by_intervals(places: NDArray[np.intp], codes: Codes) -> int:
    """Several classes: none wrong if each has an interval of its own, else no better than guessing."""
    order = np.lexsort((codes, places))
    changes = np.flatnonzero(np.diff(codes[order]))
    apart = bool((np.diff(places[order])[changes] > 0).all())
    return 0 if apart and changes.size == np.unique(codes).size - 1 else codes.size
