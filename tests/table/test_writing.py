"""Files out: all or nothing, formulas made harmless, and read back as they were."""

import csv
import errno
import gzip
import io
import os
import signal
import stat
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discriminant.table.errors import TableError
from discriminant.table.reading import open_table
from discriminant.table.saving import atomic_file, atomic_write_bytes, atomic_write_text, parts
from discriminant.table.writing import TableWriter

BATCH = pa.RecordBatch.from_pydict({"label": ["yes", "no", None], "score": [0.1, -2.5, 1e300], "n": [1, None, 3]})


def write(path, batch=BATCH, **options):
    with TableWriter(path, batch.schema.names, **options) as writer:
        writer.write(batch)
    return writer


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".csv.zst", ".tsv", ".parquet", ".arrow", ".feather"])
def test_what_is_written_is_read(tmp_path, suffix):
    path = tmp_path / f"out{suffix}"
    assert write(path).rows == 3
    assert open_table([path]).read().to_pydict() == BATCH.to_pydict()
    assert os.listdir(tmp_path) == [path.name]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_numbers_come_back_bit_for_bit(tmp_path_factory, numbers):
    path = tmp_path_factory.mktemp("t") / "out.csv"
    write(path, pa.RecordBatch.from_pydict({"x": pa.array(numbers, pa.float64()), "y": ["a"] * len(numbers)}))
    found = pacsv.read_csv(path).column("x").cast(pa.float64()).to_pylist()
    assert np.array(found).tobytes() == np.array(numbers).tobytes()


cells = st.text(st.sampled_from("=+-@\t\r\n\",;ab1.'")) | st.sampled_from(
    ["=1+1", "@SUM(A1)", "-1", "+2.5e3", "-a", "+cmd"]
)


@given(st.lists(cells, min_size=1, max_size=10))
def test_no_text_cell_is_a_formula(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("t") / "out.csv"
    write(path, pa.RecordBatch.from_pydict({"=x": texts, "-y": [-1.5] * len(texts)}))
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == ["'=x", "'-y"]
    assert [row[1] for row in rows] == ["-1.5"] * len(texts)
    for text, (cell, _) in zip(texts, rows, strict=True):
        assert cell in (text, "'" + text)
        assert cell[:1] not in tuple("=+-@\t\r\n") or is_number(cell)


def is_number(text):
    try:
        return np.isfinite(float(text))
    except ValueError:
        return False


def test_formulas_are_left_alone_in_stored_formats(tmp_path):
    batch = pa.RecordBatch.from_pydict({"x": ["=1+1"]})
    write(tmp_path / "out.parquet", batch)
    assert open_table([tmp_path / "out.parquet"]).read().to_pydict() == {"x": ["=1+1"]}


def test_plain_cells_are_not_quoted(tmp_path):
    write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "label,score,n\nyes,0.1,1\nno,-2.5,\n,1e+300,3\n"


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".arrow"])
def test_no_rows(tmp_path, suffix):
    with TableWriter(tmp_path / f"out{suffix}", ["a", "b"]):
        pass
    source = open_table([tmp_path / f"out{suffix}"])
    assert source.names == ("a", "b")
    assert source.read().num_rows == 0


def test_many_batches(tmp_path):
    with TableWriter(tmp_path / "out.csv.gz", ["x", "s"]) as writer:
        for i in range(50):
            writer.write(pa.RecordBatch.from_pydict({"x": [i, i], "s": ["a,b" if i % 2 else "c", "d"]}))
    rows = list(csv.reader(io.StringIO(gzip.decompress((tmp_path / "out.csv.gz").read_bytes()).decode())))
    assert rows[1:] == [[str(i), s] for i in range(50) for s in ("a,b" if i % 2 else "c", "d")]


def write_half(path):
    with TableWriter(path, BATCH.schema.names) as writer:
        writer.write(BATCH)
        writer.write(1 // 0)


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet", ".arrow"])
@pytest.mark.parametrize("before", [None, "the old file"])
def test_an_error_leaves_what_was_there(tmp_path, suffix, before):
    path = tmp_path / f"out{suffix}"
    if before:
        path.write_text(before)
    with pytest.raises(ZeroDivisionError):
        write_half(path)
    assert [p.read_text() for p in tmp_path.iterdir()] == ([before] if before else [])


class FullDisk(io.RawIOBase):
    """A disk with room for so many bytes."""

    def __init__(self, descriptor, room):
        super().__init__()
        self.descriptor, self.room = descriptor, room

    def writable(self):
        return True

    def fileno(self):
        return self.descriptor

    def write(self, content):
        self.room -= len(content)
        if self.room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return len(content)

    def close(self):
        if not self.closed:
            os.close(self.descriptor)
        super().close()


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet", ".arrow"])
@pytest.mark.parametrize("room", [0, 30, 1000])
def test_a_full_disk_leaves_nothing(tmp_path, monkeypatch, suffix, room):
    monkeypatch.setattr(parts.os, "fdopen", lambda descriptor, mode: FullDisk(descriptor, room))
    batch = pa.RecordBatch.from_pydict({"x": np.random.default_rng(0).random(1000)})
    with pytest.raises(TableError, match=r"could not be written: No space left.*make room"):
        write(tmp_path / f"out{suffix}", batch)
    assert list(tmp_path.iterdir()) == []


LIMITED = """
import resource, signal, sys
import numpy as np, pyarrow as pa
from discriminant.table.writing import TableWriter
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    with TableWriter(sys.argv[1], ["x"]) as writer:
        for _ in range(100):
            writer.write(pa.RecordBatch.from_pydict({"x": np.random.default_rng(0).random(5000)}))
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_file_that_the_system_will_not_let_grow(tmp_path, suffix):
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path / f"out{suffix}")], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("FileError")
    assert "File too large" in done.stdout
    assert list(tmp_path.iterdir()) == []


ENDLESS = """
import sys
import numpy as np, pyarrow as pa
from discriminant.table.writing import TableWriter
with TableWriter(sys.argv[1], ["x"]) as writer:
    while True:
        writer.write(pa.RecordBatch.from_pydict({"x": np.zeros(1000)}))
        print("written", flush=True)
"""


@pytest.mark.parametrize("before", [None, "the old file"])
def test_a_kill_leaves_no_part_under_the_final_name(tmp_path, before):
    path = tmp_path / "out.csv"
    if before:
        path.write_text(before)
    process = subprocess.Popen([sys.executable, "-c", ENDLESS, str(path)], stdout=subprocess.PIPE)
    for _ in range(20):
        assert process.stdout.readline() == b"written\n"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert (path.read_text() if path.exists() else None) == before


def test_standard_output():
    code = (
        "import pyarrow as pa\nfrom discriminant.table.writing import TableWriter\n"
        "print('before')\n"
        "with TableWriter('-', ['x', 'y']) as w: w.write(pa.RecordBatch.from_pydict({'x': ['=a', 'b'], 'y': [1, 2]}))\n"
        "print('after')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "before\nx,y\n'=a,1\nb,2\nafter\n"


def test_a_device_is_written_to_and_stays(tmp_path):
    write("/dev/null", format="csv")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    with pytest.raises(TableError, match="No space left"), atomic_file("/dev/full") as file:
        file.write(b"x" * 100_000)


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    atomic_write_text(tmp_path / "link.txt", "né")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_bytes() == "né".encode()


def test_rights_are_those_of_the_old_file_or_of_a_new_one(tmp_path):
    old, new, plain = tmp_path / "old", tmp_path / "new", tmp_path / "plain"
    old.write_text("")
    old.chmod(0o640)
    plain.write_text("")
    for path in (old, new):
        atomic_write_bytes(path, b"content")
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert new.stat().st_mode == plain.stat().st_mode


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("out.xlsx", r"suffix of .*use \.csv"),
        ("out", "names no format"),
        ("out.parquet.gz", "compressed inside"),
        ("nowhere/out.csv", "No such file"),
        ("folder.csv", "Is a directory"),
    ],
)
def test_what_cannot_be_written(tmp_path, path, said):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(TableError, match=said):
        write(tmp_path / path)
    assert os.listdir(tmp_path) == ["folder.csv"]


def test_other_columns_are_refused(tmp_path):
    with pytest.raises(ValueError, match="the batch has columns"), TableWriter(tmp_path / "out.csv", ["a"]) as writer:
        writer.write(BATCH)
    assert list(tmp_path.iterdir()) == []
