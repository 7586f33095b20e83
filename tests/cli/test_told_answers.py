"""What evaluate, predict and explain say of tables that once made them misleading or unreadable."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from discriminant.model import load
from discriminant.model.explain import explain


def write(path, columns):
    pyarrow.csv.write_csv(pa.table(columns), path)
    return path


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Thirty classes with long names, which fit on no line."""
    random = np.random.default_rng(0)
    codes = np.repeat(np.arange(30), 20)
    x = random.standard_normal((600, 4)) + 2 * np.random.default_rng(1).standard_normal((30, 4))[codes]
    names = [f"product {k:02d} of the longer kind" for k in range(30)]
    path = tmp_path_factory.mktemp("many") / "many.csv"
    return write(path, {**{f"x{j}": x[:, j] for j in range(4)}, "kind": [names[k] for k in codes]})


def test_many_classes_are_told_by_their_mistakes(run, many, tmp_path):
    said = run("fit", many, "--target", "kind", "--learner", "lda", "--out", tmp_path / "run").out
    assert "was not tried" in said
    assert "hardly luck" not in said  # of planes that nobody looked for
    told = run("evaluate", tmp_path / "run", many).out
    assert "The commonest mistakes" in told
    counts = np.array(json.loads(run("evaluate", tmp_path / "run", many, "--json").out)["confusion"])
    np.fill_diagonal(counts, 0)
    assert told.rstrip().splitlines()[-10].split()[-1] == str(int(counts.max()))
    predicted = run("predict", tmp_path / "run", many, "-o", tmp_path / "answers.csv").out
    assert "and 18 more answers" in " ".join(predicted.split())


def test_explain_tells_of_the_likeliest_of_many_classes(run, many, tmp_path):
    run("fit", many, "--target", "kind", "--learner", "lda", "--out", tmp_path / "run")
    told = run("explain", tmp_path / "run", many, "--row", 500)
    found = json.loads(run("explain", tmp_path / "run", many, "--row", 500, "--json").out)
    likely = sorted(found["probabilities"], key=lambda entry: -entry["probability"])[:6]
    head = " ".join(told.out.split("column")[0].split())
    assert all(entry["class"][8:10] in head for entry in likely)
    assert "the likeliest 6 of 30 classes" in told.out
    assert "the first 6 of 30 classes" in run("inspect", tmp_path / "run").out


def test_accuracy_is_told_once_where_no_gain_is_given(run, many, tmp_path):
    run("fit", many, "--target", "kind", "--learner", "lda", "--out", tmp_path / "run")
    told = run("evaluate", tmp_path / "run", many).out
    assert "gain a row" not in told
    assert "accuracy" in told


def test_the_rows_of_the_fit_do_not_differ_from_training(run, tmp_path):
    """More columns than rows: scores of rows that were learnt from are far from those of rows not seen."""
    random = np.random.default_rng(0)
    x = random.standard_normal((60, 300))
    wide = {**{f"x{j}": x[:, j] for j in range(300)}, "y": np.where(x[:, :3].sum(axis=1) > 0, "good", "bad")}
    table = write(tmp_path / "wide.csv", wide)
    run("fit", table, "--target", "y", "--learner", "least-squares", "--out", tmp_path / "run")
    said = run("predict", tmp_path / "run", table, "-o", tmp_path / "answers.csv")
    assert said.err == ""
    assert "these are the rows the model was learnt from" in " ".join(said.out.split())
    assert run("predict", tmp_path / "run", table, "-o", tmp_path / "strict.csv", "--strict").code == 0


def test_rows_that_differ_beyond_where_a_column_is_clipped_are_no_copies(run, tmp_path):
    random = np.random.default_rng(9)
    codes = random.integers(0, 12, 1500)
    x = 1.5 * random.normal(size=(12, 6))[codes] + random.normal(size=(1500, 6))
    x[random.random(1500) < 0.01] *= 500
    table = write(tmp_path / "far.csv", {**{f"x{j}": x[:, j] for j in range(6)}, "y": [f"c{k}" for k in codes]})
    run("fit", table, "--target", "y", "--learner", "lda", "--out", tmp_path / "run")
    assert "clipped" in (tmp_path / "run" / "run.json").read_text()
    findings = json.loads((tmp_path / "run" / "run.json").read_text())["findings"]
    assert "DuplicatedRows" not in [finding["kind"] for finding in findings]


def test_a_change_stays_among_values_that_were_seen_where_it_can(run, tmp_path):
    random = np.random.default_rng(3)
    x = random.exponential(size=(300, 3)).round(3)
    y = np.where(x @ [1.0, 1.0, -1.0] + 0.3 * random.standard_normal(300) > 1, "yes", "no")
    table = write(tmp_path / "t.csv", {"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "y": y})
    run("fit", table, "--target", "y", "--learner", "lda", "--forms", "straight", "--out", tmp_path / "run")
    model, rows = load(tmp_path / "run" / "model.json"), pyarrow.csv.read_csv(table)
    seen = 0
    for place in range(80):
        found = explain(model, rows, place)
        beyond = any(change.unseen for change in found.nearest.changes)
        assert found.seen is None or beyond
        if found.seen is None:
            continue
        seen += 1
        assert not any(change.unseen for change in found.seen.changes)
        assert found.seen.size >= found.nearest.size
        assert found.seen.answer != found.answer
        told = run("explain", tmp_path / "run", table, "--row", place + 1).out
        assert "Change among values seen" in told
        assert "beyond all values seen" not in told
    assert seen > 3


def test_weights_of_the_fit_are_remembered(run, tmp_path):
    random = np.random.default_rng(4)
    x = random.standard_normal(300)
    columns = {"x": x, "w": random.integers(1, 4, 300), "y": np.where(x + random.standard_normal(300) > 0, "yes", "no")}
    table = write(tmp_path / "t.csv", columns)
    run("fit", table, "--target", "y", "--weight", "w", "--learner", "lda", "--out", tmp_path / "run")
    assert "in the fit rows counted as w says" in run("evaluate", tmp_path / "run", table).out
