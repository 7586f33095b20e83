"""The order in which an order-dependent rule visits the rows, epoch by epoch.

Shuffled rows of a table that fits the cache are first ranked by their content, and a row of weight ω is visited as ⌈ω⌉
copies that share it. What is learnt then depends neither on the order the rows came in nor on whether a row was
repeated or weighed. A larger table is shuffled where it lies: chunks of neighbours in random order, several of them at
a time, a piece of each to a window, rows at random within it; because rows that are fetched from all over the memory
cost more than all the arithmetic. There, and where the order is kept, a weight multiplies the step.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.kernels.ordering import fingerprints, shuffle, shuffle_in_lanes
from discriminant.rows import ArrayRows
from discriminant.rows.labels import signs
from discriminant.rows.matrix import kernel_form

Array = NDArray[np.float64]
Order = NDArray[np.integer[Any]]

_RANKED_NUMBERS = 1 << 22
# A window of eight pieces of 512 numbers leaves the weights in the cache; a chunk is long enough to come as a stream.
_PIECE_NUMBERS = 512
_PIECES_A_CHUNK = 32
_LANES = 8
# Kernels return to Python after about this many numbers, a few hundredths of a second, so that a person can interrupt.
_UNTIL_INTERRUPTIBLE = 1 << 25

_NOTHING_AHEAD: Order = np.empty(0, np.int32)


@dataclass
class RowOrder:
    """Rows in the form kernels take, their weights, and the order of the next epoch.

    ``weight`` (empty for ω = 1) is that of a row in sums over rows, ``step_weight`` that of one visit to it. Without an
    ``intercept`` the weight of the constant is never moved.
    """

    table: Any
    codes: NDArray[np.int32]
    weight: Array
    step_weight: Array
    order: Order
    shuffled: bool
    numbers_a_row: float
    state: NDArray[np.uint64]
    intercept: bool = True
    in_lanes: bool = False

    @classmethod
    def of(cls, rows: ArrayRows, *, shuffled: bool, seed: int, intercept: bool = True) -> "RowOrder":
        """The order of all rows."""
        stored = rows.matrix.nnz if hasattr(rows.matrix, "nnz") else rows.matrix.size
        weight = rows.weight_of(slice(None))
        row_order = cls(
            table=kernel_form(rows.matrix),
            codes=rows.codes,
            weight=weight,
            step_weight=weight,
            order=np.arange(rows.n_rows, dtype=np.int32 if rows.n_rows < 2**31 else np.int64),
            shuffled=shuffled,
            numbers_a_row=max(stored / rows.n_rows, 1.0),
            state=np.array([seed], np.uint64),
            intercept=intercept,
        )
        if not shuffled:
            return row_order
        n_visits = np.ceil(weight).sum() if weight.size else rows.n_rows
        if stored > _RANKED_NUMBERS or n_visits > _RANKED_NUMBERS:
            return replace(row_order, in_lanes=True)
        return row_order._ranked()

    def _ranked(self) -> "RowOrder":
        """The rows ordered by content, a row of weight ω as ⌈ω⌉ copies."""
        copies = np.ceil(self.weight).astype(np.int64) if self.weight.size else np.ones(self.codes.size, np.int64)
        prints = np.empty(self.codes.size, np.uint64)
        fingerprints(self.table, self.codes, prints)
        ranked = _stable_ranks(prints)
        order = np.repeat(ranked, copies[ranked]).astype(self.order.dtype)
        share = self.weight / copies if self.weight.size else self.weight
        return replace(self, order=order, step_weight=share if (share != 1).any() else np.empty(0))

    @property
    def n_visits(self) -> int:
        """How many rows an epoch visits."""
        return int(self.order.size)

    @property
    def is_short(self) -> bool:
        """Whether a person can wait for an epoch, and its rows come without fetching them ahead."""
        return not self.in_lanes and self.epochs_at_once > 0

    @property
    def epochs_at_once(self) -> int:
        """How many epochs may pass until a person can interrupt."""
        return int(_UNTIL_INTERRUPTIBLE / (self.n_visits * self.numbers_a_row))

    def signs(self, positive: int) -> NDArray[np.int8]:
        """+1 for the rows of a class, −1 for the rest."""
        return signs(self.codes, positive)

    def epoch(self, cost: int = 1) -> Iterator[tuple[Order, Order]]:
        """The rows of the next epoch in parts, each with the rows to fetch ahead; smaller where a visit costs more."""
        ahead = _NOTHING_AHEAD
        if self.in_lanes:
            ahead = np.empty_like(self.order)
            piece = max(int(_PIECE_NUMBERS / self.numbers_a_row), 1)
            chunks = np.arange(-(-self.n_visits // (piece * _PIECES_A_CHUNK)), dtype=self.order.dtype)
            shuffle_in_lanes(piece, chunks, _LANES, self.order, ahead, self.state)
        elif self.shuffled:
            shuffle(self.order, 0, self.n_visits, self.state)
        step = max(int(_UNTIL_INTERRUPTIBLE / self.numbers_a_row) // cost, 1)
        for a in range(0, self.n_visits, step):
            yield self.order[a : a + step], ahead[a : a + step]


def _stable_ranks(prints: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Where each place of the sorted fingerprints came from, as a stable argsort says it; nearly always much sooner.

    NumPy sorts numbers many times as fast as it sorts places: a place takes the low bits, if the others tell all apart.
    """
    place_bits = np.uint64(max(prints.size - 1, 1).bit_length())
    high = prints >> place_bits << place_bits
    keys = np.sort(high | np.arange(prints.size, dtype=np.uint64))
    high = keys >> place_bits
    if (high[1:] == high[:-1]).any():
        return np.argsort(prints, kind="stable")
    places: NDArray[np.intp] = (keys ^ (high << place_bits)).astype(np.intp)
    return places
