"""What is known of a column after a pass over its cells; summaries of parts add to that of the whole.

    ColumnSummary.of(name, cells) + ColumnSummary.of(name, more cells) = ColumnSummary.of(name, all cells)

up to rounding of means and spreads (merged by the pairwise formula), and up to the order of equal levels.
"""

import operator
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from discriminant.table.cells import days_of_cells, numbers_of_cells, texts_of_cells
from discriminant.table.errors import TableError
from discriminant.table.spreads import Spread
from discriminant.table.texts import is_text, numpy_of
from discriminant.table.written_numbers import NumberReading, WrittenNumbers, number_readings, written_numbers

MOST_LEVELS = 100_000  # different texts of a column that are counted; a column with more is no category
MOST_ODD = 100  # different texts among numbers that are counted


@dataclass(frozen=True)
class ColumnSummary:
    """A summary of one column: ``kind`` is what its cells are stored as ("number", "flag", "date", "text", "other").

    ``spread`` is of numbers (flags as 1 and 0, dates as days); of text, of those cells that are numbers. ``levels``
    counts texts and is None beyond `MOST_LEVELS`, ``odd`` those that are no numbers and is None beyond `MOST_ODD`;
    ``length`` is the number of characters of all texts, and ``readings`` what they mean as numbers that people write.
    """

    name: str
    kind: str
    n: int = 0
    blanks: int = 0
    integers: bool = False  # numbers stored as integers
    whole: bool = False  # every number is a whole one, however it is stored
    spread: Spread = field(default_factory=Spread)
    levels: Counter[str] | None = None
    odd: Counter[str] | None = None
    length: int = 0
    stored: str = ""
    readings: tuple[NumberReading, ...] = ()

    @classmethod
    def of(cls, name: str, cells: Any) -> "ColumnSummary":
        """The summary of an Arrow array, or of a chunked one, chunk by chunk."""
        chunks = cells.chunks if isinstance(cells, pa.ChunkedArray) else [cells]
        return reduce(operator.add, (cls._of_chunk(name, chunk) for chunk in chunks or [pa.array([], cells.type)]))

    @classmethod
    def _of_chunk(cls, name: str, cells: Any) -> "ColumnSummary":
        kind = stored_kind(cells.type)
        plain = cls(name, kind, len(cells), cells.null_count, stored=str(cells.type))
        if kind == "text":
            return _of_texts(plain, cells)
        if kind == "other":
            return plain
        if kind == "flag":
            values = pc.cast(cells.drop_null(), pa.float64()).to_numpy(zero_copy_only=False)
        elif kind == "date":
            values = days_of_cells(cells, (), None)[0]
        else:
            values = numbers_of_cells(cells, ())[0]
        values = values[~np.isnan(values)]
        if np.isinf(values).any():
            raise TableError(
                f"column {name!r} holds an infinite number", hint="leave the column out (--ignore), or blank the cell"
            )
        integers = kind == "number" and pa.types.is_integer(cells.type)
        return replace(
            plain,
            blanks=len(cells) - values.size,
            spread=Spread.of(values),
            integers=integers,
            whole=kind == "number" and (integers or _whole(values)),
        )

    def __add__(self, other: "ColumnSummary") -> "ColumnSummary":
        if self.n == 0 or other.n == 0:
            return self if other.n == 0 else other
        if self.kind != other.kind:
            if "null" in (self.stored, other.stored):  # blanks only
                known, empty = (self, other) if other.stored == "null" else (other, self)
                return replace(known, n=known.n + empty.n, blanks=known.blanks + empty.blanks)
            raise TableError(
                f"column {self.name!r} is stored as {self.stored} in one part and as {other.stored} in another",
                hint="store it the same way in all files",
            )
        return replace(
            self,
            n=self.n + other.n,
            blanks=self.blanks + other.blanks,
            integers=self.integers and other.integers,
            whole=self.whole and other.whole,
            spread=self.spread + other.spread,
            levels=_add_counts(self.levels, other.levels, MOST_LEVELS),
            odd=_add_counts(self.odd, other.odd, MOST_ODD),
            length=self.length + other.length,
            readings=_together(self.readings, other.readings),
        )

    @property
    def filled(self) -> int:
        """Cells that are not blank."""
        return self.n - self.blanks

    @property
    def written_numbers(self) -> WrittenNumbers | None:
        """What its texts mean as numbers as people write them; None where they are none."""
        return written_numbers(self.readings, self.levels)


def stored_kind(kind: Any) -> str:
    """The kind of cells that an Arrow type holds."""
    types = pa.types
    if types.is_dictionary(kind):
        return stored_kind(kind.value_type)
    if types.is_boolean(kind):
        return "flag"
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return "number"
    if types.is_date(kind) or types.is_timestamp(kind):
        return "date"
    if types.is_null(kind) or is_text(kind):
        return "text"
    return "other"


def _whole(numbers: NDArray[np.float64]) -> bool:
    some = numbers[:1000]  # which mostly tell already
    return bool((np.floor(some) == some).all() and (np.floor(numbers) == numbers).all())


def _add_counts(a: Counter[str] | None, b: Counter[str] | None, most: int) -> Counter[str] | None:
    """Both together, while there are not too many."""
    together = None if a is None or b is None else a + b
    return None if together is None or len(together) > most else together


def _together(a: tuple[NumberReading, ...], b: tuple[NumberReading, ...]) -> tuple[NumberReading, ...]:
    """Add two values that parts without any filled cell do not have."""
    return tuple(map(operator.add, a, b)) if a and b else a or b


def _of_texts(plain: ColumnSummary, cells: Any) -> ColumnSummary:
    """Counted by level; what levels mean as numbers is then known for each of them once."""
    texts, blank = texts_of_cells(cells, ())
    counted = pc.value_counts(texts.drop_null())
    values, occurs = counted.field("values"), numpy_of(counted.field("counts"))
    levels = dict(zip(values.to_pylist(), occurs.tolist(), strict=True))
    numbers, _ = numbers_of_cells(values, ())
    is_number = np.isfinite(numbers)
    odd = Counter({text: n for (text, n), known in zip(levels.items(), is_number, strict=True) if not known})
    return replace(
        plain,
        blanks=int(blank.sum()),
        whole=_whole(numbers[is_number]),
        spread=replace(Spread.of(numbers[is_number], occurs[is_number].astype(np.float64)), counting=False),
        levels=None if len(levels) > MOST_LEVELS else Counter(levels),
        odd=None if len(odd) > MOST_ODD else odd,
        length=sum(len(text) * n for text, n in levels.items()),
        readings=number_readings(levels, is_number.tolist()) if levels else (),
    )
