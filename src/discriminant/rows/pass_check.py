"""Whether a source gave the same rows in every pass: how many, and a checksum that their order does not change.

Files say by themselves that they changed. Of queries, frames and batches nobody says it, and sums of one pass joined to
those of another would be a model of rows that never were.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.rows.memory import ArrayRows
from discriminant.rows.protocol import SourceChanged

Bits = NDArray[np.uint64]

_MODULUS = 2**64
_ANEW = "make the source anew to read what is there now"


def bits_of(block: ArrayRows) -> int:
    """A checksum in which each row counts by its numbers, weight and class, in whatever order rows and blocks come.

    >>> from discriminant import rows
    >>> a, b = rows.from_arrays([[1.0, 2.0], [3.0, 4.0]], [0, 1]), rows.from_arrays([[3.0, 4.0], [1.0, 2.0]], [1, 0])
    >>> bits_of(a) == bits_of(b), bits_of(a) == bits_of(rows.from_arrays([[1.0, 2.0], [3.0, 4.0]], [1, 0]))
    (True, False)
    """
    labels = np.array([crc32(str(label).encode()) for label in block.classes.tolist()], dtype=np.uint64)
    with np.errstate(over="ignore"):
        rows = _bits_of_cells(block.matrix)
        if block.weight is not None:
            rows = rows + np.ascontiguousarray(block.weight).view(np.uint64) * np.uint64(3)
        return int(((rows + np.uint64(1)) * (labels[block.codes] * np.uint64(2) + np.uint64(1))).sum())


def _bits_of_cells(matrix: Any) -> Bits:
    """Of each row; entries of sparse rows count by their columns too."""
    if not sparse.issparse(matrix):
        return np.asarray(_eight_bytes(matrix).sum(axis=1))
    cells = _eight_bytes(matrix.data) * (matrix.indices.astype(np.uint64) * np.uint64(2) + np.uint64(1))
    ends = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(cells, dtype=np.uint64)])
    return np.asarray(ends[matrix.indptr[1:]] - ends[matrix.indptr[:-1]])


def _eight_bytes(numbers: NDArray[Any]) -> Bits:
    """The bits of numbers, as floats where they have others than 64."""
    return (numbers if numbers.dtype.itemsize == 8 else numbers.astype(np.float64)).view(np.uint64)


class RowsMet:
    """Counts what a pass meets, and sums it up where sources are ``compared``."""

    def __init__(self, compared: bool) -> None:
        self.n_rows = 0
        self.bits: int | None = 0 if compared else None

    def following(self, blocks: Iterable[ArrayRows]) -> Iterator[ArrayRows]:
        """The blocks that have rows."""
        for block in blocks:
            if block.n_rows:
                self.n_rows += block.n_rows
                if self.bits is not None:
                    self.bits += bits_of(block)
                yield block


@dataclass
class PassCheck:
    """What every pass must give; the first one says what is not known before. ``bits`` is None where none are made."""

    name: str
    n_rows: int | None = None
    bits: int | None = None

    def compare(self, n_rows: int, bits: int | None = None) -> None:
        """The end of a pass."""
        if self.n_rows is None:
            self.n_rows = n_rows
        if n_rows != self.n_rows:
            raise SourceChanged(f"{self.name} had {self.n_rows} rows in the first pass and {n_rows} in this; {_ANEW}")
        if bits is None:
            return
        bits %= _MODULUS
        if self.bits is None:
            self.bits = bits
        if bits != self.bits:
            raise SourceChanged(f"{self.name} has other values in this pass than in the first; {_ANEW}")
