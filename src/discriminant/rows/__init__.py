"""Where rows come from. Knows no statistics: it reads, checks, codes labels and deals out blocks."""

from discriminant.rows.batches import from_batches
from discriminant.rows.memory import ArrayRows, from_arrays, in_memory, read_rows, read_source
from discriminant.rows.protocol import NeedsRowsInMemory, Rows, Schema

__all__ = [
    "ArrayRows",
    "NeedsRowsInMemory",
    "Rows",
    "Schema",
    "from_arrays",
    "from_batches",
    "in_memory",
    "read_rows",
    "read_source",
]
