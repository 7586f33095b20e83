"""Rows in the order of time: every block of rows is judged by a model of earlier rows alone."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.parameters import read_count, read_penalty

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


class TimeOrder:
    """Blocks of rows in the order of time, as a splitter for ``cv=``: an expanding window.

    The rows are cut into ``n_splits + 1`` blocks of about as many rows each; rows of one time stay together. The rows
    of a block are judged by the model of the rows before it. The first block is never judged, nor is any before which
    some class has not been seen.

    Parameters
    ----------
    times : a number or a date for each row of the table; None where rows come in the order of time, which is what
        those of a source must do.
    n_splits : the number of blocks that are judged.
    gap : how much earlier than the first row of a block the rows must be that its model learns from, in the unit of
        the times (days for dates): as long as it takes until the class of a row is known.

    With ``groups=`` a model also learns from no row of a group that it judges.

    >>> for earlier, judged in TimeOrder([1, 2, 2, 3, 4, 5], n_splits=2).split():
    ...     print(earlier.tolist(), judged.tolist())
    [0, 1, 2] [3]
    [0, 1, 2, 3] [4, 5]
    """

    def __init__(self, times: Any, n_splits: int = 5, gap: float = 0.0) -> None:
        self.times = times
        self.n_splits = n_splits
        self.gap = gap

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of blocks that are judged, at most."""
        return self.n_splits

    def split(self, X: Any = None, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """(rows learnt from, rows judged) of each block, in the order of time."""
        given = np.arange(_count(X, y)) if self.times is None else self.times
        times, gap = _as_numbers(given), read_penalty(self.gap, "gap")
        if X is not None and times.size != (n_rows := X.shape[0] if hasattr(X, "shape") else len(X)):
            raise ValueError(f"times has {times.size} entries but X has {n_rows} rows")
        labels, group = (None if values is None else np.asarray(values) for values in (y, groups))
        n_earlier = np.searchsorted(np.sort(times), times)
        block = n_earlier * (read_count(self.n_splits, "n_splits") + 1) // max(times.size, 1)
        for b in np.unique(block)[1:]:
            judged = np.flatnonzero(block == b)
            first = times[judged].min()
            learnt = (times < first) & (times <= first - gap)
            if group is not None:
                learnt &= ~np.isin(group, group[judged])
            if labels is None or np.unique(labels[learnt]).size == np.unique(labels).size:
                yield np.flatnonzero(learnt), judged


def _count(X: Any, y: Any) -> int:
    table = y if X is None else X
    if table is None:
        raise ValueError("times are the numbers of the rows here, so split needs the table: split(X)")
    return int(table.shape[0] if hasattr(table, "shape") else len(table))


def _as_numbers(times: Any) -> NDArray[np.float64]:
    """Numbers as they are, dates in days."""
    values = np.asarray(times)
    if values.dtype == object:
        values = np.array(values.tolist(), dtype="datetime64[us]") if _holds_dates(values) else values
    if values.ndim != 1 or values.dtype.kind not in "iufM":
        raise TypeError(f"times must be a number or a date for each row, got {values.dtype} of shape {values.shape}")
    missing = np.flatnonzero(np.isnat(values) if values.dtype.kind == "M" else np.isnan(values))
    if missing.size:
        raise ValueError(f"times has none for row {missing[0]}; every row needs its time")
    if values.dtype.kind == "M":
        return np.asarray((values - values.min(initial=values[:1].max())) / np.timedelta64(1, "D"))
    return values.astype(np.float64)


def _holds_dates(values: NDArray[Any]) -> bool:
    return values.size > 0 and all(hasattr(value, "isoformat") for value in values)
