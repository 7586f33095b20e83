"""Rows on a cluster of Dask: workers open the files themselves, or hold the blocks; what travels are sums.

The sums of parts are added on the workers in the tree of `add_neighbours`, whatever their number and their retries, so
the answer is that of one machine, and a worker that dies costs time alone.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, TypeVar

import numpy as np

from discriminant.forks import importing
from discriminant.memory import freed_memory_reused
from discriminant.rows.files import open as open_files
from discriminant.rows.memory import ArrayRows, from_arrays
from discriminant.rows.part_encodings import encoding_of_parts
from discriminant.rows.parts import Part, PartRows
from discriminant.rows.protocol import Schema, add_neighbours
from discriminant.rows.table_blocks import Origin, RowColumns, choose_columns, plain_cells_of, summaries_of
from discriminant.rows.threads import one_thread, single_threaded_blas
from discriminant.table.errors import OptionError, TableError
from discriminant.table.summaries import ColumnSummary

S = TypeVar("S")

_FRAME = "the Dask DataFrame"
_ROOM_FOR_ROWS = 1 << 40  # between the first rows of partitions whose rows nobody has counted


class DaskEngine:
    """Reads and sums parts on the workers of Dask.

    Parameters
    ----------
    client : distributed.Client or None
        The cluster; None takes the scheduler that Dask is set to, which is threads of this process unless a client was
        made.

    Examples
    --------
    >>> from discriminant import rows
    >>> from discriminant.rows.parts import ArrayPart
    >>> part = ArrayPart(rows.from_arrays([[1.0], [2.0]], [0, 1]))
    >>> DaskEngine().fold([part, part], lambda part: sum(b.n_rows for b in part.blocks()), int.__add__)
    4
    """

    def __init__(self, client: Any = None) -> None:
        self.client = client

    def fold(self, parts: Sequence[Part], of_part: Callable[[Part], S], add: Callable[[S, S], S]) -> S:
        """``of_part(part)`` of every part, added up neighbours first on the workers."""
        dask = _module()
        work, plus = (dask.delayed(_Opaque(f), pure=False, traverse=False) for f in (of_part, add))
        summed, added = (dask.delayed(f, pure=False) for f in (_sum_of_part, _add))

        def task(part: Part) -> Any:
            value = part.value if isinstance(part, DelayedPart) else None
            bare = replace(part, value=None) if isinstance(part, DelayedPart) else part
            return summed(work, _Opaque(bare), value)

        total = add_neighbours(map(task, parts), lambda a, b: added(plus, a, b))
        value: S = self.compute(total)
        return value

    def compute(self, task: Any) -> Any:
        """The value of a task; whatever ends the wait ends the work too."""
        if self.client is None:
            return task.compute()
        future = self.client.compute(task)
        try:
            return future.result()
        finally:
            future.cancel()


class _Opaque:
    """Something that Dask hands on as it is: it would take dataclasses apart to look for tasks in them."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _sum_of_part(work: _Opaque, part: _Opaque, value: Any) -> Any:
    """Sum a part on a worker: BLAS has one thread, since workers have as many tasks as cores."""
    bound = part.value if value is None else replace(part.value, value=value)
    with single_threaded_blas(), one_thread(), freed_memory_reused():
        return work.value(bound)


def _add(plus: _Opaque, a: Any, b: Any) -> Any:
    return plus.value(a, b)


@dataclass(frozen=True)
class DelayedPart(Part):
    """A partition of a data frame, or arrays (X, y[, weight]), that a worker holds or computes.

    ``value`` is a task of Dask, and on the worker what it gives.
    """

    value: Any
    name: str
    columns: RowColumns | None = None
    first_row: int | None = None
    n_bytes: int = 0

    def blocks(self) -> Iterator[ArrayRows]:
        """One block; asked for outside of a worker, the partition is fetched."""
        if self.columns is None:
            X, y, weight = (*_computed(self.value), None)[:3]
            if np.size(y):
                block = from_arrays(X, y, weight)
                yield replace(block, row_numbers=(self.first_row or 0) + block.numbers)
            return
        table = plain_cells_of(self._table(), self.columns.encoded)
        if table.num_rows:
            yield self.columns.block_of(table, Origin(self.name, range(1, table.num_rows + 1)), self.first_row or 0)

    def summaries(self, names: Sequence[str]) -> list[ColumnSummary]:
        """What these columns of a data frame hold, for an encoding to be learnt from."""
        return summaries_of([self._table()], names)

    def _table(self) -> Any:
        import pyarrow as pa

        value = _computed(self.value)
        return value if isinstance(value, pa.Table) else pa.Table.from_pandas(value, preserve_index=False)

    def count(self) -> int:
        """How many rows it has."""
        value = _computed(self.value)
        return len(value) if self.columns is not None else int(np.size(value[1]))


def from_dask(
    source: Any,
    *,
    target: Any = None,
    client: Any = None,
    columns: Sequence[str] | None = None,
    weight: Any = None,
    id: str | None = None,
    encoding: Any = None,
    spool: bool | str = "auto",
    **options: Any,
) -> PartRows:
    """Rows that the workers of Dask read and sum: a cluster gives what one machine gives.

    Parameters
    ----------
    source : paths, DataFrame, Array or list of delayed
        Best are paths, as `open` takes them: workers read the files themselves and must be able to see them. A Dask
        DataFrame is read partition by partition, an Array block by block with its labels in ``target``; delayed
        values each give (X, y) or (X, y, weight). These are computed anew for every pass; ``persist()`` them if they
        fit into the memory of the cluster.
    target : str or Array
        The column of classes; of an Array, an Array of labels.
    client : distributed.Client or None
        The cluster; None takes the scheduler that Dask is set to.
    columns, id, encoding, spool
        As for `open`; an encoding is learnt on the workers. Of a DataFrame without ``id`` the rows are counted first,
        to number them.
    weight : str, Array or None
        The column of weights; of an Array, an Array of weights.
    **options
        For paths: ``filesystem``, ``delimiter`` and ``format`` of `open`.

    Returns
    -------
    PartRows
        A source for ``fit``.

    Examples
    --------
    >>> import dask
    >>> from discriminant import LinearDiscriminantAnalysis, rows
    >>> halves = [([[0.0], [1.0]], ["a", "a"]), ([[3.0], [4.5]], ["b", "b"])]
    >>> source = rows.from_dask([dask.delayed(half) for half in halves])
    >>> LinearDiscriminantAnalysis().fit(source).predict([[2.0], [2.3]]).tolist()
    ['a', 'b']
    """
    engine = DaskEngine(client)
    if hasattr(source, "to_delayed") and hasattr(source, "columns"):
        chosen = choose_columns([str(c) for c in source.columns], _FRAME, target, columns, weight, id)
        return _rows_of_frame(source, engine, chosen, encoding, spool)
    if hasattr(source, "to_delayed"):
        return _rows_of_array(source, target, weight, engine, spool)
    if isinstance(source, list | tuple) and source and hasattr(source[0], "dask"):
        return _rows_of_delayed(source, engine, spool)
    return open_files(
        source, target=target, columns=columns, weight=weight, id=id, encoding=encoding, spool=spool, engine=engine,
        **options,
    )  # fmt: skip


def _rows_of_frame(frame: Any, engine: DaskEngine, chosen: RowColumns, encoding: Any, spool: bool | str) -> PartRows:
    parts = [
        DelayedPart(task, f"{_FRAME}, partition {k}", chosen, None if chosen.id is None else k * _ROOM_FOR_ROWS)
        for k, task in enumerate(frame[list(chosen.needed)].to_delayed())
    ]
    if encoding == "auto":
        encoding = encoding_of_parts(parts, chosen.features, engine, _FRAME)
    chosen = replace(chosen, encoding=encoding)
    parts = [replace(part, columns=chosen) for part in parts]
    return PartRows(parts, Schema(len(chosen.names), chosen.names), engine, _FRAME, spool)


def _computed(task: Any) -> Any:
    return _module().compute(task)[0]


def _rows_of_array(X: Any, y: Any, weight: Any, engine: DaskEngine, spool: bool | str) -> PartRows:
    name = "the Dask Array"
    if not hasattr(y, "to_delayed"):
        raise OptionError(f"{name} has no labels", "target= takes a Dask Array with the class of every row")
    X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
    known = not np.isnan(X.shape[0])
    others = [v.rechunk((X.chunks[0],)) if known else v for v in (y, weight) if v is not None]
    tasks = [v.to_delayed().ravel().tolist() for v in (X, *others)]
    if len({len(own) for own in tasks}) > 1:
        raise TableError(f"{name} and its labels have different numbers of blocks", "compute_chunk_sizes() of both")
    starts = [0, *accumulate(X.chunks[0])] if known else [None] * len(tasks[0])
    parts = [
        DelayedPart(list(own), f"{name}, block {k}", None, starts[k]) for k, own in enumerate(zip(*tasks, strict=True))
    ]
    return PartRows(parts, Schema(int(X.shape[1])), engine, name, spool)


def _rows_of_delayed(tasks: Sequence[Any], engine: DaskEngine, spool: bool | str) -> PartRows:
    n_columns, names = engine.compute(_module().delayed(_columns_of)(tasks[0]))
    parts = [DelayedPart(task, f"delayed block {k}") for k, task in enumerate(tasks)]
    return PartRows(parts, Schema(n_columns, names), engine, "the delayed blocks", spool)


def _columns_of(value: Any) -> tuple[int, tuple[str, ...] | None]:
    block = from_arrays(*value)
    return block.n_columns, block.names


def _module() -> Any:
    try:
        with importing:
            import dask
    except ImportError as error:
        raise TableError("dask is not installed", "pip install 'discriminant[dask]'") from error
    return dask
