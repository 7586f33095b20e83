"""What leaving a column out costs on rows not seen: what the weights alone do not say where columns move together."""

from collections.abc import Mapping
from typing import Any

from discriminant.report.numerals import MISSING, Worth, count
from discriminant.report.subject import Subject
from discriminant.report.untrusted import part, parts, real

_OPEN_UP_TO = 12  # columns of the table


def importance(subject: Subject) -> dict[str, Any]:
    """The columns, dearest first; none where it was not measured."""
    facts = part(subject.run, "importance")
    measured = [entry for entry in parts(facts.get("columns")) if real(entry.get("cost")) is not None]
    measured.sort(key=lambda entry: -(real(entry.get("cost")) or 0.0))
    shown = measured[: subject.limits.table_rows]
    rows = [_column(subject, entry) for entry in shown]
    return {
        "rows": rows,
        "text": subject.sentence(facts.get("text")),
        "has_intervals": any(row["low"] is not None for row in rows),
        "left_out": count(len(measured) - len(shown)) if len(measured) > len(shown) else "",
        "open": len(rows) <= _OPEN_UP_TO,
    }


def _column(subject: Subject, entry: Mapping[str, Any]) -> dict[str, Any]:
    cost, low, high = (real(entry.get(key)) for key in ("cost", "low", "high"))
    known = low is not None and high is not None
    return {
        "name": subject.name(entry.get("column")),
        "value": cost,
        "low": low if known else None,
        "high": high if known else None,
        "cost": _cost(subject.worth, cost),
        "interval": f"{_cost(subject.worth, low)} to {_cost(subject.worth, high)}" if known else MISSING,
        "sure": low is not None and high is not None and low > 0,
    }


def _cost(worth: Worth, value: float | None) -> str:
    return MISSING if value is None else worth.difference(value).removeprefix("+")
