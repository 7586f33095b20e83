"""Regressions of wide sparse rows from the products of rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from discriminant import LinearDiscriminantAnalysis
from discriminant.linalg import matrix_free
from discriminant.linalg.matrix_free import SparseClasses, regress
from discriminant.linalg.row_products import RowProducts
from discriminant.rows import from_arrays


def wide(seed, n=40, d=120, *, copies=0, weighted=False):
    """Sparse rows with more columns than rows; the last ``copies`` repeat the first, with other labels."""
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, d), density=0.2, rng=rng, format="csr", data_sampler=rng.standard_normal)
    y = np.arange(n) % 2
    if copies:
        X = sparse.vstack([X, X[:copies]], format="csr")
        y = np.append(y, 1 - y[:copies])
    weight = rng.uniform(0.5, 3.0, y.size) if weighted else None
    return from_arrays(X, y, weight)


def centred_targets(rows, q):
    """As regressions with an intercept have them: times the root of the weight, orthogonal to it."""
    root = SparseClasses.of(rows).root_weight
    target = np.random.default_rng(2).standard_normal((rows.n_rows, q))
    return root[:, None] * (target - root**2 @ target / (root @ root))


def shortest(rows, target, ridge):
    """By the singular values of the dense, centred rows."""
    classes = SparseClasses.of(rows)
    A = classes.root_weight[:, None] * (rows.matrix.toarray() - classes.mean)
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    kept = s > 1e-10 * s[0]
    return Vt[kept].T @ ((s / (s * s + ridge))[kept] * (U[:, kept].T @ target))


@pytest.mark.parametrize("ridge", [0.0, 0.7])
@pytest.mark.parametrize("copies", [0, 7])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_shortest_solution(ridge, copies, weighted):
    rows = wide(1, copies=copies, weighted=weighted)
    target = centred_targets(rows, 2)
    found = regress(SparseClasses.of(rows), target, ridge, RowProducts.of(rows.matrix))
    assert found.converged
    for column, v in zip(target.T, found.coef.T, strict=True):
        expected = shortest(rows, column, ridge)
        assert np.abs(v - expected).max() < 1e-9 * np.abs(expected).max()


@given(st.integers(1, 1300))
def test_products_by_blocks(n):
    X = sparse.random_array((n, 7), density=0.5, rng=np.random.default_rng(n), format="csr")
    products = RowProducts.of(X).products
    assert np.allclose(products, X.toarray() @ X.toarray().T, rtol=0, atol=1e-13)
    some = np.random.default_rng(n).permutation(n)[: n // 2 + 1]
    assert np.array_equal(RowProducts(products).take(some).products, products[some][:, some])


def test_where_the_iteration_takes_long_the_products_go_on(monkeypatch):
    rows = wide(3, copies=5)
    target = centred_targets(rows, 1)
    monkeypatch.setattr(matrix_free, "_PATIENCE", 3)
    found = regress(SparseClasses.of(rows), target, 0.0)
    assert found.converged
    assert np.allclose(found.coef[:, 0], shortest(rows, target[:, 0], 0.0), rtol=0, atol=1e-9)


def test_rows_far_from_the_origin():
    """Their products lose digits to the offset; what is found is judged by the rows themselves."""
    rng = np.random.default_rng(6)
    X = sparse.csr_array(rng.standard_normal((30, 80)) + 1e5)
    rows = from_arrays(sparse.vstack([X, X[:3]], format="csr"), np.arange(33) % 2)
    target = centred_targets(rows, 1)
    found = regress(SparseClasses.of(rows), target, 0.0, RowProducts.of(rows.matrix))
    expected = shortest(rows, target[:, 0], 0.0)
    assert np.abs(found.coef[:, 0] - expected).max() < 1e-4 * np.abs(expected).max()


def test_rows_that_are_all_alike():
    rows = from_arrays(sparse.csr_array(np.ones((6, 20))), np.arange(6) % 2)
    found = regress(SparseClasses.of(rows), np.ones((6, 1)), 0.0, RowProducts.of(rows.matrix))
    assert found.converged
    assert not found.coef.any()


@pytest.mark.parametrize("shrinkage", [None, 0.3, "auto"])
@pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")
def test_scores_without_folds_are_those_of_models_fitted_without_them(shrinkage):
    rng = np.random.default_rng(5)
    X = sparse.random_array((60, 30_000), density=0.002, rng=rng, format="csr")
    y, folds = np.arange(60) % 3, np.arange(60) % 4
    model = LinearDiscriminantAnalysis(shrinkage=shrinkage).fit(X, y)
    scores = model.kfold_decision_function(X, y, folds)
    for fold in range(4):
        rest = LinearDiscriminantAnalysis(shrinkage=shrinkage).fit(X[folds != fold], y[folds != fold])
        expected = rest.decision_function(X[folds == fold])
        assert np.allclose(scores[folds == fold], expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())
