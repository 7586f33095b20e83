"""Scores and posteriors near the largest float: right where they are finite, refused by row where they are not."""

import warnings
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import sparse

from discriminant import FindingWarning, LinearDiscriminantAnalysis, LogisticRegression, NaiveBayes, OneVsAll
from discriminant.decisions.prior_shift import shifted
from discriminant.learners.base import linear_scores, log_posteriors
from discriminant.losses import log_softmax

SCORES = [
    [1e16, 1e16, 0.0],
    [1e16, 1e16 + 2, 1e16 - 2],
    [-1e300, -1e300, 1e300],
    [1.7e308, -1.7e308, 1.7e308],
    [5e-324, 0.0, -5e-324],
    [1e8, 1e8 + 1e-7, 1e8 - 3.0],
    [-1e16, -1e16 + 4, -1e16],
]


def exact(scores, slope=1.0, offsets=(0.0, 0.0, 0.0)):
    with mpmath.workdps(400):
        terms = [mpmath.mpf(slope) * mpmath.mpf(s) + mpmath.mpf(o) for s, o in zip(scores, offsets, strict=True)]
        top = max(terms)
        total = mpmath.fsum(mpmath.exp(t - top) for t in terms)
        return [float(t - top - mpmath.log(total)) for t in terms]


@pytest.mark.parametrize("scores", SCORES)
def test_posteriors_of_any_scores(scores):
    found = log_posteriors(np.array([scores]))
    np.testing.assert_allclose(found[0], np.maximum(exact(scores), -np.finfo(float).max), rtol=1e-14, atol=1e-16)
    assert abs(np.exp(found).sum() - 1) < 1e-15


@pytest.mark.parametrize("slope", [0.0, 0.3, 40.0, -2.0])
@pytest.mark.parametrize("scores", SCORES)
def test_calibrated_posteriors_of_any_scores(scores, slope):
    offsets = (0.5, -3.0, 1e3)
    found = log_softmax(np.array([scores]), slope, offsets)
    np.testing.assert_allclose(np.exp(found[0]), np.exp(exact(scores, slope, offsets)), rtol=1e-12, atol=1e-300)


def test_prior_shift_and_one_against_all_sum_to_one():
    logs = np.array([[-1e16, -1e16, -1e16], [0.0, -1e300, -1e300], [-3e15, -3e15, -1e17]])
    for found in (shifted(logs, np.full(3, 1 / 3), np.array([0.2, 0.3, 0.5])), _one_vs_all(logs)):
        np.testing.assert_allclose(np.exp(found).sum(axis=1), 1.0, rtol=1e-15)


def _one_vs_all(logs):
    pairs = [np.column_stack([np.log1p(-np.exp(column)), column]) for column in logs.T - 1e-9]
    return OneVsAll(LogisticRegression())._log_posteriors(pairs)


def test_a_score_is_finite_where_the_sum_is():
    rng = np.random.default_rng(0)
    X = rng.choice([1e308, -1e308, 1.7e308, 3.0, 1e-300, 0.0], size=(60, 5))
    W, b = rng.choice([1e3, -1e3, 0.5, 1e-300, 1e300, 0.0], size=(2, 5)), np.array([1e308, -1.0])
    for table in (X, sparse.csr_array(X)):
        found = linear_scores(table, W, b)
        for x, scores in zip(X, found, strict=True):
            for w, intercept, score in zip(W, b, scores, strict=True):
                terms = [Fraction(u) * Fraction(v) for u, v in zip(w, x, strict=True)] + [Fraction(intercept)]
                size, value = max(map(abs, terms)), sum(terms)
                if abs(value) > 2 * Fraction(1.79e308):
                    assert score == np.inf * (1 if value > 0 else -1)
                elif abs(value) < Fraction(1.79e308):
                    assert abs(Fraction(score) - value) <= size / 2**48


def test_a_score_beyond_all_floats_is_refused_by_row():
    X, y = np.random.default_rng(1).normal(size=(40, 3)), np.arange(40) % 2
    model = LinearDiscriminantAnalysis().fit(X + 2 * y[:, None], y)
    rows = np.array([[1.0, 1.0, 1.0], np.sign(model.coef_[0]) * 1.7e308])
    for ask in (model.predict, model.predict_proba, model.decision_function):
        with pytest.raises(ValueError, match="score of row 1 overflows"):
            ask(rows)


def test_categories_may_be_any_numbers():
    X = np.array([[1e300, 1.0], [1e300, 2.0], [1e300, 1.0], [1e300, 2.0]])
    model = NaiveBayes(marginal="categorical").fit(X, [0, 1, 0, 1])
    assert model.categories_[0].tolist() == [1e300]
    assert model.predict(X).tolist() == [0, 1, 0, 1]


def test_weights_of_rows_whose_square_is_no_float():
    rng = np.random.default_rng(4)
    model = LinearDiscriminantAnalysis(shrinkage="auto")
    model.fit(rng.normal(size=(30, 3)), np.arange(30) % 2, sample_weight=np.full(30, 1e-200))
    assert 0 <= model.shrinkage_ <= 1


def test_numbers_that_overflow_leave_an_error_and_no_warning():
    X = np.array([[1e-300, 1.0], [2e-300, 2.0], [3e-300, 1.0], [5e-300, 3.0], [1e-300, 2.0], [7e-300, 7.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)
        for learner in (LinearDiscriminantAnalysis(), LogisticRegression(), OneVsAll(LogisticRegression(alpha=1.0))):
            try:
                model = learner.fit(X, [0, 1, 0, 1, 0, 1])
            except ValueError:
                continue
            assert np.isfinite(model.coef_).all()
