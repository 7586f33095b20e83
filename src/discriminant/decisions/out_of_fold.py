"""The score of each row by a model that has not seen it.

Rows are dealt to folds class by class. Learners that are a function of moments take a fold's moments away from the
whole (``kfold_decision_function``, ``loo_decision_function``): one pass for all folds; others are fitted anew.
"""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing, check_random_state

from discriminant.cached import cached_property
from discriminant.decisions.calibration import Platt, platt
from discriminant.decisions.estimator_scores import as_columns, scores_of
from discriminant.findings import FindingWarning
from discriminant.gain.matrix import Gain
from discriminant.multiclass.foreign_estimators import fitted_copy

Array = NDArray[np.float64]
Codes = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class LabelledRows:
    """A table as it was given, its classes, and the weights of its rows (1 where none were given)."""

    table: Any
    classes: NDArray[Any]
    codes: Codes
    weight: Array
    weighted: bool

    @property
    def labels(self) -> NDArray[Any]:
        """The label of each row."""
        return np.asarray(self.classes[self.codes])

    @property
    def given_weight(self) -> Array | None:
        """The weights, if there were any."""
        return self.weight if self.weighted else None

    def taken(self, rows: NDArray[np.intp]) -> "LabelledRows":
        """Some of the rows, all of the classes."""
        table = _safe_indexing(self.table, rows)
        return replace(self, table=table, codes=self.codes[rows], weight=self.weight[rows])


@dataclass(frozen=True)
class HeldOut:
    """Scores of rows by models that had not seen them, with what is known of the rows."""

    scores: Array
    codes: Codes
    weight: Array
    folds: NDArray[np.intp]
    classes: NDArray[Any]
    gain: Gain

    @property
    def counts(self) -> Array:
        """Σω of each class."""
        return np.bincount(self.codes, weights=self.weight, minlength=self.classes.size).astype(np.float64)

    @property
    def shares(self) -> Array:
        """The share of each class."""
        return np.asarray(self.counts / self.weight.sum())

    @cached_property
    def platt(self) -> Platt:
        """Platt's probabilities of these scores."""
        return platt(self.scores, self.codes, self.weight)

    def taken(self, rows: NDArray[np.bool_]) -> "HeldOut":
        """Some of the rows."""
        parts = (self.scores[rows], self.codes[rows], self.weight[rows], self.folds[rows])
        return HeldOut(*parts, self.classes, self.gain.taken(rows))


# --- folds ----------------------------------------------------------------------------------------------


def dealt_folds(cv: Any, table: Any, labels: NDArray[Any], random_state: Any) -> NDArray[np.intp]:
    """The fold of each row: from a number of folds, "loo", an object with ``split``, or a list of splits."""
    if isinstance(cv, str):
        if cv != "loo":
            raise ValueError(f"cv must be a number of folds, 'loo', a splitter or a list of splits, got {cv!r}")
        return np.arange(labels.size)
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        _refuse_few_rows(int(cv), labels)
        return _dealt_by_class(labels, int(cv), random_state)
    splits = cv.split(table, labels) if hasattr(cv, "split") else cv
    if not isinstance(splits, Iterable):
        raise TypeError(f"cv must be a number of folds, 'loo', a splitter or a list of splits, got {cv!r}")
    return _folds_of_splits(splits, labels.size)


def _dealt_by_class(labels: NDArray[Any], n_folds: int, random_state: Any) -> NDArray[np.intp]:
    """Rows in random order, one class after the other, dealt out like cards."""
    shuffled = check_random_state(0 if random_state is None else random_state).permutation(labels.size)
    by_class = shuffled[np.argsort(labels[shuffled], kind="stable")]
    folds = np.empty(labels.size, dtype=np.intp)
    folds[by_class] = np.arange(labels.size) % n_folds
    return folds


def _refuse_few_rows(n_folds: int, labels: NDArray[Any]) -> None:
    if n_folds < 2:
        raise ValueError(f"cv must be at least 2 folds, got {n_folds}")
    present, counts = np.unique(labels, return_counts=True)
    k = int(counts.argmin())
    if counts[k] < n_folds:
        raise ValueError(
            f"class {present.tolist()[k]!r} has {counts[k]} rows, too few for cv={n_folds} folds with one of it in "
            f"each; give at least {n_folds} rows of each class"
            + (f", or cv={counts[k]}" if counts[k] > 1 else ", or leave the class out")
        )


def _folds_of_splits(splits: Iterable[Any], n_rows: int) -> NDArray[np.intp]:
    folds = np.full(n_rows, -1)
    for i, (_, test) in enumerate(splits):
        test = np.flatnonzero(test) if np.asarray(test).dtype == bool else np.asarray(test)
        again = test[folds[test] >= 0]
        if again.size:
            raise ValueError(f"cv tests row {again[0]} in folds {folds[again[0]]} and {i}; each row must have one fold")
        folds[test] = i
    left = np.flatnonzero(folds < 0)
    if left.size:
        raise ValueError(f"cv leaves row {left[0]} in no fold; each row must be tested once")
    return folds


def refuse_lost_classes(folds: NDArray[np.intp], codes: Codes, classes: NDArray[Any]) -> None:
    """Every model must see every class."""
    for k, label in enumerate(classes.tolist()):
        of_class = folds[codes == k]
        if (of_class == of_class[0]).all():
            raise ValueError(
                f"all {of_class.size} rows of class {label!r} are in one fold, so that the model that is to score "
                "them has never seen the class; it needs rows in two folds at least"
            )


# --- scores ---------------------------------------------------------------------------------------------


def out_of_fold_scores(model: Any, learner: Any, rows: LabelledRows, folds: NDArray[np.intp]) -> Array:
    """n×1 or n×K scores; ``model`` is the learner fitted to all rows."""
    K = rows.classes.size
    every_row = folds.size == rows.codes.size and np.array_equal(folds, np.arange(folds.size))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)  # the fit of all rows has told what is to be told
        if every_row and hasattr(model, "loo_decision_function"):
            return as_columns(model.loo_decision_function(rows.table, rows.labels, rows.given_weight), K, model)
        if hasattr(model, "kfold_decision_function"):
            scores = model.kfold_decision_function(rows.table, rows.labels, folds, rows.given_weight)
            return as_columns(scores, K, model)
        return _refitted(learner, rows, folds)


def _refitted(learner: Any, rows: LabelledRows, folds: NDArray[np.intp]) -> Array:
    K = rows.classes.size
    scores = np.empty((folds.size, 1 if K == 2 else K))
    for fold in np.unique(folds):
        tested = np.flatnonzero(folds == fold)
        rest = rows.taken(np.flatnonzero(folds != fold))
        model = fitted_copy(learner, rest.table, rest.labels, rest.given_weight)
        scores[tested] = scores_of(model, _safe_indexing(rows.table, tested), K)
    return scores
