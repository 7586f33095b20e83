"""Sparse weights, bounds and signs: optimal by arithmetic that knows nothing of how they were found."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression as TheirLogistic

from discriminant import LogisticRegression
from tests.learners.kkt import logistic_slopes, violation

TIGHT = 1e-11


def problem(seed, n_classes=2):
    """A random table with its labels, weights, offsets: dense or sparse, tall or wide, badly scaled now and then."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(20, 80)), int(rng.integers(2, 120))
    X = rng.normal(size=(n, d)) @ (np.eye(d) + rng.normal(size=(d, d)) * rng.choice([0.0, 0.3]))
    scores = X[:, :n_classes] @ rng.normal(size=(min(d, n_classes), n_classes)) + rng.normal(size=(n, n_classes))
    y = scores.argmax(axis=1)
    y[:n_classes] = np.arange(n_classes)
    if rng.random() < 0.4:
        X = sparse.csr_array(np.where(rng.random((n, d)) < 0.3, X, 0.0))
    elif rng.random() < 0.5:
        X = X * 10.0 ** rng.integers(-4, 5, size=d) + rng.choice([0.0, 30.0])
    weight = rng.integers(1, 4, size=n) * rng.choice([1.0, 0.37])
    offset = rng.choice([0.0, 1.0]) * rng.normal(size=n if n_classes == 2 else (n, n_classes))
    dense = X.toarray() if sparse.issparse(X) else X
    pull = np.abs((dense - dense.mean(axis=0)).T @ (weight * (y == 1))).max()
    return X, y, weight, offset, float(pull * rng.choice([0.3, 0.03, 0.003]))


@pytest.mark.parametrize("seed", range(20))
def test_two_classes(seed):
    X, y, weight, offset, alpha = problem(seed)
    ratio = (1.0, 0.5, 0.9)[seed % 3]
    model = LogisticRegression(alpha=alpha, l1_ratio=ratio, tol=TIGHT).fit(X, y, weight, offset)
    left = violation(
        logistic_slopes, X, y, weight, model.coef_, model.intercept_, alpha * ratio, alpha * (1 - ratio), offset=offset
    )
    assert left < 1e-6
    assert model.gap_ <= TIGHT
    assert not model.coef_[model.proved_zero_].any()


def test_scikit_learn_has_the_same_weights():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 12))
    y = (X[:, 0] - X[:, 1] + rng.normal(size=60) > 0).astype(int)
    theirs = TheirLogistic(l1_ratio=1.0, C=0.3, solver="saga", tol=1e-10, max_iter=10**5, random_state=0).fit(X, y)
    model = LogisticRegression(alpha=1 / 0.3, l1_ratio=1.0).fit(X, y)
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-7)
    np.testing.assert_array_equal(model.coef_ == 0, theirs.coef_ == 0)
    np.testing.assert_array_equal(model.proved_zero_, theirs.coef_ == 0)
