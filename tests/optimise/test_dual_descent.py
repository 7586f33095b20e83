"""Dual coordinate descent: the optimum of the exact solvers, with and without an intercept, dense and sparse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.svm import LinearSVC

from discriminant.losses import SQUARED_HINGE
from discriminant.optimise.margins.dual_descent import dual_descent
from discriminant.optimise.margins.hinge import fit_hinge
from discriminant.optimise.margins.slab import SlabLoss
from discriminant.optimise.margins.soft_slab import SoftSlab
from discriminant.optimise.smooth import minimise
from discriminant.rows import from_arrays
from discriminant.statistics.margin_risk import MarginRisk
from tests.tables import gaussian_table, seeds


def descended(X, y, u, squared, tolerance, **options):
    rows = from_arrays(X, y)
    loss = SlabLoss(np.full(len(y), u), squared)
    return dual_descent(rows, rows.signs(1), loss, tolerance=tolerance, max_epochs=20_000, **options)


@given(seed=seeds, C=st.sampled_from([0.01, 0.3, 2.0]), sparse_rows=st.booleans())
def test_hinge_with_a_free_intercept(seed, C, sparse_rows):
    X, y = gaussian_table(seed, n=40, d=3)
    rows = from_arrays(X, y)
    exact = fit_hinge(SoftSlab(rows, C), rows.signs(1))
    found = descended(sparse.csr_array(X) if sparse_rows else X, y, C, squared=False, tolerance=1e-4)
    assert -1e-12 <= found.gap <= 1e-4
    assert exact.primal * (1 - 1e-12) <= found.primal <= exact.primal * (1 + 1e-4)
    assert np.allclose(found.w, exact.w, atol=0.03 * (1 + np.abs(exact.w).max()))


@given(seed=seeds, C=st.sampled_from([0.01, 0.3, 2.0]))
def test_squared_hinge_with_a_free_intercept(seed, C):
    X, y = gaussian_table(seed, n=40, d=3)
    rows = from_arrays(X, y)
    exact = minimise(MarginRisk(rows, rows.signs(1), SQUARED_HINGE, penalty=1 / C), tolerance=1e-12)
    found = descended(X, y, C, squared=True, tolerance=1e-9)
    assert found.primal == pytest.approx(C * exact.value, rel=1e-8)
    assert np.allclose([*found.w, found.b], exact.weights, atol=1e-4 * (1 + np.abs(exact.weights).max()))


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_without_an_intercept_it_is_liblinears_problem(loss):
    X, y = gaussian_table(0, n=60, d=4)
    theirs = LinearSVC(C=0.2, loss=loss, fit_intercept=False, tol=1e-9, max_iter=1_000_000, dual=True).fit(X, y)
    found = descended(X, y, 0.2, squared=loss == "squared_hinge", tolerance=1e-12, intercept=False)
    assert found.b == 0
    assert np.allclose(found.w, theirs.coef_[0], rtol=1e-5)


def test_a_penalised_intercept_is_a_column_of_ones():
    X, y = gaussian_table(1, n=60, d=4)
    theirs = LinearSVC(C=0.2, loss="hinge", tol=1e-9, max_iter=1_000_000, random_state=0).fit(X, y)
    ones = np.column_stack([X, np.ones(60)])
    found = descended(ones, y, 0.2, squared=False, tolerance=1e-12, intercept=False)
    assert np.allclose(found.w, [*theirs.coef_[0], theirs.intercept_[0]], rtol=1e-4)


def test_the_sum_of_alpha_c_comes_to_zero():
    rng = np.random.default_rng(0)
    X = sparse.random_array((400, 3000), density=0.01, rng=rng, format="csr")
    y = (rng.random(400) < 0.2).astype(int)
    found = descended(X, y, 1.0, squared=False, tolerance=1e-6)
    assert found.gap <= 1e-6
    assert abs(found.alpha @ (2 * y - 1)) <= 1e-12 * found.alpha.sum()


def test_limit_of_epochs_is_kept():
    X, y = gaussian_table(0, n=60, d=4)
    rows = from_arrays(1e3 * X, y)
    found = dual_descent(rows, rows.signs(1), SlabLoss(np.full(60, 10.0)), tolerance=1e-12, max_epochs=7)
    assert found.n_iterations == 7
    assert found.gap > 1e-12


@pytest.mark.parametrize("squared", [False, True])
def test_rows_of_zeros(squared):
    found = descended(np.zeros((6, 2)), [0, 1, 1, 1, 0, 1], 1.0, squared, tolerance=1e-6)
    assert not found.w.any()
    assert found.b > 0  # the side of the more


def test_it_gives_up_where_more_visits_are_foreseen_than_it_may_make():
    X, y = gaussian_table(0, n=60, d=4)
    found = descended(X, y, 1000.0, squared=False, tolerance=1e-9, most_visits=60 * 100)
    assert found.n_iterations == 20
    assert found.gap > 1e-9
    patient = descended(X, y, 0.01, squared=False, tolerance=1e-3, most_visits=60 * 1000)
    assert patient.gap <= 1e-3


def test_rows_of_zeros_through_the_origin_are_at_their_cap():
    X, y = gaussian_table(0, n=60, d=4)
    X[::7] = 0.0
    found = descended(X, y, 0.2, squared=False, tolerance=1e-6, intercept=False)
    assert found.gap <= 1e-6
    assert (found.alpha[::7] == 0.2).all()
