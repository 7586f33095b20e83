"""Every form of table gives the model that plain float64 NumPy gives on the same numbers."""

import copy

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from discriminant import LinearDiscriminantAnalysis
from discriminant.rows.matrix import read_matrix

NAMES = ["height", "weight", "age", "income"]
N_ROWS = 40


def _numbers(kind):
    rng = np.random.default_rng(7)
    reals = rng.normal(size=(N_ROWS, 4)) + np.array([0.0, 5.0, -3.0, 100.0])
    return {
        "reals": reals,
        "singles": reals.astype(np.float32).astype(np.float64),
        "halves": reals.astype(np.float16).astype(np.float64),
        "counts": rng.integers(0, 100, size=(N_ROWS, 4)).astype(np.float64),
        "signed": rng.integers(-100, 100, size=(N_ROWS, 4)).astype(np.float64),
        "bits": rng.integers(0, 2, size=(N_ROWS, 4)).astype(np.float64),
        "holes": np.where(rng.random((N_ROWS, 4)) < 0.5, 0.0, np.round(64 * reals) / 64),
        "sparse counts": np.where(rng.random((N_ROWS, 4)) < 0.5, 0, rng.integers(0, 100, (N_ROWS, 4))).astype(float),
    }[kind]


def _y():
    return np.arange(N_ROWS) % 3


# --- constructors: float64 numbers -> a form of the same numbers ----------------------------------------


def _read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def _strided(X):
    wide = np.full((2 * len(X), 3 * X.shape[1]), np.nan)
    wide[::2, 1::3] = X
    return wide[::2, 1::3]


def _reversed(X):
    return np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]


def _unsorted_csr(X):
    X = sparse.csr_array(X)
    indices, data = X.indices.copy(), X.data.copy()
    for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        indices[a:b], data[a:b] = indices[a:b][::-1], data[a:b][::-1]
    return sparse.csr_array((data, indices, X.indptr), shape=X.shape)


def _duplicated_csr(X):
    """Each entry stored as two halves, far apart in its row."""
    X = sparse.csr_array(X)
    indices, data = [], []
    for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        indices += [*X.indices[a:b], *X.indices[a:b]]
        data += [*(X.data[a:b] / 2), *(X.data[a:b] / 2)]
    return sparse.csr_array((data, indices, 2 * X.indptr), shape=X.shape)


def _duplicated_coo(X):
    X = sparse.coo_array(X)
    rows, columns = X.coords
    places = (np.concatenate([rows, rows]), np.concatenate([columns, columns]))
    return sparse.coo_array((np.concatenate([X.data / 2, X.data / 2]), places), shape=X.shape)


def _with_explicit_zeros(X):
    return sparse.csr_array((X.ravel(), np.tile(np.arange(4), N_ROWS), np.arange(0, 4 * N_ROWS + 1, 4)), shape=X.shape)


def _long_indices(X):
    X = sparse.csr_array(X)
    return sparse.csr_array((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), shape=X.shape)


def _pandas(X, **dtypes):
    return pd.DataFrame(X, columns=NAMES).astype(dtypes)


def _each_pandas(X, dtype):
    return _pandas(X, **dict.fromkeys(NAMES, dtype))


def _polars(X, dtype=pl.Float64):
    return pl.DataFrame(X, schema=NAMES, orient="row").cast(dtype)


def _arrow(X, dtype=None):
    return pa.table({name: pa.array(X[:, j], dtype) for j, name in enumerate(NAMES)})


PLAIN = {
    "float64 Fortran": ("reals", np.asfortranarray),
    "float32": ("singles", lambda X: X.astype(np.float32)),
    "float32 Fortran": ("singles", lambda X: np.asfortranarray(X, dtype=np.float32)),
    "float16": ("halves", lambda X: X.astype(np.float16)),
    "longdouble": ("reals", lambda X: X.astype(np.longdouble)),
    "big-endian float64": ("reals", lambda X: X.astype(">f8")),
    "big-endian int32": ("signed", lambda X: X.astype(">i4")),
    **{t: ("signed", lambda X, t=t: X.astype(t)) for t in ("int8", "int16", "int32", "int64")},
    **{t: ("counts", lambda X, t=t: X.astype(t)) for t in ("uint8", "uint16", "uint32", "uint64")},
    "bool": ("bits", lambda X: X.astype(bool)),
    "object": ("reals", lambda X: X.astype(object)),
    "read-only": ("reals", _read_only),
    "strided": ("reals", _strided),
    "reversed": ("reals", _reversed),
    "nothing masked": ("reals", np.ma.masked_array),
    "list of lists": ("reals", lambda X: X.tolist()),
    "list of integers": ("counts", lambda X: X.astype(int).tolist()),
    "tuple of arrays": ("reals", tuple),
}
SPARSE = {
    **{
        f"{form} {kind}": ("holes", lambda X, form=form, make=make: make(X).asformat(form))
        for form in ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")
        for kind, make in (("array", sparse.csr_array), ("matrix", sparse.csr_matrix))
    },
    **{
        f"int64 {form}": ("sparse counts", lambda X, form=form: sparse.csr_array(X.astype(np.int64)).asformat(form))
        for form in ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")
    },
    "bool csr": ("bits", lambda X: sparse.csr_array(X.astype(bool))),
    "uint8 csc": ("sparse counts", lambda X: sparse.csc_array(X.astype(np.uint8))),
    "float32 csr": ("holes", lambda X: sparse.csr_array(X.astype(np.float32))),
    "unsorted csr": ("holes", _unsorted_csr),
    "duplicated csr": ("holes", _duplicated_csr),
    "duplicated coo": ("holes", _duplicated_coo),
    "csr with explicit zeros": ("holes", _with_explicit_zeros),
    "csr with long indices": ("holes", _long_indices),
}
FRAMES = {
    "pandas": ("reals", _pandas),
    "pandas float32": ("singles", lambda X: _each_pandas(X, "float32")),
    "pandas mixed": ("counts", lambda X: _pandas(X, height="int64", weight="float32", age="int8", income="float64")),
    "pandas bool and float": ("bits", lambda X: _pandas(X, height="bool", age="bool")),
    "pandas all bool": ("bits", lambda X: _each_pandas(X, "bool")),
    "pandas Int64": ("signed", lambda X: _each_pandas(X, "Int64")),
    "pandas Float64": ("reals", lambda X: _each_pandas(X, "Float64")),
    "pandas nullable mixed": ("bits", lambda X: _pandas(X, height="boolean", weight="Int8", age="Float32")),
    "pandas boolean": ("bits", lambda X: _each_pandas(X, "boolean")),
    "pandas on arrow": ("counts", lambda X: _pandas(X, height="int64[pyarrow]", age="double[pyarrow]")),
    "pandas objects": ("reals", lambda X: _each_pandas(X, object)),
    "pandas rows reindexed": ("reals", lambda X: _pandas(X).set_axis(np.arange(N_ROWS)[::-1])),
    "polars": ("reals", _polars),
    "polars Int16": ("signed", lambda X: _polars(X, pl.Int16)),
    "polars Float32": ("singles", lambda X: _polars(X, pl.Float32)),
    "polars mixed": ("bits", lambda X: _polars(X).with_columns(pl.col("height").cast(pl.Boolean), age=pl.col("age"))),
    "polars Boolean": ("bits", lambda X: _polars(X, pl.Boolean)),
    "pyarrow": ("reals", _arrow),
    "pyarrow int8": ("signed", lambda X: _arrow(X, pa.int8())),
    "pyarrow chunked": ("reals", lambda X: pa.concat_tables([_arrow(X[:7]), _arrow(X[7:])])),
    "pyarrow mixed": ("counts", lambda X: _arrow(X).set_column(1, "weight", pa.array(X[:, 1].astype(int)))),
}
FORMS = PLAIN | SPARSE | FRAMES


def build(form):
    kind, make = FORMS[form]
    X = _numbers(kind)
    return X, make(X.copy())


def same_model(model, reference):
    """Whether two models have the same classes and planes."""
    return (
        np.array_equal(model.classes_, reference.classes_)
        and np.allclose(model.coef_, reference.coef_, rtol=1e-12, atol=1e-12 * np.abs(reference.coef_).max())
        and np.allclose(model.intercept_, reference.intercept_, rtol=1e-12, atol=1e-10)
    )


def snapshot(table):
    """Everything the table holds, apart from it."""
    if sparse.issparse(table):
        parts = {k: copy.deepcopy(v) for k, v in vars(table).items() if not k.startswith("_has")}
        return {**parts, "dense": table.toarray()}
    if isinstance(table, np.ndarray):
        return {"values": np.array(table), "dtype": table.dtype, "strides": table.strides}
    if isinstance(table, pd.DataFrame):
        return {"values": table.to_numpy(dtype=object), "dtypes": list(table.dtypes), "names": list(table.columns)}
    if isinstance(table, pl.DataFrame | pa.Table):
        return {"values": np.array(table.to_pandas(), dtype=object), "schema": table.schema}
    return {"values": copy.deepcopy(table)}


def same_snapshot(a, b):
    """Whether two snapshots hold the same, in the same types."""
    return a.keys() == b.keys() and all(
        type(a[key]) is type(b[key])
        and (a[key] == b[key] if key == "schema" else np.array_equal(np.asarray(a[key]), np.asarray(b[key])))
        for key in a
    )


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_model_of_its_numbers(form):
    X, table = build(form)
    reference = LinearDiscriminantAnalysis().fit(X, _y())
    model = LinearDiscriminantAnalysis().fit(table, _y())
    assert same_model(model, reference)
    assert np.allclose(model.decision_function(table), reference.decision_function(X), rtol=1e-12, atol=1e-9)
    assert np.array_equal(model.predict(table), reference.predict(X))


@pytest.mark.parametrize("form", FORMS)
def test_the_matrix_read_holds_exactly_the_numbers_of_the_table(form):
    X, table = build(form)
    matrix = read_matrix(table)
    if sparse.issparse(matrix):
        assert matrix.format == "csr"
        assert matrix.dtype == np.float64
        assert matrix.has_canonical_format
        matrix = matrix.toarray()
    assert np.array_equal(np.asarray(matrix, dtype=np.float64), X)


@pytest.mark.parametrize("form", FORMS)
def test_the_table_is_left_as_it_was(form):
    _, table = build(form)
    before = snapshot(table)
    model = LinearDiscriminantAnalysis().fit(table, _y(), np.arange(N_ROWS) % 4)
    model.predict(table)
    model.transform(table)
    assert same_snapshot(before, snapshot(table))


def test_a_memory_mapped_table(tmp_path):
    X = _numbers("reals")
    for dtype in (np.float64, np.float32):
        path = tmp_path / f"{np.dtype(dtype).name}.bin"
        X.astype(dtype).tofile(path)
        table = np.memmap(path, dtype=dtype, mode="r", shape=X.shape)
        numbers = X.astype(dtype).astype(np.float64)
        model = LinearDiscriminantAnalysis().fit(table, _y())
        reference = LinearDiscriminantAnalysis().fit(numbers, _y())
        assert same_model(model, reference)
        assert np.array_equal(model.predict(table), reference.predict(numbers))
        assert np.array_equal(np.asarray(table), X.astype(dtype))


@pytest.mark.parametrize("form", ["float32", "int16", "float64 Fortran", "csr array", "csc array", "strided"])
def test_tables_of_many_blocks_and_threads(form):
    rng = np.random.default_rng(3)
    X = np.where(rng.random((20_000, 16)) < 0.5, 0.0, rng.integers(-50, 50, (20_000, 16))).astype(np.float64)
    y = rng.integers(0, 3, 20_000)
    table = FORMS[form][1](X)
    reference, model = LinearDiscriminantAnalysis().fit(X, y), LinearDiscriminantAnalysis().fit(table, y)
    assert same_model(model, reference)
    assert np.allclose(model.decision_function(table), reference.decision_function(X), rtol=1e-12, atol=1e-12)


def test_float32_is_summed_in_float64():
    """An offset of 2²⁰ leaves float32 sums without a digit of the spread; float64 keeps them."""
    X = (_numbers("signed") / 8 + 2.0**20).astype(np.float32)
    reference = LinearDiscriminantAnalysis().fit(X.astype(np.float64), _y())
    assert same_model(LinearDiscriminantAnalysis().fit(X, _y()), reference)


# --- names ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FRAMES)
def test_frames_keep_the_names_of_their_columns(form):
    _, table = build(form)
    model = LinearDiscriminantAnalysis().fit(table, _y())
    assert model.feature_names_in_.tolist() == NAMES
    assert model.n_features_in_ == 4


@pytest.mark.parametrize("form", PLAIN | SPARSE)
def test_tables_without_names_give_none(form):
    _, table = build(form)
    model = LinearDiscriminantAnalysis().fit(table, _y())
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 4


def test_a_pandas_frame_with_numbered_columns():
    X = _numbers("reals")
    table = pd.DataFrame(X)
    model = LinearDiscriminantAnalysis().fit(table, _y())
    assert same_model(model, LinearDiscriminantAnalysis().fit(X, _y()))
    assert not hasattr(model, "feature_names_in_")
    assert np.array_equal(model.predict(table), model.predict(X))


def test_a_model_of_one_library_reads_frames_of_another():
    X = _numbers("reals")
    model = LinearDiscriminantAnalysis().fit(_pandas(X), _y())
    for table in (_polars(X), _arrow(X)):
        assert np.array_equal(model.predict(table), model.predict(_pandas(X)))
