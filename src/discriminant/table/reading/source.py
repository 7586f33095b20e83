"""One or several files as one table."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discriminant.findings import listed, shown
from discriminant.table.errors import MissingColumn, TableError
from discriminant.table.reading.arrow_file import ArrowFile
from discriminant.table.reading.batch import BadRows, Batch, RowCounter, SkippedRows, SparseBatch, skips_bad_rows
from discriminant.table.reading.column_types import ColumnType
from discriminant.table.reading.csv_file import CsvFile
from discriminant.table.reading.formats import format_of
from discriminant.table.reading.inputs import Input, Pipe, find_inputs
from discriminant.table.reading.svmlight_file import (
    SparseRows,
    SvmlightFile,
    count_features,
    joined_rows,
    matrix_of,
    sparse_batch,
    whole_labels,
)

BLOCK_BYTES = 1 << 22

File = CsvFile | ArrowFile | SvmlightFile


def open_table(
    paths: Sequence[str | Path], *, delimiter: str | None = None, format: str | None = None
) -> "TableSource":
    """A table in one or several files, globs, or standard input ("-"); format and delimiter are seen in its bytes."""
    inputs, notes = find_inputs(paths)
    formats = [format_of(source, format) for source in inputs]
    for source, kind in zip(inputs, formats, strict=True):
        if kind != formats[0]:
            raise TableError(
                f"{inputs[0].name} is {formats[0]} and {source.name} is {kind}", "give files of one format at a time"
            )
    files = [_open(source, formats[0], delimiter) for source in inputs]
    refuse_other_columns(files)
    return TableSource(files, formats[0], notes)


def _open(source: Input, kind: str, delimiter: str | None) -> File:
    if not source.head:
        raise TableError(f"{source.name} is empty", "name a table with a header line and rows")
    if kind == "csv":
        return CsvFile(source, delimiter)
    return SvmlightFile(source) if kind == "svmlight" else ArrowFile(source, kind)


def refuse_other_columns(files: Sequence[Any]) -> None:
    """Files, by their ``name`` and ``names``, must have the columns of the first, in any order."""
    first = files[0]
    for file in files[1:]:
        lacking = [name for name in first.names if name not in set(file.names)]
        if lacking:
            raise TableError(f"{file.name} has no column {listed(lacking, 3)}, which {first.name} has", _SAME)
        extra = [name for name in file.names if name not in set(first.names)]
        if extra:
            raise TableError(f"{file.name} has a column {listed(extra, 3)}, which {first.name} has not", _SAME)


_SAME = "several files must have the same columns"


class TableSource:
    """A table that can be read whole, or in batches with constant memory."""

    def __init__(self, files: Sequence[File], kind: str, notes: Sequence[str] = ()) -> None:
        self._files = list(files)
        self._notes = list(notes)
        self._skipped = SkippedRows()
        self._found_types: dict[str, dict[str, ColumnType]] = {}  # of text files
        self.format = kind
        self.names: tuple[str, ...] = files[0].names
        self.files: tuple[str, ...] = tuple(file.name for file in files)
        self.first_index: int | None = None  # of svmlight files: known after `read_sparse`

    @property
    def notes(self) -> list[str]:
        """What was done to read the table, in plain sentences; reading may add some."""
        return self._notes + [note for file in self._files for note in file.notes]

    @property
    def skipped(self) -> list[tuple[str, int, str]]:
        """Rows left out, as (file, line, what); the first 1000 of ``skipped_rows``."""
        return self._skipped.rows

    @property
    def skipped_rows(self) -> int:
        """How many rows were left out."""
        return self._skipped.total

    def skip(self, file: str, line: int, what: str) -> None:
        """Count a row that a caller leaves out."""
        self._skipped.add(file, line, what)

    def note_skipped(self, found: SkippedRows) -> None:
        """Take over the rows that were left out where the files were read elsewhere."""
        self._skipped += found

    def own_skipped(self) -> SkippedRows:
        """The rows left out, to be told elsewhere."""
        return self._skipped

    def sha256(self) -> str:
        """The hash of the bytes of all files in order. Safe to call from another thread while a file is read."""
        if len(self._files) == 1 and isinstance(pipe := self._files[0].source, Pipe):
            return pipe.passed()
        digest = hashlib.sha256()
        for file in self._files:
            file.source.add_to(digest)
        return digest.hexdigest()

    def read(self, on_error: str = "stop", labels: str | None = None) -> pa.Table:
        """All rows of all files; the type of a column is found from all its cells, and mixed content is text.

        The column ``labels`` stays text where numbers in it begin with a zero: 01 and 1 may be two names.
        """
        skip = skips_bad_rows(on_error)
        self._refuse_sparse("read_sparse")
        tables = self._read_files(skip)
        if labels is not None and any(map(lambda file, table: _has_padded(file, table, labels), self._files, tables)):
            tables = self._read_files(skip, [labels])
        return tables[0] if len(tables) == 1 else self._unified(tables, skip)

    def batches(
        self,
        columns: Sequence[str] | None = None,
        on_error: str = "stop",
        block_bytes: int = BLOCK_BYTES,
        as_written: Sequence[str] = (),
    ) -> Iterator[Batch]:
        """Rows in order, a few at a time: text files as text, blanks null; stored tables in their own types.

        Decimal commas of a text file become points, but in the columns ``as_written``.
        """
        skip = skips_bad_rows(on_error)
        self._refuse_sparse("sparse_batches")
        wanted = self._wanted(columns)
        self._skipped = SkippedRows()
        return self._batches(wanted, skip, block_bytes, frozenset(as_written))

    def _batches(
        self, columns: Sequence[str], skip: bool, block_bytes: int, as_written: frozenset[str]
    ) -> Iterator[Batch]:
        counter = RowCounter()
        for file in self._files:
            on_bad = BadRows(file.name, skip, self._skipped)
            assert not isinstance(file, SvmlightFile)
            for batch in file.batches(columns, on_bad, block_bytes, as_written):
                yield counter.number_rows(batch, on_bad.lines)
            counter.counted += len(on_bad.lines)  # after the last good row

    def find_types(
        self, on_error: str = "stop", labels: str | None = None, block_bytes: int = BLOCK_BYTES
    ) -> dict[str, Any]:
        """The Arrow type of each column that `read` would give it: of text files in one pass, of others as stored."""
        self._refuse_sparse("sparse_batches")
        self._skipped = SkippedRows()
        found = []
        for file in self._files:
            if isinstance(file, CsvFile):
                on_bad = BadRows(file.name, skips_bad_rows(on_error), self._skipped)
                self._found_types[file.name] = file.find_types(on_bad, block_bytes, labels)
                found.append({name: own.kind for name, own in self._found_types[file.name].items()})
            else:
                assert isinstance(file, ArrowFile)
                found.append(file.types)
        types = {name: common_type([own[name] for own in found]) for name in self.names}
        self._refuse_mixed([name for name, kind in types.items() if kind is None])
        return {name: kind or pa.string() for name, kind in types.items()}

    def typed_batches(
        self,
        types: Mapping[str, Any],
        columns: Sequence[str] | None = None,
        on_error: str = "stop",
        block_bytes: int = BLOCK_BYTES,
    ) -> Iterator[Batch]:
        """Rows in order, a few at a time, each column in its type as `find_types` found it: the cells of `read`."""
        wanted = self._wanted(columns)
        self._skipped = SkippedRows()
        return self._typed_batches(wanted, types, skips_bad_rows(on_error), block_bytes)

    def _typed_batches(
        self, columns: Sequence[str], types: Mapping[str, Any], skip: bool, block_bytes: int
    ) -> Iterator[Batch]:
        counter = RowCounter()
        schema = pa.schema([(name, types[name]) for name in columns])
        for file in self._files:
            on_bad = BadRows(file.name, skip, self._skipped)
            for batch in self._batches_of(file, columns, types, on_bad, block_bytes):
                table = batch.table if batch.table.schema.equals(schema) else batch.table.cast(schema)
                yield counter.number_rows(replace(batch, table=table), on_bad.lines)
            counter.counted += len(on_bad.lines)  # after the last good row

    def _batches_of(
        self, file: File, columns: Sequence[str], types: Mapping[str, Any], on_bad: BadRows, block_bytes: int
    ) -> Iterator[Batch]:
        if isinstance(file, ArrowFile):
            return file.batches(columns, on_bad, block_bytes, frozenset())
        assert isinstance(file, CsvFile)
        own = self._found_types.get(file.name, {})
        as_found = {name: own.get(name, ColumnType(kind)) for name, kind in types.items()}
        as_text = {name: ColumnType(kind) for name, kind in types.items() if pa.types.is_string(kind)}
        return file.typed_batches(columns, on_bad, block_bytes, as_found | as_text)

    def _wanted(self, columns: Sequence[str] | None) -> tuple[str, ...]:
        wanted, known = self.names if columns is None else tuple(columns), frozenset(self.names)
        for name in wanted:
            if name not in known:
                raise MissingColumn(name, self.names, self.files[0])
        return wanted

    def each_file(self) -> list[tuple["TableSource", int]]:
        """A source for each file alone, whose types are found already, and its size in bytes."""
        found = []
        for file in self._files:
            alone = TableSource([file], self.format)
            alone._found_types = self._found_types
            alone.names = self.names
            found.append((alone, file.source.stored_bytes()))
        return found

    @property
    def stored_bytes(self) -> int:
        """The bytes of all files as they are stored."""
        return sum(file.source.stored_bytes() for file in self._files)

    def fingerprint(self) -> list[tuple[str, int, int]]:
        """The name, size and time of change of each file: what can be known of a change without reading."""
        return [(file.name, file.source.stored_bytes(), file.source.changed_at()) for file in self._files]

    def types_by_cells(self) -> dict[str, list[str]]:
        """The columns of numbers that the parser could not read, of each text file; known after `find_types`."""
        return {file: [n for n, kind in own.items() if kind.by_cells] for file, own in self._found_types.items()}

    def restore_types(self, types: Mapping[str, Any], by_cells: Mapping[str, Sequence[str]], skipped: int) -> None:
        """Take what was found before for what `find_types` would find: types, and how many rows are left out."""
        self._skipped = SkippedRows(total=skipped)
        for file, names in by_cells.items():
            self._found_types[file] = {name: ColumnType(kind, name in names) for name, kind in types.items()}

    def count_rows(self) -> int:
        """The rows of all files, unreadable ones among them, as they are numbered: of text files in a pass."""
        total = 0
        for file in self._files:
            on_bad = BadRows(file.name, True, SkippedRows())
            if isinstance(file, ArrowFile):
                total += file.count_rows()
            elif isinstance(file, SvmlightFile):
                total += sum(rows.labels.size for rows in file.rows(on_bad, BLOCK_BYTES))
            else:
                first = file.batches(self.names[:1], on_bad, BLOCK_BYTES, frozenset())
                total += sum(batch.table.num_rows for batch in first)
            total += on_bad.skipped.total
        return total

    def begin_pass(self) -> None:
        """Count from here on what is read."""
        for file in self._files:
            file.source.begin_pass()

    def bytes_read(self) -> int:
        """About how many bytes of the files have been read in this pass."""
        return sum(file.source.bytes_read() for file in self._files)

    def bytes_in_memory(self) -> int:
        """About as many as all cells take when they are read at once."""
        return sum(file.bytes_in_memory() for file in self._files)

    def rereadable(self) -> bool:
        """Whether its bytes can be read again: a pipe gives them once."""
        return not any(isinstance(file.source, Pipe) for file in self._files)

    def read_sparse(self, on_error: str = "stop") -> tuple[Any, NDArray[Any]]:
        """All rows of svmlight files as a CSR array of floats, and the labels; sets ``first_index``."""
        self._require_sparse()
        self._skipped = SkippedRows()
        parts: list[SparseRows] = []
        for file in self._files:
            on_bad = BadRows(file.name, skips_bad_rows(on_error), self._skipped)
            assert isinstance(file, SvmlightFile)
            parts += file.rows(on_bad)
        rows = joined_rows(parts)
        missing = np.flatnonzero(np.isnan(rows.labels))
        if missing.size:
            raise TableError(f"line {rows.lines[missing[0]]} has no label", "every row needs a class")
        self.first_index = 0 if rows.indices.size and rows.indices.min() == 0 else 1
        n_features = count_features(rows, self.first_index)
        return matrix_of(rows, n_features, self.first_index), whole_labels(rows.labels)

    def sparse_batches(
        self, n_features: int, first_index: int, on_error: str = "stop", block_bytes: int = BLOCK_BYTES
    ) -> Iterator[SparseBatch]:
        """Rows of svmlight files in order; indices beyond the last feature are left out."""
        self._require_sparse()
        self._skipped = SkippedRows()
        skip = skips_bad_rows(on_error)
        return self._sparse_batches(n_features, first_index, skip, block_bytes)

    def _sparse_batches(self, n_features: int, first_index: int, skip: bool, block_bytes: int) -> Iterator[SparseBatch]:
        counter = RowCounter()
        for file in self._files:
            assert isinstance(file, SvmlightFile)
            on_bad = BadRows(file.name, skip, self._skipped)
            for rows in file.rows(on_bad, block_bytes):
                batch = sparse_batch(rows, n_features, first_index, file.name, on_bad)
                if batch.labels.size:
                    yield counter.number_rows(batch, on_bad.lines)
            counter.counted += len(on_bad.lines)  # after the last good row

    def _read_files(self, skip: bool, as_text: Sequence[str] = ()) -> list[pa.Table]:
        self._skipped = SkippedRows()
        tables = []
        for file in self._files:
            assert not isinstance(file, SvmlightFile)
            table = file.read(BadRows(file.name, skip, self._skipped), as_text)
            tables.append(table.select(list(self.names)))
        return tables

    def _unified(self, tables: list[pa.Table], skip: bool) -> pa.Table:
        """One type for each column over all files: where they do not agree, text as it is written."""
        types = {name: common_type([table.schema.field(name).type for table in tables]) for name in self.names}
        mixed = [name for name, kind in types.items() if kind is None]
        self._refuse_mixed(mixed)
        if mixed:
            tables = self._read_files(skip, mixed)
        schema = pa.schema([(name, kind or pa.string()) for name, kind in types.items()])
        return pa.concat_tables([table.cast(schema) for table in tables])

    def _refuse_mixed(self, names: Sequence[str]) -> None:
        if names and self.format != "csv":
            raise TableError(f"column {shown(names[0])} has another type in each file", "store it the same way in all")

    def _refuse_sparse(self, instead: str) -> None:
        if self.format == "svmlight":
            raise TypeError(f"svmlight files have no columns to name: use {instead}")

    def _require_sparse(self) -> None:
        if self.format != "svmlight":
            raise TypeError("only svmlight files are read as sparse rows: use read or batches")


def _has_padded(file: File, table: pa.Table, name: str) -> bool:
    """Whether a column of whole numbers has some in a text file that begin with a zero."""
    whole = name in table.schema.names and pa.types.is_integer(table.schema.field(name).type)
    return whole and isinstance(file, CsvFile) and file.has_padded(name)


def common_type(types: Sequence[Any]) -> Any:
    """The one type that holds them all: that of those that are not blank throughout; floats if all are numbers."""
    kinds = {kind for kind in types if not pa.types.is_null(kind)}
    if len(kinds) <= 1:
        return next(iter(kinds), pa.null())
    if all(pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in kinds):
        return pa.int64() if all(pa.types.is_signed_integer(kind) for kind in kinds) else pa.float64()
    if all((pa.types.is_date(kind) or pa.types.is_timestamp(kind)) and not getattr(kind, "tz", None) for kind in kinds):
        return pa.timestamp("ns")
    return None
