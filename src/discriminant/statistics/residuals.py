"""Residuals of planes summed over rows: in working precision, and in twice that.

For planes w_t with a level l_kt for each class, r = l_kt − w_t·x of a row of class k. Least squares of class targets
y_kt has l = y − b; the equations S_W v = d have l_kt = m_k·v_t, so that Σω r(x − m_k) is −S_W v.
"""

import operator
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.rows import ArrayRows
from discriminant.rows.labels import places_of
from discriminant.statistics.shifted_sums import two_sum
from discriminant.statistics.sliced_products import add_residual_sums

Array = NDArray[np.float64]

_CENTRED_ROWS = 1024  # a copy of so many stays in the cache
_NO_WEIGHT = np.empty(0)
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class ExtendedSums:
    """Unevaluated sums high + low, of twice the working precision."""

    high: Array
    low: Array

    @classmethod
    def zero(cls, shape: tuple[int, ...]) -> "ExtendedSums":
        """The sums of no rows."""
        return cls(np.zeros(shape), np.zeros(shape))

    def __add__(self, other: "ExtendedSums") -> "ExtendedSums":
        """The sums of both sets of rows."""
        high, low = two_sum(self.high, other.high)
        return ExtendedSums(*two_sum(high, low + (self.low + other.low)))

    def over_first(self) -> "ExtendedSums":
        """Summed over the first axis."""
        return reduce(operator.add, map(ExtendedSums, self.high, self.low))


@dataclass(frozen=True)
class ClassResiduals:
    """Σω r(1, x) of each class and plane (K×q×(d+1)) of a block, in twice the working precision.

    With ``together``, of all classes (1×q×(d+1)).
    """

    classes: NDArray[Any]
    levels: ExtendedSums  # K×q
    coef: ExtendedSums  # q×d
    together: bool = False

    def __call__(self, rows: ArrayRows) -> ExtendedSums:
        """The sums of every class, without rows in the block or with some."""
        places = places_of(rows.classes, self.classes)
        n_classes, q = self.levels.high.shape
        shape = (1 if self.together else n_classes, q, rows.n_columns + 1)

        def zero() -> ExtendedSums:
            return ExtendedSums.zero(shape)

        def add(sums: ExtendedSums, part: slice, block: Array) -> ExtendedSums:
            codes, weight = rows.codes[part], rows.weight_of(part)
            if self.together:
                self._add(0, places[codes], block, weight, sums)
                return sums
            for code in np.unique(codes):
                inside = np.flatnonzero(codes == code)
                own = block if inside.size == len(block) else block[inside]
                k = int(places[code])
                self._add(k, k, own, weight[inside] if weight.size else _NO_WEIGHT, sums)
            return sums

        return reduce(operator.add, rows.sum_blocks(zero, add, _CENTRED_ROWS))

    def _add(self, to: int, classes: Any, block: Array, weight: Array, sums: ExtendedSums) -> None:
        """Add to the sums of one class, or of all; ``classes`` is that of all rows, or of each."""
        levels = self.levels.high[classes], self.levels.low[classes]
        add_residual_sums(block, *levels, weight, self.coef.high, self.coef.low, sums.high[to], sums.low[to])


@dataclass(frozen=True)
class CentredResiduals:
    """Σωr(x − c) over Σωr ((d+1)×q) of a block, in working precision; c are the centres of the classes (K×d).

    r = l_k − w·(x − c_k), with levels l (K×q) and planes w (q×d).
    """

    classes: NDArray[Any]
    levels: Array
    coef: Array
    centres: Array

    def __call__(self, rows: ArrayRows) -> Array:
        """Summed over classes."""
        places = places_of(rows.classes, self.classes)
        levels, centres = self.levels[places], self.centres[places]
        one_centre = bool((centres == centres[0]).all())

        def zero() -> Array:
            return np.zeros((rows.n_columns + 1, len(self.coef)))

        def add(total: Array, part: slice, block: Array) -> Array:
            codes = rows.codes[part]
            Z = block - (centres[0] if one_centre else centres[codes])
            residual = rows.weigh(levels[codes] - Z @ self.coef.T, part)
            total[:-1] += Z.T @ residual
            total[-1] += residual.sum(axis=0)
            return total

        return np.asarray(np.sum(rows.sum_blocks(zero, add, _CENTRED_ROWS), axis=0))


@dataclass(frozen=True)
class SquaresAlong:
    """Σω(w·(x − c_k))² of each class of a block about its centre; a product no larger than its rounding is zero."""

    classes: NDArray[Any]
    centres: Array
    w: Array

    def __call__(self, rows: ArrayRows) -> Array:
        """The sums of every class, without rows in the block or with some."""
        places = places_of(rows.classes, self.classes)
        centres = self.centres[places]

        def zero() -> Array:
            return np.zeros(self.classes.size)

        def add(total: Array, part: slice, block: Array) -> Array:
            codes = rows.codes[part]
            Z = block - centres[codes]
            along = Z @ self.w
            along[np.abs(along) <= 64 * EPS * (np.abs(Z) @ np.abs(self.w))] = 0.0
            squares = rows.weigh(along * along, part)
            return total + np.bincount(places[codes], weights=squares, minlength=self.classes.size)

        return np.asarray(np.sum(rows.sum_blocks(zero, add, _CENTRED_ROWS), axis=0))
