"""scikit-learn's ridge classifiers on `LeastSquaresClassifier`; the choice of alpha is a search over ours."""

from typing import Any

import numpy as np
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv

import discriminant as d
from discriminant.learners.base import linear_scores
from tests.foreign.renaming import _Renamed


class RidgeClassifier(_Renamed, d.LeastSquaresClassifier):
    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: Any = None,
        tol: float = 1e-4,
        class_weight: Any = None,
        solver: str = "auto",
        positive: bool = False,
        random_state: Any = None,
    ) -> None:
        super().__init__(alpha=alpha, fit_intercept=fit_intercept, class_weight=class_weight, tol=tol)
        self.copy_X, self.max_iter, self.solver = copy_X, max_iter, solver
        self.positive, self.random_state = positive, random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **others: Any) -> Any:
        """Labels of several columns are learnt by `OneVsAll` around the same learner."""
        self._of_labels = None
        if np.ndim(y) == 2 and np.shape(y)[1] > 1:
            one = d.LeastSquaresClassifier(alpha=self.alpha, fit_intercept=self.fit_intercept)
            self._of_labels = d.OneVsAll(one).fit(X, y)
            self.coef_, self.intercept_ = self._of_labels.coef_, self._of_labels.intercept_
            self.classes_ = self._of_labels.classes_
            return self
        return super().fit(X, y, sample_weight, **others)

    def predict(self, X: Any) -> Any:
        return super().predict(X) if self._of_labels is None else self._of_labels.predict(X)


class RidgeClassifierCV(RidgeClassifier):
    """Each alpha is tried on rows left out, all by ours."""

    def __init__(
        self,
        alphas: Any = (0.1, 1.0, 10.0),
        *,
        fit_intercept: bool = True,
        scoring: Any = None,
        cv: Any = None,
        class_weight: Any = None,
        store_cv_results: bool = False,
    ) -> None:
        super().__init__(fit_intercept=fit_intercept, class_weight=class_weight)
        self.alphas, self.scoring, self.cv, self.store_cv_results = alphas, scoring, cv, store_cv_results

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        alphas = np.atleast_1d(self.alphas)
        scores = [self._score_left_out(alpha, X, y, sample_weight) for alpha in alphas] if alphas.size > 1 else [np.nan]
        self.alpha_, self.best_score_ = alphas[np.argmax(scores)], float(np.max(scores))
        self.alpha = self.alpha_
        super().fit(X, y, sample_weight)
        if len(self.coef_) == 1:
            self.coef_ = self.coef_[0]  # theirs is flat, here alone
        return self

    def _score_left_out(self, alpha: float, X: Any, y: Any, weights: Any) -> float:
        """Five folds do where theirs leave one row out."""
        scorer = check_scoring(self, self.scoring)
        folds = 5 if self.cv is None else self.cv
        labels, scores = np.asarray(y), []
        for training, tested in check_cv(folds).split(X, y):
            model = RidgeClassifier(alpha, fit_intercept=self.fit_intercept, class_weight=self.class_weight)
            model.fit(X[training], labels[training], None if weights is None else weights[training])
            scores.append(scorer(model, X[tested], labels[tested]))
        return float(np.mean(scores))

    def score_matrix(self, matrix: Any) -> Any:
        return linear_scores(matrix, np.atleast_2d(self.coef_), self.intercept_)
