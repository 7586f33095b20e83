"""Readings of a column's texts -> the format in which its numbers are written, if they are numbers.

Where a decimal point and a decimal comma both read every cell, each mark stands before three digits: 1,234 alone. Then
commas are taken to group thousands, points too where the unit is money (which has no thousandths), else to be decimal.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from discriminant.table.number_format import (
    NumberFormat,
    canonical_unit,
    is_sign,
    normalised,
    split_suffix,
    usual_multipliers,
)
from discriminant.table.number_readings import Around, NumberReading
from discriminant.table.quantiles import Quantiles
from discriminant.table.summaries import ColumnSummary, Spread

_MANY_LEVELS = 10  # different texts; fewer with a word behind the digits may be names: 36 months, 4G


@dataclass(frozen=True)
class WrittenNumbers:
    """The format, the numbers, the texts among them that are none, what to say of it, whether all are whole."""

    format: NumberFormat
    spread: Spread
    odd: Mapping[str, int]
    reason: str
    whole: bool


def written_numbers(summary: ColumnSummary) -> WrittenNumbers | None:
    """What the cells of a text column mean as numbers; None where they are none, or in more than one unit."""
    found = {r.decimal: w for r in summary.readings if (w := _in_format(r, summary)) is not None}
    if not found:
        return None
    fewest = min(sum(w.odd.values()) for w in found.values())
    found = {decimal: w for decimal, w in found.items() if sum(w.odd.values()) == fewest}
    if len(found) == 1:
        return next(iter(found.values()))
    point = next(r for r in summary.readings if r.decimal == ".")
    commas, points = "," in point.grouping, point.has_decimals
    if commas and points:
        return None
    money = any(is_sign(unit) and "%" not in unit for unit in found["."].format.units)
    chosen = found["," if points and money else "."]
    if not (commas or points) or (commas and money):
        return chosen
    mark = "comma" if commas else "point"
    taken = "to be decimal" if points and not money else "to group thousands"
    return replace(chosen, reason=f"{chosen.reason}: a {mark} before three digits is taken {taken}")


def _in_format(reading: NumberReading, summary: ColumnSummary) -> WrittenNumbers | None:
    spreads, odd = reading.spreads, reading.odd
    if reading.fails or not spreads or len(reading.grouping) > 1:
        return None
    if reading.enclosed and reading.enclosed == sum(s.n for s in spreads.values()):
        return None  # numbers that are all in parentheses are no negative ones
    units = _units(spreads)
    if units is None:
        return None
    names, words, powers = units
    many = summary.levels is None or len(summary.levels) > _MANY_LEVELS
    if not many and (words or names) and not any(map(is_sign, names)):
        return None
    seen = next(iter(reading.grouping), "")
    usual = "" if not reading.has_decimals else "," if reading.decimal == "." else "."
    number_format = NumberFormat(
        reading.decimal,
        seen or usual,
        names,
        usual_multipliers(words) if words else {},
        bool(reading.enclosed),
    )
    total = Spread()
    for around, spread in spreads.items():
        total = total + scaled(spread, 10.0 ** powers[around])
    reason = _reason(reading.example, number_format)
    return WrittenNumbers(number_format, replace(total, counting=False), odd, reason, reading.whole)


def _units(spreads: Mapping[Around, Spread]) -> tuple[tuple[str, ...], set[str], dict[Around, int]] | None:
    """(spellings of the unit, words that multiply, power of ten of each); None if there is more than one unit."""
    behind = [split_suffix(suffix, False) for _, suffix in spreads]
    money = any(prefix for prefix, _ in spreads) or any(is_sign(unit) for *_, unit in behind)
    among = money or any(power for _, power, _ in behind)
    often: dict[str, int] = {}
    words: set[str] = set()
    powers = {}
    for (prefix, suffix), spread in spreads.items():
        word, power, unit = split_suffix(suffix, among)
        powers[prefix, suffix] = power
        words |= {word} - {""}
        for name in {prefix, unit} - {""}:
            often[name] = often.get(name, 0) + spread.n
    if len({canonical_unit(unit) for unit in often}) > 1:
        return None
    return tuple(sorted(often, key=lambda unit: (-often[unit], unit))), words, powers


def scaled(spread: Spread, factor: float) -> Spread:
    """Of the numbers times a positive factor."""
    if factor == 1.0:
        return spread
    with np.errstate(over="ignore"):
        values = spread.quantiles.values * factor
    return replace(
        spread,
        mean=spread.mean * factor,
        squares=spread.squares * factor * factor,
        low=spread.low * factor,
        high=spread.high * factor,
        first=spread.first * factor,
        last=spread.last * factor,
        quantiles=Quantiles.of(values, spread.quantiles.counts),
    )


def _reason(example: str, number_format: NumberFormat) -> str:
    if not example:
        return ""
    cell = normalised(pa.array([example]))
    value = number_format.numbers_of(cell)[0][0]
    return f"{cell[0].as_py()!r} is read as {value:.12g}" if np.isfinite(value) else ""
