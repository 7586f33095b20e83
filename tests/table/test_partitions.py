"""A folder of files is there whole or not at all, and only what is there is told."""

import os
import signal

import pyarrow as pa
import pyarrow.dataset
import pytest

from discriminant.table.errors import FileError, OptionError
from discriminant.table.partitions import FolderWriter
from discriminant.table.saving import recording

ROWS = pa.RecordBatch.from_pydict({"a": list(range(10))})


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(path, then=lambda: None):
    with FolderWriter(path, ["a"], 4) as writer:
        writer.write(ROWS)
        then()


def fail(error):
    raise error


def fill():
    os.mkdir("out")
    open("out/mine", "w").close()


def test_all_rows_are_in_files_of_so_many_each():
    with recording() as told:
        write("out/")
        assert told() == ["out/"]
    assert os.listdir() == ["out"]
    assert sorted(os.listdir("out")) == ["part-00000.parquet", "part-00001.parquet", "part-00002.parquet"]
    assert pa.dataset.dataset("out").to_table().column("a").to_pylist() == list(range(10))


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, ValueError])
def test_nothing_is_left_or_told_of_after_a_failure(error):
    with recording() as told:
        with pytest.raises(error):
            write("out/", lambda: fail(error))
        assert told() == []
    assert os.listdir() == []


def test_a_table_without_rows_has_its_columns():
    with FolderWriter("out", ["a"]):
        pass
    assert pa.dataset.dataset("out").to_table().column_names == ["a"]


def test_a_folder_that_fills_meanwhile_is_left_alone():
    with pytest.raises(FileError, match="out/ could not be written"):
        write("out/", fill)
    assert (os.listdir(), os.listdir("out")) == (["out"], ["mine"])


def test_a_folder_with_files_is_refused():
    write("out")
    with pytest.raises(OptionError, match="holds files already"):
        write("out")


def test_a_link_to_an_empty_folder_stays_one():
    os.mkdir("real")
    os.symlink("real", "link")
    write("link/")
    assert os.path.islink("link")
    assert len(os.listdir("real")) == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is killed")
def test_what_a_killed_writer_left_goes_with_the_next_writer_and_what_a_living_one_writes_stays():
    child = os.fork()
    if child == 0:
        writer = FolderWriter("dead/", ["a"], 4).__enter__()
        writer.write(ROWS)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert len(os.listdir()) == 1
    with FolderWriter("alive/", ["a"], 4) as writer:
        writer.write(ROWS)
        write("other/")
        assert sorted(name for name in os.listdir() if "dead" in name) == []
    assert sorted(os.listdir()) == ["alive", "other"]
