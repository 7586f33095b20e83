"""Cells of any stored type -> numbers, flags, days or texts, with the texts that a column counts as blank."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from discriminant.table.blanks import clean_text, is_text
from discriminant.table.date_texts import dates_of
from discriminant.table.flag_texts import flags_of
from discriminant.table.number_format import NumberFormat
from discriminant.table.number_texts import numbers_of

__all__ = ["days_of_cells", "flags_of_cells", "numbers_of_cells", "texts_of_cells"]

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
    cells = _plain(cells)
    texts = clean_text(cells if is_text(cells.type) else pc.cast(cells, pa.string()))
    texts = _without(texts, also_blank)
    blank = pc.is_null(texts)
    return texts, np.asarray(
        blank.to_numpy() if isinstance(blank, pa.ChunkedArray) else blank.to_numpy(zero_copy_only=False)
    )


def _none_of(cells: Any) -> tuple[Floats, Mask]:
    """Cells of a type that cannot be read as asked: every filled one is wrong."""
    return np.full(len(cells), np.nan), ~np.asarray(cells.is_null().to_numpy(**_copied(cells)), dtype=np.bool_)


def _copied(cells: Any) -> dict[str, bool]:
    return {} if isinstance(cells, pa.ChunkedArray) else {"zero_copy_only": False}


def _without(cells: Any, also_blank: Sequence[str]) -> Any:
    cells = _plain(cells)
    if not also_blank or not is_text(cells.type):
        return cells
    odd = pc.is_in(pc.utf8_trim_whitespace(cells), value_set=pa.array(list(also_blank)).cast(cells.type))
    return pc.if_else(odd, pa.scalar(None, cells.type), cells)


def _plain(cells: Any) -> Any:
    return pc.cast(cells, cells.type.value_type) if pa.types.is_dictionary(cells.type) else cells
