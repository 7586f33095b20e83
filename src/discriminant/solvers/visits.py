"""The order in which an order-dependent rule visits the rows, epoch by epoch.

Shuffled rows of a table that fits the cache are first ranked by their content, equal rows taken together with the sum
of their weights. What is learnt then depends neither on the order the rows came in nor on whether a row was repeated
or weighed. A larger table is shuffled where it lies: chunks of neighbours in random order, rows at random within
windows of several chunks, because rows that are fetched from all over the memory cost more than all the arithmetic.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.kernels.ordering import fingerprints, shuffle, shuffle_in_chunks
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import kernel_form

Array = NDArray[np.float64]
Order = NDArray[np.integer[Any]]

_RANKED_NUMBERS = 1 << 22
_CHUNK = 64
_WINDOW_NUMBERS = 1 << 14
# Kernels return to Python after about this many numbers, a few hundredths of a second, so that a person can interrupt.
_PIECE_NUMBERS = 1 << 25

NOTHING_AHEAD: Order = np.empty(0, np.int32)


@dataclass
class Visits:
    """Rows in the form kernels take, their weights (empty for ω = 1), and the order of the next epoch."""

    table: Any
    codes: NDArray[np.int32]
    weight: Array
    order: Order
    shuffled: bool
    numbers_a_row: float
    state: NDArray[np.uint64]
    in_chunks: bool = False

    @classmethod
    def of(cls, rows: ArrayRows, *, shuffled: bool, seed: int) -> "Visits":
        """Visits of all rows."""
        stored = rows.matrix.nnz if hasattr(rows.matrix, "nnz") else rows.matrix.size
        visits = cls(
            table=kernel_form(rows.matrix),
            codes=rows.codes,
            weight=np.empty(0) if rows.weight is None else rows.weight,
            order=np.arange(rows.n_rows, dtype=np.int32 if rows.n_rows < 2**31 else np.int64),
            shuffled=shuffled,
            numbers_a_row=max(stored / rows.n_rows, 1.0),
            state=np.array([seed], np.uint64),
        )
        if not shuffled:
            return visits
        if stored > _RANKED_NUMBERS:
            return replace(visits, in_chunks=True)
        return visits._ranked(rows)

    def _ranked(self, rows: ArrayRows) -> "Visits":
        """By content, equal rows as one."""
        prints = np.empty(rows.n_rows, np.uint64)
        fingerprints(self.table, self.codes, prints)
        ranked = np.argsort(prints, kind="stable")
        twins = np.flatnonzero(prints[ranked[1:]] == prints[ranked[:-1]])
        if twins.size:
            differing = (rows.matrix[ranked[twins]] != rows.matrix[ranked[twins + 1]]).sum(axis=1)
            twins = twins[np.asarray(differing).ravel() == 0]
        if not twins.size:
            return replace(self, order=ranked.astype(self.order.dtype))
        opens = np.ones(rows.n_rows, bool)
        opens[twins + 1] = False
        first = np.flatnonzero(opens)
        weight = np.zeros(rows.n_rows)  # a row that is not visited counts nothing
        ones = np.ones(rows.n_rows) if rows.weight is None else rows.weight
        weight[ranked[first]] = np.add.reduceat(ones[ranked], first)
        return replace(self, order=ranked[first].astype(self.order.dtype), weight=weight)

    @property
    def n_visits(self) -> int:
        """In an epoch."""
        return int(self.order.size)

    def signs(self, positive: int) -> NDArray[np.int8]:
        """+1 for the rows of a class, −1 for the rest."""
        return np.asarray(2 * (self.codes == positive).view(np.int8) - 1, dtype=np.int8)

    def epoch(self) -> Iterator[tuple[Order, Order]]:
        """The rows of the next epoch in pieces, each with the rows to fetch ahead."""
        ahead = NOTHING_AHEAD
        if self.in_chunks:
            ahead = np.empty_like(self.order)
            chunks = np.arange(-(-self.n_visits // _CHUNK), dtype=self.order.dtype)
            chunks_a_window = max(int(_WINDOW_NUMBERS / self.numbers_a_row) // _CHUNK, 4)
            shuffle_in_chunks(self.n_visits, _CHUNK, chunks_a_window * _CHUNK, chunks, self.order, ahead, self.state)
        elif self.shuffled:
            shuffle(self.order, 0, self.n_visits, self.state)
        step = max(int(_PIECE_NUMBERS / self.numbers_a_row), 1)
        for a in range(0, self.n_visits, step):
            yield self.order[a : a + step], ahead[a : a + step]
