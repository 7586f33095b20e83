"""scikit-learn's threshold classifiers on `GainClassifier`.

Theirs speak of probabilities where ours speak of log-odds, and do not shift the scores that they show by the threshold.
"""

from typing import Any

import numpy as np
from scipy import special
from sklearn.base import clone
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import available_if

import discriminant as d


def _has(name: str) -> Any:
    return available_if(lambda model: hasattr(model.estimator, name))


class _Thresholds(d.GainClassifier):
    """What both have in common."""

    def set_learner(self) -> None:
        self.learner = self.estimator

    @property
    def estimator_(self) -> Any:
        return self.learner_

    @property
    def probable(self) -> bool:
        """Whether thresholds are probabilities."""
        return self.response_method != "decision_function" and hasattr(self.learner, "predict_proba")

    def as_score(self, threshold: Any) -> Any:
        return special.logit(threshold) if self.probable else threshold

    def as_theirs(self, score: Any) -> Any:
        return special.expit(score) if self.probable else score

    @_has("decision_function")
    def decision_function(self, X: Any) -> Any:
        return super().decision_function(X) + self.threshold_

    @_has("predict_proba")
    def predict_proba(self, X: Any) -> Any:
        return super().predict_proba(X)

    @_has("predict_log_proba")
    def predict_log_proba(self, X: Any) -> Any:
        return super().predict_log_proba(X)


class FixedThresholdClassifier(_Thresholds):
    def __init__(
        self,
        estimator: Any,
        *,
        threshold: Any = "auto",
        pos_label: Any = None,
        response_method: str = "auto",
    ) -> None:
        super().__init__(estimator, threshold=threshold, calibration=None)
        self.estimator, self.pos_label, self.response_method = estimator, pos_label, response_method

    def _check_fitted(self) -> None:
        if "rule_" not in self.__dict__:
            self.set_learner()
            self.threshold, self.cv = self._given_threshold(), "prefit"
        super()._check_fitted()

    def _given_threshold(self) -> float:
        middle = 0.5 if self.probable else 0.0
        return float(self.as_score(middle if isinstance(self.threshold, str) else self.threshold))

    def fit(self, X: Any, y: Any, **params: Any) -> Any:
        given = self.threshold
        self.set_learner()
        self.threshold = self._given_threshold()
        if self.pos_label is not None and self.pos_label == np.unique(y)[0]:
            self.threshold = -self.threshold
        try:
            return super().fit(X, y, **params)
        finally:
            self.threshold = given


class TunedThresholdClassifierCV(_Thresholds):
    def __init__(
        self,
        estimator: Any,
        *,
        scoring: Any = "balanced_accuracy",
        response_method: str = "auto",
        thresholds: Any = 100,
        cv: Any = None,
        refit: bool = True,
        n_jobs: Any = None,
        random_state: Any = None,
        store_cv_results: bool = False,
    ) -> None:
        super().__init__(
            estimator, scoring=scoring, cv=cv, threshold="tuned", calibration=None, random_state=random_state
        )
        self.estimator, self.response_method, self.thresholds = estimator, response_method, thresholds
        self.refit, self.n_jobs, self.store_cv_results = refit, n_jobs, store_cv_results

    def fit(self, X: Any, y: Any, **params: Any) -> Any:
        self.set_learner()
        given = self.cv
        self.cv = 5 if given is None else given
        try:
            self._fit_or_hold_out(X, y, given, params)
        finally:
            self.cv = given
        return self._as_theirs()

    def _fit_or_hold_out(self, X: Any, y: Any, cv: Any, params: dict[str, Any]) -> None:
        """One split: the learner of its first part is given to ours as a fitted one, with the rows of the second."""
        if isinstance(cv, float):
            cv = list(StratifiedShuffleSplit(1, test_size=cv, random_state=self.random_state).split(X, y))
        if not isinstance(cv, list):
            super().fit(X, y, **params)
            return
        ((training, tested),) = cv
        parts = [{k: v if v is None else _safe_indexing(v, rows) for k, v in params.items()} for rows in cv[0]]
        self.learner = clone(self.estimator).fit(X[training], y[training], **parts[0])
        self.cv = "prefit"
        super().fit(X[tested], y[tested], **parts[1])
        if self.refit:
            self.learner_ = clone(self.estimator).fit(X, y, **params)

    def _as_theirs(self) -> Any:
        self.best_threshold_, self.best_score_ = self.as_theirs(self.threshold_), self.expected_score_
        if self.store_cv_results:
            curve = self.threshold_curve_
            ends = np.clip(self.as_theirs(curve.thresholds[[1, -1]]), -1e300, 1e300)
            wanted = self.thresholds if np.ndim(self.thresholds) else np.linspace(*ends, self.thresholds)
            self.cv_results_ = {"thresholds": wanted, "scores": curve.at(self.as_score(wanted))}
        return self
