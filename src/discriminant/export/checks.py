"""Whether an export gives the answers of its model: 0 other labels, scores to 1e-9 of max(1, |score|).

A row that the model refuses must have no label.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from discriminant.export.literals import as_text
from discriminant.export.vectors import ExportVectors
from discriminant.model.decision_model import Label

Array = NDArray[np.float64]
TOLERANCE = 1e-9


class RunnerMissing(Exception):
    """What would run the export is not on this machine."""


@dataclass(frozen=True)
class Answers:
    """What an export said: scores n×P, probabilities n×K (None where it gives none), labels."""

    scores: Array
    probabilities: Array | None
    labels: list[Label | None]


@dataclass(frozen=True)
class CheckResult:
    """``status`` and a sentence; the counts are of what was compared."""

    status: Literal["passed", "failed", "not checked"]
    text: str
    rows: int = 0
    flips: int = 0
    worst_score: float = 0.0
    worst_probability: float = 0.0

    @property
    def passed(self) -> bool:
        """Run and agreed; an export that was not run has not passed."""
        return self.status == "passed"

    def __str__(self) -> str:
        return f"{self.status}: {self.text}"


def compare_answers(expected: ExportVectors, got: Answers, where: str) -> CheckResult:
    """The answers of an export beside those of the model."""
    answered = np.array([label is not None for label in expected.labels], dtype=np.bool_)
    scale = np.maximum(1.0, np.abs(expected.scores))
    worst = _largest((np.abs(got.scores - expected.scores) / scale)[answered])
    worst_probability = 0.0
    if expected.probabilities is not None:
        given = np.nan if got.probabilities is None else got.probabilities
        worst_probability = _largest(np.abs(given - expected.probabilities)[answered])
    flips = sum(not _same(a, b) for a, b in zip(expected.labels, got.labels, strict=True))
    good = flips == 0 and worst <= TOLERANCE and worst_probability <= TOLERANCE
    refused = int((~answered).sum())
    of_them = f" ({refused} of them refused, as by the model)" * bool(refused)
    text = (
        f"{len(expected)} rows{of_them} in {where}: {flips} other labels, "
        f"scores off by at most {worst:.2g} of max(1, |score|), probabilities by {worst_probability:.2g}"
    )
    return CheckResult("passed" if good else "failed", text, len(expected), flips, worst, worst_probability)


def _largest(differences: Array) -> float:
    """The largest difference, where NaN counts as infinite."""
    return float(np.where(np.isnan(differences), np.inf, differences).max(initial=0.0))


def _same(wanted: Label | None, given: Label | None) -> bool:
    """Equal, as numbers or as texts: some languages have one type for all answers, or no flags."""
    if wanted is None or given is None:
        return wanted is given
    if isinstance(wanted, str) or isinstance(given, str):
        return as_text(wanted) == as_text(given)
    return wanted == given
