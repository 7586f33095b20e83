"""Triangular factors: R with R′R = Σω(x − m)(x − m)′, without ever forming the squares.

A scatter matrix knows a direction of relative spread ε only as ε²; its factor knows it as ε. Factors add:
R of both = the triangular factor of one stacked on the other.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from discriminant.rows import ArrayRows
from discriminant.rows.matrix import dense_block
from discriminant.rows.threads import over_spans

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
        size = max(2 * d, 1024)

        def of_span(start: int, stop: int) -> TriangularFactor:
            factor = cls.zero(d)
            for a in range(start, stop, size):
                b = min(a + size, stop)
                Z = dense_block(rows.matrix, a, b) - centres[rows.codes[a:b]]
                if rows.weight is not None:
                    Z *= np.sqrt(rows.weight[a:b])[:, None]
                factor = factor + cls(Z)
            return factor

        factors = over_spans(of_span, rows.n_rows, d)
        return sum(factors[1:], start=factors[0])
