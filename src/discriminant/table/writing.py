"""Tables out, block by block and all or nothing.

In text files a text cell that a spreadsheet would take for a formula gets an apostrophe in front; numbers do not.
"""

import contextlib
import csv
import io
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Protocol, Self, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from discriminant.findings import shown
from discriminant.table.cells import plain_type
from discriminant.table.errors import TableError
from discriminant.table.saving import atomic_file, named_errors
from discriminant.table.texts import PLAIN_NUMBER, is_text

_FORMATS = {
    ".csv": ("csv", ","),
    ".txt": ("csv", ","),
    ".tsv": ("csv", "\t"),
    ".parquet": ("parquet", ""),
    ".pq": ("parquet", ""),
    ".arrow": ("arrow", ""),
    ".feather": ("arrow", ""),
    ".ipc": ("arrow", ""),
}
_COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
_FORMULA = r"\A[=+\-@\t\r\n]"


class _Sink(Protocol):
    """A writer of one format, as those of Arrow are."""

    def write_batch(self, batch: pa.RecordBatch) -> None: ...

    def close(self) -> None: ...


class TableWriter:
    """Takes batches of one table with these columns; ``with`` it, so that an error leaves no file.

    The suffix of the path tells the format, and "-" is CSV to standard output.
    """

    def __init__(self, path: str | Path, names: Sequence[str], format: str | None = None) -> None:
        self.names = tuple(names)
        self.rows = 0
        self._path = path
        self._kind, self._delimiter, self._compression = _format_of(path, format)
        self._open = contextlib.ExitStack()
        self._sink: _Sink | None = None
        self._file: _BorrowedFile

    def __enter__(self) -> Self:
        file = _standard_output() if str(self._path) == "-" else atomic_file(self._path)
        self._file = _BorrowedFile(self._open.enter_context(file))
        return self

    def write(self, batch: pa.RecordBatch) -> None:
        """The next rows: the writer's columns, in its order; their types are those of the first batch."""
        if tuple(batch.schema.names) != self.names:
            raise ValueError(f"the batch has columns {batch.schema.names}, the writer {list(self.names)}")
        if self._sink is None:
            self._sink = self._begin(batch.schema)
        self._sink.write_batch(batch)
        self.rows += batch.num_rows

    def _begin(self, schema: pa.Schema) -> _Sink:
        raw = pa.PythonFile(self._file, mode="w")
        if self._kind == "parquet":
            from pyarrow import parquet

            return cast(_Sink, parquet.ParquetWriter(raw, schema))
        if self._kind == "arrow":
            return cast(_Sink, pa.ipc.new_file(raw, schema))
        return _CsvSink(raw, self.names, self._delimiter, self._compression)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        if error is not None:
            self._give_up()
            return self._open.__exit__(kind, error, trace)
        with self._open:
            try:
                sink = self._sink = self._sink or self._begin(pa.schema([(name, pa.string()) for name in self.names]))
                sink.close()
            except BaseException:
                self._give_up()
                raise
        return None

    def _give_up(self) -> None:
        """Let the format's own writer end, without a word of it reaching the file."""
        self._file.deaf = True
        with contextlib.suppress(Exception):
            if self._sink is not None:
                self._sink.close()


def _format_of(path: str | Path, asked: str | None) -> tuple[str, str, str | None]:
    """Kind, delimiter and compression."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    compression = _COMPRESSIONS.get(suffixes[-1]) if suffixes else None
    if compression:
        suffixes.pop()
    if asked is not None:
        suffix = "." + asked.lower().lstrip(".")
    else:
        suffix = ".csv" if str(path) == "-" else (suffixes[-1] if suffixes else "")
    if suffix not in _FORMATS:
        what = shown(asked) if asked is not None else f"the suffix of {path}"
        raise TableError(f"{what} names no format of tables", "use .csv, .csv.gz, .tsv, .parquet, .arrow or .feather")
    kind, delimiter = _FORMATS[suffix]
    if compression and kind != "csv":
        raise TableError(f"{path}: {kind} files are compressed inside", f"leave {Path(path).suffix} away")
    return kind, delimiter, compression


@contextlib.contextmanager
def _standard_output() -> Iterator[IO[bytes]]:
    with named_errors("standard output"):
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()


class _BorrowedFile(io.RawIOBase):
    """A file that its borrower cannot close, and that can be made deaf to what it still writes."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__()
        self._file = file
        self.deaf = False

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        return len(content) if self.deaf else self._file.write(content)

    def flush(self) -> None:
        if not self.deaf and not self._file.closed:
            self._file.flush()


class _CsvSink:
    def __init__(self, raw: Any, names: Sequence[str], delimiter: str, compression: str | None) -> None:
        self._packed = pa.CompressedOutputStream(raw, compression) if compression else None
        self._file = self._packed or raw
        self._delimiter = delimiter
        header = io.StringIO()
        csv.writer(header, delimiter=delimiter, lineterminator="\n").writerow([_harmless_name(name) for name in names])
        self._file.write(header.getvalue().encode())

    def write_batch(self, batch: pa.RecordBatch) -> None:
        cells = [_escape_formulas(_writable_cells(column)) for column in batch.columns]
        plain = not any(_needs_quotes(column, self._delimiter) for column in cells)
        options = pacsv.WriteOptions(
            include_header=False, delimiter=self._delimiter, quoting_style="none" if plain else "needed"
        )
        pacsv.write_csv(pa.RecordBatch.from_arrays(cells, names=batch.schema.names), self._file, options)

    def close(self) -> None:
        if self._packed is not None:
            self._packed.close()


def _writable_cells(cells: Any) -> Any:
    """Cells in a type that the text writer knows; flags as Python, pandas and our own headers spell them."""
    cells = plain_type(cells)
    return pc.if_else(cells, "True", "False") if pa.types.is_boolean(cells.type) else cells


def _escape_formulas(cells: Any) -> Any:
    """Text that a spreadsheet would run gets an apostrophe in front; a number stored as text is none."""
    if not is_text(cells.type):
        return cells
    risky = pc.match_substring_regex(cells, _FORMULA)
    if not pc.any(risky).as_py():
        return cells
    risky = pc.and_not(risky, pc.match_substring_regex(cells, PLAIN_NUMBER))
    return pc.if_else(risky, pc.binary_join_element_wise("'", cells, ""), cells)


def _harmless_name(name: str) -> str:
    return "'" + name if name[:1] in tuple("=+-@\t\r\n") else name


def _needs_quotes(cells: Any, delimiter: str) -> bool:
    return is_text(cells.type) and bool(pc.any(pc.match_substring_regex(cells, f'[{delimiter}"\r\n]')).as_py())
