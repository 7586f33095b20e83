"""A fitted model is a value: it keeps what it has learnt, and nothing of the caller's rows."""

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse

from discriminant import (
    FindingWarning,
    FisherDiscriminant,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    OneVsAll,
)
from tests.contract.test_notebook import MODELS


def _table(seed=0, n=200, d=3, n_classes=2):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, d))
    return X, (X @ random.standard_normal((d, n_classes)) + random.gumbel(size=(n, n_classes))).argmax(axis=1)


def _arrays(value, seen):
    """Every array that can be reached from a value."""
    if id(value) in seen:
        return
    seen[id(value)] = value
    if isinstance(value, np.ndarray):
        yield value
    elif sparse.issparse(value):
        yield value.data
    elif isinstance(value, dict):
        for part in value.values():
            yield from _arrays(part, seen)
    elif isinstance(value, list | tuple | set):
        for part in value:
            yield from _arrays(part, seen)
    elif hasattr(value, "__dict__") and not isinstance(value, type):
        yield from _arrays(vars(value), seen)
    closure = getattr(value, "__closure__", None)
    for cell in closure or ():
        yield from _arrays(cell.cell_contents, seen)


@pytest.mark.parametrize("form", ["dense", "wide", "sparse", "wide sparse"])
@pytest.mark.parametrize("name", MODELS)
def test_a_model_refers_to_no_rows(name, form):
    X, y = _table(d=300 if form == "wide" else 3)
    if form == "wide sparse":
        X = sparse.random_array((200, 2100), density=0.01, random_state=0, format="csr")
    elif form == "sparse":
        X = sparse.csr_array(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)
        model = MODELS[name].fit(X, y)
    own = X.data if sparse.issparse(X) else X
    assert not any(np.may_share_memory(own, kept) for kept in _arrays(vars(model), {}))


def test_models_of_a_reduction_keep_no_distances_between_rows():
    X, y = _table(n=40, d=300, n_classes=3)
    centred = X - X.mean(axis=0)
    model = OneVsAll(LinearDiscriminantAnalysis(shrinkage=0.1)).fit(X, y)
    for kept in _arrays(vars(model), {}):
        if kept.ndim == 2 and min(kept.shape) == len(X):
            for places in (kept[: len(X)], np.triu(kept[: len(X)]).T):
                assert not np.allclose(places @ places.T, centred @ centred.T)
    assert model.estimators_[0].with_shrinkage(0.5).shrinkage_ == 0.5


def test_inference_is_that_of_the_rows_of_the_fit():
    X, y = _table()
    expected = LogisticRegression().fit(X.copy(), y)
    model = LogisticRegression().fit(X, y)
    text = str(model.summary())
    X *= 100
    np.testing.assert_array_equal(model.standard_errors_, expected.standard_errors_)
    assert str(model.summary()) == text
    assert model.null_deviance_ == expected.null_deviance_
    again = pickle.loads(pickle.dumps(model))
    assert str(again.summary()) == text


def test_what_fits_anew_is_given_the_rows_of_the_fit():
    X, y = _table()
    model = pickle.loads(pickle.dumps(LogisticRegression().fit(X, y)))
    for ask in (
        lambda: model.intervals(kind="profile"),
        lambda: model.likelihood_ratio_test([0]),
        lambda: model.summary(kind="profile"),
    ):
        with pytest.raises(ValueError, match=r"keeps no rows; give those of the fit: .*X=X, y=y"):
            ask()
    for other in (100 * X, X[::-1]):
        with pytest.raises(ValueError, match="not the rows of the fit"):
            model.likelihood_ratio_test([0], X=other, y=y)
    assert model.likelihood_ratio_test([0], X=X, y=y).degrees == 1


@pytest.mark.parametrize("n_classes", [2, 3])
def test_many_columns_take_their_information_on_request(n_classes):
    X, y = _table(1, n=40_000, d=80, n_classes=n_classes)
    model = LogisticRegression().fit(X, y)
    assert model.solver_ == "quasi-newton"
    with pytest.raises(AttributeError, match=r"compute_information\(X, y\)"):
        _ = model.standard_errors_
    assert "standard_errors_" not in dir(model)
    errors = model.compute_information(X, y).standard_errors_
    np.testing.assert_allclose(errors, LogisticRegression(solver="newton").fit(X, y).standard_errors_, rtol=1e-5)
    assert "standard_errors_" in dir(model)
    assert np.isfinite(errors).all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_null_deviance_with_offsets_is_that_of_a_fit_of_nothing(n_classes):
    X, y = _table(n_classes=n_classes)
    random = np.random.default_rng(3)
    offset = random.standard_normal(len(y) if n_classes == 2 else (len(y), n_classes))
    model = LogisticRegression().fit(X, y, offset=offset)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)
        nothing = LogisticRegression().fit(np.zeros((len(y), 1)), y, offset=offset)
    assert model.null_deviance_ == pytest.approx(nothing.deviance_, rel=1e-9)


def test_sparse_discriminants_are_shrunk_anew_by_the_rows_of_the_fit():
    X = sparse.random_array((60, 2100), density=0.02, random_state=0, format="csr")
    y = np.arange(60) % 2
    model = LinearDiscriminantAnalysis(shrinkage=0.5).fit(X, y)
    with pytest.raises(ValueError, match=r"with_shrinkage\(shrinkage, X, y\)"):
        model.with_shrinkage(0.2)
    expected = LinearDiscriminantAnalysis(shrinkage=0.2).fit(X, y)
    other = pickle.loads(pickle.dumps(model)).with_shrinkage(0.2, X, y)
    np.testing.assert_allclose(other.coef_, expected.coef_, rtol=1e-8, atol=1e-12)
    assert not hasattr(model, "covariance_")
    assert not hasattr(FisherDiscriminant(shrinkage=0.5).fit(X, y), "within_scatter_")
    with pytest.raises(ValueError, match="begin with partial_fit"):
        model.partial_fit(X, y)
    with pytest.raises(ValueError, match="counts differ"):
        model.with_shrinkage(0.2, X[:50], y[:50])


def test_a_pickled_model_of_a_wide_table_holds_no_row():
    X, y = _table(n=20, d=50)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)
        model = LinearDiscriminantAnalysis(shrinkage=0.3).fit(X, y)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_allclose(
            again.with_shrinkage(0.1).coef_, LinearDiscriminantAnalysis(shrinkage=0.1).fit(X, y).coef_, rtol=1e-9
        )
        merged = again.partial_fit(X, y)
        twice = LinearDiscriminantAnalysis(shrinkage=0.3).fit(np.vstack([X, X]), np.concatenate([y, y]))
    np.testing.assert_allclose(merged.coef_, twice.coef_, rtol=1e-7, atol=1e-9)
