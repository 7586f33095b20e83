"""One table stored in types: Parquet, or Arrow's own format (Feather is the same), as a file or as a stream."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from discriminant.table.blanks import clean_text, is_text
from discriminant.table.reading.batch import Batch
from discriminant.table.reading.csv_dialect import distinct_names
from discriminant.table.reading.inputs import Input

_MOST_ROWS = 1 << 16


class ArrowFile:
    """A table whose columns have types. Text is trimmed and blank tokens are null, as in text files."""

    def __init__(self, source: Input, kind: str) -> None:
        self.source = source
        self.name = source.name
        self._parquet = kind == "parquet"
        if self._parquet or not self._is_stream:
            source.hold()
        self._schema = self._read_schema()
        self.names, self.notes = distinct_names(self._schema.names, self.name)

    @property
    def _is_stream(self) -> bool:
        return not self._parquet and not self.source.head.startswith(b"ARROW1")

    def _read_schema(self) -> Any:
        try:
            if self._parquet:
                return self._open_parquet().schema_arrow
            if self._is_stream:
                return pa.ipc.read_schema(pa.py_buffer(self.source.head))
            return pa.ipc.open_file(self.source.open_random()).schema
        except (pa.ArrowException, OSError, ValueError) as error:
            raise self.source.broken(error) from error

    def _open_parquet(self) -> Any:
        return pq.ParquetFile(self.source.open_random(), buffer_size=1 << 20, pre_buffer=False)

    def read(self) -> pa.Table:
        """All rows."""
        try:
            if self._parquet:
                table = pq.ParquetFile(self.source.open_random()).read()
            elif self._is_stream:
                table = pa.ipc.open_stream(self.source.open()).read_all()
            else:
                table = pa.ipc.open_file(self.source.open_random()).read_all()
        except (pa.ArrowException, OSError) as error:
            raise self.source.broken(error) from error
        return pa.table([plain_cells(column) for column in table.columns], names=list(self.names))

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Rows in order, with their numbers from 1."""
        places = [self.names.index(name) for name in columns]
        row = 1
        try:
            for stored in self._stored_batches(columns, places):
                cells = [plain_cells(column) for column in stored]
                n = len(cells[0]) if cells else 0
                if n:
                    batch = pa.RecordBatch.from_arrays(cells, names=list(columns))
                    yield Batch(batch, np.arange(row, row + n), self.name)
                row += n
        except (pa.ArrowException, OSError) as error:
            raise self.source.broken(error) from error

    def _stored_batches(self, columns: Sequence[str], places: list[int]) -> Iterator[list[Any]]:
        if self._parquet:
            unique = len(set(self._schema.names)) == len(self._schema.names)
            wanted = [self._schema.names[j] for j in places] if unique else None
            for batch in self._open_parquet().iter_batches(_MOST_ROWS, columns=wanted):
                yield [batch.column(k if unique else j) for k, j in enumerate(places)]
            return
        if self._is_stream:
            stored = pa.ipc.open_stream(self.source.open())
        else:
            opened = pa.ipc.open_file(self.source.open_random())
            stored = (opened.get_batch(i) for i in range(opened.num_record_batches))
        for batch in stored:
            for start in range(0, batch.num_rows, _MOST_ROWS):
                yield [batch.column(j).slice(start, _MOST_ROWS) for j in places]


def plain_cells(cells: Any) -> Any:
    """Cells in one of few types: codes looked up, decimals as floats, text trimmed with blanks null."""
    kind = cells.type
    if pa.types.is_dictionary(kind):
        cells = pc.cast(cells, kind.value_type)
    if pa.types.is_decimal(cells.type) or pa.types.is_float16(cells.type):
        return pc.cast(cells, pa.float64(), safe=False)
    if is_text(cells.type):
        return clean_text(pc.cast(cells, pa.string()))
    return cells
