"""The answers to a problem whose rows all lie on one side, and to one without rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import _num_samples

from discriminant.findings import ConstantLabel
from discriminant.multiclass.merging import SIDES

Array = NDArray[np.float64]


class ConstantModel(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """One side for every row: the plane 0·x = ∓1, on one side of which everything lies."""

    def __init__(self, side: int, n_columns: int | None) -> None:
        self.side = side
        self.n_columns = n_columns

    @property
    def classes_(self) -> NDArray[np.int64]:
        """The two sides, 0 and 1."""
        return SIDES

    @property
    def coef_(self) -> Array:
        """Zeros."""
        if self.n_columns is None:
            raise AttributeError("the number of columns is not known, so there is no plane in their space")
        return np.zeros((1, self.n_columns))

    @property
    def intercept_(self) -> Array:
        """1 or −1."""
        return np.array([1.0 if self.side else -1.0])

    def decision_function(self, X: Any) -> Array:
        """1 or −1."""
        return np.full(_num_samples(X), self.intercept_[0])

    def predict(self, X: Any) -> NDArray[Any]:
        """The side."""
        return np.full(_num_samples(X), self.side)

    def predict_proba(self, X: Any) -> Array:
        """One for the side, zero for the other."""
        return np.tile(np.asarray(self.side == SIDES, dtype=np.float64), (_num_samples(X), 1))


class UnseenProblem(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Two sides of which there were no rows yet: neither is preferred. ``learner`` is to learn them when there are."""

    def __init__(self, learner: Any) -> None:
        self.learner = learner

    @property
    def classes_(self) -> NDArray[np.int64]:
        """The two sides, 0 and 1."""
        return SIDES

    def decision_function(self, X: Any) -> Array:
        """Zeros."""
        return np.zeros(_num_samples(X))

    def predict_proba(self, X: Any) -> Array:
        """Halves."""
        return np.full((_num_samples(X), 2), 0.5)


def constant_label(label: Any, present: bool, n_rows: int) -> ConstantLabel:
    """The finding of a label that is in every row, or in none."""
    return ConstantLabel(
        f"Label {label if present else f'not {label}'} is present in all training examples",
        f"{'All' if present else 'None'} of {n_rows} rows {'have' if present else 'has'} it",
        "Every row gets the same answer about it; leave it out, or add rows that differ",
        classes=(str(label),),
    )
