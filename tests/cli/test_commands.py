"""The commands, as a person types them: what they print, write and refuse."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest


def people(n=300, seed=0):
    random = np.random.default_rng(seed)
    age = random.integers(18, 80, n)
    income = random.lognormal(7, 0.5, n).round(2)
    town = random.choice(["Graz", "Linz", "Wien"], n)
    member = random.random(n) < 0.4
    score = 0.05 * (age - 45) + 0.001 * (income - 1200) + (town == "Wien") + member + random.standard_normal(n)
    columns = {"id": range(n), "age": age, "income": income, "town": town, "member": member}
    columns["bought"] = np.where(score > 1, "yes", "no")
    table = {name: list(values) for name, values in columns.items()}
    for i in range(0, n, 11):
        table["income"][i] = None
    return pa.table(table)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A fitted run, made once by the command itself in a process of its own."""
    path = tmp_path_factory.mktemp("fitted")
    pyarrow.csv.write_csv(people(), path / "people.csv")
    done = subprocess.run(
        [sys.executable, "-m", "discriminant", "fit", "people.csv", "--target", "bought", "--gain",
         "tp=50,fp=-4,fn=-20,unit=EUR", "--learner", "lda,logistic,svm", "--out", "run"],
        cwd=path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (path / "said.txt").write_text(done.stdout)
    return path


def test_fit_says_it_on_a_screen_and_writes_three_files(folder):
    said = (folder / "said.txt").read_text()
    assert len(said.splitlines()) <= 30
    assert "EUR a row" in said
    assert "Dropped: id" in said
    assert sorted(p.name for p in (folder / "run").iterdir()) == ["model.json", "report.html", "run.json"]
    model = json.loads((folder / "run" / "model.json").read_text())
    assert model["provenance"]["rows"] == 300
    assert "people.csv" in model["provenance"]["command"]


def test_predict_writes_every_row(run, folder, tmp_path):
    out = tmp_path / "answers.csv"
    assert run("predict", folder / "run", folder / "people.csv", "-o", out, "--keep", "id").code == 0
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert len(rows) == 300
    assert [row["id"] for row in rows[:2]] == ["0", "1"]
    assert [row["row"] for row in rows[:2]] == ["1", "2"]
    for row in rows:
        assert (float(row["score"]) > 0) == (row["label"] == "yes")
        p = float(row["P(yes)"])
        earned = 50 * p - 4 * (1 - p) if row["label"] == "yes" else -20 * p
        assert float(row["expected_gain"]) == pytest.approx(earned)


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "csv.gz", "tsv"])
def test_predict_in_other_formats_agrees(run, folder, tmp_path, suffix):
    assert run("predict", folder / "run", folder / "people.csv", "-o", tmp_path / "a.parquet").code == 0
    assert run("predict", folder / "run", folder / "people.csv", "-o", tmp_path / f"b.{suffix}").code == 0
    first = pyarrow.parquet.read_table(tmp_path / "a.parquet")
    path = tmp_path / f"b.{suffix}"
    if suffix == "parquet":
        second = pyarrow.parquet.read_table(path)
    elif suffix == "arrow":
        second = pa.ipc.open_file(path).read_all()
    else:
        options = pyarrow.csv.ParseOptions(delimiter="\t" if suffix == "tsv" else ",")
        second = pyarrow.csv.read_csv(path, parse_options=options)
    assert second.column("label").to_pylist() == first.column("label").to_pylist()
    np.testing.assert_allclose(second.column("score").to_numpy(), first.column("score").to_numpy())


def test_predict_reads_parquet_as_it_reads_csv(run, folder, tmp_path):
    pyarrow.parquet.write_table(people(), tmp_path / "people.parquet")
    from_csv = run("predict", folder / "run", folder / "people.csv").out
    from_parquet = run("predict", folder / "run", tmp_path / "people.parquet").out
    first, second = (list(csv.DictReader(io.StringIO(text))) for text in (from_csv, from_parquet))
    assert [row["label"] for row in first] == [row["label"] for row in second]
    np.testing.assert_allclose([float(r["score"]) for r in first], [float(r["score"]) for r in second])


def test_a_broken_row_is_named_or_skipped(run, folder, tmp_path):
    lines = (folder / "people.csv").read_text().splitlines()
    cells = lines[150].split(",")
    lines[150] = ",".join([*cells[:1], "old", *cells[2:]])
    lines[200] += ",too,many"
    path = tmp_path / "broken.csv"
    path.write_text("\n".join(lines) + "\n")
    stopped = run("predict", folder / "run", path, "-o", tmp_path / "out.csv")
    assert stopped.code == 3
    assert "line 151" in stopped.err or "line 201" in stopped.err
    assert "Traceback" not in stopped.err
    assert not (tmp_path / "out.csv").exists()
    skipped = run("predict", folder / "run", path, "-o", tmp_path / "out.csv", "--on-error", "skip")
    assert skipped.code == 0
    assert "2 rows left out" in skipped.err
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 299


def test_evaluate_counts(run, folder):
    found = json.loads(run("evaluate", folder / "run", folder / "people.csv", "--json").out)
    assert found["rows"] == 300
    counts = np.array(found["confusion"])
    assert counts.sum() == 300
    assert found["accuracy"]["value"] == pytest.approx(np.trace(counts) / 300)
    gain = (counts * np.array([[0, -4], [-20, 50]])).sum() / 300
    assert found["gain"]["value"] == pytest.approx(gain)
    assert found["gain"]["low"] < gain < found["gain"]["high"]


def test_explain_adds_up_and_its_change_flips(run, folder, tmp_path):
    told = run("explain", folder / "run", folder / "people.csv", "--row", "7", "--json")
    found = json.loads(told.out)
    total = sum(part["amount"][0] for part in found["contributions"])
    assert total == pytest.approx(found["scores"][0] + found["thresholds"][0])
    flip = next(f for f in found["single"] if f["changes"][0]["column"] == "age")
    lines = list(csv.reader(io.StringIO((folder / "people.csv").read_text())))
    lines[7][lines[0].index("age")] = str(flip["changes"][0]["value"])
    path = tmp_path / "changed.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([lines[0], lines[7]])
    answer = next(csv.DictReader(io.StringIO(run("predict", folder / "run", path).out)))["label"]
    assert answer == flip["answer"] != found["answer"]


def test_explain_speaks_of_classes_and_money(run, folder):
    said = " ".join(run("explain", folder / "run", folder / "people.csv", "--row", "7").out.split())
    assert "Probability: " in said
    assert "This answer is expected to " in said
    assert " EUR" in said
    assert "above 0 the answer is yes" in said
    assert "towards yes" in said
    assert "beyond all values seen" not in said.split("One column alone")[-1]


def test_held_columns_do_not_change(run, folder):
    found = json.loads(
        run("explain", folder / "run", folder / "people.csv", "--row", "7", "--hold", "age,town", "--json").out
    )
    changed = {change["column"] for flip in [found["nearest"], *found["single"]] for change in flip["changes"]}
    assert changed
    assert not changed & {"age", "town"}


@pytest.mark.parametrize("command", ["inspect", "report", "separable", "explain", "evaluate"])
def test_commands_print_for_people_and_for_programs(run, folder, command):
    arguments = {
        "inspect": [folder / "run"],
        "report": [folder / "run"],
        "separable": [folder / "people.csv", "--target", "bought"],
        "explain": [folder / "run", folder / "people.csv"],
        "evaluate": [folder / "run", folder / "people.csv"],
    }[command]
    said = run(command, *arguments)
    assert (said.code, said.err) == (0, "")
    assert 0 < len(said.out.splitlines()) < 50
    assert json.loads(run(command, *arguments, "--json").out)


def test_report_again_is_the_same_page(run, folder, tmp_path):
    assert run("report", folder / "run", "-o", tmp_path / "again.html").code == 0
    assert (tmp_path / "again.html").read_text() == (folder / "run" / "report.html").read_text()


@pytest.mark.parametrize("to", ["sql", "c", "js", "python", "excel"])
def test_export_writes_files_and_their_vectors(run, folder, tmp_path, to):
    said = run("export", folder / "run", "--to", to, "-o", tmp_path)
    assert said.code == 0, said.err
    assert any("vectors" in path.name for path in tmp_path.iterdir())
    assert "failed" not in said.out


def test_standard_input(folder):
    done = subprocess.run(
        [sys.executable, "-m", "discriminant", "predict", "run", "-"],
        cwd=folder, input=(folder / "people.csv").read_bytes(), capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 301


def refusals(folder: Path):
    csv_file, fitted = folder / "people.csv", folder / "run"
    return {
        "no target": (["fit", csv_file], 2, "--target is missing"),
        "unknown target": (["fit", csv_file, "--target", "boght"], 3, "'bought'"),
        "no file": (["fit", folder / "nowhere.csv", "--target", "x"], 5, "nowhere.csv"),
        "bad gain": (["fit", csv_file, "--target", "bought", "--gain", "tp=4x"], 2, "--gain"),
        "bad learner": (["fit", csv_file, "--target", "bought", "--learner", "magic"], 2, "'magic'"),
        "bad option": (["fit", csv_file, "--nonsense"], 2, "--nonsense"),
        "no model": (["predict", folder / "none.json", csv_file], 5, "none.json"),
        "bad model": (["predict", csv_file, csv_file], 4, "people.csv"),
        "missing column": (["predict", fitted, folder / "other.csv"], 3, "'age'"),
        "no such row": (["explain", fitted, csv_file, "--row", "999"], 3, "300 rows"),
        "bad export": (["export", fitted, "--to", "cobol"], 2, "cobol"),
    }


@pytest.mark.parametrize(
    "what",
    ["no target", "unknown target", "no file", "bad gain", "bad learner", "bad option", "no model", "bad model",
     "missing column", "no such row", "bad export"],
)  # fmt: skip
def test_refusals_are_one_line_with_an_exit_code(run, folder, what):
    (folder / "other.csv").write_text("a,b\n1,2\n")
    arguments, code, message = refusals(folder)[what]
    said = run(*arguments)
    assert said.code == code, said.err
    assert message in said.err
    assert "Traceback" not in said.err
    if what != "bad option":  # which typer says in a box
        assert len(said.err.strip().splitlines()) == 1


def test_help_needs_no_heavy_import():
    code = (
        "import sys; sys.argv = ['discriminant', '--help']\n"
        "from discriminant.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'numba', 'pyarrow', 'matplotlib'} & set(sys.modules)\n"
        "sys.stderr.write(','.join(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "fit" in done.stdout
    assert done.stderr == ""


def test_predict_needs_no_learner():
    code = (
        "import sys, discriminant.cli.predicting, discriminant.model, discriminant.table.reading\n"
        "print({'sklearn', 'numba'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_version(run):
    said = run("--version")
    assert said.out.startswith("discriminant ")


@pytest.mark.parametrize("learner", ["closed-form", "logistic-ridge", "svm"])
def test_the_positive_class_may_sort_first(run, folder, tmp_path, learner):
    figures = []
    for positive in ("yes", "no"):
        out = tmp_path / positive
        asked = ("--target", "bought", "--learner", learner, "--positive", positive, "-o", out, "--json")
        fitted = run("fit", folder / "people.csv", *asked)
        found = json.loads(fitted.out)
        judged = json.loads(run("evaluate", out, folder / "people.csv", "--json").out)
        figures.append([e["figures"][f]["value"] for e in found["comparison"] for f in ("accuracy", "auc")])
        assert judged["accuracy"]["value"] > 0.7
        assert judged["auc"]["value"] > 0.8
    assert figures[0] == pytest.approx(figures[1], abs=0.03)
