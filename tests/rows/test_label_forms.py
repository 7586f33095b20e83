"""Labels of every kind are coded as np.unique codes them."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from discriminant import LinearDiscriminantAnalysis
from discriminant.rows.labels import code_labels

law = settings(deadline=None, derandomize=True, max_examples=50)
sizes = st.integers(1, 40)
words = st.text("aAbZ09 _éüß日🙂", max_size=5)


def classes_of(y):
    return code_labels(y)[0]


def coded_as_unique(y, expected=None):
    """Whether y has the classes and codes that np.unique gives the plain array ``expected``."""
    classes, codes = code_labels(y)
    expected = np.asarray(y) if expected is None else expected
    unique, inverse = np.unique(expected, return_inverse=True)
    return (
        classes.tolist() == unique.tolist()
        and np.array_equal(codes, inverse)
        and codes.dtype == np.int32
        and classes[codes].tolist() == expected.tolist()
    )


INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("dtype", INTEGERS)
@law
@given(data=st.data())
def test_integers_of_the_whole_range(dtype, data):
    y = data.draw(arrays(dtype, sizes))
    assert coded_as_unique(y)
    assert classes_of(y).dtype == y.dtype


@pytest.mark.parametrize("dtype", INTEGERS)
@law
@given(data=st.data())
def test_integers_close_together_anywhere_in_the_range(dtype, data):
    limits = np.iinfo(dtype)
    edges = st.sampled_from([limits.min, limits.max // 2, limits.max - 10])
    low = data.draw(edges | st.integers(limits.min, limits.max - 10))
    y = np.array(data.draw(st.lists(st.integers(low, low + 10), min_size=1, max_size=40)), dtype=dtype)
    assert coded_as_unique(y)
    assert classes_of(y).dtype == y.dtype


@law
@given(st.lists(st.sampled_from([-(10**18), -7, 0, 3, 10**9, 10**18]), min_size=1, max_size=40))
def test_integers_far_apart(labels):
    assert coded_as_unique(labels)


@law
@given(st.lists(st.sampled_from([-(10**30), -1, 0, 2**63 + 1, 2**64, 10**30]), min_size=1, max_size=20))
def test_integers_beyond_every_dtype(labels):
    assert coded_as_unique(np.array(labels, dtype=object))


@pytest.mark.parametrize("dtype", ["float32", "float64", "longdouble"])
@law
@given(data=st.data())
def test_floats_that_are_whole_numbers(dtype, data):
    y = np.array(data.draw(st.lists(st.integers(-(2**24), 2**24), min_size=1, max_size=40)), dtype=dtype)
    assert coded_as_unique(y)
    assert classes_of(y).dtype == y.dtype


@pytest.mark.parametrize("origin", [0.0, -(2.0**40), 2.0**62, -(2.0**63), 2.0**70, 1e300])
@law
@given(steps=st.lists(st.integers(0, 5), min_size=1, max_size=20))
def test_huge_floats_a_few_steps_apart(origin, steps):
    assert coded_as_unique(origin + np.array(steps) * max(1.0, float(np.spacing(abs(origin)))))


@law
@given(arrays(np.bool_, sizes))
def test_booleans(y):
    assert coded_as_unique(y)
    assert classes_of(y).dtype == np.bool_
    assert coded_as_unique(y.astype(object))
    assert all(type(c) is bool for c in classes_of(y.astype(object)).tolist())


@law
@given(st.lists(words, min_size=1, max_size=40))
def test_text(labels):
    fixed, objects = np.array(labels), np.array(labels, dtype=object)
    assert coded_as_unique(labels)
    assert coded_as_unique(fixed)
    assert coded_as_unique(objects)
    assert classes_of(labels).dtype.kind == "U"
    assert classes_of(fixed).dtype == fixed.dtype
    assert classes_of(objects).dtype == object


@law
@given(st.lists(st.binary(max_size=4).filter(lambda b: not b.endswith(b"\0")), min_size=1, max_size=20))
def test_bytes(labels):
    assert coded_as_unique(np.array(labels))


@pytest.mark.parametrize("unit", ["D", "s", "ns"])
def test_dates_stay_dates(unit):
    y = np.array(["2021-05-01", "2020-01-01", "2021-05-01"], dtype=f"M8[{unit}]")
    classes, codes = code_labels(y)
    assert codes.tolist() == [1, 0, 1]
    assert np.array_equal(classes[codes], y)
    assert classes.dtype.kind == "M"


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "object array": lambda v: np.array(v, dtype=object),
    "strided array": lambda v: np.repeat(np.array(v), 2)[::2],
    "pandas Series": pd.Series,
    "pandas Series, index reversed": lambda v: pd.Series(v, index=range(len(v))[::-1]),
    "pandas categories": lambda v: pd.Series(v, dtype="category"),
    "pandas Categorical": pd.Categorical,
    "pandas Categorical, order reversed": lambda v: pd.Categorical(v, categories=sorted(set(v), reverse=True)),
    "pandas nullable": lambda v: pd.Series(v).convert_dtypes(),
    "pandas objects": lambda v: pd.Series(v, dtype=object),
    "polars Series": pl.Series,
    "pyarrow array": pa.array,
    "pyarrow chunks": lambda v: pa.chunked_array([v[:1], v[1:]]),
    "pyarrow dictionary": lambda v: pa.array(v).dictionary_encode(),
}
LABELS = {"integers": [3, -1, 3, 7, -1, 0], "text": ["b", "a", "b", "ü", "a", "bb"], "booleans": [True, False, True]}


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("container", CONTAINERS)
def test_every_container_of_labels(container, labels):
    values = LABELS[labels]
    assert coded_as_unique(CONTAINERS[container](values), np.array(values))


def test_polars_categories():
    values = LABELS["text"]
    assert coded_as_unique(pl.Series(values, dtype=pl.Categorical), np.array(values))
    assert coded_as_unique(pl.Series(values, dtype=pl.Enum(sorted(set(values), reverse=True))), np.array(values))


@pytest.mark.parametrize("container", CONTAINERS)
def test_a_model_predicts_the_labels_it_was_given(container):
    X = np.array([[0.0, 1], [1, 3], [2, 0], [10, 9], [11, 12], [12, 8]])
    values = ["no", "no", "no", "yes", "yes", "yes"]
    model = LinearDiscriminantAnalysis().fit(X, CONTAINERS[container](values))
    assert model.predict(X).tolist() == values
    assert model.classes_.tolist() == ["no", "yes"]


def test_the_labels_are_left_as_they_were():
    for dtype in ("int8", "float64", "U3", object, bool):
        y = np.array([1, 0, 1, 1], dtype=dtype)
        before = y.copy()
        code_labels(y)
        assert np.array_equal(y, before)
        assert y.dtype == before.dtype


@pytest.mark.parametrize("n_classes", [1, 2, 10, 11, 40])
@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("kind", ["U", "S", "O"])
def test_texts_of_few_and_of_many_classes(n_classes, late, kind):
    """Few are compared one by one, many looked up; classes may turn up late."""
    rng = np.random.default_rng(n_classes)
    codes = rng.permutation(np.arange(3000) % n_classes)
    y = np.array([f"{k} é" if kind != "S" else f"{k} e" for k in range(n_classes)])[np.sort(codes) if late else codes]
    assert coded_as_unique(y.astype(kind) if kind != "O" else y.astype(object))


def test_missing_among_texts_is_told_by_its_row():
    for missing in (None, float("nan"), pd.NA, pd.NaT):
        y = np.array(["a", "b", "a", missing, "b"], dtype=object)
        with pytest.raises(ValueError, match=r"missing \(NaN or None\) at row 3"):
            code_labels(y)
