"""What a text cell is read as, for all that read one: the model, its exports, and `docs/text-cells.md`.

around it     `SPACES` do not count; characters without width do, and so no text with one of them is a number
blank         nothing, one of `BLANK_TOKENS`, or a text that the column counts as blank
number        `PLAIN_NUMBER`, or `GROUPED_NUMBER` with its commas taken out; in a column with a `NumberFormat`,
              its pattern and nothing else. What is larger than any double is no number
flag          true, false, 1 or 0; capitals do not count
date          `date_pattern` of ISO 8601 or of the format of the column, and in the calendar from the year 1 on
category      the same characters as a level or one of its spellings; every other text is one never seen

Spellings of a level differ in case or in blanks only: Yes, yes and YES; "New  York" and "new york".
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

SPACES = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
PLAIN_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
GROUPED_NUMBER = r"^[+-]?[1-9][0-9]{0,2}((,[0-9]{3}){2,}(\.[0-9]+)?|,[0-9]{3}\.[0-9]+)$"
COMMA_NUMBER = r"^[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?$"  # with a decimal comma
GROUPED_BY_POINTS = r"^[+-]?[1-9][0-9]{0,2}(\.[0-9]{3})+(,[0-9]+)?$"
BLANK_TOKENS: tuple[str, ...] = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "?", "-", ".")

_MOST_TOLD = 6  # spellings, in a sentence


def is_text(kind: pa.DataType) -> bool:
    """Whether a column of this Arrow type holds text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def numpy_of(cells: Any) -> NDArray[Any]:
    """An Arrow array, chunked or not, as an array of NumPy."""
    return np.asarray(cells.to_numpy(zero_copy_only=False))


def mask_of(flags: Any) -> NDArray[np.bool_]:
    """Flags of Arrow, with null (of a blank cell) as false."""
    return numpy_of(pc.fill_null(flags, False)).astype(np.bool_, copy=False)


def clean_text(cells: Any) -> Any:
    """Text cells without blanks around them, and null where nothing is left or a blank token stands."""
    return without_texts(pc.utf8_trim_whitespace(cells), BLANK_TOKENS)


def without_texts(cells: Any, texts: Sequence[str]) -> Any:
    """Trimmed text cells, with null in place of some texts."""
    found = pc.is_in(cells, value_set=pa.array(list(texts), pa.string()).cast(cells.type))
    return pc.if_else(found, pa.scalar(None, cells.type), cells) if pc.any(found).as_py() else cells


def escape_pattern(text: str) -> str:
    """A text as part of a regular expression, in the dialects of every language that has them."""
    return re.sub(r"([\\^$.*+?()\[\]{}|/])", r"\\\1", text)


def fold_case(text: str) -> str:
    """One text for all spellings of it."""
    return " ".join(text.split()).casefold()


def one_spelling(counts: Mapping[str, int]) -> tuple[dict[str, int], dict[str, list[str]]]:
    """(how often each text occurs in any spelling, named by the commonest; its other spellings, sorted)."""
    groups: dict[str, list[str]] = defaultdict(list)
    for text in counts:
        groups[fold_case(text)].append(text)
    together: dict[str, int] = {}
    others: dict[str, list[str]] = {}
    for texts in groups.values():
        name = min(texts, key=lambda text: (-counts[text], text))
        together[name] = sum(counts[text] for text in texts)
        if len(texts) > 1:
            others[name] = sorted(text for text in texts if text != name)
    return together, others


def spellings_text(aliases: Sequence[tuple[str, str]]) -> str:
    """A sentence that says which spellings count as which texts."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for spelling, name in aliases[:_MOST_TOLD]:
        by_name[name].append(repr(spelling))
    said = [f"{', '.join(own)} count{'s' if len(own) == 1 else ''} as {name!r}" for name, own in by_name.items()]
    more = len(aliases) - _MOST_TOLD
    return "; ".join(said) + (f" and so do {more} more spellings" if more > 0 else "")
