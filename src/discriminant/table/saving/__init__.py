"""Files that take their place whole, alone or several together, whatever happens to the process that writes them."""

from discriminant.table.saving.atomic import (
    NewFile,
    atomic_file,
    atomic_write_bytes,
    atomic_write_text,
    named_errors,
    open_committed,
    recording,
    refuse_unwritable,
    write_together,
)

__all__ = [
    "NewFile",
    "atomic_file",
    "atomic_write_bytes",
    "atomic_write_text",
    "named_errors",
    "open_committed",
    "recording",
    "refuse_unwritable",
    "write_together",
]
