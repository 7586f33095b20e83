"""Separable rows under a tiny penalty: the optimum, or a word that it was not reached."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from discriminant import FindingWarning, LinearDiscriminantAnalysis, LogisticRegression, Perceptron
from discriminant.findings import NotConverged


def _separable(n, d, K, seed=0):
    random = np.random.default_rng(seed)
    y = np.arange(n) % K
    X = random.standard_normal((n, d))
    X[:, :K] += 6 * np.eye(K)[y][:, :d]
    return X, y


def _gradient_left(model, X, y, alpha):
    """The largest entry of the gradient beside the largest pull of the penalty."""
    if model.classes_.size == 2:
        c = 2 * y - 1
        pull = c * np.exp(-np.logaddexp(0.0, c * model.decision_function(X)))  # c P(the other class)
        gradient = np.append(alpha * model.coef_[0] - pull @ X, pull.sum())
    else:
        rest = model.predict_proba(X)
        rest[np.arange(len(y)), y] = 0.0
        rest[np.arange(len(y)), y] = -rest.sum(axis=1)  # P(y | x) − 1 without the digits that this loses
        gradient = np.append(alpha * model.coef_ + rest.T @ X, rest.sum(axis=0))
    return np.abs(gradient).max() / (alpha * np.abs(model.coef_).max())


@pytest.mark.parametrize("alpha", [1e-6, 1e-14, 1e-20, 1e-100])
@pytest.mark.parametrize(("n", "d", "K"), [(40, 2, 2), (60, 3, 3), (30, 50, 2)])
@pytest.mark.parametrize("solver", ["newton", "truncated-newton"])
def test_a_tiny_penalty_ends_at_the_optimum_or_says_it_did_not(n, d, K, alpha, solver):
    X, y = _separable(n, d, K)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)
        model = LogisticRegression(alpha=alpha, solver=solver).fit(X, y)
    told = any(isinstance(finding, NotConverged) for finding in model.findings_)
    assert told or _gradient_left(model, X, y, alpha) < 1e-3
    assert not (told and K == 2 and solver == "newton")


def test_what_was_cut_short_is_a_convergence_warning():
    X, y = _separable(60, 3, 3)
    with pytest.warns(ConvergenceWarning, match=r"The solver stopped after 1 iteration\.") as warned:
        LogisticRegression(alpha=1e-3, max_iter=1).fit(X, y)
    assert isinstance(warned[0].message, FindingWarning)
    with pytest.warns(ConvergenceWarning, match="still made mistakes"):
        Perceptron(max_iter=2, random_state=0).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])


def test_firth_says_that_it_is_for_two_classes():
    assert not LogisticRegression(firth=True).__sklearn_tags__().classifier_tags.multi_class
    assert LogisticRegression().__sklearn_tags__().classifier_tags.multi_class
    X, y = _separable(60, 3, 3)
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        LogisticRegression(firth=True).fit(X, y)


def test_more_components_than_columns_are_refused():
    X, y = _separable(60, 3, 4)
    with pytest.raises(ValueError, match="n_components cannot be larger than 1, and is 2: 4 classes in 1 columns"):
        LinearDiscriminantAnalysis(n_components=2).fit(X[:, :1], y)
    with pytest.raises(ValueError, match="cannot be larger than 3"):
        LinearDiscriminantAnalysis(n_components=4).fit(X, y)
