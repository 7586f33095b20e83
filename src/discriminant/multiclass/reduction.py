"""What one-vs-all and one-vs-one share: several classes are learnt as problems between two sides.

A problem gives each class a side: 1, 0, or −1 for a class that takes no part in it.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import validate_data

from discriminant.findings import ConstantLabel, Finding, warn_of
from discriminant.hyperplane import Hyperplane
from discriminant.learners.base import LinearClassifier, refuse_one_class, unchanged_on_error
from discriminant.learners.class_weights import has_zero, weighed_by_class
from discriminant.multiclass.answers import CombinedAnswers
from discriminant.multiclass.constant import ConstantModel, UnseenProblem, constant_label
from discriminant.multiclass.foreign_estimators import (
    GivenRows,
    check_learner,
    compares_rows,
    fit_further,
    fit_learner,
    stacked_planes,
    tags_through,
)
from discriminant.multiclass.label_sets import LabelSets
from discriminant.multiclass.metadata import LearnerMetadata, fit_metadata, router_of, weight_name
from discriminant.multiclass.shared import fitted_together
from discriminant.rows import ArrayRows, Rows
from discriminant.rows.labels import places_of
from discriminant.separability.two_classes import REST

Array = NDArray[np.float64]
Sides = NDArray[np.int32]


def _learns_on(model: Any) -> bool:
    return model.learner.partial_fit is not None


class Reduction(CombinedAnswers):
    """A classifier of several classes made of classifiers of two."""

    def __init__(self, learner: Any, *, n_jobs: int | None = None) -> None:
        self.learner = learner
        self.n_jobs = n_jobs

    @abstractmethod
    def _sides(self, n_classes: int) -> Sides:
        """The side of each class in each problem (problems × classes)."""

    @abstractmethod
    def _opponents(self) -> list[tuple[Any, Any]]:
        """Whom each problem sets against whom: (class of side 0 or `REST`, class of side 1)."""

    def __sklearn_tags__(self) -> Any:
        tags = tags_through(super().__sklearn_tags__(), self.learner)
        tags.classifier_tags.multi_class = True
        return tags

    # --- fit --------------------------------------------------------------------------------------------

    def get_metadata_routing(self) -> Any:
        """What the learner and this classifier request, for scikit-learn's metadata routing."""
        return router_of(self)

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, **params: Any) -> Self:
        """Learn from a table with its labels, or from a rows source alone.

        ``params`` (an entry for each row, or anything else) go to the learner's ``fit``: all of them by their names or,
        where scikit-learn's metadata routing is enabled, those it requests; so with ``sample_weight``.

        Parameters
        ----------
        X, y, sample_weight : a table with its labels and weights of rows, or a rows source alone.
        **params : metadata for the learner, where it is routed.

        Returns
        -------
        Self
            This model, fitted.
        """
        self._check_parameters()
        with unchanged_on_error(self):
            rows, sets = self._read(X, y, sample_weight, reset=True)
            self._set_classes(rows.classes, sets)
            metadata, rows = _beside(rows, fit_metadata(self, {"sample_weight": rows.weight}, params), X)
            sides = self._sides_of(rows, sets)
            learner, rows = _weigh_by_class(self.learner, rows) if sets is None else (self.learner, rows)
            alone = sides.min(axis=1) == sides.max(axis=1)
            problems = np.flatnonzero(~alone)
            shared = None if params else self._fitted_together(learner, rows, sides[problems])
            models = self._fitted(learner, rows, sides, problems, metadata) if shared is None else shared
            if isinstance(X, Rows) and not isinstance(X, ArrayRows):
                models = list(map(copy, models))  # copies hold nothing of the spool
            self.estimators_ = self._with_constants(models, problems, sides)
            self.findings_ = (
                *self._constant_labels(rows, sides, alone),
                *_merged_findings(models, self._titles(problems)),
            )
            self._columns = _columns_of_problems(learner, rows, sides)
            self._set_planes()
        # models that were fitted one by one have warned themselves
        warn_of(found for found in self.findings_ if shared is not None or isinstance(found, ConstantLabel))
        return self

    def _check_parameters(self) -> None:
        check_learner(self.learner, type(self).__name__, regressors=True)
        _check_n_jobs(self.n_jobs)

    def _read(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool
    ) -> tuple[ArrayRows | GivenRows, LabelSets | None]:
        """Our learners share one checked table; others read theirs in their own way."""
        sets = self._label_sets(y)
        labels = y if sets is None else sets.codes
        if isinstance(self.learner, LinearClassifier):
            rows: ArrayRows | GivenRows = self.read_rows(X, labels, sample_weight, reset=reset)
        elif y is None and not isinstance(X, ArrayRows):
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        else:
            rows = GivenRows.of(X, labels, sample_weight)
            validate_data(self, rows.table, reset=reset, skip_check_array=True)
        return rows, sets

    def _label_sets(self, y: Any) -> LabelSets | None:
        """The labels of rows that may have several; None where each row has one class."""
        return None

    def _set_classes(self, classes: NDArray[Any], sets: LabelSets | None) -> None:
        """Take the classes of the first rows, or refuse them."""
        refuse_one_class(classes)
        self.classes_ = classes

    def _sides_of(self, rows: ArrayRows | GivenRows, sets: LabelSets | None) -> Sides:
        """The side of each class of the rows in each problem."""
        if sets is not None:
            return sets.sides(rows.classes)
        return self._sides(self.n_classes_)[:, places_of(rows.classes, self.classes_)]

    def _fitted_together(self, learner: Any, rows: ArrayRows | GivenRows, sides: Sides) -> list[Any] | None:
        return fitted_together(learner, rows, sides) if len(sides) and isinstance(rows, ArrayRows) else None

    def _fitted(
        self,
        learner: Any,
        rows: ArrayRows | GivenRows,
        sides: Sides,
        problems: NDArray[np.intp],
        metadata: LearnerMetadata,
    ) -> list[Any]:
        """A fitted learner for each of some problems, one by one."""
        names = self._opponents()
        return self._each(fit_learner, ((learner, rows, sides[k], names[k], metadata) for k in problems.tolist()))

    def _with_constants(self, models: list[Any], problems: NDArray[np.intp], sides: Sides) -> list[Any]:
        """A model for each problem: a constant where all rows lie on one side."""
        n_columns = self.__dict__.get("n_features_in_")
        found: list[Any] = [ConstantModel(int(side[0]), n_columns) for side in sides]
        for k, model in zip(problems.tolist(), models, strict=True):
            found[k] = model
        return found

    def _constant_labels(
        self, rows: ArrayRows | GivenRows, sides: Sides, alone: NDArray[np.bool_]
    ) -> Iterator[ConstantLabel]:
        for k in np.flatnonzero(alone).tolist():
            present = self.n_classes_ == 1 or bool(sides[k, 0])  # the only class there is has side 0
            yield constant_label(self._opponents()[k][1], present, rows.codes.size)

    def _titles(self, problems: NDArray[np.intp]) -> list[str]:
        """What problems are called."""
        names = [self._opponents()[k] for k in problems.tolist()]
        return [f"{b!r} against {a}" if a is REST else f"{a!r} against {b!r}" for a, b in names]

    @property
    def n_classes_(self) -> int:
        """K, the number of classes."""
        return int(self.classes_.size)

    # --- more rows --------------------------------------------------------------------------------------

    @available_if(_learns_on)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from more rows, where the learner has ``partial_fit``.

        The first call must name all ``classes``, unless its rows hold them all.

        Parameters
        ----------
        X, y, sample_weight : a table with its labels and weights of rows, or a rows source alone.
        classes : all classes there will be; the first call may name them before it has rows of each.

        Returns
        -------
        Self
            This model, fitted.
        """
        self._check_parameters()
        with unchanged_on_error(self):
            first = "estimators_" not in self.__dict__
            rows, sets = self._read(X, y, sample_weight, reset=first)
            if first:
                self._set_classes(rows.classes if classes is None else np.unique(np.asarray(classes)), sets)
                self.estimators_ = [UnseenProblem(clone(self.learner)) for _ in self._opponents()]
                self._columns = None
            self._refuse_changes(rows, sets, classes)
            if rows.weight is not None:
                weight_name(self.learner)  # refused where it takes none
            each = zip(self.estimators_, self._sides_of(rows, sets), strict=True)
            self.estimators_ = self._each(fit_further, ((model, rows, side) for model, side in each))
            self._set_planes()
            self.findings_ = _merged_findings(self.estimators_, self._titles(np.arange(len(self.estimators_))))
        return self

    def _refuse_changes(self, rows: ArrayRows | GivenRows, sets: LabelSets | None, classes: Any) -> None:
        """Refuse labels of other classes than those of the first call."""
        known = self.classes_
        if classes is not None and not np.array_equal(np.unique(np.asarray(classes)), known):
            raise ValueError(f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {known!r}")
        if any(isinstance(model, ConstantModel) for model in self.estimators_):
            raise ValueError("rows of fit were all alike in a label; begin with partial_fit to add others later")
        if sets is None and not set(rows.classes.tolist()) <= set(known.tolist()):
            raise ValueError(f"Mini-batch contains {rows.classes} while it must be subset of {known}")

    def _set_planes(self) -> None:
        for name in ("coef_", "intercept_"):
            self.__dict__.pop(name, None)  # of an earlier fit
        planes = stacked_planes(self.estimators_)
        if planes is not None:
            self.coef_, self.intercept_ = planes
        self._plain = planes is not None and all(_decides_by_its_planes(model) for model in self.estimators_)

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


def _columns_of_problems(learner: Any, rows: ArrayRows | GivenRows, sides: Sides) -> list[NDArray[np.intp]] | None:
    """The columns that each model knows, where columns stand for rows and some rows take no part."""
    if isinstance(rows, ArrayRows) or not (sides < 0).any() or not compares_rows(learner):
        return None
    return [np.flatnonzero(side[rows.codes] >= 0) for side in sides]


def _beside(
    rows: ArrayRows | GivenRows, metadata: LearnerMetadata, X: Any
) -> tuple[LearnerMetadata, ArrayRows | GivenRows]:
    """What stands beside the rows that count, and the rows without weights where the learner is not given any."""
    if isinstance(rows, ArrayRows):
        metadata = metadata.take(X, rows.row_numbers)
        rows = replace(rows, row_numbers=None) if metadata.fit else rows
    else:
        metadata = metadata.take(X, rows.numbers)
    if metadata.weight_name is None:
        rows = replace(rows, weight=None)
    return metadata, rows


def _weigh_by_class(learner: Any, rows: ArrayRows | GivenRows) -> tuple[Any, ArrayRows | GivenRows]:
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


def _merged_findings(models: list[Any], titles: list[str]) -> tuple[Finding, ...]:
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
