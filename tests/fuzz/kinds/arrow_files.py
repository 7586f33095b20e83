"""Arrow, Feather and Parquet files with damaged bytes, read as a whole and in batches."""

import io
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from discriminant.study.design import design_of_table
from discriminant.table.reading import open_table
from tests.fuzz.judging import Unlawful, require, require_finite


def attempt(random: Random, folder: Path) -> None:
    made = _files()
    name = random.choice(list(made))
    path = folder / name
    path.write_bytes(damaged(random, made[name]))
    source = open_table([path])
    table = source.read()
    require_valid(table)
    batches = list(source.batches())
    for batch in batches:
        require_valid(batch.table)
    require(sum(batch.table.num_rows for batch in batches) == table.num_rows, "batches of other rows than the table")
    design = design_of_table(table, "y", least_rows=2)
    require_finite(design.X, "a design matrix")


def require_valid(table: pa.Table | pa.RecordBatch) -> None:
    """Whoever reads an invalid table may read any memory."""
    try:
        table.validate(full=True)
    except pa.ArrowInvalid as error:
        raise Unlawful("a table that is not valid", error) from None


def damaged(random: Random, data: bytes) -> bytes:
    """Bytes changed, cut, moved or doubled; most often only a few."""
    changed = bytearray(data)
    match random.randrange(6):
        case 0:
            return data[: random.randrange(len(data))]
        case 1:
            a, b = sorted(random.randrange(len(data)) for _ in range(2))
            return data[:a] + data[b:]
        case 2:  # a number of four bytes, at a place where one may stand
            at = random.randrange(len(data) // 4) * 4
            changed[at : at + 4] = random.choice((0, 1, -1, 2**31 - 1, -(2**31), 255, 10**6)).to_bytes(
                4, "little", signed=True
            )
        case _:
            for _ in range(random.choice((1, 1, 2, 8))):
                changed[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return bytes(changed)


@cache
def _files() -> dict[str, bytes]:
    """Small tables of every type that a column may have, in every format."""
    tables = {"numbers": _numbers(), "texts": _texts(), "mixed": _mixed()}
    found = {}
    for name, table in tables.items():
        found[f"{name}.parquet"] = _bytes(lambda out, t=table: pa.parquet.write_table(t, out))
        found[f"{name}.pages.parquet"] = _bytes(
            lambda out, t=table: pa.parquet.write_table(
                t, out, compression="none", use_dictionary=False, row_group_size=5
            )
        )
        for compression in ("uncompressed", "lz4", "zstd"):
            found[f"{name}.{compression}.feather"] = _bytes(
                lambda out, t=table, c=compression: pa.feather.write_feather(t, out, compression=c)
            )
        found[f"{name}.arrow"] = _bytes(lambda out, t=table: _ipc(pa.ipc.new_file, out, t))
        found[f"{name}.stream.arrow"] = _bytes(lambda out, t=table: _ipc(pa.ipc.new_stream, out, t))
    return found


def _bytes(write: Callable[[Any], Any]) -> bytes:
    out = io.BytesIO()
    write(out)
    return out.getvalue()


def _ipc(new: Callable[..., Any], out: Any, table: pa.Table) -> None:
    with new(out, table.schema) as writer:
        writer.write_table(table, max_chunksize=5)


def _numbers() -> pa.Table:
    values = np.arange(12)
    kinds = (pa.int8(), pa.int64(), pa.uint16(), pa.float32(), pa.float64())
    return pa.table({str(kind): pa.array(values, kind) for kind in kinds} | {"y": ["a", "b"] * 6})


def _texts() -> pa.Table:
    words = ["", "a", None, "héllo", "x" * 50, "1.5"] * 2
    return pa.table(
        {
            "string": words,
            "large": pa.array(words, pa.large_string()),
            "dictionary": pa.array(words).dictionary_encode(),
            "view": pa.array(words, pa.string_view()) if hasattr(pa, "string_view") else words,
            "y": ["a", "b"] * 6,
        }
    )


def _mixed() -> pa.Table:
    day = np.datetime64("2020-01-01") + np.arange(12)
    return pa.table(
        {
            "flag": [True, False, None] * 4,
            "day": pa.array(day, pa.date32()),
            "moment": pa.array(day.astype("M8[us]"), pa.timestamp("us")),
            "decimal": pa.array(range(12), pa.decimal128(10, 2)),
            "nothing": pa.nulls(12),
            "list": [[1], []] * 6,
            "y": [0, 1] * 6,
        }
    )
