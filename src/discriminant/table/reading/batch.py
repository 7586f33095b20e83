"""A few rows of a table, and where in which file they stand."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discriminant.table.errors import BadRow, TableError

MOST_LISTED = 1000


@dataclass(frozen=True)
class Batch:
    """Rows with the line (for text) or the row number, from 1, of each in its file."""

    table: pa.RecordBatch
    lines: NDArray[np.int64]
    file: str


@dataclass(frozen=True)
class SparseBatch:
    """Rows of a sparse file: a CSR matrix, the labels (NaN where a line has none) and the line of each."""

    matrix: Any
    labels: NDArray[np.float64]
    lines: NDArray[np.int64]
    file: str


@dataclass
class Skipped:
    """Rows left out: the first of them, and how many in all."""

    rows: list[tuple[str, int, str]] = field(default_factory=list)
    total: int = 0

    def add(self, file: str, line: int, what: str) -> None:
        """One more."""
        self.total += 1
        if len(self.rows) < MOST_LISTED:
            self.rows.append((file, line, what))


@dataclass(frozen=True)
class BadRows:
    """What to do with the bad rows of one file: stop at the first, or leave them out and say so."""

    file: str
    skip: bool
    skipped: Skipped

    def __call__(self, line: int, what: str) -> None:
        """A bad row was met."""
        if not self.skip:
            raise BadRow(self.file, line, what)
        self.skipped.add(self.file, line, what)


def skips(on_error: str) -> bool:
    """Whether bad rows are left out."""
    if on_error not in ("stop", "skip"):
        raise TableError(f"{on_error!r} is no way to deal with bad rows", "choose stop or skip")
    return on_error == "skip"
