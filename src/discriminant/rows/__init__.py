"""Where rows come from. Knows no statistics: it reads, checks, codes labels and deals out blocks."""

from discriminant.rows.batches import from_batches
from discriminant.rows.memory import ArrayRows, from_arrays, in_memory, read_rows, read_source, reads_by_passes
from discriminant.rows.parts import Engine, Part, PartRows, SourceChanged
from discriminant.rows.protocol import NeedsRowsInMemory, Rows, Schema
from discriminant.rows.thread_engine import ThreadEngine

__all__ = [
    "ArrayRows",
    "Engine",
    "NeedsRowsInMemory",
    "Part",
    "PartRows",
    "Rows",
    "Schema",
    "SourceChanged",
    "ThreadEngine",
    "from_arrays",
    "from_batches",
    "in_memory",
    "read_rows",
    "read_source",
    "reads_by_passes",
]
