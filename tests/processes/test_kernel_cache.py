"""Compiled kernels on disk: damaged, foreign, unreadable, wanted by many processes at once, or nowhere to be put."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from discriminant.kernels import turns
from discriminant.kernels.cache import _read_checked, _write_checked
from tests.processes.fresh import run

HEADER = b"header\n"

# one kernel of one signature, and whether it came from the disk
KERNEL = """
import numpy as np
from discriminant.kernels.extended import two_sum
assert two_sum(1.0, 1e-30) == (1.0, 1e-30)
print(sum(two_sum.stats.cache_hits.values()), two_sum.stats.cache_path is not None)
"""


def kept(folder):
    return sorted(folder.rglob("*.nbc"))


DAMAGES = {
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "empty": lambda path: path.write_bytes(b""),
    "garbage": lambda path: path.write_bytes(b"\x00\xff" * 5000),
    "one bit": lambda path: path.write_bytes(path.read_bytes()[:-1] + bytes([path.read_bytes()[-1] ^ 1])),
    "other version": lambda path: path.write_bytes(b"discriminant kernel, 0\n" + path.read_bytes()[23:]),
    "folder": lambda path: (path.unlink(), path.mkdir()),
    "looping link": lambda path: (path.unlink(), path.symlink_to(path)),
}


def test_what_was_written_is_read(tmp_path):
    _write_checked(tmp_path / "kernel", HEADER, b"code")
    assert _read_checked(tmp_path / "kernel", HEADER) == b"code"
    assert [path.name for path in tmp_path.iterdir()] == ["kernel"]


def test_kernels_of_another_source_are_not_read(tmp_path):
    _write_checked(tmp_path / "kernel", b"other!\n", b"code")
    assert _read_checked(tmp_path / "kernel", HEADER) is None


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_found(damage, tmp_path):
    path = tmp_path / "kernel"
    _write_checked(path, b"discriminant kernel, 1\n", os.urandom(1000))
    DAMAGES[damage](path)
    assert _read_checked(path, b"discriminant kernel, 1\n") is None


def test_a_write_that_fails_leaves_nothing(tmp_path):
    (tmp_path / "kernel").mkdir()
    with pytest.raises(OSError, match="kernel"):
        _write_checked(tmp_path / "kernel", HEADER, b"code")
    assert [path.name for path in tmp_path.iterdir()] == ["kernel"]


def test_a_damaged_kernel_is_made_anew(tmp_path):
    assert run(KERNEL, NUMBA_CACHE_DIR=tmp_path) == "0 True"
    for path in kept(tmp_path):
        path.write_bytes(path.read_bytes()[:-7])
    assert run(KERNEL, NUMBA_CACHE_DIR=tmp_path) == "0 True"
    assert run(KERNEL, NUMBA_CACHE_DIR=tmp_path) == "1 True"
    assert len(kept(tmp_path)) == 1


@pytest.mark.slow
def test_an_install_and_a_home_that_cannot_be_written(tmp_path):
    """Files where folders should be stand in for missing permissions, which an administrator would not feel."""
    install = tmp_path / "install"
    subprocess.run([sys.executable, "-c", COPY, str(install)], check=True)
    for folder in (install / "discriminant").rglob("*"):
        if folder.is_dir() and folder.name != "__pycache__":
            (folder / "__pycache__").write_text("not a folder")
    printed = run(
        KERNEL,
        without=["HOME", "NUMBA_CACHE_DIR"],
        PYTHONPATH=install,
        XDG_CACHE_HOME="/dev/null/cache",
        HOME="/dev/null",
    )
    assert printed == "0 False"


COPY = """
import discriminant, pathlib, shutil, sys
shutil.copytree(pathlib.Path(discriminant.__file__).parent, pathlib.Path(sys.argv[1]) / "discriminant",
                ignore=shutil.ignore_patterns("__pycache__"))
"""


def test_of_processes_that_start_together_one_compiles(tmp_path):
    with ThreadPoolExecutor(4) as pool:
        printed = list(pool.map(lambda _: run(KERNEL, seconds=200, NUMBA_CACHE_DIR=tmp_path), range(4)))
    assert sorted(printed) == ["0 True", "1 True", "1 True", "1 True"]
    assert [path.suffix for path in tmp_path.rglob("*") if path.is_file()] == [".nbc"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no locks of this kind")
def test_who_holds_a_turn_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(turns, "_PATIENCE", 0.1)
    mine, theirs = turns.Turn(tmp_path / "kernel"), turns.Turn(tmp_path / "kernel")
    mine.take()
    theirs.take()  # waits in vain
    assert theirs._descriptor is None
    mine.give_back()
    theirs.take()
    assert theirs._descriptor is not None
    theirs.give_back()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_eight_processes_with_one_cold_cache(tmp_path):
    code = """
    import sys
    import numpy as np
    from discriminant.kernels.counting import widen_ranges
    k = int(sys.argv[1])
    X = np.arange(12.0).reshape(4, 3).astype([np.float64, np.float32][k % 2])
    lows, highs = np.zeros(3), np.zeros(3)
    assert widen_ranges(X, lows, highs) == (True, True)
    print(highs.tolist())
    """
    with ThreadPoolExecutor(8) as pool:
        for turn in range(2):
            printed = list(pool.map(lambda k: run(code, k, seconds=200, NUMBA_CACHE_DIR=tmp_path), range(8)))
            assert printed == ["[9.0, 10.0, 11.0]"] * 8, turn
    assert len(kept(tmp_path)) == 2
