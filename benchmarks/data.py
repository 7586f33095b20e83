"""Tables to fit, the same in every run: labels in random order, classes a little apart in a few columns."""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

_TELLING_COLUMNS = 5


@dataclass(frozen=True)
class Shape:
    """n rows of d columns in K classes, with so many entries a row if they are sparse."""

    rows: int
    columns: int
    classes: int = 2
    entries: int | None = None

    @property
    def wide(self) -> bool:
        """Whether columns outnumber rows, which sends fits down another path."""
        return self.columns > self.rows

    def tenth(self) -> "Shape":
        """A tenth of the numbers, still tall or wide as it was."""
        if self.entries is not None:
            return Shape(self.rows // 10, self.columns // 10, self.classes, self.entries)
        if self.wide:
            return Shape(self.rows, self.columns // 10, self.classes)
        return Shape(self.rows // 10, self.columns, self.classes)

    def tiny(self) -> "Shape":
        """Just enough to run the same code, for warming up."""
        if self.entries is not None:
            return Shape(1000, 100, self.classes, min(self.entries, 10))
        return Shape(40, 80, self.classes) if self.wide else Shape(1000, min(self.columns, 20), self.classes)

    def __str__(self) -> str:
        stored = "" if self.entries is None else f", {self.entries} entries a row"
        return f"{self.rows:,}×{self.columns:,}".replace(",", " ") + f", K={self.classes}{stored}"


def gaussian(shape: Shape) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Unit normal columns; the class means are 0.1 to 0.5 apart in the first few."""
    rng, y = _labels(shape)
    X = rng.standard_normal((shape.rows, shape.columns))
    for j, shift in enumerate(_shifts(rng, shape)):
        X[:, j] += shift[y]
    return X, y


def overlapping(shape: Shape, error: float) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Two unit normal classes so far apart along a random line that the best classifier errs this often."""
    rng, y = _labels(shape)
    line = rng.standard_normal(shape.columns)
    line *= NormalDist().inv_cdf(1 - error) / np.linalg.norm(line)
    return rng.standard_normal((shape.rows, shape.columns)) + np.where(y == 1, 1.0, -1.0)[:, None] * line, y


def sparse_rows(shape: Shape) -> tuple[Any, NDArray[np.int64]]:
    """CSR with normal entries at random columns, one in each of as many spans; classes by a random plane, blurred.

    The noise is as large as the scores, so that a quarter of the labels are wrong.
    """
    assert shape.entries is not None
    rng, _ = _labels(shape)
    size, span = (shape.rows, shape.entries), shape.columns // shape.entries
    columns = span * np.arange(shape.entries) + rng.integers(span, size=size)
    starts = np.arange(shape.rows + 1) * shape.entries
    parts = rng.standard_normal(size).ravel(), columns.ravel().astype(np.int32), starts.astype(np.int32)
    X = sparse.csr_array(parts, shape=(shape.rows, shape.columns))
    scores = X @ rng.standard_normal(shape.columns)
    return X, (scores + scores.std() * rng.standard_normal(shape.rows) > 0).astype(np.int64)


def binary(shape: Shape) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """0 and 1 in float64, the dtype in which BernoulliNB is quickest."""
    X, y = gaussian(shape)
    return (X > 0).astype(np.float64), y


def counts(shape: Shape) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Small Poisson counts in float64, the dtype in which MultinomialNB is quickest."""
    rng, y = _labels(shape)
    rates = np.ones((shape.classes, shape.columns))
    rates[:, :_TELLING_COLUMNS] += _shifts(rng, shape).T
    X = np.empty((shape.rows, shape.columns))
    for j in range(shape.columns):
        X[:, j] = rng.poisson(rates[y, j])
    return X, y


def categories(shape: Shape) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Codes 0..9 in int64, the dtype in which CategoricalNB is quickest."""
    X, y = gaussian(shape)
    return np.clip(np.floor(2 * X + 5), 0, 9).astype(np.int64), y


def _labels(shape: Shape) -> tuple[np.random.Generator, NDArray[np.int64]]:
    rng = np.random.default_rng([20, shape.rows, shape.columns, shape.classes])
    y: Any = rng.permutation(np.arange(shape.rows, dtype=np.int64) % shape.classes)
    return rng, y


def _shifts(rng: np.random.Generator, shape: Shape) -> NDArray[np.float64]:
    """How far each class (second axis) is moved in each telling column; the first stays."""
    shifts = rng.uniform(0.1, 0.5, (min(_TELLING_COLUMNS, shape.columns), shape.classes))
    shifts[:, 0] = 0.0
    return shifts
