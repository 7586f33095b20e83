"""A table becomes a design matrix by data alone: the average row is 0, and what is not known counts as average."""

import datetime as dt
import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discriminant.table.encoding import Column, Encoding, Feature
from discriminant.table.errors import TableError
from discriminant.table.learning import fewest_rows_of_feature, learn
from discriminant.table.summaries import ColumnSummary, Spread


def learnt(table: pa.Table, **options) -> Encoding:
    return learn([ColumnSummary.of(name, table.column(name)) for name in table.schema.names], **options)


def column_of(values, name="x", kind=None) -> Column:
    return learnt(pa.table({name: pa.array(values, kind)})).columns[0]


TABLE = pa.table(
    {
        "age": pa.array([20.0, 30.0, None, 50.0] * 25),
        "sex": pa.array(["f", "m", "m", None] * 25),
        "member": pa.array([True, False, False, None] * 25),
        "since": pa.array([dt.date(2020, 1, 1), dt.date(2021, 1, 1), None, dt.date(2022, 6, 1)] * 25),
        "town": pa.array(["A", "B", "C", "A"] * 24 + ["x1", "x2", "x3", "x4"]),
        "id": pa.array(range(100)),
        "same": pa.array([7] * 100),
        "void": pa.array([None] * 100, pa.float64()),
    }
)


def test_kinds_are_told_apart():
    kinds = {column.name: column.kind for column in learnt(TABLE).columns}
    assert kinds == {
        "age": "number",
        "sex": "category",
        "member": "flag",
        "since": "date",
        "town": "category",
        "id": "dropped",
        "same": "dropped",
        "void": "dropped",
    }


def test_average_row_is_zero_and_features_have_unit_spread():
    encoding = learnt(TABLE)
    X = encoding.encode(TABLE).matrix
    np.testing.assert_allclose(X.mean(axis=0), 0.0, atol=1e-12)
    for feature, column in zip(encoding.features, X.T, strict=True):
        if feature.role == "blank":
            assert column.std() == pytest.approx(1.0)


def test_filled_cells_have_mean_zero_and_spread_one():
    encoding = learnt(TABLE)
    X = encoding.encode(TABLE).matrix
    j = encoding.feature_names.index("age")
    filled = np.array([v is not None for v in TABLE.column("age").to_pylist()])
    assert X[filled, j].mean() == pytest.approx(0.0, abs=1e-12)
    assert X[filled, j].std() == pytest.approx(1.0)


def test_blank_cells_are_average_but_for_their_own_feature():
    encoding = learnt(TABLE)
    blank = {name: [None] for name in TABLE.schema.names}
    (row,) = encoding.encode(pa.table({n: pa.array(v, TABLE.schema.field(n).type) for n, v in blank.items()})).matrix
    for feature, value in zip(encoding.features, row, strict=True):
        assert value == ((1 - feature.centre) / feature.scale if feature.role == "blank" else 0.0)


def test_a_level_never_seen_is_other_or_average():
    encoding = learnt(TABLE)
    row = {name: [TABLE.column(name)[0].as_py()] for name in TABLE.schema.names}
    row |= {"town": ["elsewhere"], "sex": ["x"]}
    (x,) = encoding.encode(pa.table(row)).matrix
    by_name = dict(zip(encoding.feature_names, x, strict=True))
    assert by_name["sex = f"] == 0.0
    assert [f.level for c in encoding.columns if c.name == "sex" for f in c.features if f.role == "level"] == ["f"]


def test_rare_levels_share_a_feature_when_they_are_many_enough():
    common = ["a"] * 500 + ["b"] * 400 + [f"rare {i}" for i in range(100)]
    column = column_of(common)
    assert column.reference == "a"
    assert column.levels == ("b",)
    other = [f for f in column.features if f.role == "other"]
    assert other[0].centre == 0.1
    encoding = Encoding((column,))
    (row,) = encoding.encode({"x": ["never seen"]}).matrix
    assert row[list(encoding.features).index(other[0])] == (1 - 0.1) / other[0].scale


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (list(range(1, 31)), "count the rows"),
        ([f"name {i}" for i in range(40)], "identifier"),
        (["long text " * 20 + str(i % 3) for i in range(30)], "prose"),
        ([3.5] * 30, "constant"),
        (["only"] * 30, "constant"),
    ],
)
def test_columns_that_tell_nothing_are_dropped_and_the_reason_said(values, reason):
    column = column_of(values)
    assert column.kind == "dropped"
    assert reason in column.reason


def test_identifiers_are_known_by_name_but_measurements_stay():
    random = np.random.default_rng(0)
    numbers = random.permutation(10_000)[:200].tolist()
    assert column_of(numbers, "customer_id").kind == "dropped"
    assert column_of(numbers, "Id").kind == "dropped"
    assert column_of(numbers, "income").kind == "number"
    assert column_of(numbers, "acid").kind == "number"


@pytest.mark.parametrize(
    ("values", "kind", "step"),
    [
        ([2007, 2008, 2010] * 5, pa.int64(), 1.0),
        ([2007.0, None, 2010.0] * 5, pa.float64(), 1.0),
        ([2007.0, 2010.5] * 5, pa.float64(), None),
        (["7", "8", "unknown"] + ["9"] * 30, pa.string(), 1.0),
        (["7", "8.5", "unknown"] + ["9"] * 30, pa.string(), None),
        ([True, False] * 5, pa.bool_(), None),
        ([dt.date(2020, 1, 1), dt.date(2021, 1, 1)] * 5, pa.date32(), None),
        (["a", "b"] * 5, pa.string(), None),
    ],
)
def test_whole_numbers_have_a_step_however_they_are_stored(values, kind, step):
    assert column_of(values, "x", kind).step == step


def test_whole_numbers_stored_as_floats_are_measurements():
    assert column_of([float(i) for i in range(50)], "customer_id").kind == "number"


def test_numbers_among_odd_texts_are_numbers_and_the_texts_blank():
    values = [str(i / 7) for i in range(99)] + ["unknown"]
    column = column_of(values)
    assert (column.kind, column.also_blank, column.blanks) == ("number", ("unknown",), 1)
    X = Encoding((column,)).encode({"x": ["unknown", "1.5", "oops"]})
    assert X.matrix[0, 0] == 0.0
    assert [(cell.row, cell.text) for cell in X.bad] == [(2, "oops")]


def test_a_missing_column_is_named():
    with pytest.raises(TableError, match="'age'"):
        learnt(TABLE).encode(TABLE.drop_columns(["age"]))


def test_columns_in_another_order_and_others_among_them():
    encoding = learnt(TABLE)
    turned = TABLE.select(TABLE.schema.names[::-1]).append_column("new", pa.array(["?"] * 100))
    np.testing.assert_array_equal(encoding.encode(turned).matrix, encoding.encode(TABLE).matrix)


CELLS = st.lists(
    st.one_of(st.none(), st.floats(-1e6, 1e6)) | st.none(),
    min_size=1,
    max_size=60,
)
TEXTS = st.lists(st.one_of(st.none(), st.sampled_from(["a", "b", "c", "NA", "7", " a ", "ü"])), min_size=1, max_size=60)


@given(CELLS, st.integers(0, 60))
def test_summaries_of_parts_add_to_that_of_the_whole(values, cut):
    whole = ColumnSummary.of("x", pa.array(values, pa.float64()))
    parts = ColumnSummary.of("x", pa.array(values[:cut], pa.float64())) + ColumnSummary.of(
        "x", pa.array(values[cut:], pa.float64())
    )
    assert (parts.n, parts.blanks, parts.spread.n) == (whole.n, whole.blanks, whole.spread.n)
    assert parts.whole == whole.whole == all(x is None or math.isnan(x) or x == round(x) for x in values)
    assert (parts.spread.low, parts.spread.high) == (whole.spread.low, whole.spread.high)
    reach = max(abs(whole.spread.low), abs(whole.spread.high), 1.0) if whole.spread.n else 1.0
    assert parts.spread.mean == pytest.approx(whole.spread.mean, abs=1e-12 * reach)
    assert parts.spread.squares == pytest.approx(whole.spread.squares, abs=1e-9 * reach**2 * whole.n)


@given(TEXTS, st.integers(0, 60))
def test_summaries_of_texts_add(values, cut):
    whole = ColumnSummary.of("x", pa.array(values, pa.string()))
    parts = ColumnSummary.of("x", pa.array(values[:cut], pa.string())) + ColumnSummary.of(
        "x", pa.array(values[cut:], pa.string())
    )
    assert (parts.n, parts.blanks, parts.levels, parts.length) == (whole.n, whole.blanks, whole.levels, whole.length)
    assert (parts.spread.n, parts.whole) == (whole.spread.n, whole.whole)


@given(st.integers(1, 200), st.integers(-5, 5), st.integers(1, 199))
def test_counting_survives_merging(n, start, cut):
    x = np.arange(start, start + n, dtype=np.float64)
    whole = Spread.of(x[:cut]) + Spread.of(x[cut:])
    assert whole.counting
    assert (Spread.of(x[:cut]) + Spread.of(x[cut:] + 1)).counting == (cut >= n)


@settings(max_examples=30)
@given(st.integers(20, 300), st.integers(0, 2**31))
def test_encoding_row_by_row_is_encoding_all_at_once(n, seed):
    random = np.random.default_rng(seed)
    table = pa.table(
        {
            "u": pa.array(np.where(random.random(n) < 0.1, np.nan, random.standard_normal(n)), from_pandas=True),
            "v": pa.array(random.choice(["p", "q", "r"], n)),
        }
    )
    encoding = learnt(table)
    whole = encoding.encode(table).matrix
    rows = [encoding.encode(table.slice(i, 1)).matrix[0] for i in range(n)]
    np.testing.assert_array_equal(whole, np.array(rows))


def test_few_is_a_half_per_cent_but_at_least_five():
    assert (fewest_rows_of_feature(10), fewest_rows_of_feature(1000), fewest_rows_of_feature(10_000)) == (5, 5, 50)


def test_feature_is_centred_and_scaled():
    np.testing.assert_array_equal(Feature("x", "value", 2.0, 4.0).encoded(np.array([2.0, 6.0])), [0.0, 1.0])


def test_numbers_beyond_all_measure_are_bad_cells():
    encoding = Encoding((Column("x", "number", (Feature("x", "value", 0.0, 1e-13),)),))
    found = encoding.encode({"x": [1e300, 1e-13, -1e308]})
    assert found.matrix[:, 0].tolist() == [0.0, 1.0, 0.0]
    assert [cell.row for cell in found.bad] == [0, 2]


def test_words_among_many_numbers_are_blanks_even_if_they_are_common():
    random = np.random.default_rng(0)
    texts = [f"{v:.3f}" for v in random.standard_normal(300)]
    texts[::5] = ["unknown"] * 60
    texts[1::9] = ["n.d."] * len(texts[1::9])
    column = column_of(texts)
    assert column.kind == "number"
    assert column.also_blank == ("n.d.", "unknown")
    assert [f.role for f in column.features] == ["value", "blank"]
    grades = column_of(["1", "2", "3", "A", "B"] * 20)
    assert grades.kind == "category"


def test_a_word_among_more_numbers_than_are_counted_is_a_blank(monkeypatch):
    monkeypatch.setattr("discriminant.table.summaries.MOST_LEVELS", 50)
    chunks = [[f"{i / 7:.4f}" for i in range(100)], ["none given", *(f"{i / 11:.4f}" for i in range(100))]]
    column = learn([ColumnSummary.of("x", pa.chunked_array(chunks))]).columns[0]
    assert (column.kind, column.also_blank, column.blanks) == ("number", ("none given",), 1)


@pytest.mark.parametrize("write", ["${:,.2f}", "{:.1f}%", "{:,.0f} €", "{:,.0f}", "{:.2f} EUR"])
def test_numbers_with_signs_are_numbers(write):
    column = column_of([write.format(1234.5 + 37 * i) for i in range(100)])
    assert column.kind == "number"
    assert "is read as" in column.reason


def test_numbers_in_two_units_are_dropped_with_the_reason():
    column = column_of([f"{'$€'[i % 2]}{1234.5 + 37 * i:,.2f}" for i in range(100)])
    assert column.kind == "dropped"
    assert "numbers written with signs" in column.reason


def test_codes_are_not_taken_for_numbers_with_signs():
    assert "signs" not in column_of([f"K{i:04d}" for i in range(100)]).reason
    assert "signs" not in column_of([f"{i}-{i + 5}" for i in range(100)]).reason


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64()])
def test_bare_numbers_are_no_dates(kind):
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=i) for i in range(50)]
    encoding = learnt(pa.table({"when": days, "x": [float(i % 7) for i in range(50)]}))
    encoded = encoding.encode({"when": pa.array([1, None], kind), "x": [1.0, 2.0]})
    assert [(bad.row, bad.column, bad.wanted) for bad in encoded.bad] == [(0, "when", "a date")]


def test_dates_are_no_numbers():
    encoding = learnt(pa.table({"x": [float(i % 7) for i in range(50)]}))
    bad = encoding.encode({"x": pa.array([dt.date(2020, 1, 1), None])}).bad
    assert [(cell.row, cell.wanted) for cell in bad] == [(0, "a number")]


def test_sums_of_the_largest_numbers_do_not_overflow():
    x = np.array([1.5e308, 1.2e308, 1.7e308, 1.6e308] * 10)
    spread = Spread.of(x)
    assert spread.mean == pytest.approx(1.5e308)
    encoded = learnt(pa.table({"x": x})).encode({"x": x})
    assert not encoded.bad
    assert np.isfinite(encoded.matrix).all()
