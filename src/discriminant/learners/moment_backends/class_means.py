"""What a model keeps of rows whose d×d scatter was never formed: counts and means of the classes, and no row."""

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class ScatterNotKept(ValueError, AttributeError):
    """A fitted model was asked for the scatter of rows that it never summed and has not kept."""


@dataclass(frozen=True)
class ClassMeans:
    """Counts and means. The questions that need the scatter of the rows are refused, with the way out."""

    classes: NDArray[Any]
    counts: Array
    means: Array

    @property
    def mean(self) -> Array:
        """The mean of all rows."""
        return np.asarray((self.counts / self.counts.sum()) @ self.means)

    def without_rows(self) -> "ClassMeans":
        """The same: nothing here is of single rows."""
        return self

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        d = self.means.shape[1]
        raise ScatterNotKept(
            f"this fit of {d} columns went without their {d}×{d} scatter, and a fitted model keeps no rows; fit again "
            "to all rows, or begin with partial_fit, which keeps the scatter"
        )

    moments = class_spreads = reweighted = discriminate = regress = _refuse
