"""One table stored in types: Parquet, or Arrow's own format (Feather is the same), as a file or as a stream.

Nothing of a file is believed. The places that its messages name are checked before Arrow follows them
(`arrow_messages`), and every batch of rows is validated in full before a cell is looked at.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from discriminant.table.cells import plain_type
from discriminant.table.errors import TableError, require_room
from discriminant.table.reading.arrow_messages import CheckedMessages, messages_within
from discriminant.table.reading.batch import BadRows, Batch
from discriminant.table.reading.csv_dialect import distinct_names
from discriminant.table.reading.inputs import Input
from discriminant.table.texts import clean_text, is_text, numpy_of

_LEAST_ROWS, _MOST_ROWS = 1 << 10, 1 << 16  # of a batch
_SMALL_FILE = 1 << 26  # bytes, whose columns may be held as they are stored
_PIECE = 1 << 20
_CELL = 8  # bytes of a number in memory
_PACKED = 2  # times as many bytes as an Arrow file has, whose buffers may be compressed
_VIEW = np.dtype((np.uint32, 4))  # of a text: its length, and the text itself or where it stands
_LARGEST_HEAD = 1 << 28  # bytes in which the description of a stream must end


class ArrowFile:
    """A table whose columns have types. Text is trimmed and blank tokens are null, as in text files."""

    def __init__(self, source: Input, kind: str) -> None:
        self.source = source
        self.name = source.name
        self._parquet = kind == "parquet"
        if self._parquet or not self._is_stream:
            source.hold()
        with self._named_faults():
            self._schema = self._read_schema()
            _check_names(self._schema)
            self.names, self.notes = distinct_names(self._schema.names, self.name)

    @property
    def _is_stream(self) -> bool:
        return not self._parquet and not self.source.head.startswith(b"ARROW1")

    @contextmanager
    def _named_faults(self) -> Iterator[None]:
        """Whatever the libraries below say of a damaged file, in one line that names it."""
        try:
            yield
        except TableError:
            raise
        except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
            raise self.source.broken(error) from error

    def _read_schema(self) -> Any:
        if self._parquet:
            return self._open_parquet().schema_arrow
        if not self._is_stream:
            return self._messages().schema
        while True:  # the head of a stream, which may come through a pipe, is all that can be read twice
            head = self.source.head
            try:
                return CheckedMessages(pa.BufferReader(head), self._allow).open_reader().schema
            except ValueError:
                if self.source.head_is_all or len(head) > _LARGEST_HEAD:
                    raise
            self.source.look(4 * len(head))

    def _allow(self, needed: int) -> None:
        require_room(needed, f"{self.name}: a part of it")

    def _messages(self) -> Any:
        """Arrow's reader of the record batches."""
        if self._is_stream:
            return CheckedMessages(self.source.open(), self._allow).open_reader()
        return messages_within(self.source.open_random(), self._allow).open_reader()

    def _open_parquet(self) -> Any:
        """Read piece by piece if large; that makes room for as many bytes as a page is said to have, true or not."""
        piece = _PIECE if self.source.stored_bytes() > _SMALL_FILE else 0
        return pq.ParquetFile(
            self.source.open_random(), buffer_size=piece, pre_buffer=False, page_checksum_verification=True
        )

    @property
    def types(self) -> dict[str, Any]:
        """The types of the columns as their cells are given, whatever they are stored as."""
        empty = self._schema.empty_table()
        cells = [plain_cells(column) for column in empty.columns]
        return {name: column.type for name, column in zip(self.names, cells, strict=True)}

    def read(self, on_bad: BadRows, as_text: Sequence[str] = ()) -> pa.Table:
        """All rows, each column in its own type: none is bad, and no text is read as anything else."""
        with self._named_faults():
            whole = self._parquet_table() if self._parquet else pa.Table.from_batches(self._checked(), self._schema)
            return pa.table([plain_cells(column) for column in whole.columns], names=list(self.names))

    def count_rows(self) -> int:
        """How many rows the file has."""
        with self._named_faults():
            if self._parquet:
                return int(self._open_parquet().metadata.num_rows)
            return sum(batch.num_rows for batch in self._messages())

    def bytes_in_memory(self) -> int:
        """About as many as all cells take when they are read at once."""
        if not self._parquet:
            return _PACKED * self.source.stored_bytes()
        metadata = self._open_parquet().metadata
        stored = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
        return int(max(stored, _CELL * metadata.num_rows * metadata.num_columns))

    def _parquet_table(self) -> Any:
        require_room(self.bytes_in_memory(), self.name)
        opened = self._open_parquet()
        table = opened.read()
        table.validate(full=True)
        return table

    def _checked(self) -> Iterator[Any]:
        """The record batches of an Arrow file, validated."""
        for batch in self._messages():
            batch.validate(full=True)
            own = [_without_null_views(cells) for cells in batch.columns]
            yield pa.RecordBatch.from_arrays(own, schema=batch.schema)

    def batches(
        self, columns: Sequence[str], on_bad: BadRows, block_bytes: int, as_written: frozenset[str]
    ) -> Iterator[Batch]:
        """Rows in order, with their numbers from 1, each column in its own type."""
        places = [self.names.index(name) for name in columns]
        row = 1
        with self._named_faults():
            rows_each = min(max(block_bytes // (_CELL * max(len(places), 1)), _LEAST_ROWS), _MOST_ROWS)
            for stored in self._stored_batches(places, rows_each):
                cells = [plain_cells(column) for column in stored]
                n = len(cells[0]) if cells else 0
                if n:
                    batch = pa.RecordBatch.from_arrays(cells, names=list(columns))
                    yield Batch(batch, np.arange(row, row + n), self.name)
                row += n

    def _stored_batches(self, places: list[int], rows_each: int) -> Iterator[list[Any]]:
        """The columns at these places, some rows at a time."""
        if self._parquet:
            unique = len(set(self._schema.names)) == len(self._schema.names)
            wanted = [self._schema.names[j] for j in places] if unique else None
            for batch in self._open_parquet().iter_batches(rows_each, columns=wanted):
                batch.validate(full=True)
                yield [batch.column(k if unique else j) for k, j in enumerate(places)]
            return
        for batch in self._checked():
            for start in range(0, batch.num_rows, rows_each):
                yield [batch.column(j).slice(start, rows_each) for j in places]


def _without_null_views(cells: Any) -> Any:
    """Cells with empty views where they are null: Arrow validates nothing there, yet follows these views in a cast."""
    if not pa.types.is_string_view(cells.type) or not cells.null_count:
        return cells
    validity, views, *texts = cells.buffers()
    own = np.frombuffer(views, dtype=_VIEW).copy()
    own[cells.offset :][: len(cells)][numpy_of(cells.is_null())] = 0
    return pa.Array.from_buffers(
        cells.type, len(cells), [validity, pa.py_buffer(own), *texts], cells.null_count, cells.offset
    )


def _check_names(fields: Iterable[Any]) -> None:
    """Refuse names that are no text, also within columns of several parts: Arrow lets them pass, Python does not."""
    for field in fields:
        str(field.name)
        kind = field.type
        _check_names(kind.field(j) for j in range(kind.num_fields))


def plain_cells(cells: Any) -> Any:
    """Cells in one of few types: codes looked up, decimals as floats, text trimmed with blanks null."""
    cells = plain_type(cells)
    if pa.types.is_decimal(cells.type) or pa.types.is_float16(cells.type):
        return pc.cast(cells, pa.float64(), safe=False)
    if is_text(cells.type):
        return clean_text(pc.cast(cells, pa.string()))
    return cells
