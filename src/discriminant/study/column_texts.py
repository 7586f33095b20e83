"""Columns as a person sees them: what was done to each, the curve it enters by, and its cells in single rows."""

from collections import Counter
from typing import Any

import numpy as np

from discriminant.model.decision_model import DecisionModel
from discriminant.study.design import Design
from discriminant.study.study import Study
from discriminant.table.encoding import Column, Encoding

_MOST_COLUMNS = 200


def column_records(design: Design) -> dict[str, Any]:
    """The columns, at most so many of them; used ones first where there are more."""
    encoding = design.encoding
    if not isinstance(encoding, Encoding):
        return {"columns": [], "columns_left_out": encoding.n_features, "kinds": {"number": encoding.n_features}}
    shown = list(encoding.columns)
    if len(shown) > _MOST_COLUMNS:
        shown = sorted(shown, key=lambda column: column.kind != "dropped")[:_MOST_COLUMNS]
    return {
        "columns": [
            {
                "name": column.name,
                "kind": column.kind,
                "done": done_to(column),
                "form": "; ".join(part for part in (form_of(column), column.reason) if part) if form_of(column) else "",
                "blanks": column.blanks,
                "summary": summary_of(column),
                "features": len(column.features),
            }
            for column in shown
        ],
        "columns_left_out": len(encoding.columns) - len(shown),
        "kinds": dict(Counter(column.kind for column in encoding.columns)),
    }


def done_to(column: Column) -> str:
    """What was done to the column, in words."""
    if column.kind == "dropped":
        return f"dropped: {column.reason}"
    parts = []
    if column.kind == "category":
        indicators = sum(f.role != "blank" for f in column.features)
        parts.append(f"{indicators} indicator{'s' * (indicators != 1)} beside {column.reference!r}")
    elif column.kind == "flag":
        parts.append("1 if true, standardised")
    else:
        enters = f"enters {form_of(column)}" if form_of(column) else "standardised"
        parts.append(("days, " if column.kind == "date" else "") + enters)
    if column.reason:
        parts.append(column.reason)
    if column.blanks:
        own = any(f.role == "blank" for f in column.features)
        parts.append("blanks have an indicator" if own else "blanks count as average")
    return "; ".join(parts)


def form_of(column: Column) -> str:
    """How a number or date enters otherwise than straight; empty if it does not."""
    shown = _day if column.kind == "date" else _number
    values = column.values
    if column.kind not in ("number", "date") or not values or (len(values) == 1 and values[0].straight):
        return ""
    if len(values) > 1:
        inner = sorted({end for f in values for end in (f.low, f.high) if end is not None})[1:-1]
        return f"bent at {', '.join(map(shown, inner))}" if inner else "in pieces"
    (value,) = values
    if value.unit is not None:
        return "by its logarithm"
    ends = [f"from {shown(value.low)}"] if value.low is not None else []
    ends += [f"{'to' if ends else 'up to'} {shown(value.high)}"] if value.high is not None else []
    return f"clipped {' '.join(ends)}"


def _number(value: float, digits: int = 6) -> str:
    """Write a number of a column; large ones in full, with their thousands apart, and not as powers of ten."""
    if 1e6 <= abs(value) < 1e15:
        return f"{float(f'{value:.{digits}g}'):,.0f}"
    return f"{value:.{digits}g}"


def summary_of(column: Column) -> str:
    """Its values in a few words."""
    if column.kind == "dropped":
        return ""
    if column.kind == "category":
        levels = [str(column.reference), *column.levels]
        return ", ".join(levels[:6]) + (f" and {len(levels) - 6} more" if len(levels) > 6 else "")
    mean = next((f.centre for f in column.values), column.low or 0.0)
    if column.kind == "flag":
        return f"true in {mean:.1%}"
    low, high = column.low or 0.0, column.high or 0.0
    if column.kind == "date":
        return f"{_day(low)} to {_day(high)}"
    straight = len(column.values) == 0 or (len(column.values) == 1 and column.values[0].straight)
    return f"{_number(low)} to {_number(high)}" + (f", mean {_number(mean, 4)}" if straight else "")


def _day(value: float) -> str:
    return str(np.datetime64("1970-01-01") + np.timedelta64(int(np.floor(value)), "D"))


_MOST_CURVES = 24
_POINTS_OF_A_CURVE = 40


def shapes_of(model: DecisionModel) -> list[dict[str, Any]]:
    """Points (value, what it adds) of bent columns and logarithms; of two classes, where there is one score."""
    if not isinstance(model.encoding, Encoding) or len(model.weights) > 1:
        return []
    bent = [(c, start) for c, start, _ in model.encoding.places() if any(not f.straight for f in c.values)]
    reach = [float(np.ptp([y for _, y in _points(model, c, start)])) for c, start in bent]
    order = np.argsort([-r for r in reach], kind="stable")[:_MOST_CURVES]
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
    text = "" if value is None else _number(value) if isinstance(value, float) else str(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
