"""A few rows of a table, and where in which file they stand."""

from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discriminant.table.errors import BadRow, TableError

MOST_LISTED = 1000


@dataclass(frozen=True)
class Batch:
    """Rows with the line (for text) or the row number, from 1, of each in its file.

    ``rows`` are their numbers, from 1, among all rows of all files, bad ones included; lines of a header and blank
    lines do not count.
    """

    table: pa.RecordBatch
    lines: NDArray[np.int64]
    file: str
    rows: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))


@dataclass(frozen=True)
class SparseBatch:
    """Rows of a sparse file: a CSR matrix, the labels (NaN where a line has none), and the line and number of each."""

    matrix: Any
    labels: NDArray[np.float64]
    lines: NDArray[np.int64]
    file: str
    rows: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))


AnyBatch = TypeVar("AnyBatch", Batch, SparseBatch)


@dataclass
class SkippedRows:
    """Rows left out: the first of them, and how many in all."""

    rows: list[tuple[str, int, str]] = field(default_factory=list)
    total: int = 0

    def add(self, file: str, line: int, what: str) -> None:
        """Note one more row that is left out."""
        self.total += 1
        if len(self.rows) < MOST_LISTED:
            self.rows.append((file, line, what))

    def __add__(self, other: "SkippedRows") -> "SkippedRows":
        return SkippedRows([*self.rows, *other.rows][:MOST_LISTED], self.total + other.total)


@dataclass(frozen=True)
class BadRows:
    """What to do with the bad rows of one file: stop at the first, or leave them out and say so."""

    file: str
    skip: bool
    skipped: SkippedRows
    lines: list[int] = field(default_factory=list)  # of those left out since the last batch was numbered

    def __call__(self, line: int, what: str) -> None:
        """Say that a bad row was met."""
        if not self.skip:
            raise BadRow(self.file, line, what)
        self.skipped.add(self.file, line, what)
        self.lines.append(line)


@dataclass
class RowCounter:
    """Numbers the rows of batches in order, with room for the bad rows between them."""

    counted: int = 0

    def number_rows(self, batch: AnyBatch, bad_lines: list[int]) -> AnyBatch:
        """The batch with the numbers of its rows, where these lines before and among them were left out."""
        bad = np.sort(np.array(bad_lines, dtype=np.int64))
        n = batch.lines.size
        numbers = self.counted + np.arange(1, n + 1) + np.searchsorted(bad, batch.lines)
        self.counted += n + bad.size
        bad_lines.clear()
        return replace(batch, rows=numbers)


def skips_bad_rows(on_error: str) -> bool:
    """Whether bad rows are left out."""
    if on_error not in ("stop", "skip"):
        raise TableError(f"{on_error!r} is no way to deal with bad rows", "choose stop or skip")
    return on_error == "skip"
