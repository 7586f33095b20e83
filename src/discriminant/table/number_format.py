"""Numbers as people write them: $23,455.61, 21.138,79 €, 1 234,5, 1'234.50, (123), 123-, 17.7%, 1.2M.

Whether 1,234 is 1234 or 1.234 cannot be seen in the cell: a `NumberFormat` says it for a whole column, with the units
and multipliers that may stand beside the digits. What is not written so is no number. Spaces of any width are spaces,
and every dash of the width of a minus is one.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discriminant.cached import cached_property
from discriminant.table.texts import clean_text, escape_pattern, numpy_of

DECIMAL_SIGNS = (".", ",")
GROUPING_SIGNS = ("", ",", ".", " ", "'")
POWERS = (3, 6, 9, 12)  # of ten, that multipliers stand for
CURRENCY_CODES = (
    "AED", "ARS", "AUD", "BGN", "BRL", "CAD", "CHF", "CLP", "CNY", "COP", "CZK", "DKK", "EGP", "EUR", "GBP", "HKD",
    "HUF", "IDR", "ILS", "INR", "JPY", "KES", "KRW", "MXN", "MYR", "NGN", "NOK", "NZD", "PEN", "PHP", "PLN", "RON",
    "RUB", "SAR", "SEK", "SGD", "THB", "TRY", "TWD", "UAH", "USD", "VND", "ZAR",
)  # fmt: skip

LIKENESSES = {  # characters that count as a space, minus or apostrophe
    " ": "\u00a0\u2007\u2008\u2009\u200a\u202f",
    "-": "\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d",
    "'": "\u2019\u02bc\u00b4`",
}
_NORMAL = str.maketrans({other: plain for plain, others in LIKENESSES.items() for other in others})
_CURRENCIES = (  # the signs that Unicode has for them
    "$¢£¤¥֏؋\u07fe\u07ff৲৳৻૱௹฿៛\u20a0-\u20c0\ua838﷼﹩＄￠￡￥￦\U00011fdd-\U00011fe0\U0001e2ff\U0001ecb0"
)
_LETTER = r"[^\W\d_²³]"  # and some numerals, see `_is_word`
_PREFIX = rf"[A-Z]{{0,3}}[{_CURRENCIES}]|{'|'.join(CURRENCY_CODES)}|Rs\.?|SFr\.?|Fr\.?|kr\.?|%"
_SUFFIX = (
    rf"(?:{_LETTER}|[{_CURRENCIES}%‰°])(?:{_LETTER}|[{_CURRENCIES}°²³/.]){{0,11}}"
    rf"(?: (?:{_LETTER}|[{_CURRENCIES}])(?:{_LETTER}|[{_CURRENCIES}.]){{0,5}})?"
)


@dataclass(frozen=True)
class NumberFormat:
    """How the numbers of a column are written.

    ``units`` are the ways in which its one unit is written, before or behind the digits, or left out; the number is
    kept as written, so 17.7% is 17.7. ``multipliers`` are words behind the digits with the power of ten they mean.
    """

    decimal: str = "."
    grouping: str = ""
    units: tuple[str, ...] = ()
    multipliers: Mapping[str, int] = field(default_factory=dict)
    parentheses: bool = False  # (123) is −123

    def __hash__(self) -> int:
        return hash((self.decimal, self.grouping, self.units, tuple(self.multipliers.items()), self.parentheses))

    def numbers_of(self, texts: Any) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Each cell as a float, NaN where it is blank or no such number; and which cells are not (blanks are)."""
        cells = clean_text(texts)
        cells = cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
        different = cells.dictionary_encode()
        values = np.array([*map(self.number_of, different.dictionary.to_pylist()), np.nan])
        values = values[numpy_of(different.indices.fill_null(-1))]
        return values, np.isnan(values) & numpy_of(cells.is_valid())

    def number_of(self, text: str) -> float:
        """The number of one text, NaN where it is none in this format."""
        parts = parts_of(text, self.decimal)
        if parts is None or (parts.enclosed and not self.parentheses) or parts.grouping not in ("", self.grouping):
            return math.nan
        power = self.suffixes.get(parts.suffix) if parts.suffix else 0
        if power is None or (parts.prefix and parts.prefix not in self.prefixes):
            return math.nan
        return parts.value(power)

    def written(self, value: float, decimals: int = 2) -> str:
        """A number in this format."""
        whole, _, fraction = f"{abs(value):,.{decimals}f}".partition(".")
        text = whole.replace(",", self.grouping) + (self.decimal + fraction if fraction else "")
        if self.units:
            unit = self.units[0]
            text = unit + text if unit[-1] in "$£¥₹" else f"{text}%" if unit == "%" else f"{text} {unit}"
        if value >= 0:
            return text
        return f"({text})" if self.parentheses else f"-{text}"

    @cached_property
    def prefixes(self) -> tuple[str, ...]:
        """What may stand before the digits: units that may, the longest first; Fr and Fr. are one."""
        dotted = [form for unit in self.units for form in (unit.rstrip("."), unit.rstrip(".") + ".")]
        return _fitting([*self.units, *dotted], _PREFIX)

    @cached_property
    def suffixes(self) -> dict[str, int]:
        """What may stand behind the digits, the longest first, and the power of ten it means."""
        known = dict.fromkeys(self.units, 0)
        for word, power in self.multipliers.items():
            known |= {word: power} | {f"{word}{space}{unit}": power for unit in self.units for space in ("", " ")}
        return {word: known[word] for word in _fitting(known, _SUFFIX)}

    @property
    def pattern(self) -> str:
        """What a whole text must match, with one kind of space, minus and apostrophe in it.

        Its groups are: parenthesis, sign, prefix, sign, digits, exponent, suffix, minus, parenthesis; of the opening
        parenthesis and the three signs at most one may be there. No text matches in two ways, so none takes long.
        """
        # "[^ -~]^" matches nothing, where there is nothing that may stand there
        prefix, suffix = ("|".join(map(escape_pattern, words)) or "[^ -~]^" for words in (self.prefixes, self.suffixes))
        return _pattern(self.decimal, self.grouping, prefix, suffix)


class Parts(NamedTuple):
    """A number taken apart: its digits as a program writes them, and what stands around them."""

    digits: str
    exponent: str
    negative: bool
    prefix: str
    suffix: str
    grouping: str  # the sign between thousands, if there is one
    has_decimals: bool
    enclosed: bool  # in parentheses

    def value(self, power: int = 0) -> float:
        """The number times a power of ten, which is read with the digits, so that 1.1k is 1100 to the last bit.

        NaN where it is larger than any double, or has an exponent and a multiplier.
        """
        if power and self.exponent:
            return math.nan
        size = float(self.digits + (f"e{power}" if power else self.exponent))
        return math.nan if math.isinf(size) else -size if self.negative else size


def normalise_signs(text: str) -> str:
    """Texts with one kind of space, minus and apostrophe."""
    return text if text.isascii() and "`" not in text else text.translate(_NORMAL)


def parts_of(text: str, decimal: str) -> Parts | None:
    """The parts of a number that is written with this decimal sign; None where a text is none."""
    found = _any_number(decimal).match(normalise_signs(text))
    if found is None:
        return None
    opened, sign, prefix, inner, digits, exponent, suffix, after, closed = (part or "" for part in found.groups())
    signs = opened + sign + inner + after
    if len(signs) > 1 or bool(opened) != bool(closed) or not _is_word(suffix):
        return None
    other = "," if decimal == "." else "."
    grouping = next((sign for sign in (other, " ", "'") if sign in digits), "")
    plain = digits.replace(grouping, "") if grouping else digits
    plain = plain.replace(",", ".") if decimal == "," else plain
    negative = signs in ("-", "(")
    return Parts(plain, exponent, negative, prefix, suffix, grouping, decimal in digits, bool(opened))


def _pattern(decimal: str, groupings: str, prefix: str, suffix: str) -> str:
    """The pattern of a whole text, with nine groups: see `NumberFormat.pattern`."""
    d = escape_pattern(decimal)
    grouped = (f"[1-9][0-9]{{0,2}}(?:{escape_pattern(sign)}[0-9]{{3}})+" for sign in groupings)
    digits = f"((?:{'|'.join([*grouped, '[0-9]+'])})(?:{d}[0-9]*)?|{d}[0-9]+)([eE][+-]?[0-9]+)?"
    before = rf"^(\()? *(?:([+-]) *)?(?:({prefix}) *)?(?:([+-]) *)?"
    return before + rf"{digits} *(?:({suffix}) *)?(?:(-) *)?(\))?$"


@cache
def _any_number(decimal: str) -> re.Pattern[str]:
    """Numbers with this decimal sign, whatever groups their thousands and stands around them."""
    other = "," if decimal == "." else "."
    return re.compile(_pattern(decimal, f"{other} '", _PREFIX, _SUFFIX)[:-1] + r"\Z")


def _is_word(text: str) -> bool:
    """Whether there are letters where `_SUFFIX` asks for them: a class of `re` without digits still has numerals."""
    return text.isascii() or not any(c.isnumeric() and not c.isalpha() for c in text if c not in "²³")


def _fitting(words: Iterable[str], pattern: str) -> tuple[str, ...]:
    """The words that match, each once, the longest first."""
    fits = (word for word in dict.fromkeys(words) if re.fullmatch(pattern, word) and _is_word(word))
    return tuple(sorted(fits, key=len, reverse=True))


def canonical_unit(unit: str) -> str:
    """One text for all ways to write a unit."""
    folded = unit.casefold().rstrip(".")
    return _SYNONYMS.get(folded, folded)


def is_sign(unit: str) -> bool:
    """Whether it can be nothing but the unit of a number: a currency, or per cent."""
    return bool(re.search(r"[%‰$£¥€¢₹₽₺₩₪₫₴₦]", unit)) or canonical_unit(unit).upper() in CURRENCY_CODES


_SYNONYMS = {
    "$": "usd", "us$": "usd", "€": "eur", "euro": "eur", "£": "gbp", "¥": "jpy", "₹": "inr", "rs": "inr",
    "fr": "chf", "sfr": "chf",
}  # fmt: skip


def power_of(word: str, among_multipliers: bool) -> int | None:
    """The power of ten that a word means; m, b, g and t only beside other multipliers or money, else they are units."""
    folded = word.casefold().rstrip(".")
    if word == "M" or folded in _MULTIPLIERS:
        return 6 if word == "M" else _MULTIPLIERS[folded]
    return _SHORT_MULTIPLIERS.get(folded) if among_multipliers else None


_MULTIPLIERS = {
    "k": 3, "tsd": 3, "thousand": 3, "mn": 6, "mio": 6, "mill": 6, "million": 6, "millions": 6, "bn": 9, "mrd": 9,
    "billion": 9, "billions": 9, "tn": 12, "trillion": 12,
}  # fmt: skip
_SHORT_MULTIPLIERS = {"m": 6, "b": 9, "g": 9, "t": 12}


def split_suffix(suffix: str, among_multipliers: bool) -> tuple[str, int, str]:
    """(multiplier, its power of ten, unit) of what stands behind the digits."""
    first, _, rest = suffix.partition(" ")
    joined = re.fullmatch(r"([^\W\d_]+\.?)([$£¥€₹₽₺₩₪₫₴₦].*)", first)
    if joined and not rest:
        first, rest = joined.groups()
    power = power_of(first, among_multipliers) if first else None
    return ("", 0, suffix) if power is None else (first, power, rest)


def usual_multipliers(words: Iterable[str]) -> dict[str, int]:
    """Words that were seen, and the others that a person would write in their place."""
    seen = {word: power_of(word, True) or 0 for word in sorted(words)}
    return seen | {word: power for word, power in {"k": 3, "K": 3, "M": 6, "bn": 9}.items() if word not in seen}
