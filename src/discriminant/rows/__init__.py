"""Where rows come from. Knows no statistics: it reads, checks, codes labels and deals out blocks."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from discriminant.forks import importing
from discriminant.rows.batches import from_batches
from discriminant.rows.memory import ArrayRows, from_arrays, in_memory, read_rows, read_source, reads_by_passes
from discriminant.rows.parts import Engine, Part, PartRows
from discriminant.rows.protocol import NeedsRowsInMemory, Rows, Schema, SourceChanged
from discriminant.rows.spool import SpooledRows, spooled
from discriminant.rows.thread_engine import ThreadEngine

if TYPE_CHECKING:
    from discriminant.rows.dask import from_dask
    from discriminant.rows.files import learn_encoding, open
    from discriminant.rows.spark import from_spark
    from discriminant.rows.sql import from_duckdb, from_sql

__all__ = [
    "ArrayRows",
    "Engine",
    "NeedsRowsInMemory",
    "Part",
    "PartRows",
    "Rows",
    "Schema",
    "SourceChanged",
    "SpooledRows",
    "ThreadEngine",
    "from_arrays",
    "from_batches",
    "from_dask",
    "from_duckdb",
    "from_spark",
    "from_sql",
    "in_memory",
    "learn_encoding",
    "open",
    "read_rows",
    "read_source",
    "reads_by_passes",
    "spooled",
]

# Looked up on first use: rows in memory do not wait for the readers of files.
_HOMES = {
    "from_dask": "discriminant.rows.dask",
    "from_duckdb": "discriminant.rows.sql",
    "from_spark": "discriminant.rows.spark",
    "from_sql": "discriminant.rows.sql",
    "learn_encoding": "discriminant.rows.files",
    "open": "discriminant.rows.files",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with importing:
        return getattr(import_module(_HOMES[name]), name)
