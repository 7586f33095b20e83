"""The data and what was found in them: rows, classes and columns, separation, findings and rows worth a look; and how
to get the same answer again.

Rows of two classes with weights λ and μ, each adding to one, prove that no plane divides the classes when
Σ λ_i x_i = Σ μ_j x_j: every plane has the shared point on one side, so it has a row of one of the classes on the
wrong side of it, or upon it.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from discriminant.report.numerals import count, decimals, number, percent, plural
from discriminant.report.plain_values import as_list, part, parts, real, text, whole
from discriminant.report.subject import Subject

_OPEN_UP_TO = 25  # columns
_CLASSES_OPEN = 12  # rows of the table of classes; the others are folded away

_PLURALS = {"number": "numbers", "category": "categories", "flag": "flags", "date": "dates"}


def data(subject: Subject) -> dict[str, Any]:
    """The tables of classes and columns, and the notes."""
    facts, limits = part(subject.run, "data"), subject.limits
    columns = parts(subject.run.get("columns"))
    shown = columns[: limits.table_rows]
    left_out = len(columns) - len(shown) + (whole(subject.run.get("columns_left_out")) or 0)
    classes = parts(facts.get("classes"))[: limits.classes]
    return {
        "files": [subject.label(name) for name in as_list(facts.get("files"))[: limits.table_rows]],
        "rows": _rows_in_words(facts),
        "target": subject.label(facts.get("target")),
        "weight": subject.label(facts.get("weight")),
        "classes": [_class_row(subject, entry, facts) for entry in classes],
        "notes": [subject.sentence(note) for note in as_list(facts.get("notes"))[: limits.table_rows]],
        "columns": [_column(subject, column) for column in shown],
        "left_out": count(left_out) if left_out else "",
        "classes_open": _CLASSES_OPEN if len(classes) > _CLASSES_OPEN + 3 else len(classes),
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


_HEADINGS = {
    "none": "No plane divides the classes",
    "complete": "A plane divides the classes without error",
    "quasi": "A plane decides some rows without error and leaves the others open",
    "unknown": "Whether a plane divides the classes is not known",
}
_MEANINGS = {
    "none": "Any linear rule on these columns makes some errors, so the question is which errors cost least.",
    "complete": "These very rows can be classified without error. That says nothing yet of new rows: with many columns "
    "and few rows a dividing plane exists even for random labels, so trust the expected figures above.",
    "quasi": "No row lies on the wrong side of the plane, but the rows that lie on it are not decided by it. Weights "
    "of a logistic regression without a penalty would grow without bound.",
    "unknown": "Nothing below depends on it.",
}


def separation(subject: Subject) -> dict[str, Any]:
    """The answer, its meaning and its proof."""
    facts = part(subject.run, "separation")
    kind = text(facts.get("kind"))
    kind = kind if kind in _HEADINGS else "unknown"
    proof = parts(facts.get("proof"))
    shown = proof[: subject.limits.table_rows]
    return {
        "kind": kind,
        "heading": _HEADINGS[kind],
        "meaning": _MEANINGS[kind],
        "text": subject.sentence(facts.get("text")),
        "capacity": subject.sentence(facts.get("capacity")),
        "margin": None if real(facts.get("margin")) is None else number(real(facts.get("margin"))),
        "proof": [
            {
                "class": subject.mention(entry.get("class")),
                "row": count(real(entry.get("row"))),
                "weight": decimals(real(entry.get("weight"))),
            }
            for entry in shown
        ],
        "left_out": len(proof) - len(shown),
    }


def findings(subject: Subject) -> list[dict[str, Any]]:
    """The findings as text."""
    shown = [
        {
            "kind": _spell_out(subject.label(entry.get("kind"))),
            "fact": subject.sentence(entry.get("fact")),
            "evidence": subject.sentence(entry.get("evidence")),
            "remedy": subject.sentence(entry.get("remedy")),
            "about": subject.label(entry.get("about")),
            "doubtful": bool(entry.get("doubtful")),
        }
        for entry in parts(subject.run.get("findings"))[: subject.limits.table_rows]
    ]
    return sorted(shown, key=lambda entry: not entry["doubtful"])


def _spell_out(name: str) -> str:
    """Write "Singular covariance" for "SingularCovariance"."""
    spaced = "".join(" " + letter.lower() if letter.isupper() else letter for letter in name).strip()
    return spaced[:1].upper() + spaced[1:]


_CELL_LENGTH = 80
_NUMBER = re.compile(r"([-−+]?[\d.,]+(e[-+]?\d+)?)?")  # or nothing: a blank cell


def rows(subject: Subject) -> dict[str, Any]:
    """The tables of rows near the boundary and of those that were worst."""
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
    rows = [_row(subject, row, columns) for row in shown]
    return {
        "columns": [
            {"name": subject.name(name), "numbers": all(_NUMBER.fullmatch(row["cells"][j]) for row in rows)}
            for j, name in enumerate(columns)
        ],
        "rows": rows,
    }


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


_LONGEST_PROGRAM = 10_000
_VERSION = re.compile(r"Python [\w.+-]+")  # a version alone is a fact, no program


def reproduce(subject: Subject) -> dict[str, Any]:
    """Commands, program and facts."""
    run, limits = subject.run, subject.limits
    how, learner = part(run, "reproduce"), part(run, "learner")
    program = text(how.get("python"), min(_LONGEST_PROGRAM, 5 * limits.sentence))
    version = program if _VERSION.fullmatch(program.strip()) else ""
    facts = {
        "Made": run.get("made"),
        "Command": run.get("command"),
        "Seed": run.get("seed"),
        "SHA-256 of the data": part(run, "data").get("sha256"),
        "Learner": learner.get("name"),
        "Parameters": ", ".join(f"{name}={value}" for name, value in list(part(learner, "parameters").items())[:40]),
        "Versions": ", ".join(f"{name} {version}" for name, version in list(part(run, "versions").items())[:40]),
        "Python": version.strip().removeprefix("Python "),
    }
    return {
        "commands": [subject.sentence(command) for command in as_list(how.get("commands"))[: limits.table_rows]],
        "python": "" if version else program,
        "facts": {name: subject.sentence(_plain(value)) for name, value in facts.items() if value not in (None, "")},
    }


def _plain(value: Any) -> Any:
    """Write 0 for 0.0, so that a seed reads as it was given."""
    number = real(value)
    return int(number) if number is not None and number == int(number) else value
