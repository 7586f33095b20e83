"""Gains of rows from columns of the table: --gain "fn=-amount,fp=-4"."""

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from discriminant.model import load
from discriminant.model.plain_json import ModelFileError
from discriminant.model.schema import document_of, model_of
from discriminant.study.gains import read_column_gain
from discriminant.table.errors import OptionError

GAIN = "tp=-4,fp=-4,fn=-amount,unit=EUR"


def payments(n=600, seed=0):
    random = np.random.default_rng(seed)
    amount = random.lognormal(3, 1.2, n).round(2)
    hour = random.normal(12, 4, n).round(2)
    fraud = random.random(n) < 1 / (1 + np.exp(2 - 0.5 * (hour - 12)))
    return pa.table({"amount": amount, "hour": hour, "kind": np.where(fraud, "fraud", "ok")})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("payments")
    pyarrow.csv.write_csv(payments(), path / "old.csv")
    pyarrow.csv.write_csv(payments(300, 1), path / "new.csv")
    done = subprocess.run(
        [sys.executable, "-m", "discriminant", "fit", "old.csv", "--target", "kind", "--positive", "fraud",
         "--gain", GAIN, "--learner", "logistic", "--ignore", "amount", "--test", "new.csv", "--held-out", "held.csv",
         "--out", "run"],
        cwd=path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (path / "said.txt").write_text(done.stdout)
    return path


def answers(run, folder, *options):
    return list(csv.DictReader(io.StringIO(run("predict", folder / "run", folder / "new.csv", *options).out)))


def earned(label, true, amount):
    return -4 if label == "fraud" else -amount if true == "fraud" else 0


def test_rows_are_decided_by_their_own_amount(run, folder):
    rows = answers(run, folder, "--keep", "amount")
    for row in rows:
        p, amount = float(row["P(fraud)"]), float(row["amount"])
        assert row["label"] == ("fraud" if -p * amount < -4 else "ok")
        assert float(row["expected_gain"]) == pytest.approx(max(-4, -p * amount))
    assert len({row["label"] for row in rows}) == 2


def test_evaluate_and_the_file_kept_apart_earn_what_the_rows_do(run, folder):
    rows, true = answers(run, folder, "--keep", "amount"), payments(300, 1).column("kind").to_pylist()
    gain = np.mean([earned(row["label"], t, float(row["amount"])) for row, t in zip(rows, true, strict=True)])
    found = json.loads(run("evaluate", folder / "run", folder / "new.csv", "--json").out)
    assert found["gain"]["value"] == pytest.approx(gain)
    saved = json.loads((folder / "run" / "run.json").read_text())
    assert saved["test"]["figures"]["gain"] == found["gain"]
    assert saved["expected"]["low"] < gain < saved["expected"]["high"]
    assert saved["row_gain"]["columns"] == ["amount"]
    assert saved["row_gain"]["expected"]["value"] > saved["row_gain"]["one_matrix"]["value"]
    assert "by each row's own gain" in " ".join((folder / "said.txt").read_text().split())


def test_every_figure_is_of_the_rows_decided_by_their_own_amount(folder):
    saved = json.loads((folder / "run" / "run.json").read_text())
    amounts = payments().column("amount").to_pylist()
    held = list(csv.DictReader((folder / "held.csv").read_text().splitlines()))
    for row in held:
        assert row["label"] == ("fraud" if -float(row["P(fraud)"]) * amounts[int(row["row"]) - 1] < -4 else "ok")
    gain = np.mean([earned(row["label"], row["true"], amounts[int(row["row"]) - 1]) for row in held])
    winner = saved["comparison"][0]["figures"]
    assert saved["expected"]["value"] == pytest.approx(gain)
    assert winner["gain"] == saved["expected"]
    assert winner["accuracy"]["value"] == pytest.approx(np.mean([row["label"] == row["true"] for row in held]))
    counts = [[sum((r["true"], r["label"]) == (t, a) for r in held) for a in ("ok", "fraud")] for t in ("ok", "fraud")]
    assert saved["confusion"]["counts"] == counts
    assert saved["trees"]["value"] - gain == pytest.approx(saved["trees"]["difference"])


def test_a_loss_is_told_as_a_loss(folder):
    saved = json.loads((folder / "run" / "run.json").read_text())
    loss = f"loses {-saved['expected']['value']:.3g} EUR a row"
    assert loss in saved["verdict"]
    assert "always answering ok would lose" in saved["verdict"] or "always answering fraud would" in saved["verdict"]


def test_explain_keeps_the_gain_of_the_row(run, folder):
    rows = answers(run, folder)
    for i in (0, 7, 30):
        told = json.loads(run("explain", folder / "run", folder / "new.csv", "--row", i + 1, "--json").out)
        assert told["answer"] == rows[i]["label"]
        assert told["expected_gain"] == pytest.approx(float(rows[i]["expected_gain"]))


@pytest.mark.parametrize("ignore", [[], ["--ignore", "amount"]])
def test_amounts_may_be_written_with_signs(run, tmp_path, ignore):
    for name, table in (("old", payments(300)), ("new", payments(100, 1))):
        amounts = [f"{x:,.2f} €".translate(str.maketrans(",.", ".,")) for x in table["amount"].to_pylist()]
        hours = [str(x).replace(".", ",") for x in table["hour"].to_pylist()]
        written = pa.table({"amount": amounts, "hour": hours, "kind": table["kind"]})
        pyarrow.csv.write_csv(written, tmp_path / f"{name}.csv", pyarrow.csv.WriteOptions(delimiter=";"))
        pyarrow.csv.write_csv(table, tmp_path / f"plain {name}.csv")
    told = []
    for prefix in ("", "plain "):
        out = tmp_path / f"{prefix}run"
        fit = ["--target", "kind", "--positive", "fraud", "--gain", GAIN, "--learner", "lda", *ignore, "--out", out]
        assert run("fit", tmp_path / f"{prefix}old.csv", *fit).code == 0
        told.append(json.loads(run("evaluate", out, tmp_path / f"{prefix}new.csv", "--json").out))
        assert run("explain", out, tmp_path / f"{prefix}new.csv", "--row", "2").code == 0
    assert told[0]["gain"]["value"] == pytest.approx(told[1]["gain"]["value"])
    assert told[0]["confusion"] == told[1]["confusion"]


def test_a_row_without_an_amount_is_named_or_skipped(run, folder, tmp_path):
    path = tmp_path / "holes.csv"
    path.write_text("amount,hour\n10,12\n,13\n20,14\n")
    said = run("predict", folder / "run", path)
    assert said.code == 3
    assert "line 3" in said.err
    assert "'amount'" in said.err
    skipped = run("predict", folder / "run", path, "--on-error", "skip")
    assert [row["row"] for row in csv.DictReader(io.StringIO(skipped.out))] == ["1", "3"]
    assert run("explain", folder / "run", path, "--row", 2).code == 3
    path.write_text("hour\n12\n")
    assert "'amount'" in run("predict", folder / "run", path).err


def test_the_gain_travels_as_data_and_exports_refuse_it(run, folder):
    model = load(folder / "run" / "model.json")
    assert model.column_gain.columns == ("amount",)
    document = json.loads((folder / "run" / "model.json").read_text())
    assert document["gain"]["columns"] == [[0, -4], [{"times": -1, "column": "amount"}, -4]]
    told = run("export", folder / "run", "--to", "sql")
    assert told.code == 3
    assert "'amount'" in told.err
    assert "-amount" in run("inspect", folder / "run").out
    with pytest.raises(ValueError, match="own gain"):
        model.decide(np.zeros((1, model.n_features)))
    frame = payments(5, 3).to_pandas()
    assert set(model.predict(frame)) <= {"fraud", "ok"}
    assert model.predict_proba(frame).shape == (5, 2)


@pytest.mark.parametrize("columns", [[[0, -4]], [[0, -4], [{"times": 1}, 0]], [[0, "x"], [0, 0]], [[0], [0]]])
def test_damaged_terms_are_refused(folder, columns):
    document = document_of(load(folder / "run" / "model.json"))
    document["gain"]["columns"] = columns
    with pytest.raises(ModelFileError, match=r"gain\.columns"):
        model_of(document, lambda *_: {})


def test_one_gain_for_all_rows_takes_its_place_and_back(run, folder, tmp_path):
    assert run("set", folder / "run", "--gain", "tp=-4,fp=-4,fn=-30", "-o", tmp_path / "one.json").code == 0
    assert load(tmp_path / "one.json").column_gain is None
    assert run("export", tmp_path / "one.json", "--to", "python").code == 0
    assert run("set", tmp_path / "one.json", "--gain", GAIN, "-o", tmp_path / "own.json").code == 0
    again = run("predict", tmp_path / "own.json", folder / "new.csv").out
    labels = [row["label"] for row in csv.DictReader(io.StringIO(again))]
    assert labels == [row["label"] for row in answers(run, folder)]
    fixed = answers(run, folder, "--threshold", "0.5")
    assert all((float(row["P(fraud)"]) >= 0.5) == (row["label"] == "fraud") for row in fixed)


def test_a_column_that_is_not_there_is_named(run, folder):
    said = run("fit", folder / "old.csv", "--target", "kind", "--gain", "fn=-amuont,fp=-4")
    assert said.code == 3
    assert "'amuont'" in said.err
    assert "'amount'" in said.err


def test_terms_as_people_type_them():
    gains = read_column_gain("tp=0.5*amount,fp=-4,fn=- amount,tn=0,reject=-fee", ["no", "yes"])
    assert [[str(term) for term in row] for row in gains.terms] == [
        ["0", "-4", "-fee"],
        ["-amount", "0.5*amount", "-fee"],
    ]
    assert read_column_gain("tp=1,fp=-4", ["no", "yes"]) is None
    assert read_column_gain("1,0;0,1", ["no", "yes"]) is None
    for text in ("fn=2*3", "fn=4x", "fn=", "fn=-", "fn=inf"):
        with pytest.raises(OptionError):
            read_column_gain(text, ["no", "yes"])


def test_what_is_said_is_of_rows_decided_by_their_own_gain(run, tmp_path, monkeypatch):
    """The mean gain asks for one answer to all rows, single rows do not."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(1)
    age, amount = random.normal(40, 10, 400).round(1), np.exp(random.normal(3, 1.5, 400)).round(2)
    kind = np.where((age - 40) / 10 + random.logistic(size=400) > 0, "paid", "lost")
    pyarrow.csv.write_csv(pa.table({"age": age, "amount": amount, "kind": kind}), "loans.csv")
    gain = ["--gain", "fn=-amount,fp=-700", "--learner", "logistic"]
    done = run("fit", "loans.csv", "--target", "kind", *gain, "--held-out", "held.csv", "-o", "run")
    assert done.code == 0, done.err
    assert "no threshold earns more" not in done.out
    assert "Every row is answered" not in done.out
    held = {row["label"] for row in csv.DictReader(io.StringIO((tmp_path / "held.csv").read_text()))}
    assert len(held) == 2
    found = json.loads((tmp_path / "run" / "run.json").read_text())
    told = found["comparison"][0]["figures"]["accuracy"]
    chance = 1.96 * np.sqrt(told["value"] * (1 - told["value"]) / 400)
    assert told["high"] - told["low"] == pytest.approx(2 * chance, rel=0.1)
