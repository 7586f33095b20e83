"""Rows in parts: pieces of a source that can be opened anywhere, and the engine that reads and sums them.

    fold(of, add) = Σ over parts of (Σ over the blocks of a part of of(block))

Both sums add neighbours first in the order of the rows, so that the answer is the same whatever the engine, its
workers and its retries. A part is a small picklable description: which file and which rows of it. What travels between
processes are descriptions and statistics, never rows.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from operator import add as plus
from typing import ClassVar, Generic, Protocol, Self, TypeVar

from discriminant.rows.memory import ArrayRows
from discriminant.rows.pass_check import PassCheck, RowsMet
from discriminant.rows.protocol import Rows, Schema, add_neighbours, ended
from discriminant.rows.spool import has_room
from discriminant.rows.thread_engine import ThreadEngine, read_ahead

S = TypeVar("S")


class Part(ABC):
    """Some rows of a source, described so that whoever reads them can open them: picklable, and a dataclass."""

    first_row: int | None  # the number of its first row in the whole; None where rows before it must be counted
    n_bytes: int  # about, for progress and for sharing out the work
    may_change: ClassVar[bool] = True  # between two passes without a word, so that what they gave is compared

    @abstractmethod
    def blocks(self) -> Iterator[ArrayRows]:
        """Its rows in order as checked blocks of some 10⁵ to 10⁶ numbers, each row with its number in the whole."""

    def count(self) -> int:
        """How many rows it has, those of weight zero among them."""
        return sum(block.n_rows for block in self.blocks())

    def numbered(self, first_row: int) -> Self:
        """The same part with the number of its first row."""
        return replace(self, first_row=first_row)  # type: ignore[type-var]


class Engine(Protocol):
    """Where parts are read and summed."""

    def fold(self, parts: Sequence[Part], of_part: Callable[[Part], S], add: Callable[[S, S], S]) -> S:
        """``of_part(part)`` of every part, added up by `add_neighbours` in the order of the parts."""


@dataclass(frozen=True)
class PartSum(Generic[S]):
    """What a pass gives of some parts: the sum of a statistic, None where there was no row, and what rows there were.

    ``bits`` is their checksum, None where parts say by themselves that they changed.
    """

    value: S | None
    n_rows: int
    bits: int | None


@dataclass(frozen=True)
class SumOfPart(Generic[S]):
    """The work on one part: a statistic of each block, added up. It is picklable where ``of`` and ``add`` are."""

    of: Callable[[ArrayRows], S]
    add: Callable[[S, S], S]

    def __call__(self, part: Part) -> PartSum[S]:
        """The sum over the blocks of a part."""
        met = RowsMet(part.may_change)
        with ended(part.blocks()) as blocks:
            statistics = map(self.of, met.following(blocks))
            first = next(statistics, None)
            total = None if first is None else add_neighbours(_chain(first, statistics), self.add)
        return PartSum(total, met.n_rows, met.bits)

    def join(self, a: PartSum[S], b: PartSum[S]) -> PartSum[S]:
        """The sums of two neighbours; an empty part adds nothing."""
        n_rows, bits = a.n_rows + b.n_rows, None if a.bits is None or b.bits is None else a.bits + b.bits
        if a.value is None or b.value is None:
            return PartSum(b.value if a.value is None else a.value, n_rows, bits)
        return PartSum(self.add(a.value, b.value), n_rows, bits)


def _chain(first: S, rest: Iterator[S]) -> Iterator[S]:
    yield first
    yield from rest


class PartRows(Rows):
    """Rows of parts, read by an engine: threads of this process if none is named.

    Parameters
    ----------
    parts : sequence of Part
        In the order of the rows.
    schema : Schema
        The columns that every block has.
    engine : Engine or None
        Where parts are read and summed; None takes threads that read and sum at the same time.
    name : str
        What the source is called in messages.
    spool : {"auto", True, False} or folder
        Where rows are written for a method that goes back to single rows; False refuses such methods.

    Examples
    --------
    >>> import numpy as np
    >>> from discriminant import rows
    >>> halves = [ArrayPart(rows.from_arrays([[0.0], [1.0]], [0, 0])), ArrayPart(rows.from_arrays([[2.0]], [1]))]
    >>> source = PartRows(halves, Schema(1))
    >>> source.fold(lambda block: float(block.matrix.sum())), source.passes
    (3.0, 1)
    >>> source.collect().numbers.tolist()
    [0, 1, 2]
    """

    def __init__(
        self,
        parts: Sequence[Part],
        schema: Schema,
        engine: Engine | None = None,
        name: str = "the source of rows",
        spool: bool | str = "auto",
    ) -> None:
        self._parts = list(parts)
        self._schema = schema
        self.engine: Engine = ThreadEngine() if engine is None else engine
        self.name = name
        self.spool = spool
        self.passes = 0
        self.check = PassCheck(name)

    def __repr__(self) -> str:
        n_rows = "" if self._schema.n_rows is None else f"{self._schema.n_rows:,} rows, "
        return f"<{type(self).__name__} of {self.name}: {n_rows}{self._schema.n_columns:,} columns>"

    @property
    def schema(self) -> Schema:
        """The columns, and what else is known before a pass."""
        return self._schema

    @property
    def spools(self) -> bool:
        """Whether rows are read on this machine and, for a spool chosen here, there is room for them on a disk."""
        if self.spool is False or not isinstance(self.engine, ThreadEngine):
            return False
        return self.spool != "auto" or has_room(self)

    @property
    def parts(self) -> Sequence[Part]:
        """The parts in the order of the rows, each with the number of its first row, which may have to be counted."""
        if any(part.first_row is None for part in self._parts):
            counts = [0] if len(self._parts) == 1 else self.engine.fold(self._parts, _count, plus)
            starts = [0, *accumulate(counts)]
            self._parts = [part.numbered(start) for part, start in zip(self._parts, starts, strict=False)]
        return self._parts

    @property
    def n_bytes(self) -> int:
        """About how many bytes a pass reads."""
        return sum(part.n_bytes for part in self._parts)

    def batches(self) -> Iterator[ArrayRows]:
        """The blocks in the order of the rows, read a little ahead of whoever takes them: one pass."""
        parts = self.parts
        self.passes += 1
        met = RowsMet(all(part.may_change for part in parts))
        with ended(read_ahead(block for part in parts for block in part.blocks())) as blocks:
            yield from met.following(blocks)
        self.check.compare(met.n_rows, met.bits)

    def fold(self, of: Callable[[ArrayRows], S], add: Callable[[S, S], S] = plus) -> S:
        """``of(block)`` of every block wherever the blocks are, added up neighbours first: one pass."""
        parts = self.parts
        self.passes += 1
        work = SumOfPart(of, add)
        total: PartSum[S] = self.engine.fold(parts, work, work.join) if parts else PartSum(None, 0, None)
        self.check.compare(total.n_rows, total.bits)
        if total.value is None:
            raise ValueError(f"Found array with 0 sample(s): {self.name} has no row")
        return total.value


def _count(part: Part) -> list[int]:
    return [part.count()]


@dataclass(frozen=True)
class ArrayPart(Part):
    """Rows in memory as a part, for sources made of arrays."""

    rows: ArrayRows
    first_row: int | None = None
    may_change: ClassVar[bool] = False

    @property
    def n_bytes(self) -> int:  # type: ignore[override]
        """Eight bytes a number, whether they are stored or not."""
        return 8 * self.rows.n_rows * self.rows.n_columns

    def blocks(self) -> Iterator[ArrayRows]:
        """One block."""
        yield replace(self.rows, row_numbers=(self.first_row or 0) + self.rows.numbers)
