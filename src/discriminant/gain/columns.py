"""Gains of rows taken from columns of the table, described in data: a missed fraud costs its amount.

g_i[k, a] = factor[k, a] · (the number of row i in column[k, a]; 1 where no column is named)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.gain.matrix import Gain
from discriminant.gain.reading import GainTable

Array = NDArray[np.float64]


def join_gains(gains: Sequence[Gain]) -> Gain:
    """The gains of the rows of several blocks, one after the other."""
    matrix = np.concatenate([gain.matrix for gain in gains])
    return Gain(GainTable(matrix, None, gains[0].reject_label), None, gains[0].unit)


@dataclass(frozen=True)
class Term:
    """A number, or so many times the number in a column."""

    factor: float
    column: str | None = None

    def __str__(self) -> str:
        if self.column is None:
            return f"{self.factor:g}"
        return {1.0: "", -1.0: "-"}.get(self.factor, f"{self.factor:g}*") + self.column


@dataclass(frozen=True)
class ColumnGain:
    """Terms of true classes (rows) and answers (columns), one more of which may stand for rejecting."""

    terms: tuple[tuple[Term, ...], ...]
    unit: str = ""
    reject_label: Any = "reject"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are needed."""
        return tuple(dict.fromkeys(t.column for row in self.terms for t in row if t.column is not None))

    def of_rows(self, values: Mapping[str, Array], n: int) -> Gain:
        """The gains of n rows, n×K×A, from the numbers in their columns."""
        matrix = np.empty((n, len(self.terms), len(self.terms[0])))
        for k, row in enumerate(self.terms):
            for a, term in enumerate(row):
                matrix[:, k, a] = term.factor if term.column is None else term.factor * values[term.column]
        return Gain(GainTable(matrix, None, self.reject_label), None, self.unit)

    def with_means(self, means: Mapping[str, Sequence[float]]) -> Gain:
        """One matrix: each column at its mean in each true class."""
        matrix = [
            [t.factor if t.column is None else t.factor * means[t.column][k] for t in row]
            for k, row in enumerate(self.terms)
        ]
        return Gain(GainTable(np.array(matrix), None, self.reject_label), None, self.unit)

    def text(self, classes: Sequence[Any]) -> str:
        """Each gain that is not 0, in words."""
        answers = [*classes, self.reject_label]
        return ", ".join(
            f"{term} for {classes[k]} answered {answers[a]}"
            for k, row in enumerate(self.terms)
            for a, term in enumerate(row)
            if term.factor
        )
