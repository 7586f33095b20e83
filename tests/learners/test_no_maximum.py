"""Likelihoods without a maximum: weights stay where numbers can be told apart, and the finding is always given."""

import numpy as np
import pytest
from scipy import sparse

from discriminant import LogisticRegression, separate
from discriminant.findings import Separable


def fitted(X, y, weight=None):
    with pytest.warns(UserWarning, match="no maximum"):
        model = LogisticRegression(alpha=0.0).fit(X, y, sample_weight=weight)
    assert any(isinstance(finding, Separable) for finding in model.findings_)
    return model


def flags(seed, K, n, d):
    """Rows of flags, weights of very different sizes."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % K
    return (random.normal(size=(n, d)) > 0) * 1.0, y, 10.0 ** random.integers(-6, 7, n)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize(("K", "n"), [(2, 14), (7, 18)])
def test_rows_of_very_different_weights(seed, K, n):
    """Where few rows have all the weight the curvature is lost in rounding: steps once led to scores of 1e159."""
    X, y, weight = flags(seed, K, n, 10)
    if K == 2 and separate(X, y).kind == "none":
        pytest.skip("rows that have a maximum")
    model = fitted(X, y, weight)
    assert np.abs(model.decision_function(X)).max() < 1e7


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("K", [3, 5, 10])
def test_weights_of_separated_classes_stay_small(K, form):
    random = np.random.default_rng(K)
    y = np.arange(120) % K
    X = random.normal(size=(120, 4)) + 9 * np.stack([y, np.cos(y), np.sin(y), 0 * y], axis=1)
    assert np.abs(fitted(form(X), y).decision_function(X)).max() < 1e3


def test_planes_with_rows_on_them_are_found_though_steps_become_small():
    random = np.random.default_rng(66)
    y = np.concatenate([np.arange(7), random.integers(0, 7, 67)])
    X = random.normal(size=(74, 3))
    X[:, 0] = np.where(y < 2, 0, y) * 100
    fitted(X, y)
