"""Sums of products by class as one SQL aggregate, so that rows never leave their database.

With z = x − o for an origin o near the means, r = ‖z‖² and weights ω, one statement gives for every class

    Σω    Σω z    Σω zz′    Σω r z    Σω r²

(`ClassProducts`; where variances are enough, of zz′ the diagonal alone). Sums about zero would lose all digits to an
offset of the columns. The first origin is the mean of some rows; where that turns out to lie far from a class, a second
statement takes the means of the classes, which the database computes and joins.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.rows.protocol import ClassProducts

Array = NDArray[np.float64]

_PILOT_ROWS = 1000
_LARGEST_EXACT_INTEGER = 2.0**53


def quoted(name: str) -> str:
    """A name as SQL takes any text for one.

    >>> quoted('the "best" price')
    '"the ""best"" price"'
    """
    return '"' + name.replace('"', '""') + '"'


@dataclass(frozen=True)
class ProductSums:
    """The statements for the sums of some rows.

    ``rows`` is a SELECT of ``label``, ``w`` where the rows are weighted, and the columns ``x0``, ``x1``, … in double
    precision; those of ``whole`` were integers, which may be too large for it. ``fence`` is what keeps the database
    from computing z and r anew for every sum.
    """

    rows: str
    n_columns: int
    weighted: bool = False
    whole: tuple[int, ...] = ()
    fence: str = ""

    def pilot_query(self) -> str:
        """Means of some rows; which ones is the database's choice."""
        means = ", ".join(f"avg(x{j})" for j in range(self.n_columns))
        return f"SELECT {means} FROM ({self.rows} LIMIT {_PILOT_ROWS}) AS first_rows"

    def query(self, origin: Sequence[float] | None, full: bool) -> str:
        """The sums about one origin, or about the means of each class where it is None."""
        d = range(self.n_columns)
        checks = ["count(*)", "count(r)", *(f"max(abs(x{j}))" for j in self.whole)]
        if self.weighted:
            checks += ["count(w)", "min(w)", "max(w)"]
        origins = [f"min(o{j})" for j in d] if origin is None else []
        pairs = [(i, j) for i in d for j in range(i + 1)] if full else [(j, j) for j in d]
        w = "w * " if self.weighted else ""
        sums = ["sum(w)" if self.weighted else "count(*)", *(f"sum({w}z{j})" for j in d)]
        sums += [f"sum({w}z{i} * z{j})" for i, j in pairs]
        if full:
            sums += [*(f"sum({w}r * z{j})" for j in d), f"sum({w}r * r)"]
        r = " + ".join(f"z{j} * z{j}" for j in d)
        return (
            f"SELECT label, {', '.join([*checks, *origins, *sums])} FROM (SELECT *, {r} AS r FROM "
            f"({self._centred(origin)}{self.fence}) AS centred{self.fence}) AS squared GROUP BY label"
        )

    def _centred(self, origin: Sequence[float] | None) -> str:
        """The rows with z = x − o; those of weight zero are left out."""
        d = range(self.n_columns)
        source = f"({self.rows}) AS plain_rows"
        origins = [f"o{j}" for j in d] if origin is None else [f"CAST('{float(o)!r}' AS float8)" for o in origin]
        if origin is None:
            means = ", ".join(f"avg(x{j}) AS o{j}" for j in d)
            of_class = f"SELECT label, {means} FROM ({self.rows}) AS same_rows GROUP BY label"
            source += f" JOIN ({of_class}) AS class_means USING (label)"
        z = ", ".join(f"x{j} - {o} AS z{j}" for j, o in enumerate(origins))
        kept = " WHERE w IS DISTINCT FROM 0" if self.weighted else ""
        return f"SELECT *, {z} FROM {source}{kept}"

    def n_sums(self, full: bool) -> int:
        """How many sums the database keeps for each class."""
        d = self.n_columns
        return 1 + d + (d * (d + 1) // 2 + d + 1 if full else d)

    def products(
        self, answer: Any, labels: NDArray[Any], origin: Sequence[float] | None, full: bool
    ) -> ClassProducts | None:
        """The sums from the answer to `query`; None where only the rows themselves can say what is wrong."""
        d = self.n_columns
        numbers = np.column_stack([_floats(column) for column in answer.columns[1:]])
        n_checks = 2 + len(self.whole) + 3 * self.weighted
        checks, numbers = np.split(numbers, [n_checks], axis=1)
        if not self._sound(checks) or not np.isfinite(numbers).all():
            return None
        if origin is None:
            origins, numbers = np.split(numbers, [d], axis=1)
        else:
            origins = np.tile(np.asarray(origin, dtype=np.float64), (len(numbers), 1))
        n_pairs = self.n_sums(full) - 1 - d - (d + 1 if full else 0)
        counts, sums, squares, radial = np.split(numbers, [1, 1 + d, 1 + d + n_pairs], axis=1)
        return ClassProducts(
            labels,
            int(checks[:, 0].sum()),
            origins,
            counts[:, 0],
            sums,
            _symmetric(squares, d) if full else squares,
            radial[:, :d] if full else None,
            radial[:, d] if full else None,
        )

    def _sound(self, checks: Array) -> bool:
        """Whether no cell was empty, no integer too large and no weight negative or infinite."""
        n, complete = checks[:, 0], checks[:, 1]
        sound = bool((complete == n).all() and (checks[:, 2 : 2 + len(self.whole)] < _LARGEST_EXACT_INTEGER).all())
        if not self.weighted:
            return sound
        counted, least, largest = checks[:, -3:].T
        return sound and bool((counted == n).all() and (least >= 0).all() and np.isfinite(largest).all())


def _floats(column: Any) -> Array:
    """A column of the answer; NaN where the database has nothing to say."""
    return np.asarray(column.cast("float64", safe=False).to_numpy(), dtype=np.float64)


def _symmetric(lower: Array, d: int) -> Array:
    """K×d×d from the entries on and below the diagonal, row after row."""
    squares = np.empty((len(lower), d, d))
    i, j = np.tril_indices(d)
    squares[:, i, j] = lower
    squares[:, j, i] = lower
    return squares
