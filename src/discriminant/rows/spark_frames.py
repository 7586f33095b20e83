"""Data frames of Spark as rows: partitions as Arrow batches, summed where they are."""

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from discriminant.rows.memory import ArrayRows
from discriminant.rows.part_encodings import encoding_of_parts
from discriminant.rows.parts import Part, PartRows
from discriminant.rows.pass_check import RowsMet
from discriminant.rows.protocol import Schema, SourceChanged
from discriminant.rows.spark import SparkEngine, sum_of_part
from discriminant.rows.table_blocks import Origin, RowColumns, choose_columns, plain_cells_of, summaries_of
from discriminant.table.errors import TableError
from discriminant.table.summaries import ColumnSummary

S = TypeVar("S")

_NAME = "the Spark DataFrame"
_BLOCK_NUMBERS = 1 << 20
_ROOM_FOR_ROWS = 1 << 40  # between the first rows of partitions whose rows nobody has counted


@dataclass(frozen=True)
class FramePart(Part):
    """A partition; ``batches`` are its Arrow batches, where it is read.

    ``widths`` says of columns of arrays how many entries they have.
    """

    index: int
    columns: RowColumns
    widths: Mapping[str, int] = field(default_factory=dict)
    first_row: int | None = None
    n_bytes: int = 0
    batches: Any = None

    def blocks(self) -> Iterator[ArrayRows]:
        """Batches joined to blocks of some size."""
        for table, origin in self._tables():
            plain = plain_cells_of(table, self.columns.encoded)
            yield self.columns.block_of(plain, origin, (self.first_row or 0) + origin.lines[0] - 1)

    def summaries(self, names: Sequence[str]) -> list[ColumnSummary]:
        """What these columns hold, for an encoding to be learnt from."""
        return summaries_of((table for table, _ in self._tables()), names)

    def _tables(self) -> Iterator[tuple[Any, Origin]]:
        """Its rows, some at a time, and where they stand."""
        read = 0
        for joined in _join_batches(self.batches, max(_BLOCK_NUMBERS // max(len(self.columns.names), 1), 1)):
            origin = Origin(f"{_NAME}, partition {self.index}", range(read + 1, read + joined.num_rows + 1))
            yield _spread(joined, self.widths, origin), origin
            read += joined.num_rows


def _join_batches(batches: Iterable[Any], n_rows: int) -> Iterator[Any]:
    """Tables of about so many rows."""
    held: list[Any] = []
    for batch in batches:
        if batch.num_rows:
            held.append(batch)
        if sum(b.num_rows for b in held) >= n_rows:
            yield pa.Table.from_batches(held)
            held = []
    if held:
        yield pa.Table.from_batches(held)


def _spread(table: Any, widths: Mapping[str, int], origin: Origin) -> Any:
    """The table with a column for each entry of its arrays."""
    for name, width in widths.items():
        arrays = table.column(name).combine_chunks()
        lengths = np.diff(arrays.offsets.to_numpy())
        wrong = np.flatnonzero(lengths != width)
        if arrays.null_count or wrong.size:
            row = int(wrong[0]) if wrong.size else int(np.flatnonzero(np.asarray(arrays.is_null()))[0])
            raise TableError(f"{origin(row)}, column {name!r}: not {width} numbers as in the first row", "mend the row")
        matrix = arrays.flatten().to_numpy(zero_copy_only=False).reshape(-1, width)
        for j in range(width):
            table = table.append_column(f"{name}_{j}", pa.array(matrix[:, j]))
    return table


class FrameEngine(SparkEngine):
    """Sums the partitions of a data frame; from the second pass on from a copy of its Arrow batches."""

    def __init__(self, frame: Any) -> None:
        super().__init__(frame.sparkSession)
        self.frame = frame
        self._passes = 0
        self._copy: Any = None

    def fold(self, parts: Sequence[Part], of_part: Callable[[Part], S], add: Callable[[S, S], S]) -> S:
        """``of_part(part)`` of every partition, added up neighbours first on the executors."""
        self._passes += 1
        work = _SumOfPartition(of_part, list(parts))
        if self._passes == 1:
            summed = self.frame.mapInArrow(work.of_batches, "number int, total binary").rdd
            numbered = summed.map(lambda row: (row[0], pickle.loads(row[1])))
        else:
            numbered = self.copied().mapPartitionsWithIndex(work.of_copies)
        return self.add_up(numbered, len(parts), add)

    def copied(self) -> Any:
        """Pieces of Arrow batches, kept by Spark."""
        if self._copy is None:
            from pyspark import StorageLevel

            pieces = self.frame.mapInArrow(_pieces_of, "piece binary").rdd.map(lambda row: bytes(row[0]))
            self._copy = pieces.persist(StorageLevel.MEMORY_AND_DISK)
        return self._copy

    def __del__(self) -> None:
        if self._copy is not None:
            try:
                self._copy.unpersist()
            except Exception:  # the session has ended, and its copies with it
                return


@dataclass(frozen=True)
class _SumOfPartition:
    """The work on whichever partition a task is given."""

    of_part: Callable[[Any], Any]
    parts: Sequence[Part]

    def of_batches(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Sum batches, as `mapInArrow` calls it."""
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        index = context.partitionId()
        total = pickle.dumps(self._total(index, batches))
        number = pa.array([index], pa.int32())
        yield pa.record_batch({"number": number, "total": pa.array([total], pa.binary())})

    def of_copies(self, index: int, pieces: Iterable[bytes]) -> Iterator[tuple[int, Any]]:
        """Sum copies, as an RDD of them calls it."""
        yield index, self._total(index, batches_of(pieces))

    def _total(self, index: int, batches: Iterable[Any]) -> Any:
        def of_bound(bound: Any) -> Any:
            if index >= len(self.parts):
                raise SourceChanged(f"{_NAME} has more partitions in this pass than in the first; persist() it before")
            return self.of_part(replace(self.parts[index], batches=bound))  # type: ignore[type-var]

        return sum_of_part(of_bound, batches)


def _pieces_of(batches: Iterator[Any]) -> Iterator[Any]:
    """Batches as the bytes of Arrow streams."""
    for table in _join_batches(batches, 1 << 15):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        yield pa.record_batch({"piece": pa.array([sink.getvalue().to_pybytes()], pa.binary())})


def batches_of(pieces: Iterable[bytes]) -> Iterator[Any]:
    """The batches of the pieces that were kept."""
    for piece in pieces:
        with pa.ipc.open_stream(piece) as stream:
            yield from stream


class FrameRows(PartRows):
    """Rows of a data frame; asked for in order, they come to the driver partition by partition."""

    engine: FrameEngine

    def batches(self) -> Iterator[ArrayRows]:
        """The blocks in the order of the rows: one pass."""
        parts = self.parts
        self.passes += 1
        met = RowsMet(compared=True)
        tagged = self.engine.copied().mapPartitionsWithIndex(lambda index, pieces: ((index, p) for p in pieces))
        pieces = tagged.toLocalIterator()
        waiting = next(pieces, None)
        for part in parts:
            own = []
            while waiting is not None and waiting[0] == part.index:  # type: ignore[attr-defined]
                own.append(waiting[1])
                waiting = next(pieces, None)
            yield from met.following(replace(part, batches=batches_of(own)).blocks())  # type: ignore[type-var]
        self.check.compare(met.n_rows, met.bits)


def rows_of_frame(
    frame: Any,
    target: str,
    columns: Sequence[str] | None,
    weight: str | None,
    id: str | None,
    encoding: Any,
    spool: bool | str,
) -> FrameRows:
    """Rows of any data frame; partitions are numbered, and their rows counted unless there are ids."""
    raw = choose_columns(frame.columns, _NAME, target, columns, weight, id)
    frame, widths = _with_arrays(frame.select(*(f"`{n.replace('`', '``')}`" for n in raw.needed)), raw.features)
    names = [n for name in raw.features for n in _entries(name, widths)]
    chosen, engine = replace(raw, features=tuple(names)), FrameEngine(frame)
    n_parts = frame.rdd.getNumPartitions()
    starts = [_ROOM_FOR_ROWS * k for k in range(n_parts)] if id is not None else _first_row_numbers(frame, n_parts)
    parts = [FramePart(k, chosen, widths, starts[k]) for k in range(n_parts)]
    if encoding == "auto":
        encoding = encoding_of_parts(parts, chosen.features, engine, _NAME)
    chosen = replace(chosen, encoding=encoding)
    parts = [replace(part, columns=chosen) for part in parts]
    return FrameRows(parts, Schema(len(chosen.names), chosen.names), engine, _NAME, spool)


def _entries(name: str, widths: Mapping[str, int]) -> list[str]:
    return [f"{name}_{j}" for j in range(widths[name])] if name in widths else [name]


def _with_arrays(frame: Any, features: Sequence[str]) -> tuple[Any, dict[str, int]]:
    """The frame with vectors as arrays, and the lengths of arrays."""
    from pyspark.ml.functions import vector_to_array
    from pyspark.sql import functions as F

    kinds = {f.name: f.dataType.typeName() for f in frame.schema.fields}
    named = {name: F.col(f"`{name.replace('`', '``')}`") for name in features}
    vectors = [name for name in features if "vector" in kinds[name].lower() or kinds[name] == "udt"]
    for name in vectors:
        frame = frame.withColumn(name, vector_to_array(named[name]))
    arrays = [name for name in features if kinds[name] == "array" or name in vectors]
    if not arrays:
        return frame, {}
    first = frame.select(*(F.size(named[name]) for name in arrays)).first()
    if first is None:
        raise TableError(f"{_NAME} has no row", "Found array with 0 sample(s)")
    return frame, dict(zip(arrays, map(int, first), strict=True))


def _first_row_numbers(frame: Any, n_parts: int) -> list[int]:
    """The numbers of the first rows of the partitions, counted by Spark without handing a row over."""
    from pyspark.sql import functions as F

    counts = dict(frame.groupBy(F.spark_partition_id()).count().collect())
    return [0, *accumulate(counts.get(k, 0) for k in range(n_parts))]
