"""Text cells read as numbers in two ways, with a decimal point and with a decimal comma.

Readings of parts add to that of the whole; which of the two a column means is decided from both (`number_learning`).
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from discriminant.table.number_format import DECIMAL_SIGNS, parts_of, values_of

if TYPE_CHECKING:
    from discriminant.table.summaries import Spread

MOST_ODD = 100  # different texts that are no numbers; with more a column is none of numbers
MOST_UNITS = 50  # different things around the digits

Around = tuple[str, str]  # what stands before the digits and behind them
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class NumberReading:
    """Of the texts of a column, with one decimal sign: ``spreads`` by what stands around the digits, before any
    multiplier, and whether all these numbers are ``whole``; ``odd`` counts the texts that are no numbers. ``fails``
    where either are too many.
    """

    decimal: str
    fails: bool = False
    spreads: Mapping[Around, "Spread"] = field(default_factory=dict)
    odd: Counter[str] = field(default_factory=Counter)
    grouping: frozenset[str] = frozenset()
    has_decimals: bool = False
    enclosed: int = 0  # cells in parentheses
    example: str = ""  # the longest text that a program would not write so
    whole: bool = True

    def __add__(self, other: "NumberReading") -> "NumberReading":
        spreads = dict(self.spreads)
        for around, spread in other.spreads.items():
            spreads[around] = spreads[around] + spread if around in spreads else spread
        odd = self.odd + other.odd
        if self.fails or other.fails or len(odd) > MOST_ODD or len(spreads) > MOST_UNITS:
            return NumberReading(self.decimal, fails=True)
        return NumberReading(
            self.decimal,
            False,
            spreads,
            odd,
            self.grouping | other.grouping,
            self.has_decimals or other.has_decimals,
            self.enclosed + other.enclosed,
            min(self.example, other.example, key=_longest_first),
            self.whole and other.whole,
        )


def number_readings(
    texts: Any, counts: NDArray[np.int64], plain: NDArray[np.bool_], spread_of: Callable[[Floats, Floats], "Spread"]
) -> tuple[NumberReading, ...]:
    """Both readings of different texts that occur so often; ``plain`` are those that a program writes so."""
    return tuple(_reading(texts, counts, plain, spread_of, decimal) for decimal in DECIMAL_SIGNS)


def _reading(
    texts: Any,
    counts: NDArray[np.int64],
    plain: NDArray[np.bool_],
    spread_of: Callable[[Floats, Floats], "Spread"],
    decimal: str,
) -> NumberReading:
    parts = parts_of(texts, decimal)
    values = values_of(parts)
    fits = parts.fits & np.isfinite(values)
    strange = np.flatnonzero(~fits)
    if strange.size > MOST_ODD:
        return NumberReading(decimal, fails=True)
    around = pc.binary_join_element_wise(parts.prefix, parts.suffix, "\0").filter(pa.array(fits)).dictionary_encode()
    names = [tuple(name.split("\0")) for name in around.dictionary.to_pylist()]
    if len(names) > MOST_UNITS:
        return NumberReading(decimal, fails=True)
    codes = around.indices.to_numpy(zero_copy_only=False)
    own, often = values[fits], counts[fits].astype(np.float64)
    dressed = texts.filter(pa.array(fits & ~plain)).to_pylist()
    return NumberReading(
        decimal,
        False,
        {name: spread_of(own[codes == k], often[codes == k]) for k, name in enumerate(names)},
        Counter({texts[i].as_py(): int(counts[i]) for i in strange.tolist()}),
        frozenset(sign for sign, used in parts.grouped.items() if used[fits].any()),
        bool(parts.has_decimals[fits].any()),
        int(counts[fits & parts.enclosed].sum()),
        min(dressed, key=_longest_first, default=""),
        bool((np.floor(own) == own).all()),
    )


def _longest_first(text: str) -> tuple[int, str]:
    return -len(text), text
