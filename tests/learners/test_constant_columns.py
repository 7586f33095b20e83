"""A column that is the same in every row is worth nothing, however large; a large varying one costs no digits."""

import tracemalloc
import warnings

import mpmath
import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Peer

from discriminant import (
    FisherDiscriminant,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearSVM,
    LogisticRegression,
    NaiveBayes,
    PocketPerceptron,
)
from discriminant.statistics.triangular import TriangularFactor
from tests.tables import gaussian_table

LEARNERS = {
    "lda": LinearDiscriminantAnalysis(),
    "lda, shrunk": LinearDiscriminantAnalysis(shrinkage=0.1),
    "lda, auto": LinearDiscriminantAnalysis(shrinkage="auto"),
    "fisher": FisherDiscriminant(),
    "fisher, auto": FisherDiscriminant(shrinkage="auto"),
    "least squares": LeastSquaresClassifier(),
    "ridge": LeastSquaresClassifier(alpha=1.0),
    "naive bayes": NaiveBayes(marginal="gaussian"),
    "logistic": LogisticRegression(alpha=1.0),
    "svm": LinearSVM(),
}
CONSTANTS = (1e12, 1.7e18, -1e100, 1e160, 1e300, 1.7e308)


def table(n, d, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, d)) + 2.5 * np.eye(2, d)[y], y


def fitted(learner, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        return learner.fit(X, y)


@pytest.mark.parametrize("shape", [(20, 30), (3, 40), (60, 20)])
@pytest.mark.parametrize("name", LEARNERS)
def test_a_large_constant_changes_nothing(name, shape):
    X, y = table(*shape)
    without = fitted(LEARNERS[name], np.insert(X, 4, 0.0, axis=1), y)
    weights, intercept, labels = without.coef_.copy(), without.intercept_.copy(), without.predict(np.insert(X, 4, 0, 1))
    for constant, place in zip(CONSTANTS, (0, 4, shape[1]) * 2, strict=True):
        rows = np.insert(X, place, constant, axis=1)
        model = fitted(LEARNERS[name], rows, y)
        assert (model.coef_[:, place] == 0).all(), constant
        np.testing.assert_allclose(
            np.delete(model.coef_, place, 1), np.delete(weights, 4, 1), rtol=1e-7, atol=1e-9 * np.abs(weights).max()
        )
        np.testing.assert_allclose(model.intercept_, intercept, rtol=1e-7, atol=1e-7)
        assert (model.predict(rows) == labels).all()


def test_beside_a_timestamp_the_weights_are_scikit_learns_without_it():
    X, y = table(20, 30, seed=3)
    rows = np.insert(X, 7, 1.7e18, axis=1)
    peer = Peer(solver="lsqr", shrinkage=0.1).fit(np.insert(X, 7, 0.0, axis=1), y)
    model = fitted(LinearDiscriminantAnalysis(shrinkage=0.1), rows, y)
    np.testing.assert_allclose(np.delete(model.coef_, 7, 1), np.delete(peer.coef_, 7, 1), rtol=1e-6)
    assert (model.predict(rows) == y).all()


def test_a_constant_too_large_for_sums_is_no_obstacle_to_a_sequential_learner():
    X, y = table(20, 30)
    model = fitted(PocketPerceptron(random_state=0), np.insert(X, 0, 1e300, axis=1), y)
    assert (model.coef_[:, 0] == 0).all()
    zero = fitted(PocketPerceptron(random_state=0), np.insert(X, 0, 0.0, axis=1), y)
    np.testing.assert_array_equal(model.coef_, zero.coef_)


@pytest.mark.parametrize(("offset", "spread"), [(1.7e18, 1e5), (1.7e18, 4e14), (0.0, 1e20), (0.0, 1e100), (1e12, 1.0)])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_a_column_far_larger_than_the_others_costs_them_no_digits(offset, spread, alpha):
    X, y = table(12, 18, seed=1)
    X = np.insert(X, 5, offset + spread * np.random.default_rng(2).normal(size=12), axis=1)
    model = fitted(LeastSquaresClassifier(alpha=alpha), X, y)
    np.testing.assert_allclose(model.coef_[0], ridge_weights(X, y, alpha), rtol=1e-9)


def ridge_weights(X, y, alpha):
    """The shortest weights with the least squares, Z′(ZZ′ + αI)⁻¹t, in 300 digits."""
    with mpmath.workdps(300):
        n, d = X.shape
        Z = mpmath.matrix(X.tolist())
        for j in range(d):
            mean = mpmath.fsum(Z[:, j]) / n
            for i in range(n):
                Z[i, j] -= mean
        square = Z * Z.T + (alpha * mpmath.eye(n) if alpha else mpmath.ones(n))  # 1′t = 0, and Z′1 = 0
        return [float(v) for v in Z.T * mpmath.lu_solve(square, mpmath.matrix((2.0 * y - 1).tolist()))]


@pytest.mark.parametrize("n", [2, 20])
def test_naive_bayes_of_many_columns_needs_no_square_of_them(n):
    """90,000² numbers are 60 GB."""
    X, y = table(n, 90_000)
    tracemalloc.start()
    model = fitted(NaiveBayes(marginal="gaussian"), X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12 * X.nbytes + 50e6
    assert (model.predict(X) == y).all()


def test_the_squared_hinge_of_few_rows_is_solved_in_their_own_space():
    X, y = table(20, 300, seed=5)
    model = fitted(LinearSVM(loss="squared_hinge", tol=1e-8), X, y)
    assert model.gap_ < 1e-8
    assert model.coef_.shape == (1, 300)
    np.testing.assert_allclose(model.primal_, objective(model.coef_[0], model.intercept_[0], X, y), rtol=1e-9)


def objective(w, b, X, y):
    slack = np.maximum(0.0, 1.0 - (2.0 * y - 1) * (X @ w + b))
    return 0.5 * w @ w + (slack**2).sum()


def test_firth_of_too_many_columns_is_refused():
    X, y = table(4, 10_000)
    with pytest.raises(ValueError, match="10000 columns are too many"):
        LogisticRegression(firth=True).fit(X, y)


@pytest.mark.parametrize("learner", [LinearDiscriminantAnalysis, LeastSquaresClassifier])
def test_a_constant_column_among_independent_ones_needs_no_factor_of_the_rows(learner, monkeypatch):
    X, y = gaussian_table(5, n=60, d=4)
    model = learner().fit(X, y)
    monkeypatch.setattr(TriangularFactor, "of_source", lambda *of: pytest.fail("the rows were factored"))
    beside = learner().fit(np.insert(X, 2, 7.3, axis=1), y)
    np.testing.assert_allclose(np.delete(beside.coef_, 2, axis=1), model.coef_, rtol=1e-11)
    assert not beside.coef_[:, 2].any()
