"""A point that two classes have in common, as weights that anyone can check.

Convex weights α on rows of one class and β on rows of the other with Σ α_i x_i = Σ β_j x_j prove that no plane has
every row strictly on its side: w·x > θ on one class and w·x < θ on the other would give the common mean a score both
above and below 0. A plane that has no row on the wrong side must therefore contain every row of the proof; where these
rows span all the others (as affine combinations), it contains all rows and tells no class from the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.exact.whole_numbers import Whole, whole_columns, whole_multiple
from discriminant.findings import listed
from discriminant.rows import ArrayRows, read_rows
from discriminant.separability.overlap import FEW_COLUMNS, nonzero_columns, surrounds_origin
from discriminant.separability.signed_rows import Array, Indices, Mask, SignedRows, half_ranges, points_of

_FEW_COLUMNS = 4  # points are written out up to here
_FEW_ENTRIES = 0.25  # of all: zeros are then passed over


@dataclass(frozen=True, eq=False)
class CommonPoint:
    """A point in the convex hulls of both classes: no plane has every row strictly on its side.

    For w·x > θ on one class and w·x < θ on the other would give their common mean a score both above and below 0.
    ``rows``, ``weights``, ``classes`` and ``coordinates`` go together, one entry for each row with a positive
    weight; the weights of each class sum to one. ``point`` is the mean they share and ``residual`` the largest
    difference between the two means, beside half the range of its column: 0 when they are the same exactly.

    >>> from discriminant.separability import common_point
    >>> print(common_point([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]))
    no plane separates 0 from 1: both have the mean (0.5, 0.5)
      0: ½·(0, 0) + ½·(1, 1)  [rows 0, 3]
      1: ½·(0, 1) + ½·(1, 0)  [rows 1, 2]
    """

    rows: tuple[int, ...]
    weights: tuple[Fraction, ...]
    classes: tuple[Any, ...]
    coordinates: Array
    point: Array
    residual: float

    def verify(self, X: Any, y: Any = None, *, tolerance: float = 1e-9) -> bool:
        """Whether this table has that common point: the arithmetic done anew, in fractions.

        True means: the rows are there with these classes, the weights are positive and sum to one in each class,
        and the two means are equal. For rows of whole numbers equal means equal, by these weights or (beyond 50
        columns) by others so near that all stay positive, and no plane separates the classes. For other
        numbers, themselves rounded, it means to within ``tolerance`` of half the column's range: then no plane
        separates the scaled classes by more than ``tolerance`` times Σ|w_j|.
        """
        return self.holds_for(two_classes(X, y), tolerance)

    def holds_for(self, rows: ArrayRows, tolerance: float) -> bool:
        """`verify` for rows of two classes."""
        indices = find_rows(rows, self.rows)
        if indices is None or self.point.size != rows.n_columns:
            return False
        if rows.classes[rows.codes[indices]].tolist() != list(self.classes):
            return False
        if min(self.weights) <= 0 or class_sums(self.weights, rows.codes[indices]) != [1, 1]:
            return False
        gap = self._gap_in(rows, indices)
        if gap == 0 or not are_whole(points_of(rows.matrix, indices)):
            return gap <= tolerance
        return rows.n_columns > FEW_COLUMNS and self.surrounded(rows)

    def surrounded(self, rows: ArrayRows) -> bool:
        """Whether the rows surround the point: weights near these then make both means equal, to the last digit.

        And a plane that has no row on its wrong side contains them all (`discriminant.separability.overlap`).
        """
        indices = find_rows(rows, self.rows)
        assert indices is not None
        V = nonzero_columns(SignedRows.of(rows).V)
        alpha = np.array([float(w) / 2 for w in self.weights])
        return surrounds_origin(V[indices], alpha, float(self._gap_in(rows, indices)) / 2)

    def _gap_in(self, rows: ArrayRows, indices: Indices) -> Fraction:
        """The largest difference between the two means, beside half the range of its column."""
        points = points_of(rows.matrix, indices)
        _, apart, units = _exact_sums(points, self.weights, rows.codes[indices] == 1)
        return _gap(apart, units, half_ranges(rows.matrix))

    def __str__(self) -> str:
        a, b = sorted(set(self.classes))
        same = "both have the mean" if self.residual == 0 else f"to {self.residual:.1g} both have the mean"
        head = f"no plane separates {a} from {b}: {same} {coordinates_in_words(self.point)}"
        return "\n".join([head, *(f"  {k}: {self._sum_of(k)}" for k in (a, b))])

    def _sum_of(self, label: Any, most: int = 8) -> str:
        mine = [i for i, c in enumerate(self.classes) if c == label]
        numbers = [str(self.rows[i]) for i in mine[:most]]
        more = len(mine) - most
        if self.point.size > _FEW_COLUMNS or more > 0:
            terms = [_term(self.weights[i], f"row {r}") for i, r in zip(mine, numbers, strict=False)]
            return " + ".join(terms) + (f" + {more} more" if more > 0 else "")
        terms = [_term(self.weights[i], coordinates_in_words(self.coordinates[i])) for i in mine]
        return f"{' + '.join(terms)}  [row{'s' * (len(mine) > 1)} {', '.join(numbers)}]"


def two_classes(X: Any, y: Any = None) -> ArrayRows:
    """Finite rows of exactly two classes, or a clear error."""
    rows = read_rows(X, y)
    rows.refuse_non_finite()
    if rows.classes.size != 2:
        raise ValueError(
            f"a plane lies between two classes, but y has {rows.classes.size}: {listed(rows.classes.tolist())}"
        )
    return rows


def find_rows(rows: ArrayRows, numbers: Sequence[int]) -> Indices | None:
    """Where the rows with these numbers in the user's table are; None if one is not there."""
    wanted = np.asarray(numbers, dtype=np.intp)
    if rows.row_numbers is None:
        return wanted if wanted.size and wanted.min() >= 0 and wanted.max() < rows.n_rows else None
    order = np.argsort(rows.row_numbers, kind="stable")
    indices = order[np.searchsorted(rows.row_numbers, wanted, sorter=order).clip(max=rows.n_rows - 1)]
    return indices if wanted.size and (rows.row_numbers[indices] == wanted).all() else None


def row_numbers_of(rows: ArrayRows, indices: Indices) -> tuple[int, ...]:
    """The numbers that rows have in the user's table."""
    return tuple((indices if rows.row_numbers is None else rows.row_numbers[indices]).tolist())


def are_whole(points: Array) -> bool:
    """Whether all are whole numbers."""
    return bool((points == np.floor(points)).all())


def class_sums(weights: Sequence[Fraction], codes: NDArray[np.int32]) -> list[Fraction]:
    """Σ of the weights of each of two classes."""
    return [sum((w for w, k in zip(weights, codes.tolist(), strict=True) if k == c), Fraction(0)) for c in (0, 1)]


def make_common_point(rows: ArrayRows, indices: Indices, weights: Sequence[Fraction], scale: Array) -> CommonPoint:
    """The proof by these weights, with the residual they leave; ``scale`` is `half_ranges` of the rows."""
    points = points_of(rows.matrix, indices)
    below, apart, units = _exact_sums(points, weights, rows.codes[indices] == 1)
    point = np.array([(2 * a + b) / (2 * unit) for a, b, unit in zip(below, apart, units, strict=True)], dtype=float)
    for array in (points, point):
        array.flags.writeable = False
    labels = tuple(rows.classes[rows.codes[indices]].tolist())
    residual = float(_gap(apart, units, scale))
    return CommonPoint(row_numbers_of(rows, indices), tuple(weights), labels, points, point, residual)


def _exact_sums(points: Array, weights: Sequence[Fraction], positive: Mask) -> tuple[Whole, Whole, Whole]:
    """The weighted mean of the first class, and that of the second minus it, in whole numbers of these parts."""
    parts, common = whole_multiple(np.array(weights, dtype=object))
    if np.count_nonzero(points) < _FEW_ENTRIES * points.size:
        indices = [np.flatnonzero(column) for column in points.T]
        columns = [_sums(points[used, j, None], parts[used], positive[used]) for j, used in enumerate(indices)]
        below, above, powers = (np.concatenate(sums) for sums in zip(*columns, strict=True))
    else:
        below, above, powers = _sums(points, parts, positive)
    return below, above - below, common * powers


def _sums(points: Array, parts: Whole, positive: Mask) -> tuple[Whole, Whole, Whole]:
    """Σ part·x of each class in whole numbers, and the powers of two by which the columns were multiplied."""
    if not len(points):
        none = np.zeros(points.shape[1], dtype=object)
        return none, none, none + 1
    exact, powers = whole_columns(points)
    return parts[~positive] @ exact[~positive], parts[positive] @ exact[positive], powers


def _gap(apart: Whole, units: Whole, scale: Array) -> Fraction:
    """The largest difference, beside the scale of its column."""
    indices = np.flatnonzero(apart).tolist()
    return max((Fraction(abs(apart[j]), units[j]) / Fraction(scale[j]) for j in indices), default=Fraction(0))


# --- words ----------------------------------------------------------------------------------------------


def coordinates_in_words(x: Array) -> str:
    """A point, its first few coordinates written out."""
    return f"({', '.join(f'{v:.6g}' for v in x[:_FEW_COLUMNS].tolist())}{', …' if x.size > _FEW_COLUMNS else ''})"


def _term(weight: Fraction, what: str) -> str:
    if weight == 1:
        return what
    if weight == Fraction(1, 2):
        return f"½·{what}"
    return f"{weight}·{what}" if weight.denominator < 100 else f"{float(weight):.4g}·{what}"
