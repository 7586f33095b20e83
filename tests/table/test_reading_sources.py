"""Where tables come from: several files, globs, compressed files, pipes; and what is refused."""

import bz2
import gzip
import hashlib
import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest

from discriminant.table.errors import TableError
from discriminant.table.reading import open_table

TEXT = b"a,b,when\n1,x,2020-01-01\n2,,2021-06-05\n3,z,2022-02-02\n"
TABLE = pa.table({"a": [1, 2, 3], "b": pa.array(["x", None, "z"]).dictionary_encode(), "f": [0.5, None, 2.0]})


def zstd(content):
    return pa.compress(content, codec="zstd", asbytes=True)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "packed", [gzip.compress, zstd, bz2.compress, lambda b: gzip.compress(b[:20]) + gzip.compress(b[20:])]
)
def test_compression_is_known_by_the_bytes(folder, packed):
    (folder / "t.dat").write_bytes(packed(TEXT))
    source = open_table(["t.dat"])
    assert source.format == "csv"
    assert source.read().column("a").to_pylist() == [1, 2, 3]
    assert sum(b.table.num_rows for b in source.batches()) == 3
    assert source.sha256() == hashlib.sha256((folder / "t.dat").read_bytes()).hexdigest()  # gzip writes the time


@pytest.mark.parametrize("how", ["read", "batches"])
def test_a_compressed_file_that_ends_too_soon(folder, how):
    rows = np.random.default_rng(0).random((40_000, 2)).astype(str)
    whole = gzip.compress("\n".join(["a,b", *map(",".join, rows)]).encode())
    (folder / "t.csv.gz").write_bytes(whole[: len(whole) // 2])
    source = open_table(["t.csv.gz"])
    with pytest.raises(TableError, match=r"t\.csv\.gz: .*is the file whole"):
        source.read() if how == "read" else list(source.batches())


def write_parquet(path, table=TABLE):
    pa.parquet.write_table(table, path)


def stored(table):
    file = io.BytesIO()
    pa.parquet.write_table(table, file)
    return file.getvalue()


def write_feather(path, table=TABLE):
    pa.feather.write_feather(table, path)


def write_stream(path, table=TABLE):
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)


@pytest.mark.parametrize(
    ("write", "kind"), [(write_parquet, "parquet"), (write_feather, "arrow"), (write_stream, "arrow")]
)
def test_stored_tables_keep_their_types(folder, write, kind):
    write("t.bin")
    source = open_table(["t.bin"])
    assert (source.format, source.names) == (kind, ("a", "b", "f"))
    whole = source.read()
    assert whole.to_pydict() == {"a": [1, 2, 3], "b": ["x", None, "z"], "f": [0.5, None, 2.0]}
    assert [str(field.type) for field in whole.schema] == ["int64", "string", "double"]
    (batch,) = source.batches(["f", "a"])
    assert batch.table.to_pydict() == {"f": [0.5, None, 2.0], "a": [1, 2, 3]}
    assert batch.lines.tolist() == [1, 2, 3]


@pytest.mark.parametrize("write", [write_parquet, write_feather, write_stream])
def test_many_stored_rows_come_in_order(folder, write):
    write("t.bin", pa.table({"x": np.arange(300_000), "s": pa.array([" a ", "NA", "b"] * 100_000)}))
    batches = list(open_table(["t.bin"]).batches(None))
    assert len(batches) > 1
    assert np.concatenate([b.lines for b in batches]).tolist() == list(range(1, 300_001))
    assert np.array_equal(np.concatenate([b.table["x"].to_numpy() for b in batches]), np.arange(300_000))
    assert batches[0].table["s"][:3].to_pylist() == ["a", None, "b"]


@pytest.mark.parametrize("write", [write_parquet, write_feather, write_stream])
def test_broken_stored_files(folder, write):
    write("t.bin", pa.table({"x": np.arange(10_000.0)}))
    content = (folder / "t.bin").read_bytes()
    (folder / "cut.bin").write_bytes(content[: len(content) // 2])
    with pytest.raises(TableError, match=r"cut\.bin"):
        open_table(["cut.bin"]).read()


def test_repeated_names_in_parquet(folder):
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([3])], names=["x", "x", ""])
    with pa.ipc.new_file("t.arrow", table.schema) as writer:
        writer.write_table(table)
    source = open_table(["t.arrow"])
    assert source.names == ("x", "x (2)", "column 3")
    assert source.read().to_pydict() == {"x": [1], "x (2)": [2], "column 3": [3]}
    (batch,) = source.batches(["column 3", "x (2)"])
    assert batch.table.to_pydict() == {"column 3": [3], "x (2)": [2]}


def test_several_files_with_columns_in_another_order(folder):
    (folder / "b.csv").write_text("y;x\n3;c\n")
    (folder / "a.csv").write_text("x,y\na,1\nb,2\n")
    source = open_table(["*.csv"])
    assert source.files == ("a.csv", "b.csv")
    assert source.read().to_pydict() == {"x": ["a", "b", "c"], "y": [1, 2, 3]}
    batches = list(source.batches(None))
    assert [b.file for b in batches] == ["a.csv", "b.csv"]
    assert [b.lines.tolist() for b in batches] == [[2, 3], [2]]
    assert batches[1].table.to_pydict() == {"x": ["c"], "y": ["3"]}
    digest = hashlib.sha256((folder / "a.csv").read_bytes() + (folder / "b.csv").read_bytes())
    assert source.sha256() == digest.hexdigest()


def test_one_type_over_all_files(folder):
    (folder / "a.csv").write_text("i,f,t,n,d\n01,1,1,,2020-01-01\n")
    (folder / "b.csv").write_text("i,f,t,n,d\n2,2.5,x,3,2020-01-01 12:00\n")
    whole = open_table(["a.csv", "b.csv"]).read()
    assert whole.column("i").to_pylist() == [1, 2]
    assert whole.column("f").to_pylist() == [1.0, 2.5]
    assert whole.column("t").to_pylist() == ["1", "x"]
    assert whole.column("n").to_pylist() == [None, 3]
    assert pa.types.is_timestamp(whole.schema.field("d").type)


def test_text_in_one_file_keeps_the_writing_of_the_others(folder):
    (folder / "a.csv").write_text("code,x\n007,1\n")
    (folder / "b.csv").write_text("code,x\nA8,1\n")
    assert open_table(["a.csv", "b.csv"]).read().column("code").to_pylist() == ["007", "A8"]


@pytest.mark.parametrize(
    ("other", "said"),
    [("x\n1\n", r"b\.csv has no column 'y', which a\.csv has"), ("x,y,z\n1,2,3\n", r"b\.csv has a column 'z'")],
)
def test_files_with_other_columns_are_refused(folder, other, said):
    (folder / "a.csv").write_text("x,y\n1,2\n")
    (folder / "b.csv").write_text(other)
    with pytest.raises(TableError, match=said):
        open_table(["a.csv", "b.csv"])


def test_files_of_two_formats_are_refused(folder):
    (folder / "a.csv").write_text("x,y\n1,2\n")
    write_parquet("b.parquet")
    with pytest.raises(TableError, match=r"a\.csv is csv and b\.parquet is parquet"):
        open_table(["a.csv", "b.parquet"])


def test_a_file_named_twice_is_read_once(folder):
    (folder / "a.csv").write_text("x,y\n1,2\n")
    source = open_table(["a.csv", "*.csv"])
    assert source.read().num_rows == 1
    assert "twice" in source.notes[0]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("people.scv", r"no such file; did you mean 'people\.csv'"),
        ("nowhere/*.csv", "no file matches"),
        ("nowhere/x.csv", "no folder nowhere"),
        (".", "is a folder"),
    ],
)
def test_what_is_not_there(folder, path, said):
    (folder / "people.csv").write_text("x,y\n1,2\n")
    with pytest.raises(TableError, match=said):
        open_table([path])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"PK\x03\x04....", "a ZIP archive"),
        (b"PK\x03\x04....xl/workbook.xml", "an Excel workbook.*save the sheet as CSV"),
        (b"\x89PNG\r\n\x1a\n\0\0", "a PNG picture"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "a JPEG picture"),
        (b"%PDF-1.7\n1,2\n", "a PDF"),
        (b"\n<!DOCTYPE html>\n<html>", "a web page"),
        (b"<table><tr><td>1</td></tr></table>", "a web page"),
        (b"% iris\n@RELATION iris\n", "an ARFF file"),
        (b"\x80\x02}q\0.", "pickle"),
        (b"SQLite format 3\0", "SQLite"),
        (b'{"a": 1}\n{"a": 2}\n', "JSON"),
        (b"\x80\x04\x95", "pickle"),
        (b"", "is empty"),
    ],
)
def test_what_is_no_table(folder, content, said):
    (folder / "t.csv").write_bytes(content)
    with pytest.raises(TableError, match=said) as caught:
        open_table(["t.csv"])
    assert "\n" not in str(caught.value)


def test_an_unknown_format_is_refused(folder):
    (folder / "t.csv").write_bytes(TEXT)
    with pytest.raises(TableError, match="choose from csv, parquet"):
        open_table(["t.csv"], format="xlsx")
    with pytest.raises(TableError, match="no file was named"):
        open_table([])


SCRIPT = """
import sys
from discriminant.table.reading import open_table
source = open_table(["-"])
{}
print(source.format, source.files[0], n, source.sha256())
"""


@pytest.mark.parametrize(
    "how", ["n = source.read().num_rows", "n = sum(b.table.num_rows for b in source.batches(None))"]
)
@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_standard_input(how, packed):
    content = packed(TEXT)
    done = subprocess.run([sys.executable, "-c", SCRIPT.format(how)], input=content, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().strip() == f"csv standard input 3 {hashlib.sha256(content).hexdigest()}"


def test_stored_tables_on_standard_input():
    how = "n = sum(b.table.num_rows for b in source.batches(None))"
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(how)], input=stored(TABLE), capture_output=True, check=True
    )
    assert done.stdout.decode().startswith("parquet standard input 3 ")


def is_arrows_own(stream):
    """Whether nothing of Python's is behind a stream; memory that Arrow has allocated may be written to, bytes not."""
    if isinstance(stream, pa.BufferReader):
        at = stream.tell()
        memory = stream.read_buffer(1)
        stream.seek(at)
        while memory.parent is not None:
            memory = memory.parent
        return memory.is_mutable
    return not isinstance(stream, pa.PythonFile)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize(
    "content",
    [TEXT, gzip.compress(TEXT), TEXT.decode().encode("utf-16"), TEXT + b"4,x\n", stored(TABLE)],
    ids=["text", "gzip", "utf-16", "bad row", "parquet"],
)
def test_threads_of_arrow_are_given_nothing_of_pythons(monkeypatch, content, whole):
    """Such a thread may let go of it as the interpreter ends, and the process was then aborted, now and then."""
    own = []

    def watched(read):
        return lambda stream, *options, **more: own.append(is_arrows_own(stream)) or read(stream, *options, **more)

    monkeypatch.setattr(pyarrow.csv, "read_csv", watched(pyarrow.csv.read_csv))
    monkeypatch.setattr(pyarrow.parquet, "ParquetFile", watched(pyarrow.parquet.ParquetFile))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    source = open_table(["-"])
    tables = [source.read("skip")] if whole else [batch.table for batch in source.batches(None, "skip")]
    assert sum(table.num_rows for table in tables) == 3
    assert own
    assert all(own)


def test_a_pipe_is_read_once(folder):
    os.mkfifo("pipe")
    thread = threading.Thread(target=lambda: (folder / "pipe").write_bytes(TEXT))
    thread.start()
    source = open_table(["pipe"])
    assert sum(b.table.num_rows for b in source.batches(None)) == 3
    thread.join()
    with pytest.raises(TableError, match="only once"):
        list(source.batches(None))
    assert source.sha256() == hashlib.sha256(TEXT).hexdigest()


def test_reading_does_not_load_what_it_does_not_need():
    heavy = "[m for m in ('sklearn', 'numba', 'scipy') if m in sys.modules]"
    code = f"import sys; import discriminant.table.reading; print({heavy})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"


REAL = [
    ("german_credit/german_symbolic.csv", 1000, 21),
    ("german_credit/german_numeric.csv", 1000, 25),
    ("churn_tv/churn_tv.csv.gz", 9379, 52),
    ("spambase/spambase.csv.gz", 4601, 58),
    ("colon/colon.csv.gz", 62, 2001),
    ("covtype_20k/covtype_20k.csv.gz", 20_000, 55),
    ("iris/iris.csv", 150, 5),
]


@pytest.mark.parametrize(("name", "rows", "columns"), REAL)
def test_real_tables(shared, name, rows, columns):
    source = open_table([shared / name])
    whole = source.read()
    assert whole.shape == (rows, columns)
    assert source.notes == []
    lines = np.concatenate([b.lines for b in source.batches(source.names[:2])])
    assert lines.tolist() == list(range(2, rows + 2))


def test_a_folder_in_the_place_of_its_files_is_told_what_to_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder, name in (("parquet", "part-0.parquet"), ("csv.gz", "a.csv.gz")):
        Path(folder).mkdir()
        Path(folder, ".hidden.txt").touch()
        Path(folder, name).touch()
        with pytest.raises(TableError, match=rf"name its files, such as '{folder}/\*\.{folder}'"):
            open_table([folder])
