"""Passes over a table that is read in batches: the classes of its target, then its columns and the drawn rows.

    1   the target (and the weights): which classes there are, and which rows are left out, as of a table in memory
    2   all columns: their summaries over all used rows, and the rows that are drawn to be studied

Summaries add, so that the encoding is that of all rows.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discriminant.memory import give_back_freed
from discriminant.rows.protocol import SourceChanged, add_neighbours
from discriminant.rows.thread_engine import read_ahead
from discriminant.rows.threads import single_threaded_blas
from discriminant.study.class_making import ClassOptions
from discriminant.study.drawn_rows import Draw, DrawnRows
from discriminant.study.question import NO_ROWS, ClassTotals, Question, check_columns, read_weights
from discriminant.study.target_counts import MOST_VALUES, TargetCoding, TargetCounts
from discriminant.table.errors import TableError
from discriminant.table.reading import Batch
from discriminant.table.summaries import ColumnSummary

Array = NDArray[np.float64]
Follow = Callable[[str, Iterator[Any]], Iterator[Any]]


def without_progress(_what: str, batches: Iterator[Any]) -> Iterator[Any]:
    """A pass that nobody follows."""
    return batches


@dataclass(frozen=True)
class BatchedTable:
    """A table with the types of its columns, read as often as is asked; ``follow`` watches each pass.

    ``seen`` says how its files were when it was made.
    """

    source: Any
    types: dict[str, Any]
    on_error: str = "stop"
    follow: Follow = without_progress
    seen: Any = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "seen", self.source.fingerprint())

    def refuse_changed(self) -> None:
        """One pass after another must have read the same files."""
        now = self.source.fingerprint()
        if now != self.seen:
            changed = next(a for a, b in zip(now, self.seen, strict=True) if a != b)
            raise SourceChanged(f"{changed[0]} is not the file that it was; run again once nobody writes to it")

    def batches(self, what: str, columns: Sequence[str]) -> Iterator[Batch]:
        """One pass over these columns, read a little ahead."""
        found = self.source.typed_batches(self.types, columns, on_error=self.on_error)
        return self.follow(what, read_ahead(found))


@dataclass(frozen=True, eq=False)
class TableSummary:
    """What is known of all used rows: summaries of columns, rows and weights of each class, and the rows drawn."""

    columns: tuple[ColumnSummary, ...]
    totals: ClassTotals
    drawn: DrawnRows
    n_rows: int  # of the table, those left out among them
    first_rows: Mapping[str, int]  # the number of the first row of each file that has rows

    def question(self, coding: TargetCoding) -> Question:
        """The question of the drawn rows, with the totals of all."""
        drawn, target = self.drawn, coding.target
        return Question(
            coding.name, target.classes, drawn.codes, drawn.numbers.astype(np.intp), drawn.weight, target.notes,
            target.cut, target.number_format, self.totals,
        )  # fmt: skip


def find_classes(
    table: BatchedTable, target: str, weight: str | None, positive: Any, asked: ClassOptions, least_rows: int = 2
) -> TargetCoding:
    """The classes of a target: one pass over it."""
    check_columns(list(table.types), target, weight)
    columns = [target] if weight is None else [target, weight]
    counts = None
    for batch in table.batches("classes", columns):
        omega = None
        if weight is not None:
            omega = read_weights(batch.table.column(weight), weight, int(batch.rows[0]) - 1)
        own = TargetCounts.of(batch.table.column(target), omega, asked)
        counts = own if counts is None else counts.plus(own, asked)
        if len(counts.values) > MOST_VALUES and not asked.cuts:
            break  # which `code` refuses
    if counts is None:
        raise TableError(NO_ROWS[0], hint=NO_ROWS[1])
    return TargetCoding(target, weight, counts.code(target, positive, least_rows, asked), counts.values)


def summarise_table(table: BatchedTable, coding: TargetCoding, predictors: Sequence[str], draw: Draw) -> TableSummary:
    """The summaries of all used rows and the drawn ones: one pass over all columns."""
    K = len(coding.target.classes)
    counts, mass, n_rows = np.zeros(K, dtype=np.intp), np.zeros(K), 0
    first_rows: dict[str, int] = {}

    def summaries() -> Iterator[tuple[ColumnSummary, ...]]:
        nonlocal n_rows
        for batch in table.batches("columns", list(table.types)):
            n_rows += batch.table.num_rows
            first_rows.setdefault(batch.file, int(batch.rows[0]) - 1)
            used, codes, weight, numbers = used_rows(batch, coding)
            if not codes.size:
                continue
            counts[:] += np.bincount(codes, minlength=K)
            mass[:] += np.bincount(codes, weights=weight, minlength=K)
            draw.add(used, codes, weight, numbers)
            yield tuple(ColumnSummary.of(name, used.column(name)) for name in predictors)

    with single_threaded_blas():  # sums are short, and a second thread reads
        columns = add_neighbours(summaries(), lambda a, b: tuple(x + y for x, y in zip(a, b, strict=True)))
    table.refuse_changed()
    drawn = draw.rows()
    pa.default_memory_pool().release_unused()
    give_back_freed()
    assert drawn is not None  # some rows had a class
    return TableSummary(columns, ClassTotals(counts, mass), drawn, n_rows, first_rows)


def used_rows(batch: Batch, coding: TargetCoding) -> tuple[pa.RecordBatch, Any, Array | None, NDArray[np.int64]]:
    """(cells, codes, weights, numbers from 0) of the rows of a batch that are not left out."""
    codes, weight = coding.read(batch.table, int(batch.rows[0]) - 1)
    rows = np.flatnonzero(codes >= 0)
    if rows.size == codes.size:
        return batch.table, codes, weight, batch.rows - 1
    some = batch.table.take(pa.array(rows))
    return some, codes[rows], None if weight is None else weight[rows], batch.rows[rows] - 1
