"""A file that was kept apart: its figures beside those that the run claims."""

from collections.abc import Mapping
from typing import Any

from discriminant.report.numerals import MISSING, Worth, decimals, percent, plural
from discriminant.report.subject import Subject
from discriminant.report.untrusted import part, parts, real

_NAMES = {"gain": "Gain a row", "accuracy": "Accuracy", "auc": "AUC"}


def held_out(subject: Subject) -> dict[str, Any] | None:
    """One line for each figure; None where no file was kept apart."""
    facts = part(subject.run, "test")
    figures, claimed = part(facts, "figures"), _claimed(subject)
    rows = [
        _line(subject.worth, name, part(claimed, name), part(figures, name))
        for name in _NAMES
        if real(part(figures, name).get("value")) is not None
    ]
    n = real(facts.get("rows"))
    if not rows:
        return None
    return {"file": subject.label(facts.get("file")), "rows": plural(n, "row") if n is not None else "", "lines": rows}


def _claimed(subject: Subject) -> Mapping[str, Any]:
    """The figures of the chosen learner, the criterion as the verdict has it."""
    best = subject.run.get("best")
    entries = parts(subject.run.get("comparison"))
    own = next((part(entry, "figures") for entry in entries if best is not None and entry.get("name") == best), {})
    criterion = "accuracy" if subject.worth.accuracy else "gain"
    return {**own, criterion: part(subject.run, "expected") or part(own, criterion)}


def _line(worth: Worth, name: str, claimed: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    value, low, high = (real(claimed.get(end)) for end in ("value", "low", "high"))
    there = real(found.get("value"))
    inside = None if low is None or high is None or there is None else low <= there <= high
    return {
        "name": _NAMES[name],
        "claimed": _written(worth, name, value),
        "claimed_interval": _between(worth, name, low, high),
        "found": _written(worth, name, there),
        "found_interval": _between(worth, name, real(found.get("low")), real(found.get("high"))),
        "inside": inside,
    }


def _written(worth: Worth, name: str, value: float | None) -> str:
    if name == "accuracy":
        return percent(value)
    return worth.of(value) if name == "gain" else MISSING if value is None else decimals(value)


def _between(worth: Worth, name: str, low: float | None, high: float | None) -> str:
    return MISSING if low is None or high is None else f"{_written(worth, name, low)} to {_written(worth, name, high)}"
