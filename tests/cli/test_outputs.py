"""Where commands write: never over what they read, whole runs only, and the truth about it in the end."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from discriminant.table.saving import open_committed


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table and a run."""
    path = tmp_path_factory.mktemp("outputs")
    rows = "".join(f"{i / 7:.3f},{i % 5},{'yes' if i % 7 + i / 20 > 5 else 'no'}\n" for i in range(120))
    (path / "rows.csv").write_text("x,z,y\n" + rows)
    done = command(path, "fit", "rows.csv", "-t", "y", "--learner", "lda", "-o", "run")
    assert done.returncode == 0, done.stderr
    return path


def command(path, *arguments, **options):
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "check": False} | options
    return subprocess.run([sys.executable, "-m", "discriminant", *arguments], cwd=path, **options)


@pytest.fixture
def same(folder):
    """The table by other names."""
    (folder / "link.csv").symlink_to("rows.csv")
    os.link(folder / "rows.csv", folder / "hard.csv")
    before = (folder / "rows.csv").read_bytes()
    yield
    assert (folder / "rows.csv").read_bytes() == before
    (folder / "link.csv").unlink()
    (folder / "hard.csv").unlink()


@pytest.mark.parametrize("out", ["rows.csv", "run/../rows.csv", "link.csv", "hard.csv"])
def test_no_command_writes_over_its_table(run, folder, same, monkeypatch, out):
    monkeypatch.chdir(folder)
    for arguments in (
        ["predict", "run", "rows.csv", "-o", out],
        ["predict", "run", "row*.csv", "-o", out],
        ["fit", "rows.csv", "-t", "y", "-o", "other", "--held-out", out],
        ["fit", "run/../rows.csv", "-t", "y", "-o", "other", "--test", "rows.csv", "--held-out", out],
    ):
        ended = run(*arguments)
        assert ended.code == 2
        assert "read by this command; write to another file" in ended.err
    assert not (folder / "other").exists()


def test_no_command_writes_over_its_model_run_or_gain(run, folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "gain.json").write_text("no,yes\n1,-1\n-1,1\n")
    os.link(folder / "run" / "model.json", folder / "run" / "model.sql")
    try:
        for arguments in (
            ["set", "run", "--threshold", "0.3", "-o", "run"],
            ["set", "run/model.json", "--threshold", "0.3", "-o", "./run/model.json"],
            ["set", "run", "--gain", "gain.json", "-o", "gain.json"],
            ["export", "run", "--to", "sql"],
            ["report", "run", "-o", "run/run.json"],
        ):
            ended = run(*arguments)
            assert (ended.code, "read by this command" in ended.err) == (2, True), arguments
    finally:
        (folder / "run" / "model.sql").unlink()
    ended = run("fit", "rows.csv", "-t", "y", "-o", "run", "--held-out", "run/report.html")
    assert (ended.code, "are one file" in ended.err) == (2, True)


def test_standard_streams_that_are_the_table_are_refused(folder):
    with (folder / "rows.csv").open("a") as appended:
        done = command(folder, "predict", "run", "rows.csv", stdout=appended)
    assert done.returncode == 2
    assert "standard output is the same file as rows.csv" in done.stderr
    with (folder / "rows.csv").open() as table:
        done = command(folder, "predict", "run", "-", "-o", "rows.csv", stdin=table)
    assert done.returncode == 2
    assert "the same file as standard input" in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device here")
@pytest.mark.parametrize("closed", [">/dev/full", ">&-"])
def test_files_are_kept_where_standard_output_takes_nothing(folder, tmp_path, closed):
    script = f'"{sys.executable}" -m discriminant predict run rows.csv -o "{tmp_path}/answers.csv" {closed}'
    done = subprocess.run(["sh", "-c", script], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 5
    assert done.stderr.startswith("discriminant: standard output could not be written: ")
    assert done.stderr.endswith(f"written: {tmp_path}/answers.csv\n")
    assert len((tmp_path / "answers.csv").read_text().splitlines()) == 121


def test_closed_standard_input_is_said(folder):
    script = f'"{sys.executable}" -m discriminant predict run - <&-'
    done = subprocess.run(["sh", "-c", script], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.startswith("discriminant: standard input is closed; ")) == (5, True)


@pytest.mark.parametrize("where", ["loop", "loop/x", "a" * 300, "rows.csv/x"])
def test_folders_that_cannot_be_are_refused_before_the_fit(run, folder, monkeypatch, where):
    monkeypatch.chdir(folder)
    loop = folder / "loop"
    loop.symlink_to("loop")
    try:
        for arguments in (
            ["fit", "rows.csv", "-t", "y", "-o", where],
            ["fit", "rows.csv", "-t", "y", "-o", "new/run", "--held-out", f"{where}/held.csv"],
            ["set", "run", "--threshold", "0.3", "-o", where],
            ["export", "run", "--to", "sql", "-o", where],
        ):
            ended = run(*arguments)
            assert (ended.code, len(ended.err.splitlines())) == (5, 1), (arguments, ended.err)
    finally:
        loop.unlink()
    assert not (folder / "new").exists()


def test_a_gain_too_long_for_a_name_is_no_file(run, folder):
    ended = run("predict", folder / "run", folder / "rows.csv", "--gain", ";".join(["1,0"] * 300))
    assert (ended.code, "300×2 numbers" in ended.err) == (2, True)


def test_endless_and_enormous_runs_are_refused(run, tmp_path):
    with (tmp_path / "run.json").open("wb") as file:
        file.truncate(1 << 34)
    for path in ("/dev/zero", tmp_path / "run.json"):
        ended = run("report", path, "-o", tmp_path / "report.html")
        assert (ended.code, "too large" in ended.err) == (4, True)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_end_by_signal_is_told_truly(folder, tmp_path, number, code):
    out = tmp_path / "answers.csv"
    pipe = tmp_path / "rows"
    os.mkfifo(pipe)
    arguments = ["predict", "run", str(pipe), "-o", str(out)]
    with subprocess.Popen(
        [sys.executable, "-m", "discriminant", *arguments], cwd=folder, stderr=subprocess.PIPE, text=True
    ) as process:
        with contextlib.suppress(BrokenPipeError), pipe.open("w") as rows:
            rows.write("x,z\n" + "1,2\n" * 200_000)
            rows.flush()
            until = time.monotonic() + 60
            while not list(tmp_path.glob(".answers.csv*")) and time.monotonic() < until:
                time.sleep(0.02)
            process.send_signal(number)
            with contextlib.suppress(BrokenPipeError):
                for _ in range(1000):  # it hears between two blocks
                    rows.write("1,2\n" * 200_000)
                    rows.flush()
            told = process.stderr.read()
        assert process.wait() == code
    assert told.endswith("no file was written\n")
    assert os.listdir(tmp_path) == ["rows"]


FITS = """
import sys
from pathlib import Path
from dataclasses import replace
from discriminant.cli.fitting import write_run
from discriminant.model import load
from discriminant.study.run_file import load_run
folder, out, tag = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
run, model = load_run(folder / "run.json"), load(folder / "model.json")
for _ in range(15):
    write_run(out, replace(model, provenance={"tag": tag}), run | {"title": tag}, {})
"""


def test_two_runs_into_one_folder_leave_one_of_them(folder, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to("real")
    command = [sys.executable, "-c", FITS, folder / "run", tmp_path / "out"]
    writers = [subprocess.Popen([*command, tag]) for tag in ("one", "two")]
    assert [writer.wait() for writer in writers] == [0, 0]
    tags = set()
    for name in ("model.json", "run.json", "report.html"):
        with open_committed(tmp_path / "out" / name) as file:
            content = file.read().decode()
        tags.add(
            json.loads(content)["provenance"]["tag"]
            if name == "model.json"
            else json.loads(content)["title"]
            if name == "run.json"
            else "one"
            if "<title>one" in content
            else "two"
        )
    assert len(tags) == 1
    assert sorted(os.listdir(tmp_path / "real")) == ["model.json", "report.html", "run.json"]
