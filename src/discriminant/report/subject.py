"""What every section of the page speaks of: the run, its classes, its gains g (true × assigned) and its priors π."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discriminant.report.limits import Limits
from discriminant.report.numerals import Worth
from discriminant.report.plain_values import as_list, part, parts, reals, text

_UNIT_LENGTH = 20
_MENTION_LENGTH = 60


@dataclass(frozen=True)
class Subject:
    """What a report is about: a run, read once."""

    run: Mapping[str, Any]
    limits: Limits
    classes: list[str]
    assigned: list[str]
    gain: list[list[float]]
    gain_given: bool
    priors: list[float]
    worth: Worth

    def label(self, value: Any) -> str:
        """What a class label says."""
        return text(value, self.limits.label)

    def name(self, value: Any) -> str:
        """What a column, feature or learner is called."""
        return text(value, self.limits.name)

    def mention(self, value: Any) -> str:
        """A class label where it is told in full elsewhere."""
        return text(value, _MENTION_LENGTH)

    def sentence(self, value: Any) -> str:
        """What a sentence says."""
        return text(value, self.limits.sentence)


def subject_of(run: Mapping[str, Any], limits: Limits) -> Subject:
    """Read what every section needs of a run."""
    gain = part(run, "gain")
    shown = parts(part(run, "data").get("classes"))
    labels = as_list(gain.get("classes")) or [entry.get("label") for entry in shown]
    classes = [text(label, limits.label) for label in labels]
    assigned = [text(label, limits.label) for label in as_list(gain.get("assigned"))]
    assigned = assigned if len(assigned) >= len(classes) else classes
    matrix = _matrix(gain.get("matrix"), len(classes), len(assigned))
    given = bool(gain.get("given")) and matrix is not None
    unit = text(gain.get("unit") or run.get("unit"), _UNIT_LENGTH)
    accuracy = run.get("criterion") == "accuracy" or not given
    identity = [[float(k == a) for a in range(len(assigned))] for k in range(len(classes))]
    return Subject(
        run=run,
        limits=limits,
        classes=classes,
        assigned=assigned,
        gain=matrix or identity,
        gain_given=given,
        priors=_priors(part(run, "priors"), shown, len(classes)),
        worth=Worth(accuracy, "" if accuracy else unit),
    )


def _matrix(value: Any, n_classes: int, n_assigned: int) -> list[list[float]] | None:
    rows = [reals(row) for row in as_list(value)]
    kept = [row for row in rows if row is not None and len(row) == n_assigned]
    return kept if kept and len(kept) == len(rows) == n_classes else None


def _priors(given: Mapping[str, Any], shown: list[Mapping[str, Any]], n_classes: int) -> list[float]:
    """The priors in use; else those of the rows; else equal ones."""
    for candidate in (given.get("used"), given.get("rows"), [entry.get("share") for entry in shown]):
        priors = reals(candidate)
        if priors and len(priors) == n_classes and min(priors) >= 0 and sum(priors) > 0:
            return [p / sum(priors) for p in priors]
    return [1 / n_classes] * n_classes if n_classes else []
