"""A table as it was given, and as learners of ours read it, without the rows that have no weight."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import _num_samples

from discriminant.cached import cached_property
from discriminant.learners.base import LinearClassifier
from discriminant.multiclass.foreign_estimators import GivenRows
from discriminant.multiclass.reduction import Reduction
from discriminant.rows import ArrayRows, from_arrays
from discriminant.rows.memory import read_rows

Numbers = NDArray[np.intp]


@dataclass(frozen=True)
class Table:
    """The rows that count; ``numbers`` are theirs in the table as it was given, None where all rows count."""

    given: GivenRows
    n_given: int
    numbers: Numbers | None
    source: tuple[Any, Any, Any] = field(repr=False)

    @classmethod
    def read(cls, X: Any, y: Any, weight: Any, owner: str) -> "Table":
        """Read a table with its labels and weights, or a rows source."""
        if isinstance(X, ArrayRows):
            read_rows(X, y, weight)
            return cls(GivenRows.of(X, None, None), X.n_rows, None, (X, None, None))
        if y is None:
            raise ValueError(f"{owner} requires y to be passed, but the target y is None")
        given = GivenRows.of(X, y, weight)
        return cls(given, _num_samples(X), given.numbers, (X, y, weight))

    @cached_property
    def rows(self) -> ArrayRows:
        """The rows, checked and numeric."""
        X, y, weight = self.source
        return X if isinstance(X, ArrayRows) else from_arrays(X, y, weight)

    @property
    def labels(self) -> NDArray[Any]:
        """The label of each row that counts."""
        return np.asarray(self.given.classes[self.given.codes])

    def numbers_of(self, places: Numbers | None) -> Numbers | None:
        """The numbers in the table given of some of the rows that count (None: all of them)."""
        if places is None or self.numbers is None:
            return self.numbers if places is None else places
        return self.numbers[places]

    def refit(self, learner: Any) -> Any:
        """A copy of the learner, fitted to all rows."""
        X, y, weight = self.source
        return clone(learner).fit(X, y) if weight is None else clone(learner).fit(X, y, sample_weight=weight)


def over_table(values: Any, numbers: Numbers | None, n_given: int, absent: Any) -> Any:
    """Values of some rows at their places in the whole table."""
    if numbers is None:
        return values
    whole = np.full((n_given, *values.shape[1:]), absent, dtype=values.dtype)
    whole[numbers] = values
    return whole


def is_ours(learner: Any) -> bool:
    """Whether a learner reads the one checked table; reductions may hold anybody's."""
    return isinstance(learner, LinearClassifier) and not isinstance(learner, Reduction)
