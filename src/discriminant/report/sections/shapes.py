"""Columns that enter by a curve: what each of their values adds to the score."""

from collections.abc import Mapping
from typing import Any

from discriminant.report.subject import Subject
from discriminant.report.untrusted import listed, parts, reals

_MOST_SHAPES = 24
_MOST_POINTS = 120


def shapes(subject: Subject) -> list[dict[str, Any]]:
    """A name, a sentence and the corners of each curve, from left to right."""
    most = min(_MOST_SHAPES, subject.limits.table_rows)
    found = (_shape(subject, entry) for entry in parts(subject.run.get("shapes"))[: 4 * most])
    return [shape for shape in found if shape is not None][:most]


def _shape(subject: Subject, entry: Mapping[str, Any]) -> dict[str, Any] | None:
    corners = [reals(point) for point in listed(entry.get("points"))]
    points = sorted(tuple(point) for point in corners if point is not None and len(point) == 2)
    if len(points) != len(corners) or len(points) < 2 or points[0][0] == points[-1][0]:
        return None
    step = max(1, -(-len(points) // _MOST_POINTS))
    kept = points[:-1:step] + points[-1:]
    return {
        "name": subject.name(entry.get("column")),
        "text": subject.sentence(entry.get("text")),
        "points": [[_short(x), _short(y)] for x, y in kept],
    }


def _short(value: float) -> float:
    return float(f"{value:.6g}")
