"""What boosted trees would earn on the same folds: how much a bendable model has over a plane."""

from typing import Any

from discriminant.report.numerals import MISSING
from discriminant.report.subject import Subject
from discriminant.report.untrusted import part, real


def trees(subject: Subject) -> dict[str, Any] | None:
    """The sentence and the figures; None where they were not tried."""
    facts = part(subject.run, "trees")
    value, low, high, difference = (real(facts.get(key)) for key in ("value", "low", "high", "difference"))
    sentence = subject.sentence(facts.get("sentence"))
    if value is None and not sentence:
        return None
    known = low is not None and high is not None
    return {
        "sentence": sentence,
        "value": value,
        "low": low if known else None,
        "high": high if known else None,
        "figure": subject.worth.of(value),
        "interval": subject.worth.between(low, high) or MISSING,
        "difference": subject.worth.difference(difference),
    }
