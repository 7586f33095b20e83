"""New rows against those of training: what is said, and what is not."""

import json

import numpy as np
import pyarrow as pa
import pytest

from discriminant.gain import Gain
from discriminant.model import DecisionModel, Posterior, Target, load, save
from discriminant.model.new_data import NewData
from discriminant.model.schema import document_of, model_of
from discriminant.model.training import with_training
from discriminant.table.learning import learn
from discriminant.table.summaries import ColumnSummary


def columns(n, seed=0):
    random = np.random.default_rng(seed)
    return {
        "weight": random.normal(70, 12, n),
        "income": random.lognormal(7, 1, n),
        "visits": random.poisson(1.5, n),
        "town": random.choice(["Graz", "Linz", "Wien"], n, p=[0.2, 0.3, 0.5]),
        "member": random.random(n) < 0.3,
        "since": np.datetime64("2020-01-01") + random.integers(0, 1000, n).astype("timedelta64[D]"),
    }


def blanked(table, name, rows):
    table[name] = [None if i in rows else value for i, value in enumerate(table[name])]
    return table


def model_of_rows(n=1000, table=None, classes=("no", "yes")):
    table = pa.table(columns(n) if table is None else table)
    encoding = learn([ColumnSummary.of(name, table.column(name)) for name in table.schema.names])
    planes = 1 if len(classes) == 2 else len(classes)
    weights = np.ones((planes, encoding.n_features)) * np.arange(1, planes + 1)[:, None]
    model = DecisionModel(
        Target("y", classes),
        encoding,
        weights,
        np.zeros(planes),
        "threshold" if planes == 1 else "largest",
        Gain.identity(len(classes)),
        Posterior(1.0, (0.0,) * len(classes)),
    )
    X = encoding.encode(table).matrix
    return with_training(model, table, X, model.scores(X))


def differences(model, table, block=97):
    table = pa.table(table)
    seen = NewData(model)
    for batch in table.to_batches(max_chunksize=block):
        observed = []
        matrix = model.encoding.encode(batch, observed).matrix
        seen.add(observed, batch, None, model.scores(matrix))
    return seen.differences()


def said(found):
    return {(d.column, d.kind) for d in found}


@pytest.mark.parametrize("n", [1, 5, 40, 400, 4000])
def test_nothing_is_said_of_rows_like_those_of_training(n):
    model = model_of_rows(1000)
    wrong = sum(bool(differences(model, columns(n, seed))) for seed in range(1, 31))
    assert wrong <= 1


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (1000, "about 1000 times those of training: grams instead of kilograms?"),
        (1 / 1000, "about 1/1000 of those of training: kilograms instead of grams?"),
        (2.2046, "pounds instead of kilograms?"),
        (10, "another unit, or a decimal point that moved?"),
    ],
)
def test_another_unit_is_named(factor, words):
    table = columns(300, 1)
    table["weight"] = table["weight"] * factor
    found = differences(model_of_rows(), table)
    assert said(found[:1]) == {("weight", "unit")}
    assert words in found[0].text
    assert {d.column for d in found} == {"weight", None}  # and the scores


def test_a_few_rows_in_another_unit_are_enough():
    table = columns(4, 1)
    table["weight"] = table["weight"] * 1000
    found = differences(model_of_rows(), table)
    assert "grams instead of kilograms" in found[0].text


def test_larger_things_are_no_other_unit():
    """The larger half of a spread-out column is half as large again as the whole, in the same unit."""
    table = columns(400, 1)
    table["income"] = np.sort(columns(800, 1)["income"])[400:]
    found = [d.kind for d in differences(model_of_rows(), table) if d.column == "income"]
    assert found == ["shift"]


def test_a_spread_out_column_has_units_too():
    table = columns(300, 1)
    table["income"] = table["income"] * 1000
    assert ("income", "unit") in said(differences(model_of_rows(), table))


def test_values_beyond_the_range_are_counted():
    model, table = model_of_rows(), columns(50, 1)
    table["weight"][:3] = 500
    found = differences(model, table)
    assert said(found) == {("weight", "range")}
    assert found[0].figures["beyond"] == 3
    assert "3 of 50 values are beyond those of training" in found[0].text


def test_a_date_after_the_last_of_training_is_told_as_a_date():
    model, table = model_of_rows(), columns(50, 1)
    table["since"] = table["since"] + np.timedelta64(2000, "D")
    found = [d for d in differences(model, table) if d.column == "since"]
    assert [d.kind for d in found] == ["range"]
    assert "2020-01-05 to 2022-09-26 (one is 2028" in found[0].text


def test_more_blanks_are_told_and_fewer_are_not():
    full, holes = columns(300, 1), blanked(columns(300, 1), "income", set(range(0, 300, 5)))
    found = differences(model_of_rows(), holes)
    assert ("income", "blanks") in said(found)
    assert "60 of 300 cells are blank, in training none" in found[0].text
    with_blanks = model_of_rows(table=blanked(columns(1000), "income", set(range(0, 1000, 5))))
    assert ("income", "blanks") not in said(differences(with_blanks, full))


def test_levels_never_seen_are_named_and_rare_ones_are_known():
    training = columns(1000)
    training["town"] = training["town"].astype(object)
    training["town"][:2] = "Rust"  # too rare for a feature
    model, table = model_of_rows(table=training), columns(100, 1)
    table["town"] = table["town"].astype(object)
    table["town"][:4] = ["Rust", "rust ", "Roma", "Roma"]
    found = [d for d in differences(model, table) if d.kind == "unseen"]
    assert [d.figures["levels"] for d in found] == [["Roma"]]
    assert "2 of 100 cells" in found[0].text


def test_shares_that_moved_are_told_with_what_moved():
    model, table = model_of_rows(), columns(1000, 1)
    table["town"] = np.random.default_rng(1).choice(["Graz", "Linz", "Wien"], 1000, p=[0.6, 0.2, 0.2])
    found = {d.column: d for d in differences(model, table)}
    assert found["town"].kind == "shift"
    assert "strongly shifted" in found["town"].text
    assert "are 'Graz', in training" in found["town"].text


def test_bad_rows_are_not_counted():
    model, table = model_of_rows(), pa.table(columns(50, 1))
    seen, observed = NewData(model), []
    batch = table.to_batches()[0]
    matrix = model.encoding.encode(batch, observed).matrix
    rows = np.arange(10, 50)
    seen.add(observed, batch, rows, model.scores(matrix[rows]))
    assert seen.rows == 40


def test_classes_of_the_largest_score_are_compared_for_several_classes():
    model = model_of_rows(classes=("a", "b", "c"))
    assert model.training.score.levels == ("a", "b", "c")
    assert differences(model, columns(500, 2)) == []
    table = columns(500, 1)
    table["weight"] = table["weight"] + 60
    assert (None, "shift") in said(differences(model, table))


def test_scores_of_few_rows_are_those_of_models_that_had_not_seen_them():
    model = model_of_rows(100)
    X = np.zeros((100, model.n_features))
    held = np.linspace(-1, 1, 100)[:, None]
    assert with_training(model, None, X, held).training.score.high == 1
    assert with_training(model, None, X, held[:50]).training.score.cells == 0  # of models of far fewer rows
    many = np.zeros((1000, model.n_features))
    assert with_training(model, None, many, held).training.score.high == model.scores(many).max()


def test_blocks_do_not_matter():
    model, table = model_of_rows(), columns(500, 1)
    table["weight"] = table["weight"] * 3
    assert differences(model, table, 7) == differences(model, table, 500)


def test_the_summary_travels_in_the_file(tmp_path):
    model = model_of_rows(table=blanked(columns(1000), "income", {3, 4}))
    save(model, tmp_path / "model.json")
    assert load(tmp_path / "model.json").training == model.training
    document = json.loads((tmp_path / "model.json").read_text())
    del document["training"]
    assert model_of(document, lambda *_: {}).training is None
    assert NewData(model_of(document, lambda *_: {})).differences() == []


DAMAGES = {
    "rows": lambda t: t.update(rows=-1),
    "a column twice": lambda t: t["columns"].append(t["columns"][0]),
    "no such column": lambda t: t["columns"][0].update(name="height"),
    "too few shares": lambda t: t["columns"][0]["shares"].pop(),
    "shares above 1": lambda t: t["columns"][0]["shares"].__setitem__(0, 2.0),
    "edges out of order": lambda t: t["columns"][0]["edges"].reverse(),
    "levels of a number": lambda t: t["columns"][0].update(levels=["a"]),
    "edges of a category": lambda t: t["columns"][3].update(edges=[1.0]),
    "no levels": lambda t: t["columns"][3].update(levels=[]),
    "two sizes": lambda t: t["columns"][0]["sizes"].pop(),
    "a blank share of 2": lambda t: t["columns"][0].update(blank=2),
    "no score": lambda t: t.pop("score"),
    "another key": lambda t: t.update(other=1),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_summary_is_refused_by_its_place(damage):
    document = document_of(model_of_rows())
    document = json.loads(json.dumps(document))
    DAMAGES[damage](document["training"])
    with pytest.raises(ValueError, match="training"):
        model_of(document, lambda *_: {})
