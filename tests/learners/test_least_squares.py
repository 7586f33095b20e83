"""Least squares: regression and classifier, weights, ridge, redundant columns, wide and sparse rows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import Ridge, RidgeClassifier

from discriminant import LeastSquaresClassifier, least_squares
from discriminant.findings import RedundantColumns
from discriminant.rows import memory
from tests.tables import gaussian_table, relative, seeds


@pytest.mark.parametrize("alpha", [0.0, 0.5])
@pytest.mark.parametrize("intercept", [True, False])
@given(seeds)
@settings(max_examples=15)
def test_regression_is_the_normal_equations(alpha, intercept, seed):
    rng = np.random.default_rng(seed)
    X, Y, w = rng.standard_normal((30, 4)) + 3, rng.standard_normal((30, 2)), rng.uniform(0.5, 2, 30)
    fit = least_squares(X, Y, weight=w, alpha=alpha, intercept=intercept)
    A = np.column_stack([np.ones(30), X]) if intercept else X
    penalty = alpha * np.eye(A.shape[1])
    if intercept:
        penalty[0, 0] = 0
    expected = np.linalg.solve(A.T @ (w[:, None] * A) + penalty, A.T @ (w[:, None] * Y))
    ours = np.vstack([fit.intercept, fit.coef.T]) if intercept else fit.coef.T
    np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-11)
    residual = Y - fit.predict(X)
    np.testing.assert_allclose(fit.residual_sum_of_squares, w @ residual**2)


@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("alpha", [0.0, 1.0, 100.0])
def test_classifier_is_ridge_on_plus_minus_one(K, alpha):
    X, y = gaussian_table(1, K=K)
    w = np.random.default_rng(0).uniform(0.5, 2, len(X))
    ours = LeastSquaresClassifier(alpha=alpha).fit(X, y, sample_weight=w)
    theirs = RidgeClassifier(alpha=alpha, solver="svd").fit(X, y, sample_weight=w)
    np.testing.assert_allclose(ours.coef_, np.atleast_2d(theirs.coef_), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8)


@pytest.mark.parametrize("how", ["fit", "partial_fit", "least_squares"])
def test_redundant_columns_are_named_and_the_shortest_weights_taken(how):
    X, y = gaussian_table(2)
    table = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    table["sum"] = table.a + 2 * table.b
    target = np.where(y == 1, 1.0, -1.0)
    if how == "least_squares":
        fit = least_squares(table, target)
        coef, findings, rank = fit.coef, fit.findings_, fit.rank
    else:
        model = getattr(LeastSquaresClassifier(), how)(table, y)
        coef, findings, rank = model.coef_[0], model.findings_, model.rank_
    centred = table.to_numpy() - table.to_numpy().mean(axis=0)
    np.testing.assert_allclose(coef, np.linalg.lstsq(centred, target - target.mean())[0], rtol=1e-7, atol=1e-10)
    assert rank == 4
    (finding,) = (f for f in findings if isinstance(f, RedundantColumns))
    assert finding.columns == ("a", "b", "sum")
    assert finding.relations == ("sum = 1·(a) +2·(b) + constant",)


@pytest.mark.parametrize("alpha", [0.0, 2.0])
def test_more_columns_than_rows(alpha):
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((20, 60)), rng.integers(0, 2, 20)
    target = np.where(y == 1, 1.0, -1.0)
    if alpha:
        expected = Ridge(alpha=alpha, solver="svd").fit(X, target).coef_
    else:
        expected = np.linalg.lstsq(X - X.mean(axis=0), target - target.mean())[0]
    np.testing.assert_allclose(LeastSquaresClassifier(alpha=alpha).fit(X, y).coef_[0], expected, rtol=1e-8, atol=1e-10)
    fit = least_squares(X, target, alpha=alpha)
    np.testing.assert_allclose(fit.coef, expected, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(fit.predict(X), X @ fit.coef + fit.intercept)


@pytest.mark.parametrize("alpha", [0.0, 2.0])
@pytest.mark.parametrize("shape", [(80, 6), (20, 60)])
def test_sparse_rows_without_a_square_matrix(alpha, shape, monkeypatch):
    rng = np.random.default_rng(4)
    X, y = rng.standard_normal(shape) * (rng.random(shape) < 0.3), rng.integers(0, 3, shape[0])
    w = rng.uniform(0.5, 2, shape[0])
    dense = LeastSquaresClassifier(alpha=alpha).fit(X, y, sample_weight=w)
    regression = least_squares(X, y.astype(float), weight=w, alpha=alpha, intercept=False)
    monkeypatch.setattr(memory, "DENSE_COLUMNS", 1)
    free = LeastSquaresClassifier(alpha=alpha).fit(sparse.csr_array(X), y, sample_weight=w)
    assert relative(free.coef_, dense.coef_) < 1e-9
    assert relative(free.intercept_, dense.intercept_) < 1e-9
    bare = least_squares(sparse.csr_array(X), y.astype(float), weight=w, alpha=alpha, intercept=False)
    assert bare.intercept == 0.0
    assert relative(bare.coef, regression.coef) < 1e-8


def test_targets_are_checked():
    X = np.ones((3, 1))
    for y, message in (([1, 2], "3 rows"), ([1, np.nan, 2], "NaN"), (["a", "b", "c"], "numbers")):
        with pytest.raises((ValueError, TypeError), match=message):
            least_squares(X, y)
    with pytest.raises(ValueError, match="alpha"):
        least_squares(X, [1, 2, 3], alpha=-1)
    with pytest.raises(TypeError, match="alpha"):
        least_squares(X, [1, 2, 3], alpha="large")


def test_large_correlated_tables_are_polished_by_their_residuals():
    """A condition number of 10³ among many rows: squares alone leave seven digits, two more passes ten and more.

    Not all of them: where residuals are large their rounding is multiplied by the square of the condition number.
    """
    rng = np.random.default_rng(5)
    X = rng.standard_normal((40_000, 8)) @ rng.standard_normal((8, 8))
    X[:, 7] = X[:, 0] + 1e-3 * X[:, 7] + 1e4
    y = rng.integers(0, 3, len(X))
    w = rng.uniform(0.5, 2, len(X))
    model = LeastSquaresClassifier(alpha=0.1).fit(X, y, sample_weight=w)
    exact = least_squares(X, 2.0 * (y[:, None] == np.arange(3)) - 1, weight=w, alpha=0.1)
    assert relative(model.coef_, exact.coef) < 1e-10
    assert relative(model.intercept_, exact.intercept) < 1e-10


def redundant_tables():
    """Tables whose columns determine one another, exactly or up to rounding, tall or wide."""
    rng = np.random.default_rng(0)
    whole = rng.integers(-8, 9, size=(200, 5)).astype(float)
    low_rank = rng.normal(size=(200, 5)) @ rng.normal(size=(5, 8))
    return {
        "repeated columns": np.hstack([whole, whole, whole[:, :2] + whole[:, 2:4]]),
        "low rank": low_rank,
        "low rank far from zero": low_rank + 1e4,
        "wide": rng.normal(size=(50, 100)),
    }


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [1e-20, 1e-16, 1e-12, 1e-9])
@pytest.mark.parametrize("name", ["repeated columns", "low rank", "low rank far from zero", "wide"])
def test_a_ridge_too_small_to_be_seen_gives_the_shortest_weights(name, alpha, fit_intercept):
    """A ridge has nothing in directions without rows; rounding there, divided by alpha, must not be seen either."""
    if name == "low rank far from zero" and not fit_intercept:
        return  # its sixth direction, the distance from zero, is no rounding
    X = redundant_tables()[name]
    y = (X[:, 0] - X[:, 0].mean() + np.random.default_rng(1).normal(size=len(X)) > 0).astype(int)
    codes = 2.0 * y - 1.0
    Z, t = (X - X.mean(axis=0), codes - codes.mean()) if fit_intercept else (X, codes)
    expected = np.linalg.pinv(Z, rcond=1e-10) @ t
    learner = LeastSquaresClassifier(alpha=alpha, fit_intercept=fit_intercept)
    for fitted in (learner.fit(X, y), clone(learner).partial_fit(X, y)):
        assert np.abs(fitted.coef_[0] - expected).max() <= 1e-7 * np.abs(expected).max()
