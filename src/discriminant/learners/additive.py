"""Learners whose statistics add: fit in one pass, add rows, merge models, forget rows, all exactly.

A subclass says what it sums over rows and what it makes of the sums; nothing else touches the rows.
"""

from abc import abstractmethod
from contextlib import nullcontext
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import validate_data

from discriminant.findings import warn_of
from discriminant.hyperplane import Planes
from discriminant.learners.base import (
    LinearClassifier,
    empty_table,
    linear_scores,
    planes_of_scores,
    refuse_one_class,
    unchanged_on_error,
)
from discriminant.learners.class_weights import learns_in_parts, weighed_part, weighed_source
from discriminant.learners.declared_classes import declared_with, over_classes, refuse_undeclared, scores_over
from discriminant.learners.diagnosis import Shape
from discriminant.learners.moment_backends import (
    Evidence,
    MomentEvidence,
    ScatterNotKept,
    gather_evidence,
    gather_evidence_of_source,
)
from discriminant.learners.reading_plan import SUMS, ReadingPlan
from discriminant.linalg.discriminant_directions import ClassContrasts
from discriminant.parameters import read_priors
from discriminant.rows import ArrayRows, Rows
from discriminant.rows.labels import places_of
from discriminant.rows.threads import single_threaded_blas
from discriminant.statistics.moments import ClassMoments

Array = NDArray[np.float64]

_MOST_SHOWN = 1000  # columns whose d×d scatter (8 MB) is put together when an attribute is read
_FEW_ROWS, _SMALL_PRODUCT = 1 << 12, 1 << 15  # sums and products of so many numbers BLAS itself leaves to one thread
_OF_SCATTER = ("covariance_", "within_scatter_", "between_scatter_", "total_scatter_")


def _is_of_sums(model: Any) -> bool:
    model.refuse_parts()
    return True


def _adds_rows(model: Any) -> bool:
    model.refuse_parts()
    return learns_in_parts(model)


class AdditiveLearner(LinearClassifier):
    """A classifier that is a function of statistics with ``+``, ``-`` and ``classes``."""

    _pending: Any = None  # statistics of a single class, waiting for a second
    _declared: NDArray[Any] | None = None  # classes that partial_fit was told of, with rows or without

    @abstractmethod
    def summarise(self, rows: Rows) -> Any:
        """The statistics of rows: one pass."""

    @abstractmethod
    def _kept(self) -> Any:
        """The statistics of all rows seen so far; None before the first."""

    @abstractmethod
    def learn(self, statistics: Any) -> None:
        """Set the attributes from statistics of two or more classes."""

    def reading_plan(self) -> ReadingPlan:
        """The plan of a learner of sums: one pass."""
        return SUMS

    def adds_up(self) -> bool:
        """Whether sums over parts of the rows are all that a fit needs: not where it looks at all rows beforehand."""
        return getattr(self, "class_weight", None) is None

    def refuse_parts(self) -> None:
        """Raise an AttributeError where sums over parts of the rows do not tell the model."""

    def _fit_rows(self, rows: Rows) -> None:
        statistics = self.summarise(rows)
        refuse_one_class(statistics.classes)
        self.learn(statistics)

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to a table with its labels, to a rows source alone, or to class moments (see `fit_moments`).

        Parameters
        ----------
        X, y, sample_weight : a table with its labels and weights of rows, or a rows source alone.

        Returns
        -------
        Self
            This model, fitted.
        """
        if isinstance(X, ClassMoments):
            if y is not None or sample_weight is not None:
                raise ValueError("class moments have their labels and weights in them; leave y and sample_weight out")
            return self.fit_moments(X)
        self.check_parameters()
        with unchanged_on_error(self):
            rows = self.read_source(X, y, sample_weight, reset=True)
            known = rows.schema.classes
            if known is not None and known.size < 2:
                refuse_one_class(known)
            self._pending = self._declared = None  # what partial_fit was told plays no part
            class_weight = getattr(self, "class_weight", None)
            every, rows = (None, rows) if class_weight is None else weighed_source(rows, class_weight)
            self._fit_rows(rows)
            if every is not None:
                self._declare(every)
                self._include_declared()
        if self.findings_:
            warn_of(self.findings_)
        return self

    def fit_moments(self, moments: ClassMoments) -> Self:
        """Fit to sums that were made elsewhere or before: ``fit(moments)`` is the same."""
        self.check_parameters()
        refuse_one_class(moments.classes)
        with unchanged_on_error(self):
            validate_data(self, empty_table(moments.n_columns, moments.names), reset=True, skip_check_array=True)
            self._pending = self._declared = None
            self.learn(self._read_moments(moments))
        warn_of(self.findings_)
        return self

    def _read_moments(self, moments: ClassMoments) -> Any:
        """The statistics of this learner from class moments; refused where they do not tell them."""
        raise TypeError(f"{type(self).__name__} is no function of class moments; fit it to rows")

    @available_if(_adds_rows)
    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Add rows to those seen so far.

        ``classes`` names all classes there will be: the model has them from the start, with the probability 0 until
        rows of them come. Where they are never named, new classes may appear, and one class alone is kept until a
        second comes. ``findings_`` are kept, but nothing is warned of: more rows may be on their way.

        Parameters
        ----------
        X, y, sample_weight : a table with its labels and weights of rows, or a rows source alone.
        classes : all classes there will be; the first call may name them before it has rows of each.

        Returns
        -------
        Self
            This model, fitted.
        """
        self.check_parameters()
        with unchanged_on_error(self):
            rows = self.read_source(X, y, sample_weight, reset=self._known() is None)
            statistics = self.summarise(weighed_part(rows, getattr(self, "class_weight", None)))
            self._declare(classes)
            refuse_undeclared(statistics.classes, self._declared)
            self._add(statistics)
        return self

    @available_if(_is_of_sums)
    def merge(self, other: "AdditiveLearner") -> Self:
        """Add all rows another model of this kind has seen.

        Parameters
        ----------
        other : a model of this kind, fitted to the same columns.

        Returns
        -------
        Self
            This model, fitted.
        """
        self.check_parameters()
        if type(other) is not type(self):
            raise TypeError(f"cannot merge a {type(other).__name__} into a {type(self).__name__}")
        theirs = other._known()
        if theirs is None:
            raise ValueError("the other model has seen no rows")
        self._refuse_merging(other)
        with unchanged_on_error(self):
            if self._known() is None:
                for name in ("n_features_in_", "feature_names_in_"):
                    if name in other.__dict__:
                        setattr(self, name, other.__dict__[name])
            self._declare(other._declared)
            self._add(theirs)
        return self

    def _refuse_merging(self, other: "AdditiveLearner") -> None:
        """Models merge that were fitted on the same columns in the same order."""
        if self._known() is None:
            return
        if self.n_features_in_ != other.n_features_in_:
            raise ValueError(f"models of {self.n_features_in_} and {other.n_features_in_} columns cannot be merged")
        mine, theirs = self.column_names_in(), other.column_names_in()
        if mine and theirs and mine != theirs:
            differing = next((a, b) for a, b in zip(mine, theirs, strict=True) if a != b)
            raise ValueError(
                f"feature names differ: column {differing[0]!r} here is {differing[1]!r} in the other model"
            )

    @available_if(_is_of_sums)
    def forget(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Take rows away that were seen before, as if they never had been.

        Parameters
        ----------
        X, y, sample_weight : rows that were added before, with the same labels and weights.

        Returns
        -------
        Self
            This model, fitted.
        """
        self.check_fitted()
        rows = self.read_source(X, y, sample_weight, reset=False)
        rows = weighed_part(rows, getattr(self, "class_weight", None))
        left = self._kept() - self.summarise(rows)
        if left.classes.size < 2:
            raise ValueError("without these rows fewer than two classes are left; a classifier needs two")
        with unchanged_on_error(self):
            self.learn(left)
            self._include_declared()
        warn_of(self.findings_)
        return self

    def _known(self) -> Any:
        return self._kept() if self._pending is None else self._pending

    def _add(self, statistics: Any) -> None:
        known = self._known()
        whole = statistics if known is None else known + statistics
        if whole.classes.size < 2:
            self._pending = whole
            if self._declared is not None:
                self._answer_alone(whole)
                self._include_declared()
            return
        self.learn(whole)
        self._pending = None
        self._include_declared()

    # --- classes without rows ---------------------------------------------------------------------------

    def _declare(self, classes: Any) -> None:
        self._declared = declared_with(self._declared, classes)

    def _answer_alone(self, statistics: Any) -> None:
        """The planes of a single class, which every row belongs to."""
        self.classes_ = statistics.classes
        self.coef_, self.intercept_ = np.zeros((1, self.n_features_in_)), np.zeros(1)
        self.findings_ = ()

    def _include_declared(self) -> None:
        """Give classes without rows their place: no row is assigned to them, and their probability is 0."""
        declared, seen = self._declared, self.classes_
        if declared is None or declared.size == seen.size:
            return
        scores = scores_over(*self._scores_of_classes(), seen, declared)
        self.coef_, self.intercept_ = planes_of_scores(*scores)
        for name, absent in (("priors_", 0.0), ("means_", np.nan)):
            if name in self.__dict__:
                setattr(self, name, over_classes(self.__dict__[name], absent, seen, declared))
        self.classes_ = declared

    def _scores_of_classes(self) -> Planes:
        """A plane for each class seen."""
        return Planes(self.coef_, self.intercept_).by_class(self.classes_.size)

    def _priors_of(self, classes: NDArray[Any], counts: Any) -> Any:
        """The class probabilities of classes with rows; those given for others without are left out."""
        declared, given = self._declared, getattr(self, "priors", None)
        if given is None or declared is None or declared.size == classes.size:
            return read_priors(given, classes, counts)
        shares = read_priors(given, declared, over_classes(counts, 0.0, classes, declared))
        shares = shares[places_of(classes, declared)]
        return shares / shares.sum()


class MomentsLearner(AdditiveLearner):
    """A function of class moments (Fisher, LDA, least squares), kept in the form that suits the shape of the rows."""

    _evidence: Evidence

    @abstractmethod
    def learn_from(self, evidence: Evidence, rows: Rows | None) -> None:
        """Set the attributes from the evidence; ``rows`` are there in ``fit`` alone."""

    def wants_each_class(self) -> bool | None:
        """Whether to keep the scatter of each class: always, never, or (None) where it is small."""
        return None

    def _fit_rows(self, rows: Rows) -> None:
        if not isinstance(rows, ArrayRows):
            self._fit_source(rows)
            return
        # threaded BLAS pays where one large factorisation is all there is to do: in the row space
        n, d = rows.matrix.shape
        small = n <= _FEW_ROWS and n * d * d <= _SMALL_PRODUCT
        with nullcontext() if small or n < d else single_threaded_blas():
            self.learn_evidence(gather_evidence(rows, per_class=self.wants_each_class()), rows)

    def _fit_source(self, rows: Rows) -> None:
        evidence = gather_evidence_of_source(rows, type(self).__name__, per_class=self.wants_each_class())
        refuse_one_class(evidence.classes)
        with single_threaded_blas():
            self.learn_evidence(evidence, rows)

    def __dir__(self) -> list[str]:
        """The attributes, without a scatter of the rows that this fit did not form: a notebook would ask for it."""
        names = list(super().__dir__())
        return [name for name in names if name not in _OF_SCATTER] if self._scatter_is_large() else names

    def _scatter_is_large(self) -> bool:
        """Whether the d×d scatter was not formed, and would take long to be: attributes must not."""
        evidence = self.__dict__.get("_evidence")
        return evidence is not None and not isinstance(evidence, MomentEvidence) and self.n_features_in_ > _MOST_SHOWN

    def _refuse_large_scatter(self) -> None:
        if self._scatter_is_large():
            d = self.n_features_in_
            raise ScatterNotKept(
                f"this fit went without the {d}×{d} scatter of its columns; ClassMoments.of(X, y) sums it"
            )

    def learn_evidence(self, evidence: Evidence, rows: Rows | None = None) -> Self:
        """Set the attributes from the evidence, and keep it without the rows for all that is asked later."""
        self.learn_from(evidence, rows)
        self._evidence = evidence.without_rows()
        return self

    def summarise(self, rows: Rows) -> ClassMoments:
        """The class moments, d×d."""
        return ClassMoments.of_source(rows, per_class=self.wants_each_class())

    def _read_moments(self, moments: ClassMoments) -> ClassMoments:
        if not moments.full:
            raise ValueError(f"{type(self).__name__} needs covariances, and these moments keep variances alone")
        if self.wants_each_class() and not moments.per_class:
            raise ValueError("these moments have one scatter for all classes; take them with per_class=True")
        return moments

    def _kept(self) -> ClassMoments | None:
        return self._evidence.moments(self.wants_each_class()) if "_evidence" in self.__dict__ else None

    def learn(self, statistics: ClassMoments) -> None:
        """Set the attributes from class moments, which are all that is known of the rows."""
        self.learn_evidence(self._evidence_of(statistics))

    def _evidence_of(self, moments: ClassMoments) -> MomentEvidence:
        # a population has no number of rows, so that none is too small
        rows = np.full_like(moments.counts, 2.0**40) if moments.of_population else np.minimum(moments.counts, 2.0**62)
        shape = Shape(self.column_names_in(), int(rows.sum()), np.rint(rows).astype(np.int64), False)
        return MomentEvidence(moments, shape, summed=True)


class ProjectionMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """`transform` to the directions w of greatest J(w) = w·S_B w/w·S_W w, scaled to unit covariance.

    Directions without any spread within the classes come first, as unit vectors, with J infinite.
    """

    n_components: int | None = None
    scalings_: Array
    _projection_centre: Array

    def _refuse_n_components(self) -> None:
        """Refuse a number of directions that is none."""
        wanted = self.n_components
        if isinstance(wanted, bool) or not isinstance(wanted, int | np.integer) or wanted < 1:
            raise ValueError(f"n_components must be None or a positive integer, got {wanted!r}")

    def _set_projection(self, contrast: ClassContrasts, centre: Array, divisor: float) -> None:
        """Directions of a covariance S_W/divisor; ``eigenvalues_`` are their J, eigenvalues of S_W⁻¹S_B."""
        wanted = self.n_components
        possible = contrast.directions.shape[1]
        most = min(len(contrast.solved) - 1, len(contrast.directions))
        if wanted is not None and wanted > max(possible, most):
            raise ValueError(
                f"n_components cannot be larger than {most}, and is {wanted}: {len(contrast.solved)} classes in "
                f"{len(contrast.directions)} columns have no more discriminant directions"
            )
        self.scalings_ = contrast.directions[:, :wanted]
        self.eigenvalues_ = contrast.ratios / divisor
        total = contrast.ratios.sum()
        endless = np.isinf(contrast.ratios)
        share = endless / endless.sum() if endless.any() else contrast.ratios / total if total else contrast.ratios
        self.explained_variance_ratio_ = share[:wanted]
        self._projection_centre = centre
        self._n_features_out = self.scalings_.shape[1]

    def transform(self, X: Any) -> Array:
        """Coordinates along the discriminant directions, measured from the mean.

        Parameters
        ----------
        X : a table with the columns of the fit.

        Returns
        -------
        ndarray
            n×(number of directions).
        """
        matrix = self.read_columns(X)
        scores = linear_scores(matrix, self.scalings_.T, -self._projection_centre @ self.scalings_)
        if not np.isfinite(scores).all():
            self.refuse_scores(matrix, scores)
        return scores
