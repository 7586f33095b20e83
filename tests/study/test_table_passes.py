"""A table read in batches: the same question, summaries of all rows, and the same rows drawn whatever the batches."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discriminant.study.class_making import ClassOptions
from discriminant.study.drawn_rows import OF_A_CLASS, Draw
from discriminant.study.question import ask
from discriminant.study.table_passes import BatchedTable, find_classes, summarise_table
from discriminant.table.errors import TableError
from discriminant.table.reading import open_table
from discriminant.table.summaries import ColumnSummary

N = 3000
RANDOM = np.random.default_rng(0)
COLUMNS = {
    "x": RANDOM.standard_normal(N),
    "town": RANDOM.choice(["A", "B", "C"], N),
    "w": RANDOM.integers(0, 3, N).astype(float),
    "answer": RANDOM.choice(["yes", "Yes ", "no", None], N, p=[0.5, 0.1, 0.35, 0.05]),
    "number": RANDOM.choice([1, 2, 7], N),
    "amount": RANDOM.gamma(2.0, 50.0, N),
}
COLUMNS["number"][5] = 9  # a class of one row
TABLE = pa.table(COLUMNS)


def batched(folder, table=TABLE, rows=(700, 400)):
    """The table in two files, read in batches of so many rows."""
    half = table.num_rows // 2
    for i, part in enumerate((table.slice(0, half), table.slice(half))):
        pq.write_table(part, folder / f"{i}.parquet")
    source = open_table([folder / "*.parquet"])
    return BatchedTable(source, source.find_types(), "stop", lambda what, batches: cut(batches, rows))


def cut(batches, sizes):
    from dataclasses import replace

    for batch in batches:
        start = 0
        while start < batch.table.num_rows:
            size = sizes[start % len(sizes)]
            part = slice(start, start + size)
            table = batch.table.slice(start, size)
            yield replace(batch, table=table, lines=batch.lines[part], rows=batch.rows[part])
            start += size


@pytest.mark.parametrize(
    ("target", "options"),
    [
        ("answer", {}),
        ("answer", {"weight": "w"}),
        ("answer", {"positive": "no"}),
        ("number", {}),
        ("number", {"asked": ClassOptions(("7", "1"))}),
        ("amount", {"asked": ClassOptions(above=80.0)}),
        ("amount", {"asked": ClassOptions(bins=3), "weight": "w"}),
    ],
)
def test_the_question_is_that_of_the_table_at_once(tmp_path, target, options):
    at_once = ask(TABLE, target, least_rows=2, **options)
    table = batched(tmp_path)
    asked = {"weight": None, "positive": None, "asked": ClassOptions(), **options}
    coding = find_classes(table, target, **asked)
    found = summarise_table(table, coding, ["x", "town"], Draw(N, 0))
    question = found.question(coding)
    assert question.classes == at_once.classes
    assert question.notes == at_once.notes
    assert question.cut == at_once.cut
    np.testing.assert_array_equal(question.codes, at_once.codes)
    np.testing.assert_array_equal(question.rows, np.arange(N) if at_once.rows is None else at_once.rows)
    np.testing.assert_array_equal(question.counts, at_once.counts)
    np.testing.assert_allclose(question.shares, at_once.shares, rtol=1e-12)
    used = TABLE if at_once.rows is None else TABLE.take(pa.array(at_once.rows))
    for summary, name in zip(found.columns, ["x", "town"], strict=True):
        whole = ColumnSummary.of(name, used.column(name))
        assert (summary.n, summary.levels, summary.spread.low) == (whole.n, whole.levels, whole.spread.low)
        np.testing.assert_allclose(summary.spread.squares, whole.spread.squares, rtol=1e-12)
        np.testing.assert_array_equal(summary.spread.quantiles.values, whole.spread.quantiles.values)


def test_more_numbers_than_can_be_counted_are_cut_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr("discriminant.study.target_counts.MOST_VALUES", 100)
    monkeypatch.setattr("discriminant.table.spreads.MOST_BINS", 64)
    table = batched(tmp_path)
    coding = find_classes(table, "amount", None, None, ClassOptions(above=80.0))
    found = summarise_table(table, coding, ["x"], Draw(N, 0))
    at_once = ask(TABLE, "amount", asked=ClassOptions(above=80.0))
    np.testing.assert_array_equal(found.totals.counts, at_once.counts)
    with pytest.raises(TableError, match=r"over 100 different values.*--above 8"):
        find_classes(table, "amount", None, None, ClassOptions())


def test_drawn_rows_depend_on_their_numbers_and_the_seed_alone(tmp_path):
    rare = np.where(np.arange(N) % 150 == 7, "rare", np.where(COLUMNS["x"] > 0, "a", "b"))
    table = TABLE.append_column("y", pa.array(rare))
    drawn = []
    for sizes in ((65536,), (17, 300), (1, 999)):
        read = batched(tmp_path, table, sizes)
        coding = find_classes(read, "y", None, None, ClassOptions())
        drawn.append(summarise_table(read, coding, ["x"], Draw(200, 3)).drawn)
    for other in drawn[1:]:
        np.testing.assert_array_equal(drawn[0].numbers, other.numbers)
        assert drawn[0].table.equals(other.table)
    assert drawn[0].table.column("x").to_pylist() == COLUMNS["x"][drawn[0].numbers].tolist()
    counts = np.bincount(drawn[0].codes)
    assert counts[2] == 20  # all there are, though few rows are drawn
    assert counts.min() >= 20
    assert 200 <= drawn[0].numbers.size <= 200 + OF_A_CLASS + 20
    other_seed = summarise_table(read, coding, ["x"], Draw(200, 4)).drawn
    assert set(other_seed.numbers) != set(drawn[0].numbers)


def test_bad_weights_are_named_by_their_row(tmp_path):
    weights = COLUMNS["w"].copy()
    weights[2000] = -1
    with pytest.raises(TableError, match="row 2001 of the weights"):
        find_classes(
            batched(tmp_path, TABLE.set_column(2, "w", pa.array(weights))), "answer", "w", None, ClassOptions()
        )
