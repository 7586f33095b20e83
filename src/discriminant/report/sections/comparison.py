"""The learners side by side: what each is expected to earn on rows it has not seen, and which cannot be told apart."""

from collections.abc import Mapping
from typing import Any

from discriminant.report.numerals import MISSING, Worth, number, percent
from discriminant.report.plain_values import figure, part, parts, real
from discriminant.report.subject import Subject

_OTHER_FIGURES = {"gain": "gain", "accuracy": "accuracy", "log_loss": "log loss", "auc": "AUC"}


def comparison(subject: Subject) -> dict[str, Any]:
    """The ranked table, failures last."""
    entries = parts(subject.run.get("comparison"))[: subject.limits.table_rows]
    criterion = "accuracy" if subject.worth.accuracy else "gain"
    present = {name for entry in entries for name in part(entry, "figures")}
    others = [name for name in _OTHER_FIGURES if name in present and name != criterion]
    ranked = [_learner(subject, entry, criterion, others) for entry in entries if not entry.get("failure")]
    ranked.sort(key=lambda row: (row["value"] is None, -(row["value"] or 0.0)))
    return {
        "criterion": "accuracy" if subject.worth.accuracy else "gain a row",
        "others": [_OTHER_FIGURES[name] for name in others],
        "rows": ranked,
        "ties": sum(row["tied"] and not row["best"] for row in ranked),
        "not_offered": [
            {"name": _name(subject, entry), "reason": subject.sentence(entry["not_offered"])}
            for entry in entries
            if entry.get("not_offered")
        ],
        "failures": [
            {"name": _name(subject, entry), "reason": subject.sentence(entry.get("failure"))}
            for entry in entries
            if entry.get("failure")
        ],
    }


def _name(subject: Subject, entry: Mapping[str, Any]) -> str:
    return subject.name(entry.get("text") or entry.get("name"))


def _learner(subject: Subject, entry: Mapping[str, Any], criterion: str, others: list[str]) -> dict[str, Any]:
    value, low, high = figure(part(entry, "figures", criterion))
    return {
        "name": _name(subject, entry),
        "key": subject.label(entry.get("name")),
        "best": entry.get("name") is not None and entry.get("name") == subject.run.get("best"),
        "tied": bool(entry.get("tied")) and not entry.get("not_offered"),
        "offered": not entry.get("not_offered"),
        "value": value,
        "low": low,
        "high": high,
        "figure": subject.worth.of(value),
        "interval": subject.worth.between(low, high) or MISSING,
        "difference": _difference(subject.worth, part(entry, "difference")),
        "others": [_other(name, real(part(entry, "figures", name).get("value"))) for name in others],
        "seconds": number(real(entry.get("seconds")), 2),
    }


def _difference(worth: Worth, difference: Mapping[str, Any]) -> str:
    value, p = figure(difference, "value", "p")
    chance = "" if p is None else " (p\u00a0<\u00a00.001)" if p < 0.001 else f" (p\u00a0=\u00a0{p:.3f})"
    return MISSING if value is None else worth.difference(value) + chance


def _other(name: str, value: float | None) -> str:
    return percent(value) if name == "accuracy" else number(value)
