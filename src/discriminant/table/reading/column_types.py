"""Which type a column of a text table has, found in parts: that of two parts together is that of the whole.

The parser finds a type for the cells of a block. Of two blocks the column has the first of these that holds both:

    blank < whole numbers < numbers           blank < dates < times (to the second) < times (to the nanosecond)

and where none does, or a block holds text, the column is text. Cells that only our own reader takes for numbers make a
column of numbers too.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

_NUMBERS = (pa.int64(), pa.float64())
_TIMES = (pa.date32(), pa.timestamp("s"), pa.timestamp("ns"))
_ZONED = (pa.timestamp("s", "UTC"), pa.timestamp("ns", "UTC"))


@dataclass(frozen=True)
class ColumnType:
    """``kind`` is an Arrow type; ``by_cells`` says that the parser needs our own reader to make numbers of them."""

    kind: Any
    by_cells: bool = False

    def __add__(self, other: "ColumnType") -> "ColumnType":
        kind = _wider(self.kind, other.kind)
        return ColumnType(kind, kind == pa.float64() and (self.by_cells or other.by_cells))


def _wider(a: Any, b: Any) -> Any:
    if a == b or pa.types.is_null(b):
        return a
    if pa.types.is_null(a):
        return b
    for family in (_NUMBERS, _TIMES, _ZONED):
        if a in family and b in family:
            return max(a, b, key=family.index)
    return pa.string()


def add_types(a: Mapping[str, ColumnType], b: Mapping[str, ColumnType]) -> dict[str, ColumnType]:
    """The types that hold both of two parts of a table with the same columns.

    >>> whole, broken = ({"x": ColumnType(kind)} for kind in (pa.int64(), pa.float64()))
    >>> str(add_types(whole, broken)["x"].kind)
    'double'
    """
    return {name: kind + b[name] for name, kind in a.items()}
