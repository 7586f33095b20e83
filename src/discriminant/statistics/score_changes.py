"""How far a step moves the scores of rows: largest, and how many rows of each class it moves far."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.rows import ArrayRows
from discriminant.statistics.penalised_risk import Array, PenalisedRisk
from discriminant.statistics.source_risk import BlockCriterion


def score_changes(risk: PenalisedRisk, u: Array, step: Array) -> Array:
    """The largest change of a score of each row by the step that led to u."""
    change = np.abs(risk.scores(u) - risk.scores(u - step))
    return np.asarray(change.reshape(len(change), -1).max(axis=1))


@dataclass(frozen=True)
class FindScoreChanges:
    """Finds how far a step moves the scores of a block: what a fold takes."""

    criterion: BlockCriterion
    u: Array
    step: Array
    beyond: float = np.inf

    def most(self, block: ArrayRows) -> float:
        """The largest change."""
        return float(score_changes(self.criterion.of(block), self.u, self.step).max())

    def count(self, block: ArrayRows) -> NDArray[np.int64]:
        """How many rows of each class change by more than ``beyond``."""
        risk = self.criterion.of(block)
        far = score_changes(risk, self.u, self.step) > self.beyond
        return np.bincount(risk.rows.codes[far], minlength=self.criterion.classes.size)
