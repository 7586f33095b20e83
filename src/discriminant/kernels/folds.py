"""Rows in folds: dealt out, scored by the planes of their folds, ranked within them."""

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


@compiled
def score_by_fold(rows: Rows, folds: Array, planes: Array, start: int, stop: int, scores: Array) -> None:
    """scores[p, i] = planes[f, p]·(x, 1) for rows i from start to stop, f the fold of row i."""
    for i in range(start, stop):
        of_fold = planes[folds[i]]
        for p in range(of_fold.shape[0]):
            scores[p, i] = dot(rows, i, of_fold[p])


@compiled
def place(score: Array, order: Array, positive: Array, weight: Array, placed: Array) -> None:
    """For each positive Σω of the negatives below, for each negative of the positives above; equals count half.

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
