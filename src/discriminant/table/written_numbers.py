"""Numbers as people write them, in a whole column: read in two ways, and the format that its texts have.

Text cells are read with a decimal point and with a decimal comma. Readings of parts add to that of the whole, and which
of the two a column means is decided from both. Where both read every cell, each mark stands before three digits: 1,234
alone. Then commas are taken to group thousands, points too where the unit is money (which has no thousandths), else to
be decimal.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from discriminant.table.number_format import (
    DECIMAL_SIGNS,
    NumberFormat,
    canonical_unit,
    is_sign,
    normalise_signs,
    parts_of,
    split_suffix,
    usual_multipliers,
)
from discriminant.table.spreads import Quantiles, Spread

MOST_ODD = 100  # different texts that are no numbers; with more a column is none of numbers
MOST_UNITS = 50  # different things around the digits
_MANY_LEVELS = 10  # different texts; fewer with a word behind the digits may be names: 36 months, 4G

Around = tuple[str, str]  # what stands before the digits and behind them


@dataclass(frozen=True)
class NumberReading:
    """How the texts of a column read as numbers with one decimal sign.

    ``spreads`` are by what stands around the digits, of numbers before any multiplier; ``whole`` says whether all
    these numbers are whole; ``odd`` counts the texts that are no numbers. ``fails`` where either are too many.
    """

    decimal: str
    fails: bool = False
    spreads: Mapping[Around, Spread] = field(default_factory=dict)
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


def number_readings(levels: Mapping[str, int], plain: Sequence[bool]) -> tuple[NumberReading, ...]:
    """Both readings of texts that occur so often; ``plain`` says of each whether a program writes numbers so."""
    return tuple(_reading(levels, plain, decimal) for decimal in DECIMAL_SIGNS)


def _reading(levels: Mapping[str, int], plain: Sequence[bool], decimal: str) -> NumberReading:
    values: dict[Around, list[float]] = defaultdict(list)
    often: dict[Around, list[float]] = defaultdict(list)
    odd: Counter[str] = Counter()
    grouping: set[str] = set()
    has_decimals, enclosed, example = False, 0, ""
    for (text, count), is_plain in zip(levels.items(), plain, strict=True):
        parts = parts_of(text, decimal)
        value = math.nan if parts is None else parts.value()
        if parts is None or math.isnan(value):
            odd[text] = count
            if len(odd) > MOST_ODD:
                return NumberReading(decimal, fails=True)
            continue
        values[parts.prefix, parts.suffix].append(value)
        often[parts.prefix, parts.suffix].append(count)
        grouping |= {parts.grouping}
        has_decimals |= parts.has_decimals
        enclosed += count * parts.enclosed
        example = example if is_plain else min(example, text, key=_longest_first)
    if len(values) > MOST_UNITS:
        return NumberReading(decimal, fails=True)
    spreads = {around: Spread.of(np.array(own), np.array(often[around], dtype=float)) for around, own in values.items()}
    whole = all(value.is_integer() for own in values.values() for value in own)
    return NumberReading(
        decimal, False, spreads, odd, frozenset(grouping - {""}), has_decimals, enclosed, example, whole
    )


def _longest_first(text: str) -> tuple[int, str]:
    return -len(text), text


@dataclass(frozen=True)
class WrittenNumbers:
    """The format, the numbers, the texts among them that are none, what to say of it, whether all are whole."""

    format: NumberFormat
    spread: Spread
    odd: Mapping[str, int]
    reason: str
    whole: bool


def written_numbers(readings: Sequence[NumberReading], levels: Collection[str] | None) -> WrittenNumbers | None:
    """What the cells of a text column mean as numbers; None where they are none, or in more than one unit.

    ``levels`` are its different texts, None where these are too many to be kept.
    """
    many = levels is None or len(levels) > _MANY_LEVELS
    found = {r.decimal: w for r in readings if (w := _in_format(r, many)) is not None}
    if not found:
        return None
    fewest = min(sum(w.odd.values()) for w in found.values())
    found = {decimal: w for decimal, w in found.items() if sum(w.odd.values()) == fewest}
    if len(found) == 1:
        return next(iter(found.values()))
    point = next(r for r in readings if r.decimal == ".")
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


def _in_format(reading: NumberReading, many: bool) -> WrittenNumbers | None:
    spreads, odd = reading.spreads, reading.odd
    if reading.fails or not spreads or len(reading.grouping) > 1:
        return None
    if reading.enclosed and reading.enclosed == sum(s.n for s in spreads.values()):
        return None  # numbers that are all in parentheses are no negative ones
    units = _units(spreads)
    if units is None:
        return None
    names, words, powers = units
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
        total = total + scale_spread(spread, 10.0 ** powers[around])
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


def scale_spread(spread: Spread, factor: float) -> Spread:
    """The spread of the numbers times a positive factor."""
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
    value = number_format.number_of(example)
    return "" if math.isnan(value) else f"{normalise_signs(example)!r} is read as {value:.12g}"
