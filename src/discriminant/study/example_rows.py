"""Cells of single rows, as the table has them."""

from typing import Any

import numpy as np

from discriminant.study.study import Study
from discriminant.table.encoding import Encoding

_MOST_CELLS = 8
_LONGEST = 80


def cells_of(study: Study, place: int) -> dict[str, str]:
    """The cells of a used row, of the columns that weigh most."""
    table, encoding = study.design.table, study.design.encoding
    if table is None or not isinstance(encoding, Encoding):
        return {}
    return {name: _text(table.column(name)[place].as_py()) for name in heaviest_columns(study)}


def heaviest_columns(study: Study) -> list[str]:
    """Columns by the size of their weights."""
    encoding = study.design.encoding
    if not isinstance(encoding, Encoding):
        return []
    size = np.abs(study.model.weights).max(axis=0)
    weight = {column.name: float(size[start:stop].max()) for column, start, stop in encoding.places()}
    return sorted(weight, key=lambda name: -weight[name])[:_MOST_CELLS]


def _text(value: Any) -> str:
    text = "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
