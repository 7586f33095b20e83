"""Triangular factors: R with R′R = Σω(x − m)(x − m)′, without ever forming the squares.

A scatter matrix knows a direction of relative spread ε only as ε²; its factor knows it as ε. Factors add:
R of both = the triangular factor of one stacked on the other.
"""

import operator
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from discriminant.rows import ArrayRows, Rows
from discriminant.rows.labels import places_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class TriangularFactor:
    """An upper triangular R (at most d rows, d columns)."""

    R: Array

    @classmethod
    def zero(cls, n_columns: int) -> Self:
        """The factor of no rows."""
        return cls(np.empty((0, n_columns)))

    @classmethod
    def of(cls, Z: Array) -> Self:
        """The factor of centred (and weighted) rows."""
        return cls(np.asarray(np.linalg.qr(Z, mode="r")))

    def __add__(self, other: "TriangularFactor") -> "TriangularFactor":
        """The factor of both sets of rows together."""
        return TriangularFactor.of(np.vstack([self.R, other.R]))

    @classmethod
    def of_rows(cls, rows: ArrayRows, centres: Array) -> "TriangularFactor":
        """The factor of rows centred on ``centres[code]``: class means for S_W, one mean for S."""
        d = rows.n_columns

        def add(factor: TriangularFactor, part: slice, block: Array) -> TriangularFactor:
            return factor + cls(rows.weigh_squares(block - centres[rows.codes[part]], part))

        return reduce(operator.add, rows.sum_blocks(partial(cls.zero, d), add, max(2 * d, 1024)))

    @classmethod
    def of_source(cls, rows: Rows, classes: NDArray[Any], centres: Array) -> "TriangularFactor":
        """The factor of rows wherever they are, centred on ``centres`` of their classes: one pass."""
        return rows.fold(_CentredFactor(classes, centres))


@dataclass(frozen=True)
class _CentredFactor:
    """The factor of a block, as a function that can be sent to where the rows are."""

    classes: NDArray[Any]
    centres: Array

    def __call__(self, block: ArrayRows) -> TriangularFactor:
        return TriangularFactor.of_rows(block, self.centres[places_of(block.classes, self.classes)])
