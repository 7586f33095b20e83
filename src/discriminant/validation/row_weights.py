"""How much each row counts, and which rows are independent of one another."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_SQUARED = 1e150  # beyond, squares overflow: losses of weights that grow without end


@dataclass(frozen=True)
class RowWeights:
    """How much each row counts (None is once), and the number of its group where rows of a group go together."""

    weight: Array | None
    groups: NDArray[np.intp] | None = None

    @property
    def whole(self) -> bool:
        """Whether weights are numbers of repetitions."""
        return self.weight is None or bool((self.weight == np.floor(self.weight)).all())

    def counts(self, n_rows: int) -> Array:
        """How much each of so many rows counts."""
        return np.ones(n_rows) if self.weight is None else self.weight

    def take(self, rows: NDArray[Any]) -> "RowWeights":
        """The weights of some of the rows."""
        weight, groups = (None if part is None else part[rows] for part in (self.weight, self.groups))
        return RowWeights(weight, groups)

    def total(self, n_rows: int) -> float:
        """N, the number of rows they amount to."""
        if self.weight is None:
            return float(n_rows)
        total = float(self.weight.sum())
        return total if self.whole else total**2 / float(self.weight @ self.weight)

    def independent(self, n_rows: int) -> float:
        """The number of groups, or of rows where every row is one of its own."""
        return self.total(n_rows) if self.groups is None else float(np.unique(self.groups).size)

    def worth(self, values: Array) -> float:
        """How many independent rows would know the mean of these values as well."""
        N = self.total(values.size)
        if self.groups is None:
            return N
        alone, together = RowWeights(self.weight).standard_error(values), self.standard_error(values)
        return N * min(alone / together, 1.0) ** 2 if together > 0 else min(self.independent(values.size), N)

    def mean(self, values: Array) -> float:
        """ḡ, which lies among the values whatever the rounding: that of rows which are all right is 1."""
        mean = values.mean() if self.weight is None else self.weight @ values / self.weight.sum()
        return float(np.clip(mean, values.min(), values.max()))

    def sum_of_squares(self, values: Array) -> float:
        """The variance of Σωg for independent rows, or groups of rows, with E g = 0."""
        if self.groups is not None:
            weighed = values if self.weight is None else self.weight * values
            sums = np.bincount(self.groups, weights=weighed)
            return float(sums @ sums)
        if self.weight is None:
            return float(values @ values)
        return float((self.weight if self.whole else self.weight**2) @ values**2)

    def standard_error(self, values: Array) -> float:
        """The standard error of the mean."""
        N = self.independent(values.size)
        if N <= 1:
            return np.inf
        total = float(values.size) if self.weight is None else float(self.weight.sum())
        left = values - self.mean(values)
        largest = float(np.abs(left).max())
        unit = largest if _SQUARED < largest < np.inf else 1.0
        return unit * float(np.sqrt(self.sum_of_squares(left / unit) * N / (N - 1))) / total
