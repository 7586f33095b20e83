"""One text table: how it is written, and its rows: whole, parsed by all cores, or by blocks with every cell as text.

Both ways see the same rows: the whole file goes straight to the parser, and only if that finds a row of the wrong
length, a quote that is never closed or text that is not UTF-8 is it read again by blocks, where such things are named.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from discriminant.table.cells import numbers_of, with_decimal_points
from discriminant.table.errors import TableError, require_room
from discriminant.table.reading.batch import BadRows, Batch, SkippedRows
from discriminant.table.reading.column_types import ColumnType, add_types
from discriminant.table.reading.csv_dialect import CsvDialect, sniff_dialect, sniff_layout
from discriminant.table.reading.csv_rows import (
    LONGEST_ROW,
    Block,
    BlockReader,
    count_lines,
    last_row_end,
    lines_of,
    rows_in,
    without_bad_rows,
)
from discriminant.table.reading.csv_text import (
    decoded_stream,
    physical_lines,
    sniff_encoding,
    stream_by_lines,
    utf8_lines,
)
from discriminant.table.reading.inputs import HEAD_BYTES, Input, arrow_buffer, pieces_of
from discriminant.table.texts import BLANK_TOKENS, clean_text, is_text

_ENOUGH_FOR_TWO = 1 << 22  # bytes; one row is enough to begin with where the next is longer than this
_TRUE, _FALSE = ["true", "True", "TRUE"], ["false", "False", "FALSE"]
_PARSED_AT_ONCE = 1 << 20
_RESCUED_AT_ONCE = 1 << 24
_TRIED_FIRST = 1000
_PACKED = 5  # times as many bytes as a compressed file has
_COPIES = 2  # the cells, which take about as many bytes as their text, and the matrix that is made of them


class CsvFile:
    """A text table whose delimiter, header and encoding are known."""

    def __init__(self, source: Input, delimiter: str | None) -> None:
        self.source = source
        self.name = source.name
        self.encoding = sniff_encoding(source.head)
        self.notes: list[str] = []
        self._latin_said = False
        if self.encoding.name != "utf-8":
            self.notes.append(f"{self.name} is UTF-16 and was decoded.")
        head = self._head_of_rows(delimiter)
        self.dialect = self._sniff(head, delimiter)
        self.notes += self.dialect.notes
        self.names = self.dialect.names
        self.n_rows: int | None = None  # known once types have been found

    def _head_of_rows(self, delimiter: str | None) -> bytes:
        """The first rows, at least two if there are as many, before any decoding of Latin-1."""
        n = HEAD_BYTES
        while True:
            head = self._decoded(self.source.head)
            if self.source.head_is_all:
                return head
            end = last_row_end(head, delimiter or ",")
            n_rows = rows_in(head[:end], delimiter or ",").starts.size if end else 0
            if n_rows > 1 or (n_rows and n >= _ENOUGH_FOR_TWO):
                return head[:end]
            n *= 4
            if n > LONGEST_ROW:
                raise TableError(
                    f"{self.name}: no end of its first line within {LONGEST_ROW >> 20} MB", "is it a table?"
                )
            self.source.look(n)

    def _decoded(self, head: bytes) -> bytes:
        stored = head[self.encoding.mark :]
        if self.encoding.name == "utf-8":
            return stored
        return stored.decode(self.encoding.name, errors="ignore").encode("utf-8", errors="replace")

    def _sniff(self, head: bytes, delimiter: str | None) -> CsvDialect:
        """Sets where the rows begin, behind an Excel line ``sep=;``, other lines before the header, and the header."""
        start = 0
        first = head.split(b"\n", 1)[0].strip()
        if delimiter is None and len(first) == 5 and first.lower().startswith(b"sep="):
            delimiter, start = first[4:].decode("latin-1"), head.find(b"\n") + 1
        if b"\0" in first:
            raise TableError(f"{self.name} is no text table: there are zero bytes in its first line")
        text, latin = utf8_lines(head[start:])
        if latin is not None:
            self.say_latin(latin + (2 if start else 1))
        self.layout = layout = sniff_layout(text.decode(), self.name, delimiter)
        self.notes += layout.notes
        start += sum(end - begin for begin, end in islice(physical_lines(head[start:]), layout.lines_before))
        text, _ = utf8_lines(head[start:])
        dialect = sniff_dialect(layout.clean_head(text.decode()), self.name, "\t" if layout.spaces else delimiter)
        rows = rows_in(head[start:], dialect.delimiter)
        skipped = 1 if dialect.has_header else 0
        at_rows = rows.starts.size > skipped
        self._data_start = start + int(rows.starts[skipped]) if at_rows else len(head)
        line = int(rows.lines[skipped]) if at_rows else rows.n_lines
        self.first_line = line + 1 + count_lines(head[:start])
        return dialect

    def open_rows(self) -> Any:
        """A stream of UTF-8 (or Latin-1) that begins with the first row."""
        stream = self.source.open()
        _pass_over(stream, self.encoding.mark)
        if self.encoding.name != "utf-8":
            stream = decoded_stream(stream, self.encoding.name)
        _pass_over(stream, self._data_start)
        return stream_by_lines(stream, self.layout.clean) if self.layout.cleans else stream

    def say_latin(self, line: int) -> None:
        """Note, once, that a line was not UTF-8."""
        if not self._latin_said:
            self._latin_said = True
            self.notes.append(f"{self.name} is not UTF-8 (first seen on line {line}): such lines were read as Latin-1.")

    def has_quotes(self) -> bool:
        """Whether quotes may stand in the rows: where that is quickly seen, else yes."""
        if self.source.compression or self.encoding.name != "utf-8":
            return True
        return self.source.has(b'"', self.encoding.mark + self._data_start)

    # --- all rows ---------------------------------------------------------------------------------------

    def bytes_in_memory(self) -> int:
        """About as many as all cells take when they are read at once."""
        return self.source.stored_bytes() * (_PACKED if self.source.compression else 1)

    def read(self, on_bad: BadRows, as_text: Sequence[str] = ()) -> pa.Table:
        """All rows, types found from all of them; columns in ``as_text`` stay as they are written."""
        require_room(_COPIES * self.source.stored_bytes(), self.name)
        self.source.hold()
        try:
            table = self._read_fast(as_text)
        except pa.ArrowInvalid:
            table = None
        except OSError as error:
            raise self.source.broken(error) from error
        if table is None or _is_doubtful(table):
            table = self._read_rescued(on_bad, as_text)
        times = [field.name for field in table.schema if pa.types.is_time(field.type)]
        others = times + self._in_hex(_whole_numbers(table))
        if others:  # a time of day is written in many ways, and only the text tells which
            return self.read(on_bad, [*as_text, *others])
        for j, field in enumerate(table.schema):
            if is_text(field.type):
                cells = clean_text(table.column(j))
                cells = cells if field.name in as_text else _numbers_if_all(cells, self.dialect.decimal_comma)
                table = table.set_column(j, field.name, cells)
        return table

    def has_padded(self, name: str) -> bool:
        """Whether some cells of a column are numbers that begin with a zero."""
        return any(_are_padded(texts.column(0)) for texts in self._texts_of([name]))

    def _in_hex(self, names: Sequence[str]) -> list[str]:
        """Columns with cells such as 0x1F, which the parser takes for whole numbers and we do not."""
        if not names or not self._may_have_hex():
            return []
        return sorted({name for texts in self._texts_of(names) for name in names if _have_hex(texts.column(name))})

    def _may_have_hex(self) -> bool:
        last = b""
        with self.open_rows() as stream:
            for piece in pieces_of(stream):
                if _may_have_hex(last + piece):
                    return True
                last = piece[-1:]
        return False

    def _texts_of(self, names: Sequence[str]) -> Iterator[Any]:
        """Columns as they are written, some rows at a time."""
        on_bad = BadRows(self.name, True, SkippedRows())
        return (batch.table for batch in self.batches(names, on_bad, _RESCUED_AT_ONCE, frozenset(names)))

    def _read_fast(self, as_text: Sequence[str]) -> pa.Table:
        """Straight from the file; in larger pieces if a row is longer than a piece."""
        quotes, size = self.has_quotes(), _PARSED_AT_ONCE
        while True:
            try:
                with self.open_rows() as stream:
                    return self._parse_typed(_native(stream), size, quotes, as_text)
            except pa.ArrowInvalid as error:
                if "straddling" not in str(error) or size > LONGEST_ROW:
                    raise
                size *= 16

    def _read_rescued(self, on_bad: BadRows, as_text: Sequence[str]) -> pa.Table:
        with self.open_rows() as stream:
            good = (self._good_rows(block, on_bad) for block in self._blocks(stream, on_bad, _RESCUED_AT_ONCE))
            try:
                return self._parse_typed(pa.BufferReader(arrow_buffer(good)), LONGEST_ROW, True, as_text)
            except pa.ArrowInvalid as error:
                raise TableError(f"{self.name}: {str(error).splitlines()[0]}") from error

    def _parse_typed(self, stream: Any, size: int, quotes: bool, as_text: Sequence[str]) -> pa.Table:
        return self._parse(
            stream,
            size,
            quotes,
            true_values=_TRUE,
            false_values=_FALSE,
            column_types={name: pa.string() for name in as_text},
            decimal_point="," if self.dialect.decimal_comma else ".",
        )

    def _parse(self, stream: Any, size: int, quotes: bool, **conversion: Any) -> pa.Table:
        try:
            return pacsv.read_csv(
                stream,
                pacsv.ReadOptions(column_names=list(self.names), block_size=size),
                pacsv.ParseOptions(delimiter=self.dialect.delimiter, newlines_in_values=quotes),
                pacsv.ConvertOptions(null_values=list(BLANK_TOKENS), strings_can_be_null=True, **conversion),
            )
        except pa.ArrowInvalid as error:
            if "Empty CSV" not in str(error):
                raise
            return pa.table({name: pa.nulls(0) for name in self.names})

    # --- a few rows at a time ---------------------------------------------------------------------------

    def batches(
        self, columns: Sequence[str], on_bad: BadRows, block_bytes: int, as_written: frozenset[str]
    ) -> Iterator[Batch]:
        """Rows in order, every cell as text, blank ones null."""
        with self.open_rows() as stream:
            for block in self._blocks(stream, on_bad, block_bytes):
                try:
                    table = self._parse_texts(block.text, columns)
                except pa.ArrowInvalid:
                    table = self._parse_texts(self._good_rows(block, on_bad), columns)
                if table.num_rows:
                    lines = lines_of(block, self.dialect.delimiter, len(self.names), table.num_rows)
                    yield Batch(self._cleaned(table, block.text, as_written), lines, self.name)

    def find_types(self, on_bad: BadRows, block_bytes: int, labels: str | None) -> dict[str, ColumnType]:
        """The type of each column that `read` gives it, in one pass; ``labels`` is text where numbers begin with 0."""
        found, n_rows = {name: ColumnType(pa.null()) for name in self.names}, 0
        with self.open_rows() as stream:
            for block in self._blocks(stream, on_bad, block_bytes):
                known_texts = [name for name, kind in found.items() if is_text(kind.kind)]
                try:
                    types, n = self._types_in(block.text, known_texts, labels)
                except pa.ArrowInvalid:
                    types, n = self._types_in(self._good_rows(block, on_bad), known_texts, labels)
                found, n_rows = add_types(found, types), n_rows + n
        self.n_rows = n_rows
        return found

    def _types_in(self, text: bytes, as_text: Sequence[str], labels: str | None) -> tuple[dict[str, ColumnType], int]:
        """The types of the cells of one block, and how many rows it has."""
        stream = pa.BufferReader(arrow_buffer([text]))
        table = self._parse_typed(stream, len(text) + 1, b'"' in text, as_text)
        types = {field.name: self._type_of(field, table.column(j)) for j, field in enumerate(table.schema)}
        if _may_have_hex(text) and (whole := _whole_numbers(table)):
            written = self._parse_texts(text, whole)
            types |= {name: ColumnType(pa.string()) for name in whole if _have_hex(written.column(name))}
        if labels is not None and labels in types and pa.types.is_integer(types[labels].kind):
            written = self._parse_texts(text, [labels]).column(0)
            types[labels] = ColumnType(pa.string()) if _are_padded(written) else types[labels]
        return types, table.num_rows

    def _type_of(self, field: Any, cells: Any) -> ColumnType:
        if pa.types.is_time(field.type):
            return ColumnType(pa.string())
        if not is_text(field.type):
            return ColumnType(field.type)
        cells = clean_text(cells)
        if cells.null_count == len(cells):
            return ColumnType(pa.null())
        read = _numbers_if_all(cells, self.dialect.decimal_comma)
        return ColumnType(pa.string()) if is_text(read.type) else ColumnType(pa.float64(), by_cells=True)

    def typed_batches(
        self, columns: Sequence[str], on_bad: BadRows, block_bytes: int, types: Mapping[str, ColumnType]
    ) -> Iterator[Batch]:
        """Rows in order, each column in its type as `find_types` found it."""
        with self.open_rows() as stream:
            for block in self._blocks(stream, on_bad, block_bytes):
                try:
                    table = self._parse_as(block.text, columns, types)
                except pa.ArrowInvalid:
                    table = self._parse_good(self._good_rows(block, on_bad), columns, types)
                if table.num_rows:
                    lines = lines_of(block, self.dialect.delimiter, len(self.names), table.num_rows)
                    cells = [self._as_type(table.column(name), types[name]) for name in columns]
                    yield Batch(pa.RecordBatch.from_arrays(cells, names=list(columns)), lines, self.name)

    def _parse_good(self, text: bytes, columns: Sequence[str], types: Mapping[str, ColumnType]) -> pa.Table:
        """Rows of the right length, whose cells were all of their column's type when types were found."""
        try:
            return self._parse_as(text, columns, types)
        except pa.ArrowInvalid as error:
            raise TableError(
                f"{self.name} has changed while it was read: {str(error).splitlines()[0]}", "start again"
            ) from error

    def _parse_as(self, text: bytes, columns: Sequence[str], types: Mapping[str, ColumnType]) -> pa.Table:
        kinds = {name: pa.string() if types[name].by_cells else types[name].kind for name in columns}
        return self._parse(
            pa.BufferReader(arrow_buffer([text])),
            len(text) + 1,
            b'"' in text,
            include_columns=list(columns),
            column_types=kinds,
            true_values=_TRUE,
            false_values=_FALSE,
            decimal_point="," if self.dialect.decimal_comma else ".",
        )

    def _as_type(self, cells: Any, kind: ColumnType) -> Any:
        cells = cells.combine_chunks()
        if not is_text(cells.type):
            return cells
        cells = clean_text(cells)
        if not kind.by_cells:
            return cells
        plain = with_decimal_points(cells) if self.dialect.decimal_comma else cells
        return pa.array(numbers_of(plain)[0], from_pandas=True)

    def _blocks(self, stream: Any, on_bad: BadRows, block_bytes: int) -> Iterator[Block]:
        reader = BlockReader(stream, self.name, self.dialect.delimiter, self.first_line, on_bad, self.say_latin)
        try:
            yield from reader.blocks(block_bytes)
        except OSError as error:
            raise self.source.broken(error) from error

    def _good_rows(self, block: Block, on_bad: BadRows) -> bytes:
        return without_bad_rows(block, self.dialect.delimiter, len(self.names), on_bad)

    def _parse_texts(self, text: bytes, columns: Sequence[str]) -> pa.Table:
        stream, types = pa.BufferReader(arrow_buffer([text])), {name: pa.string() for name in columns}
        return self._parse(stream, len(text) + 1, b'"' in text, include_columns=list(columns), column_types=types)

    def _cleaned(self, table: pa.Table, text: bytes, as_written: frozenset[str]) -> pa.RecordBatch:
        cells = [column.combine_chunks() for column in table.columns]
        if _may_need_trimming(text, self.dialect.delimiter.encode()):
            cells = [clean_text(c) for c in cells]
        names = table.schema.names
        if self.dialect.decimal_comma:
            cells = [c if name in as_written else with_decimal_points(c) for name, c in zip(names, cells, strict=True)]
        return pa.RecordBatch.from_arrays(cells, names=names)


def _pass_over(stream: Any, n: int) -> None:
    while n > 0 and (piece := stream.read(n)):
        n -= len(piece)


def _are_padded(cells: Any) -> bool:
    """Whether some numbers begin with a zero: 01 and 1 may be two names."""
    return bool(pc.any(pc.match_substring_regex(cells, "^[+-]?0[0-9]")).as_py())


def _whole_numbers(table: pa.Table) -> list[str]:
    """The columns that the parser took for whole numbers."""
    return [field.name for field in table.schema if pa.types.is_integer(field.type)]


def _may_have_hex(text: bytes) -> bool:
    """Whether a number in base 16 may stand in a text; most have no x at all, which is seen at once."""
    return (b"x" in text and b"0x" in text) or (b"X" in text and b"0X" in text)


def _have_hex(cells: Any) -> bool:
    return bool(pc.any(pc.match_substring_regex(cells, "^0[xX]")).as_py())


def _is_doubtful(table: pa.Table) -> bool:
    """Whether text was not UTF-8, or the last cell may be one whose quote was never closed."""
    if any(pa.types.is_binary(field.type) for field in table.schema):
        return True
    last = table.column(table.num_columns - 1)
    return bool(len(last) and is_text(last.type) and "\n" in (last[-1].as_py() or ""))


def _numbers_if_all(cells: Any, decimal_comma: bool) -> Any:
    """The cells as numbers if all are; else as they are written, for a column of texts is read by itself."""
    plain = with_decimal_points(cells) if decimal_comma else cells
    if numbers_of(plain.slice(0, _TRIED_FIRST))[1].any():
        return cells
    values, wrong = numbers_of(plain)
    return cells if wrong.any() else pa.chunked_array([pa.array(values, from_pandas=True)])


def _may_need_trimming(text: bytes, delimiter: bytes) -> bool:
    """Whether blanks may stand at the edge of a cell; the parser has seen to blank tokens without."""
    if not text.isascii() or any(odd in text for odd in (b"\v", b"\f", b"\x1c", b"\x1d", b"\x1e", b"\x1f")):
        return True
    if b'"' in text or (b"\t" in text and delimiter != b"\t"):
        return True
    edges = (delimiter, b"\n", b"\r")
    return (
        text.startswith(b" ")
        or text.endswith(b" ")
        or (b" " in text and any(e + b" " in text or b" " + e in text for e in edges))
    )


def _native(stream: Any) -> Any:
    """A stream that Arrow's threads can read without Python."""
    return stream if isinstance(stream, pa.NativeFile) else pa.BufferReader(arrow_buffer(pieces_of(stream)))
