"""Cells and changed values in the words and units of the table."""

import math
from typing import Any

import numpy as np

from discriminant.table.cells import texts_of_cells
from discriminant.table.date_texts import FIRST_DAY, LAST_DAY
from discriminant.table.encoding import Column

BLANK = "blank"
_GROUPED_FROM = 10_000


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
    number = _grouped(f"{value:,.15g}", value)
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
    rounded = _away(before, after, 10.0**-digits)
    text = _grouped(f"{rounded:,.{max(digits, 0)}f}", rounded)
    read = float(text.replace(",", ""))
    return (text, read) if (read - after) * (after - before) >= 0 else (repr(after), after)


def _grouped(text: str, value: float) -> str:
    """Thousands are marked from 10,000 on, so that years are not."""
    return text if abs(value) >= _GROUPED_FROM else text.replace(",", "")


def _away(before: float, after: float, step: float) -> float:
    steps = after / step
    return (math.ceil(steps) if after > before else math.floor(steps)) * step


def _date_text(days: float) -> str:
    seconds = round(days * 86400)
    moment = np.datetime64("1970-01-01T00:00:00") + np.timedelta64(seconds, "s")
    text = str(moment)
    return text.removesuffix("T00:00:00").replace("T", " ")
