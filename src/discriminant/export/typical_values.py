"""A cell as the table may well have had it, for people to start from and to type over."""

import math
from datetime import datetime, timedelta

from discriminant.export.vectors import Cell
from discriminant.table.encoding import Column, Feature

_EPOCH = datetime(1970, 1, 1)
_DIGITS = 3


def typical(column: Column) -> Cell:
    """The most common text, the more common flag, a round number or day near the average."""
    if column.kind == "category":
        return column.reference
    middle = _within(column, _average(column))
    if column.kind == "flag":
        return middle >= 0.5
    if column.kind == "date":
        return _EPOCH + timedelta(days=round(min(max(middle, -25_000), 2_900_000)))  # 1901 to 9909
    return _rounded(column, middle)


def _average(column: Column) -> float:
    """Of the values as they enter the model; pieces that follow one another add up to the whole."""
    first, *others = column.values or (Feature("", "value", 0.0, 1.0),)
    if first.unit is not None:
        return math.copysign(first.unit * math.expm1(min(abs(first.centre), 50.0)), first.centre)
    return first.centre + sum(f.centre - f.low for f in others if f.low is not None and f.unit is None)


def _within(column: Column, value: float) -> float:
    value = value if column.low is None else max(column.low, value)
    return value if column.high is None else min(column.high, value)


def _rounded(column: Column, value: float) -> float:
    """To a multiple of the step of the column, else to a few digits; as it is, where that leaves the range."""
    near = round(value / column.step) * column.step if column.step else float(f"{value:.{_DIGITS}g}")
    return float(f"{near if _within(column, near) == near else value:.15g}")
