"""Files as rows: every format, place and shape gives the rows that are in it, and the same fit."""

import gzip
import os
import pickle
import subprocess
import sys
from itertools import pairwise

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.feather as feather
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from discriminant import LinearDiscriminantAnalysis, NaiveBayes, rows
from discriminant.rows.ids import hash_texts
from discriminant.rows.protocol import draw_numbers

rng = np.random.default_rng(5)
N = 500
X = rng.normal(size=(N, 3)).round(4)
TABLE = pa.table(
    {
        "a": X[:, 0],
        "y": pa.array(np.array(["low", "mid", "high"])[rng.integers(0, 3, N)]),
        "b": X[:, 1],
        "w": rng.integers(0, 4, N),
        "c": X[:, 2],
        "key": pa.array([f"row {i}" for i in range(N)]),
    }
)
Y = TABLE.column("y").to_numpy()
W = TABLE.column("w").to_numpy()


def write_csv(table, path, compression=None):
    sink = str(path)
    with pa.CompressedOutputStream(sink, compression) if compression else pa.OSFile(sink, "wb") as out:
        pacsv.write_csv(table, out)


WRITERS = {
    "parquet": lambda table, path: pq.write_table(table, path, row_group_size=64),
    "feather": lambda table, path: feather.write_feather(table, str(path), chunksize=64),
    "csv": write_csv,
    "csv.gz": lambda table, path: write_csv(table, path, "gzip"),
    "csv.zst": lambda table, path: write_csv(table, path, "zstd"),
}
every_format = pytest.mark.parametrize("kind", WRITERS)


def write(folder, kind, table=TABLE, cuts=(0, N)):
    for k, (a, b) in enumerate(pairwise(cuts)):
        WRITERS[kind](table.slice(a, b - a), folder / f"part{k:03}.{kind}")
    return folder


def same_rows(source, weighted=False, sparsely=False):
    whole = source.collect()
    kept = np.flatnonzero(W) if weighted else np.arange(N)
    assert np.array_equal(whole.matrix.toarray() if sparsely else whole.matrix, X[kept])
    assert np.array_equal(whole.numbers, kept)
    if weighted:
        assert np.array_equal(whole.weight, W[kept])
    return np.array_equal(whole.classes[whole.codes], Y[kept])


@every_format
@pytest.mark.parametrize("cuts", [(0, N), (0, 1, 120, 121, N)], ids=["one file", "four files"])
def test_rows_of_files_are_the_rows_that_were_written(tmp_path, kind, cuts):
    source = rows.open(write(tmp_path, kind, cuts=cuts), target="y", columns=["a", "b", "c"], weight="w")
    assert source.schema.names == ("a", "b", "c")
    assert same_rows(source, weighted=True)
    model = LinearDiscriminantAnalysis().fit(source)
    reference = LinearDiscriminantAnalysis().fit(X, Y, W)
    assert np.allclose(model.coef_, reference.coef_, rtol=1e-11)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert np.concatenate([block.numbers for block in source.batches()]).tolist() == np.flatnonzero(W).tolist()


def test_all_other_columns_are_learnt_from(tmp_path):
    source = rows.open(write(tmp_path, "parquet", TABLE.drop_columns(["w"])), target="y", id="key")
    assert source.schema.names == ("a", "b", "c")
    assert source.schema.n_rows == N
    assert same_rows(source)


@pytest.mark.parametrize(
    "name",
    ["part00?.csv", "part*.csv", "**/part*.csv", "part00[0-3].csv", "", "LIST", "URL"],
)
def test_files_may_be_named_in_many_ways(tmp_path, monkeypatch, name):
    write(tmp_path, "csv", cuts=(0, 200, 300, N))
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / ".hidden.csv").write_text("a,b\n1,2\n")
    paths = {
        "LIST": [tmp_path / "part000.csv", str(tmp_path / "part001.csv"), f"{tmp_path}/part002.csv"],
        "URL": f"file://{tmp_path}/part*.csv",
        "": tmp_path,
    }.get(name, f"{tmp_path}/{name}")
    assert same_rows(rows.open(paths, target="y", columns=["a", "b", "c"]))
    if isinstance(paths, str) and "://" not in paths:
        monkeypatch.chdir(tmp_path)
        assert same_rows(rows.open(name or ".", target="y", columns=["a", "b", "c"]))


def test_a_file_named_twice_is_read_once(tmp_path):
    write(tmp_path, "csv", cuts=(0, 200, N))
    named = [tmp_path / "part000.csv", f"{tmp_path}/*.csv"]
    assert same_rows(rows.open(named, target="y", columns=["a", "b", "c"]))


@every_format
def test_files_on_a_filesystem_of_fsspec(kind, tmp_path):
    memory = fsspec.filesystem("memory")
    write(tmp_path, kind, cuts=(0, 200, N))
    place = f"/files-{os.getpid()}-{kind}"
    memory.put(f"{tmp_path}/", place, recursive=True)
    try:
        options = {"target": "y", "columns": ["a", "b", "c"]}
        assert same_rows(rows.open(f"memory://{place}/*.{kind}", **options))
        assert same_rows(rows.open(f"{place}/part*", filesystem=memory, **options))
        assert same_rows(rows.open(f"memory://{place}", **options))
        assert same_rows(rows.open(str(tmp_path), filesystem=pafs.LocalFileSystem(), **options))
    finally:
        memory.rm(place, recursive=True)


def test_hundreds_of_files(tmp_path):
    for k in range(400):
        (tmp_path / f"{k:04}.csv").write_text(f"x,y\n{k},{k % 2}\n")
    source = rows.open(tmp_path, target="y")
    whole = source.collect()
    assert whole.matrix[:, 0].tolist() == list(range(400))
    assert whole.classes.dtype == np.int64


def test_folders_tell_columns(tmp_path):
    for year in (2023, 2024):
        for land in ("CH", "A=T"):
            folder = tmp_path / f"year={year}" / f"land={land}"
            folder.mkdir(parents=True)
            pq.write_table(pa.table({"x": [1.0, 2.0]}), folder / "a.parquet")
    source = rows.open(tmp_path, target="land")
    whole = source.collect()
    assert source.schema.names == ("x", "year")
    assert whole.matrix[:, 1].tolist() == [2023] * 4 + [2024] * 4
    assert whole.classes.tolist() == ["A=T", "CH"]


# --- sparse ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("zero_based", [True, False])
@pytest.mark.parametrize("compressed", [True, False])
def test_sparse_files(tmp_path, zero_based, compressed):
    dense = rng.poisson(0.3, size=(300, 20)).astype(float)
    dense[:, 19] = 1 + np.arange(300) % 2
    y = rng.integers(0, 3, 300) * 2
    for k, (a, b) in enumerate([(0, 100), (100, 101), (101, 300)]):
        path = tmp_path / f"{k}.svm"
        dump_svmlight_file(dense[a:b], y[a:b], str(path), zero_based=zero_based)
        if compressed:
            path.with_suffix(".svm.gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
    source = rows.open(tmp_path)
    whole = source.collect()
    assert sparse.issparse(whole.matrix)
    assert np.array_equal(whole.matrix.toarray(), dense)
    assert np.array_equal(whole.classes[whole.codes], y)
    assert (source.schema.n_columns, source.schema.n_rows) == (20, 300)
    model = NaiveBayes(marginal="multinomial").fit(source)
    reference = NaiveBayes(marginal="multinomial").fit(sparse.csr_array(dense), y)
    assert np.allclose(model.coef_, reference.coef_, rtol=1e-11)


def test_sparse_files_have_no_columns(tmp_path):
    (tmp_path / "a.svm").write_text("1 1:2\n0 2:3\n")
    with pytest.raises(ValueError, match="svmlight files have no columns for target= to name"):
        rows.open(tmp_path / "a.svm", target="y")


# --- labels, ids and types ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "classes"),
    [
        (["1", "0", "10"], [0, 1, 10]),
        (["1", "x", "2"], ["1", "2", "x"]),
        (["01", "1", "2"], ["01", "1", "2"]),
        (["true", "false"], [False, True]),
        (["1.0", "2.0"], [1.0, 2.0]),
    ],
    ids=str,
)
def test_labels_of_text_files_have_the_type_of_the_whole(tmp_path, texts, classes):
    for k, text in enumerate(texts):
        (tmp_path / f"{k}.csv").write_text(f"x,y\n{k},{text}\n")
    whole = rows.open(tmp_path, target="y").collect()
    assert whole.classes.tolist() == classes
    assert type(whole.classes.tolist()[0]) is type(classes[0])


def test_ids_are_a_column_and_samples_go_by_them(tmp_path):
    source = rows.open(write(tmp_path, "parquet"), target="y", columns=["a", "b", "c"], id="key")
    whole = source.collect()
    assert np.array_equal(whole.ids, hash_texts([f"row {i}" for i in range(N)]))
    assert np.array_equal(whole.numbers, np.arange(N))
    lowest = np.sort(np.argsort(draw_numbers(whole.ids, 3))[:20])
    assert np.array_equal(source.sample(20, 3).numbers, lowest)
    shuffled = TABLE.take(rng.permutation(N))
    (tmp_path / "other").mkdir()
    other = rows.open(write(tmp_path / "other", "parquet", shuffled), target="y", columns=["a", "b", "c"], id="key")
    assert sorted(other.sample(20, 3).ids) == sorted(source.sample(20, 3).ids)
    by_number = rows.open(tmp_path / "*.parquet", target="y", columns=["a", "b", "c"], id="w")
    assert np.array_equal(by_number.collect().ids, W)


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint32(), pa.int64(), pa.float32(), pa.float16(), pa.bool_(),
                                  pa.decimal128(22, 2), pa.dictionary(pa.int8(), pa.int64())], ids=str)  # fmt: skip
def test_numbers_of_every_stored_type(tmp_path, kind):
    cells = pa.array([0, 1, 1, 0]).cast(pa.int64())
    cells = cells.dictionary_encode() if pa.types.is_dictionary(kind) else cells.cast(kind)
    pq.write_table(pa.table({"x": cells, "y": [0, 1, 0, 1]}), tmp_path / "a.parquet")
    whole = rows.open(tmp_path / "a.parquet", target="y").collect()
    assert whole.matrix.dtype == np.float64
    assert whole.matrix[:, 0].tolist() == [0, 1, 1, 0]


def test_files_may_order_their_columns_and_types_differently(tmp_path):
    pq.write_table(pa.table({"a": pa.array([1, 2]), "b": [0.5, 1.5], "y": [0, 1]}), tmp_path / "0.parquet")
    pq.write_table(
        pa.table({"y": pa.array([1, 2], pa.int8()), "b": pa.array([2, 3]), "a": [3.5, 4.0]}), tmp_path / "1.parquet"
    )
    whole = rows.open(tmp_path, target="y").collect()
    assert whole.matrix.tolist() == [[1, 0.5], [2, 1.5], [3.5, 2], [4, 3]]
    assert whole.classes.tolist() == [0, 1, 2]


def test_large_row_groups_come_in_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("discriminant.rows.file_parts._BLOCK_NUMBERS", 4 * 50)
    pq.write_table(TABLE, tmp_path / "a.parquet", row_group_size=200)
    source = rows.open(tmp_path / "a.parquet", target="y", columns=["a", "b", "c"])
    assert [block.n_rows for block in source.batches()] == [50] * 10
    assert same_rows(source)


def test_a_part_can_be_pickled(tmp_path):
    source = rows.open(write(tmp_path, "csv"), target="y", columns=["a", "b", "c"])
    (part,) = pickle.loads(pickle.dumps(source.parts))
    assert np.array_equal(next(part.blocks()).matrix, X)


def test_rows_in_memory_import_no_readers():
    code = (
        "import sys; from discriminant import LinearDiscriminantAnalysis as L, rows; rows.from_arrays([[1.0]], [0]); "
        "L().fit([[0.0], [1.0], [3.0]], [0, 0, 1]); print('discriminant.table' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert told.stdout.strip() == "False"
