"""The verdict: what the rule is expected to earn, what it is better than, and what other rows and models give."""

from collections.abc import Mapping
from typing import Any

from discriminant.learners.registry import KINDS
from discriminant.report.numerals import MISSING, Worth, decimals, percent, plural
from discriminant.report.plain_values import figure, part, parts, real
from discriminant.report.subject import Subject

_MANY_ROWS = 1_000


def verdict(subject: Subject) -> dict[str, Any]:
    """The sentence, and the figures under it."""
    run, worth = subject.run, subject.worth
    expected, baseline = part(run, "expected"), part(run, "baseline")
    value, constant = real(expected.get("value")), real(baseline.get("value"))
    better = None if value is None or constant is None else value - constant
    loses = value is not None and value < 0 and not worth.accuracy
    between = worth.loss_between if loses else worth.between
    return {
        "sentence": subject.sentence(run.get("verdict")) or "This run has no verdict.",
        "learner": subject.label(part(run, "learner").get("text") or run.get("best")),
        "kind": KINDS.get(str(part(run, "learner").get("kind")), ""),
        "known": value is not None,
        "name": "Expected accuracy" if worth.accuracy else f"Expected {'loss' if loses else 'gain'} a row",
        "value": worth.size(value),
        "interval": between(real(expected.get("low")), real(expected.get("high"))),
        "baseline": worth.size(constant),
        "baseline_does": _does(worth, constant),
        "baseline_label": subject.mention(baseline.get("label")) if baseline else MISSING,
        "better": worth.difference(None if better is None else abs(better)).removeprefix("+"),
        "is_better": better is not None and better > 0,
        "many_rows": "" if better is None or worth.accuracy else worth.size(_MANY_ROWS * better),
        "accuracy": worth.accuracy,
    }


def _does(worth: Worth, constant: float | None) -> str:
    """What the amount beside the constant answer is."""
    if worth.accuracy or constant is None:
        return ""
    return "lost a row by " if constant < 0 else "earned a row by "


def trees(subject: Subject) -> dict[str, Any] | None:
    """The sentence and the figures; None where they were not tried."""
    facts = part(subject.run, "trees")
    value, low, high, difference = figure(facts, "value", "low", "high", "difference")
    sentence = subject.sentence(facts.get("sentence"))
    if value is None and not sentence:
        return None
    return {
        "sentence": sentence,
        "value": value,
        "low": None if high is None else low,
        "high": None if low is None else high,
        "figure": subject.worth.of(value),
        "interval": subject.worth.between(low, high) or MISSING,
        "difference": subject.worth.difference(difference),
    }


_NAMES = {"gain": "Gain a row", "accuracy": "Accuracy", "auc": "AUC"}


def held_out(subject: Subject) -> dict[str, Any] | None:
    """One line for each figure; None where no file was kept apart."""
    facts = part(subject.run, "test")
    figures, claimed = part(facts, "figures"), _claimed_figures(subject)
    rows = [
        _line(subject.worth, name, part(claimed, name), part(figures, name))
        for name in _NAMES
        if real(part(figures, name).get("value")) is not None
    ]
    n = real(facts.get("rows"))
    if not rows:
        return None
    return {"file": subject.label(facts.get("file")), "rows": plural(n, "row") if n is not None else "", "lines": rows}


def _claimed_figures(subject: Subject) -> Mapping[str, Any]:
    """The figures of the chosen learner, the criterion as the verdict has it."""
    best = subject.run.get("best")
    entries = parts(subject.run.get("comparison"))
    own = next((part(entry, "figures") for entry in entries if best is not None and entry.get("name") == best), {})
    criterion = "accuracy" if subject.worth.accuracy else "gain"
    return {**own, criterion: part(subject.run, "expected") or part(own, criterion)}


def _line(worth: Worth, name: str, claimed: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    value, low, high = figure(claimed)
    there, *interval = figure(found)
    return {
        "name": _NAMES[name],
        "claimed": _figure_text(worth, name, value),
        "claimed_interval": _between(worth, name, low, high),
        "found": _figure_text(worth, name, there),
        "found_interval": _between(worth, name, *interval),
        "inside": None if low is None or high is None or there is None else low <= there <= high,
    }


def _figure_text(worth: Worth, name: str, value: float | None) -> str:
    if name == "accuracy":
        return percent(value)
    return worth.of(value) if name == "gain" else MISSING if value is None else decimals(value)


def _between(worth: Worth, name: str, low: float | None, high: float | None) -> str:
    return (
        MISSING
        if low is None or high is None
        else f"{_figure_text(worth, name, low)} to {_figure_text(worth, name, high)}"
    )
