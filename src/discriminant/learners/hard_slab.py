"""What solvers of slabs return, and the hard margin of two classes or the proof that there is none."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from discriminant.optimise.margins.hard_margin import InseparableError, hard_margin
from discriminant.rows import ArrayRows
from discriminant.separability import NotSeparableError, separate_rows

Array = NDArray[np.float64]


class SlabAnswer(Protocol):
    """What every solver returns."""

    @property
    def w(self) -> Array:
        """The weights."""

    @property
    def b(self) -> float:
        """−θ."""

    @property
    def alpha(self) -> Array:
        """The dual variable of each row."""

    @property
    def primal(self) -> float:
        """The criterion."""

    @property
    def dual(self) -> float:
        """The dual criterion."""

    @property
    def gap(self) -> float:
        """(primal − dual)/primal."""

    @property
    def n_iterations(self) -> int:
        """The number of steps, or epochs."""


def hard_slab(rows: ArrayRows, sign: NDArray[np.int8], positive: int) -> Any:
    """The hard margin, or the proof that there is none."""
    try:
        return hard_margin(rows, sign)
    except InseparableError as error:
        separation = separate_rows(rows, positive)
        if separation.hyperplane is None or separation.kind != "complete":
            raise NotSeparableError(separation) from error
    plane = separation.hyperplane
    try:
        return hard_margin(rows, sign, start=np.append(plane.w, -plane.theta))
    except InseparableError as error:
        raise ValueError(
            "a plane has every row strictly on its side, but by a margin that is lost in rounding beside the largest "
            "numbers; bring the columns to similar scales, or pass a finite C"
        ) from error
