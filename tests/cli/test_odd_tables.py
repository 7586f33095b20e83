"""Tables as people have them: what is said of them is true and short, and what cannot be used is refused in a line."""

import csv
import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

N = 120
RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((N, 3)).round(3)
LABEL = np.where(X[:, 0] - X[:, 1] + 0.5 * RANDOM.standard_normal(N) > 0, "yes", "no")


def write(path, header, rows, *, encoding="utf-8", **options):
    with path.open("w", newline="", encoding=encoding) as file:
        writer = csv.writer(file, **options)
        writer.writerow(header)
        writer.writerows(rows)
    return path


@pytest.fixture
def plain(tmp_path):
    return write(tmp_path / "plain.csv", ["a", "b", "c", "y"], [[*x, y] for x, y in zip(X, LABEL, strict=True)])


@pytest.fixture
def fitted(run, plain, tmp_path):
    assert run("fit", plain, "-t", "y", "--learner", "lda", "-o", tmp_path / "fitted").code == 0
    return tmp_path / "fitted"


def fit(run, path, tmp_path, *options):
    """Lines are joined: where they break depends on the width of names."""
    said = run("fit", path, "-t", "y", "--learner", "lda,logistic", "-o", tmp_path / "run", *options)
    said.lines, said.out = said.out.splitlines(), " ".join(said.out.split())
    return said


def test_a_leak_is_doubted_in_a_line_and_can_be_left_out(run, tmp_path):
    rows = [[*x, "closed" if y == "yes" else "open", y] for x, y in zip(X, LABEL, strict=True)]
    path = write(tmp_path / "t.csv", ["a", "b", "c", "case status", "y"], rows)
    said = fit(run, path, tmp_path)
    assert "Doubt: Column 'case status' alone gives the class away" in said.out
    assert len(said.lines) < 30
    without = fit(run, path, tmp_path, "--ignore", "case status")
    assert without.code == 0
    assert "gives the class away" not in without.out


def test_a_rare_class_that_is_never_answered_comes_with_a_gain_to_try(run, tmp_path):
    rows = [[*x, int(i % 20 == 0)] for i, x in enumerate(X)]
    said = fit(run, write(tmp_path / "t.csv", ["a", "b", "c", "y"], rows), tmp_path)
    assert "Every row is answered 0. Say what a miss costs with --gain, e.g. --gain fp=-1,fn=-19." in said.out


def test_many_columns_are_all_counted(run, tmp_path):
    wide = RANDOM.standard_normal((40, 260)).round(2)
    rows = [[*x, "k", int(x[:5].sum() > 0)] for x in wide]
    path = write(tmp_path / "t.csv", [*(f"g{j}" for j in range(260)), "same", "y"], rows)
    said = run("fit", path, "-t", "y", "--learner", "lda-shrinkage", "-o", tmp_path / "run")
    assert "Columns: 260 numbers." in said.out
    assert "Dropped: same" in said.out or "1 more" in said.out


def test_notes_end_with_one_full_stop_and_names_keep_their_case(run, tmp_path):
    rows = [
        [f"{x[0]:.3f}".replace(".", ","), f"{x[1]:.3f}".replace(".", ","), y] for x, y in zip(X, LABEL, strict=True)
    ]
    path = write(tmp_path / "umsatz.csv", ["Größe", "Umsatz (€)", "y"], rows, encoding="cp1252", delimiter=";")
    said = fit(run, path, tmp_path)
    assert said.code == 0
    assert "umsatz.csv has decimal commas" in said.out
    assert "Umsatz (€)" in said.out
    assert ".." not in said.out


def test_findings_of_folds_do_not_contradict_the_table(run, tmp_path):
    level = ["seldom" if i < 6 else "often" for i in range(N)]
    label = ["yes" if i < 5 else y for i, y in enumerate(LABEL)]
    rows = [[*x, v, y] for x, v, y in zip(X, level, label, strict=True)]
    path = write(tmp_path / "t.csv", ["a", "b", "c", "level", "y"], rows)
    said = fit(run, path, tmp_path, "--json")
    for finding in json.loads(said.out)["findings"]:
        assert finding["about"] in ("data", "lda", "logistic")
        if finding["kind"] == "Separable":
            assert finding["evidence"].startswith("On the rows of a fold")


@pytest.mark.parametrize(
    ("positive", "values"),
    [("1.0", ["0", "1"]), ("1", ["0.0", "1.0"]), ("True", ["false", "true"]), ("TRUE", ["False", "True"])],
)
def test_the_positive_class_may_be_written_in_any_way(run, tmp_path, positive, values):
    rows = [[*x, values[int(y == "yes")]] for x, y in zip(X, LABEL, strict=True)]
    path = write(tmp_path / "t.csv", ["a", "b", "c", "y"], rows)
    assert fit(run, path, tmp_path, "--positive", positive).code == 0
    flipped = fit(run, path, tmp_path, "--positive", values[0], "--json")
    assert json.loads(flipped.out)["data"]["classes"][1]["label"] in (0, False)


def test_evaluate_knows_flags_written_as_text(run, tmp_path):
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "y": LABEL == "yes"})
    pa.parquet.write_table(table, tmp_path / "flags.parquet")
    text = table.set_column(2, "y", pa.array([str(y == "yes").upper() for y in LABEL]))
    pa.parquet.write_table(text, tmp_path / "text.parquet")
    assert fit(run, tmp_path / "flags.parquet", tmp_path).code == 0
    first, second = (
        json.loads(run("evaluate", tmp_path / "run", tmp_path / name, "--json").out)
        for name in ("flags.parquet", "text.parquet")
    )
    assert first["confusion"] == second["confusion"]


def test_predictions_are_those_of_the_library(run, plain, fitted):
    from sklearn.metrics import accuracy_score

    from discriminant import LinearDiscriminantAnalysis

    rows = list(csv.DictReader(io.StringIO(run("predict", fitted, plain).out)))
    learner = LinearDiscriminantAnalysis().fit(X, LABEL)
    scores = learner.decision_function(X)
    ours = np.array([float(row["score"]) for row in rows])
    np.testing.assert_allclose(ours - ours.mean(), scores - scores.mean(), atol=1e-8)
    assert accuracy_score(LABEL, [row["label"] for row in rows]) > 0.8


def test_columns_in_another_order_with_others_among_them_give_the_same(run, plain, fitted, tmp_path):
    rows = [["x", y, x[2], x[0], x[1]] for x, y in zip(X, LABEL, strict=True)]
    other = write(tmp_path / "other.csv", ["extra", "y", "c", "a", "b"], rows)
    assert run("predict", fitted, other).out == run("predict", fitted, plain).out


def test_explain_leaves_columns_out_that_add_nothing(run, tmp_path):
    rows = [[x[0], i % 2, i % 2] for i, x in enumerate(X)]
    path = write(tmp_path / "t.csv", ["noise", "z", "y"], rows)
    assert run("fit", path, "-t", "y", "--learner", "fisher", "-o", tmp_path / "run").code == 0
    said = run("explain", tmp_path / "run", path, "--row", "3").out
    assert "e+1" not in said
    assert "e-1" not in said


def test_inspect_of_many_classes_fits_on_a_screen(run, tmp_path):
    rows = [[*(x + 3 * (i % 12)), f"class {i % 12:02d}"] for i, x in enumerate(X)]
    path = write(tmp_path / "t.csv", ["a", "b", "c", "y"], rows)
    assert run("fit", path, "-t", "y", "--learner", "lda", "-o", tmp_path / "run").code == 0
    said = run("inspect", tmp_path / "run")
    assert len(said.out.splitlines()) < 30
    assert "and 2 more" in said.out


SPARSE = "\n".join(f"{1 if y == 'yes' else -1} 1:{x[0]} 3:{x[1]}" for x, y in zip(X, LABEL, strict=True)) + "\n"


def test_indices_can_be_held(run, tmp_path):
    path = tmp_path / "t.svm"
    path.write_text(SPARSE)
    assert run("fit", path, "--learner", "logistic-ridge", "-o", tmp_path / "run").code == 0
    held = run("explain", tmp_path / "run", path, "--row", "2", "--hold", "index 2,index 3", "--json")
    found = json.loads(held.out)
    assert {c["column"] for flip in found["single"] for c in flip["changes"]} == {"index 1"}
    assert run("explain", tmp_path / "run", path, "--hold", "index 9").code == 3
    said = run("explain", tmp_path / "run", path, "--row", "2").out  # values of sparse rows are taken as they are
    assert "standard deviations" not in said
    assert found["unit"] in said
    assert "For a unit" in (tmp_path / "run" / "report.html").read_text()


def refusals(tmp_path):
    sparse = tmp_path / "t.svm"
    sparse.write_text(SPARSE)
    (tmp_path / "head.csv").write_text("a,b,y\n")
    (tmp_path / "bare.csv").write_text("\n".join(f"{x[0]},{x[1]},{y}" for x, y in zip(X, LABEL, strict=True)))
    some = list(zip(X, LABEL, strict=True))
    write(tmp_path / "same.csv", ["a", "y"], [[1, y] for _, y in some])
    write(
        tmp_path / "inf.csv",
        ["a", "y"],
        [["" if i == 0 else "inf" if i == 7 else x[0], y] for i, (x, y) in enumerate(some)],
    )
    plain, fitted = tmp_path / "plain.csv", tmp_path / "fitted"
    write(tmp_path / "bad.csv", ["a", "b", "c", "y"], [[1, 2, 3, "yes"], ["x", 2, 3, "no"]])
    write(tmp_path / "worse.csv", ["a", "b", "c", "y"], [["x", 2, 3, "no"]])
    (tmp_path / "names.csv").write_text("a,b,c,y\n")
    return {
        "no rows": (["fit", tmp_path / "head.csv", "-t", "y"], 3, "no rows"),
        "no header": (["fit", tmp_path / "bare.csv", "-t", "y"], 3, "no header line"),
        "constant": (["fit", tmp_path / "same.csv", "-t", "y"], 3, "'a': every filled cell is 1"),
        "infinite": (["fit", tmp_path / "inf.csv", "-t", "y"], 3, "row 8, column 'a'"),
        "ragged gain": (["fit", plain, "-t", "y", "--gain", "1,2;3"], 2, "2, 1 numbers"),
        "weight is target": (["fit", plain, "-t", "y", "--weight", "y"], 3, "the target itself"),
        "out is a file": (["fit", plain, "-t", "y", "-o", plain], 5, "names a folder"),
        "sparse rows": (["predict", fitted, sparse], 3, "no named columns"),
        "nothing to judge by": (["evaluate", fitted, tmp_path / "names.csv"], 3, "no row to judge"),
        "all left out": (["evaluate", fitted, tmp_path / "worse.csv", "--on-error", "skip"], 3, "all 1 were left out"),
        "bad cell": (["explain", fitted, tmp_path / "bad.csv", "--row", "2"], 3, "row 2: 'a' holds 'x', not a number"),
        "no learner": (["fit", plain, "-t", "y", "--learner", ","], 2, "--learner"),
        "unknown held": (["explain", fitted, plain, "--hold", "z"], 3, "'z'"),
    }


@pytest.mark.parametrize(
    "what",
    ["no rows", "no header", "constant", "infinite", "ragged gain", "weight is target", "out is a file", "sparse rows",
     "unknown held", "nothing to judge by", "all left out", "bad cell", "no learner"],
)  # fmt: skip
def test_refusals_are_one_line_with_the_way_out(run, fitted, tmp_path, what):
    arguments, code, message = refusals(tmp_path)[what]
    said = run(*arguments)
    assert (said.code, said.out) == (code, "")
    assert message in said.err
    assert len(said.err.strip().splitlines()) == 1


def test_rows_of_parquet_are_counted_as_rows(run, fitted, tmp_path):
    table = pa.table({"a": ["1", "2", "x"], "b": [1.0, 2.0, 3.0], "c": [1.0, 2.0, 3.0]})
    pa.parquet.write_table(table, tmp_path / "t.parquet")
    said = run("predict", fitted, tmp_path / "t.parquet")
    assert (said.code, "t.parquet, row 3: 'a' holds 'x'" in said.err) == (3, True)


def test_numbers_as_people_write_them_go_all_the_way(run, tmp_path):
    """From a bank's export through fit, predict, evaluate and explain; what does not fit is named."""
    header = ["Betrag", "Kunde", "y"]
    spelt = ["Ja", "Ja", "ja", "JA ", "nein"]

    def written(x):
        return f"{1000 * x:,.2f}".replace(",", "_").replace(".", ",").replace("_", ".") + " €"

    rows = [[written(x[0]), spelt[i % 5], y] for i, (x, y) in enumerate(zip(X, LABEL, strict=True))]
    path = write(tmp_path / "bank.csv", header, rows, delimiter=";")
    said = fit(run, path, tmp_path)
    assert said.code == 0
    assert "1 number, 1 category" in said.out
    model = json.loads((tmp_path / "run" / "model.json").read_text())
    number, category, *_ = model["encoding"]["columns"]
    assert number["number_format"]["units"] == ["€"]
    assert category["aliases"] == {"JA": "Ja", "ja": "Ja"}
    plain = [[1000 * x[0], "Ja" if i % 5 < 4 else "nein", y] for i, (x, y) in enumerate(zip(X, LABEL, strict=True))]
    plain = pa.table({name: [row[j] for row in plain] for j, name in enumerate(header)})
    pa.parquet.write_table(plain, tmp_path / "plain.parquet")
    scores = [
        [float(row["score"]) for row in csv.DictReader(io.StringIO(run("predict", tmp_path / "run", table).out))]
        for table in (path, tmp_path / "plain.parquet")
    ]
    np.testing.assert_allclose(*scores, rtol=1e-9)
    assert "Betrag" in run("explain", tmp_path / "run", path, "--row", "2").out
    odd = write(tmp_path / "odd.csv", header, [["$5", "Ja", "yes"]], delimiter=";")
    refused = run("predict", tmp_path / "run", odd)
    assert refused.code == 3
    assert "line 2: 'Betrag' holds '$5', not a number written like '1.234,50 €'" in refused.err


@pytest.mark.parametrize("options", [("--above", "0.5"), ("--bins", "3")])
def test_a_target_of_numbers_is_cut_and_evaluated(run, tmp_path, options):
    rows = [[x[0], x[1], x[0] + x[1]] for x in X]
    path = write(tmp_path / "t.csv", ["a", "b", "y"], rows)
    refused = fit(run, path, tmp_path)
    assert refused.code == 3
    assert "--above" in refused.err
    assert fit(run, path, tmp_path, *options).code == 0
    found = json.loads(run("evaluate", tmp_path / "run", path, "--json").out)
    assert found["rows"] == N
    assert found["accuracy"]["value"] > 0.8
    assert run("separable", path, "-t", "y", *options).code == 0


def test_stray_values_of_a_target_are_asked_about(run, tmp_path):
    values = [*(str(int(y == "yes")) for y in LABEL)] * 4 + ["N"] * 3
    rows = [[*X[i % N], y] for i, y in enumerate(values)]
    path = write(tmp_path / "t.csv", ["a", "b", "c", "y"], rows)
    refused = fit(run, path, tmp_path)
    assert refused.code == 3
    assert "'N' (3 rows), which may be no class; --classes '0,1' leaves such rows out" in refused.err
    kept = fit(run, path, tmp_path, "--classes", "0,1")
    assert "3 rows of 'N' left out" in kept.out
    assert json.loads(run("evaluate", tmp_path / "run", path, "--json").out)["without_class"] == 3
