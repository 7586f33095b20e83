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

from discriminant.kernels.compiled import PASSES
from discriminant.kernels.extended import residual_sums
from discriminant.rows import ArrayRows
from discriminant.rows.labels import places_of
from discriminant.statistics.shifted_sums import two_sum

Array = NDArray[np.float64]

_BLOCK_ROWS = 4096  # in twice the working precision, one row after another
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
        """Of no rows."""
        return cls(np.zeros(shape), np.zeros(shape))

    def __add__(self, other: "ExtendedSums") -> "ExtendedSums":
        """Of both sets of rows."""
        high, low = two_sum(self.high, other.high)
        return ExtendedSums(*two_sum(high, low + (self.low + other.low)))

    def over_first(self) -> "ExtendedSums":
        """Summed over the first axis."""
        return reduce(operator.add, map(ExtendedSums, self.high, self.low))


@dataclass(frozen=True)
class ClassResiduals:
    """Σω r(1, x) of each class and plane (K×q×(d+1)) of a block, in twice the working precision."""

    classes: NDArray[Any]
    levels: ExtendedSums  # K×q
    coef: ExtendedSums  # q×d

    def __call__(self, rows: ArrayRows) -> ExtendedSums:
        """Of every class, without rows in the block or with some."""
        places = places_of(rows.classes, self.classes)
        shape = (*self.levels.high.shape, rows.n_columns + 1)

        add_residuals = residual_sums.suited_to(PASSES * rows.n_rows * rows.n_columns)

        def zero() -> ExtendedSums:
            return ExtendedSums.zero(shape)

        def add(sums: ExtendedSums, part: slice, block: Array) -> ExtendedSums:
            codes, weight = rows.codes[part], rows.weight_of(part)
            for code in np.unique(codes):
                inside = np.flatnonzero(codes == code)
                own = block if inside.size == len(block) else block[inside]
                of_class = weight[inside] if weight.size else _NO_WEIGHT
                self._add_class(add_residuals, int(places[code]), own, of_class, sums)
            return sums

        return reduce(operator.add, rows.sum_blocks(zero, add, _BLOCK_ROWS))

    def _add_class(self, add: Any, k: int, block: Array, weight: Array, sums: ExtendedSums) -> None:
        block = np.ascontiguousarray(block)
        for t, (coef, coef_low) in enumerate(zip(self.coef.high, self.coef.low, strict=True)):
            level = np.full(len(block), self.levels.high[k, t])
            low = -float(self.levels.low[k, t])
            add(block, level, weight, coef, coef_low, 0.0, low, sums.high[k, t], sums.low[k, t])


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
            residual = levels[codes] - Z @ self.coef.T
            if rows.weight is not None:
                residual *= rows.weight[part, None]
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
        """Of every class, without rows in the block or with some."""
        places = places_of(rows.classes, self.classes)
        centres = self.centres[places]

        def zero() -> Array:
            return np.zeros(self.classes.size)

        def add(total: Array, part: slice, block: Array) -> Array:
            codes = rows.codes[part]
            Z = block - centres[codes]
            along = Z @ self.w
            along[np.abs(along) <= 64 * EPS * (np.abs(Z) @ np.abs(self.w))] = 0.0
            weighed = along * along if rows.weight is None else rows.weight[part] * along * along
            return total + np.bincount(places[codes], weights=weighed, minlength=self.classes.size)

        return np.asarray(np.sum(rows.sum_blocks(zero, add, _CENTRED_ROWS), axis=0))
