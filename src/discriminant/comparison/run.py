"""Many learners, one cross-validation, one table."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from discriminant.comparison.candidates import read_candidates
from discriminant.comparison.comparison import Comparison
from discriminant.comparison.source_run import compare_source
from discriminant.decisions.rules import refuse_rewarded_errors
from discriminant.gain import Gain
from discriminant.gain.alignment import gain_of_rows
from discriminant.learners.base import refuse_one_class
from discriminant.rows import ArrayRows, Rows, read_source
from discriminant.validation.folds import read_folds
from discriminant.validation.out_of_fold import outcomes
from discriminant.validation.table import Table, is_ours


def compare(
    X: Any,
    y: Any = None,
    *,
    gain: Any = None,
    learners: Any = "all",
    cv: Any = 5,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int, str], Any] | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> Comparison:
    """Judge learners on the same rows, each row by models that have not seen it.

    Closed-form learners (Fisher, LDA, least squares, naive Bayes) share a single pass over the rows for all folds; the
    others are fitted fold by fold. A learner that fails is a row of the table with its reason.

    Of a source that is not in memory, scores take one pass more, and ``n_jobs`` is not used. Where it has over 262,144
    rows, tests are of so many drawn by their numbers, and so are figures of more than two classes; those of two classes
    are of all rows, their scores counted in cells (`ScoreCounts`).

    Parameters
    ----------
    X, y, sample_weight : a table with its labels and weights (rows of weight zero are left out), or a rows source.
    gain : a `Gain`, whatever can become one, or gains by row (`Gain.by_row`, a function of the table, n×K×K). With it
        learners are judged by what decisions earn that follow from it (see `Comparison.decisions`), else by accuracy.
    learners : "all", "closed-form", names (an unknown one is answered with those there are), or a mapping
        {name: classifier} of anybody's classifiers. "all" takes learners as they are: where units of columns differ,
        those that depend on them (svm, perceptron, pocket, adaline, penalties) deserve a pipeline with a scaler.
    cv : a number of stratified folds, "loo", a splitter (GroupKFold, TimeSeriesSplit, `validation.TimeOrder`), pairs of
        (training, tested) rows, or a fold for each row. Rows that are never tested are learnt from and not judged. Of a
        source that is not in memory: a number of folds by row ids, or `validation.IdFolds`.
    groups : the group of each row (a patient, a machine): no model judges rows of a group it has learnt from.
    n_jobs : threads for learners that are fitted fold by fold; None is one, -1 as many as there are cores.
    progress : called as ``progress(done, total, name)`` after every fit, in the calling thread.
    random_state : seed of the folds and of learners by name.

    Returns
    -------
    Comparison
        Figures of every learner with their intervals, and which of them differ.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = compare(X, y, learners=["lda", "naive-bayes"], random_state=0)
    >>> found.best, round(found.accuracy["lda"].value, 3)
    ('lda', 0.967)
    >>> found.distinguishable["naive-bayes"]
    False
    """
    threads = _read_jobs(n_jobs, progress)
    if isinstance(X, Rows) and not isinstance(X, ArrayRows):
        if groups is not None:
            raise ValueError("a rows source has no groups beside its rows; let id= name the column of the groups")
        return compare_source(read_source(X, y, sample_weight), gain, learners, cv, random_state, progress)
    table = Table.read(X, y, sample_weight, "compare")
    refuse_one_class(table.given.classes)
    random = check_random_state(random_state)
    candidates = read_candidates(learners, table.given.table, int(random.randint(2**31 - 1)))
    _ = table.rows if any(map(is_ours, candidates.values())) else None  # whatever is wrong with it is said first
    gains = _read_gains(gain, table)
    folds = read_folds(cv, table, groups, random if random_state is None else random_state)
    gains = _gains_of_judged(gains, table.numbers_of(folds.judged))
    return Comparison(candidates, outcomes(candidates, table, folds, threads, progress), table, folds, gains)


def _gains_of_judged(gains: Gain | None, numbers: Any) -> Gain | None:
    return gains if gains is None or numbers is None else gains.take(numbers)


def _read_gains(gain: Any, table: Table) -> Gain | None:
    """The gains of the table as it was given."""
    if gain is None:
        return None
    X = table.source[0]
    aligned = gain_of_rows(gain, X.matrix if isinstance(X, ArrayRows) else X, table.given.classes, None)
    refuse_rewarded_errors(aligned, table.given.classes)
    return aligned


def _read_jobs(n_jobs: Any, progress: Any) -> int:
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be a function of (done, total, name), got {progress!r}")
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer):
        raise TypeError(f"n_jobs must be None or a whole number of threads, got {n_jobs!r}")
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0; None is one thread, -1 as many as there are cores")
    return int(n_jobs) if n_jobs > 0 else max((os.cpu_count() or 1) + 1 + int(n_jobs), 1)
