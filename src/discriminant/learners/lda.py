"""Linear discriminant analysis: Gaussian classes with one covariance."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from discriminant.findings import warn_of
from discriminant.hyperplane import Planes
from discriminant.learners.additive import MomentsLearner, ProjectionMixin
from discriminant.learners.base import ProbabilisticMixin, linear_scores, planes_of_scores
from discriminant.learners.class_weights import ClassWeight, weighed_by_class
from discriminant.learners.estimated_covariance import estimated_moments
from discriminant.learners.leave_out import kfold_scores, loo_scores
from discriminant.learners.moment_backends import (
    ClassMeans,
    Discrimination,
    Evidence,
    MomentEvidence,
    ScatterNotKept,
    SparseEvidence,
    gather_evidence,
    shrink_scatter,
)
from discriminant.learners.registry import LearnerEntry
from discriminant.parameters import Shrinkage, read_choice, read_priors, read_shrinkage
from discriminant.rows import ArrayRows, Rows, in_memory
from discriminant.statistics.moments import ClassMoments

Array = NDArray[np.float64]

Divisor = Literal["mle", "moment"]


def gaussian_planes(solved: Array, displacements: Array, mean: Array, priors: Array) -> Planes:
    """The planes of the scores s_k from Σ⁻¹δ_k: one row for two classes, K for more."""
    offsets = np.log(priors) - 0.5 * np.einsum("kj,kj->k", solved, displacements) - solved @ mean
    return planes_of_scores(solved, offsets)


class LinearDiscriminantAnalysis(ProjectionMixin, ProbabilisticMixin, MomentsLearner):
    """Bayes' rule for Gaussian classes that share a covariance.

    Parameters
    ----------
    priors : class probabilities in the order of ``classes_``, or a mapping; default: the shares of the rows.
    shrinkage : None; a number s from 0 to 1, for the covariance (1 − s)Σ + s(tr Σ/d)I; or "auto", Ledoit and
        Wolf's intensity for the rows centred on their class means.
    covariance_estimator : anything with ``fit`` and ``covariance_``, as in sklearn.covariance (OAS, the graphical
        lasso, minimum covariance determinant): Σ is then the mean of its estimates for the classes, by their shares of
        the rows. In place of ``shrinkage``, for tables in memory, without weights of rows.
    method : "mle" divides the scatter by n, as maximum likelihood does; "moment" by n − K, as R's MASS does.
    class_weight : None, a mapping of classes to weights, or "balanced"; it multiplies ``sample_weight``. A class of
        weight 0 stays in ``classes_``, and no row is assigned to it.
    n_components : how many directions `transform` keeps; default: all, at most K − 1.

    Attributes
    ----------
    coef_, intercept_ : arrays 1×d and 1, of K > 2 classes K×d and K: the weights w and −θ.
    classes_ : array of K labels, sorted.
    findings_ : tuple of `Finding`: what was odd about the data or the fit.
    priors_ : array of K, the class probabilities π_k.
    means_ : array K×d, the means μ_k.
    shrinkage_ : float, that of Σ.
    scalings_ : array d×(K − 1) or less, the directions of `transform`.
    eigenvalues_, explained_variance_ratio_ : arrays of K − 1: the ratio of scatters along each direction, and its
        share.

    Notes
    -----
    The classes are Gaussian with means μ_k and one covariance:

        P(k | x) ∝ π_k exp(−½(x − μ_k)′Σ⁻¹(x − μ_k)),   Σ = Σ_k (n_k/n)S_k

    so the score of class k is linear, and with δ_k = μ_k − μ̄ measured from the mean of all rows

        s_k(x) = δ_k′Σ⁻¹(x − μ̄) − ½δ_k′Σ⁻¹δ_k + log π_k.

    For two classes the score is s₂ − s₁, with w = Σ⁻¹(μ₂ − μ₁).

    The model keeps what `with_shrinkage`, `merge` and `forget` need, and no row: d×d moments for tall tables; for
    tables with more columns than rows, moments in the space that the rows span. Of sparse rows of over 2,000 columns it
    keeps counts and means alone: `with_shrinkage` is then given the rows once more.

    Where the covariance is singular and the class means differ in its null space, the classes are separated
    without error there; the model finds that direction, uses it, and says so in ``findings_``.

    Examples
    --------
    >>> X, y = [[2, 4], [4, 6], [1, 6], [3, 8]], [1, 1, 2, 2]
    >>> model = LinearDiscriminantAnalysis().fit(X, y)
    >>> model.predict(X).tolist()
    [1, 1, 2, 2]
    >>> sorted({name for finding in model.findings_ for name in finding.columns})
    ['column 0', 'column 1']
    """

    _discrimination: Discrimination

    def __init__(
        self,
        *,
        priors: ArrayLike | Mapping[Any, float] | None = None,
        shrinkage: Shrinkage = None,
        covariance_estimator: Any = None,
        method: Divisor = "mle",
        class_weight: ClassWeight = None,
        n_components: int | None = None,
    ) -> None:
        self.priors = priors
        self.shrinkage = shrinkage
        self.covariance_estimator = covariance_estimator
        self.method = method
        self.class_weight = class_weight
        self.n_components = n_components

    def check_parameters(self) -> None:
        """Refuse parameters that make no sense, before any row is touched."""
        read_shrinkage(self.shrinkage)
        read_choice(self.method, get_args(Divisor), "method")
        if self.n_components is not None:
            self._refuse_n_components()
        if self.covariance_estimator is not None and self.shrinkage is not None:
            raise ValueError("covariance_estimator and shrinkage are two ways to one covariance; give one of them")

    def adds_up(self) -> bool:
        """Whether sums over parts of the rows are all that a fit needs."""
        return super().adds_up() and self.covariance_estimator is None

    def summarise(self, rows: Rows) -> ClassMoments:
        """The class moments, d×d; refused where a covariance is estimated from all rows at once."""
        if self.covariance_estimator is not None:
            raise ValueError("covariance_estimator needs all rows at once; use fit, or shrinkage in its place")
        return super().summarise(rows)

    def _fit_rows(self, rows: Rows) -> None:
        if self.covariance_estimator is None:
            super()._fit_rows(rows)
            return
        self.learn_evidence(self._evidence_of_rows(in_memory(rows, "covariance_estimator")))

    def _evidence_of_rows(self, rows: ArrayRows) -> Evidence:
        """What a fit to these rows would learn from."""
        if self.covariance_estimator is None:
            return gather_evidence(rows, per_class=self.wants_each_class())
        return self._evidence_of(estimated_moments(rows, self.covariance_estimator))

    def wants_each_class(self) -> bool | None:
        """Whether to keep the scatter of each class."""
        return True if isinstance(self.shrinkage, str) else None

    def learn_from(self, evidence: Evidence, rows: Rows | None) -> None:
        """Set the attributes from the evidence."""
        priors = self._priors_of(evidence.classes, evidence.counts)
        found = evidence.discriminate(read_shrinkage(self.shrinkage), self._divisor(evidence.counts))
        self._adopt(evidence, found, priors)
        self.findings_ = found.findings

    def _divisor(self, counts: Array) -> float:
        n = float(counts.sum())
        divisor = n if self.method == "mle" or self.covariance_estimator is not None else n - counts.size
        if divisor <= 0:
            raise ValueError(f"method='moment' divides by n − K, but there are {n:g} rows in {counts.size} classes")
        return divisor

    def _adopt(self, evidence: Evidence, found: Discrimination, priors: Array) -> None:
        """Set every attribute that prediction and inspection need."""
        means, mean = evidence.means, evidence.mean
        self.classes_ = evidence.classes
        self.priors_ = priors
        self.means_ = means
        self.shrinkage_ = found.shrinkage
        self.coef_, self.intercept_ = gaussian_planes(found.contrast.solved, means - mean, mean, priors)
        self._set_projection(found.contrast, centre=priors @ means, divisor=self._divisor(evidence.counts))
        self._discrimination = replace(found, metric=None)

    @property
    def covariance_(self) -> Array:
        """Σ, the covariance shared by the classes (d×d), as it was used."""
        self.check_fitted()
        self._refuse_large_scatter()
        within = self._evidence.moments().within / self._divisor(self._evidence.counts)
        return shrink_scatter(within, self.shrinkage_, len(within)) if self.shrinkage_ else within

    # --- new models from what was kept ------------------------------------------------------------------

    def with_priors(self, priors: ArrayLike | Mapping[Any, float] | None) -> Self:
        """The same model for other class probabilities; no row is touched.

        Parameters
        ----------
        priors : class probabilities in the order of ``classes_``, or by class; None for the shares of the rows.

        Returns
        -------
        Self
            Another model.
        """
        self.check_fitted()
        model = self._copy(priors=priors)
        evidence = self._evidence
        model._adopt(evidence, self._discrimination, model._priors_of(evidence.classes, evidence.counts))
        model.findings_ = self.findings_
        model._include_declared()
        return model

    def with_shrinkage(
        self, shrinkage: Shrinkage, X: Any = None, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """The same rows with another shrinkage, from the statistics that were kept.

        A fit of wide sparse rows has not kept their scatter; give it X and y once more.

        Parameters
        ----------
        shrinkage : as the constructor takes it.
        X, y, sample_weight : the rows of the fit once more, where what was kept of them does not do.

        Returns
        -------
        Self
            Another model.
        """
        self.check_fitted()
        model = self._copy(shrinkage=shrinkage)
        model.check_parameters()
        model.learn_from(self._evidence_for(X, y, sample_weight), None)
        model._include_declared()
        warn_of(model.findings_)
        return model

    def _evidence_for(self, X: Any, y: Any, sample_weight: Any) -> Evidence:
        """What was kept, or the evidence of the rows of the fit where that is not enough."""
        if not isinstance(self._evidence, ClassMeans):
            return self._evidence
        if X is None:
            raise ScatterNotKept(
                f"this fit of {self.n_features_in_} sparse columns went without their scatter, and a fitted model "
                "keeps no rows; give those of the fit: with_shrinkage(shrinkage, X, y)"
            )
        rows = weighed_by_class(self._rows_of_fit(X, y, sample_weight)[0], self.class_weight)
        return gather_evidence(rows, per_class=self.wants_each_class())

    def _copy(self, **changes: Any) -> Self:
        model: Self = clone(self).set_params(**changes)
        model._evidence = self._evidence
        for name in ("n_features_in_", "feature_names_in_", "_declared"):
            if name in self.__dict__:
                setattr(model, name, self.__dict__[name])
        return model

    # --- scores of rows by models that have not seen them -----------------------------------------------

    def loo_decision_function(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Array:
        """The score of each row by the model fitted to all the others; where there are moments, without fitting n.

        X, y are the rows this model was fitted to. A class whose only row is left out scores −∞.

        Parameters
        ----------
        X, y, sample_weight : the rows of the fit.

        Returns
        -------
        ndarray
            Scores as `decision_function` has them.
        """
        rows, kept = self._rows_of_fit(X, y, sample_weight)
        if not isinstance(self._evidence, MomentEvidence) or not self.adds_up():
            return self.kfold_decision_function(X, y, np.arange(self.read_columns(X).shape[0]), sample_weight)
        scores = self.decision_function(X)  # of rows without weight: the model has not seen them
        scores[kept] = loo_scores(self, self._kept_moments(), rows)
        return scores

    def kfold_decision_function(
        self, X: Any, y: Any, folds: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Array:
        """The score of each row by the model of all rows outside its fold; ``folds`` gives each row's fold.

        The moments of each fold are subtracted from the whole, one pass over the rows for all folds; of wide tables,
        of which moments are not kept, a model is fitted without each fold.

        Parameters
        ----------
        X, y, sample_weight : the rows of the fit.
        folds : the number of a fold for each row.

        Returns
        -------
        ndarray
            Scores as `decision_function` has them.
        """
        rows, kept = self._rows_of_fit(X, y, sample_weight)
        matrix, rest_of = self.read_columns(X), self._evidence_of_parts(rows)

        def without(inside: NDArray[np.bool_], tested: NDArray[np.intp]) -> Array:
            return self._scores_by(rest_of(inside), matrix[tested])

        return kfold_scores(self.decision_function(X), kept, folds, without)

    def _evidence_of_parts(self, rows: ArrayRows) -> Callable[[NDArray[np.bool_]], Evidence]:
        """The evidence of all rows but some, given which; what these have in common is computed once."""
        if not self.adds_up():
            return lambda inside: self._evidence_of_rows(
                weighed_by_class(rows.take(np.flatnonzero(~inside)), self.class_weight)
            )
        if isinstance(self._evidence, MomentEvidence):
            whole = self._kept_moments()

            def subtracted(inside: NDArray[np.bool_]) -> Evidence:
                own = ClassMoments.of_rows(rows.take(np.flatnonzero(inside)), per_class=whole.per_class)
                return self._evidence_of(whole - own)

            return subtracted
        if rows.stays_sparse:
            sparse = SparseEvidence.for_parts(rows)
            return lambda inside: sparse.take(np.flatnonzero(~inside))
        return lambda inside: gather_evidence(rows.take(np.flatnonzero(~inside)), per_class=self.wants_each_class())

    def _kept_moments(self) -> ClassMoments:
        moments = self._evidence.moments(self.wants_each_class())
        if self.shrinkage == "auto" and moments.quartic is None:
            raise ValueError("shrinkage='auto' was set after fitting; fit again, or use with_shrinkage('auto')")
        return moments

    def _rows_of_fit(self, X: Any, y: Any, sample_weight: Any) -> tuple[ArrayRows, NDArray[np.intp]]:
        """The rows with weight, checked to be those of the fit, and their numbers."""
        self.check_fitted()
        rows = self.read_rows(X, y, sample_weight, reset=False)
        weighed = weighed_by_class(rows, self.class_weight)
        counts = np.bincount(weighed.codes, weights=weighed.weights, minlength=weighed.classes.size)
        known = self._evidence
        if not np.array_equal(weighed.classes, known.classes) or not np.allclose(counts, known.counts):
            raise ValueError("X, y are not the rows this model was fitted to: the class counts differ")
        return rows, rows.numbers

    def _scores_by(self, evidence: Evidence, matrix: Any) -> Array:
        """Scores of rows, over all classes, by the model of what was left when they were taken away."""
        present = np.isin(self.classes_, evidence.classes)
        scores = np.full((matrix.shape[0], present.size), -np.inf)
        if evidence.classes.size == 1:
            scores[:, present] = 0.0
        else:
            priors = None if self.priors is None else self.priors_[present] / self.priors_[present].sum()
            found = evidence.discriminate(self.shrinkage, self._divisor(evidence.counts))
            mean = evidence.mean
            shares = read_priors(priors, evidence.classes, evidence.counts)
            part = linear_scores(matrix, *gaussian_planes(found.contrast.solved, evidence.means - mean, mean, shares))
            if part.shape[1] == 1:
                part = np.column_stack([np.zeros(len(part)), part])
            scores[:, present] = part
        return scores[:, 1] - scores[:, 0] if present.size == 2 else scores


LEARNERS = (
    LearnerEntry(
        "lda", "Linear discriminant analysis", LinearDiscriminantAnalysis, generative=True, closed_form=True
    ),
    LearnerEntry(
        "lda-shrinkage", "LDA with shrinkage", LinearDiscriminantAnalysis, {"shrinkage": "auto"},
        generative=True, closed_form=True, sparse=True, wide=True,
    ),
)  # fmt: skip
