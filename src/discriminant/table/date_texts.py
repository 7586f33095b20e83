"""Text cells -> days since 1970-01-01 (UTC, with the time of day as a fraction).

A date is written year-month-day as in ISO 8601, or in the one of `DATE_FORMATS` that its column has, perhaps with a
time of day behind it and a zone behind that; without a zone it counts as UTC. Whether 03/04/2020 is in March or in
April cannot be seen in the cell: `fitting_date_formats` asks a whole column, and `dates_of` is told.
"""

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from discriminant.table.texts import clean_text, escape_pattern, is_text, mask_of, numpy_of

ISO = "%Y-%m-%d"
DATE_FORMATS: tuple[str, ...] = (
    ISO,
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d.%m.%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
)

_PARTS = {"%Y": ("year", "[0-9]{4}"), "%m": ("month", "[0-9]{1,2}"), "%d": ("day", "[0-9]{1,2}")}
TIME_AND_ZONE = (
    "(?:[T ]+([0-9]{1,2})(?::([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?)?"
    " ?(?:Z|([+-])([0-9]{2})(?::?([0-9]{2}))?)?)?"
)
_BEHIND = ("hour", "minute", "second", "fraction", "sign", "east", "past")  # its groups

_SECOND = 1_000_000  # times are counted in whole microseconds until the end, so that every way here gives the same bits
_DAY = 86_400 * _SECOND
_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": _DAY, "ns": 1000 * _DAY}
FIRST_DAY, LAST_DAY = -719_162, 2_932_896  # 0001-01-01 and 9999-12-31, as texts can say them

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Integers = NDArray[np.int64]


def dates_of(texts: Any, date_format: str | None = None) -> tuple[Floats, Mask]:
    """Each cell in days since 1970-01-01, NaN where it is blank or no date; and which are no dates (blanks are not)."""
    if not is_text(texts.type):
        return _days_of_stored(texts)
    cells = clean_text(texts)
    try:
        days = _days_of_instants(pc.cast(cells, pa.timestamp("us")))
        if not (days < FIRST_DAY).any():  # the cast knows a year 0
            return days, np.zeros(len(cells), dtype=np.bool_)
    except pa.ArrowInvalid:
        pass  # some cell has a zone, or is no date: then cell by cell
    days, strange = _by_cell(cells, ISO)
    if date_format in (None, ISO):
        return days, strange
    own, others = _by_cell(cells, str(date_format))
    return np.where(strange, own, days), strange & others


def fitting_date_formats(texts: Any) -> list[str]:
    """The formats of `DATE_FORMATS` that read every cell that is not blank; two, where days and months look alike."""
    cells = clean_text(pc.unique(texts)).drop_null()
    if not len(cells):
        return []
    likely = [f for f in DATE_FORMATS if not _by_cell(cells[:100], f)[1].any()]
    return [f for f in likely if not _by_cell(cells, f)[1].any()]


def _days_of_stored(instants: Any) -> tuple[Floats, Mask]:
    """The days as `dates_of` gives them: a number stored as a date may be so large that no calendar has the day."""
    per_day = 1 if pa.types.is_date32(instants.type) else _PER_DAY[getattr(instants.type, "unit", "ms")]
    whole = pc.cast(instants, pa.int32() if pa.types.is_date32(instants.type) else pa.int64())
    days = pc.divide(pc.cast(whole, pa.float64(), safe=False), float(per_day))
    outside = pc.or_(pc.less(days, FIRST_DAY), pc.greater_equal(days, LAST_DAY + 1))
    if pc.any(outside).as_py():
        instants = pc.if_else(outside, pa.scalar(None, instants.type), instants)
    return _days_of_instants(instants), mask_of(outside)


def _days_of_instants(instants: Any) -> Floats:
    stamps = pc.cast(instants, pa.timestamp("us", getattr(instants.type, "tz", None)), safe=False)
    microseconds = pc.cast(pc.cast(stamps, pa.int64()), pa.float64(), safe=False)
    return numpy_of(pc.divide(microseconds, float(_DAY)))


def _by_cell(cells: Any, date_format: str) -> tuple[Floats, Mask]:
    array = cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
    found = pc.extract_regex(array, date_pattern(date_format, named=True))
    text = {name: pc.struct_field(found, name) for name in ("year", "month", "day", *_BEHIND)}
    text["fraction"] = pc.utf8_slice_codeunits(pc.utf8_rpad(text["fraction"], 6, "0"), 0, 6)  # in microseconds
    west = mask_of(pc.equal(text.pop("sign"), "-"))
    whole = {name: _integers(digits) for name, digits in text.items()}
    first_day, valid = _first_days(whole["year"], whole["month"], whole["day"])
    valid &= (whole["hour"] < 24) & (whole["minute"] < 60) & (whole["second"] < 61)
    away = 3600 * whole["east"] + 60 * whole["past"]
    seconds = 3600 * whole["hour"] + 60 * whole["minute"] + whole["second"] - np.where(west, -away, away)
    microseconds = first_day * _DAY + seconds * _SECOND + whole["fraction"]
    return np.where(valid, microseconds / _DAY, np.nan), mask_of(array.is_valid()) & ~valid


def day_text(days: float) -> str:
    """The day of a date, as in ISO 8601; the first or last of the calendar for one beyond it."""
    return str(np.datetime64(int(min(max(np.floor(days), FIRST_DAY), LAST_DAY)), "D"))


def date_parts(date_format: str) -> tuple[str, ...]:
    """Year, month and day in the order of a format."""
    return tuple(_PARTS[part][0] for part in re.findall("%[Ymd]", date_format))


def date_pattern(date_format: str, named: bool = False) -> str:
    """What a whole text must match, one of `DATE_FORMATS`.

    Its groups are those of `date_parts`, then hour, minute, second, fraction, sign, hours east and minutes east.
    """
    if date_format not in DATE_FORMATS:
        raise ValueError(f"{date_format!r} is no format of dates; it must be one of {', '.join(DATE_FORMATS)}")
    pieces = re.split("(%[Ymd])", date_format)
    date = "".join(f"({_PARTS[piece][1]})" if piece in _PARTS else escape_pattern(piece) for piece in pieces)
    pattern = f"^{date}{TIME_AND_ZONE}$"
    if not named:
        return pattern
    names = iter((*date_parts(date_format), *_BEHIND))
    return re.sub(r"\((?!\?)", lambda _: f"(?P<{next(names)}>", pattern)


def _first_days(year: Integers, month: Integers, day: Integers) -> tuple[Integers, Mask]:
    """Days since 1970 of the date, and whether the calendar has it."""
    months = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    days = months.astype("datetime64[D]") + (day - 1)
    valid = (year > 0) & (month >= 1) & (month <= 12) & (day >= 1) & (days.astype("datetime64[M]") == months)
    return days.astype(np.int64), valid


def _integers(digits: Any) -> Integers:
    """The whole numbers that texts of digits say, 0 for empty ones."""
    whole = pc.cast(pc.if_else(pc.equal(digits, ""), "0", digits), pa.int64())
    return numpy_of(pc.fill_null(whole, 0))
