"""The path of weights that a method took, step by step: what every learner that goes from row to row keeps.

A step is the weights after an update, the criterion E there and the number of rows that were wrong.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discriminant.losses import Loss
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import dense_block

Array = NDArray[np.float64]

_SCORES = 1 << 20  # at a time
_MOST_PRODUCTS = 1 << 31  # of numbers, for the criterion of all steps: about a second


class TraceStep(NamedTuple):
    """One step: the ``row`` that made it (−1 for the start, and where all rows did together), and what came of it."""

    row: int
    w: Array
    theta: float
    criterion: float
    mistakes: int


@dataclass(frozen=True)
class Trace:
    """The weights after each step: ``w`` (m×d), ``theta`` (m), and there the ``criterion`` and the ``mistakes``.

    ``row`` made the step (−1 where all rows did together); the first entry (row −1) is the start. ``trace[k]`` is a
    `TraceStep`. ``complete`` is False where there were too many steps to keep them all.
    """

    row: NDArray[np.int64]
    w: Array
    theta: Array
    criterion: Array
    mistakes: NDArray[np.int64]
    complete: bool = True

    @classmethod
    def of_weights(
        cls, weights: Array, criterion: Array, mistakes: NDArray[np.int64], row: NDArray[np.int64] | None = None
    ) -> "Trace":
        """A trace from augmented weights (m×(d+1))."""
        row = np.full(len(weights), -1) if row is None else row
        return cls(row, weights[:, :-1], 0.0 - weights[:, -1], criterion, mistakes)

    def __len__(self) -> int:
        return len(self.row)

    def __iter__(self) -> Iterator[TraceStep]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, step: int) -> TraceStep:
        """The weights after a step; 0 is the start, −1 the last one kept."""
        theta, criterion = float(self.theta[step]), float(self.criterion[step])
        return TraceStep(int(self.row[step]), self.w[step], theta, criterion, int(self.mistakes[step]))


def most_measured(rows: ArrayRows) -> int:
    """How many steps can be measured in about a second."""
    return max(_MOST_PRODUCTS // (rows.n_rows * (rows.n_columns + 1)), 2)


def measure(
    rows: ArrayRows, sign: NDArray[np.int8], loss: Loss, planes: Array, right_on_plane: int = 0
) -> tuple[Array, NDArray[np.int64]]:
    """Σωℓ of all rows at each of some augmented weights (m×(d+1)), and the number of rows that are wrong there.

    A row on the plane is wrong, unless it is of the class ``right_on_plane`` (+1 or −1).
    """
    values, mistakes = np.zeros(len(planes)), np.zeros(len(planes), np.int64)
    step = max(_SCORES // len(planes), 1)
    weights = rows.weights
    for a in range(0, rows.n_rows, step):
        b = min(a + step, rows.n_rows)
        c = sign[a:b, None]
        with np.errstate(over="ignore", invalid="ignore"):
            margin = c * (dense_block(rows.matrix, a, b) @ planes[:, :-1].T + planes[:, -1])
            values += weights[a:b] @ loss.value(margin)
        mistakes += np.count_nonzero((margin <= 0) & ~((margin == 0) & (c == right_on_plane)), axis=0)
    return values, mistakes
