"""Cells and changed values in the words and units of the table."""

import math
from typing import Any

import numpy as np

from discriminant.table.cells import days_of_cells, flags_of_cells, numbers_of_cells, texts_of_cells
from discriminant.table.encoding import Column

BLANK = "blank"
_DAYS = 3_000_000  # from 1970: dates with years of four digits


def cell_text(column: Column, cells: Any) -> tuple[str, bool]:
    """What the only cell of an array says, and whether it is blank."""
    if column.kind == "category":
        texts, blank = texts_of_cells(cells, column.also_blank)
        return (BLANK, True) if blank[0] else (str(texts[0].as_py()), False)
    if column.kind == "number":
        value = float(numbers_of_cells(cells, column.also_blank, column.number_format)[0][0])
    elif column.kind == "flag":
        value = float(flags_of_cells(cells, column.also_blank)[0][0])
    else:
        value = float(days_of_cells(cells, column.also_blank, column.date_format)[0][0])
    return (BLANK, True) if math.isnan(value) else (value_text(column.kind, value), False)


def value_text(kind: str, value: float) -> str:
    """A number with its digits grouped, true or false, or a date."""
    if kind == "flag":
        return "true" if value else "false"
    if kind == "date" and abs(value) < _DAYS:
        return _date_text(value)
    return f"{value:,.15g}"


def changed_text(kind: str, before: float, after: float) -> str:
    """A changed value in few digits: rounded away from where it was, so that it is enough as well."""
    if kind == "date" and max(abs(before), abs(after)) < _DAYS:
        seconds = 86400.0 if abs(after - before) >= 1 else 1.0
        return _date_text(_away(before * 86400, after * 86400, seconds) / 86400)
    digits = 2 - math.floor(math.log10(abs(after - before)))  # of the difference, three count
    if not -15 < digits < 15 or abs(after) >= 1e15:
        return repr(after)
    rounded = _away(before, after, 10.0**-digits)
    text = f"{rounded:,.{max(digits, 0)}f}"
    enough = (float(text.replace(",", "")) - after) * (after - before) >= 0
    return text if enough else repr(after)


def _away(before: float, after: float, step: float) -> float:
    steps = after / step
    return (math.ceil(steps) if after > before else math.floor(steps)) * step


def _date_text(days: float) -> str:
    seconds = round(days * 86400)
    moment = np.datetime64("1970-01-01T00:00:00") + np.timedelta64(seconds, "s")
    text = str(moment)
    return text.removesuffix("T00:00:00").replace("T", " ")
