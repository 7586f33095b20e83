"""Cells of a table -> a checked block of rows: numbers straight into a matrix, or through an encoding.

Numbers and flags are taken as they are, so that weights are what `fit` of the same array gives. Texts, dates and blank
cells need an encoding; without one they are refused, with file, row and column.
"""

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from discriminant.findings import shown
from discriminant.rows.ids import ids_of_cells
from discriminant.rows.labels import Codes, code_labels
from discriminant.rows.memory import ArrayRows
from discriminant.rows.reused_memory import numbers_for
from discriminant.table.cells import numbers_of_cells, plain_type
from discriminant.table.encoding import Encoding
from discriminant.table.errors import MissingColumn, OptionError, TableError, refuse_final_nul
from discriminant.table.learning import learn
from discriminant.table.reading.arrow_file import plain_cells
from discriminant.table.summaries import ColumnSummary
from discriminant.table.texts import is_text, mask_of, numpy_of

Array = NDArray[np.float64]

_LARGEST_EXACT_INTEGER = 2**53
_ENCODE = "pass encoding='auto' to have texts, dates and blanks encoded, or leave the column out with columns="


@dataclass(frozen=True)
class Origin:
    """Where the rows of a block stand in their file: ``lines`` counts from 1, as lines of text or as rows."""

    file: str
    lines: NDArray[np.int64] | range
    counted: str = "row"

    def __call__(self, row: int) -> str:
        """Where a row of the block comes from, for a message."""
        return f"{self.file}, {self.counted} {self.lines[row]}"

    def take(self, rows: NDArray[np.intp]) -> "Origin":
        """The origin of some of the rows."""
        return Origin(self.file, np.asarray(self.lines)[rows], self.counted)


@dataclass(frozen=True)
class RowColumns:
    """Which columns of a table a row is made of."""

    features: tuple[str, ...]
    target: str
    weight: str | None = None
    id: str | None = None
    encoding: Encoding | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of the matrix."""
        return self.features if self.encoding is None else self.encoding.feature_names

    @property
    def needed(self) -> tuple[str, ...]:
        """All columns that must be read."""
        features = self.features if self.encoding is None else self.encoded
        others = (name for name in (self.target, self.weight, self.id) if name is not None)
        return tuple(dict.fromkeys((*features, *others)))

    @property
    def encoded(self) -> tuple[str, ...]:
        """The columns whose cells are encoded."""
        return () if self.encoding is None else tuple(c.name for c in self.encoding.used)

    def block_of(self, table: Any, origin: Origin, first_row: int) -> ArrayRows:
        """Rows of a table or record batch, of which the first has that number; those of weight zero are left out."""
        matrix = self._encoded(table, origin) if self.encoding is not None else self._plain(table, origin)
        classes, codes = _labels_of(table.column(self.target), self.target, origin)
        numbers = np.arange(first_row, first_row + len(codes))
        ids = None if self.id is None else _ids(table.column(self.id), self.id, origin)
        weight = None if self.weight is None else _weights_of(table.column(self.weight), self.weight, origin)
        block = ArrayRows(matrix, classes, codes, weight, self.names, numbers, ids, origin)
        return block if weight is None or weight.all() else block.take(np.flatnonzero(weight))

    def _plain(self, table: Any, origin: Origin) -> Array:
        columns = [numbers_of_column(table.column(name), name, origin) for name in self.features]
        return side_by_side(columns, table.num_rows)

    def _encoded(self, table: Any, origin: Origin) -> Array:
        assert self.encoding is not None
        matrix, bad = self.encoding.encode(table)
        if bad:
            row, column, text, wanted = min(bad)
            raise _bad_cell(origin, row, column, f"{shown(text)} is not {wanted}", "mend the cell, or blank it")
        return matrix


def plain_cells_of(table: Any, names: Sequence[str]) -> Any:
    """A table or batch with these columns in the few types that an encoding knows: text trimmed, blanks null."""
    for name in names:
        table = table.set_column(table.schema.get_field_index(name), name, plain_cells(table.column(name)))
    return table


def learn_encoding(batches: Iterable[Any], names: Sequence[str], where: str) -> Encoding:
    """How texts, dates and blanks of these columns become numbers, from one pass over batches of them."""
    return encoding_of(summaries_of(batches, names), where)


def summaries_of(batches: Iterable[Any], names: Sequence[str]) -> list[ColumnSummary]:
    """What these columns of batches hold."""
    found = [ColumnSummary.of(name, pa.array([], pa.null())) for name in names]
    for batch in batches:
        plain = plain_cells_of(batch, names)
        found = add_summaries(found, [ColumnSummary.of(name, plain.column(name)) for name in names])
    return found


def add_summaries(a: list[ColumnSummary], b: list[ColumnSummary]) -> list[ColumnSummary]:
    """Of the rows of both."""
    return list(map(operator.add, a, b))


def encoding_of(summaries: Sequence[ColumnSummary], where: str) -> Encoding:
    """The encoding of columns; at least one must tell something."""
    encoding = learn(summaries)
    if not encoding.n_features:
        raise TableError(f"{where}: no column tells anything", "name others with columns=")
    return encoding


def choose_columns(
    names: Sequence[str],
    where: str,
    target: str,
    columns: Sequence[str] | None,
    weight: str | None = None,
    id: str | None = None,
) -> RowColumns:
    """Columns to learn from, all others if None were named; every named one must be there, and none have two tasks."""
    if isinstance(columns, str):
        raise OptionError("columns is one text", f"pass a list: columns=[{columns!r}]")
    others = [name for name in (target, weight, id) if name is not None]
    for name in (*others, *(columns or ())):
        if name not in names:
            raise MissingColumn(name, names, where)
    twice = next((name for name in columns or () if name in others), None)
    if twice is not None:
        raise OptionError(f"column {shown(twice)} is to be learnt from and is target, weight or id too", "name it once")
    features = tuple(columns) if columns is not None else tuple(name for name in names if name not in others)
    if not features:
        raise TableError(f"{where} has no column to learn from", "name some with columns=")
    return RowColumns(features, target, weight, id)


def side_by_side(columns: Sequence[NDArray[Any]], n_rows: int) -> Array:
    """Columns as a matrix, each in one piece: whoever sums turns a few rows at a time, which stay in the cache."""
    matrix = numbers_for(len(columns) * n_rows).reshape(len(columns), n_rows)
    for own, column in zip(matrix, columns, strict=True):
        own[:] = column
    return matrix.T


def numbers_of_column(cells: Any, name: str, origin: Origin) -> NDArray[Any]:
    """A column of numbers, flags, or texts that are numbers; blank cells and others are refused."""
    cells = plain_type(_one_array(cells))
    if cells.null_count:
        row = int(np.flatnonzero(mask_of(pc.is_null(cells)))[0])
        raise _bad_cell(origin, row, name, "is blank", f"fill or drop such rows, or {_ENCODE}")
    kind = cells.type
    if pa.types.is_floating(kind) and not pa.types.is_float16(kind):
        return numpy_of(cells)
    if pa.types.is_integer(kind):
        return _exact(numpy_of(cells), name, origin)
    if pa.types.is_boolean(kind):
        return numpy_of(pc.cast(cells, pa.uint8()))
    if pa.types.is_null(kind) or not (is_text(kind) or pa.types.is_decimal(kind) or pa.types.is_float16(kind)):
        if len(cells):
            raise _bad_cell(origin, 0, name, f"holds {kind}: {shown(_text_of(cells[0]))} is no number", _ENCODE)
        return np.empty(0)
    values, wrong = numbers_of_cells(cells, ())
    if wrong.any() or np.isnan(values).any():
        row = int(np.flatnonzero(wrong | np.isnan(values))[0])
        raise _bad_cell(origin, row, name, f"{shown(_text_of(cells[row]))} is no number", _ENCODE)
    return values


def refuse_infinite(cells: Any, name: str, origin: Origin) -> None:
    """An infinite number has no place in an encoding; NaN counts as blank."""
    if pa.types.is_floating(cells.type):
        infinite = np.flatnonzero(np.isinf(numpy_of(cells)))
        if infinite.size:
            raise _bad_cell(origin, int(infinite[0]), name, "is infinite", "blank the cell, or drop the row")


def _exact(values: NDArray[Any], name: str, origin: Origin) -> NDArray[Any]:
    if values.dtype.itemsize == 8 and values.size and max(int(values.max()), -int(values.min())) > 2**53:
        far = (values > _LARGEST_EXACT_INTEGER) | (values.astype(np.float64) < -_LARGEST_EXACT_INTEGER)
        row = int(np.flatnonzero(far)[0])
        what = f"{values[row]}: integers beyond 2**53 are not exact as floats"
        raise _bad_cell(origin, row, name, what, "subtract an offset first, or leave the column out with columns=")
    return values


def _labels_of(cells: Any, name: str, origin: Origin) -> tuple[NDArray[Any], Codes]:
    """Classes in order, and the code of each row."""
    cells = plain_type(_one_array(cells))
    if cells.null_count:
        row = int(np.flatnonzero(mask_of(pc.is_null(cells)))[0])
        raise _bad_cell(origin, row, name, "is blank, and every row needs a class", "fill or drop such rows")
    if is_text(cells.type):
        coded = cells.dictionary_encode()
        known = coded.dictionary.to_pylist()
        refuse_final_nul(known, f"{origin.file}, column {shown(name)}")
        texts = np.array(known or [""])
        order = np.argsort(texts[: len(coded.dictionary)])
        places = np.empty(order.size, dtype=np.int32)
        places[order] = np.arange(order.size, dtype=np.int32)
        return texts[order], places[numpy_of(coded.indices)]
    try:
        return code_labels(numpy_of(cells))
    except (ValueError, TypeError) as error:
        raise TableError(f"{origin.file}, column {shown(name)}: {error}") from error


def _weights_of(cells: Any, name: str, origin: Origin) -> Array:
    weights = np.asarray(numbers_of_column(cells, name, origin), dtype=np.float64)
    bad = np.flatnonzero(~(weights >= 0) | np.isinf(weights))
    if bad.size:
        what = f"the weight is {weights[bad[0]]}"
        raise _bad_cell(origin, int(bad[0]), name, what, "weights must be finite and >= 0")
    return weights


def _ids(cells: Any, name: str, origin: Origin) -> NDArray[np.int64]:
    cells = plain_type(_one_array(cells))
    if cells.null_count:
        row = int(np.flatnonzero(mask_of(pc.is_null(cells)))[0])
        raise _bad_cell(origin, row, name, "is blank, and every row needs an id", "fill it, or leave id= out")
    return ids_of_cells(cells, name)


def _one_array(cells: Any) -> Any:
    if not isinstance(cells, pa.ChunkedArray):
        return cells
    return cells.chunk(0) if cells.num_chunks == 1 else cells.combine_chunks()


def _text_of(cell: Any) -> str:
    try:
        return str(cell.as_py())
    except (OverflowError, ValueError):  # a date that no calendar has
        return str(cell)


def _bad_cell(origin: Origin, row: int, column: str, what: str, hint: str) -> TableError:
    return TableError(f"{origin(row)}, column {shown(column)}: {what}", hint)
