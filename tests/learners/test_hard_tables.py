"""Tables that once gave a wrong answer, a refusal or a stray warning; each is a small one anybody may have."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris

from discriminant import FisherDiscriminant, LeastSquaresClassifier, LinearDiscriminantAnalysis
from discriminant.findings import MoreColumnsThanRows, OneRowClass, RedundantColumns, SeparatedInNullSpace
from discriminant.rows import memory
from tests.tables import relative

pytestmark = pytest.mark.filterwarnings("ignore:There are too few rows:discriminant.FindingWarning")


def kinds(model):
    return {type(f) for f in model.findings_}


@pytest.mark.parametrize("learner", [LinearDiscriminantAnalysis, FisherDiscriminant])
@pytest.mark.parametrize("values", [(0.2, 0.8), (0.1, 0.2, 0.3), (1 / 3, 2 / 3, 0.7, 1e3 + 0.1)])
@pytest.mark.parametrize("how", ["fit", "partial_fit"])
def test_a_column_constant_within_classes_separates_them(learner, values, how):
    """Rounding leaves its scatter a hair above or below zero, depending on the numbers."""
    for seed in range(25):
        rng = np.random.default_rng(seed)
        y = np.tile(np.arange(len(values)), int(rng.integers(4, 15)))
        X = np.column_stack([rng.standard_normal((y.size, 2)), np.array(values)[y]])
        model = getattr(learner(), how)(X, y)
        assert (model.predict(X) == y).all()
        assert SeparatedInNullSpace in kinds(model)


def test_rows_beside_a_constant_column_can_be_forgotten_and_left_out():
    X, y = load_iris(return_X_y=True)
    for extra in (np.full(150, 0.1), np.array([0.1, 0.2, 0.3])[y]):
        table = np.column_stack([X, extra])
        gone = np.random.default_rng(0).permutation(150)[:40]
        rest = np.setdiff1d(np.arange(150), gone)
        model = LinearDiscriminantAnalysis().fit(table, y).forget(table[gone], y[gone])
        fresh = LinearDiscriminantAnalysis().fit(table[rest], y[rest])
        assert (model.predict(table) == fresh.predict(table)).all()
        whole = LinearDiscriminantAnalysis().fit(table, y)
        assert whole.loo_decision_function(table, y).shape == (150, 3)
        assert whole.kfold_decision_function(table, y, np.arange(150) % 5).shape == (150, 3)


def test_wide_models_forget():
    D, y = np.eye(4, 6), np.array([0, 0, 1, 1])
    model = LinearDiscriminantAnalysis(shrinkage=0.3).fit(D, y).forget(D[:1], y[:1])
    fresh = LinearDiscriminantAnalysis(shrinkage=0.3).fit(D[1:], y[1:])
    assert relative(model.decision_function(D), fresh.decision_function(D)) < 1e-9
    X = (np.random.default_rng(0).random((20, 60)) < 0.3).astype(float)
    labels = np.arange(20) % 2
    model = LinearDiscriminantAnalysis(shrinkage=0.3).fit(X, labels).forget(X[:5], labels[:5])
    fresh = LinearDiscriminantAnalysis(shrinkage=0.3).fit(X[5:], labels[5:])
    assert relative(model.decision_function(X), fresh.decision_function(X)) < 1e-8


@pytest.mark.parametrize("priors", [None, [0.8, 0.2]])
def test_gaussian_threshold_of_sparse_and_wide_rows(priors):
    A = sparse.random_array((50, 2500), density=0.02, rng=np.random.default_rng(1), format="csr")
    y = np.random.default_rng(5).integers(0, 3, 50) > 0
    make = lambda: FisherDiscriminant(threshold="gaussian", shrinkage=0.3, priors=priors)  # noqa: E731
    free, wide = make().fit(A, y), make().fit(A.toarray(), y)
    np.testing.assert_allclose(free.intercept_, wide.intercept_, rtol=1e-7)
    scores = A @ wide.coef_[0]
    for k, side in ((False, -1), (True, 1)):  # the cut lies between the class means
        assert side * (scores[y == k].mean() + wide.intercept_[0]) > 0 or priors is not None
    very_wide = np.random.default_rng(0).standard_normal((10, 20_000))  # d×d would be refused
    model = FisherDiscriminant(threshold="gaussian", shrinkage=0.3).fit(very_wide, [0, 1] * 5)
    assert model.predict(very_wide).tolist() == [0, 1] * 5


def test_gaussian_threshold_where_spreads_are_rounding():
    for seed in range(5):
        Z = np.vstack([np.random.default_rng(seed).standard_normal((3, 8))] * 3)
        y = np.array([0, 0, 1] * 3)
        assert (FisherDiscriminant(threshold="gaussian").fit(Z, y).predict(Z) == y).all()


def test_sparse_models_with_auto_shrinkage_can_be_left_out_and_added_to(monkeypatch):
    monkeypatch.setattr(memory, "DENSE_COLUMNS", 1)  # as if there were very many
    A = sparse.random_array((60, 300), density=0.05, rng=np.random.default_rng(2), format="csr")
    y = np.arange(60) % 2
    model = LinearDiscriminantAnalysis(shrinkage="auto").fit(A, y)
    left_out = model.loo_decision_function(A, y)
    rest = np.arange(60) != 7
    one = LinearDiscriminantAnalysis(shrinkage="auto").fit(A[rest], y[rest])
    assert np.isclose(left_out[7], one.decision_function(A[[7]])[0], rtol=1e-6)
    grown = LinearDiscriminantAnalysis(shrinkage="auto").partial_fit(A[:40], y[:40]).partial_fit(A[40:], y[40:])
    assert relative(grown.decision_function(A), model.decision_function(A)) < 1e-7


@pytest.mark.parametrize("shrinkage", [None, 0.3, "auto", 1.0])
def test_sparse_rows_without_any_scatter(shrinkage):
    """All zero, and one row a class: nothing to divide by."""
    empty = LinearDiscriminantAnalysis(shrinkage=shrinkage).fit(sparse.csr_array((4, 2500)), [0, 0, 1, 1])
    assert np.isfinite(empty.decision_function(sparse.csr_array((2, 2500)))).all()
    corners = sparse.csr_array(np.eye(2, 2500))
    model = LinearDiscriminantAnalysis(shrinkage=shrinkage).fit(corners, ["a", "b"])
    assert model.predict(corners).tolist() == ["a", "b"]
    assert OneRowClass in kinds(model)


def test_sparse_rows_tell_of_too_few_rows_as_dense_ones_do():
    A = sparse.random_array((30, 2100), density=0.05, rng=np.random.default_rng(3), format="csr")
    y = np.arange(30) % 2
    for table in (A, A.toarray()):
        assert MoreColumnsThanRows in kinds(LinearDiscriminantAnalysis().fit(table, y))


@pytest.mark.parametrize("gap", [1e-9, 1e-8, 1e-6, 1e-3])
def test_a_separation_is_claimed_only_where_scores_can_show_it(gap):
    y = np.repeat([0, 1, 2], 30)
    X = np.column_stack([np.random.default_rng(0).standard_normal(90) + 9 * (y == 1), np.array([0, gap, 1])[y]])
    model = LinearDiscriminantAnalysis().fit(X, y)
    assert (model.predict(X) == y).all()
    assert SeparatedInNullSpace in kinds(model)


@pytest.mark.parametrize("offset", [0.0, 1e5, 1e7])
def test_an_offset_of_the_separating_column_hardly_moves_posteriors(offset):
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], 200)
    X = np.column_stack([rng.standard_normal(600) + (y == 1), offset + (y == 2)])
    model = LinearDiscriminantAnalysis().fit(X, y)
    two = LinearDiscriminantAnalysis(method="mle").fit(X[y < 2, :1], y[y < 2])
    # classes 0 and 1 are decided by the other column, with the variance all three share
    assert (model.predict(X)[y == 2] == 2).all()
    agree = model.predict(X)[y < 2] == two.predict(X[y < 2, :1])
    assert agree.mean() > 0.97


def test_rows_without_weight_are_scored_by_the_whole_model():
    rng = np.random.default_rng(4)
    X, y = rng.standard_normal((40, 3)), np.arange(40) % 2
    w = np.ones(40)
    w[:5] = 0
    model = LinearDiscriminantAnalysis().fit(X, y, sample_weight=w)
    left_out = model.loo_decision_function(X, y, sample_weight=w)
    np.testing.assert_allclose(left_out[:5], model.decision_function(X[:5]))
    by_fold = model.kfold_decision_function(X, y, np.arange(40) % 4, sample_weight=w)
    rest = (np.arange(40) % 4 != 2) & (w > 0)
    one = LinearDiscriminantAnalysis().fit(X[rest], y[rest])
    np.testing.assert_allclose(by_fold[2::4], one.decision_function(X[2::4]), rtol=1e-9)
    with pytest.raises(ValueError, match="holds all rows"):
        model.kfold_decision_function(X, y, np.zeros(40), sample_weight=w)


def test_a_constant_column_is_not_redundant_too():
    X, y = load_iris(return_X_y=True)
    model = LeastSquaresClassifier().fit(np.column_stack([X, np.ones(150)]), y)
    assert RedundantColumns not in kinds(model)


def test_nothing_to_tell_classes_apart():
    for threshold in ("midpoint", "accuracy", "gaussian"):
        assert FisherDiscriminant(threshold=threshold).fit([[1.0], [1.0]], [0, 1]).predict([[1.0]]).tolist() == [0]
