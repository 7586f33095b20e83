"""Tables of every kind give the same answers; what cannot be read is named."""

import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from discriminant.gain import Gain
from discriminant.model import DecisionModel, Target, explain
from discriminant.table.encoding import Column, Encoding, Feature, IndexedEncoding
from discriminant.table.errors import TableError
from tests.model.samples import plain_models, random_table


def by_hand(model, table, i):
    """The scores of one row, feature by feature, from the words of the encoding's description."""
    total = -model.thresholds.copy()
    j = 0
    for column in model.encoding.used:
        cell = table[column.name][i]
        others = any(f.role == "other" for f in column.features)
        for feature in column.features:
            unseen = column.kind == "category" and cell not in (column.reference, *column.levels)
            if feature.role == "blank":
                raw = float(cell is None)
            elif cell is None or (unseen and not others):
                raw = feature.centre
            elif feature.role == "value":
                v = min(
                    max(float(cell), -math.inf if feature.low is None else feature.low),
                    math.inf if feature.high is None else feature.high,
                )
                raw = v if feature.unit is None else math.copysign(math.log1p(abs(v) / feature.unit), v)
            else:
                raw = float(unseen) if feature.role == "other" else float(cell == feature.level)
            total += model.weights[:, j] * (raw - feature.centre) / feature.scale
            j += 1
    return total


def frame_of(columns, kinds):
    days = np.datetime64("1970-01-01")
    made = {}
    for name, cells in columns.items():
        if kinds[name] == "date":
            made[name] = pa.array([None if c is None else float(round(c)) for c in cells], pa.float64())
            made[name] = pa.array([None if c is None else (days + np.timedelta64(round(c), "D")).item() for c in cells])
        elif kinds[name] == "category":
            made[name] = pa.array(cells, pa.string())
        else:
            made[name] = pa.array(cells, pa.bool_() if kinds[name] == "flag" else pa.float64())
    return pa.table(made)


@given(plain_models, st.integers(0, 1000))
def test_every_kind_of_table_gives_the_scores_of_the_description(model, seed):
    rng = np.random.default_rng(seed)
    kinds = {column.name: column.kind for column in model.encoding.used}
    columns = random_table(rng, model.encoding, 7)
    for name, kind in kinds.items():
        if kind == "date":
            columns[name] = [None if c is None else float(round(c)) for c in columns[name]]
    if not kinds:
        return
    expected = np.array([by_hand(model, columns, i) for i in range(7)])
    expected = expected[:, 0] if len(model.classes) == 2 else expected
    table = frame_of(columns, kinds)
    shuffled = table.select(sorted(kinds, key=str.lower, reverse=True)).append_column("more", pa.array(range(7)))
    for given_table in (table, shuffled, table.to_batches()[0], {name: table[name] for name in kinds}):
        assert np.allclose(model.decision_function(given_table), expected, rtol=1e-9, atol=1e-9)
    answers = model.predict(table)
    assert set(answers.tolist()) <= set(model.answers)
    if model.posterior is not None:
        p = model.predict_proba(table)
        assert p.shape == (7, len(model.classes))
        assert np.allclose(p.sum(axis=1), 1)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@given(model=plain_models, seed=st.integers(0, 50))
def test_data_frames(library, model, seed):
    pytest.importorskip(library)
    kinds = {column.name: column.kind for column in model.encoding.used}
    table = frame_of(random_table(np.random.default_rng(seed), model.encoding, 5), kinds)
    frame = table.to_pandas() if library == "pandas" else __import__("polars").from_arrow(table)
    if kinds:
        assert np.allclose(model.decision_function(frame), model.decision_function(table))


def numeric(K=2):
    columns = (
        Column("a", "number", (Feature("a", "value", 1.0, 2.0),)),
        Column("id", "dropped", reason="an identifier"),
        Column("b", "number", (Feature("b", "value", 0.0, 1.0), Feature("b is blank", "blank", 0.1, 0.3))),
        Column("c", "flag", (Feature("c", "value", 0.5, 0.5),)),
    )
    P = 1 if K == 2 else K
    weights = np.random.default_rng(0).standard_normal((P, 4))
    rule = "threshold" if K == 2 else "largest"
    return DecisionModel(
        Target("class", tuple(range(K))), Encoding(columns), weights, np.zeros(P), rule, Gain(np.eye(K))
    )


@pytest.mark.parametrize("K", [2, 3])
def test_arrays_have_the_used_columns_in_order(K):
    model = numeric(K)
    X = np.array([[1.0, 2.0, 1.0], [np.nan, np.nan, 0.0], [3.0, -1.0, np.nan]])
    table = {"a": [1.0, None, 3.0], "b": [2.0, None, -1.0], "c": [True, False, None]}
    assert np.array_equal(model.decision_function(X), model.decision_function(table))
    assert np.array_equal(model.decision_function(X.tolist()), model.decision_function(table))
    finite = np.nan_to_num(X)
    assert np.array_equal(model.predict(sparse.csr_array(finite)), model.predict(finite))


@pytest.mark.parametrize(
    ("table", "error", "words"),
    [
        ({"a": [1.0], "b": [1.0]}, TableError, "no column 'c', which the model needs"),
        ({"a": ["1", "x"], "b": [1, 2], "c": [True, False]}, TableError, "row 1 of column 'a' holds 'x', not a number"),
        ({"a": [1.0, 2.0], "b": [1.0], "c": [True, False]}, TableError, "make no table"),
        ({"a": [1.0, "x"], "b": [1.0, 2.0], "c": [True, False]}, TableError, "make no table"),
        ({"a": [np.inf], "b": [1.0], "c": [True]}, TableError, "column 'a' holds"),
        (np.zeros((2, 4)), ValueError, r"rows × 3 columns \('a', 'b', 'c'\), got shape \(2, 4\)"),
        (np.zeros(3), ValueError, "rows × 3 columns"),
        ([["x", 1, 1]], TypeError, "must be of numbers"),
        ("people.csv", TypeError, "got str"),
        (np.full((1, 3), 0.5), ValueError, "flag 'c'"),
    ],
)
def test_tables_that_cannot_be_read_are_refused_by_name(table, error, words):
    with pytest.raises(error, match=words):
        numeric().predict(table)


def test_lazy_frames_are_refused():
    polars = pytest.importorskip("polars")
    with pytest.raises(TypeError, match="collect"):
        numeric().predict(polars.LazyFrame({"a": [1.0], "b": [1.0], "c": [True]}))


def test_arrays_in_place_of_texts_are_refused():
    category = Column("town", "category", (Feature("town = b", "level", 0.2, 0.4, "b"),), reference="a")
    model = DecisionModel(
        Target("y", (0, 1)), Encoding((category,)), np.ones((1, 1)), np.zeros(1), "threshold", Gain(np.eye(2))
    )
    with pytest.raises(TypeError, match="'town' hold no numbers"):
        model.predict(np.zeros((1, 1)))
    assert model.predict({"town": ["a", "b", None, "z"]}).tolist() == [0, 1, 0, 0]


def test_indexed_rows():
    rng = np.random.default_rng(0)
    weights = rng.standard_normal((1, 50))
    model = DecisionModel(
        Target("y", (-1, 1)), IndexedEncoding(50, 1), weights, np.array([0.1]), "threshold", Gain(np.eye(2))
    )
    X = sparse.random_array((20, 50), density=0.1, rng=rng, format="csr")
    assert np.allclose(model.decision_function(X), X.toarray() @ weights[0] - 0.1)
    assert np.array_equal(model.predict(X), model.predict(X.toarray()))
    with pytest.raises(ValueError, match="50 columns"):
        model.predict(X[:, :10])


def test_a_model_predicts_without_scikit_learn_and_numba():
    code = (
        "import sys; from tests.model.test_prediction import numeric; import tempfile, discriminant.model as m\n"
        "path = tempfile.mkdtemp() + '/model.json'; m.save(numeric(), path); m.load(path).predict([[1.0, 2.0, 1.0]])\n"
        "m.explain(numeric(), [[1.0, 2.0, 1.0]])\n"
        "heavy = {'sklearn', 'numba', 'matplotlib'} & set(sys.modules); print(sorted(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def heavy():
    """Two numbers with weights of 1,000 and −1,000."""
    columns = tuple(Column(name, "number", (Feature(name, "value", 0.0, 1.0),)) for name in "ab")
    weights = np.array([[1e3, -1e3]])
    return DecisionModel(Target("class", (0, 1)), Encoding(columns), weights, np.zeros(1), "threshold", Gain(np.eye(2)))


def test_rows_whose_scores_no_float_can_hold_are_refused_by_name():
    model, table = heavy(), {"a": [1.0, 1e308], "b": [1.0, 1.0]}
    for ask in (model.predict, model.decision_function):
        with pytest.raises(TableError, match="row 1: its score is larger than any number, by the value of 'a'"):
            ask(table)
    with pytest.raises(TableError, match="row 1: its score is larger"):
        explain(model, table, 1)


def test_terms_that_no_float_can_hold_may_cancel():
    table = {"a": [1e308, 1e308], "b": [1e308, 1e308 * (1 + 2**-40)]}
    exact = [1000 * (Fraction(a) - Fraction(b)) for a, b in zip(*table.values(), strict=True)]
    np.testing.assert_allclose(heavy().decision_function(table), [float(value) for value in exact], rtol=1e-3)
    assert heavy().predict(table).tolist() == [0, 0]
