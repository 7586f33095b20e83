"""Cells -> 1 for true, 0 for false. Flags are these two words, in any case, and 1 and 0; yes and no are categories."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from discriminant.table.blanks import clean_text, is_text


def flags_of(texts: Any) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Each cell as 1, 0 or (blank, or no flag) NaN; and which cells are no flags (blanks are not)."""
    if not is_text(texts.type):
        stored = _numpy(pc.cast(texts, pa.float64()))
        others = ~(np.isnan(stored) | (stored == 0) | (stored == 1))
        return np.where(others, np.nan, stored), others
    words = pc.utf8_lower(clean_text(texts))
    true = pc.or_(pc.equal(words, "true"), pc.equal(words, "1"))
    false = pc.or_(pc.equal(words, "false"), pc.equal(words, "0"))
    values = pc.if_else(pc.or_(true, false), pc.cast(true, pa.float64()), pa.scalar(None, pa.float64()))
    strangers = pc.fill_null(pc.invert(pc.or_(true, false)), False)
    return _numpy(values), np.asarray(strangers.to_numpy(zero_copy_only=False), dtype=np.bool_)


def _numpy(cells: Any) -> NDArray[np.float64]:
    return np.asarray(cells.to_numpy(zero_copy_only=False) if isinstance(cells, pa.Array) else cells.to_numpy())
