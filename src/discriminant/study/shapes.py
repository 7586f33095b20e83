"""What a column that does not enter straight adds to the score, as a curve."""

from typing import Any

import numpy as np

from discriminant.model.decision_model import DecisionModel
from discriminant.table.encoding import Column, Encoding

_MOST_COLUMNS = 24
_POINTS_OF_A_CURVE = 40


def shapes_of(model: DecisionModel) -> list[dict[str, Any]]:
    """Points (value, what it adds) of bent columns and logarithms; of two classes, where there is one score."""
    if not isinstance(model.encoding, Encoding) or len(model.weights) > 1:
        return []
    bent = [(c, start) for c, start, _ in model.encoding.places() if any(not f.straight for f in c.values)]
    reach = [float(np.ptp([y for _, y in _points(model, c, start)])) for c, start in bent]
    order = np.argsort([-r for r in reach], kind="stable")[:_MOST_COLUMNS]
    return [
        {"column": c.name, "kind": c.kind, "text": c.reason, "points": _points(model, c, start)}
        for c, start in (bent[int(i)] for i in order)
    ]


def _points(model: DecisionModel, column: Column, start: int) -> list[list[float]]:
    x = _places(column)
    added = np.zeros(x.size)
    for j, feature in enumerate(column.features):
        if feature.role == "value":
            added += model.weights[0, start + j] * feature.encoded(feature.raw_of(x))
    return [[float(a), float(b)] for a, b in zip(x, added, strict=True)]


def _places(column: Column) -> np.ndarray:
    """The ends of pieces and of the column; of a logarithm, places as close as it bends."""
    ends = [e for f in column.values for e in (f.low, f.high, column.low, column.high) if e is not None]
    low, high = min(ends), max(ends)
    if any(f.unit is not None for f in column.values):
        unit = max(f.unit for f in column.values if f.unit is not None)
        return np.expm1(np.linspace(np.log1p(max(low, 0) / unit), np.log1p(high / unit), _POINTS_OF_A_CURVE)) * unit
    return np.unique(ends)
