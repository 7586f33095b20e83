"""The command under limits on memory: one line and the exit code for data, never an abort or a hang."""

import subprocess
import sys

import pytest

from discriminant.cli import process
from discriminant.cli.failures import DATA, run_guarded

resource = pytest.importorskip("resource")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how much address space is in use")
@pytest.mark.parametrize("megabytes", [150, 600, 1500])
def test_a_limit_that_the_libraries_cannot_be_loaded_in(megabytes, tmp_path):
    (tmp_path / "table.csv").write_text("a,y\n1,b\n2,c\n")
    limit = megabytes * 1_000_000
    done = subprocess.run(
        [sys.executable, "-m", "discriminant", "fit", tmp_path / "table.csv", "--target", "y"],
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert done.returncode == DATA
    assert done.stderr.count("\n") == 1
    assert "the limit on address space (ulimit -v) leaves" in done.stderr
    assert "2.4 GB are needed" in done.stderr


def test_one_thread_where_room_is_tight(monkeypatch):
    monkeypatch.setattr(process, "address_space_bytes", lambda: 2_500_000_000)
    monkeypatch.setattr(process.os, "environ", environment := {"OMP_NUM_THREADS": "3"})
    process.check_address_space()
    assert environment["OPENBLAS_NUM_THREADS"] == "1"
    assert environment["OMP_NUM_THREADS"] == "3"


@pytest.mark.parametrize("room", [None, 10**12])
def test_no_word_where_there_is_room(room, monkeypatch):
    monkeypatch.setattr(process, "address_space_bytes", lambda: room)
    monkeypatch.setattr(process.os, "environ", environment := {})
    process.check_address_space()
    assert environment == {}


@pytest.mark.parametrize(
    "error",
    [
        MemoryError("Unable to allocate 60.0 GiB for an array"),
        MemoryError(),
        RuntimeError("can't start new thread"),
        ImportError("libx.so: failed to map segment from shared object"),
        OSError(12, "Cannot allocate memory"),
    ],
)
def test_lack_of_memory_says_what_there_is(error, capsys):
    def fail():
        raise error

    assert run_guarded(fail, debug=False) == DATA
    said = capsys.readouterr().err
    assert said.startswith("discriminant: the table does not fit into memory (")
    assert "are left)" in said
    assert said.count("\n") == 1
