"""Parts of files: a row group of a Parquet file, or a whole file of another format."""

import threading
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from discriminant.rows.labels import code_labels
from discriminant.rows.locations import StoredFile
from discriminant.rows.memory import ArrayRows
from discriminant.rows.parts import Part
from discriminant.rows.table_blocks import Origin, RowColumns, refuse_infinite
from discriminant.table.errors import BadRow, FileError, TableError
from discriminant.table.reading.arrow_file import ArrowFile, plain_cells
from discriminant.table.reading.batch import BadRows, SkippedRows
from discriminant.table.reading.column_types import ColumnType
from discriminant.table.reading.csv_file import CsvFile
from discriminant.table.reading.svmlight_file import SvmlightFile, matrix_of, whole_labels
from discriminant.table.summaries import ColumnSummary
from discriminant.table.texts import is_text

_BLOCK_NUMBERS = 1 << 22  # of a block: 32 MB as floats; large blocks are summed with the least overhead
_TEXT_BYTES = 1 << 23  # of a text file, read at once


def bad_rows(file: str) -> BadRows:
    """Stop at the first bad row."""
    return BadRows(file, False, SkippedRows())


@contextmanager
def named_faults(where: str) -> Iterator[None]:
    """Whatever the libraries below say of a damaged file, in one line that names it and the way out."""
    try:
        yield
    except BadRow as error:
        raise TableError(f"{error.file}, line {error.line}: {error.what}", "mend or drop that row") from error
    except TableError:
        raise
    except (pa.ArrowException, OSError, OverflowError, EOFError) as error:
        why = next(iter(str(error).splitlines()), type(error).__name__)
        raise FileError(f"{where}: {why}", "is the file whole? copy or write it again") from error


@dataclass(frozen=True)
class FilePart(Part):
    """Rows of one file, as record batches that `RowColumns` makes blocks of."""

    file: StoredFile
    columns: RowColumns
    types: Mapping[str, Any] = field(default_factory=dict)  # Arrow's, of columns over all files
    first_row: int | None = None
    n_bytes: int = 0
    may_change: ClassVar[bool] = False  # its file says so

    def blocks(self) -> Iterator[ArrayRows]:
        """Its rows in order; the file must be the one that it was, before and after."""
        first_row = self.first_row or 0
        for table, origin in self.tables(self.columns.needed):
            if table.num_rows:
                yield self.columns.block_of(table, origin, first_row)
                first_row += table.num_rows
        self.file.refuse_changed()

    def count(self) -> int:
        """How many rows it has, those of weight zero among them."""
        return sum(table.num_rows for table, _ in self.tables([self.columns.target]))

    def summaries(self, names: Sequence[str]) -> list[ColumnSummary]:
        """What these columns hold, for an encoding to be learnt from."""
        found = [ColumnSummary.of(name, pa.array([], self.types[name])) for name in names]
        for table, origin in self.tables(names):
            cells = [table.column(name).cast(self.types[name]) for name in names]
            for name, own in zip(names, cells, strict=True):
                refuse_infinite(own, name, origin)
            found = [a + ColumnSummary.of(a.name, own) for a, own in zip(found, cells, strict=True)]
        return found

    def tables(self, names: Sequence[str]) -> Iterator[tuple[Any, Origin]]:
        """The columns of these names, some rows at a time, and where the rows stand."""
        told = dict(self.file.constants)
        stored = [name for name in names if name not in told]
        for table, origin in self._stored_tables(stored):
            cells = {
                name: _constant(told[name], self.types[name], table.num_rows)
                if name in told
                else _as_type(table.column(name), self.types.get(name))
                for name in names
            }
            yield pa.table(cells), origin

    @abstractmethod
    def _stored_tables(self, names: Sequence[str]) -> Iterator[tuple[Any, Origin]]:
        """The tables of the columns that the file itself holds."""


def _constant(text: str, kind: Any, n_rows: int) -> Any:
    """A column that the name of a folder tells."""
    return pa.repeat(pa.scalar(text).cast(kind), n_rows)


def _as_type(cells: Any, kind: Any) -> Any:
    """Cells in the type that the column has over all files; numbers stay as they are stored."""
    if kind is None or cells.type.equals(kind) or not is_text(kind):
        return plain_cells(cells)
    return plain_cells(cells.cast(kind))


@dataclass(frozen=True)
class ParquetPart(FilePart):
    """A row group, of which the first row is row ``start`` of its file."""

    row_group: int = 0
    n_rows: int = 0
    start: int = 0

    def count(self) -> int:
        """The number of rows that the file states."""
        return self.n_rows

    def _stored_tables(self, names: Sequence[str]) -> Iterator[tuple[Any, Origin]]:
        row = self.start + 1
        with named_faults(f"{self.file.name}, row group {self.row_group} (rows {row} to {self.start + self.n_rows})"):
            source = self.file.open().open_random()
            with _opened_parquet(source, self.file) as opened:
                for table in self._read(opened, list(names)):
                    table.validate(full=True)
                    yield table, Origin(self.file.name, range(row, row + table.num_rows))
                    row += table.num_rows

    def _read(self, opened: Any, names: list[str]) -> Iterator[Any]:
        """The row group at once where that is little, which is quickest; else some rows at a time."""
        if not names:
            yield pa.table({"": pa.nulls(self.n_rows)})
        elif self.n_rows * len(names) <= _BLOCK_NUMBERS:
            yield opened.read_row_group(self.row_group, columns=names, use_threads=False)
        else:
            size = max(_BLOCK_NUMBERS // len(names), 1)
            yield from opened.iter_batches(size, row_groups=[self.row_group], columns=names, use_threads=False)


_last_footer = threading.local()  # (file, what its footer says): a thread mostly reads parts of one file in turn


def _opened_parquet(source: Any, file: StoredFile) -> Any:
    known, footer = getattr(_last_footer, "entry", (None, None))
    options = {"pre_buffer": False, "page_checksum_verification": True}
    opened = pq.ParquetFile(source, metadata=footer if known == file else None, **options)
    _last_footer.entry = file, opened.metadata
    return opened


@dataclass(frozen=True)
class ArrowPart(FilePart):
    """A file of Arrow's own format."""

    def _stored_tables(self, names: Sequence[str]) -> Iterator[tuple[Any, Origin]]:
        with named_faults(self.file.name):
            opened = ArrowFile(self.file.open(), "arrow")
            for batch in opened.batches(names, bad_rows(self.file.name), 0, frozenset()):
                yield batch.table, Origin(self.file.name, batch.lines)


@dataclass(frozen=True)
class CsvPart(FilePart):
    """A text table; ``found`` are the types that its own cells have."""

    found: Mapping[str, ColumnType] = field(default_factory=dict)
    delimiter: str | None = None
    n_rows: int = 0

    def count(self) -> int:
        """The number of rows as it was counted when types were found."""
        return self.n_rows

    def _stored_tables(self, names: Sequence[str]) -> Iterator[tuple[Any, Origin]]:
        with named_faults(self.file.name):
            opened = CsvFile(self.file.open(), self.delimiter)
            texts = {name: ColumnType(pa.string()) for name in names if is_text(self.types[name])}
            types = {**self.found, **texts}
            for batch in opened.typed_batches(names, bad_rows(self.file.name), _TEXT_BYTES, types):
                yield batch.table, Origin(self.file.name, batch.lines, "line")


@dataclass(frozen=True)
class SvmlightPart(Part):
    """A sparse text file; ``whole`` says that all labels of all files are integers."""

    file: StoredFile
    n_features: int
    first_index: int
    whole: bool
    first_row: int | None = None
    n_bytes: int = 0
    may_change: ClassVar[bool] = False  # its file says so

    def blocks(self) -> Iterator[ArrayRows]:
        """Its rows in order, sparse."""
        first_row = self.first_row or 0
        with named_faults(self.file.name):
            for rows in SvmlightFile(self.file.open()).rows(bad_rows(self.file.name), _TEXT_BYTES):
                n = rows.labels.size
                if not n:
                    continue
                origin = Origin(self.file.name, rows.lines, "line")
                missing = np.flatnonzero(np.isnan(rows.labels))
                if missing.size:
                    raise TableError(f"{origin(int(missing[0]))} has no label", "every row needs a class")
                classes, codes = code_labels(whole_labels(rows.labels) if self.whole else rows.labels)
                matrix = matrix_of(rows, self.n_features, self.first_index)
                numbers = np.arange(first_row, first_row + n)
                yield ArrayRows(matrix, classes, codes, None, None, numbers, None, origin)
                first_row += n
        self.file.refuse_changed()
