"""Laws every moment learner obeys: invariance, repetition, and the algebra of adding and forgetting rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from discriminant import FisherDiscriminant, LeastSquaresClassifier, LinearDiscriminantAnalysis, NaiveBayes
from tests.tables import gaussian_table, relative, seeds, well_conditioned

AFFINE = [
    FisherDiscriminant(),
    FisherDiscriminant(threshold="gaussian"),
    FisherDiscriminant(priors=[0.3, 0.7]),
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(method="moment", priors=[0.2, 0.8]),
    LeastSquaresClassifier(),
]
ADDITIVE = [
    *AFFINE,
    LinearDiscriminantAnalysis(shrinkage=0.2),
    LinearDiscriminantAnalysis(shrinkage="auto"),
    LeastSquaresClassifier(alpha=2.0),
    NaiveBayes(),
    NaiveBayes(marginal="gaussian"),
    NaiveBayes(marginal="categorical"),
]
ALL = [
    *ADDITIVE,
    FisherDiscriminant(threshold="accuracy"),
    FisherDiscriminant(threshold="gain", gain=[[2, -3], [-4, 4]]),
]


def rounded(model, X):
    """Whole numbers where the model wants categories."""
    return np.round(X) if getattr(model, "marginal", "") == "categorical" else X


def apart(a, b, X):
    """How far the scores of two models are from each other."""
    return relative(a.decision_function(X), b.decision_function(X))


@pytest.mark.parametrize("model", AFFINE, ids=str)
@given(seeds)
def test_affine_maps_do_not_change_scores(model, seed):
    X, y = gaussian_table(seed)
    A = well_conditioned(seed, X.shape[1])
    shift = np.random.default_rng(seed).uniform(-5, 5, X.shape[1])
    mapped = X @ A.T + shift
    a, b = clone(model).fit(X, y), clone(model).fit(mapped, y)
    assert relative(a.decision_function(X), b.decision_function(mapped)) < 1e-8


@given(seeds)
def test_affine_maps_do_not_change_scores_of_three_classes(seed):
    X, y = gaussian_table(seed, K=3)
    A = well_conditioned(seed, X.shape[1])
    for model in (FisherDiscriminant(), LinearDiscriminantAnalysis(), LeastSquaresClassifier()):
        a, b = clone(model).fit(X, y), clone(model).fit(X @ A.T, y)
        assert relative(a.decision_function(X), b.decision_function(X @ A.T)) < 1e-8


@pytest.mark.parametrize("model", ALL, ids=str)
@given(seeds)
@settings(max_examples=20)
def test_weights_are_repetition(model, seed):
    X, y = gaussian_table(seed)
    X = rounded(model, X)
    times = np.random.default_rng(seed).integers(1, 4, len(X))
    a = clone(model).fit(X, y, sample_weight=times)
    b = clone(model).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert apart(a, b, X) < 1e-9


@pytest.mark.parametrize("model", ALL, ids=str)
@given(seeds)
@settings(max_examples=10)
def test_permuting_rows_and_columns_permutes_the_answer(model, seed):
    X, y = gaussian_table(seed)
    X = rounded(model, X)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    a = clone(model).fit(X, y)
    b = clone(model).fit(X[rows][:, columns], y[rows])
    assert relative(a.decision_function(X), b.decision_function(X[:, columns])) < 1e-9
    if not isinstance(model, NaiveBayes):
        assert relative(a.coef_[:, columns], b.coef_) < 1e-8


@pytest.mark.parametrize("model", ADDITIVE, ids=str)
@given(seeds, st.integers(1, 119))
@settings(max_examples=20)
def test_chunks_merge_and_forgetting(model, seed, cut):
    X, y = gaussian_table(seed)
    X = rounded(model, X)
    whole = clone(model).fit(X, y)
    chunks = clone(model).partial_fit(X[:cut], y[:cut]).partial_fit(X[cut:], y[cut:])
    assert apart(chunks, whole, X) < 1e-9
    merged = clone(model).partial_fit(X[cut:], y[cut:]).merge(clone(model).partial_fit(X[:cut], y[:cut]))
    assert apart(merged, whole, X) < 1e-9
    rng = np.random.default_rng(seed)
    more = rounded(model, rng.standard_normal((15, X.shape[1])) * 3)
    labels = rng.integers(0, 2, 15)
    back = clone(model).fit(X, y).partial_fit(more, labels).forget(more, labels)
    assert apart(back, whole, X) < 1e-10


@pytest.mark.parametrize("model", ADDITIVE, ids=str)
def test_sparse_rows_give_the_same_answer(model):
    X, y = gaussian_table(7)
    X = np.where(np.abs(X) < 1, 0.0, rounded(model, X))
    for form in (sparse.csr_array, sparse.csc_array, sparse.csr_matrix):
        assert apart(clone(model).fit(form(X), y), clone(model).fit(X, y), X) < 1e-12
    fitted = clone(model).fit(X, y)
    assert relative(fitted.decision_function(sparse.csr_array(X)), fitted.decision_function(X)) < 1e-12


@pytest.mark.parametrize(
    "model", [FisherDiscriminant(), LinearDiscriminantAnalysis(), LeastSquaresClassifier()], ids=str
)
def test_new_classes_may_appear_later(model):
    X, y = gaussian_table(11, K=4)
    labels = np.array(["d", "b", "a", "c"])[y]
    grown = clone(model)
    for group in (y == 1, y == 0, (y == 2) | (y == 3)):
        grown.partial_fit(X[group], labels[group])
    whole = clone(model).fit(X, labels)
    assert grown.classes_.tolist() == ["a", "b", "c", "d"]
    assert apart(grown, whole, X) < 1e-10
    grown.forget(X[y == 3], labels[y == 3])
    assert grown.classes_.tolist() == ["a", "b", "d"]


@pytest.mark.parametrize(
    "model", [FisherDiscriminant(), LinearDiscriminantAnalysis(), LeastSquaresClassifier()], ids=str
)
def test_an_offset_of_1e8_does_not_hurt(model):
    X, y = gaussian_table(5, n=2000, correlated=False)
    X = np.round(X * 2**20) / 2**20
    plain, shifted = clone(model).fit(X, y), clone(model).fit(X + 1e8, y)
    assert np.abs(shifted.decision_function(X + 1e8) - plain.decision_function(X)).max() < 1e-5


@pytest.mark.parametrize("model", AFFINE, ids=str)
def test_least_spread_and_large_scales(model):
    """Units from 1e-9 to 1e9 change nothing."""
    X, y = gaussian_table(6)
    units = np.array([1e-9, 1.0, 1e9, 1e3])
    a, b = clone(model).fit(X, y), clone(model).fit(X * units, y)
    assert relative(a.decision_function(X), b.decision_function(X * units)) < 1e-9
