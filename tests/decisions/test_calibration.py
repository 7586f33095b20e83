"""Scores become probabilities: against scikit-learn's calibrators, and by laws."""

import numpy as np
import pytest
from hypothesis import given
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator

from discriminant.decisions import calibration
from discriminant.decisions.calibration import OwnProbabilities, isotonic, platt
from tests.tables import seeds


class FirstColumn(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose score is its only column."""

    classes_ = np.array([0, 1])
    n_features_in_ = 1

    def fit(self, X, y):
        return self

    def __sklearn_is_fitted__(self):
        return True

    def decision_function(self, X):
        return np.asarray(X)[:, 0]

    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)


def scored(seed, K=2, n=200, apart=1.5):
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(K), rng.integers(0, K, n - K)])
    own = np.eye(K)[codes]
    scores = rng.standard_normal((n, K)) + apart * own
    return (scores[:, 1:] - scores[:, :1] if K == 2 else scores), codes, rng.integers(1, 4, n).astype(float)


def steepness(found, scores, codes, weight):
    """The largest slope of the mean log-likelihood, on Platt's targets, in an offset or in the factor of a score."""
    p = np.exp(found.log_posteriors(scores))
    s = np.hstack([np.zeros_like(scores), scores]) if scores.shape[1] == 1 else scores
    K, counts = s.shape[1], np.bincount(codes, weights=weight)
    targets = (1.0 / (counts + K))[codes, None] * np.where(np.eye(K)[codes] == 1, counts[codes, None] + 1, 1.0)
    slopes = np.append(weight @ (p - targets), weight @ ((p - targets) * s).sum(axis=1))
    return np.abs(slopes).max() / weight.sum()


@pytest.mark.filterwarnings("ignore:Since FrozenEstimator")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("make", "method"), [(platt, "sigmoid"), (isotonic, "isotonic")])
def test_two_classes_as_scikit_learn_calibrates_them(make, method, weighted):
    scores, codes, weight = scored(1)
    weight = weight if weighted else np.ones(len(codes))
    theirs = CalibratedClassifierCV(FrozenEstimator(FirstColumn()), method=method)
    theirs.fit(scores, codes, sample_weight=weight if weighted else None)
    expected = theirs.predict_proba(scores)
    got = np.exp(make(scores, codes, weight).log_posteriors(scores))
    inside = (expected[:, 1] > 0.01) & (expected[:, 1] < 0.99)  # ours never says 0 or 1
    assert inside.sum() > 100
    assert np.abs(got - expected)[inside].max() < (1e-4 if method == "sigmoid" else 1e-12)


@given(seeds)
def test_platt_of_several_classes_is_stationary(seed):
    """Σω(p − t) = 0 for each class, and Σω Σ_k (p − t)_k s_k = 0: the likelihood is largest there."""
    scores, codes, weight = scored(seed, K=3)
    found = platt(scores, codes, weight)
    assert found.slope > 0
    assert steepness(found, scores, codes, weight) < 1e-6


@pytest.mark.parametrize("apart", [1.5, 6.0, 20.0])
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_platt_ends_where_only_rounding_is_left_to_gain(seed, K, apart, monkeypatch):
    """However far the scores set the classes apart, and so however flat the likelihood is about its maximum."""
    scores, codes, weight = scored(seed, K, n=2000, apart=apart)
    evaluations = []
    plain = calibration.log_posteriors
    monkeypatch.setattr(calibration, "log_posteriors", lambda s: evaluations.append(1) or plain(s))
    found = platt(scores, codes, weight)
    assert len(evaluations) <= 40
    assert steepness(found, scores, codes, weight) < 1e-13


@given(seeds)
def test_weights_are_repetitions(seed):
    scores, codes, weight = scored(seed, K=3, n=60)
    copies = np.repeat(np.arange(60), weight.astype(int))
    for make in (platt, isotonic):
        weighed = make(scores, codes, weight).log_posteriors(scores)
        repeated = make(scores[copies], codes[copies], np.ones(copies.size)).log_posteriors(scores)
        assert np.allclose(weighed, repeated, atol=1e-7)


def test_units_of_the_score_do_not_matter():
    scores, codes, weight = scored(3)
    expected = platt(scores, codes, weight).log_posteriors(scores)
    for factor in (1e-150, 1e-6, 1e6, 1e150):
        assert np.allclose(platt(scores * factor, codes, weight).log_posteriors(scores * factor), expected, atol=1e-8)


def test_scores_that_separate_or_say_nothing_or_the_opposite():
    codes = np.repeat([0, 1], 50)
    apart = platt(np.where(codes == 1, 1.0, -1.0)[:, None], codes, np.ones(100))
    assert np.exp(apart.log_posteriors(np.array([[1.0]])))[0, 1] == pytest.approx(51 / 52)
    for flat in (np.zeros((100, 1)), np.where(codes == 1, -1.0, 1.0)[:, None]):
        assert platt(flat, codes, np.ones(100)).slope == 0.0
        assert np.exp(platt(flat, codes, np.ones(100)).log_posteriors(flat))[0].tolist() == pytest.approx([0.5, 0.5])


def test_infinite_log_odds():
    scores = np.array([[-np.inf], [np.inf], [0.3], [-0.2], [np.inf], [-np.inf]])
    codes = np.array([0, 1, 1, 0, 0, 1])
    for found in (platt(scores, codes, np.ones(6)), isotonic(scores, codes, np.ones(6))):
        p = np.exp(found.log_posteriors(scores))
        assert np.isfinite(p).all()
        assert np.allclose(p.sum(axis=1), 1.0)
    assert np.exp(OwnProbabilities(np.array([0.5, 0.5])).log_posteriors(scores))[:2].tolist() == [
        [1.0, 0.0],
        [0.0, 1.0],
    ]


def test_isotonic_rises_and_sums_to_one():
    scores, codes, weight = scored(5, K=3, n=3000)
    p = np.exp(isotonic(scores, codes, weight).log_posteriors(scores))
    assert np.allclose(p.sum(axis=1), 1.0)
    assert p.min() > 0
    binary, codes, weight = scored(6, n=3000)
    rising = isotonic(binary, codes, weight).log_posteriors(np.sort(binary, axis=0))[:, 1]
    assert (np.diff(rising) >= 0).all()


def test_the_score_of_given_log_odds():
    scores, codes, weight = scored(7)
    found = platt(scores, codes, weight)
    at = found.score_at(0.7)
    logs = found.log_posteriors(np.array([[at]]))[0]
    assert logs[1] - logs[0] == pytest.approx(0.7)
    assert OwnProbabilities(np.array([0.5, 0.5])).score_at(0.7) == 0.7
