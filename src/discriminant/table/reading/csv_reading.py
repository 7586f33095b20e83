"""The rows of a text table: whole, parsed by all cores, or block by block with every cell as text.

Both see the same rows: the whole file goes straight to the parser, and only if that finds a row of the wrong length,
a quote that is never closed or text that is not UTF-8 is it read again through the blocks, where such things are named.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from discriminant.table.cells import numbers_of, with_decimal_points
from discriminant.table.errors import TableError
from discriminant.table.reading.batch import BadRows, Batch, Skipped
from discriminant.table.reading.csv_blocks import LONGEST_ROW, Block, BlockReader, lines_of, without_bad_rows
from discriminant.table.reading.csv_file import CsvFile
from discriminant.table.reading.inputs import arrow_buffer, pieces_of
from discriminant.table.reading.memory import require_room
from discriminant.table.texts import BLANK_TOKENS, clean_text, is_text

_TRUE, _FALSE = ["true", "True", "TRUE"], ["false", "False", "FALSE"]
_PARSED_AT_ONCE = 1 << 20
_RESCUED_AT_ONCE = 1 << 24
_TRIED_FIRST = 1000
_COPIES = 2  # the cells, which take about as many bytes as their text, and the matrix that is made of them


def read_csv(file: CsvFile, on_bad: BadRows, as_text: Sequence[str] = ()) -> pa.Table:
    """All rows, types found from all of them; columns in ``as_text`` stay as they are written."""
    require_room(_COPIES * file.source.stored_bytes(), file.name)
    file.source.hold()
    try:
        table = _read_fast(file, as_text)
    except pa.ArrowInvalid:
        table = None
    except OSError as error:
        raise file.source.broken(error) from error
    if table is None or _is_doubtful(table):
        table = _read_rescued(file, on_bad, as_text)
    times = [field.name for field in table.schema if pa.types.is_time(field.type)]
    if times:  # a time of day is written in many ways, and only the text tells which
        return read_csv(file, on_bad, [*as_text, *times])
    return _settled(table, file.dialect.decimal_comma, set(as_text))


def has_padded(file: Any, table: pa.Table, name: str) -> bool:
    """Whether a column of whole numbers has some in a text file that begin with a zero."""
    if not isinstance(file, CsvFile) or name not in table.schema.names:
        return False
    if not pa.types.is_integer(table.schema.field(name).type):
        return False
    batches = csv_batches(file, [name], BadRows(file.name, True, Skipped()), _RESCUED_AT_ONCE, frozenset([name]))
    return any(pc.any(pc.match_substring_regex(b.table.column(0), "^[+-]?0[0-9]")).as_py() for b in batches)


def csv_batches(
    file: CsvFile, columns: Sequence[str], on_bad: BadRows, block_bytes: int, as_written: frozenset[str]
) -> Iterator[Batch]:
    """Rows in order, every cell as text, blank ones null."""
    with file.open_rows() as stream:
        for block in _blocks(file, stream, on_bad, block_bytes):
            n, delimiter = len(file.names), file.dialect.delimiter
            try:
                table = _parse_texts(file, block.text, columns)
            except pa.ArrowInvalid:
                table = _parse_texts(file, without_bad_rows(block, delimiter, n, on_bad).text, columns)
            if table.num_rows:
                lines = lines_of(block, delimiter, n, table.num_rows)
                yield Batch(_cleaned(table, block.text, file, as_written), lines, file.name)


def _blocks(file: CsvFile, stream: Any, on_bad: BadRows, block_bytes: int) -> Iterator[Block]:
    reader = BlockReader(stream, file.name, file.dialect.delimiter, file.first_line, on_bad, file.say_latin)
    try:
        yield from reader.blocks(block_bytes)
    except OSError as error:
        raise file.source.broken(error) from error


def _read_fast(file: CsvFile, as_text: Sequence[str]) -> pa.Table:
    """Straight from the file; in larger pieces if a row is longer than a piece."""
    quotes = file.has_quotes()
    size = _PARSED_AT_ONCE
    while True:
        try:
            with file.open_rows() as stream:
                return _parse(file, _native(stream), quotes, size, as_text)
        except pa.ArrowInvalid as error:
            if "straddling" not in str(error) or size > LONGEST_ROW:
                raise
            size *= 16


def _parse(file: CsvFile, stream: Any, quotes: bool, size: int, as_text: Sequence[str]) -> pa.Table:
    try:
        return pacsv.read_csv(
            stream,
            pacsv.ReadOptions(column_names=list(file.names), block_size=size),
            pacsv.ParseOptions(delimiter=file.dialect.delimiter, newlines_in_values=quotes),
            pacsv.ConvertOptions(
                null_values=list(BLANK_TOKENS),
                strings_can_be_null=True,
                true_values=_TRUE,
                false_values=_FALSE,
                column_types={name: pa.string() for name in as_text},
                decimal_point="," if file.dialect.decimal_comma else ".",
            ),
        )
    except pa.ArrowInvalid as error:
        if "Empty CSV" not in str(error):
            raise
        return pa.table({name: pa.nulls(0) for name in file.names})


def _is_doubtful(table: pa.Table) -> bool:
    """Whether text was not UTF-8, or the last cell may be one whose quote was never closed."""
    if any(pa.types.is_binary(field.type) for field in table.schema):
        return True
    last = table.column(table.num_columns - 1)
    return bool(len(last) and is_text(last.type) and "\n" in (last[-1].as_py() or ""))


def _read_rescued(file: CsvFile, on_bad: BadRows, as_text: Sequence[str]) -> pa.Table:
    n, delimiter = len(file.names), file.dialect.delimiter
    with file.open_rows() as stream:
        blocks = _blocks(file, stream, on_bad, _RESCUED_AT_ONCE)
        good = (without_bad_rows(block, delimiter, n, on_bad).text for block in blocks)
        try:
            return _parse(file, pa.BufferReader(arrow_buffer(good)), True, LONGEST_ROW, as_text)
        except pa.ArrowInvalid as error:
            raise TableError(f"{file.name}: {str(error).splitlines()[0]}") from error


def _settled(table: pa.Table, decimal_comma: bool, as_text: set[str]) -> pa.Table:
    """Text columns trimmed, and those that hold nothing but numbers after that as numbers."""
    for j, field in enumerate(table.schema):
        if is_text(field.type):
            cells = clean_text(table.column(j))
            table = table.set_column(
                j, field.name, cells if field.name in as_text else _numbers_if_all(cells, decimal_comma)
            )
    return table


def _numbers_if_all(cells: Any, decimal_comma: bool) -> Any:
    """As numbers if all are; else as they are written, for a column of texts is read by itself."""
    plain = with_decimal_points(cells) if decimal_comma else cells
    if numbers_of(plain.slice(0, _TRIED_FIRST))[1].any():
        return cells
    values, wrong = numbers_of(plain)
    return cells if wrong.any() else pa.chunked_array([pa.array(values, from_pandas=True)])


def _parse_texts(file: CsvFile, text: bytes, columns: Sequence[str]) -> pa.Table:
    if not text:
        return pa.table({name: pa.array([], pa.string()) for name in columns})
    return pacsv.read_csv(
        pa.BufferReader(arrow_buffer([text])),
        pacsv.ReadOptions(column_names=list(file.names), block_size=len(text) + 1),
        pacsv.ParseOptions(delimiter=file.dialect.delimiter, newlines_in_values=b'"' in text),
        pacsv.ConvertOptions(
            null_values=list(BLANK_TOKENS),
            strings_can_be_null=True,
            include_columns=list(columns),
            column_types={name: pa.string() for name in columns},
        ),
    )


def _cleaned(table: pa.Table, text: bytes, file: CsvFile, as_written: frozenset[str]) -> pa.RecordBatch:
    cells = [column.combine_chunks() for column in table.columns]
    if _may_need_trimming(text, file.dialect.delimiter.encode()):
        cells = [clean_text(c) for c in cells]
    names = table.schema.names
    if file.dialect.decimal_comma:
        cells = [c if name in as_written else with_decimal_points(c) for name, c in zip(names, cells, strict=True)]
    return pa.RecordBatch.from_arrays(cells, names=names)


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
