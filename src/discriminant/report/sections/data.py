"""What was done to the data: the rows, the classes, and what became of each column."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from discriminant.report.numerals import count, percent, plural
from discriminant.report.subject import Subject
from discriminant.report.untrusted import listed, part, parts, real, text, whole

_OPEN_UP_TO = 25  # columns

_PLURALS = {"number": "numbers", "category": "categories", "flag": "flags", "date": "dates"}


def data(subject: Subject) -> dict[str, Any]:
    """The tables of classes and columns, and the notes."""
    facts, limits = part(subject.run, "data"), subject.limits
    columns = parts(subject.run.get("columns"))
    shown = columns[: limits.table_rows]
    left_out = len(columns) - len(shown) + (whole(subject.run.get("columns_left_out")) or 0)
    classes = parts(facts.get("classes"))[: limits.classes]
    return {
        "files": [subject.label(name) for name in listed(facts.get("files"))[: limits.table_rows]],
        "rows": _rows_in_words(facts),
        "target": subject.label(facts.get("target")),
        "weight": subject.label(facts.get("weight")),
        "classes": [_class_row(subject, entry, facts) for entry in classes],
        "notes": [subject.sentence(note) for note in listed(facts.get("notes"))[: limits.table_rows]],
        "columns": [_column(subject, column) for column in shown],
        "left_out": count(left_out) if left_out else "",
        "classes_left_out": len(parts(facts.get("classes"))) - len(classes),
        "kinds": _kinds_in_words(columns, left_out - len(columns) + len(shown)),
        "open": len(shown) <= _OPEN_UP_TO,
    }


def _rows_in_words(facts: Mapping[str, Any]) -> str:
    rows, used = real(facts.get("rows")), real(facts.get("used_rows"))
    if rows is None:
        return ""
    return plural(rows, "row") if used in (None, rows) else f"{count(used)} of {plural(rows, 'row')}"


def _class_row(subject: Subject, entry: Mapping[str, Any], facts: Mapping[str, Any]) -> dict[str, Any]:
    positive = "positive" in facts and facts["positive"] == entry.get("label")
    return {
        "label": subject.label(entry.get("label")),
        "rows": count(real(entry.get("rows"))),
        "share": percent(real(entry.get("share"))),
        "positive": positive and len(subject.classes) == 2,
    }


def _column(subject: Subject, column: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": subject.name(column.get("name")),
        "kind": subject.name(column.get("kind")),
        "done": subject.sentence(column.get("done")),
        "blanks": count(real(column.get("blanks"))),
        "summary": subject.sentence(column.get("summary")),
        "features": count(real(column.get("features"))),
        "dropped": column.get("kind") == "dropped",
    }


def _kinds_in_words(columns: list[Mapping[str, Any]], left_out: int) -> str:
    """Say, for instance, "13 categories, 7 numbers, 1 dropped"."""
    kinds = Counter(str(column.get("kind")) for column in columns if column.get("kind") is not None)
    several = {kind: _PLURALS.get(kind, kind) if n > 1 else kind for kind, n in kinds.items()}
    words = [f"{count(n)} {text(several[kind], 40)}" for kind, n in kinds.most_common(8)]
    return ", ".join(words) + (f", {count(left_out)} not listed" if left_out else "")
