"""Scores of rows by models that had not seen them, with what is known of the rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.cached import cached_property
from discriminant.decisions.calibration import Platt, platt
from discriminant.findings import Finding, FlatScore
from discriminant.gain.matrix import Gain

Array = NDArray[np.float64]
Codes = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class HeldOut:
    """What is known of the judged rows: scores by models that had not seen them, classes, weights and folds."""

    scores: Array
    codes: Codes
    weight: Array
    folds: Codes
    classes: NDArray[Any]
    gain: Gain
    groups: NDArray[np.intp] | None = None

    @property
    def counts(self) -> Array:
        """Σω of each class."""
        return np.bincount(self.codes, weights=self.weight, minlength=self.classes.size).astype(np.float64)

    @property
    def shares(self) -> Array:
        """The share of each class."""
        return np.asarray(self.counts / self.weight.sum())

    @cached_property
    def platt(self) -> Platt:
        """Platt's probabilities of these scores."""
        return platt(self.scores, self.codes, self.weight)

    def take(self, rows: NDArray[np.bool_]) -> "HeldOut":
        """The same for some of the rows."""
        parts = (self.scores[rows], self.codes[rows], self.weight[rows], self.folds[rows])
        groups = None if self.groups is None else self.groups[rows]
        return HeldOut(*parts, self.classes, self.gain.take(rows), groups)


def flat_scores(held: HeldOut, model: Any) -> tuple[Finding, ...]:
    """Scores that are all one number tell nothing about the rows."""
    if np.ptp(held.scores, axis=0).max() > 0 if np.isfinite(held.scores).all() else True:
        return ()
    return (
        FlatScore(
            "Every row has the same score",
            f"{type(model).__name__} gave {held.scores[0].tolist()} to every row it had not seen",
            "All rows get the assignment that earns most on average; take columns that tell the classes apart",
        ),
    )


def refuse_nan(scores: Array, numbers: NDArray[np.intp] | None) -> None:
    """Scores of rows that a learner had not seen must say something; ``numbers`` are those of the rows."""
    bad = np.flatnonzero(np.isnan(scores).any(axis=1))
    if bad.size:
        row = bad[0] if numbers is None else numbers[bad[0]]
        raise ValueError(f"the learner gave row {row} the score NaN when it had not seen it")
