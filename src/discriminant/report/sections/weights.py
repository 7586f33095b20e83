"""The weights: how much each feature moves the score, for a standard deviation of it and for a unit of it."""

from collections.abc import Mapping
from typing import Any

from discriminant.report.numerals import MISSING, count, decimals, number
from discriminant.report.subject import Subject
from discriminant.report.untrusted import listed, part, parts, real, whole

_OPEN_UP_TO = 20  # features


def weights(subject: Subject) -> dict[str, Any]:
    """A table for each plane, sorted by size."""
    facts = part(subject.run, "weights")
    features = parts(facts.get("features"))
    names = listed(facts.get("planes")) or ([""] if features else [])
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
        "open": each <= _OPEN_UP_TO,
    }


def _by_size(subject: Subject, features: list[Mapping[str, Any]], plane: int, most: int) -> list[dict[str, Any]]:
    by_size = sorted(features, key=lambda feature: -abs(_at(feature.get("standardised"), plane) or 0.0))
    return [_weight(subject, feature, plane) for feature in by_size[:most]]


def _weight(subject: Subject, feature: Mapping[str, Any], plane: int) -> dict[str, Any]:
    value, per_unit = _at(feature.get("standardised"), plane), _at(feature.get("per_unit"), plane)
    low, high = _at(feature.get("low"), plane), _at(feature.get("high"), plane)
    known = low is not None and high is not None
    return {
        "name": subject.name(feature.get("name")),
        "value": value,
        "low": low if known else None,
        "high": high if known else None,
        "standardised": decimals(value),
        "interval": f"{decimals(low)} to {decimals(high)}" if known else MISSING,
        "sure": low is not None and high is not None and low * high > 0,
        "per_unit": number(per_unit),
        "unit": subject.name(feature.get("unit_text")),
    }


def _at(values: Any, plane: int) -> float | None:
    numbers = listed(values)
    return real(numbers[plane]) if plane < len(numbers) else None
