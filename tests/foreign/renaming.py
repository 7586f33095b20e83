"""scikit-learn's names and parameters on our classes: what they say is translated at ``fit``, nothing else."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import discriminant as d


class _Renamed:
    """While ``fit`` or ``partial_fit`` runs, our parameters have the values that theirs stand for."""

    def translated(self) -> dict[str, Any]:
        """Our parameters and their values, where theirs have other names or values."""
        return {}

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **others: Any) -> Any:
        if sample_weight is not None:
            others["sample_weight"] = sample_weight
        with self._translated():
            return super().fit(X, y, **others)  # type: ignore[misc]

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, **others: Any) -> Any:
        with self._translated():
            return super().partial_fit(X, y, classes=classes, **others)  # type: ignore[misc]

    @contextmanager
    def _translated(self) -> Iterator[None]:
        ours = self.translated()
        before = {name: getattr(self, name) for name in ours}
        vars(self).update(ours)
        try:
            yield
        finally:
            vars(self).update(before)


class LinearDiscriminantAnalysis(_Renamed, d.LinearDiscriminantAnalysis):
    """All solvers of theirs find what ours finds."""

    def __init__(
        self,
        solver: str = "svd",
        shrinkage: Any = None,
        priors: Any = None,
        n_components: Any = None,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: Any = None,
    ) -> None:
        super().__init__(shrinkage=shrinkage, priors=priors, n_components=n_components)
        self.solver, self.tol, self.store_covariance = solver, tol, store_covariance
        self.covariance_estimator = covariance_estimator


class Perceptron(_Renamed, d.Perceptron):
    """Without a penalty."""

    def __init__(
        self,
        *,
        penalty: Any = None,
        alpha: float = 1e-4,
        l1_ratio: float = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        eta0: float = 1.0,
        random_state: Any = 0,
    ) -> None:
        super().__init__(max_iter=max_iter, shuffle=shuffle, eta=eta0, random_state=random_state)
        self.penalty, self.alpha, self.l1_ratio = penalty, alpha, l1_ratio
        self.fit_intercept, self.tol, self.eta0 = fit_intercept, tol, eta0


class LinearSVC(_Renamed, d.LinearSVM):
    """With a free intercept where theirs is penalised."""

    def __init__(
        self,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        *,
        dual: Any = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        class_weight: Any = None,
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
    ) -> None:
        super().__init__(C=C, loss=loss, tol=tol, class_weight=class_weight, max_iter=max_iter)
        self.penalty, self.dual, self.multi_class = penalty, dual, multi_class
        self.fit_intercept, self.intercept_scaling = fit_intercept, intercept_scaling
        self.verbose, self.random_state = verbose, random_state


class _NaiveBayes(_Renamed, d.NaiveBayes):
    marginal_of_theirs = ""

    def __init__(
        self, *, alpha: Any = 1.0, force_alpha: bool = True, fit_prior: bool = True, class_prior: Any = None
    ) -> None:
        super().__init__(marginal=self.marginal_of_theirs, alpha=alpha)
        self.force_alpha, self.fit_prior, self.class_prior = force_alpha, fit_prior, class_prior

    def fit(self, X: Any, y: Any = None, **others: Any) -> Any:
        self._set_priors(np.unique(y))
        return super().fit(X, y, **others)

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, **others: Any) -> Any:
        self._set_priors(np.unique(y) if classes is None else np.asarray(classes))
        return super().partial_fit(X, y, classes=classes, **others)

    def _set_priors(self, classes: Any) -> None:
        equal = None if self.fit_prior else np.full(len(classes), 1.0 / len(classes))
        self.priors = self.class_prior if self.class_prior is not None else equal


class BernoulliNB(_NaiveBayes):
    marginal_of_theirs = "bernoulli"

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        binarize: Any = 0.0,
        fit_prior: bool = True,
        class_prior: Any = None,
    ) -> None:
        super().__init__(alpha=alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.binarize = binarize


class MultinomialNB(_NaiveBayes):
    marginal_of_theirs = "multinomial"


class CategoricalNB(_NaiveBayes):
    marginal_of_theirs = "categorical"

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        min_categories: Any = None,
    ) -> None:
        super().__init__(alpha=alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.min_categories = min_categories

    def fit(self, X: Any, y: Any = None, **others: Any) -> Any:
        """Theirs knows the numbers in between, too."""
        self._least = self._least_categories(X)
        return super().fit(X, y, **others)

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, **others: Any) -> Any:
        self._least = self._least_categories(X)
        return super().partial_fit(X, y, classes=classes, **others)

    def translated(self) -> dict[str, Any]:
        return {"min_categories": self._least}

    def _least_categories(self, X: Any) -> Any:
        seen = np.asarray(X).max(axis=0).astype(int) + 1
        return np.maximum(seen, 0 if self.min_categories is None else self.min_categories)

    @property
    def n_categories_(self) -> Any:
        return np.array([len(values) for values in self.categories_])


class OneVsRestClassifier(d.OneVsAll):
    def __init__(self, estimator: Any, *, n_jobs: Any = None, verbose: int = 0) -> None:
        super().__init__(estimator)
        self.estimator, self.n_jobs, self.verbose = estimator, n_jobs, verbose


class OneVsOneClassifier(d.OneVsOne):
    def __init__(self, estimator: Any, *, n_jobs: Any = None) -> None:
        super().__init__(estimator)
        self.estimator, self.n_jobs = estimator, n_jobs
