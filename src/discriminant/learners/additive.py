"""Learners whose statistics add: fit in one pass, add rows, merge models, forget rows, all exactly.

A subclass says what it sums over rows and what it makes of the sums; nothing else touches the rows.
"""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from discriminant.findings import warn_of
from discriminant.learners.base import LinearClassifier, refuse_one_class
from discriminant.rows import ArrayRows


class AdditiveLearner(LinearClassifier):
    """A classifier that is a function of statistics with ``+``, ``-`` and ``classes``."""

    _pending: Any  # statistics of a single class, waiting for a second

    @abstractmethod
    def _summarise(self, rows: ArrayRows) -> Any:
        """The statistics of rows."""

    @abstractmethod
    def _kept(self) -> Any:
        """The statistics of all rows seen so far; None before the first."""

    @abstractmethod
    def _learn_from(self, statistics: Any) -> None:
        """Set the attributes from statistics of two or more classes."""

    @abstractmethod
    def _fit_rows(self, rows: ArrayRows) -> None:
        """Set the attributes from rows of two or more classes."""

    def _check_parameters(self) -> None:
        """Refuse parameters that make no sense before touching any row."""

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to a table with its labels, or to a rows source alone."""
        self._check_parameters()
        with self._unchanged_on_error():
            rows = self._read_rows(X, y, sample_weight, reset=True)
            refuse_one_class(rows.classes)
            self._fit_rows(rows)
            self.__dict__.pop("_pending", None)
        warn_of(self.findings_)
        return self

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Add rows to those seen so far; new classes may appear. One class alone is kept until a second comes.

        ``classes``, when given, only says which labels are allowed. ``findings_`` are kept, but nothing is warned
        of: more rows may be on their way.
        """
        self._check_parameters()
        with self._unchanged_on_error():
            rows = self._read_rows(X, y, sample_weight, reset=self._known() is None)
            if classes is not None:
                allowed = np.asarray(classes).tolist()
                unknown = [c for c in rows.classes.tolist() if c not in allowed]
                if unknown:
                    raise ValueError(f"y holds class {unknown[0]!r}, which is not among classes={allowed}")
            self._add(self._summarise(rows))
        return self

    def merge(self, other: "AdditiveLearner") -> Self:
        """Add all rows another model of this kind has seen."""
        self._check_parameters()
        if type(other) is not type(self):
            raise TypeError(f"cannot merge a {type(other).__name__} into a {type(self).__name__}")
        theirs = other._known()
        if theirs is None:
            raise ValueError("the other model has seen no rows")
        self._refuse_merging(other)
        with self._unchanged_on_error():
            if self._known() is None:
                for name in ("n_features_in_", "feature_names_in_"):
                    if name in other.__dict__:
                        setattr(self, name, other.__dict__[name])
            self._add(theirs)
        return self

    def _refuse_merging(self, other: "AdditiveLearner") -> None:
        """Models merge that were fitted on the same columns in the same order."""
        if self._known() is None:
            return
        if self.n_features_in_ != other.n_features_in_:
            raise ValueError(f"models of {self.n_features_in_} and {other.n_features_in_} columns cannot be merged")
        mine, theirs = self._column_names(), other._column_names()
        if mine and theirs and mine != theirs:
            differing = next((a, b) for a, b in zip(mine, theirs, strict=True) if a != b)
            raise ValueError(
                f"feature names differ: column {differing[0]!r} here is {differing[1]!r} in the other model"
            )

    def forget(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Take rows away that were seen before, as if they never had been."""
        self._check_fitted()
        rows = self._read_rows(X, y, sample_weight, reset=False)
        left = self._kept() - self._summarise(rows)
        if left.classes.size < 2:
            raise ValueError("without these rows fewer than two classes are left; a classifier needs two")
        with self._unchanged_on_error():
            self._learn_from(left)
        warn_of(self.findings_)
        return self

    def _known(self) -> Any:
        return self.__dict__["_pending"] if "_pending" in self.__dict__ else self._kept()

    def _add(self, statistics: Any) -> None:
        known = self._known()
        whole = statistics if known is None else known + statistics
        if whole.classes.size < 2:
            self._pending = whole
            return
        self._learn_from(whole)
        self.__dict__.pop("_pending", None)
