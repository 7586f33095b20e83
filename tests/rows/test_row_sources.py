"""Rows with their labels and weights as one thing: a source is its arrays, and weight zero is absence."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from discriminant import FisherDiscriminant, LeastSquaresClassifier, LinearDiscriminantAnalysis, NaiveBayes, rows

law = settings(deadline=None, derandomize=True, max_examples=8)

ESTIMATORS = [
    FisherDiscriminant(),
    FisherDiscriminant(threshold="accuracy"),
    FisherDiscriminant(threshold="gaussian"),
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(shrinkage="auto"),
    LeastSquaresClassifier(),
    NaiveBayes(),
    NaiveBayes(marginal="gaussian"),
    NaiveBayes(marginal="multinomial"),
    NaiveBayes(marginal="categorical"),
]
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)

rng = np.random.default_rng(11)
X = rng.integers(0, 9, size=(60, 4)).astype(np.float64)
y = np.array(["low", "mid", "high"])[np.arange(60) % 3]
weight = rng.integers(1, 4, size=60).astype(np.float64)
NAMES = list("abcd")
TABLES = {
    "array": X,
    "csr": sparse.csr_array(X),
    "pandas": pd.DataFrame(X, columns=NAMES),
    "numbered pandas": pd.DataFrame(X),
    "polars": pl.DataFrame(X, schema=NAMES, orient="row"),
    "pyarrow": pa.table({n: X[:, j] for j, n in enumerate(NAMES)}),
}


def same(model, reference, exactly=False):
    """Whether two models have the same classes and planes."""
    allowed = 0.0 if exactly else 1e-9
    planes = [(model.coef_, reference.coef_), (model.intercept_, reference.intercept_)]
    return np.array_equal(model.classes_, reference.classes_) and all(
        np.allclose(a, b, rtol=allowed, atol=allowed * np.abs(reference.coef_).max()) for a, b in planes
    )


@every_estimator
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_a_source_fits_as_its_arrays_do(estimator, table, weighted):
    w = weight if weighted else None
    source = rows.from_arrays(TABLES[table], y, w)
    model, reference = clone(estimator).fit(source), clone(estimator).fit(TABLES[table], y, w)
    assert same(model, reference, exactly=True)
    assert model.n_features_in_ == reference.n_features_in_ == 4
    names = [getattr(m, "feature_names_in_", np.array([])).tolist() for m in (model, reference)]
    assert names[0] == names[1]
    assert np.array_equal(model.predict(TABLES[table]), reference.predict(TABLES[table]))


@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if hasattr(e, "partial_fit")], ids=str)
def test_sources_add_and_forget_as_their_arrays_do(estimator):
    first, second = rows.from_arrays(X[:30], y[:30]), rows.from_arrays(X[30:], y[30:])
    model = clone(estimator).partial_fit(first).partial_fit(second)
    assert same(model, clone(estimator).fit(X, y))
    assert same(model.forget(second), clone(estimator).fit(X[:30], y[:30]))


@every_estimator
@pytest.mark.parametrize("extra", [{"y": y}, {"sample_weight": weight}, {"y": y, "sample_weight": weight}])
def test_a_source_carries_its_own_labels_and_weights(estimator, extra):
    with pytest.raises(ValueError, match="carries its own labels and weights"):
        clone(estimator).fit(rows.from_arrays(X, y), **extra)


def test_what_a_source_holds():
    source = rows.from_arrays(TABLES["polars"], y, weight)
    assert (source.n_rows, source.n_columns) == (60, 4)
    assert source.names == tuple(NAMES)
    assert source.classes[source.codes].tolist() == y.tolist()
    assert np.array_equal(source.weight, weight)
    assert rows.from_arrays(X, y).weight is None
    assert rows.from_arrays(X, y).names is None


def test_one_weight_for_all_is_a_weight_for_each():
    assert np.array_equal(rows.from_arrays(X, y, 2.5).weight, np.full(60, 2.5))


@pytest.mark.parametrize("make", [list, pd.Series, pl.Series, pa.array, lambda w: w.astype(np.float32)])
def test_weights_of_every_kind(make):
    assert np.array_equal(rows.from_arrays(X, y, make(weight)).weight, weight)


# --- weights --------------------------------------------------------------------------------------------


@every_estimator
@pytest.mark.parametrize("table", TABLES)
def test_a_whole_class_of_weight_zero_is_absent(estimator, table):
    kept = y != "mid"
    model = clone(estimator).fit(TABLES[table], y, weight * kept)
    assert model.classes_.tolist() == ["high", "low"]
    assert same(model, clone(estimator).fit(X[kept], y[kept], weight[kept]))


@every_estimator
@law
@given(kept=st.lists(st.booleans(), min_size=40, max_size=40))
def test_rows_of_weight_zero_are_absent(estimator, kept):
    kept = np.array([True] * 20 + kept)
    model = clone(estimator).fit(X, y, weight * kept)
    assert same(model, clone(estimator).fit(X[kept], y[kept], weight[kept]))


@every_estimator
def test_whole_weights_are_repetitions(estimator):
    repeated = np.repeat(np.arange(60), weight.astype(int))
    assert same(clone(estimator).fit(X, y, weight), clone(estimator).fit(X[repeated], y[repeated]))


@every_estimator
def test_weights_of_one_change_nothing(estimator):
    assert same(clone(estimator).fit(X, y, np.ones(60)), clone(estimator).fit(X, y))


def test_the_weights_and_labels_are_left_as_they_were():
    w, labels = weight * (y != "mid"), y.copy()
    before = w.copy()
    LinearDiscriminantAnalysis().fit(X, labels, w)
    assert np.array_equal(w, before)
    assert np.array_equal(labels, y)


def test_a_source_is_told_by_what_it_reads_and_is_no_table(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,a\n2,b\n3,b\n")
    source = rows.open(tmp_path / "a.csv", target="y")
    assert repr(source) == f"<FileRows of {tmp_path / 'a.csv'}: 3 rows, 1 columns>"
    model = LinearDiscriminantAnalysis().fit(source)
    with pytest.raises(TypeError, match=r"X is a source of rows, .*pass source\.collect\(\)\.matrix"):
        model.predict(source)
