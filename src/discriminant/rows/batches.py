"""Rows that come in batches: a table too large for memory, read one part after another as often as a learner asks."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from discriminant.rows.memory import ArrayRows, from_arrays
from discriminant.rows.pass_check import PassCheck, RowsMet
from discriminant.rows.protocol import Rows, Schema


class BatchRows(Rows):
    """Rows of batches (X, y) or (X, y, weight); ``passes`` counts how often they have been read.

    >>> halves = [([[0.0], [1.0]], ["a", "a"]), ([[3.0], [4.0]], ["b", "b"])]
    >>> rows = from_batches(halves)
    >>> rows.collect().n_rows, rows.passes
    (4, 1)
    """

    def __init__(self, read: Callable[[], Iterable[Any]], spool: bool | str = "auto", may_change: bool = True) -> None:
        self._read = read
        self._may_change = may_change
        self._check = PassCheck("the source of batches")
        self.spool = spool
        self.passes = 0
        first = next(iter(self._checked()), None)
        if first is None:
            raise ValueError("Found array with 0 sample(s): the source of rows gave no block")
        self._schema = Schema(first.n_columns, first.names)

    @property
    def schema(self) -> Schema:
        """The columns of the first batch."""
        return self._schema

    def batches(self) -> Iterator[ArrayRows]:
        """The batches, checked, each row with its number in the whole."""
        self.passes += 1
        met = RowsMet(self._may_change)
        for block in met.following(self._checked()):
            if block.n_columns != self._schema.n_columns or block.names != self._schema.names:
                raise ValueError(
                    f"the batch from row {block.numbers[0]} on has {block.n_columns} columns {block.names or ''}, and "
                    f"the first has {self._schema.n_columns} {self._schema.names or ''}; give all batches the same ones"
                )
            yield block
        self._check.compare(met.n_rows, met.bits)

    def _checked(self) -> Iterator[ArrayRows]:
        start = 0
        for batch in self._read():
            X, y, weight = (*batch, None)[:3]
            n = np.size(y)
            if n and (weight is None or np.any(weight)):  # a batch may be empty, or have no row that counts
                block = from_arrays(X, y, weight)
                yield replace(block, row_numbers=start + block.numbers)
            start += n


def from_batches(batches: Iterable[Any] | Callable[[], Iterable[Any]], *, spool: bool | str = "auto") -> BatchRows:
    """Rows of batches (X, y) or (X, y, weight): a collection of them, or a function that starts reading anew.

    Learners of sums (LDA, Fisher, least squares, naive Bayes) read them once and give what they give for one table.
    What a function gives must be the same each time (`SourceChanged` otherwise).
    Learners that go back to single rows get them from a spool on disk: ``spool`` names a folder for it, "auto" and True
    choose one with room, and False refuses such learners.

    >>> from discriminant import LinearDiscriminantAnalysis
    >>> halves = [([[0.0], [1.0]], ["a", "a"]), ([[3.0], [4.5]], ["b", "b"])]
    >>> LinearDiscriminantAnalysis().fit(from_batches(halves)).predict([[2.0], [2.3]]).tolist()
    ['a', 'b']
    """
    if callable(batches):
        return BatchRows(batches, spool)
    if isinstance(batches, Iterator):
        raise TypeError("batches can be read only once; pass a list of them, or a function that returns a new iterator")
    return BatchRows(lambda: batches, spool, may_change=False)
