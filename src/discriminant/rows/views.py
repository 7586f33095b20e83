"""Rows seen through a change of every block: some rows left out, weights multiplied, columns made zero."""

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from discriminant.rows.labels import places_of
from discriminant.rows.memory import ArrayRows
from discriminant.rows.protocol import Rows, Schema

S = TypeVar("S")
Change = Callable[[ArrayRows], ArrayRows]


@dataclass(frozen=True)
class ChangedRows(Rows):
    """The rows of a source, each block changed where it is read; ``change`` can be pickled and may leave rows out.

    >>> from discriminant import rows
    >>> source = rows.from_batches([([[1.0], [2.0]], ["a", "b"]), ([[3.0]], ["a"])])
    >>> doubled = ChangedRows(source, ReweightedClasses(np.array(["a", "b"]), np.array([1.0, 2.0])))
    >>> doubled.collect().weights.tolist()
    [1.0, 2.0, 1.0]
    """

    source: Rows
    change: Change

    @property
    def schema(self) -> Schema:
        """The schema of the source, but for the number of rows."""
        return replace(self.source.schema, n_rows=None)

    def batches(self) -> Iterator[ArrayRows]:
        """The changed blocks that have rows left."""
        return (block for block in map(self.change, self.source.batches()) if block.n_rows)

    def fold(self, of: Callable[[ArrayRows], S], add: Callable[[S, S], S] = operator.add) -> S:
        """Changed and summed wherever the source sums its blocks."""
        total = self.source.fold(_SumChanged(of, self.change), _AddPresent(add))
        if total is None:
            raise ValueError("Found array with 0 sample(s): no row of the source is left")
        return total

    @property
    def spool(self) -> bool | str:  # type: ignore[override]
        """Where the source's rows may be written."""
        return self.source.spool

    @property
    def spools(self) -> bool:
        """Whether the source does."""
        return self.source.spools


@dataclass
class CountedRows(Rows):
    """The rows of a source, which counts how often they are read.

    >>> from discriminant import rows
    >>> counted = CountedRows(rows.from_batches([([[1.0], [2.0]], ["a", "b"])]))
    >>> counted.collect().n_rows, counted.passes
    (2, 1)
    """

    source: Rows
    passes: int = 0

    @property
    def schema(self) -> Schema:
        """The schema of the source."""
        return self.source.schema

    def batches(self) -> Iterator[ArrayRows]:
        """The batches of the source."""
        self.passes += 1
        return self.source.batches()

    def fold(self, of: Callable[[ArrayRows], S], add: Callable[[S, S], S] = operator.add) -> S:
        """Wherever the source sums its blocks."""
        self.passes += 1
        return self.source.fold(of, add)


@dataclass(frozen=True)
class _SumChanged(Generic[S]):
    of: Callable[[ArrayRows], S]
    change: Change

    def __call__(self, block: ArrayRows) -> S | None:
        changed = self.change(block)
        return self.of(changed) if changed.n_rows else None


@dataclass(frozen=True)
class _AddPresent(Generic[S]):
    add: Callable[[S, S], S]

    def __call__(self, a: S | None, b: S | None) -> S | None:
        if a is None or b is None:
            return b if a is None else a
        return self.add(a, b)


@dataclass(frozen=True)
class ReweightedClasses:
    """A change: the weights of each class multiplied by a factor."""

    classes: NDArray[Any]
    factors: NDArray[np.float64]

    def __call__(self, block: ArrayRows) -> ArrayRows:
        """The block with other weights."""
        return block.reweighed(self.factors[places_of(block.classes, self.classes)][block.codes])


@dataclass(frozen=True)
class ZeroColumns:
    """A change: some columns made zero."""

    columns: NDArray[np.intp]

    def __call__(self, block: ArrayRows) -> ArrayRows:
        """The block without those columns."""
        return block.with_zeros(self.columns)
