"""`predict` and `evaluate` on engines, file by file, and runs of `predict` that go on after an interrupt."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from discriminant.cli import answered_files
from discriminant.memory import readable_size
from discriminant.model import load
from discriminant.model.new_data import NewData
from discriminant.study.judged_rows import JudgedRows
from tests.engines import dask_cluster, spark_master

_FIT = ["--target", "y", "--learner", "logistic-ridge", "--forms", "straight"]
_PARTS = ["--partition", "150"]
KINDS = ("parquet", "csv")


def frame(n=1000, seed=0):
    random = np.random.default_rng(seed)
    a, town = random.standard_normal(n), random.choice(["A", "B", "C"], n)
    y = np.where(a + (town == "B") + random.logistic(size=n) > 0.3, "yes", "no")
    return pd.DataFrame({"a": a.round(4), "town": town, "cost": random.integers(1, 9, n), "y": y})


@pytest.fixture(scope="module")
def client():
    with dask_cluster() as client:
        yield client


@pytest.fixture
def engine(client):
    return client.scheduler.address.replace("tcp://", "dask://")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fitted")
    frame().to_csv(folder / "old.csv", index=False)
    fit = ["fit", "old.csv", *_FIT, "--gain", "fn=-cost,fp=-2", "-o", "model"]
    subprocess.run([sys.executable, "-m", "discriminant", *fit], cwd=folder, check=True, capture_output=True)
    return folder / "model"


def write_new(folder, kind):
    """Three files of rows that have moved, one of them with a text that no fit has seen; as a pattern."""
    new = frame(700, 1)
    new["a"] += 4
    new.loc[650, "town"] = "Z"
    for k, part in enumerate((new[:300], new[300:310], new[310:])):
        path = folder / f"new-{k}.{kind}"
        part.to_parquet(path, index=False) if kind == "parquet" else part.to_csv(path, index=False)
    return folder / f"new-*.{kind}"


def answers_of(folder):
    return pd.read_parquet(folder).reset_index(drop=True)


@pytest.mark.parametrize("kind", KINDS)
def test_workers_decide_and_judge_as_this_machine_does(tmp_path, run, model, engine, kind):
    data = write_new(tmp_path, kind)
    here, there = (tmp_path / name for name in ("here", "there"))
    one = run("predict", model, data, "--keep", "cost", "--json", "-o", f"{here}/")
    other = run("predict", model, data, "--keep", "cost", "--json", "-o", f"{there}/", "--engine", engine, *_PARTS)
    assert (one.code, other.code) == (0, 0), other.err
    pd.testing.assert_frame_equal(answers_of(here), answers_of(there), check_exact=True)
    assert answers_of(there).row.tolist() == list(range(1, 701))
    sizes = {part.name: len(pd.read_parquet(part)) for part in sorted(there.iterdir())}
    assert sizes == {
        "part-00000-00000.parquet": 150,
        "part-00000-00001.parquet": 150,
        "part-00001-00000.parquet": 10,
        "part-00002-00000.parquet": 150,
        "part-00002-00001.parquet": 150,
        "part-00002-00002.parquet": 90,
    }
    told, wanted = json.loads(other.out), json.loads(one.out)
    assert {difference["kind"] for difference in told["differences"]} >= {"range", "unseen"}
    assert {**told, "out": None} == {**wanted, "out": None}
    figures = [run("evaluate", model, data, "--json", *where).out for where in ([], ["--engine", engine])]
    assert json.loads(figures[0]) == json.loads(figures[1])


def test_rows_left_out_elsewhere_are_told(tmp_path, run, model, engine):
    data = write_new(tmp_path, "csv")
    with (tmp_path / "new-1.csv").open("a") as file:
        file.write("much,A,3,yes\n")
    skip = ["--on-error", "skip", "--json"]
    one = run("predict", model, data, *skip, "-o", f"{tmp_path}/here/")
    other = run("predict", model, data, *skip, "-o", f"{tmp_path}/there/", "--engine", engine)
    assert json.loads(other.out)["skipped"] == json.loads(one.out)["skipped"] == 1
    pd.testing.assert_frame_equal(answers_of(tmp_path / "here"), answers_of(tmp_path / "there"), check_exact=True)
    assert json.loads(run("evaluate", model, data, *skip, "--engine", engine).out)["skipped"] == 1


def test_a_fault_elsewhere_is_named_and_leaves_no_folder(tmp_path, run, model, engine):
    data = write_new(tmp_path, "parquet")
    bad = pd.read_parquet(tmp_path / "new-1.parquet").astype({"a": str})
    bad.loc[3, "a"] = "much"
    bad.to_parquet(tmp_path / "new-1.parquet", index=False)
    before = sorted(os.listdir(tmp_path))
    here = run("predict", model, data, "-o", f"{tmp_path}/answers/")
    there = run("predict", model, data, "-o", f"{tmp_path}/answers/", "--engine", engine)
    assert there.code == 3
    assert "new-1.parquet, row 4: 'a' holds 'much'" in there.err
    assert there.err == here.err
    assert run("evaluate", model, data, "--engine", engine).err == here.err
    assert sorted(os.listdir(tmp_path)) == before


def test_rows_that_differ_are_not_written_where_that_is_asked(tmp_path, run, model, engine):
    data = write_new(tmp_path, "parquet")
    done = run("predict", model, data, "--strict", "-o", f"{tmp_path}/answers/", "--engine", engine)
    assert done.code == 3
    assert "beyond those of training" in done.err
    assert not (tmp_path / "answers").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-o", "answers.csv", "--engine", "dask://127.0.0.1:1"], "--engine writes a folder"),
        (["-o", "answers.csv", "--resume"], "--resume writes a folder"),
        (["-o", "answers/", "--engine", "dask://127.0.0.1:1"], "does not answer"),
        (["-o", "answers/", "--engine", "flink://x"], "is not known"),
    ],
)
def test_what_engines_cannot_do(tmp_path, run, model, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    done = run("predict", model, model.parent / "old.csv", *options)
    assert done.code == 2
    assert said in done.err
    assert os.listdir(tmp_path) == []


def test_queries_stay_here(tmp_path, run, model, engine):
    query = ["--sql", f"SELECT * FROM '{model.parent}/old.csv'", "--engine", engine]
    for done in (
        run("predict", model, *query, "-o", f"{tmp_path}/answers/"),
        run("evaluate", model, *query),
        run("fit", *query, *_FIT, "-o", tmp_path / "other"),
    ):
        assert done.code == 2
        assert "--engine reads files, and --sql is a query" in done.err


def test_queries_are_not_resumed(tmp_path, run, model):
    query = ["--sql", f"SELECT * FROM '{model.parent}/old.csv'", "--resume"]
    done = run("predict", model, *query, "-o", f"{tmp_path}/answers/")
    assert done.code == 2
    assert "--resume goes on file by file, and --sql is a query; name files, or leave --resume out" in done.err


@pytest.mark.slow
def test_spark_decides_and_judges_as_this_machine_does(tmp_path, run, model, monkeypatch):
    data = write_new(tmp_path, "parquet")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    wanted = run("evaluate", model, data, "--json").out
    assert run("predict", model, data, "-o", f"{tmp_path}/here/").code == 0
    with spark_master(tmp_path / "spark") as address:
        found = run("evaluate", model, data, "--json", "--engine", address)
        done = run("predict", model, data, "-o", f"{tmp_path}/there/", "--engine", address)
    assert json.loads(found.out) == json.loads(wanted)
    assert done.code == 0, done.err
    pd.testing.assert_frame_equal(answers_of(tmp_path / "here"), answers_of(tmp_path / "there"), check_exact=True)


# --- runs that go on ----------------------------------------------------------------------------------------


class Interrupted:
    """Decides files until one too many."""

    def __init__(self, most, error=KeyboardInterrupt):
        self.most, self.error, self.done = most, error, 0
        self.write = answered_files.AnswerFile._write

    def __call__(self, work, file, name):
        if self.done == self.most:
            raise self.error
        self.done += 1
        return self.write(work, file, name)


def interrupt(monkeypatch, most):
    called = Interrupted(most)
    monkeypatch.setattr(answered_files.AnswerFile, "_write", lambda *arguments: called(*arguments))
    return called


def test_an_interrupted_run_goes_on_with_the_files_that_are_left(tmp_path, run, model, monkeypatch):
    data, out = write_new(tmp_path, "parquet"), f"{tmp_path}/answers/"
    wanted = run("predict", model, data, "--json", "-o", f"{tmp_path}/whole/", *_PARTS).out
    with monkeypatch.context() as patch:
        interrupt(patch, 2)
        done = run("predict", model, data, "--json", "-o", out, "--resume", *_PARTS)
    assert done.code == 130
    assert "answers.unfinished: the same command goes on from it" in done.err
    assert not (tmp_path / "answers").exists()
    again = interrupt(monkeypatch, 1)
    done = run("predict", model, data, "--json", "-o", out, "--resume", *_PARTS)
    assert (done.code, again.done) == (0, 1), done.err
    assert {**json.loads(done.out), "out": None} == {**json.loads(wanted), "out": None}
    pd.testing.assert_frame_equal(answers_of(tmp_path / "whole"), answers_of(tmp_path / "answers"), check_exact=True)
    assert all(name.endswith(".parquet") for name in os.listdir(tmp_path / "answers"))
    assert not (tmp_path / "answers.unfinished").exists()


def test_what_was_done_counts_for_the_same_files_and_options_alone(tmp_path, run, model, monkeypatch):
    data, out = write_new(tmp_path, "parquet"), f"{tmp_path}/answers/"
    with monkeypatch.context() as patch:
        interrupt(patch, 2)
        run("predict", model, data, "-o", out, "--resume", *_PARTS)
    for name in ("part-00000.json", "part-00001-00000.parquet"):  # damaged, and gone: both are decided again
        place = tmp_path / "answers.unfinished" / name
        place.write_text("{}") if name.endswith("json") else place.unlink()
    with monkeypatch.context() as patch:
        again = interrupt(patch, 2)
        run("predict", model, data, "-o", out, "--resume", *_PARTS)
        assert again.done == 2
    again = interrupt(monkeypatch, 3)
    done = run("predict", model, data, "--threshold", "0.4", "-o", out, "--resume", "--partition", "400")
    assert (done.code, again.done) == (0, 3), done.err
    assert "is of other files or options; starting anew" in done.err
    assert len(os.listdir(tmp_path / "answers")) == 3


def test_without_resume_nothing_is_kept(tmp_path, run, model, engine):
    data = write_new(tmp_path, "parquet")
    (tmp_path / "new-2.parquet").write_bytes(b"PAR1 no more")
    before = sorted(os.listdir(tmp_path))
    for options in ([], ["--engine", engine]):
        assert run("predict", model, data, "-o", f"{tmp_path}/answers/", *options).code != 0
        assert sorted(os.listdir(tmp_path)) == before


def test_what_was_done_with_a_file_of_gains_counts_for_what_it_held(tmp_path, run, model, monkeypatch):
    data, out = write_new(tmp_path, "parquet"), f"{tmp_path}/answers/"
    gains = tmp_path / "gains.csv"
    classes = [str(label) for label in load(model / "model.json").classes]
    for right, wrong in ((1, 8), (1, 80)):
        gains.write_text(f"true,{','.join(classes)}\n{classes[0]},{right},-1\n{classes[1]},-{wrong},1\n")
        with monkeypatch.context() as patch:
            again = interrupt(patch, 1)
            told = run("predict", model, data, "--gain", gains, "-o", out, "--resume", *_PARTS)
        assert again.done == 1, told.err
    assert "is of other files or options; starting anew" in told.err


# --- what adds up ------------------------------------------------------------------------------------------


def test_counts_of_parts_add_up_to_those_of_the_whole(tmp_path, model):
    from discriminant.cli.models import open_rows
    from discriminant.cli.scoring import scored_batches

    fitted = load(model / "model.json")
    data = write_new(tmp_path, "csv")

    def counted(paths):
        seen = NewData(fitted)
        for _ in scored_batches(fitted, open_rows(fitted, paths, None), [], "stop", seen):
            pass
        return seen

    whole = counted([str(data)])
    first, second, third = (counted([str(tmp_path / f"new-{k}.csv")]) for k in range(3))
    for total in (first + second + third, first + (second + third), NewData(fitted) + whole):
        assert total.state() == whole.state()
        assert total.differences() == whole.differences()
    restored = NewData.of_state(fitted, json.loads(json.dumps(whole.state())))
    assert restored.differences() == whole.differences()
    assert whole.differences()


def test_judged_rows_of_parts_are_those_of_the_whole(model, monkeypatch):
    fitted = replace(load(model / "model.json"), column_gain=None)
    monkeypatch.setattr("discriminant.study.judged_rows.MOST_HELD", 500)
    random = np.random.default_rng(0)
    scores, codes = random.standard_normal((2000, 1)), random.integers(-1, 2, 2000).astype(np.int32)

    def judged(rows):
        found = JudgedRows(fitted)
        found.add(scores[rows], codes[rows], own_gains=False)
        return found

    whole = judged(slice(None))
    total = judged(slice(0, 400)) + judged(slice(400, 450)) + judged(slice(450, None))
    assert (total.n_rows, total.without_class) == (whole.n_rows, whole.without_class) == (2000, (codes < 0).sum())
    held, own, times = total.whole()
    assert held.size <= 500
    for k in (0, 1):
        assert times[own == k].sum() == (codes == k).sum()
        mean = np.average(held[own == k, 0], weights=times[own == k])
        assert mean == pytest.approx(scores[codes == k, 0].mean(), abs=1e-2)


@pytest.mark.parametrize(("command", "what"), [("predict", "rows decided"), ("evaluate", "rows judged")])
def test_a_person_who_watches_sees_how_much_has_been_read(tmp_path, run, model, monkeypatch, command, what):
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("discriminant.cli.progress._SECONDS", 0.001)
    data = write_new(tmp_path, "csv")
    done = run(command, model, data, *(["-o", tmp_path / "answers.csv"] if command == "predict" else []))
    assert done.code == 0
    assert f"{what}: pass 1 of about 1" in done.err
    assert f"of {readable_size(sum(path.stat().st_size for path in tmp_path.glob('new-*')))}" in done.err
