"""Scores of rows by the planes of their folds."""

from discriminant.kernels.access import Rows, dot
from discriminant.kernels.compiled import Array, compiled


@compiled
def score_by_fold(rows: Rows, folds: Array, planes: Array, start: int, stop: int, scores: Array) -> None:
    """scores[p, i] = planes[f, p]·(x, 1) for rows i from start to stop, f the fold of row i."""
    for i in range(start, stop):
        of_fold = planes[folds[i]]
        for p in range(of_fold.shape[0]):
            scores[p, i] = dot(rows, i, of_fold[p])
