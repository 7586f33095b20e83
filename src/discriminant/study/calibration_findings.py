"""Do probabilities hold? What was found, what was done about it, and what is left."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from discriminant.comparison import Comparison
from discriminant.findings import Finding
from discriminant.study.probabilities import CalibrationError, calibration_error
from discriminant.study.question import Question
from discriminant.study.rule import Fitted


@dataclass(frozen=True)
class ProbabilitiesMended(Finding):
    """A straight line from scores to log-odds was off; pieces of lines are used."""


@dataclass(frozen=True)
class ProbabilitiesOff(Finding):
    """Probabilities that rows the model had not seen do not bear out."""

    doubtful = True


def calibration_findings(question: Question, comparison: Comparison, fitted: Fitted) -> Iterator[Finding]:
    """Of held-out rows."""
    left = held_out_error(comparison, fitted)
    before = fitted.straight_error
    if before is not None and before.beyond_chance and not left.beyond_chance:
        yield ProbabilitiesMended(
            "Probabilities follow the rows: their log-odds bend with the score",
            f"A straight line was off in {before.off} of {before.groups} groups of rows, by up to {_points(before)}",
            "Nothing needs to be done",
        )
    if left.beyond_chance:
        yield ProbabilitiesOff(
            f"Probabilities are off in {left.off} of {left.groups} groups of rows, by up to {_points(left)}",
            f"Among rows that were not seen, {_points(left, mean=True)} on average lie between the probability of "
            f"{question.classes[1] if len(question.classes) == 2 else 'the likeliest class'} and its share",
            "Rely on the answers, and on probabilities only as far as the report's calibration curve bears them out",
        )


def held_out_error(comparison: Comparison, fitted: Fitted) -> CalibrationError:
    """Of probabilities from the other folds: of the second of two classes, of the likeliest of more."""
    weight = np.ones(comparison.codes.size) if comparison.weight is None else comparison.weight
    p, codes = fitted.tested, comparison.codes
    if p.shape[1] == 2:
        return calibration_error(p[:, 1], codes == 1, weight)
    return calibration_error(p.max(axis=1), p.argmax(axis=1) == codes, weight)


def _points(error: CalibrationError, mean: bool = False) -> str:
    value = 100 * (error.mean if mean else error.largest)
    return f"{value:.0f} points" if value >= 1.5 else f"{value:.1f} points"
