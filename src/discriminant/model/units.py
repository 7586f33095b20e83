"""Cells and changed values in the words and units of the table; and numbers that look as if written in another unit.

A change of unit multiplies every number by one factor f, so that the quartiles of |x| are multiplied by it too. Of each
factor that people meet, the share of new numbers below f times each quartile of training is counted; where a quarter, a
half and three quarters lie below, as in training, f is the factor.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.table.cells import texts_of_cells
from discriminant.table.date_texts import FIRST_DAY, LAST_DAY
from discriminant.table.encoding import Column

Array = NDArray[np.float64]

BLANK = "blank"
_GROUPED_FROM = 10_000

# (factor, the smaller unit, of which there are more, the larger one)
_UNITS: tuple[tuple[float, str, str], ...] = (
    (1000.0, "grams", "kilograms"),
    (100.0, "per cent or cents", "shares or whole units"),
    (10.0, "", ""),
    (1e6, "single ones", "millions"),
    (1e4, "", ""),
    (12.0, "months", "years"),
    (2.2046226, "pounds", "kilograms"),
    (453.59237, "grams", "pounds"),
    (28.349523, "grams", "ounces"),
    (2.54, "centimetres", "inches"),
    (3.2808399, "feet", "metres"),
    (1.609344, "kilometres", "miles"),
    (3.6, "km/h", "m/s"),
    (60.0, "minutes", "hours"),
    (3600.0, "seconds", "hours"),
    (24.0, "hours", "days"),
    (86400.0, "seconds", "days"),
    (7.0, "days", "weeks"),
    (30.4375, "days", "months"),
    (52.1775, "weeks", "years"),
    (365.25, "days", "years"),
    (4.184, "kilojoules", "kilocalories"),
    (1024.0, "kilobytes", "megabytes"),
)
_FACTORS = np.array([1.0, *(f for f, _, _ in _UNITS), *(1 / f for f, _, _ in _UNITS)])
_QUARTERS = np.array([0.25, 0.5, 0.75])
_LEAST = 30  # numbers, below which their quartiles say nothing
_LEAST_IF_SURE = 3
_FAR = 0.4  # by how much shares differ as the numbers are, before another unit is thought of
_FAR_IF_SMALL = 0.7  # the same for small factors, which other rows in the same unit may look like
_LARGE_FACTOR = 5.0
_NEAR = 0.12  # by how much they may differ under the factor, besides chance
_LARGEST_NEAR = 0.25


@dataclass
class SizeCounts:
    """Counts of |x| below every factor times every quartile of training; constant in size."""

    quartiles: tuple[float, ...]
    n: int = 0
    below: NDArray[np.int64] = field(default_factory=lambda: np.zeros(3 * _FACTORS.size + 1, dtype=np.int64))

    def add(self, values: Array) -> None:
        """Count more numbers."""
        if len(self.quartiles) != 3:
            return
        sizes = np.abs(values[values != 0])
        self.n += sizes.size
        places = np.searchsorted(np.sort(self._limits().ravel()), sizes)
        self.below += np.bincount(places, minlength=self.below.size)

    def __add__(self, other: "SizeCounts") -> "SizeCounts":
        return SizeCounts(self.quartiles, self.n + other.n, self.below + other.below)

    def _limits(self) -> Array:
        return np.asarray(_FACTORS[:, None] * np.asarray(self.quartiles))

    def factor(self, *, sure: bool = False) -> float | None:
        """The factor that new numbers seem to have been multiplied by; None where they seem not to have been.

        Where it is sure that they differ, a few of them are enough.
        """
        if len(self.quartiles) != 3 or self.n < (_LEAST_IF_SURE if sure else _LEAST):
            return None
        limits = self._limits()
        rank = np.argsort(np.argsort(limits.ravel(), kind="stable"), kind="stable").reshape(limits.shape)
        shares = np.cumsum(self.below)[rank] / self.n
        off = np.abs(shares - _QUARTERS).max(axis=1)
        best = int(off.argmin())
        near = min(_NEAR + 1.5 / np.sqrt(self.n), max(_LARGEST_NEAR, 1 / np.sqrt(self.n)))
        factor = float(_FACTORS[best])
        far = _FAR if max(factor, 1 / factor) >= _LARGE_FACTOR else _FAR_IF_SMALL
        return factor if off[0] >= far and off[best] <= near else None


def factor_text(factor: float) -> str:
    """What such a factor may mean: "about 1000 times those of training: grams instead of kilograms?"."""
    times = f"{factor:.4g} times" if factor > 1 else f"1/{1 / factor:.4g} of"
    for known, smaller, larger in _UNITS:
        if smaller and np.isclose(known, factor):
            return f"about {times} those of training: {smaller} instead of {larger}?"
        if smaller and np.isclose(1 / known, factor):
            return f"about {times} those of training: {larger} instead of {smaller}?"
    return f"about {times} those of training: another unit, or a decimal point that moved?"


# --- cells and values in words -----------------------------------------------------------------------------


def cell_text(column: Column, cells: Any) -> tuple[str, float | None]:
    """What the only cell of an array says, and its number: None where it is blank, NaN of a category."""
    if column.kind == "category":
        texts, blank = texts_of_cells(cells, column.also_blank)
        return (BLANK, None) if blank[0] else (str(texts[0].as_py()), math.nan)
    value = float(column.values_of(cells)[0][0])
    return (BLANK, None) if math.isnan(value) else (value_text(column.kind, value), value)


def value_text(kind: str, value: float) -> str:
    """A number, true or false, or a date."""
    if kind == "flag":
        return "true" if value else "false"
    number = _group_digits(f"{value:,.15g}", value)
    if kind != "date":
        return number
    return _date_text(value) if FIRST_DAY <= value < LAST_DAY + 1 else f"{number} days from 1970-01-01"


def changed_text(before: float, after: float, more: int = 0) -> tuple[str, float]:
    """A changed number in few digits, rounded away from where it was, as text and as a number.

    Of the difference three digits count, and ``more`` of them.
    """
    digits = 2 + more - math.floor(math.log10(abs(after - before)))
    if not -15 < digits < 15 or abs(after) >= 1e15:
        return repr(after), after
    rounded = _more_digits(before, after, 10.0**-digits)
    text = _group_digits(f"{rounded:,.{max(digits, 0)}f}", rounded)
    text = text.rstrip("0").rstrip(".") if "." in text else text
    read = float(text.replace(",", ""))
    return (text, read) if (read - after) * (after - before) >= 0 else (repr(after), after)


def _group_digits(text: str, value: float) -> str:
    """Thousands are marked from 10,000 on, so that years are not."""
    return text if abs(value) >= _GROUPED_FROM else text.replace(",", "")


def _more_digits(before: float, after: float, step: float) -> float:
    steps = after / step
    return (math.ceil(steps) if after > before else math.floor(steps)) * step


def _date_text(days: float) -> str:
    seconds = round(days * 86400)
    moment = np.datetime64("1970-01-01T00:00:00") + np.timedelta64(seconds, "s")
    text = str(moment)
    return text.removesuffix("T00:00:00").replace("T", " ")
