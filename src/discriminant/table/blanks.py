"""What counts as blank in a text file, after trimming; and text cells as everything after this room sees them."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

BLANK_TOKENS: tuple[str, ...] = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "?", "-", ".")

_BLANKS = pa.array(BLANK_TOKENS)


def is_text(kind: pa.DataType) -> bool:
    """Whether a column of this Arrow type holds text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def clean_text(cells: Any) -> Any:
    """Text cells without blanks around them, and null where nothing is left or a blank token stands."""
    trimmed = pc.utf8_trim_whitespace(cells)
    blank = pc.is_in(trimmed, value_set=_BLANKS.cast(trimmed.type))
    if not pc.any(blank).as_py():
        return trimmed
    return pc.if_else(blank, pa.scalar(None, trimmed.type), trimmed)
