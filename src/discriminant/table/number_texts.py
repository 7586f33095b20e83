"""Text cells -> numbers, cell by cell: what a cell means never depends on the cells beside it.

A number is digits with at most one decimal point and perhaps an exponent. Commas may group its thousands where that
cannot be a decimal comma: 1,234,567 and 1,234.5 are numbers, 1,234 is none. Infinity is no number.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from discriminant.table.blanks import clean_text, is_text
from discriminant.table.text_patterns import GROUPED_NUMBER, PLAIN_NUMBER

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_GROUPED_BY_POINTS = r"^[+-]?[1-9][0-9]{0,2}(\.[0-9]{3})+(,[0-9]+)?$"
_DECIMAL_COMMA = r"^[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?$"


def numbers_of(texts: Any) -> tuple[Floats, Mask]:
    """Each cell as a float, NaN where it is blank or no number; and which cells are no numbers (blanks are not)."""
    if not is_text(texts.type):
        return _finite(_floats(pc.cast(texts, pa.float64(), safe=False)))
    try:
        values = _floats(pc.cast(texts, pa.float64()))
    except pa.ArrowInvalid:
        return _by_cell(clean_text(texts))
    if np.isnan(values).sum() > texts.null_count:  # the cast knows more spellings of NaN than there are blank tokens
        return _by_cell(clean_text(texts))
    return _finite(values)


def with_decimal_points(texts: Any) -> Any:
    """Cells of a table with decimal commas: 3,14 as 3.14 and 1.234,5 as 1234.5; other texts as they are."""
    grouped = pc.match_substring_regex(texts, _GROUPED_BY_POINTS)
    if pc.any(grouped).as_py():
        texts = pc.if_else(grouped, pc.replace_substring(texts, ".", ""), texts)
    commas = pc.match_substring_regex(texts, _DECIMAL_COMMA)
    return pc.if_else(commas, pc.replace_substring(texts, ",", "."), texts) if pc.any(commas).as_py() else texts


def _by_cell(cells: Any) -> tuple[Floats, Mask]:
    grouped = pc.match_substring_regex(cells, GROUPED_NUMBER)
    if pc.any(grouped).as_py():
        cells = pc.if_else(grouped, pc.replace_substring(cells, ",", ""), cells)
    plain = pc.match_substring_regex(cells, PLAIN_NUMBER)
    values, infinite = _finite(_floats(pc.cast(pc.if_else(plain, cells, pa.scalar(None, cells.type)), pa.float64())))
    return values, infinite | _mask(pc.invert(plain))


def _finite(values: Floats) -> tuple[Floats, Mask]:
    infinite = np.isinf(values)
    if infinite.any():
        values = np.where(infinite, np.nan, values)
    return values, infinite


def _floats(cells: Any) -> Floats:
    return np.asarray(cells.to_numpy(zero_copy_only=False) if isinstance(cells, pa.Array) else cells.to_numpy())


def _mask(flags: Any) -> Mask:
    """Flags with null (a blank cell) as false."""
    return np.asarray(pc.fill_null(flags, False).to_numpy(zero_copy_only=False), dtype=np.bool_)
