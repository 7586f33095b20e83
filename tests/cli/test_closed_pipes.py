"""A reader that has seen enough, such as `head`, ends a command quietly: nothing went wrong."""

import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.csv
import pytest

_ROWS = {"x": [0.1, 0.2, 0.35, 0.7, 0.8, 0.9] * 100, "y": ["no", "no", "yes", "no", "yes", "yes"] * 100}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("piped")
    pyarrow.csv.write_csv(pa.table(_ROWS), path / "rows.csv")
    done = _into_a_closed_pipe(path, "fit", "rows.csv", "--target", "y", "--learner", "lda", "--out", "run")
    assert (done.returncode, done.stderr) == (0, b"")
    return path


def _into_a_closed_pipe(path, *arguments, errors_too=False):
    read, write = os.pipe()
    os.close(read)
    try:
        return subprocess.run(
            [sys.executable, "-m", "discriminant", *arguments],
            cwd=path, stdout=write, stderr=write if errors_too else subprocess.PIPE, check=False,
        )  # fmt: skip
    finally:
        os.close(write)


@pytest.mark.parametrize(
    "arguments",
    [
        ["predict", "run", "rows.csv"],
        ["explain", "run", "rows.csv", "--debug"],
        ["inspect", "run", "--json"],
        ["fit", "--help"],
    ],
    ids=" ".join,
)
def test_a_closed_pipe_ends_a_command_quietly(folder, arguments):
    done = _into_a_closed_pipe(folder, *arguments)
    assert (done.returncode, done.stderr) == (0, b"")


def test_files_are_written_though_nobody_reads_the_summary(folder):
    assert sorted(p.name for p in (folder / "run").iterdir()) == ["model.json", "report.html", "run.json"]


def test_a_failure_keeps_its_exit_code_where_nobody_reads_of_it(folder):
    assert _into_a_closed_pipe(folder, "inspect", "nowhere.json", errors_too=True).returncode == 5
