"""Rows that a model is judged by, as they come: in bounded memory where one score decides.

Beyond `MOST_HELD` rows, those of one class and one answer whose scores agree in all but their last bits are counted as
one, at the mean score of all rows that are answered so with such a score: a number of repetitions, which every figure
of a model takes. Counts stay exact; to the area under the curve, rows of such scores are ties. Several classes, and
gains of each row's own, need all scores, and keep them.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from discriminant.model.decision_model import DecisionModel
from discriminant.table.spreads import ordered_keys

Array = NDArray[np.float64]
Codes = NDArray[np.int32]

MOST_HELD = 1_000_000
_FIRST_SHIFT = 30  # bits of a score; 22 are left, which tell it to a millionth


@dataclass
class JudgedRows:
    """Scores of rows with the codes of their classes (−1 where not known), and how many rows each stands for."""

    model: DecisionModel
    scores: list[Array] = field(default_factory=list)
    codes: list[Codes] = field(default_factory=list)
    times: list[Array] = field(default_factory=list)
    without_class: int = 0
    _held: int = 0
    _together: bool = True  # whether rows may be put together
    _shift: int = _FIRST_SHIFT

    def add(self, scores: Array, codes: Codes, *, own_gains: bool) -> None:
        """The next rows; those with gains of their own are not put together."""
        self._together = scores.shape[1] == 1 and not own_gains
        known = codes >= 0
        if self._together and not known.all():
            self.without_class += int((~known).sum())
            scores, codes = scores[known], codes[known]
        self._append(scores, codes, np.ones(codes.size))
        self._hold_few()

    def __add__(self, other: "JudgedRows") -> "JudgedRows":
        """The rows of both, those of the other last."""
        total = JudgedRows(
            self.model,
            self.scores + other.scores,
            self.codes + other.codes,
            self.times + other.times,
            self.without_class + other.without_class,
            self._held + other._held,
            self._together and other._together,
            max(self._shift, other._shift),
        )
        total._hold_few()
        return total

    def _hold_few(self) -> None:
        if self._together and self._held > MOST_HELD:
            self._put_together()

    def _append(self, scores: Array, codes: Codes, times: Array) -> None:
        self.scores.append(scores)
        self.codes.append(codes)
        self.times.append(times)
        self._held += codes.size

    @property
    def n_rows(self) -> int:
        """How many rows have come, be their class known or not."""
        return self.without_class + int(sum(times.sum() for times in self.times))

    def _put_together(self) -> None:
        scores, codes, times = self.whole()
        assigned = self.model.decide_scores(scores, None).assigned
        bins, K = self._bins(scores[:, 0], assigned), len(self.model.classes)
        means = np.bincount(bins, weights=times * scores[:, 0]) / np.bincount(bins, weights=times)
        counts = np.bincount(bins * K + codes, weights=times, minlength=means.size * K)
        groups = np.flatnonzero(counts)
        self.scores, self.codes, self.times, self._held = [], [], [], 0
        self._append(means[groups // K][:, None], (groups % K).astype(np.int32), counts[groups].astype(np.float64))

    def _bins(self, score: Array, assigned: NDArray[np.intp]) -> NDArray[np.intp]:
        """The number of each row's bin: of scores that agree in their first bits and are answered alike."""
        keys, answers = ordered_keys(score), len(self.model.answers)
        while True:
            found, bins = np.unique((keys >> self._shift) * answers + assigned, return_inverse=True)
            if found.size * len(self.model.classes) <= MOST_HELD // 2:
                return np.asarray(bins)
            self._shift += 1

    def whole(self) -> tuple[Array, Codes, Array]:
        """(scores, codes, times) of all rows so far."""
        if not self.scores:
            return np.empty((0, len(self.model.thresholds))), np.empty(0, dtype=np.int32), np.empty(0)
        return np.concatenate(self.scores), np.concatenate(self.codes), np.concatenate(self.times)
