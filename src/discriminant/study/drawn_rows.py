"""Rows drawn from a table that is read in batches: which ones depends on their numbers and the seed alone.

Every row has a pseudo-random number, a hash of its number in the table and the seed (`rows.protocol.draw_numbers`). The
rows with the smallest are drawn, and of each class at least some, so that a rare one can be learnt and tried.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discriminant.rows.protocol import draw_numbers

Array = NDArray[np.float64]
Codes = NDArray[np.int32]
Numbers = NDArray[np.int64]

OF_A_CLASS = 100  # rows that are drawn of each class at least, if it has as many
_SLACK = 1.5  # times as many rows as are wanted are held before the rest is let go


@dataclass(frozen=True, eq=False)
class DrawnRows:
    """Cells, codes, weights and numbers (from 0, in the table) of the drawn rows, in the order of the table."""

    table: pa.Table
    codes: Codes
    weight: Array | None
    numbers: Numbers

    def take(self, places: NDArray[np.intp]) -> "DrawnRows":
        """Some of the drawn rows."""
        weight = None if self.weight is None else self.weight[places]
        return DrawnRows(self.table.take(pa.array(places)), self.codes[places], weight, self.numbers[places])

    def thinned(self, n: int, seed: int) -> "DrawnRows":
        """The n that would have been drawn if so many had been asked for."""
        if n >= self.codes.size:
            return self
        return self.take(np.flatnonzero(_chosen(draw_numbers(self.numbers, seed), self.codes, n)))


@dataclass
class Draw:
    """Takes the rows of batches as they come; ``n`` of them are drawn."""

    n: int
    seed: int
    _parts: list[DrawnRows] = field(default_factory=list)
    _held: int = 0
    _bound: np.uint64 = field(default_factory=lambda: np.uint64(2**64 - 1))  # of the random numbers of drawn rows
    _bounds: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, dtype=np.uint64))  # by class

    def add(self, table: pa.RecordBatch, codes: Codes, weight: Array | None, numbers: Numbers) -> None:
        """The next rows, all of them with a class."""
        keys = draw_numbers(numbers, self.seed)
        rows = np.flatnonzero((keys <= self._bound) | (keys <= self._bounds_of(codes)))
        if not rows.size:
            return
        part = pa.Table.from_batches([table]).take(pa.array(rows))  # a copy, so that the batch can go
        self._parts.append(DrawnRows(part, codes[rows], None if weight is None else weight[rows], numbers[rows]))
        self._held += rows.size
        if self._held > _SLACK * self.n + OF_A_CLASS * self._bounds.size:
            self._let_go()

    def _bounds_of(self, codes: Codes) -> NDArray[np.uint64]:
        largest = int(codes.max(initial=-1)) + 1
        if largest > self._bounds.size:
            more = np.full(largest - self._bounds.size, np.uint64(2**64 - 1))
            self._bounds = np.concatenate([self._bounds, more])
        return self._bounds[codes]

    def _let_go(self) -> None:
        whole = self._whole()
        keys = draw_numbers(whole.numbers, self.seed)
        chosen = _chosen(keys, whole.codes, self.n)
        self._bound = np.partition(keys, self.n - 1)[self.n - 1] if keys.size > self.n else self._bound
        for k in range(self._bounds.size):
            own = keys[whole.codes == k]
            if own.size > OF_A_CLASS:
                self._bounds[k] = np.partition(own, OF_A_CLASS - 1)[OF_A_CLASS - 1]
        self._parts = [whole.take(np.flatnonzero(chosen))]
        self._held = int(chosen.sum())

    def _whole(self) -> DrawnRows:
        table = pa.concat_tables([part.table for part in self._parts]).combine_chunks()
        codes, numbers = (np.concatenate([getattr(p, name) for p in self._parts]) for name in ("codes", "numbers"))
        weights = [part.weight for part in self._parts if part.weight is not None]
        return DrawnRows(table, codes, np.concatenate(weights) if weights else None, numbers)

    def rows(self) -> DrawnRows | None:
        """The rows drawn of all that came; None where none did."""
        return self._whole().thinned(self.n, self.seed) if self._parts else None


def _chosen(keys: NDArray[np.uint64], codes: Codes, n: int) -> NDArray[np.bool_]:
    """The n smallest of all, and the smallest few of each class."""
    order = np.argsort(keys, kind="stable")
    chosen = np.zeros(keys.size, dtype=np.bool_)
    chosen[order[:n]] = True
    for k in np.unique(codes):
        chosen[order[codes[order] == k][:OF_A_CLASS]] = True
    return chosen


def bytes_a_row(table: Any) -> float:
    """The bytes of memory that a row of a table takes."""
    return float(table.nbytes / max(table.num_rows, 1))
