"""Rows worth a look: those nearest the boundary, and those that were most surely wrong."""

from collections.abc import Mapping
from typing import Any

from discriminant.report.numerals import count, decimals, percent
from discriminant.report.subject import Subject
from discriminant.report.untrusted import part, parts, real, text

_CELL_LENGTH = 80


def rows(subject: Subject) -> dict[str, Any]:
    """The two tables."""
    facts = part(subject.run, "rows")
    two = len(subject.classes) == 2
    return {
        "nearest": _table(subject, facts.get("nearest")),
        "worst": _table(subject, facts.get("worst")),
        "probability_of": subject.mention(subject.classes[1]) if two else "",
    }


def _table(subject: Subject, value: Any) -> dict[str, Any]:
    shown = parts(value)[: min(10, subject.limits.table_rows)]
    columns: list[str] = []
    for row in shown:
        columns += [name for name in part(row, "cells") if name not in columns]
    columns = columns[: subject.limits.cells]
    return {"columns": [subject.name(name) for name in columns], "rows": [_row(subject, row, columns) for row in shown]}


def _row(subject: Subject, row: Mapping[str, Any], columns: list[str]) -> dict[str, Any]:
    cells = part(row, "cells")
    true, assigned = subject.mention(row.get("true")), subject.mention(row.get("assigned"))
    return {
        "row": count(real(row.get("row"))),
        "true": true,
        "assigned": assigned,
        "right": row.get("true") == row.get("assigned"),
        "score": decimals(real(row.get("score"))),
        "probability": percent(real(row.get("probability"))),
        "cells": [text(cells.get(name), _CELL_LENGTH) for name in columns],
    }
