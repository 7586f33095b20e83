"""scikit-learn's names and parameters on our classes: what they say is translated at ``fit``, nothing else."""

from typing import Any

import discriminant as d


class _Renamed:
    """``fit`` and ``partial_fit`` translate the parameters first."""

    def translate(self) -> None:
        """Set our parameters from theirs."""

    def fit(self, X: Any, y: Any = None, **others: Any) -> Any:
        self.translate()
        return super().fit(X, y, **others)  # type: ignore[misc]

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, **others: Any) -> Any:
        self.translate()
        return super().partial_fit(X, y, classes=classes, **others)  # type: ignore[misc]


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
        self.solver, self.tol = solver, tol
        self.store_covariance, self.covariance_estimator = store_covariance, covariance_estimator


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
