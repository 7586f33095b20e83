"""The verdict: what the rule is expected to earn, how sure that is, and what it is better than."""

from typing import Any

from discriminant.report.numerals import MISSING, Worth
from discriminant.report.subject import Subject
from discriminant.report.untrusted import part, real

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
