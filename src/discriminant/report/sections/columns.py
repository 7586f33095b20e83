"""The columns: how much each feature moves the score, what leaving a column out costs, and the curves they enter by."""

from collections.abc import Callable, Mapping
from typing import Any

from discriminant.report.numerals import MISSING, count, decimals, number, round_digits
from discriminant.report.plain_values import as_list, figure, part, parts, real, reals, whole
from discriminant.report.subject import Subject

_FEATURES_OPEN = 20  # features


def weights(subject: Subject) -> dict[str, Any]:
    """A table for each plane, sorted by size."""
    facts = part(subject.run, "weights")
    features = parts(facts.get("features"))
    names = as_list(facts.get("planes")) or ([""] if features else [])
    planes = [subject.label(name) for name in names[: subject.limits.classes]]
    each = min(len(features), subject.limits.table_rows, max(8, subject.limits.weights // max(1, len(planes))))
    tables = [_by_size(subject, features, plane, each) for plane in range(len(planes))]
    left_out = len(features) - each + (whole(facts.get("features_left_out")) or 0)
    intervals = subject.sentence(facts.get("intervals"))
    return {
        "planes": [{"name": name, "rows": rows} for name, rows in zip(planes, tables, strict=True)],
        "towards": subject.classes if len(subject.classes) == 2 and len(planes) == 1 else None,
        "left_out": count(left_out) if left_out else "",
        "planes_left_out": len(names) - len(planes),
        "intervals": intervals,
        "why": subject.sentence(facts.get("why")),
        "has_intervals": any(row["low"] is not None for rows in tables for row in rows),
        "open": each <= _FEATURES_OPEN,
    }


def _by_size(subject: Subject, features: list[Mapping[str, Any]], plane: int, most: int) -> list[dict[str, Any]]:
    by_size = sorted(features, key=lambda feature: -abs(_at(feature.get("standardised"), plane) or 0.0))
    return [_weight(subject, feature, plane) for feature in by_size[:most]]


def _weight(subject: Subject, feature: Mapping[str, Any], plane: int) -> dict[str, Any]:
    value, per_unit = _at(feature.get("standardised"), plane), _at(feature.get("per_unit"), plane)
    low, high = _at(feature.get("low"), plane), _at(feature.get("high"), plane)
    return {
        **_bar(subject.name(feature.get("name")), value, low, high, decimals),
        "standardised": decimals(value),
        "sure": low is not None and high is not None and low * high > 0,
        "per_unit": number(per_unit),
        "unit": subject.name(feature.get("unit_text")),
    }


def _at(values: Any, plane: int) -> float | None:
    numbers = as_list(values)
    return real(numbers[plane]) if plane < len(numbers) else None


_COLUMNS_OPEN = 12  # columns of the table


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
        "open": len(rows) <= _COLUMNS_OPEN,
    }


def _column(subject: Subject, entry: Mapping[str, Any]) -> dict[str, Any]:
    cost, low, high = figure(entry, "cost", "low", "high")

    def written(value: float | None) -> str:
        return subject.worth.difference(value).removeprefix("+")

    return {
        **_bar(subject.name(entry.get("column")), cost, low, high, written),
        "cost": written(cost),
        "sure": low is not None and high is not None and low > 0,
    }


def _bar(
    name: str, value: float | None, low: float | None, high: float | None, written: Callable[[float], str]
) -> dict[str, Any]:
    """What a bar with its interval is drawn from, and the interval in words; half an interval is none."""
    if low is None or high is None:
        return {"name": name, "value": value, "low": None, "high": None, "interval": MISSING}
    return {"name": name, "value": value, "low": low, "high": high, "interval": f"{written(low)} to {written(high)}"}


_MOST_SHAPES = 24
_MOST_POINTS = 120


def shapes(subject: Subject) -> list[dict[str, Any]]:
    """A name, a sentence and the corners of each curve, from left to right."""
    most = min(_MOST_SHAPES, subject.limits.table_rows)
    found = (_shape(subject, entry) for entry in parts(subject.run.get("shapes"))[: 4 * most])
    return [shape for shape in found if shape is not None][:most]


def _shape(subject: Subject, entry: Mapping[str, Any]) -> dict[str, Any] | None:
    corners = [reals(point) for point in as_list(entry.get("points"))]
    points = sorted(tuple(point) for point in corners if point is not None and len(point) == 2)
    if len(points) != len(corners) or len(points) < 2 or points[0][0] == points[-1][0]:
        return None
    step = max(1, -(-len(points) // _MOST_POINTS))
    kept = points[:-1:step] + points[-1:]
    return {
        "name": subject.name(entry.get("column")),
        "text": subject.sentence(entry.get("text")),
        "points": [[round_digits(x, 6), round_digits(y, 6)] for x, y in kept],
    }
