"""Cells of any stored type -> numbers, flags, days or texts: what a cell means never depends on the cells beside it.

A number is digits with at most one decimal point and perhaps an exponent. Commas may group its thousands where that
cannot be a decimal comma: 1,234,567 and 1,234.5 are numbers, 1,234 is none. Infinity is no number. Flags are true and
false, in any case, and 1 and 0; yes and no are categories. ``also_blank`` are texts that a column counts as blank.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from discriminant.table.date_texts import dates_of
from discriminant.table.number_format import NumberFormat
from discriminant.table.texts import (
    COMMA_NUMBER,
    GROUPED_BY_POINTS,
    GROUPED_NUMBER,
    PLAIN_NUMBER,
    clean_text,
    is_text,
    mask_of,
    numpy_of,
    without_texts,
)

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def numbers_of_cells(
    cells: Any, also_blank: Sequence[str], number_format: NumberFormat | None = None
) -> tuple[Floats, Mask]:
    """Numbers, NaN where blank; and which cells are no numbers. Texts are read in the format, if there is one."""
    cells = _without(cells, also_blank)
    if number_format is not None and is_text(cells.type):
        return number_format.numbers_of(cells)
    return _none_of(cells) if pa.types.is_temporal(cells.type) else numbers_of(cells)


def flags_of_cells(cells: Any, also_blank: Sequence[str]) -> tuple[Floats, Mask]:
    """1 for true, 0 for false, NaN where blank; and which cells are neither."""
    cells = _without(cells, also_blank)
    return _none_of(cells) if pa.types.is_temporal(cells.type) else flags_of(cells)


def days_of_cells(cells: Any, also_blank: Sequence[str], date_format: str | None) -> tuple[Floats, Mask]:
    """Days since 1970-01-01, NaN where blank; and which cells are no dates: a bare number says no unit."""
    cells = _without(cells, also_blank)
    if is_text(cells.type) or pa.types.is_date(cells.type) or pa.types.is_timestamp(cells.type):
        return dates_of(cells, date_format)
    return _none_of(cells)


def texts_of_cells(cells: Any, also_blank: Sequence[str]) -> tuple[Any, Mask]:
    """Texts as an arrow array with null where blank; and which cells are blank."""
    cells = plain_type(cells)
    texts = _without(clean_text(cells if is_text(cells.type) else pc.cast(cells, pa.string())), also_blank)
    return texts, mask_of(pc.is_null(texts))


def numbers_of(texts: Any) -> tuple[Floats, Mask]:
    """Each cell as a float, NaN where it is blank or no number; and which cells are no numbers (blanks are not)."""
    if not is_text(texts.type):
        return _finite(pc.cast(texts, pa.float64(), safe=False))
    try:
        values, infinite = _finite(pc.cast(texts, pa.float64()))
        if (np.isnan(values) & ~infinite).sum() <= texts.null_count:
            return values, infinite
    except pa.ArrowInvalid:
        pass
    return _by_cell(clean_text(texts))  # the cast knows more spellings of NaN than there are blank tokens


def flags_of(texts: Any) -> tuple[Floats, Mask]:
    """Each cell as 1, 0 or (blank, or no flag) NaN; and which cells are no flags (blanks are not)."""
    if not is_text(texts.type):
        stored = numpy_of(pc.cast(texts, pa.float64()))
        others = ~(np.isnan(stored) | (stored == 0) | (stored == 1))
        return np.where(others, np.nan, stored), others
    words = pc.utf8_lower(clean_text(texts))
    true, false = (mask_of(pc.is_in(words, value_set=pa.array(own, words.type))) for own in _FLAGS)
    return np.where(true, 1.0, np.where(false, 0.0, np.nan)), mask_of(pc.is_valid(words)) & ~true & ~false


_FLAGS = (["true", "1"], ["false", "0"])


def with_decimal_points(texts: Any) -> Any:
    """Cells of a table with decimal commas: 3,14 as 3.14 and 1.234,5 as 1234.5; other texts as they are."""
    return _replace(_replace(texts, GROUPED_BY_POINTS, ".", ""), COMMA_NUMBER, ",", ".")


def plain_type(cells: Any) -> Any:
    """The cells themselves, where they are stored as codes."""
    return pc.cast(cells, cells.type.value_type) if pa.types.is_dictionary(cells.type) else cells


def _replace(texts: Any, pattern: str, old: str, new: str) -> Any:
    """Texts that match, with one sign in place of another."""
    fits = pc.match_substring_regex(texts, pattern)
    return pc.if_else(fits, pc.replace_substring(texts, old, new), texts) if pc.any(fits).as_py() else texts


def _by_cell(cells: Any) -> tuple[Floats, Mask]:
    cells = _replace(cells, GROUPED_NUMBER, ",", "")
    plain = pc.match_substring_regex(cells, PLAIN_NUMBER)
    values, infinite = _finite(pc.cast(pc.if_else(plain, cells, pa.scalar(None, cells.type)), pa.float64()))
    return values, infinite | mask_of(pc.invert(plain))


def _finite(cells: Any) -> tuple[Floats, Mask]:
    values = numpy_of(cells)
    infinite = np.isinf(values)
    return np.where(infinite, np.nan, values) if infinite.any() else values, infinite


def _none_of(cells: Any) -> tuple[Floats, Mask]:
    """Cells of a type that cannot be read as asked: every filled one is wrong."""
    return np.full(len(cells), np.nan), mask_of(cells.is_valid())


def _without(cells: Any, also_blank: Sequence[str]) -> Any:
    cells = plain_type(cells)
    if not also_blank or not is_text(cells.type):
        return cells
    return without_texts(pc.utf8_trim_whitespace(cells), also_blank)
