"""What `fit` and `explain` say, read as a person would who knows the table and not the method."""

import copy

import numpy as np
import pyarrow as pa
import pytest

from discriminant.cli.explaining import _few_digits
from discriminant.cli.outcome import amount, print_summary
from discriminant.cli.runs import brief_names
from discriminant.study.design import design_of_table
from discriminant.study.run import run_of
from discriminant.study.study import study
from tests.study.test_study import ABOUT, table_of

GAIN = "tp=5,fn=-20,fp=-4,unit=EUR"


@pytest.fixture(scope="module")
def fitted():
    return run_of(study(design_of_table(table_of(), "label"), gain=GAIN, learners=["lda", "logistic"]), ABOUT)


@pytest.fixture
def said(capfd, tmp_path):
    def say(run):
        print_summary(run, tmp_path)
        return " ".join(capfd.readouterr().out.split())

    return say


def test_weights_name_the_class_they_speak_for(fitted, said):
    told = said(fitted)
    assert "Largest weights, for a standard deviation more: towards yes " in told


def test_weights_of_several_classes_name_theirs(said):
    random = np.random.default_rng(0)
    code = random.integers(0, 3, 150)
    columns = {"a": code + 0.3 * random.standard_normal(150), "b": random.standard_normal(150)}
    table = pa.table({**columns, "kind": np.array(["red", "green", "blue"])[code]})
    told = said(run_of(study(design_of_table(table, "kind"), learners=["lda"]), ABOUT))
    assert "towards " in told.split("Largest weights")[1] or "away from " in told.split("Largest weights")[1]
    assert any(f"({side} {label})" in told for side in ("towards", "away from") for label in ("red", "green", "blue"))


def test_weights_have_a_size_people_can_read(said):
    """Fisher's plane shrinks with the number of rows; what is said of it must not."""
    run = run_of(study(design_of_table(table_of(n=2000), "label"), gain=GAIN, learners=["fisher"]), ABOUT)
    weights = [feature["standardised"][0] for feature in run["weights"]["features"]]
    assert 0.1 < max(map(abs, weights)) < 2
    own = run["weights"]["features"][0]
    assert own["low"][0] < own["standardised"][0] < own["high"][0]
    assert "e-0" not in said(run).split("Largest weights")[1]


def test_pieces_of_columns_are_named_whole(fitted, said):
    run = copy.deepcopy(fitted)
    run["weights"]["features"][0]["name"] = "a_long_name_of_a_column from 2048.8 to 4473"
    assert "a_long_name_of_a_column from 2048.8 to 4473 " in said(run)


def test_luck_is_told_of_planes_that_there_are(fitted, said):
    """Where no plane parts the classes, nobody asks whether one that did were luck."""
    assert "hardly luck" not in said(fitted)
    random = np.random.default_rng(0)
    apart = np.repeat(["a", "b"], 40)
    table = pa.table({"x": random.standard_normal(80) + 20 * (apart == "b"), "label": apart})
    told = said(run_of(study(design_of_table(table, "label"), learners=["lda"]), ABOUT))
    assert "so a plane that parts the classes is hardly luck" in told


def test_errors_say_what_is_answered_instead(fitted, said):
    told = said(fitted)
    assert "of yes are missed (answered no)" in told
    assert "of no are false alarms (answered yes)" in told


def test_classes_that_are_numbers_are_called_classes(fitted, said):
    run = copy.deepcopy(fitted)
    for label, entry in zip((1, 2), run["data"]["classes"], strict=True):
        entry["label"] = label
    assert "of class 2 are missed (answered class 1)" in said(run)


def test_what_a_longer_study_found_is_told_too(fitted, said):
    run = copy.deepcopy(fitted)
    costs = [("age", 1.25), ("income", 0.3), ("noise", -0.1)]
    run["importance"] = {"text": "", "columns": [{"column": c, "cost": x, "low": x, "high": x} for c, x in costs]}
    run["trees"] = {
        "value": 1,
        "low": 0,
        "high": 2,
        "difference": 0.5,
        "sentence": "Boosted trees would earn 0.5 more.",
    }
    figure = {"value": 0.8, "low": 0.7, "high": 0.9}
    run["test"] = {"file": "apart.csv", "rows": 1500, "figures": {"gain": figure, "accuracy": figure, "auc": figure}}
    told = said(run)
    assert "Most useful columns (what leaving one out costs a row): age 1.25 EUR, income 0.300 EUR." in told
    assert "Boosted trees would earn 0.5 more." in told
    for column in run["importance"]["columns"]:
        column["low"] = -0.01
    assert "No column alone would be missed, as far as these rows can tell" in said(run)
    assert (
        "On the 1,500 rows of apart.csv, kept apart: gain a row in EUR 0.800 (0.700 to 0.900), accuracy 80.0%" in told
    )


def test_runs_without_them_are_told_as_before(fitted, said):
    run = {key: value for key, value in fitted.items() if key not in ("importance", "trees", "test")}
    told = said(run)
    assert "Most useful" not in told
    assert "Written:" in told


def test_amounts_never_turn_into_powers_of_ten():
    assert [amount(999.9999, "gain"), amount(-1234.5, "gain"), amount(0.5, "accuracy")] == ["1,000", "-1,234", "50.0%"]


def test_an_auc_has_three_decimals_whatever_it_is():
    assert [amount(1.0, "auc"), amount(0.5, "auc"), amount(0.39812, "auc")] == ["1.000", "0.500", "0.398"]


def test_runs_are_named_by_where_their_paths_differ():
    assert brief_names(["/data/runs/a", "/data/runs/b/run.json"]) == {
        "/data/runs/a": "a",
        "/data/runs/b/run.json": "b/run.json",
    }
    assert brief_names(["one", "two"]) == {"one": "one", "two": "two"}
    assert brief_names(["same", "same"]) == {"same": "same"}


def test_learners_that_are_not_offered_are_marked_so(run, tmp_path):
    random = np.random.default_rng(0)
    x = random.normal(size=(200, 2)).round(3)
    y = np.where(x[:, 0] + random.logistic(size=200) > 0, "yes", "no")
    lines = [f"{a},{b},{label}" for (a, b), label in zip(x, y, strict=True)]
    (tmp_path / "table.csv").write_text("\n".join(["a,b,y", *lines]))
    said = run("fit", tmp_path / "table.csv", "--target", "y", "--learner", "lda,pocket", "-o", tmp_path / "run").out
    assert "–  Pocket perceptron" in said
    assert "– not offered: see the report" in said


def test_runs_are_named_where_they_stand():
    assert brief_names([".", "../other"]) == {".": ".", "../other": "../other"}
    assert brief_names([".", "."]) == {".": "."}
    assert brief_names(["a/run", "a/other"]) == {"a/run": "run", "a/other": "other"}


def test_cells_keep_what_makes_them_names():
    assert _few_digits("0.12345678901") == "0.123457"
    assert _few_digits("-23.45678901") == "-23.4568"
    assert _few_digits("007.12345678") == "007.12345678"
    assert _few_digits("1700000000.5") == "1700000000.5"
