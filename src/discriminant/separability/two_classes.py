"""Two classes out of several: a pair of them, or one against all the rest."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.rows import ArrayRows

REST = "the rest"


def against_rest(rows: ArrayRows, positive: int) -> ArrayRows:
    """Code 1 for one class, 0 for all others."""
    classes = np.array([REST, str(rows.classes[positive])], dtype=object)
    return replace(rows, classes=classes, codes=(rows.codes == positive).astype(np.int32))


def pair(rows: ArrayRows, negative: int, positive: int) -> ArrayRows:
    """The rows of two classes, the second with code 1."""
    classes = rows.classes[[negative, positive]]
    chosen = np.flatnonzero(np.isin(rows.codes, [negative, positive])) if rows.classes.size > 2 else None
    codes = rows.codes if chosen is None else rows.codes[chosen]
    taken = rows if chosen is None else rows.take(chosen)
    return replace(taken, classes=classes, codes=(codes == positive).astype(np.int32))


@dataclass(frozen=True)
class TwoClasses:
    """Which two classes of all a block is seen as: ``negative`` is None for all the rest."""

    classes: NDArray[Any]  # of all rows
    positive: int
    negative: int | None = None

    def of(self, block: ArrayRows) -> ArrayRows:
        """Rows with the codes 0 and 1."""
        rows = block.recoded(self.classes)
        if self.negative is None:
            return against_rest(rows, self.positive)
        return pair(rows, self.negative, self.positive)
