"""What files hold together: their columns, the types of these, and the parts to read them by.

Parquet and Arrow files say their types; those of text tables, and the size of sparse ones, are found in a pass over
them, by the same engine that later reads their rows.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from discriminant.findings import shown
from discriminant.rows.file_parts import ArrowPart, CsvPart, FilePart, ParquetPart, SvmlightPart, bad_rows, named_faults
from discriminant.rows.locations import StoredFile
from discriminant.rows.part_encodings import encoding_of_parts
from discriminant.rows.parts import Engine, Part
from discriminant.rows.table_blocks import RowColumns, encoding_of
from discriminant.table.encoding import Encoding
from discriminant.table.errors import TableError
from discriminant.table.reading.arrow_file import ArrowFile
from discriminant.table.reading.column_types import ColumnType
from discriminant.table.reading.csv_file import CsvFile
from discriminant.table.reading.formats import format_of, may_be_sparse_text
from discriminant.table.reading.source import BLOCK_BYTES, common_type, refuse_other_columns
from discriminant.table.reading.svmlight_file import SvmlightFile
from discriminant.table.summaries import ColumnSummary

T = TypeVar("T")

_NO_COLUMNS = RowColumns((), "")
_LARGEST_WHOLE = 2.0**53


@dataclass(frozen=True)
class FoundFile:
    """What one file holds: columns with the types of their cells, and the parts to read it by."""

    name: str
    names: tuple[str, ...]
    types: Mapping[str, Any]
    parts: tuple[FilePart, ...]
    n_rows: int | None


@dataclass(frozen=True)
class FileTable:
    """Several files as one table; ``n_rows`` is None where rows were not counted."""

    file: str  # the first, for messages
    names: tuple[str, ...]
    types: Mapping[str, Any]
    parts: tuple[FilePart, ...]
    n_rows: int | None

    def learn_encoding(self, columns: RowColumns, engine: Engine) -> Encoding:
        """How the features become numbers, from one pass over them: that of the whole table read at once."""
        if not self.parts:
            return encoding_of(
                [ColumnSummary.of(name, pa.array([], self.types[name])) for name in columns.features], self.file
            )
        return encoding_of_parts(self.parts, columns.features, engine, self.file)


def open_files(
    files: Sequence[StoredFile], kind: str, engine: Engine, delimiter: str | None, target: str, all_columns: bool
) -> FileTable:
    """Files of one format as a table; ``all_columns`` asks that all have the same ones."""
    found = _inspect(files, engine, partial(_found_file, kind=kind, delimiter=delimiter, target=target))
    if all_columns:
        refuse_other_columns(found)
    common = [name for name in found[0].names if all(name in file.types for file in found)]
    types = {name: _one_type(name, found, kind) for name in common}
    parts = _number_parts([replace(part, types=types) for file in found for part in file.parts])
    counts = [file.n_rows for file in found]
    n_rows = None if None in counts else sum(n for n in counts if n is not None)
    return FileTable(found[0].name, tuple(common), types, tuple(parts), n_rows)


def _inspect(files: Sequence[StoredFile], engine: Engine, of_file: Callable[[Part], list[T]]) -> list[T]:
    """What each file holds, looked at wherever they will be read."""
    parts = [ArrowPart(file, _NO_COLUMNS, n_bytes=file.n_bytes) for file in files]
    return engine.fold(parts, of_file, operator.add)


def _number_parts(parts: Sequence[FilePart]) -> Sequence[FilePart]:
    """The parts with the number of their first row, where all that come before are counted."""
    counts = [n for part in parts if (n := getattr(part, "n_rows", None)) is not None]
    if len(counts) < len(parts):
        return parts
    return [part.numbered(start) for part, start in zip(parts, [0, *accumulate(counts)], strict=False)]


def _one_type(name: str, found: Sequence[FoundFile], kind: str) -> Any:
    own = common_type(list({file.types[name] for file in found}))
    if own is None and kind != "csv":
        a = found[0]
        b = next(file for file in found if common_type([a.types[name], file.types[name]]) is None)
        raise TableError(
            f"column {shown(name)} is stored as {a.types[name]} in {a.name} and as {b.types[name]} in {b.name}",
            "store it the same way in all",
        )
    return pa.string() if own is None else own


def _found_file(part: Part, kind: str, delimiter: str | None, target: str) -> list[FoundFile]:
    file: StoredFile = part.file  # type: ignore[attr-defined]
    with named_faults(file.name):
        source = file.open()
        if format_of(source, None if kind == "csv" else kind) != kind:
            raise TableError(f"{file.name} is not {kind}, as the first file is", "give files of one format at a time")
        look = {"csv": _look_at_text, "arrow": _look_at_arrow, "parquet": _look_at_parquet}[kind]
        found = look(file, source, delimiter, target)
    told = {name: _type_of_text(text) for name, text in file.constants if name not in found.types}
    kept = tuple((name, text) for name, text in file.constants if name in told)
    file = replace(file, constants=kept)
    parts = tuple(replace(own, file=file) for own in found.parts)
    return [replace(found, names=(*found.names, *told), types={**found.types, **told}, parts=parts)]


def _type_of_text(text: str) -> Any:
    """What a folder tells: a whole number, or a text."""
    return pa.int64() if text.isdecimal() and len(text) < 18 else pa.string()


def _look_at_text(file: StoredFile, source: Any, delimiter: str | None, target: str) -> FoundFile:
    opened = CsvFile(source, delimiter)
    found: dict[str, ColumnType] = opened.find_types(bad_rows(file.name), BLOCK_BYTES, target)
    part = CsvPart(file, _NO_COLUMNS, n_bytes=file.n_bytes, found=found, delimiter=delimiter, n_rows=opened.n_rows or 0)
    types = {name: own.kind for name, own in found.items()}
    return FoundFile(file.name, opened.names, types, (part,), opened.n_rows)


def _look_at_arrow(file: StoredFile, source: Any, delimiter: str | None, target: str) -> FoundFile:
    opened = ArrowFile(source, "arrow")
    return FoundFile(file.name, opened.names, opened.types, (ArrowPart(file, _NO_COLUMNS, n_bytes=file.n_bytes),), None)


def _look_at_parquet(file: StoredFile, source: Any, delimiter: str | None, target: str) -> FoundFile:
    opened = ArrowFile(source, "parquet")
    with pq.ParquetFile(source.open_random()) as stored:
        metadata = stored.metadata
        if opened.names != tuple(stored.schema_arrow.names):
            raise TableError(f"{file.name} has columns without a name of their own", "give each column another name")
    groups = [metadata.row_group(k) for k in range(metadata.num_row_groups)]
    starts = [0, *accumulate(group.num_rows for group in groups)]
    parts = tuple(
        ParquetPart(
            file, _NO_COLUMNS, n_bytes=group.total_byte_size, row_group=k, n_rows=group.num_rows, start=starts[k]
        )
        for k, group in enumerate(groups)
        if group.num_rows
    )
    return FoundFile(file.name, opened.names, opened.types, parts, metadata.num_rows)


# --- sparse files -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SparseFiles:
    """Sparse text files as one table."""

    parts: tuple[SvmlightPart, ...]
    n_features: int
    n_rows: int


@dataclass(frozen=True)
class _SparseExtent:
    """What a pass over a sparse file finds; the least index is −1 and the largest −1 where there is none."""

    n_rows: int
    least: int
    largest: int
    whole: bool


def open_sparse_files(files: Sequence[StoredFile], engine: Engine) -> SparseFiles:
    """Sparse text files as a table with as many columns as their largest index says."""
    found = _inspect(files, engine, _sparse_extent)
    first_index = 0 if any(extent.least == 0 for extent in found) else 1
    n_features = max(extent.largest for extent in found) - first_index + 1
    if n_features <= 0:
        raise TableError(f"{files[0].name} holds no value", "name a file with rows")
    starts = [0, *accumulate(extent.n_rows for extent in found)]
    whole = all(extent.whole for extent in found)
    parts = tuple(
        SvmlightPart(file, n_features, first_index, whole, start, file.n_bytes)
        for file, start in zip(files, starts, strict=False)
    )
    return SparseFiles(parts, n_features, starts[-1])


def _sparse_extent(part: Part) -> list[_SparseExtent]:
    file: StoredFile = part.file  # type: ignore[attr-defined]
    n_rows, least, largest, whole = 0, 2**31, -1, True
    with named_faults(file.name):
        source = file.open()
        if format_of(source, None) != "svmlight" and not may_be_sparse_text(source.head):
            raise TableError(f"{file.name} is not svmlight, as the first file is", "give files of one format at a time")
        for rows in SvmlightFile(source).rows(bad_rows(file.name)):
            n_rows += rows.labels.size
            if rows.indices.size:
                least, largest = min(least, int(rows.indices.min())), max(largest, int(rows.indices.max()))
            known = rows.labels[~np.isnan(rows.labels)]
            whole &= bool((np.abs(known) < _LARGEST_WHOLE).all() and (known == np.floor(known)).all())
    return [_SparseExtent(n_rows, least, largest, whole)]
