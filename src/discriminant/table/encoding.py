"""A table -> a design matrix, described in data.

Every feature of the design matrix is (raw − centre)/scale, with centre and scale of the rows it was learnt from:

    number, flag, date   raw is the number, 1 or 0 for true or false, days since 1970-01-01
    category             raw is 1 where the cell is the level, else 0; the most common level, ``reference``, has no
                         feature, and rare levels may share one (role "other", which also takes texts never seen)
    any of these         raw is 1 where the cell is blank, else 0 (role "blank"), where blanks are common enough

A number or date may enter in another form than its own: with ``low`` and ``high`` its value is clipped to [low, high]
first, and with ``unit`` it enters by its logarithm. In full, with x the cell,

    v = x clipped to [low, high]        raw = v,  or  sign(v)·log(1 + |v|/unit)  where there is a unit

    one feature with low and high       x, with its outliers pulled in
    one feature with a unit             x where |x| is small beside the unit, the logarithm of x where it is large
    several features, [t₀, t₁], [t₁, t₂], …    any continuous function of x that is straight between the t

So the average row is encoded as 0, and what is not known counts as average: a blank cell has 0 in all features of its
column but that of role "blank", and a text never seen has 0 in all where nothing stands for other levels.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from discriminant.cached import cached_property
from discriminant.table.cells import days_of_cells, flags_of_cells, numbers_of_cells, texts_of_cells
from discriminant.table.errors import MissingColumn
from discriminant.table.number_format import NumberFormat

Array = NDArray[np.float64]
Kind = Literal["number", "flag", "date", "category", "dropped"]
Role = Literal["value", "level", "other", "blank"]

_BLOCK_ROWS = 8192


@dataclass(frozen=True)
class Feature:
    """One column of the design matrix: (raw − centre)/scale; ``low``, ``high`` and ``unit`` are of role "value"."""

    name: str
    role: Role
    centre: float
    scale: float
    level: str | None = None
    low: float | None = None
    high: float | None = None
    unit: float | None = None

    def raw_of(self, values: Array) -> Array:
        """Raw values of the values of a column, by this feature's form; NaN of NaN."""
        v = np.asarray(values, dtype=np.float64)
        if self.low is not None or self.high is not None:
            v = np.clip(v, self.low, self.high)
        if self.unit is None:
            return v
        with np.errstate(over="ignore"):
            return np.asarray(np.sign(v) * np.log1p(np.abs(v) / self.unit))

    @property
    def straight(self) -> bool:
        """Whether raw values of role "value" are the values themselves."""
        return self.low is None and self.high is None and self.unit is None

    def encoded(self, raw: Array) -> Array:
        """The encoded values of raw ones."""
        return np.asarray((raw - self.centre) / self.scale)


@dataclass(frozen=True)
class Column:
    """A column of the table, what it is and which features it becomes."""

    name: str
    kind: Kind
    features: tuple[Feature, ...] = ()
    reference: str | None = None  # of a category: the level without a feature
    also_blank: tuple[str, ...] = ()  # texts that stand for a blank in this column
    date_format: str | None = None  # of dates written as text, if not as in ISO 8601
    blanks: int = 0
    low: float | None = None
    high: float | None = None
    reason: str = ""  # why it was dropped, or what else was done
    deviation: float | None = None  # standard deviation of clipped values, if not the scale of the only value feature
    step: float | None = None  # values are whole multiples of it: 1 for whole numbers
    number_format: NumberFormat | None = None  # of numbers written as people write them, if only for the gains of rows
    aliases: tuple[tuple[str, str], ...] = ()  # of a category: (another spelling, the level it stands for)

    @property
    def values(self) -> tuple[Feature, ...]:
        """The features that a number, flag or date enters by: one, several pieces, or none."""
        return tuple(f for f in self.features if f.role == "value")

    def values_of(self, cells: Any) -> tuple[Array, NDArray[np.bool_]]:
        """The numbers, flags (1 or 0) or days that cells hold, NaN where blank; and which cells cannot be read."""
        if self.kind == "number":
            return numbers_of_cells(cells, self.also_blank, self.number_format)
        if self.kind == "flag":
            return flags_of_cells(cells, self.also_blank)
        return days_of_cells(cells, self.also_blank, self.date_format)

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels of a category that have a feature of their own."""
        return tuple(f.level for f in self.features if f.level is not None)


def piece_name(column: str, low: float | None, high: float | None) -> str:
    """What one of several value features of a column is called."""
    start = "" if low is None else f" from {low:.6g}"
    stop = "" if high is None else f" to {high:.6g}" if start else f" up to {high:.6g}"
    return column + start + stop


class BadCell(NamedTuple):
    """A cell that is not what its column holds: the row within the batch, the column, the text."""

    row: int
    column: str
    text: str
    wanted: str


class ReadCells(NamedTuple):
    """The cells of a column as they were read: numbers (or places among levels, −1 for others), and the blank ones."""

    column: Column
    raw: NDArray[Any]
    blank: NDArray[np.bool_]


class EncodedRows(NamedTuple):
    """The design matrix of some rows, and cells that could not be read (their features are 0)."""

    matrix: Array
    bad: list[BadCell]


@dataclass(frozen=True)
class Encoding:
    """The columns of a table in order, dropped ones among them."""

    columns: tuple[Column, ...]
    features: tuple[Feature, ...] = field(init=False, repr=False)

    layout = "table"

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", tuple(f for column in self.columns for f in column.features))

    @property
    def n_features(self) -> int:
        """How many columns the design matrix has."""
        return len(self.features)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the columns of the design matrix."""
        return tuple(f.name for f in self.features)

    @property
    def used(self) -> tuple[Column, ...]:
        """Columns that have features."""
        return tuple(column for column in self.columns if column.features)

    @property
    def unit(self) -> str:
        """What lengths in the space of the features are counted in."""
        as_given = all((f.centre, f.scale) == (0.0, 1.0) and f.straight for f in self.features)
        return "units" if as_given else "standard deviations"

    @property
    def as_written(self) -> tuple[str, ...]:
        """Columns whose texts are read as they stand; plain numbers follow the decimal sign of their file."""
        return tuple(c.name for c in self.columns if c.number_format is not None or (c.features and c.kind != "number"))

    @cached_property
    def in_pieces(self) -> bool:
        """Whether some column has several value features: then encoded rows cannot lie everywhere."""
        return any(len(column.values) > 1 for column in self.columns)

    def places(self) -> Iterator[tuple[Column, int, int]]:
        """Each used column with the range of its features."""
        start = 0
        for column in self.used:
            yield column, start, start + len(column.features)
            start += len(column.features)

    def encode(
        self, table: pa.Table | pa.RecordBatch | Mapping[str, Sequence[Any]], observed: list[ReadCells] | None = None
    ) -> EncodedRows:
        """The design matrix of rows that have these columns, in any order and with others among them.

        What was read of each column is added to ``observed``, where it is given.
        """
        table = pa.table(dict(table)) if isinstance(table, Mapping) else table
        present = set(table.schema.names)
        missing = [column.name for column in self.used if column.name not in present]
        if missing:
            why = ", which the model needs, though its cells may be blank"
            raise MissingColumn(missing[0], table.schema.names, "the table", why)
        matrix = np.empty((table.num_rows, self.n_features))
        bad: list[BadCell] = []
        for column, start, stop in self.places():
            raw, blank, wrong = _raw(column, table.column(column.name))
            if observed is not None:
                observed.append(ReadCells(column, raw, blank))
            bad += wrong
            _fill(matrix[:, start:stop], column, raw, blank)
            bad += _report_lost(matrix[:, start:stop], column, table.column(column.name))
        return EncodedRows(matrix, bad)

    def raw_columns(self, table: pa.Table | pa.RecordBatch, names: Collection[str]) -> Iterator[ReadCells]:
        """What is read of used columns, one after the other."""
        for column in self.used:
            if column.name in names:
                raw, blank, _ = _raw(column, table.column(column.name))
                yield ReadCells(column, raw, blank)


@dataclass(frozen=True)
class IndexedEncoding:
    """Rows of a sparse file: feature j is the value at index j + first_index, 0 where there is none."""

    n_features: int
    first_index: int = 1

    layout = "svmlight"
    unit = "units"  # values are taken as they are
    in_pieces = False

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The indices as the file writes them."""
        return tuple(f"index {j + self.first_index}" for j in range(self.n_features))


def _raw(column: Column, cells: Any) -> tuple[NDArray[Any], NDArray[np.bool_], list[BadCell]]:
    """Numbers (or places among reference, levels and other), which cells are blank, and which cannot be read."""
    if column.kind == "category":
        texts, blank = texts_of_cells(cells, column.also_blank)
        names = [column.reference, *column.levels]
        known = pa.array([*names, *(spelling for spelling, _ in column.aliases)], pa.string())
        own = np.array([*range(len(names)), *(names.index(level) for _, level in column.aliases), -1])
        places = pc.index_in(texts, value_set=known, skip_nulls=True).fill_null(-1)
        return own[np.asarray(places.to_numpy(zero_copy_only=False))], blank, []
    values, wrong = column.values_of(cells)
    blank = np.isnan(values)
    wanted = {"number": "a number", "flag": "true or false", "date": "a date"}[column.kind]
    if column.number_format is not None:
        wanted += f" written like {column.number_format.written(1234.5)!r}"
    bad = [BadCell(int(i), column.name, _text(cells[int(i)]), wanted) for i in np.flatnonzero(wrong)]
    return values, blank, bad


def _text(cell: Any) -> str:
    """A cell as a person may find it; a date that no calendar has cannot be written as one."""
    try:
        return str(cell)
    except (OverflowError, ValueError):
        return f"day {cell.value}" if hasattr(cell, "value") else "no date"


def _fill(out: Array, column: Column, raw: NDArray[Any], blank: NDArray[np.bool_]) -> None:
    """Block by block, so that the rows being written stay in cache."""
    some_blank = bool(blank.any())
    for a in range(0, len(out), _BLOCK_ROWS):
        rows = slice(a, a + _BLOCK_ROWS)
        own, absent = raw[rows], blank[rows]
        for j, feature in enumerate(column.features):
            if feature.role == "blank":
                out[rows, j] = feature.encoded(absent.astype(np.float64))
                continue
            with np.errstate(over="ignore"):
                out[rows, j] = feature.encoded(_indicated(feature, column, own))
            if some_blank:
                out[rows, j][absent] = 0.0
        if column.kind == "category" and not any(f.role == "other" for f in column.features):
            unseen = own < 0
            for j, feature in enumerate(column.features):
                if feature.role == "level":
                    out[rows, j][unseen] = 0.0


def _report_lost(out: Array, column: Column, cells: Any) -> list[BadCell]:
    """Numbers so far from all others of their column that nothing finite stands for them; their features are 0."""
    if column.kind == "category" or np.isfinite(out).all():
        return []
    rows = np.flatnonzero(~np.isfinite(out).all(axis=1))
    out[rows] = 0.0
    return [BadCell(int(i), column.name, str(cells[int(i)]), "of a size this column can have") for i in rows]


def _indicated(feature: Feature, column: Column, own: NDArray[Any]) -> Array:
    if feature.role == "value":
        return feature.raw_of(own)
    if feature.role == "other":
        return np.asarray(own < 0, dtype=np.float64)
    return np.asarray(own == 1 + column.levels.index(str(feature.level)), dtype=np.float64)
