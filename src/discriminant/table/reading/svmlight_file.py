"""Sparse text files: their rows as matrices in compressed rows."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.table.errors import TableError
from discriminant.table.reading.batch import BadRows, SparseBatch
from discriminant.table.reading.csv_blocks import LONGEST_ROW
from discriminant.table.reading.inputs import Input
from discriminant.table.reading.memory import require_room
from discriminant.table.reading.svmlight_text import SparseRows, parse_lines

_BLOCK_BYTES = 1 << 22
_FEW_FEATURES = 1 << 20  # columns that need few values: arrays of so many numbers are small
_FEATURES_PER_VALUE = 1000  # of the sparsest tables there are, hashed texts, a sample of rows fills more
_BYTES_PER_FEATURE = 160  # twenty numbers: weights, moments and the like


class SvmlightFile:
    """One sparse text file."""

    names: tuple[str, ...] = ()

    def __init__(self, source: Input) -> None:
        self.source = source
        self.name = source.name
        self.notes: list[str] = []
        if b" qid:" in source.head:
            self.notes.append(f"{self.name} has query ids (qid:), which were left out.")

    def rows(self, on_bad: BadRows, block_bytes: int = _BLOCK_BYTES) -> Iterator[SparseRows]:
        """Blocks of rows in order."""
        line = 1
        for block in self._blocks(block_bytes):
            rows = parse_lines(block, line, on_bad)
            line += block.count(b"\n") or block.count(b"\r")
            yield rows

    def _blocks(self, block_bytes: int) -> Iterator[bytes]:
        held = b""
        try:
            with self.source.open() as stream:
                while piece := stream.read(block_bytes):
                    held += piece
                    end = held.rfind(b"\n") + 1
                    if end:
                        yield held[:end]
                        held = held[end:]
                    elif len(held) > LONGEST_ROW:
                        raise TableError(
                            f"{self.name}: a line is longer than {LONGEST_ROW >> 20} MB", "is it svmlight?"
                        )
        except OSError as error:
            raise self.source.broken(error) from error
        if held:
            yield held


def joined_rows(parts: list[SparseRows]) -> SparseRows:
    """All rows of several blocks."""
    if not parts:
        none = np.zeros(0, dtype=np.int64)
        return SparseRows(np.zeros(0), np.zeros(1, dtype=np.int64), none, np.zeros(0), none)
    counts = np.concatenate([np.diff(part.starts) for part in parts])
    return SparseRows(
        np.concatenate([part.labels for part in parts]),
        np.concatenate([[0], np.cumsum(counts)]),
        np.concatenate([part.indices for part in parts]),
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.lines for part in parts]),
    )


def count_features(rows: SparseRows, first_index: int) -> int:
    """How many columns the rows have, up to the largest index; one that is far beyond what the rows fill is refused.

    A model keeps several numbers for each column, so that one index in a short file could take all memory.
    """
    if not rows.indices.size:
        return 0
    largest = int(rows.indices.argmax())
    n_features = int(rows.indices[largest]) - first_index + 1
    line = rows.lines[np.searchsorted(rows.starts, largest, side="right") - 1]
    if n_features > max(_FEW_FEATURES, _FEATURES_PER_VALUE * rows.indices.size):
        raise TableError(
            f"line {line} has index {rows.indices[largest]:,}, which makes {n_features:,} columns of "
            f"{rows.indices.size:,} values in all",
            "if it is no slip, number the indices that are used from 1",
        )
    require_room(_BYTES_PER_FEATURE * n_features, f"line {line} has index {rows.indices[largest]:,}, and a model of it")
    return n_features


def matrix_of(rows: SparseRows, n_features: int, first_index: int) -> Any:
    """A CSR array; indices beyond the last feature are left out."""
    from scipy import sparse

    starts, columns, values = rows.starts, rows.indices - first_index, rows.values
    beyond = columns >= n_features
    if beyond.any():
        kept = np.concatenate([[0], np.cumsum(~beyond)])
        starts, columns, values = kept[starts], columns[~beyond], values[~beyond]
    return sparse.csr_array((values, columns, starts), shape=(rows.labels.size, n_features))


def whole_labels(labels: NDArray[np.float64]) -> NDArray[Any]:
    """As integers if they are."""
    whole = labels.astype(np.int64)
    return whole if np.array_equal(whole, labels) else labels


def sparse_batch(rows: SparseRows, n_features: int, first_index: int, file: str, on_bad: BadRows) -> SparseBatch:
    """Rows with indices from ``first_index`` on; a row with a lesser one is bad."""
    low = np.flatnonzero(rows.indices < first_index)
    if low.size:
        bad = np.unique(np.searchsorted(rows.starts, low, side="right") - 1)
        for i in bad.tolist():
            on_bad(int(rows.lines[i]), f"an index is less than {first_index}, where the model's indices begin")
        rows = _without(rows, bad)
    return SparseBatch(matrix_of(rows, n_features, first_index), rows.labels, rows.lines, file)


def _without(rows: SparseRows, bad: NDArray[np.int64]) -> SparseRows:
    keep = np.ones(rows.labels.size, dtype=bool)
    keep[bad] = False
    counts = np.diff(rows.starts)
    pairs = np.repeat(keep, counts)
    starts = np.concatenate([[0], np.cumsum(counts[keep])])
    return SparseRows(rows.labels[keep], starts, rows.indices[pairs], rows.values[pairs], rows.lines[keep])
