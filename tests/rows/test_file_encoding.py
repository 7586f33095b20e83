"""An encoding learnt from parts of files is that of the whole table read at once."""

import operator
from functools import reduce
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discriminant import LinearDiscriminantAnalysis, LinearSVM, rows
from discriminant.table.learning import learn
from discriminant.table.reading import open_table
from discriminant.table.summaries import ColumnSummary

law = settings(deadline=None, derandomize=True, max_examples=25)


def same_encoding(a, b):
    """Equal but for rounding of means and spreads."""
    assert [c.name for c in a.columns] == [c.name for c in b.columns]
    for one, other in zip(a.columns, b.columns, strict=True):
        assert (one.kind, one.reference, one.also_blank, one.date_format, one.blanks, one.reason) == (
            other.kind, other.reference, other.also_blank, other.date_format, other.blanks, other.reason,
        )  # fmt: skip
        assert (one.low, one.high, one.step, one.number_format, one.aliases) == (
            other.low, other.high, other.step, other.number_format, other.aliases,
        )  # fmt: skip
        assert [(f.name, f.role, f.level) for f in one.features] == [(f.name, f.role, f.level) for f in other.features]
        for f, g in zip(one.features, other.features, strict=True):
            assert f.scale == pytest.approx(g.scale, rel=1e-9)
            assert f.centre == pytest.approx(g.centre, rel=1e-9, abs=1e-9 * f.scale)
    return True


def learnt_at_once(paths, target="y"):
    table = open_table(paths).read(labels=target)
    return learn([ColumnSummary.of(name, table.column(name)) for name in table.schema.names if name != target])


def cells_of(kind):
    """Lists of cells as texts, with None for a blank."""
    numbers = st.integers(-5, 40)
    return {
        "counting": None,
        "whole": numbers.map(str),
        "decimal": numbers.map(lambda v: f"{v / 8}"),
        "late decimal": numbers.map(str),
        "flag": st.sampled_from(["true", "false"]),
        "date": st.integers(1, 28).map(lambda d: f"2024-03-{d:02}"),
        "category": st.sampled_from(["red", "green", "Red", "blue", "none at all"]),
        "money": numbers.map(lambda v: f"€{v + 10:,}.50"),
        "odd number": st.sampled_from(["1", "2", "3.5", "4", "5", "6", "7", "8", "?"]),
        "prose": st.text("abcdefgh ", min_size=1, max_size=30),
    }[kind]


KINDS = ["counting", "whole", "decimal", "late decimal", "flag", "date", "category", "money", "odd number", "prose"]


@st.composite
def tables(draw):
    n = draw(st.integers(12, 60))
    columns = {}
    for k, kind in enumerate(draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=5))):
        if kind == "counting":
            cells = [str(1000 + i) for i in range(n)]
        else:
            cells = draw(st.lists(cells_of(kind), min_size=n, max_size=n))
        if kind == "late decimal":
            cells[-1] = "0.25"
        if kind != "counting" and draw(st.booleans()):
            for i in draw(st.lists(st.integers(0, n - 1), max_size=n // 2)):
                cells[i] = None
        columns[f"{kind} {k}" if draw(st.booleans()) else f"c{k}_id"] = cells
    columns["y"] = [str(i % 2) for i in range(n)]
    cuts = sorted(set(draw(st.lists(st.integers(1, n - 1), max_size=3))))
    return columns, [0, *cuts, n]


@law
@given(tables(), st.integers(20, 300))
def test_text_tables_in_parts_are_learnt_as_at_once(tmp_path_factory, made, block_bytes):
    columns, cuts = made
    folder = tmp_path_factory.mktemp("csv")
    for k, (a, b) in enumerate(pairwise(cuts)):
        part = pa.table({name: pa.array(cells[a:b], pa.string()) for name, cells in columns.items()})
        pacsv.write_csv(part, folder / f"{k}.csv")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("discriminant.rows.file_parts._TEXT_BYTES", block_bytes)
        patch.setattr("discriminant.rows.file_tables.BLOCK_BYTES", block_bytes)
        try:
            expected = learnt_at_once([str(folder / "*.csv")])
        except ValueError:  # such as a table whose delimiter cannot be told
            return
        if not expected.n_features:
            with pytest.raises(ValueError, match="no column tells anything"):
                rows.open(folder, target="y", encoding="auto")
            return
        source = rows.open(folder, target="y", encoding="auto")
        assert same_encoding(source.encoding, expected)
        table = open_table([str(folder / "*.csv")]).read(labels="y")
        assert np.allclose(source.collect().matrix, expected.encode(table).matrix, atol=1e-9)


STORED = {
    "int": st.integers(-9, 9),
    "float": st.floats(-1e6, 1e6, width=32) | st.just(float("nan")),
    "flag": st.booleans(),
    "date": st.dates(),
    "text": st.sampled_from(["a", "b", " b", "c", "NA", "12", "3.5"]),
}


@law
@given(st.data())
def test_stored_tables_in_parts_are_learnt_as_at_once(tmp_path_factory, data):
    n = data.draw(st.integers(12, 80))
    columns = {"id": list(range(5, 5 + n)), "y": [i % 3 for i in range(n)]}
    for k, kind in enumerate(data.draw(st.lists(st.sampled_from(sorted(STORED)), min_size=1, max_size=4))):
        columns[f"{kind}{k}"] = data.draw(st.lists(st.none() | STORED[kind], min_size=n, max_size=n))
    table = pa.table(columns)
    folder = tmp_path_factory.mktemp("parquet")
    cut = data.draw(st.integers(1, n - 1))
    for k, part in enumerate([table.slice(0, cut), table.slice(cut)]):
        pq.write_table(part, folder / f"{k}.parquet", row_group_size=data.draw(st.integers(1, n)))
    expected = learnt_at_once([str(folder / "*.parquet")])
    if expected.n_features:
        source = rows.open(folder, target="y", encoding="auto")
        assert same_encoding(source.encoding, expected)


def test_an_id_column_is_no_feature_however_it_is_read(tmp_path):
    lines = [f"{100 + i},{i % 7},{'ab'[i % 2]}" for i in range(60)]
    for k in range(3):
        (tmp_path / f"{k}.csv").write_text("\n".join(["number,x,y", *lines[20 * k : 20 * k + 20]]) + "\n")
    encoding = rows.open(tmp_path, target="y", encoding="auto").encoding
    assert encoding.feature_names == ("x",)
    assert "count the rows" in encoding.columns[0].reason


def test_summaries_of_parts_add_to_that_of_the_whole():
    values = np.random.default_rng(0).normal(size=500)
    whole = ColumnSummary.of("x", pa.array(values))
    parts = reduce(operator.add, (ColumnSummary.of("x", pa.array(values[a : a + 7])) for a in range(0, 500, 7)))
    assert parts.spread.n == whole.spread.n
    assert parts.spread.deviation == pytest.approx(whole.spread.deviation, rel=1e-12)


# --- rows through an encoding -----------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(4)
    n = 300
    x = rng.normal(size=n)
    table = pa.table(
        {
            "x": pa.array(np.where(rng.random(n) < 0.1, np.nan, x), from_pandas=True),
            "colour": pa.array(np.array(["red", "green", "blue"])[rng.integers(0, 3, n)]),
            "day": pa.array(np.datetime64("2024-01-01") + rng.integers(0, 90, n)),
            "y": pa.array(np.where(x + rng.normal(size=n) > 0, "yes", "no")),
        }
    )
    for k in range(3):
        pq.write_table(table.slice(100 * k, 100), tmp_path / f"{k}.parquet", row_group_size=40)
    return tmp_path


@pytest.mark.parametrize("learner", [LinearDiscriminantAnalysis(), LinearSVM()], ids=str)
def test_texts_dates_and_blanks_are_encoded(folder, learner):
    source = rows.open(folder, target="y", encoding="auto")
    table = open_table([str(folder / "*.parquet")]).read()
    encoded = learnt_at_once([str(folder / "*.parquet")]).encode(table).matrix
    assert source.schema.n_columns == encoded.shape[1]
    model = learner.fit(source)
    assert model.feature_names_in_.tolist() == list(source.encoding.feature_names)
    whole = type(learner)().fit(encoded, table.column("y").to_numpy())
    assert np.allclose(model.coef_, whole.coef_, rtol=1e-6, atol=1e-8)


def test_an_encoding_can_be_given(folder):
    learnt = rows.open(folder, target="y", encoding="auto").encoding
    again = rows.open(folder / "0.parquet", target="y", encoding=learnt)
    assert again.encoding is learnt
    assert again.collect().n_columns == learnt.n_features
    assert rows.learn_encoding(folder, target="y") == learnt


def test_an_infinite_cell_is_named_while_the_encoding_is_learnt(tmp_path):
    pq.write_table(pa.table({"x": [1.0, np.inf, 3.0], "y": [0, 1, 0]}), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"t\.parquet, row 2, column 'x': is infinite"):
        rows.open(tmp_path / "t.parquet", target="y", encoding="auto")
