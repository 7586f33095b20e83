"""`fit` of a table larger than it may take: studied on rows drawn from it, weights of all rows."""

import json
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import accuracy_score

from discriminant.study.saved_passes import load_passes
from tests.engines import spark_master

N, DRAWN = 3000, 1000
_FIT = ["--target", "y", "--learner", "lda", "--forms", "straight", "--memory", "600MB"]


@pytest.fixture
def in_passes(monkeypatch):
    """Any table counts as larger than memory."""
    monkeypatch.setattr("discriminant.cli.room._COPIES", 10**9)


@pytest.fixture
def few_drawn(in_passes, monkeypatch):
    monkeypatch.setattr("discriminant.study.beyond_memory._LEAST_ROWS", DRAWN)
    monkeypatch.setattr("discriminant.study.beyond_memory._MOST_CELLS", 1)


def frame():
    random = np.random.default_rng(1)
    x = random.standard_normal((N, 3)) @ [[1, 0.4, 0], [0, 1, 0.3], [0, 0, 2]] + [5, 0, 100]
    town = random.choice(["A", "B", "C"], N, p=[0.5, 0.3, 0.2])
    score = x[:, 0] - 5 - 0.5 * x[:, 1] + 0.2 * (x[:, 2] - 100) + (town == "B")
    y = np.where(score + random.logistic(size=N) > 0.5, "yes", "no")
    return pd.DataFrame({"id": np.arange(N), "a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "town": town, "y": y})


def write(folder, kind="parquet"):
    table = pa.Table.from_pandas(frame(), preserve_index=False)
    if kind == "csv":
        pyarrow.csv.write_csv(table, folder / "rows.csv")
        return folder / "rows.csv"
    for i in range(3):
        pq.write_table(table.slice(i * N // 3, N // 3), folder / f"rows-{i}.parquet", row_group_size=500)
    return folder / "rows-*.parquet"


def numbers_of(document):
    """Every number and text of a model but those about how it was made."""
    return json.loads(json.dumps({key: part for key, part in document.items() if key != "provenance"}))


@pytest.mark.parametrize("kind", ["csv", pytest.param("parquet", marks=pytest.mark.slow)])
def test_where_all_rows_are_drawn_the_model_is_that_of_a_table_in_memory(tmp_path, run, monkeypatch, kind):
    data = write(tmp_path, kind)
    assert run("fit", data, *_FIT, "-o", tmp_path / "at-once").code == 0
    monkeypatch.setattr("discriminant.cli.room._COPIES", 10**9)
    done = run("fit", data, *_FIT, "-o", tmp_path / "in-passes")
    assert done.code == 0, done.err
    assert "read in passes" in done.out
    models = [json.loads((tmp_path / name / "model.json").read_text()) for name in ("at-once", "in-passes")]
    same_numbers(*map(numbers_of, models))


def same_numbers(a, b):
    if isinstance(a, dict):
        assert a.keys() == b.keys()
        for key in a:
            same_numbers(a[key], b[key])
    elif isinstance(a, list):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            same_numbers(x, y)
    elif isinstance(a, float):
        assert a == pytest.approx(b, rel=1e-9, abs=1e-12)
    else:
        assert a == b


def test_weights_are_of_all_rows_and_figures_of_those_drawn(tmp_path, run, few_drawn, monkeypatch):
    data = write(tmp_path)
    out = tmp_path / "run"
    done = run("fit", data, *_FIT, "--gain", "tp=3,fn=-5,fp=-1", "-o", out)
    assert done.code == 0, done.err
    assert f"figures are of {DRAWN:,} of {N:,} rows, drawn by their numbers" in " ".join(done.out.split())
    model = json.loads((out / "model.json").read_text())
    told = json.loads((out / "run.json").read_text())
    assert (told["data"]["used_rows"], told["data"]["drawn_rows"]) == (N, DRAWN)
    rows = frame()
    assert {c["label"]: c["rows"] for c in told["data"]["classes"]} == rows.y.value_counts().to_dict()
    plane_is_that_of_scikit_learn(model, rows)

    predicted = run("predict", out, data, "--keep", "y", "-o", tmp_path / "answers.parquet")
    assert predicted.code == 0, predicted.err
    answers = pd.read_parquet(tmp_path / "answers.parquet")
    assert answers.y.tolist() == rows.y.tolist()
    earned = {("yes", "yes"): 3, ("yes", "no"): -5, ("no", "yes"): -1, ("no", "no"): 0}
    gain = np.mean([earned[pair] for pair in zip(answers.y, answers.label, strict=True)])
    judged = json.loads(run("evaluate", out, data, "--json").out)
    assert judged["accuracy"]["value"] == pytest.approx(accuracy_score(answers.y, answers.label), abs=1e-12)
    assert judged["gain"]["value"] == pytest.approx(gain, abs=1e-12)
    monkeypatch.setattr("discriminant.study.judged_rows.MOST_HELD", 2000)
    grouped = json.loads(run("evaluate", out, data, "--json").out)
    same_figures(grouped, judged)
    expected = told["expected"]  # of drawn rows that no model had seen
    assert expected["low"] - 0.1 < gain < expected["high"] + 0.1


def same_figures(grouped, judged):
    """Rows of like scores put together change no count, and figures of scores hardly."""
    for exact in ("rows", "confusion", "accuracy"):
        assert grouped[exact] == judged[exact]
    same_numbers(grouped["gain"], judged["gain"])
    for near, within in (("auc", 3e-4), ("log_loss", 3e-4)):
        for end in ("value", "low", "high"):
            assert grouped[near][end] == pytest.approx(judged[near][end], abs=within)


def plane_is_that_of_scikit_learn(model, rows):
    """Fitted by scikit-learn to all rows, with what pandas makes of the category."""
    design = pd.get_dummies(rows.drop(columns=["id", "y"]), columns=["town"], dtype=float).drop(columns=["town_A"])
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(design, rows.y)
    ours = {}
    for column in model["encoding"]["columns"]:
        for feature in column.get("features", []):
            level = feature.get("level")
            ours[column["name"] if level is None else f"{column['name']}_{level}"] = feature["scale"]
    weights = dict(zip(ours, model["planes"]["weights"][0], strict=True))
    per_unit = np.array([weights[name] / ours[name] for name in design.columns])
    direction = per_unit / np.linalg.norm(per_unit)
    np.testing.assert_allclose(direction, theirs.coef_[0] / np.linalg.norm(theirs.coef_[0]), rtol=1e-9)


def test_an_interrupted_run_goes_on_from_what_it_had_read(tmp_path, run, few_drawn, monkeypatch):
    data, out = write(tmp_path, "csv"), tmp_path / "run"
    state = tmp_path / "run.unfinished"
    with monkeypatch.context() as interrupted:
        interrupted.setattr("discriminant.study.study.study", interrupt)
        done = run("fit", data, *_FIT, "-o", out)
    assert done.code == 130
    assert "interrupted; no file was written; what was read is kept in" in done.err
    assert "--resume goes on" in done.err
    assert state.is_dir()
    assert not out.exists()

    def refuse(*arguments):
        raise AssertionError("the table was read again")

    with monkeypatch.context() as watched:
        watched.setattr("discriminant.study.beyond_memory.summarise_table", refuse)
        resumed = run("fit", data, *_FIT, "-o", out, "--resume")
    assert resumed.code == 0, resumed.err
    assert not state.exists()
    plane_is_that_of_scikit_learn(json.loads((out / "model.json").read_text()), frame())


def test_what_was_read_counts_for_the_same_files_and_options_alone(tmp_path, run, few_drawn, monkeypatch):
    data, out = write(tmp_path), tmp_path / "run"
    monkeypatch.setattr("discriminant.study.study.study", interrupt)
    run("fit", data, *_FIT, "-o", out)
    other = run("fit", data, *_FIT, "--ignore", "a", "-o", out, "--resume")
    assert "nothing to resume" in other.err
    first = tmp_path / "rows-0.parquet"
    pq.write_table(pq.read_table(first).slice(1), first)
    assert "of other files or options" in run("fit", data, *_FIT, "--ignore", "a", "-o", out, "--resume").err


def test_what_was_read_counts_only_whole_and_files_of_others_stay(tmp_path, run, few_drawn, monkeypatch):
    data, state = write(tmp_path, "csv"), tmp_path / "run.unfinished"
    state.mkdir()
    (state / "notes.txt").write_text("mine")
    (tmp_path / "elsewhere").write_text("mine")
    (state / "cells.arrow").symlink_to(tmp_path / "elsewhere")
    with monkeypatch.context() as interrupted:
        interrupted.setattr("discriminant.study.study.study", interrupt)
        run("fit", data, *_FIT, "-o", tmp_path / "run")
    key = json.loads((state / "passes.json").read_text())["key"]
    assert load_passes(state, key) is not None
    for name in ("passes.json", "cells.arrow", "rows.arrow", "values.arrow", "complete.txt"):
        sound = (state / name).read_bytes()
        for damaged in (b"", sound[:-1], sound + b"x", b"[" * 100_000, bytes([sound[0] ^ 1]) + sound[1:]):
            (state / name).write_bytes(damaged)
            assert load_passes(state, key) is None
        (state / name).write_bytes(sound)
    (state / "rows.arrow").unlink()
    resumed = run("fit", data, *_FIT, "-o", tmp_path / "run", "--resume")
    assert resumed.code == 0, resumed.err
    assert "is damaged, or of other files" in resumed.err
    assert [path.name for path in state.iterdir()] == ["notes.txt"]
    assert (tmp_path / "elsewhere").read_text() == "mine"


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_that_changes_between_passes_is_noticed(tmp_path, run, few_drawn, monkeypatch, kind):
    from discriminant.study import study

    data, out = write(tmp_path, kind), tmp_path / "run"
    changed = next(tmp_path.glob(f"*.{kind}"))
    studied = study.study

    def change_and_study(*arguments, **options):  # after the passes that describe the table, before the weights
        content = changed.read_bytes()
        changed.unlink()
        changed.write_bytes(content)
        return studied(*arguments, **options)

    monkeypatch.setattr("discriminant.study.study.study", change_and_study)
    done = run("fit", data, *_FIT, "-o", out)
    assert done.code != 0
    assert f"{changed.name} is not the file that it was" in done.err
    assert not out.exists()


def interrupt(*arguments, **options):
    raise KeyboardInterrupt


def test_a_damaged_file_is_named_and_leaves_nothing_behind(tmp_path, run, few_drawn):
    data = write(tmp_path)
    damaged = tmp_path / "rows-1.parquet"
    content = bytearray(damaged.read_bytes())
    content[200:260] = bytes(60)
    damaged.write_bytes(content)
    done = run("fit", data, *_FIT, "-o", tmp_path / "run")
    assert done.code in (3, 5)
    assert "rows-1.parquet" in done.err
    assert len(done.err.splitlines()) == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"rows-{i}.parquet" for i in range(3)]


def test_sizes_that_make_no_sense(tmp_path, run):
    data = write(tmp_path)
    assert "is no size" in run("fit", data, "--target", "y", "--memory", "lots").err
    assert "is no size" in run("fit", data, "--target", "y", "--memory", "9" * 400 + "GB").err
    assert "too little" in run("fit", data, "--target", "y", "--memory", "5MB").err
    assert "read at once" in run("fit", data, "--target", "y", "--resume").err


@pytest.mark.slow
def test_all_rows_may_be_summed_on_a_cluster(tmp_path, run, few_drawn, monkeypatch):
    distributed = pytest.importorskip("distributed")
    data = write(tmp_path)
    with distributed.LocalCluster(
        n_workers=1, processes=False, protocol="tcp://", dashboard_address="127.0.0.1:0", threads_per_worker=1
    ) as cluster:
        address = cluster.scheduler_address.replace("tcp://", "dask://")
        done = run("fit", data, *_FIT, "--engine", address, "-o", tmp_path / "run")
    assert done.code == 0, done.err
    plane_is_that_of_scikit_learn(json.loads((tmp_path / "run" / "model.json").read_text()), frame())


@pytest.mark.slow
def test_all_rows_may_be_summed_by_spark(tmp_path, run, few_drawn, monkeypatch):
    data = write(tmp_path)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    with spark_master(tmp_path / "spark") as address:
        done = run("fit", data, *_FIT, "--engine", address, "-o", tmp_path / "run")
    assert done.code == 0, done.err
    plane_is_that_of_scikit_learn(json.loads((tmp_path / "run" / "model.json").read_text()), frame())


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("flink://x", "--engine 'flink://x' is not known"),
        ("dask://", "--engine 'dask://' is not known"),
        ("spark://here", "--engine 'spark://here' names no port"),
        ("spark://127.0.0.1:1", "is the master of Spark running there?"),
        ("dask://127.0.0.1:1", "is the scheduler of Dask running there?"),
        ("dask://127.0.0.1:99999", "does not answer"),
    ],
)
def test_an_engine_that_is_none(tmp_path, run, address, said):
    done = run("fit", write(tmp_path), "--target", "y", "--engine", address)
    assert done.code == 2
    assert said in done.err


def test_parts_of_a_table_travel(tmp_path, monkeypatch):
    import pickle

    from discriminant.study.beyond_memory import TableOptions, design_of_summary, read_table
    from discriminant.study.table_passes import BatchedTable
    from discriminant.table.reading import open_table

    write(tmp_path, "csv")
    monkeypatch.chdir(tmp_path)
    source = open_table(["rows.csv"])
    table = BatchedTable(source, source.find_types(labels="y"))
    asked = TableOptions("y")
    coding, found = read_table(table, asked, 10**9)
    (part,) = design_of_summary(table, asked, coding, found, 10**9).whole.parts
    there = pickle.loads(pickle.dumps(part))
    monkeypatch.chdir("/")
    assert sum(block.n_rows for block in there.blocks()) == N
