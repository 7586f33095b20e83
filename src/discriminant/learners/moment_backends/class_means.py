"""What a model keeps of rows whose d×d scatter was never formed: counts and means of the classes, and no row."""

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from discriminant.learners.moment_backends.answers import ClassRegression, Discrimination
from discriminant.statistics.moments import ClassMoments

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

    def moments(self, per_class: bool | None = None) -> ClassMoments:
        """Refused: no scatter was kept."""
        self._refuse()

    def class_spreads(self, w: Array) -> Array:
        """Refused: no scatter was kept."""
        self._refuse()

    def reweighted(self, priors: Array) -> "ClassMeans":
        """Refused: no scatter was kept."""
        self._refuse()

    def discriminate(self, shrinkage: float | str | None, divisor: float) -> Discrimination:
        """Refused: no scatter was kept."""
        self._refuse()

    def regress(self, targets: Array, alpha: float) -> ClassRegression:
        """Refused: no scatter was kept."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        d = self.means.shape[1]
        raise ScatterNotKept(
            f"this fit of {d} columns went without their {d}×{d} scatter, and a fitted model keeps no rows; fit again "
            "to all rows, or begin with partial_fit, which keeps the scatter"
        )
