"""predict, evaluate and explain on rows that are not those of training; set, --test and compare."""

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from discriminant import DecisionModel, Gain, save
from discriminant.model import Posterior, Target
from discriminant.table.encoding import Column, Encoding, Feature


def patients(n=400, seed=0, classes=("no", "yes")):
    random = np.random.default_rng(seed)
    weight = random.normal(75, 12, n).round(1)
    town = random.choice(["Graz", "Linz", "Wien"], n)
    score = (weight - 75) / 12 + (town == "Wien") + random.standard_normal(n)
    cuts = np.quantile(score, np.arange(1, len(classes)) / len(classes))
    return pa.table({"weight": weight, "town": town, "ill": np.array(classes)[np.searchsorted(cuts, score)]})


def write(table, path):
    pyarrow.csv.write_csv(table, path)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("patients")
    write(patients(), path / "old.csv")
    write(patients(300, 1), path / "new.csv")
    write(patients(300, 2, ("a", "b", "c")), path / "three.csv")
    command = [sys.executable, "-m", "discriminant", "fit"]
    for arguments in (
        ["old.csv", "--target", "ill", "--learner", "logistic", "--test", "new.csv", "--out", "run"],
        ["old.csv", "--target", "ill", "--learner", "closed-form,logistic-ridge", "--ignore", "town", "-o", "other"],
        ["three.csv", "--target", "ill", "--learner", "lda", "--out", "three"],
    ):
        done = subprocess.run([*command, *arguments], cwd=path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        (path / f"{arguments[-1]}.txt").write_text(done.stdout)
    return path


def in_grams(folder, tmp_path):
    table = patients(300, 1)
    grams = pa.array(table.column("weight").to_numpy() * 1000)
    return write(table.set_column(0, "weight", grams), tmp_path / "grams.csv")


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_rows_like_those_of_training_are_said_to_be(run, folder, tmp_path):
    said = run("predict", folder / "run", folder / "new.csv", "-o", tmp_path / "out.csv")
    assert (said.code, said.err) == (0, "")
    assert "300 rows" in said.out
    assert "nothing in them differs from training" in " ".join(said.out.split())
    answers = [row["label"] for row in rows_of((tmp_path / "out.csv").read_text())]
    assert f"yes: {answers.count('yes')}" in said.out


def test_grams_for_kilograms_are_told(run, folder, tmp_path):
    said = run("predict", folder / "run", in_grams(folder, tmp_path), "-o", tmp_path / "out.csv")
    assert said.code == 0
    assert len(said.err.splitlines()) == 1
    assert "weight: values are about 1000 times those of training: grams instead of kilograms?" in said.err
    assert len(rows_of((tmp_path / "out.csv").read_text())) == 300
    told = json.loads(run("predict", folder / "run", tmp_path / "grams.csv", "-o", tmp_path / "out.csv", "--json").out)
    assert told["differences"][0]["kind"] == "unit"
    assert told["differences"][0]["factor"] == 1000
    judged = run("evaluate", folder / "run", tmp_path / "grams.csv")
    assert "grams" in judged.err


@pytest.mark.parametrize("json_too", [False, True])
def test_strict_writes_nothing_and_ends_with_3(run, folder, tmp_path, json_too):
    path, out = in_grams(folder, tmp_path), tmp_path / "out.csv"
    said = run("predict", folder / "run", path, "-o", out, "--strict", *(["--json"] if json_too else []))
    assert said.code == 3
    assert "grams" in said.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["grams.csv"]
    if json_too:
        assert json.loads(said.out)["out"] is None
    assert run("evaluate", folder / "run", path, "--strict").code == 3
    assert run("predict", folder / "run", folder / "new.csv", "-o", out, "--strict").code == 0


def test_evaluate_on_the_training_file_says_so(run, folder):
    said = run("evaluate", folder / "run", folder / "old.csv")
    assert "learnt from" in said.out
    assert json.loads(run("evaluate", folder / "run", folder / "old.csv", "--json").out)["learnt_from"]
    assert "learnt from" not in run("evaluate", folder / "run", folder / "new.csv").out


# --- rows and probabilities ---------------------------------------------------------------------------------


def test_rows_of_predict_are_those_of_explain(run, folder, tmp_path):
    lines = (folder / "new.csv").read_text().splitlines()
    lines[3] += ",too,many"
    lines[20] = lines[20].replace(lines[20].split(",")[0], "heavy", 1)
    lines.insert(10, "")
    path = tmp_path / "odd.csv"
    path.write_text("\n".join([*lines, lines[1]]) + "\n")
    rows = rows_of(run("predict", folder / "run", path, "--on-error", "skip").out)
    numbers = [int(row["row"]) for row in rows]
    assert numbers == [n for n in range(1, 302) if n not in (3, 20)]
    for row in (rows[0], rows[5], rows[18], rows[-1]):
        told = json.loads(run("explain", folder / "run", path, "--row", row["row"], "--json").out)
        assert told["scores"][0] == pytest.approx(float(row["score"]))
    assert rows[-1]["score"] == rows[0]["score"]
    assert run("explain", folder / "run", path, "--row", "3").code == 3
    assert run("explain", folder / "run", path, "--row", "20").code == 3


def test_rows_count_on_through_several_files(run, folder, tmp_path):
    first, second = write(patients(5, 1), tmp_path / "1.csv"), write(patients(5, 2), tmp_path / "2.csv")
    rows = rows_of(run("predict", folder / "run", first, second).out)
    assert [int(row["row"]) for row in rows] == list(range(1, 11))
    told = json.loads(run("explain", folder / "run", first, second, "--row", "8", "--json").out)
    assert told["scores"][0] == pytest.approx(float(rows[7]["score"]))


def test_a_probability_names_its_class(run, folder):
    rows = rows_of(run("predict", folder / "run", folder / "new.csv").out)
    assert list(rows[0]) == ["row", "label", "score", "P(yes)", "expected_gain", "distance"]
    assert all((float(row["P(yes)"]) >= 0.5) == (row["label"] == "yes") for row in rows)
    several = rows_of(run("predict", folder / "three", folder / "three.csv").out)
    assert list(several[0])[:6] == ["row", "label", "score", "P(a)", "P(b)", "P(c)"]
    for row in several:
        assert sum(float(row[f"P({c})"]) for c in "abc") == pytest.approx(1)
        assert max("abc", key=lambda c: float(row[f"P({c})"])) == row["label"]


# --- another decision ---------------------------------------------------------------------------------------


def test_a_threshold_of_the_probability(run, folder, tmp_path):
    before = rows_of(run("predict", folder / "run", folder / "new.csv").out)
    after = rows_of(run("predict", folder / "run", folder / "new.csv", "--threshold", "0.3").out)
    assert [row["label"] for row in after] == ["yes" if float(row["P(yes)"]) >= 0.3 else "no" for row in before]
    np.testing.assert_allclose([float(r["P(yes)"]) for r in after], [float(r["P(yes)"]) for r in before])
    assert all((float(row["score"]) > 0) == (row["label"] == "yes") for row in after)
    said = run("set", folder / "run", "--threshold", "0.3", "-o", tmp_path / "set")
    assert (said.code, said.err) == (0, "")
    assert "P(yes) is above 0.3" in said.out
    assert rows_of(run("predict", tmp_path / "set", folder / "new.csv").out) == after
    saved = json.loads((tmp_path / "set" / "model.json").read_text())
    assert saved["provenance"]["set"] == [{"threshold": 0.3}]


def test_priors_shift_the_probability(run, folder, tmp_path):
    before = rows_of(run("predict", folder / "run", folder / "new.csv").out)
    after = rows_of(run("predict", folder / "run", folder / "new.csv", "--priors", "yes=0.1").out)
    odds = np.array([float(r["P(yes)"]) / (1 - float(r["P(yes)"])) for r in before])
    shifted = odds * (0.1 / 0.9) / (0.5 / 0.5)
    np.testing.assert_allclose([float(r["P(yes)"]) for r in after], shifted / (1 + shifted))
    assert [row["label"] for row in after] == ["yes" if p > 1 else "no" for p in shifted]
    assert run("set", folder / "run", "--priors", "0.9,0.1", "-o", tmp_path / "set.json").code == 0
    again = rows_of(run("predict", tmp_path / "set.json", folder / "new.csv").out)
    assert [row["label"] for row in again] == [row["label"] for row in after]
    three = rows_of(run("predict", folder / "three", folder / "three.csv", "--priors", "0.98,0.01,0.01").out)
    assert [row["label"] for row in three].count("a") > 200


def test_a_gain_changes_the_decision(run, folder, tmp_path):
    gain = "tp=10,fp=-1,fn=-10,tn=0"
    rows = rows_of(run("predict", folder / "run", folder / "new.csv", "--gain", gain).out)
    for row in rows:
        p = float(row["P(yes)"])
        yes, no = 10 * p - (1 - p), -10 * p
        assert row["label"] == ("yes" if yes > no else "no")
        assert float(row["expected_gain"]) == pytest.approx(max(yes, no))
    judged = json.loads(run("evaluate", folder / "run", folder / "new.csv", "--gain", gain, "--json").out)
    counts = np.array(judged["confusion"])
    assert judged["gain"]["value"] == pytest.approx((counts * [[0, -1], [-10, 10]]).sum() / 300)
    assert run("set", folder / "run", "--gain", gain, "--threshold", "0.9", "-o", tmp_path / "s.json").code == 0
    both = rows_of(run("predict", tmp_path / "s.json", folder / "new.csv").out)
    assert [row["label"] for row in both] == ["yes" if float(row["P(yes)"]) >= 0.9 else "no" for row in rows]
    reject = rows_of(run("predict", folder / "run", folder / "new.csv", "--gain", "tp=1,tn=1,reject=0.8").out)
    assert {row["label"] for row in reject} == {"yes", "no", "reject"}


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--threshold", "1.5"], 2, "between 0 and 1"),
        (["--threshold", "half"], 2, "--threshold"),
        (["--priors", "0.9,0.2"], 2, "sum to 1"),
        (["--priors", "maybe=0.1"], 2, "'maybe'"),
        (["--priors", "x,y"], 2, "no number"),
        (["--gain", "1,2,3;4,5,6"], 2, "2×2"),
        ([], 2, "--threshold, --priors or --gain"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(run, folder, tmp_path, options, code, words):
    said = run("set", folder / "run", *options, "-o", tmp_path / "new.json")
    assert said.code == code
    assert words in said.err
    assert not list(tmp_path.iterdir())


def test_threshold_is_for_two_classes(run, folder):
    assert run("predict", folder / "three", folder / "three.csv", "--threshold", "0.3").code == 3


# --- a file kept apart, and runs compared -------------------------------------------------------------------


def test_a_file_kept_apart(run, folder):
    kept = json.loads((folder / "run" / "run.json").read_text())["test"]
    assert (kept["file"], kept["rows"]) == ("new.csv", 300)
    found = json.loads(run("evaluate", folder / "run", folder / "new.csv", "--json").out)
    assert kept["figures"]["accuracy"] == found["accuracy"]
    assert "On the 300 rows of new.csv, kept apart: " in (folder / "run.txt").read_text()


def test_runs_are_compared(run, folder):
    said = run("compare", folder / "run", folder / "other" / "run.json")
    assert (said.code, said.err) == (0, "")
    assert "no longer uses town." in " ".join(said.out.split())
    found = json.loads(run("compare", folder / "run", folder / "other", "--json").out)
    assert [row["columns"] for row in found["runs"]] == [2, 1]
    assert found["changes"][0]["columns_gone"] == ["town"]
    assert found["runs"][0]["test"] is not None
    different = run("compare", folder / "run", folder / "three")
    words = " ".join(different.out.split())
    assert "three and run are not to be set against each other: they were made for different gains; they" in words
    assert different.out.splitlines()[1].startswith("run ")
    assert words.count("set against") == 1
    assert "different data" in words
    assert run("compare", folder / "run").code == 2
    assert run("compare", folder / "run", folder / "new.csv").code == 4


def test_groups_and_names_of_learners_mix(folder):
    compared = json.loads((folder / "other" / "run.json").read_text())["comparison"]
    assert {entry["name"] for entry in compared} == {
        "fisher", "lda", "lda-shrinkage", "least-squares", "naive-bayes", "logistic-ridge",
    }  # fmt: skip


# --- exit codes ---------------------------------------------------------------------------------------------


def test_exit_codes_are_those_of_the_documentation(run, folder, tmp_path, monkeypatch):
    old, fitted = folder / "old.csv", folder / "run"
    assert run("inspect", fitted).code == 0
    for wrong in (
        ["fit"], ["nonsense"], ["fit", old], ["fit", old, "--cv", "1"], ["fit", old, "--target", "ill", "--gain", "?"],
        ["fit", old, "--target", "ill", "--learner", "magic"], ["predict", fitted, old, "--on-error", "maybe"],
        ["fit", old, "--target", "ill", "--on-error", "maybe"], ["export", fitted, "--to", "cobol"],
        ["predict", fitted, old, "--json"],
    ):  # fmt: skip
        assert run(*wrong).code == 2, wrong
    empty = tmp_path / "empty.csv"
    empty.write_text("weight,town,ill\n")
    other = write(pa.table({"a": [1]}), tmp_path / "a.csv")
    for unusable in (["fit", old, "--target", "no"], ["predict", fitted, other],
                     ["fit", empty, "--target", "ill"], ["evaluate", fitted, empty]):  # fmt: skip
        assert run(*unusable).code == 3, unusable
    assert run("inspect", old).code == 4
    assert run("report", old).code == 4
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(b"PAR1" + bytes(100))
    for lost in (["inspect", tmp_path / "none.json"], ["predict", fitted, tmp_path / "none.csv"],
                 ["predict", fitted, cut], ["fit", cut, "--target", "ill"],
                 ["predict", fitted, old, "-o", tmp_path / "none" / "out.csv"],
                 ["fit", old, "--target", "ill", "-o", old],
                 ["set", fitted, "--threshold", "0.2", "-o", old / "x.json"]):  # fmt: skip
        assert run(*lost).code == 5, lost
    monkeypatch.setattr("discriminant.cli.inspecting.load_model", lambda path: {}["defect"])
    assert run("inspect", fitted).code == 1


def test_a_row_without_a_finite_score_is_a_bad_row(run, tmp_path):
    """Never an infinity in the answers, and `explain` has nothing to say of what `predict` leaves out."""
    columns = tuple(Column(name, "number", (Feature(name, "value", 0.0, 1.0),)) for name in "ab")
    target, posterior = Target("class", ("no", "yes")), Posterior(1.0, (0.0, 0.0))
    weights = np.array([[1e3, -1e3]])
    model = DecisionModel(target, Encoding(columns), weights, np.zeros(1), "threshold", Gain(np.eye(2)), posterior)
    save(model, tmp_path / "model.json")
    rows = tmp_path / "rows.csv"
    rows.write_text("a,b,class\n1,2,no\n1e308,1,yes\n1e308,1e308,no\n-1e308,1e304,no\n1e305,0,yes\n")
    for command in ("predict", "evaluate"):
        stopped = run(command, tmp_path / "model.json", rows)
        assert stopped.code == 3
        assert "rows.csv, line 3: its score is larger than any number, by the value of 'a'" in stopped.err
    told = run("predict", tmp_path / "model.json", rows, "--on-error", "skip")
    assert told.code == 0
    assert "2 rows left out; the first: " in told.err
    answers = list(csv.DictReader(io.StringIO(told.out)))
    assert [(row["row"], row["label"]) for row in answers] == [("1", "no"), ("3", "no"), ("5", "yes")]
    assert np.isfinite([float(row[name]) for row in answers for name in ("score", "P(yes)", "distance")]).all()
    explained = run("explain", tmp_path / "model.json", rows, "--row", "2")
    assert explained.code == 3
    assert "row 2: its score is larger than any number" in explained.err
    cancelled = run("explain", tmp_path / "model.json", rows, "--row", "3")
    assert cancelled.code == 3
    assert "row 3: what 'a' adds to its score is larger than any number" in cancelled.err
