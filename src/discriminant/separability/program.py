"""A plane between two classes, or a proof that there is none.

With c = ±1 for the two classes, two linear programs are each other's dual (columns scaled first):

    max t             s.t.  c_i(w·x_i − θ) ≥ t,  |w_j| ≤ 1
    min ‖Σ α_i c_i x_i‖₁  s.t.  α ≥ 0,  Σ α_i = ½ over each class

so solving one answers both. A positive optimum is a plane with every row strictly on its side; an optimum of
zero makes 2α convex weights that give both classes the same mean, and a point in both hulls is on no side of
any plane. One of the two always exists, and never both (Gordan 1873).

The program is solved in floats and its answer checked in exact arithmetic: the weights are solved for again in
whole numbers, and where that fails (the hulls all but touch) a small simplex in whole numbers decides.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from discriminant.findings import listed
from discriminant.hyperplane import Hyperplane
from discriminant.rows import ArrayRows, from_arrays
from discriminant.rows.matrix import Matrix, largest_by_column
from discriminant.solvers.whole_numbers import Whole, eliminated, gordan

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_EPS, _TINY = float(np.finfo(np.float64).eps), float(np.finfo(np.float64).smallest_subnormal)
# Beyond so many columns exact arithmetic takes longer than a person waits: about a second at these.
_ELIMINATION_COLUMNS = 60
_SIMPLEX_COLUMNS = 20
_SIMPLE_DENOMINATOR = 10_000
_FEW_COLUMNS = 4  # points are written out up to here
_UNPROVED = 1e-6  # a residual no rounding explains


# --- the proof ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class CommonPoint:
    """A point in the convex hulls of both classes: no plane has every row strictly on its side.

    For w·x > θ on one class and w·x < θ on the other would give their common mean a score both above and below 0.
    ``rows``, ``weights``, ``classes`` and ``coordinates`` go together, one entry for each row with a positive
    weight; the weights of each class sum to one. ``point`` is the mean they share and ``residual`` the largest
    difference between the two means, beside half the range of its column: 0 when they are the same exactly.

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

    def verify(self, X: Any, y: Any, *, tolerance: float = 1e-9) -> bool:
        """Whether this table has that common point: the arithmetic done anew, in fractions.

        True means: the rows are there with these classes, the weights are positive and sum to one in each class,
        and the two means are equal. For rows of whole numbers equal means equal, and no plane separates the
        classes. For other numbers, themselves rounded, it means to within ``tolerance`` of half the column's
        range: then no plane separates the scaled classes by more than ``tolerance`` times Σ|w_j|.
        """
        rows = _two_classes(X, y)
        if max(self.rows) >= rows.n_rows or self.point.size != rows.n_columns:
            return False
        places = np.array(self.rows)
        if rows.classes[rows.codes[places]].tolist() != list(self.classes):
            return False
        if min(self.weights) <= 0 or _class_sums(self.weights, rows.codes[places]) != [1, 1]:
            return False
        points = _points(rows.matrix, places)
        gap = _gap(_exact_means(points, self.weights, rows.codes[places] == 1), _half_ranges(rows.matrix))
        return gap == 0 if _are_whole(points) else gap <= tolerance

    def __str__(self) -> str:
        a, b = sorted(set(self.classes))
        same = "both have the mean" if self.residual == 0 else f"to {self.residual:.1g} both have the mean"
        head = f"no plane separates {a} from {b}: {same} {_coordinates(self.point)}"
        return "\n".join([head, *(f"  {k}: {self._sum_of(k)}" for k in (a, b))])

    def _sum_of(self, label: Any, most: int = 8) -> str:
        mine = [i for i, c in enumerate(self.classes) if c == label]
        numbers = [str(self.rows[i]) for i in mine[:most]]
        more = len(mine) - most
        if self.point.size > _FEW_COLUMNS:
            terms = [_term(self.weights[i], f"row {r}") for i, r in zip(mine, numbers, strict=False)]
            return " + ".join(terms) + (f" + {more} more" if more > 0 else "")
        terms = [_term(self.weights[i], _coordinates(self.coordinates[i])) for i in mine]
        return f"{' + '.join(terms)}  [row{'s' * (len(mine) > 1)} {', '.join(numbers)}]"


def common_point(X: Any, y: Any) -> CommonPoint | None:
    """A point in the convex hulls of both classes, or None when a plane has every row strictly on its side.

    Up to 20 columns the answer is exact for whole numbers. Of other numbers, hulls that lie nearer than rounding
    count as meeting where no plane in floats parts them; the ``residual`` says how near they are.
    """
    answer = _alternative(_two_classes(X, y))
    return answer if isinstance(answer, CommonPoint) else None


def separating_plane(X: Any, y: Any) -> Hyperplane | None:
    """A plane with every row strictly on its side, positive for the second class; None when there is none.

    In columns scaled to [−1, 1] it maximises the smallest c_i(w·x_i − θ) over |w_j| ≤ 1.

    >>> separating_plane([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]) == Hyperplane([1, 1], 1.5)
    True
    """
    answer = _alternative(_two_classes(X, y))
    if answer is None:
        raise ArithmeticError(
            "the classes are separable, but by so little beside the size of the numbers that no plane in floats says "
            "so; subtract an offset from the columns, or divide them by powers of ten"
        )
    return answer if isinstance(answer, Hyperplane) else None


# --- one program, two answers ---------------------------------------------------------------------------


def _two_classes(X: Any, y: Any) -> ArrayRows:
    rows = from_arrays(X, y)
    rows.refuse_non_finite()
    if rows.classes.size != 2:
        raise ValueError(
            f"a plane lies between two classes, but y has {rows.classes.size}: {listed(rows.classes.tolist())}"
        )
    return rows


def _alternative(rows: ArrayRows) -> Hyperplane | CommonPoint | None:
    """The plane, or the proof: one linear program, its answer checked exactly.

    None when the classes are separable, but by no plane whose weights are floats.
    """
    matrix = rows.matrix if sparse.issparse(rows.matrix) else np.asarray(rows.matrix, dtype=np.float64)
    positive = rows.codes == 1
    scale = _half_ranges(matrix)
    w, alpha = _solve(_scaled(matrix, scale), positive)
    plane = _plane_along(matrix, positive, w * (min(1.0, scale.min()) / scale))
    if plane is not None:
        return plane
    support = np.flatnonzero(alpha > _EPS)
    proof = _from_floats(rows, support, alpha[support])
    if proof.residual == 0:
        return proof
    if rows.n_columns <= _ELIMINATION_COLUMNS:
        weights = eliminated(_signed(matrix, positive, support)[0])
        if weights is not None:
            return _proof(rows, support, [2 * a for a in weights])
    if rows.n_columns <= _SIMPLEX_COLUMNS:
        settled = _settle(rows, matrix, positive, support)
        if settled is not None or _are_whole(proof.coordinates):
            return settled
    # numbers that are rounded themselves, a rounding apart
    return proof if proof.residual < _UNPROVED else None


def _half_ranges(matrix: Matrix) -> Array:
    """The scale of each column: half its range, or its largest value where zeros are not stored; never zero."""
    half = largest_by_column(matrix) if sparse.issparse(matrix) else _extent(matrix)[1]
    return np.where(half > 0, half, 1.0)


def _extent(matrix: Matrix) -> tuple[Array, Array]:
    """(middle, half range) of each column, of halves so that nothing overflows."""
    low, high = (np.asarray(f(axis=0), dtype=np.float64) / 2 for f in (matrix.min, matrix.max))
    return low + high, high - low


def _scaled(matrix: Matrix, scale: Array) -> Matrix:
    if sparse.issparse(matrix):
        return sparse.csr_array((matrix.data / scale[matrix.indices], matrix.indices, matrix.indptr), matrix.shape)
    return (matrix - _extent(matrix)[0]) / scale


def _solve(Z: Matrix, positive: Mask) -> tuple[Array, Array]:
    """max t s.t. c_i(w·z_i − θ) ≥ t, |w_j| ≤ 1: its w, and the multipliers α of its constraints."""
    n, d = Z.shape
    c = np.where(positive, 1.0, -1.0)[:, None]
    stack = sparse.hstack if sparse.issparse(Z) else np.hstack
    constraints = stack([sparse.csr_array(Z.multiply(-c)) if sparse.issparse(Z) else -c * Z, c, np.ones((n, 1))])
    found = linprog(
        np.concatenate([np.zeros(d + 1), [-1.0]]),
        A_ub=constraints,
        b_ub=np.zeros(n),
        bounds=[(-1, 1)] * d + [(None, None)] * 2,
        method="highs-ds",  # a simplex ends in a corner, where few rows have weight
    )
    if found.x is None:
        raise ArithmeticError(f"the linear program was not solved: {found.message}")
    return np.asarray(found.x[:d]), np.asarray(-found.ineqlin.marginals)


def _plane_along(matrix: Matrix, positive: Mask, w: Array) -> Hyperplane | None:
    """The plane ⟂ w midway between the classes, if every row is strictly on its side, rounding considered."""
    projections, reach = _projections(matrix, w), _projections(abs(matrix), np.abs(w))
    low, high = projections[~positive].max(), projections[positive].min()
    if not (w.any() and np.isfinite(reach).all() and low < high):
        return None
    plane = Hyperplane(w, low + (high - low) / 2)
    scores = projections - plane.theta
    if (np.where(positive, scores, -scores) <= 0).any():
        return None
    rounding = (w.size + 2) * (_EPS * (reach + abs(plane.theta)) + _TINY)
    doubtful = np.flatnonzero(np.abs(scores) <= rounding)
    exact_w, theta = [Fraction(v) for v in w.tolist()], Fraction(plane.theta)
    for i in doubtful.tolist():
        x = _points(matrix, np.array([i]))[0].tolist()
        score = sum((a * Fraction(b) for a, b in zip(exact_w, x, strict=True)), -theta)
        if (score if positive[i] else -score) <= 0:
            return None
    return plane


def _projections(matrix: Matrix, w: Array) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):  # looked for where it matters
        return np.asarray(matrix @ w)


# --- exact arithmetic -----------------------------------------------------------------------------------


def _points(matrix: Matrix, places: NDArray[np.intp]) -> Array:
    block = matrix[places]
    return np.asarray(block.toarray() if sparse.issparse(block) else block, dtype=np.float64)


def _are_whole(points: Array) -> bool:
    return bool((points == np.floor(points)).all())


def _exact_means(points: Array, weights: Sequence[Fraction], positive: Mask) -> tuple[Whole, Whole]:
    """The weighted means of the two classes, in fractions."""
    common = lcm(*(w.denominator for w in weights))
    parts = np.array([int(w * common) for w in weights], dtype=object)
    exact, scales = _whole_columns(points)
    below, above = (Fraction(1, common) * (parts[m] @ exact[m]) for m in (~positive, positive))
    return below / scales, above / scales


def _class_sums(weights: Sequence[Fraction], codes: NDArray[np.int32]) -> list[Fraction]:
    return [sum((w for w, k in zip(weights, codes.tolist(), strict=True) if k == c), Fraction(0)) for c in (0, 1)]


def _gap(means: tuple[Whole, Whole], scale: Array) -> Fraction:
    """The largest difference between two means, beside the scale of its column."""
    exact_scale = np.array([Fraction(s) for s in scale.tolist()], dtype=object)
    return Fraction(max(np.abs(means[1] - means[0]) / exact_scale))


def _whole_columns(points: Array) -> tuple[Whole, Whole]:
    """Columns times powers of two that make them whole numbers, and those powers: every float is a fraction."""
    ratios = [[x.as_integer_ratio() for x in row] for row in points.tolist()]
    scales = [max(row[j][1] for row in ratios) for j in range(points.shape[1])]
    whole = [[a * (s // b) for (a, b), s in zip(row, scales, strict=True)] for row in ratios]
    return np.array(whole, dtype=object).reshape(points.shape), np.array(scales, dtype=object)


def _proof(rows: ArrayRows, places: NDArray[np.intp], weights: Sequence[Fraction]) -> CommonPoint:
    points = _points(rows.matrix, places)
    means = _exact_means(points, weights, rows.codes[places] == 1)
    point = np.array([float(a + b) / 2 for a, b in zip(*means, strict=True)])
    for array in (points, point):
        array.flags.writeable = False
    labels = tuple(rows.classes[rows.codes[places]].tolist())
    residual = float(_gap(means, _half_ranges(rows.matrix)))
    return CommonPoint(tuple(places.tolist()), tuple(weights), labels, points, point, residual)


def _from_floats(rows: ArrayRows, places: NDArray[np.intp], alpha: Array) -> CommonPoint:
    """The proof from rounded weights: as simple fractions where those do as well, else as they are, summing to one."""
    codes = rows.codes[places]
    weights = [Fraction(a) for a in alpha.tolist()]
    totals = _class_sums(weights, codes)
    weights = [w / totals[k] for w, k in zip(weights, codes.tolist(), strict=True)]
    simple = [w.limit_denominator(_SIMPLE_DENOMINATOR) for w in weights]
    fit = min(simple) > 0 and _class_sums(simple, codes) == [1, 1]
    proofs = [_proof(rows, places, w) for w in ([simple, weights] if fit else [weights])]
    return min(proofs, key=lambda proof: proof.residual)


def _settle(
    rows: ArrayRows, matrix: Matrix, positive: Mask, working: NDArray[np.intp]
) -> Hyperplane | CommonPoint | None:
    """The exact answer, from a few rows: more are added while the plane of those few is wrong about others.

    None when the classes are separable, but by no plane whose weights are floats.
    """
    while True:
        vectors, scales = _signed(matrix, positive, working)
        alpha, normal = gordan(vectors)
        if alpha is not None:
            used = np.flatnonzero(alpha)
            return _proof(rows, working[used], [2 * a for a in alpha[used]])
        w = normal[:-1] * scales
        w = (w / Fraction(max(np.abs(w)) or 1)).astype(np.float64)
        plane = _plane_along(matrix, positive, w)
        if plane is not None:
            return plane
        grown = np.union1d(working, _most_wrong(_projections(matrix, w), positive))
        if grown.size == working.size:
            return None
        working = grown


def _most_wrong(projections: Array, positive: Mask, most: int = 4) -> NDArray[np.intp]:
    """The rows of each class that lie furthest towards the other."""
    towards = np.where(positive, projections, -projections)
    sides = np.flatnonzero(positive), np.flatnonzero(~positive)
    return np.concatenate([side[np.argsort(towards[side])[:most]] for side in sides])


def _signed(matrix: Matrix, positive: Mask, places: NDArray[np.intp]) -> tuple[Whole, Whole]:
    """v_i = c_i(x_i, 1) in whole numbers, and the powers of two by which the columns were multiplied."""
    whole, scales = _whole_columns(_points(matrix, places))
    signs = np.where(positive[places], 1, -1).astype(object)[:, None]
    return signs * np.hstack([whole, np.ones_like(signs)]), scales


# --- words ----------------------------------------------------------------------------------------------


def _coordinates(x: Array) -> str:
    return f"({', '.join(f'{v:.6g}' for v in x[:_FEW_COLUMNS].tolist())}{', …' if x.size > _FEW_COLUMNS else ''})"


def _term(weight: Fraction, what: str) -> str:
    if weight == 1:
        return what
    if weight == Fraction(1, 2):
        return f"½·{what}"
    return f"{weight}·{what}" if weight.denominator < 100 else f"{float(weight):.4g}·{what}"
