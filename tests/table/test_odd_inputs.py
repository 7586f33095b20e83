"""Inputs that are no files, cannot be opened, or would take more memory than there is: one line each."""

import io
import os
import sys
import threading

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discriminant.table import errors
from discriminant.table.errors import BadRow, FileError, TableError, TooLarge, require_room
from discriminant.table.reading import open_table


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("loop", "Too many levels of symbolic links"),
        ("loop/t.csv", "no folder loop|Too many levels"),
        ("a" * 300, r"a… \(300 characters\): File name too long"),
        ("a/" * 3000, "File name too long"),
        ("folder", "folder is a folder; name its files"),
        ("t.csv/x", "there is no folder t.csv"),
        ("a\0b", "there is no such file|null"),
    ],
)
def test_paths_that_lead_nowhere(folder, path, said):
    os.symlink("other", "loop")
    os.symlink("loop", "other")
    (folder / "folder").mkdir()
    (folder / "t.csv").write_text("a,y\n1,0\n")
    with pytest.raises(FileError, match=said) as refused:
        open_table([path])
    assert len(str(refused.value)) < 300


def test_a_closed_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(FileError, match="standard input is closed"):
        open_table(["-"])


def test_a_pipe_is_read_where_standard_input_is_closed(folder, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    os.mkfifo("pipe")
    writer = threading.Thread(target=lambda: (folder / "pipe").write_text("a,y\n1,0\n2,1\n"))
    writer.start()
    assert open_table(["pipe"]).read().num_rows == 2
    writer.join()


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no such device")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # it is left open
def test_an_endless_device(folder):
    with pytest.raises(TableError, match="no end of its first line"):
        open_table(["/dev/zero"])


def test_a_mark_that_straddles_two_pieces_is_found(folder, monkeypatch):
    from discriminant.table.reading import inputs

    monkeypatch.setattr(inputs, "_PIECE", 4)
    (folder / "t.csv").write_text("abcXYdef\n1\n")
    source = inputs.Input("t.csv", folder / "t.csv")
    assert source.has(b"XY", 0)
    assert source.has(b"Y", 4)
    assert not source.has(b"XY", 4)


# --- sizes ----------------------------------------------------------------------------------------------


def test_an_index_far_beyond_what_is_filled_is_refused(folder):
    (folder / "t.svm").write_text("1 1:1 2:3\n0 1:3 2147483646:1\n1 2:1\n")
    with pytest.raises(TableError, match=r"line 2 has index 2,147,483,646, which makes"):
        open_table(["t.svm"]).read_sparse()


@pytest.mark.parametrize("index", ["2147483647", "9" * 5000])
def test_an_index_that_cannot_be_is_a_bad_row(folder, index):
    (folder / "t.svm").write_text(f"1 1:1 2:3\n0 1:3 {index}:1\n1 2:1\n")
    with pytest.raises(BadRow, match=r"line 2: index .* is larger than 2147483646"):
        open_table(["t.svm"]).read_sparse()
    matrix, _ = open_table(["t.svm"]).read_sparse(on_error="skip")
    assert matrix.shape == (2, 2)


def test_what_there_is_is_said_with_what_is_needed():
    with pytest.raises(TooLarge, match=r"t\.csv needs about 4 GB of memory, and there are 500 MB; take fewer rows"):
        require_room(4_000_000_000, "t.csv", 500_000_000)
    require_room(4_000_000_000, "t.csv", 4_000_000_000)


def test_a_parquet_file_of_many_rows_in_few_bytes_is_refused_before_it_is_read(folder, monkeypatch):
    """Equal cells are stored once: 400 columns of a million rows in a small file."""
    out = io.BytesIO()
    table = pa.table({f"x{j}": pa.repeat(1.0, 1_000_000) for j in range(20)})
    pq.write_table(table, out)
    (folder / "t.parquet").write_bytes(out.getvalue())
    assert len(out.getvalue()) < 1_000_000
    monkeypatch.setattr(errors, "available_bytes", lambda: 100_000_000)
    with pytest.raises(TooLarge, match=r"t\.parquet.* needs about 1.. MB of memory, and there are 100 MB"):
        open_table(["t.parquet"]).read()
    assert next(iter(open_table(["t.parquet"]).batches())).table.num_rows > 0


def test_a_text_table_larger_than_memory_is_refused_before_it_is_read(folder, monkeypatch):
    (folder / "t.csv").write_text("x,y\n" + "1.5,0\n" * 1000)
    monkeypatch.setattr(errors, "available_bytes", lambda: 8_000)
    with pytest.raises(TooLarge, match=r"t\.csv needs about 12 kB of memory, and there are 8 kB"):
        open_table(["t.csv"]).read()
    assert sum(batch.table.num_rows for batch in open_table(["t.csv"]).batches()) == 1000
