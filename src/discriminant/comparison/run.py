"""Many learners, one cross-validation, one table."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from discriminant.comparison.candidates import read_candidates
from discriminant.comparison.comparison import Comparison
from discriminant.comparison.folds import read_folds
from discriminant.comparison.out_of_fold import Table, is_ours, outcomes
from discriminant.decisions.gain_alignment import gain_of_rows
from discriminant.decisions.rules import refuse_rewarded_errors
from discriminant.gain import Gain
from discriminant.learners.base import refuse_one_class
from discriminant.multiclass.foreign_estimators import GivenRows
from discriminant.rows import ArrayRows, from_arrays
from discriminant.rows.source import read_weights


def compare(
    X: Any,
    y: Any = None,
    *,
    gain: Any = None,
    learners: Any = "all",
    cv: Any = 5,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int, str], Any] | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> Comparison:
    """Judge learners on the same rows, each row by models that have not seen it.

    Closed-form learners (Fisher, LDA, least squares, naive Bayes) share a single pass over the rows for all folds; the
    others are fitted fold by fold. A learner that fails is a row of the table with its reason.

    Parameters
    ----------
    X, y, sample_weight : a table with its labels and weights (rows of weight zero are left out), or a rows source.
    gain : a `Gain`, whatever can become one, or gains by row (`Gain.by_row`, a function of the table, n×K×K). With it
        learners are judged by what decisions earn that follow from it (see `Comparison.decisions`), else by accuracy.
    learners : "all", "closed-form", names (an unknown one is answered with those there are), or a mapping
        {name: classifier} of anybody's classifiers. "all" takes learners as they are: where units of columns differ,
        those that depend on them (svm, perceptron, pocket, adaline, penalties) deserve a pipeline with a scaler.
    cv : the number of folds, stratified by class; or a fold for each row; or a splitter that tests each row once.
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
    ('lda', 0.973)
    >>> found.distinguishable["naive-bayes"]
    False
    """
    threads = _read_jobs(n_jobs)
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be a function of (done, total, name), got {progress!r}")
    given, row_numbers, n_table = _read_given(X, y, sample_weight)
    refuse_one_class(given.classes)
    random = check_random_state(random_state)
    candidates = read_candidates(learners, given.table, int(random.randint(2**31 - 1)))
    rows = _read_rows(X, y, sample_weight) if any(map(is_ours, candidates.values())) else None
    gains = None if gain is None else _read_gains(gain, X, given, row_numbers)
    folds = read_folds(_of_present(cv, row_numbers, n_table), given.table, given.codes, given.classes, random)
    found = outcomes(candidates, Table(given, rows, folds), threads, progress)
    source = X, y, sample_weight
    return Comparison(
        candidates, found, given.classes, gains, given.codes, folds, given.weight, row_numbers, n_table, source
    )


def _read_given(X: Any, y: Any, weight: Any) -> tuple[GivenRows, NDArray[np.intp] | None, int]:
    """(the rows that count, their numbers where some do not, how many there are in all)."""
    if isinstance(X, ArrayRows):
        if y is not None or weight is not None:
            raise ValueError("a rows source carries its own labels and weights; leave y and sample_weight out")
        return GivenRows.of(X, None, None), None, X.n_rows
    if y is None:
        raise ValueError("compare requires y to be passed, but the target y is None")
    given = GivenRows.of(X, y, weight)
    n_table = int(np.size(y))
    if given.codes.size == n_table:
        return given, None, n_table
    weights = read_weights(weight, n_table)
    assert weights is not None
    return given, np.flatnonzero(weights), n_table


def _read_rows(X: Any, y: Any, weight: Any) -> ArrayRows:
    return X if isinstance(X, ArrayRows) else from_arrays(X, y, weight)


def _read_gains(gain: Any, X: Any, given: GivenRows, row_numbers: NDArray[np.intp] | None) -> Gain:
    table = X.matrix if isinstance(X, ArrayRows) else X
    aligned = gain_of_rows(gain, table, given.classes, None)
    refuse_rewarded_errors(aligned, given.classes)
    return aligned if row_numbers is None else aligned.taken(row_numbers)


def _of_present(cv: Any, row_numbers: NDArray[np.intp] | None, n_table: int) -> Any:
    """A fold for each row of the table, without those of rows that do not count."""
    if row_numbers is None or np.ndim(cv) != 1 or len(cv) != n_table:
        return cv
    return np.asarray(cv)[row_numbers]


def _read_jobs(n_jobs: Any) -> int:
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer):
        raise TypeError(f"n_jobs must be None or a whole number of threads, got {n_jobs!r}")
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0; None is one thread, -1 as many as there are cores")
    return int(n_jobs) if n_jobs > 0 else max((os.cpu_count() or 1) + 1 + int(n_jobs), 1)
