"""Rows in folds: dealt out, scored by the planes of their folds, ranked within them."""

from heapq import heapify, heapreplace

import numpy as np
from scipy.sparse import csr_array

from discriminant.kernels.access import Rows, dot
from discriminant.kernels.compiled import Array, compiled


@compiled
def deal(sizes: Array, lots: Array, filled: Array, folds: Array) -> None:
    """Each group to the fold that holds the fewest rows, by lot among equals.

    ``filled`` counts the rows of each fold; the first lots are the folds' own, each group leaves its fold a new one.
    """
    V = filled.size
    lot = lots[:V].copy()
    for g in range(sizes.size):
        least = 0
        for f in range(1, V):
            if filled[f] < filled[least] or (filled[f] == filled[least] and lot[f] < lot[least]):
                least = f
        folds[g] = least
        filled[least] += sizes[g]
        lot[least] = lots[V + g]


@deal.in_numpy
def _deal(sizes: Array, lots: Array, filled: Array, folds: Array) -> None:
    """Folds wait in a heap by their rows and lots."""
    waiting = [(rows, lot, f) for f, (rows, lot) in enumerate(zip(filled.tolist(), lots.tolist(), strict=False))]
    heapify(waiting)
    for g, (size, lot) in enumerate(zip(sizes.tolist(), lots[filled.size :].tolist(), strict=False)):
        rows, _, f = waiting[0]
        folds[g] = f
        heapreplace(waiting, (rows + size, lot, f))
    for rows, _, f in waiting:
        filled[f] = rows


@compiled
def score_by_fold(rows: Rows, folds: Array, planes: Array, start: int, stop: int, scores: Array) -> None:
    """scores[p, i] = planes[f, p]·(x, 1) for rows i from start to stop, f the fold of row i."""
    for i in range(start, stop):
        of_fold = planes[folds[i]]
        for p in range(of_fold.shape[0]):
            scores[p, i] = dot(rows, i, of_fold[p])


@score_by_fold.in_numpy
def _score_by_fold(rows: Rows, folds: Array, planes: Array, start: int, stop: int, scores: Array) -> None:
    d = planes.shape[2] - 1
    X = csr_array(rows, shape=(folds.size, d)) if isinstance(rows, tuple) else rows
    for f, of_fold in enumerate(planes):
        inside = start + np.flatnonzero(folds[start:stop] == f)
        scores[:, inside] = (X[inside] @ of_fold[:, :-1].T + of_fold[:, -1]).T


@compiled
def place(score: Array, order: Array, positive: Array, weight: Array, placed: Array) -> None:
    """Fill Σω of the negatives below each positive, and of the positives above each negative; equals count half.

    ``order`` sorts the scores. No weight means one each.
    """
    n, weighted = order.size, weight.size > 0
    above = 0.0
    for i in range(n):
        if positive[i]:
            above += weight[i] if weighted else 1.0
    below = 0.0
    first = 0
    while first < n:
        last, ups, downs = first, 0.0, 0.0
        while last < n and score[order[last]] == score[order[first]]:
            w = weight[order[last]] if weighted else 1.0
            if positive[order[last]]:
                ups += w
            else:
                downs += w
            last += 1
        above -= ups
        for i in range(first, last):
            placed[order[i]] = below + downs / 2 if positive[order[i]] else above + ups / 2
        below += downs
        first = last


@place.in_numpy
def _place(score: Array, order: Array, positive: Array, weight: Array, placed: Array) -> None:
    """Σω of rows up to the first and the last of equals, of either side."""
    ordered, up = score[order], positive[order]
    omega = weight[order] if weight.size else np.ones(order.size)
    first, last = np.searchsorted(ordered, ordered, "left"), np.searchsorted(ordered, ordered, "right")
    ups, downs = (np.append(0.0, np.cumsum(omega * side)) for side in (up, ~up))
    below, above = (downs[first] + downs[last]) / 2, ups[-1] - (ups[first] + ups[last]) / 2
    placed[order] = np.where(up, below, above)
