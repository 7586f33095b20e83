"""Sums over rows that every smooth or convex criterion is made of.

    E(w) = Σ ω ℓ(m),   ∇E = Σ ω c ℓ′(m)(x, 1),   m = c(w·x − θ)

with the augmented weights (w, −θ). They add over rows, so they come from spans, chunks or machines alike.
"""

from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from discriminant.losses import Loss
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import Matrix
from discriminant.statistics.scaling import ScaledRows

Array = NDArray[np.float64]


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

        def add(parts: list[RiskSums], a: int, b: int, X: Matrix) -> None:
            with np.errstate(over="ignore", invalid="ignore"):  # whoever iterates sees that the value is not finite
                margin = sign[a:b] * (X @ w[:-1] + w[-1])
                values = rows.weigh(loss.value(margin), slice(a, b))
                pull = rows.weigh(sign[a:b] * loss.slope(margin), slice(a, b))
                gradient = np.append(X.T @ pull, pull.sum())
                parts.append(cls(float(values.sum()), gradient, int(np.count_nonzero(margin <= 0))))

        spans = ScaledRows.unscaled(rows.matrix).fold_blocks(lambda: [cls.zero(rows.n_columns)], add)
        return sum(chain.from_iterable(spans), start=cls.zero(rows.n_columns))


def curvature_product(rows: ArrayRows, h: Array | None, v: Array) -> Array:
    """Σ h (x, 1)(x, 1)·v, the product of a curvature with a direction; h is 1 where None."""

    def add(total: Array, a: int, b: int, X: Matrix) -> None:
        along = X @ v[:-1] + v[-1]
        if h is not None:
            along *= h[a:b]
        total[:-1] += X.T @ along
        total[-1] += along.sum()

    return np.asarray(np.sum(ScaledRows.unscaled(rows.matrix).fold_blocks(lambda: np.zeros(v.size), add), axis=0))
