"""Files that are stored in types and damaged: refused by name, never followed into memory that is not theirs."""

import contextlib
import io
import random
import struct

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discriminant.table.errors import TableError
from discriminant.table.reading import open_table
from tests.table.damaged import damaged, read_damaged, whole_files

MOST_FILES = 20_000


def rows_of(path):
    return open_table([path]).read().to_pylist()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_no_damaged_file_ends_the_process(tmp_path):
    counts, wrong, signals = read_damaged(tmp_path, range(300))
    assert (wrong, signals) == ([], [])
    assert counts[".arrow", "refused"] > 50
    assert counts[".parquet", "refused"] > 20


@pytest.mark.slow
def test_no_damaged_file_of_many_ends_the_process(tmp_path):
    _, wrong, signals = read_damaged(tmp_path, range(1000, 1000 + MOST_FILES))
    assert (wrong, signals) == ([], [])


@pytest.mark.parametrize("name", sorted(whole_files()))
def test_whole_files_are_read_in_every_way(folder, name):
    (folder / name).write_bytes(whole_files()[name])
    source = open_table([name])
    assert source.read().to_pylist() == [row for batch in source.batches() for row in batch.table.to_pylist()]
    assert source.read().num_rows == 60


@pytest.mark.parametrize("name", ["file-None.arrow", "stream-zstd.arrow", "lz4.feather", "snappy.parquet"])
def test_a_file_cut_short_is_refused(folder, name):
    content = whole_files()[name]
    for cut in (len(content) - 5, len(content) // 2, 100):
        (folder / name).write_bytes(content[:cut])
        with pytest.raises(TableError, match=rf"{name}: .*is the file whole"):
            rows_of(name)


def text_file(cells, kind=pa.ipc.new_file):
    out = io.BytesIO()
    table = pa.table({"secret": ["s3cr3t!!"] * 8, "name": cells})
    with kind(out, table.schema) as sink:
        sink.write_table(table)
    return out.getvalue()


def test_an_offset_beyond_its_column_is_refused(folder):
    """The cells of a text column begin where a list says; one that says too much reads the bytes behind the column."""
    content = text_file([f"n{i}" for i in range(8)])
    offsets = np.arange(0, 18, 2, dtype="<i4").tobytes()
    assert content.count(offsets) == 1
    (folder / "t.arrow").write_bytes(content.replace(offsets, offsets[:-4] + struct.pack("<i", 4000)))
    with pytest.raises(TableError, match=r"t\.arrow: .*is the file whole"):
        rows_of("t.arrow")
    with pytest.raises(TableError, match=r"t\.arrow"):
        list(open_table(["t.arrow"]).batches(["name"]))


@pytest.mark.parametrize("kind", [pa.ipc.new_file, pa.ipc.new_stream])
def test_a_column_that_stands_where_another_does_is_refused(folder, kind):
    """Of the list of places (place, length), that of the second column's text is made that of the first."""
    content = text_file([f"n{i}" + "x" * 6 for i in range(8)], kind)
    first, last = struct.pack("<qq", 40, 64), struct.pack("<qq", 144, 64)
    assert content.count(first) == content.count(last) == 1
    (folder / "t.arrow").write_bytes(content.replace(last, first))
    with pytest.raises(TableError, match="stand where those of another do"):
        rows_of("t.arrow")


def test_pages_with_checksums_are_right_or_refused(folder):
    table = pa.table({"x": np.arange(500.0), "t": [f"text {i % 7}" for i in range(500)]})
    out = io.BytesIO()
    pq.write_table(table, out, write_page_checksum=True)
    content = out.getvalue()
    footer = struct.unpack("<i", content[-8:-4])[0]
    pages, rest = content[: -8 - footer], content[-8 - footer :]
    for seed in range(60):
        hurt = damaged(pages, random.Random(seed))
        (folder / "t.parquet").write_bytes(hurt[: len(pages)] + bytes(len(pages) - len(hurt)) + rest)
        with contextlib.suppress(TableError):
            assert rows_of("t.parquet") == table.to_pylist()


def test_rows_are_not_lost_behind_a_message_that_seems_the_end(folder):
    out = io.BytesIO()
    table = pa.table({"x": np.arange(100.0)})
    with pa.ipc.new_stream(out, table.schema) as sink:
        sink.write_table(table, max_chunksize=10)
    content = out.getvalue()
    third = [i for i in range(0, len(content), 8) if content[i : i + 4] == b"\xff\xff\xff\xff"][3]
    (folder / "t.arrow").write_bytes(content[: third + 4] + bytes(4) + content[third + 8 :])
    with pytest.raises(TableError, match="more behind the mark of its end"):
        rows_of("t.arrow")


def test_a_description_longer_than_the_head_is_read(folder):
    table = pa.table({f"a column with a long name {j}": [1.0, 2.0] for j in range(4000)})
    with pa.ipc.new_stream("t.arrow", table.schema) as sink:
        sink.write_table(table)
    assert open_table(["t.arrow"]).read().num_columns == 4000


def test_a_date_that_no_calendar_has_is_a_bad_cell(folder):
    from discriminant.table.cells import days_of_cells

    days, wrong = days_of_cells(pa.array([0, None, 2**31 - 1], pa.int32()).cast(pa.date32()), (), None)
    assert days[0] == 0
    assert wrong.tolist() == [False, False, True]
    _, wrong = days_of_cells(pa.array([0, 2**62]).cast(pa.timestamp("us")), (), None)
    assert wrong.tolist() == [False, True]
