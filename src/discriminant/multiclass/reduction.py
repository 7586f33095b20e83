"""What one-vs-all and one-vs-one share: several classes are learnt as problems between two sides.

A problem gives each class a side: 1, 0, or −1 for a class that takes no part in it.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import validate_data

from discriminant.findings import Finding, warn_of
from discriminant.hyperplane import Hyperplane
from discriminant.learners.base import LinearClassifier, refuse_one_class, winners
from discriminant.learners.class_weights import has_zero, weighed_by_class
from discriminant.multiclass.foreign_estimators import (
    GivenRows,
    check_learner,
    confidence,
    fitted,
    log_probabilities,
    stacked_planes,
)
from discriminant.multiclass.metadata import LearnerMetadata, fit_metadata, router_of
from discriminant.multiclass.shared import fitted_together
from discriminant.rows import ArrayRows, Rows
from discriminant.rows.threads import single_threaded_blas

Array = NDArray[np.float64]
Sides = NDArray[np.int32]


def _gives_probabilities(model: Any) -> bool:
    if hasattr(model.learner, "predict_proba"):
        return True
    raise AttributeError(f"{type(model.learner).__name__} has no predict_proba, so {type(model).__name__} has none")


class Reduction(LinearClassifier):
    """A classifier of several classes made of classifiers of two."""

    estimators_: list[Any]
    _plain: bool  # whether the scores are coef_·x + intercept_, all in one product

    def __init__(self, learner: Any, *, n_jobs: int | None = None) -> None:
        self.learner = learner
        self.n_jobs = n_jobs

    @abstractmethod
    def _sides(self, n_classes: int) -> Sides:
        """The side of each class in each problem (problems × classes)."""

    @abstractmethod
    def _titles(self) -> list[str]:
        """What each problem is called."""

    @abstractmethod
    def _class_scores(self, scores: Array) -> Array:
        """n×K scores of the classes from those of the problems, for K > 2."""

    @abstractmethod
    def _log_posteriors(self, pairs: list[Array]) -> Array:
        """log P(class | x) from log P(side | x) of each problem, for K > 2."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if hasattr(self.learner, "__sklearn_tags__") and not isinstance(self.learner, type):
            theirs = get_tags(self.learner)
            tags.input_tags = theirs.input_tags
            tags.non_deterministic = theirs.non_deterministic
            if theirs.classifier_tags is not None:
                tags.classifier_tags.poor_score = theirs.classifier_tags.poor_score
        return tags

    # --- fit --------------------------------------------------------------------------------------------

    def get_metadata_routing(self) -> Any:
        """What the learner and this classifier request, for scikit-learn's metadata routing."""
        return router_of(self)

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, **params: Any) -> Self:
        """Learn from a table with its labels, or from a rows source alone.

        ``params`` (an entry for each row, or anything else) go to the learner's ``fit``: all of them by their names or,
        where scikit-learn's metadata routing is enabled, those it requests; so with ``sample_weight``.
        """
        check_learner(self.learner, type(self).__name__)
        _check_n_jobs(self.n_jobs)
        with self.unchanged_on_error():
            rows = self._read(X, y, sample_weight)
            refuse_one_class(rows.classes)
            metadata = fit_metadata(self, {"sample_weight": rows.weight}, params)
            metadata, rows = _beside(rows, metadata, X)
            sides = self._sides(rows.classes.size)
            learner, rows = _weighed(self.learner, rows)
            together = isinstance(rows, ArrayRows) and not params
            shared = fitted_together(learner, rows, sides) if together else None  # type: ignore[arg-type]
            self.classes_ = rows.classes
            self.estimators_ = shared or self._each(fitted, ((learner, rows, side, metadata) for side in sides))
            if isinstance(X, Rows) and not isinstance(X, ArrayRows):
                self.estimators_ = list(map(copy, self.estimators_))  # copies hold nothing of the spool
            self._set_planes()
            self.findings_ = _told_once(self.estimators_, self._titles())
        if shared:  # the others have warned themselves
            warn_of(self.findings_)
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any) -> ArrayRows | GivenRows:
        """Our learners share one checked table; others read theirs in their own way."""
        if isinstance(self.learner, LinearClassifier):
            return self.read_rows(X, y, sample_weight, reset=True)
        if y is None and not isinstance(X, ArrayRows):
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        rows = GivenRows.of(X, y, sample_weight)
        validate_data(self, rows.table, reset=True, skip_check_array=True)
        return rows

    def _set_planes(self) -> None:
        for name in ("coef_", "intercept_"):
            self.__dict__.pop(name, None)  # of an earlier fit
        planes = stacked_planes(self.estimators_)
        if planes is not None:
            self.coef_, self.intercept_ = planes
        self._plain = planes is not None and all(_decides_by_its_planes(model) for model in self.estimators_)

    def _each(self, work: Any, arguments: Iterator[tuple[Any, ...]]) -> list[Any]:
        """In threads: fits and scores let go of the interpreter's lock while they compute."""
        # BLAS is held to one thread all along: to let it go and hold it again for each fit, while another is under
        # way, made two threads ten times slower than one
        held = isinstance(self.learner, LinearClassifier) or self.n_jobs not in (None, 1)
        with single_threaded_blas() if held else nullcontext():
            return list(Parallel(n_jobs=self.n_jobs, prefer="threads")(delayed(work)(*each) for each in arguments))

    def check_fitted(self) -> None:
        """Refuse a model that was never fitted."""
        if "estimators_" not in self.__dict__:
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet; call fit first")

    # --- scores -----------------------------------------------------------------------------------------

    def scores(self, X: Any) -> Array:
        """A score of each problem for each row."""
        self.check_fitted()
        if self._plain:
            return super().scores(X)
        return np.column_stack(self._ask(confidence, X))

    def _ask(self, question: Any, X: Any) -> list[Any]:
        self.check_fitted()
        if isinstance(self.learner, LinearClassifier):
            self.read_columns(X)
        elif getattr(X, "ndim", 2) != 1:  # a single row, or texts: the learner knows which
            validate_data(self, X, reset=False, skip_check_array=True)
        return self._each(question, ((model, X) for model in self.estimators_))

    def decision_function(self, X: Any) -> Array:
        """One score for each row of two classes (positive for the second), one for each class of more."""
        scores = self.scores(X)
        return scores[:, 0] if self.classes_.size == 2 else self._class_scores(scores)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        scores = self.scores(X)
        return self.classes_[winners(scores if self.classes_.size == 2 else self._class_scores(scores))]

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Array:
        """log P(class | x)."""
        pairs = self._ask(log_probabilities, X)
        return pairs[0] if self.classes_.size == 2 else self._log_posteriors(pairs)

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """P(class | x)."""
        return np.asarray(np.exp(self.predict_log_proba(X)))

    # --- hyperplanes ------------------------------------------------------------------------------------

    def hyperplane(self, negative: Any = None, positive: Any = None) -> Hyperplane:
        """The plane between two classes, with positive scores for ``positive``; without names, of the only two."""
        self.check_fitted()
        if "coef_" not in self.__dict__:
            raise AttributeError(
                f"{type(self.learner).__name__} gives no coef_ and intercept_ of one space for all problems; "
                "only linear learners have hyperplanes"
            )
        return super().hyperplane(negative, positive)


def _beside(
    rows: ArrayRows | GivenRows, metadata: LearnerMetadata, X: Any
) -> tuple[LearnerMetadata, ArrayRows | GivenRows]:
    """What stands beside the rows that count, and the rows without weights where the learner is not given any."""
    if isinstance(rows, ArrayRows):
        metadata = metadata.taken(X, rows.row_numbers)
        rows = replace(rows, row_numbers=None) if metadata.fit else rows
    else:
        metadata = metadata.taken(X, rows.numbers)
    if metadata.weight_name is None:
        rows = replace(rows, weight=None)
    return metadata, rows


def _weighed(learner: Any, rows: ArrayRows | GivenRows) -> tuple[Any, ArrayRows | GivenRows]:
    """A mapping of classes to weights turned into weights of rows: sides have no such classes any more."""
    class_weight = getattr(learner, "class_weight", None)
    if not isinstance(class_weight, Mapping) or not isinstance(rows, ArrayRows):
        return learner, rows
    if has_zero(class_weight):
        raise ValueError("a class_weight of 0 leaves a class without problems of its own; leave its rows out")
    return clone(learner).set_params(class_weight=None), weighed_by_class(rows, class_weight)


def _decides_by_its_planes(model: Any) -> bool:
    if isinstance(model, Reduction):
        return model._plain
    return isinstance(model, LinearClassifier) and type(model).score_matrix is LinearClassifier.score_matrix


def _check_n_jobs(n_jobs: Any) -> None:
    if n_jobs is None:
        return
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer):
        raise TypeError(f"n_jobs must be None or a whole number of threads, got {n_jobs!r}")
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0; None is one thread, -1 as many as there are cores")


def _told_once(models: list[Any], titles: list[str]) -> tuple[Finding, ...]:
    """The findings of all problems: those of every problem once, the others under the title of their problem."""
    found = [(title, f) for title, model in zip(titles, models, strict=True) for f in getattr(model, "findings_", ())]
    times = Counter(str(finding) for _, finding in found)
    told: dict[str, Finding] = {}
    for title, finding in found:
        text = str(finding)
        if times[text] == len(models):
            told.setdefault(text, finding)
        else:
            told[f"{title}: {text}"] = replace(finding, fact=f"{title}: {finding.fact}")
    return tuple(told.values())
