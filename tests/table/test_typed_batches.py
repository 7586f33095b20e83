"""Batches whose columns have the types, and the cells, that reading all at once finds."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discriminant.table.errors import BadRow, TableError
from discriminant.table.reading import open_table

N = 4000
RANDOM = np.random.default_rng(0)
WHOLE = [str(i) for i in RANDOM.integers(0, 100, N)]
BROKEN = [f"{v:.3f}" for v in RANDOM.standard_normal(N)]


def late(column, cell):
    """A column whose last cell is of another kind."""
    return [*column[:-1], cell]


COLUMNS = {
    "whole": WHOLE,
    "whole, then broken": late(WHOLE, "0.5"),
    "whole, then text": late(WHOLE, "many"),
    "too large": late(WHOLE, str(2**70)),
    "blank, then whole": ["", *WHOLE[1:]],
    "nearly blank": late([""] * N, "7"),
    "blank": [""] * N,
    "flags": ["true", "False"] * (N // 2),
    "flags, then whole": late(["true", "False"] * (N // 2), "1"),
    "dates": ["2020-01-01", "2021-02-03"] * (N // 2),
    "dates, then seconds": late(["2020-01-01", "2021-02-03"] * (N // 2), "2021-02-03 10:00:01"),
    "dates, then nanoseconds": late(["2020-01-01", "2021-02-03"] * (N // 2), "2021-02-03 10:00:01.5"),
    "dates, then whole": late(["2020-01-01", "2021-02-03"] * (N // 2), "4"),
    "hours": ["10:30", "11:45"] * (N // 2),
    "trimmed": [f" {v} " for v in WHOLE],
    "padded": late(WHOLE, "007"),
    "texts": ["a", "n/a"] * (N // 2),
    "quoted": ['"x, y"', "z"] * (N // 2),
}


def joined(source, types, columns=None, **options):
    return pa.Table.from_batches([b.table for b in source.typed_batches(types, columns, **options)])


@pytest.mark.parametrize("labels", [None, "padded", "whole"])
def test_text_in_batches_is_what_it_is_when_read_at_once(tmp_path, labels):
    rows = zip(*COLUMNS.values(), strict=True)
    header = ",".join(f'"{name}"' for name in COLUMNS)
    (tmp_path / "t.csv").write_text("\n".join([header, *map(",".join, rows)]) + "\n")
    source = open_table([tmp_path / "t.csv"])
    whole = source.read(labels=labels)
    types = source.find_types(labels=labels, block_bytes=20_000)
    assert types == {field.name: field.type for field in whole.schema}
    assert joined(source, types, block_bytes=20_000).equals(whole.combine_chunks())
    some = joined(source, types, ["texts", "whole"], block_bytes=50_000)
    assert some.equals(whole.select(["texts", "whole"]).combine_chunks())


def test_decimal_commas_and_files_that_differ(tmp_path):
    (tmp_path / "a.csv").write_text("x;y;z\n" + "1,5;2;1\n" * 900 + "2,5;3;4\n")
    (tmp_path / "b.csv").write_text("x;y;z\n" + "1,5;2,25;1\n" * 900 + "2,5;;north\n")
    source = open_table([tmp_path / "a.csv", tmp_path / "b.csv"])
    whole, types = source.read(), source.find_types(block_bytes=2000)
    assert types == {"x": pa.float64(), "y": pa.float64(), "z": pa.string()}
    assert joined(source, types, block_bytes=2000).equals(whole.combine_chunks())


def test_stored_tables_have_one_type_over_all_files(tmp_path):
    first = pa.table({"a": pa.array([1, 2], pa.int32()), "b": pa.array([" x", ""]).dictionary_encode()})
    pq.write_table(first, tmp_path / "1.parquet")
    pq.write_table(pa.table({"b": ["y"], "a": [0.5]}), tmp_path / "2.parquet")
    source = open_table([tmp_path / "*.parquet"])
    types = source.find_types()
    assert types == {"a": pa.float64(), "b": pa.string()}
    assert joined(source, types).to_pydict() == {"a": [1.0, 2.0, 0.5], "b": ["x", None, "y"]}
    assert [row for b in source.typed_batches(types) for row in b.rows] == [1, 2, 3]


def test_bad_rows_are_named_or_left_out_and_changed_files_noticed(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "1,a\n" * 500 + "2\n" + "3,b\n" * 500)
    source = open_table([path])
    with pytest.raises(BadRow, match="line 502"):
        source.find_types()
    types = source.find_types(on_error="skip")
    assert joined(source, types, on_error="skip").num_rows == 1000
    assert source.skipped_rows == 1
    path.write_text("x,y\n" + "1,a\n" * 500 + "z,b\n" * 500)
    with pytest.raises(TableError, match="changed while it was read"):
        joined(source, types)
