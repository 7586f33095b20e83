"""Numbers as people write them: $23,455.61, 21.138,79 €, 1 234,5, 1'234.50, (123), 123-, 17.7%, 1.2M.

Whether 1,234 is 1234 or 1.234 cannot be seen in the cell: a `NumberFormat` says it for a whole column, with the units
and multipliers that may stand beside the digits. What is not written so is no number. Spaces of any width are spaces,
and every dash of the width of a minus is one.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from discriminant.cached import cached_property
from discriminant.table.blanks import clean_text
from discriminant.table.text_patterns import escaped

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

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
_PREFIX = r"(?:[A-Z]{0,3}\p{Sc}|" + "|".join(CURRENCY_CODES) + r"|Rs\.?|SFr\.?|Fr\.?|kr\.?|%)"
_SUFFIX = r"[\p{L}\p{Sc}%‰°µ][\p{L}\p{Sc}°²³/.]{0,11}(?: [\p{L}\p{Sc}][\p{L}\p{Sc}.]{0,5})?"


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

    def numbers_of(self, texts: Any) -> tuple[Floats, Mask]:
        """Each cell as a float, NaN where it is blank or no such number; and which cells are not (blanks are)."""
        cells = clean_text(texts)
        cells = cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
        parts = parts_of(cells, self.decimal)
        known = {"": 0} | self.suffixes
        place = _numpy(pc.index_in(parts.suffix, value_set=pa.array(list(known), pa.string())).fill_null(-1))
        prefixed = _mask(pc.is_in(parts.prefix, value_set=pa.array(["", *self.prefixes], pa.string())))
        fits = parts.fits & prefixed & (place >= 0) & (self.parentheses | ~parts.enclosed)
        for sign, used in parts.grouped.items():
            fits &= ~used | (sign == self.grouping)
        powers = np.array([*known.values(), 0])[place]
        values = np.where(fits, _multiplied(parts, powers), np.nan)
        finite = np.isfinite(values)  # neither is 1e5k, with an exponent and a multiplier
        return np.where(finite, values, np.nan), ~_mask(pc.is_null(cells)) & ~finite

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
        d = escaped(self.decimal)
        whole = f"[1-9][0-9]{{0,2}}(?:{escaped(self.grouping)}[0-9]{{3}})+|[0-9]+" if self.grouping else "[0-9]+"
        digits = f"((?:{whole})(?:{d}[0-9]*)?|{d}[0-9]+)([eE][+-]?[0-9]+)?"
        # "[^ -~]^" matches nothing, where there is nothing that may stand there
        prefix, suffix = ("|".join(map(escaped, words)) or "[^ -~]^" for words in (self.prefixes, self.suffixes))
        before = rf"^(\()? *(?:([+-]) *)?(?:({prefix}) *)?(?:([+-]) *)?"
        return before + rf"{digits} *(?:({suffix}) *)?(?:(-) *)?(\))?$"


class Parts(NamedTuple):
    """Cells taken apart: which are numbers with this decimal sign, and what stands around their digits."""

    fits: Mask
    plain: Any  # the digits as a program writes them; null where the cell is no number
    negative: Mask
    prefix: Any
    suffix: Any
    grouped: dict[str, Mask]  # by which sign
    has_decimals: Mask
    enclosed: Mask  # in parentheses


def normalised(cells: Any) -> Any:
    """With one kind of space, minus and apostrophe."""
    for plain, others in LIKENESSES.items():
        cells = pc.replace_substring_regex(cells, f"[{others}]", plain)
    return cells


def _fitting(words: Iterable[str], pattern: str) -> tuple[str, ...]:
    """Those that match, each once, the longest first."""
    every = pa.array(list(dict.fromkeys(words)), pa.string())
    fits = every.filter(pc.match_substring_regex(every, f"^(?:{pattern})$")).to_pylist()
    return tuple(sorted(fits, key=len, reverse=True))


def parts_of(cells: Any, decimal: str) -> Parts:
    """Of an array of cleaned texts."""
    cells = normalised(cells)
    found = pc.extract_regex(cells, _pattern(decimal))
    part = {name: pc.struct_field(found, name) for name in _NAMES}
    opened, closed = (_mask(pc.equal(part[name], sign)) for name, sign in (("open", "("), ("close", ")")))
    signs = {name: _mask(pc.not_equal(part[name], "")) for name in ("sign", "inner", "after")}
    minus = opened | _mask(pc.equal(part["sign"], "-")) | _mask(pc.equal(part["inner"], "-")) | signs["after"]
    once = opened.astype(int) + sum(used.astype(int) for used in signs.values()) <= 1
    fits = _mask(pc.is_valid(found)) & (opened == closed) & once
    digits, other = part["digits"], "," if decimal == "." else "."
    grouped = {sign: fits & _mask(pc.match_substring(digits, sign)) for sign in (other, " ", "'")}
    has_decimals = fits & _mask(pc.match_substring(digits, decimal))
    plain = pc.replace_substring_regex(digits, f"[{other} ']", "")
    plain = plain if decimal == "." else pc.replace_substring(plain, ",", ".")
    plain = pc.if_else(pa.array(fits), plain, pa.scalar(None, plain.type))
    return Parts(fits, plain, minus, part["prefix"], part["suffix"], grouped, has_decimals, opened)


def values_of(parts: Parts) -> Floats:
    """The numbers before they are multiplied; NaN where there is none."""
    return _multiplied(parts, np.zeros(len(parts.fits), dtype=np.int64))


_NAMES = ("open", "sign", "prefix", "inner", "digits", "suffix", "after", "close")


def _pattern(decimal: str) -> str:
    d, other = (r"\.", ",") if decimal == "." else (",", r"\.")
    grouped = "|".join(f"[1-9][0-9]{{0,2}}(?:{sign}[0-9]{{3}})+" for sign in (other, " ", "'"))
    digits = f"(?:(?:{grouped}|[0-9]+)(?:{d}[0-9]*)?|{d}[0-9]+)(?:[eE][+-]?[0-9]+)?"
    return (
        rf"^(?P<open>\(?) *(?P<sign>[+-]?) *(?P<prefix>{_PREFIX}?) *(?P<inner>[+-]?) *(?P<digits>{digits}) *"
        rf"(?P<suffix>(?:{_SUFFIX})?) *(?P<after>-?) *(?P<close>\)?)$"
    )


def _multiplied(parts: Parts, powers: NDArray[np.int64]) -> Floats:
    """The power is written behind the digits and read with them, so that 1.1k is 1100 to the last bit."""
    texts = parts.plain
    for power in np.unique(powers[powers != 0]).tolist():
        exponent = pc.binary_join_element_wise(texts, f"e{power}", "")
        alone = pc.invert(pc.match_substring_regex(texts, "[eE]"))
        texts = pc.if_else(pa.array(powers == power), pc.if_else(alone, exponent, pa.scalar(None, texts.type)), texts)
    values = _numpy(pc.cast(texts, pa.float64()))
    return np.where(parts.negative, -values, values)


def canonical_unit(unit: str) -> str:
    """The same for all ways to write a unit."""
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


def _mask(flags: Any) -> Mask:
    return np.asarray(pc.fill_null(flags, False).to_numpy(zero_copy_only=False), dtype=np.bool_)


def _numpy(cells: Any) -> NDArray[Any]:
    return np.asarray(cells.to_numpy(zero_copy_only=False))
