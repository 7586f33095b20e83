"""Sums over rows that every smooth or convex criterion is made of.

    E(w) = Σ ω ℓ(m),   ∇E = Σ ω c ℓ′(m)(x, 1),   m = c(w·x − θ)

with the augmented weights (w, −θ). They add over rows, so they come from spans, chunks or machines alike.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.losses import Loss
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import Matrix, dense_block
from discriminant.rows.threads import over_spans

Array = NDArray[np.float64]

_BLOCK_NUMBERS = 1 << 15


@dataclass(frozen=True)
class RiskSums:
    """Σωℓ, its gradient (d + 1) and the number of rows classified wrong, at some weights."""

    value: float
    gradient: Array
    n_mistakes: int

    @classmethod
    def zero(cls, n_columns: int) -> "RiskSums":
        """The sums of no rows."""
        return cls(0.0, np.zeros(n_columns + 1), 0)

    def __add__(self, other: "RiskSums") -> "RiskSums":
        n_mistakes = self.n_mistakes + other.n_mistakes
        return RiskSums(self.value + other.value, self.gradient + other.gradient, n_mistakes)

    @classmethod
    def of(cls, rows: ArrayRows, sign: NDArray[np.int8], loss: Loss, w: Array) -> "RiskSums":
        """The sums of all rows, whose classes are coded ±1, at the augmented weights w."""
        if sparse.issparse(rows.matrix):
            return _of_part(rows.matrix, sign, rows.weight, loss, w)
        spans = over_spans(partial(_of_span, rows, sign, loss, w), rows.n_rows, rows.n_columns)
        return sum(spans, start=cls.zero(rows.n_columns))


def curvature_product(rows: ArrayRows, h: Array | None, v: Array) -> Array:
    """Σ h (x, 1)(x, 1)·v, the product of a curvature with a direction; h is 1 where None."""
    if sparse.issparse(rows.matrix):
        return _product_of_part(rows.matrix, h, v)

    def of_span(start: int, stop: int) -> Array:
        step = max(_BLOCK_NUMBERS // rows.n_columns, 1)
        total = np.zeros(v.size)
        for a in range(start, stop, step):
            b = min(a + step, stop)
            total += _product_of_part(dense_block(rows.matrix, a, b), None if h is None else h[a:b], v)
        return total

    return np.asarray(np.sum(over_spans(of_span, rows.n_rows, rows.n_columns), axis=0))


def _product_of_part(X: Matrix, h: Array | None, v: Array) -> Array:
    along = X @ v[:-1] + v[-1]
    if h is not None:
        along *= h
    return np.append(X.T @ along, along.sum())


def _of_span(rows: ArrayRows, sign: NDArray[np.int8], loss: Loss, w: Array, start: int, stop: int) -> RiskSums:
    total = RiskSums.zero(rows.n_columns)
    step = max(_BLOCK_NUMBERS // rows.n_columns, 1)
    for a in range(start, stop, step):
        b = min(a + step, stop)
        weight = None if rows.weight is None else rows.weight[a:b]
        total += _of_part(dense_block(rows.matrix, a, b), sign[a:b], weight, loss, w)
    return total


def _of_part(X: Matrix, sign: NDArray[np.int8], weight: Array | None, loss: Loss, w: Array) -> RiskSums:
    with np.errstate(over="ignore", invalid="ignore"):  # whoever iterates sees that the value is not finite
        margin = sign * (X @ w[:-1] + w[-1])
        values, pull = loss.value(margin), sign * loss.slope(margin)
        if weight is not None:
            values, pull = weight * values, weight * pull
        gradient = np.append(X.T @ pull, pull.sum())
        return RiskSums(float(values.sum()), gradient, int(np.count_nonzero(margin <= 0)))
