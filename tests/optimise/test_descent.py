"""Gradient descent: where it goes, how its steps are chosen, and what it keeps of the path."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize

from discriminant import gradient_descent
from discriminant.losses import LOGISTIC, LOSSES, SQUARED
from discriminant.optimise import descent
from discriminant.optimise.sequential.adaline import largest_curvature
from discriminant.rows import from_arrays
from discriminant.statistics.risk import RiskSums, curvature_product
from tests import transcriptions
from tests.tables import gaussian_table, seeds

SMOOTH = sorted(name for name, loss in LOSSES.items() if loss.smooth)
CONVEX = sorted(name for name, loss in LOSSES.items() if loss.convex)


def table(seed, n=80, d=3):
    X, y = gaussian_table(seed, n=n, d=d)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def signs(y):
    return np.where(np.asarray(y) == 1, 1, -1).astype(np.int8)


@given(seed=seeds, name=st.sampled_from(CONVEX), weighted=st.booleans())
def test_risk_sums_are_sums(seed, name, weighted):
    X, y = table(seed)
    rng = np.random.default_rng(seed)
    weight = rng.uniform(0.5, 2, len(y)) if weighted else None
    w, c, loss = rng.standard_normal(4), signs(y), LOSSES[name]
    dense, csr = (RiskSums.of(from_arrays(form, y, weight), c, loss, w) for form in (X, sparse.csr_array(X)))
    Z, omega = np.column_stack([X, np.ones(len(X))]), np.ones(len(y)) if weight is None else weight
    margin = c * (Z @ w)
    for sums in (dense, csr):
        assert sums.value == pytest.approx((omega * loss.value(margin)).sum())
        assert np.allclose(sums.gradient, Z.T @ (omega * c * loss.slope(margin)))
        assert sums.n_mistakes == (margin <= 0).sum()
    parts = [from_arrays(X[k::2], y[k::2], None if weight is None else weight[k::2]) for k in (0, 1)]
    merged = sum((RiskSums.of(p, c[k::2], loss, w) for k, p in enumerate(parts)), start=RiskSums.zero(3))
    assert merged.value == pytest.approx(dense.value)
    assert np.allclose(merged.gradient, dense.gradient)
    product = curvature_product(from_arrays(X, y), omega, w)
    assert np.allclose(product, Z.T @ (omega * (Z @ w)))


def test_largest_curvature_is_the_largest_eigenvalue():
    X, y = table(1, n=200, d=6)
    Z = np.column_stack([X, np.ones(len(X))])
    for form in (X, sparse.csr_array(X)):
        assert largest_curvature(from_arrays(form, y)) == pytest.approx(np.linalg.eigvalsh(Z.T @ Z)[-1], rel=1e-8)
    assert largest_curvature(from_arrays(X[:, :1], y)) > 0


@settings(max_examples=30)
@given(seed=seeds, name=st.sampled_from(SMOOTH), step=st.sampled_from(["backtracking", "curvature"]))
def test_chosen_steps_reach_the_minimum(seed, name, step):
    X, y = table(seed)
    y = np.where(np.random.default_rng(seed).random(len(y)) < 0.2, 1 - y, y)  # so that the classes overlap
    path = gradient_descent(X, y, loss=name, step=step, max_iter=5000)
    rows, c = from_arrays(X, y), signs(y)

    def risk(w):
        sums = RiskSums.of(rows, c, LOSSES[name], w)
        return sums.value, sums.gradient

    least = minimize(risk, np.zeros(4), jac=True, method="BFGS", options={"gtol": 1e-8}).fun
    assert path.risk[-1] <= least * (1 + 1e-4) + 1e-6
    assert (np.diff(path.risk) <= 1e-12 * path.risk[0]).all()  # every step goes down
    assert not path.diverged


@given(seed=seeds, name=st.sampled_from(CONVEX))
def test_fixed_steps_are_the_rule(seed, name):
    X, y = table(seed)
    path = gradient_descent(X, y, loss=name, step=0.001, max_iter=5, tol=0, start=[0.1, 0.2, 0.3, 0.4])
    Z, c, w = np.column_stack([X, np.ones(len(X))]), signs(y), np.array([0.1, 0.2, 0.3, 0.4])
    for k in range(path.n_steps):
        w = w - 0.001 * Z.T @ (c * LOSSES[name].slope(c * (Z @ w)))
        assert np.allclose([*path.w[k + 1], -path.theta[k + 1]], w)
    assert path.at.tolist() == list(range(path.n_steps + 1))
    assert (path.step[1:] == 0.001).all()


def test_one_row_at_a_time_is_the_stochastic_rule():
    X, y = table(3, n=20)
    path = gradient_descent(X, y, loss="perceptron", step=1.0, batch_size=1, max_iter=40, random_state=0)
    random = np.random.RandomState(0)
    orders = [random.permutation(len(X)).tolist() for _ in range(2)]
    updates, _ = transcriptions.stochastic_perceptron(X, signs(y).tolist(), 1.0, 2, orders=orders)
    visited = np.unique(np.column_stack([path.w, path.theta]).round(9), axis=0)
    learnt = np.unique(np.array([[0.0] * 4, *([*w[:-1], -w[-1]] for _, w in updates)]).round(9), axis=0)
    assert np.array_equal(visited, learnt)


def test_too_large_oscillates_too_small_crawls():
    X, y = table(5)
    stable = 2 / (2 * largest_curvature(from_arrays(X, y)))
    small, right, large = (
        gradient_descent(X, y, loss="squared", step=factor * stable, max_iter=60) for factor in (0.01, 0.9, 1.1)
    )
    assert large.diverged
    assert small.risk[0] > small.risk[-1] > right.risk[-1]
    along = np.diff(large.w @ (large.w[-1] - large.w[-2]))[-10:]
    assert (along[1:] * along[:-1] < 0).all()  # back and forth


def test_mini_batches_with_weights_and_sparse_rows():
    X, y = table(6, n=200)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    options = {"loss": LOGISTIC, "step": 0.01, "batch_size": 20, "max_iter": 500, "random_state": 1}
    path = gradient_descent(X, y, **options, sample_weight=weight)
    same = gradient_descent(sparse.csr_array(X), y, **options, sample_weight=weight)
    assert np.allclose(path.w, same.w)
    exact = gradient_descent(X, y, loss="logistic", sample_weight=weight, max_iter=3000)
    assert exact.risk[-1] <= path.risk[-1] < 1.05 * exact.risk[-1] < path.risk[0]


def test_long_paths_are_thinned(monkeypatch):
    monkeypatch.setattr(descent, "_KEPT_STEPS", 10)
    X, y = table(7)
    path = gradient_descent(X, y, loss="squared", step=1e-5, max_iter=103, tol=0)
    assert len(path.at) <= 11
    assert path.at[0] == 0
    assert path.n_steps == path.at[-1] == 103
    assert len(path.risk) == len(path.w) == len(path.theta) == len(path.step) == len(path.at)
    assert path.hyperplane.score(X[0]) == pytest.approx(X[0] @ path.w[-1] - path.theta[-1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"loss": "zero-one"}, "zero-one"),
        ({"loss": "hinge"}, "continuous slope"),
        ({"loss": "hinge", "step": "curvature"}, "continuous slope"),
        ({"loss": "huber"}, "loss must be one of"),
        ({"step": 0.0}, "step"),
        ({"step": np.nan}, "step"),
        ({"step": "newton"}, "step"),
        ({"batch_size": 5}, "needs the gradient of all rows"),
        ({"batch_size": 0, "step": 0.1}, "batch_size"),
        ({"batch_size": 81, "step": 0.1}, "batch_size"),
        ({"max_iter": 0}, "max_iter"),
        ({"tol": -1}, "tol"),
        ({"start": [1.0]}, "start"),
    ],
)
def test_nonsense_is_refused(options, message):
    X, y = table(8)
    with pytest.raises(ValueError, match=message):
        gradient_descent(X, y, **options)


def test_two_classes_only():
    with pytest.raises(ValueError, match="between two classes"):
        gradient_descent([[0.0], [1.0], [2.0]], [0, 1, 2], loss=SQUARED)


@pytest.mark.parametrize("options", [{"batch_size": 2.5}, {"batch_size": "2"}, {"tol": "2"}, {"start": list("abcd")}])
def test_wrong_types_are_refused(options):
    X, y = table(8)
    (name,) = options
    with pytest.raises(TypeError, match=name):
        gradient_descent(X, y, step=0.1, **options)


def test_a_source_brings_its_own_labels():
    X, y = table(8)
    with pytest.raises(ValueError, match="carries its own labels"):
        gradient_descent(from_arrays(X, y), y)
