"""What is wrong with a file is told in one line: which file, which row, which column, and the way out."""

import os
import threading

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from discriminant import LinearDiscriminantAnalysis, LinearSVM, NaiveBayes, rows
from discriminant.table.errors import FileError

rng = np.random.default_rng(1)
N = 300
X = rng.normal(size=(N, 2)).round(3)
Y = rng.integers(0, 2, N)
CELLS = {"a": X[:, 0].tolist(), "b": X[:, 1].tolist(), "y": Y.tolist()}


def write(path, cells=CELLS, size=50):
    if path.suffix == ".csv":
        texts = [",".join("" if v is None else str(v) for v in row) for row in zip(*cells.values(), strict=True)]
        path.write_text("\n".join([",".join(cells), *texts]) + "\n")
    elif path.suffix == ".feather":
        feather.write_feather(pa.table(cells), str(path), chunksize=size)
    else:
        pq.write_table(pa.table(cells), path, row_group_size=size)
    return path


def with_cell(column, row, value):
    cells = {name: list(values) for name, values in CELLS.items()}
    cells[column][row] = value
    return cells


SUFFIXES = ["parquet", "csv", "feather"]
every_format = pytest.mark.parametrize("suffix", SUFFIXES)


def place(suffix, row):
    """Lines of text count from the header, rows of stored tables from 1."""
    return f"line {row + 2}" if suffix == "csv" else f"row {row + 1}"


@every_format
@pytest.mark.parametrize("value", [None, np.nan, np.inf], ids=str)
@pytest.mark.parametrize("learner", [LinearDiscriminantAnalysis(), NaiveBayes(), LinearSVM()], ids=str)
def test_a_cell_that_is_no_number_is_named(tmp_path, suffix, value, learner):
    write(tmp_path / f"0.{suffix}")
    write(tmp_path / f"1.{suffix}", with_cell("b", 123, value))
    with pytest.raises(ValueError, match=rf"1\.{suffix}, {place(suffix, 123)}, column 'b'") as caught:
        learner.fit(rows.open(tmp_path, target="y"))
    assert "\n" not in str(caught.value)


def test_a_text_in_a_column_of_numbers_is_named(tmp_path):
    write(tmp_path / "0.csv")
    write(tmp_path / "1.csv", with_cell("a", 7, "much"))
    with pytest.raises(ValueError, match=r"1\.csv, line 9, column 'a': 'much' is no number; .*encoding='auto'"):
        LinearDiscriminantAnalysis().fit(rows.open(tmp_path, target="y"))


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (["x", "y"], "'x' is no number"),
        (pa.array([1, 2], pa.date32()), r"holds date32\[day\]: '1970-01-02' is no number"),
        (pa.array([[1], [2]]), r"holds list<.*>: '\[1\]' is no number"),
        ([2**53 + 2, 1], "integers beyond 2\\*\\*53 are not exact"),
    ],
    ids=["text", "date", "list", "large"],
)
def test_columns_of_other_types_are_refused_with_the_way_out(tmp_path, cells, told):
    pq.write_table(pa.table({"a": [1.0, 2.0], "c": cells, "y": [0, 1]}), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=rf"t\.parquet, row 1, column 'c': .*{told}.*columns="):
        rows.open(tmp_path / "t.parquet", target="y").collect()
    assert rows.open(tmp_path / "t.parquet", target="y", columns=["a"]).collect().n_rows == 2


@every_format
def test_a_blank_label_is_named(tmp_path, suffix):
    path = write(tmp_path / f"t.{suffix}", with_cell("y", 60, None))
    with pytest.raises(ValueError, match=rf"{place(suffix, 60)}, column 'y': is blank, and every row needs a class"):
        rows.open(path, target="y").collect()


@every_format
@pytest.mark.parametrize("weight", [-1.0, np.inf])
def test_a_weight_that_is_none_is_named(tmp_path, suffix, weight):
    cells = with_cell("b", 60, weight)
    cells["b"][:60] = [1.0] * 60
    path = write(tmp_path / f"t.{suffix}", cells)
    with pytest.raises(ValueError, match=rf"{place(suffix, 60)}, column 'b': .*weight") as caught:
        rows.open(path, target="y", weight="b", columns=["a"]).collect()
    assert path.name in str(caught.value)


def test_a_row_of_the_wrong_length_is_named(tmp_path):
    path = write(tmp_path / "t.csv")
    lines = path.read_text().splitlines()
    lines[40] += ",9"
    path.write_text("\n".join(lines))
    with pytest.raises(ValueError, match=r"t\.csv, line 41: ") as caught:
        rows.open(path, target="y")
    assert "--on-error" not in str(caught.value)


def test_what_a_library_says_in_sentences_ends_before_the_way_out(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(CELLS), path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ValueError, match=r"t\.parquet: .*[^.]; is the file whole"):
        rows.open(path, target="y")


def test_a_damaged_row_group_is_named(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(CELLS), path, row_group_size=100, write_page_checksum=True)
    column = pq.ParquetFile(path).metadata.row_group(1).column(0)
    place = (column.dictionary_page_offset or column.data_page_offset) + column.total_compressed_size // 2
    data = bytearray(path.read_bytes())
    data[place : place + 8] = bytes(8 * [0xAB])
    path.write_bytes(bytes(data))
    with pytest.raises(ValueError, match=r"t\.parquet, row group 1 \(rows 101 to 200\): .*is the file whole"):
        LinearDiscriminantAnalysis().fit(rows.open(path, target="y"))


@pytest.mark.parametrize("suffix", ["parquet", "feather", "csv.gz"])
def test_a_file_cut_short_is_named(tmp_path, suffix):
    path = tmp_path / f"t.{suffix}"
    if suffix == "csv.gz":
        import gzip

        path.write_bytes(gzip.compress(write(tmp_path / "t.csv").read_bytes()))
    else:
        write(path)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(ValueError, match=rf"t\.{suffix}"):
        rows.open(path, target="y").collect()


# --- changes ----------------------------------------------------------------------------------------------


@every_format
def test_a_file_that_changes_between_passes_is_noticed(tmp_path, suffix):
    path = write(tmp_path / f"t.{suffix}")
    source = rows.open(path, target="y")
    source.collect()
    cells = {name: values[:-1] for name, values in CELLS.items()}
    write(path, cells)
    with pytest.raises(rows.SourceChanged, match=rf"t\.{suffix} is not the file that it was"):
        source.collect()
    path.unlink()
    with pytest.raises(rows.SourceChanged, match="is no longer there"):
        LinearDiscriminantAnalysis().fit(source)


def test_a_file_that_changes_during_a_pass_is_noticed(tmp_path):
    path = write(tmp_path / "t.csv")
    source = rows.open(path, target="y", engine=rows.ThreadEngine(1))  # more would have read it all before the change
    with pytest.raises(rows.SourceChanged):
        source.fold(lambda block: os.utime(path, ns=(1, 1)) or block.n_rows)


# --- odd shapes -------------------------------------------------------------------------------------------


@every_format
def test_empty_files_among_others_add_nothing(tmp_path, suffix):
    empty = {name: values[:0] for name, values in CELLS.items()}
    for k, cells in enumerate([CELLS, CELLS]):
        write(tmp_path / f"{k}.{suffix}", cells)
    (tmp_path / f"0b.{suffix}").write_bytes(b"")
    if suffix == "csv":
        (tmp_path / "0c.csv").write_text("a,b,y\n")
    else:
        schema = pa.table(CELLS).schema
        table = pa.table(empty, schema=schema)
        (pq.write_table if suffix == "parquet" else feather.write_feather)(table, str(tmp_path / f"0c.{suffix}"))
    whole = rows.open(tmp_path, target="y").collect()
    assert whole.numbers.tolist() == list(range(2 * N))


@every_format
def test_nothing_but_empty_files_is_refused(tmp_path, suffix):
    (tmp_path / f"a.{suffix}").write_bytes(b"")
    with pytest.raises(ValueError, match="is empty"):
        rows.open(tmp_path, target="y")


def test_two_rows_are_enough(tmp_path):
    path = write(tmp_path / "t.parquet", {"a": [0.0, 1.0], "y": ["n", "p"]})
    model = LinearSVM().fit(rows.open(path, target="y"))
    assert model.predict(pa.table({"a": [0.2, 0.8]})).tolist() == ["n", "p"]


@pytest.mark.parametrize(
    ("learner", "classes"), [(LinearDiscriminantAnalysis(), [3, 1, 7]), (LinearSVM(), [3, 1])], ids=str
)
def test_classes_of_later_files_and_of_one_file_alone(tmp_path, learner, classes):
    y = np.repeat(classes, N // len(classes))
    x = X[:, 0] + y
    for k, own in enumerate([slice(0, 100), slice(100, 200), slice(200, N)]):
        write(tmp_path / f"{k}.parquet", {"a": x[own].tolist(), "y": y[own].tolist()})
    model = learner.fit(rows.open(tmp_path, target="y"))
    whole = type(learner)().fit(x[:, None], y)
    assert model.classes_.tolist() == whole.classes_.tolist()
    assert np.allclose(model.coef_, whole.coef_, rtol=1e-9)


def test_weights_of_zero_in_a_whole_file(tmp_path):
    for k in range(3):
        write(tmp_path / f"{k}.parquet", {**CELLS, "w": [0.0 if k == 1 else 2.0] * N})
    source = rows.open(tmp_path, target="y", weight="w")
    assert source.collect().numbers.tolist() == [*range(N), *range(2 * N, 3 * N)]
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        rows.open(tmp_path / "1.parquet", target="y", weight="w").collect()


@every_format
def test_other_columns_are_refused(tmp_path, suffix):
    write(tmp_path / f"0.{suffix}")
    write(tmp_path / f"1.{suffix}", {"a": CELLS["a"], "c": CELLS["b"], "y": CELLS["y"]})
    with pytest.raises(ValueError, match=rf"1\.{suffix} has no column 'b', which .*0\.{suffix} has"):
        rows.open(tmp_path, target="y")
    assert rows.open(tmp_path, target="y", columns=["a"]).collect().n_rows == 2 * N
    with pytest.raises(ValueError, match="has no column 'c'"):
        rows.open(tmp_path, target="y", columns=["a", "c"])


def test_a_column_of_two_types_is_named(tmp_path):
    write(tmp_path / "0.parquet")
    write(tmp_path / "1.parquet", {**CELLS, "a": ["x"] * N})
    with pytest.raises(ValueError, match=r"column 'a' is stored as double in .*0\.parquet and as string in .*1\.parq"):
        rows.open(tmp_path, target="y")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "no target was named"),
        ({"target": "z"}, "has no column 'z'"),
        ({"target": "y", "weight": "v"}, "has no column 'v'"),
        ({"target": "y", "columns": ["a", "y"]}, "column 'y' is to be learnt from and is target"),
        ({"target": "y", "columns": "a"}, r"pass a list: columns=\['a'\]"),
        ({"target": "y", "columns": []}, "no column to learn from"),
        ({"target": "y", "id": "a"}, "column 'a' holds double, which is no id"),
    ],
    ids=str,
)
def test_what_was_asked_for_must_make_sense(tmp_path, options, told):
    path = write(tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=told):
        rows.open(path, **options).collect()


@pytest.mark.parametrize("path", ["nowhere.csv", "*.nothing", "no/folder/*.csv", "odd://x/y.csv"])
def test_files_that_are_not_there(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"there is no such|no file matches|odd"):
        rows.open(path, target="y")


@pytest.mark.parametrize("path", ["[z-a].csv", "a" * 300 + ".csv", "[", "[!", "*[!*", "[]", "\\"])
def test_paths_that_are_none_are_named(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileError):
        rows.open(path, target="y")


@pytest.mark.parametrize("name", ["a[1].csv", "a?.csv", "a*.csv", "[z-a].csv", "a\\b.csv", "[!.csv"])
def test_a_file_may_be_called_as_a_pattern_is(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / name)
    write(tmp_path / "a1.csv", {"a": [1.0], "b": [2.0], "y": [0]})
    for path in (name, tmp_path / name):
        assert rows.open(path, target="y").schema.n_rows == N


def test_brackets_name_some_signs(tmp_path):
    for name in ("a1.csv", "a2.csv", "a^.csv", "a].csv", "a\\.csv", "d.csv"):
        write(tmp_path / name)
    for pattern, n_files in {"a[12].csv": 2, "a[!12].csv": 3, "a[^1].csv": 2, "[]a]?.csv": 5, "a[\\d].csv": 1}.items():
        assert rows.open(tmp_path / pattern, target="y").schema.n_rows == n_files * N, pattern


def test_formats_are_not_mixed(tmp_path):
    write(tmp_path / "0.csv")
    write(tmp_path / "1.parquet")
    with pytest.raises(ValueError, match=r"1\.parquet is not csv, as the first file is"):
        rows.open(tmp_path, target="y")


def test_cancelling_a_fit_ends_all_threads(tmp_path, monkeypatch):
    write(tmp_path / "t.parquet", size=10)
    source = rows.open(tmp_path / "t.parquet", target="y", spool=str(tmp_path))
    before = threading.active_count()
    met = 0

    def interrupted(block):
        nonlocal met
        met += 1
        if met > 5:
            raise KeyboardInterrupt
        return block.n_rows

    with pytest.raises(KeyboardInterrupt):
        source.fold(interrupted)
    assert threading.active_count() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["t.parquet"]
