"""What each column is and what was done to it, in words."""

from collections import Counter
from typing import Any

import numpy as np

from discriminant.study.study import Design
from discriminant.table.encoding import Column, Encoding

_MOST_COLUMNS = 200


def columns_told(design: Design) -> dict[str, Any]:
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
    """What became of it."""
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


def _number(value: float) -> str:
    return f"{value:.6g}"


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
    return f"{low:.6g} to {high:.6g}" + (f", mean {mean:.4g}" if straight else "")


def _day(value: float) -> str:
    return str(np.datetime64("1970-01-01") + np.timedelta64(int(np.floor(value)), "D"))
