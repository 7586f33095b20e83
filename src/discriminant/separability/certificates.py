"""Rows that lie on every plane without mistakes, and the weights in whole numbers that hold them there.

Weights α > 0 with Σ α_i v_i = 0 hold their rows: the terms α_i u·v_i are none negative, and sum to zero.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm

import numpy as np

from discriminant.exact.residues import PRIMES, Echelon, augmented_residues, outside_span
from discriminant.exact.whole_numbers import Whole, primitive, solved
from discriminant.rows import ArrayRows
from discriminant.separability.planes import exact_sides
from discriminant.separability.program import Optimum, evened
from discriminant.separability.proof import CommonPoint, class_sums, common_point_of
from discriminant.separability.vectors import Array, Places, Vectors, points_of

# Beyond such a rank exact arithmetic takes longer than a person waits.
_EXACT_RANK = 800
_MOST_SIGNS = 200_000
_DENOMINATORS = (1000, 10**6, 2**40)
_EPS = float(np.finfo(np.float64).eps)

NO_ROWS = np.empty(0, dtype=np.intp)


@dataclass(frozen=True)
class Face:
    """Rows on every plane that has no row on its wrong side, and the weights that prove it."""

    places: Places
    weights: tuple[Fraction, ...]
    rank: int = 0  # of its span, where known
    even: bool = False  # of weights of about one size, on as many rows as could be found
    spans: bool = False  # all rows, as is known without looking

    def common_point(self, rows: ArrayRows, scale: Array) -> CommonPoint:
        """The proof, with the weights of each class summing to one."""
        total = class_sums(self.weights, rows.codes[self.places])
        codes = rows.codes[self.places].tolist()
        order = np.argsort(self.places)
        weights = [w / total[k] for w, k in zip(self.weights, codes, strict=True)]
        return common_point_of(rows, self.places[order], [weights[i] for i in order], scale)


def spans_all(vectors: Vectors, places: Places) -> bool:
    """Whether every row is an affine combination of these: in whole numbers, but modulo primes where that is long."""
    if outside_span(vectors.matrix, vectors.points(places)).any():
        return False
    echelon = independent(vectors, places)
    n, missing = vectors.V.shape[0], vectors.V.shape[1] - echelon.rank
    if n * missing > _MOST_SIGNS:
        return True
    V, powers = vectors.whole(places[echelon.rows])
    normals = perpendicular(V, echelon.columns) * powers
    return all(not exact_sides(vectors.matrix, normal).any() for normal in normals)


def independent(vectors: Vectors, places: Places) -> Echelon:
    """Rows of these that span them all, in the order given; and columns that tell them apart, the constant first."""
    table = augmented_residues(vectors.points(places), PRIMES[0])
    echelon = Echelon.of(np.roll(table, 1, axis=1), PRIMES[0])
    return replace(echelon, columns=(echelon.columns - 1) % table.shape[1])


def perpendicular(V: Whole, pivots: Places) -> Whole:
    """Whole vectors that span the space perpendicular to independent rows V, told apart by the pivots."""
    free = np.setdiff1d(np.arange(V.shape[1]), pivots)
    normals = np.zeros((free.size, V.shape[1]), dtype=object)
    for row, j in zip(normals, free.tolist(), strict=True):
        answer = solved(V[:, pivots], -V[:, j])
        assert answer is not None  # the pivots are independent
        row[pivots], row[j] = answer
    return normals


def whole_multiple(values: Whole) -> tuple[Whole, int]:
    """Whole numbers in the same proportion as fractions, and by what they were multiplied."""
    common = lcm(*(Fraction(v).denominator for v in values))
    return np.array([int(v * common) for v in values], dtype=object), common


def through(V: Whole, powers: Whole, pivots: Places, w: Whole) -> Whole:
    """(w, −θ) with u·v = 0 for independent rows V: solved for the pivots, the constant one of them; else as given."""
    weights: Whole = np.concatenate([w, np.array([Fraction(0)], dtype=object)])
    weights[pivots] = Fraction(0)
    used = np.flatnonzero(weights * V.any(axis=0))
    scaled, common = whole_multiple(weights[used] / powers[used])
    answer = solved(V[:, pivots], -(V[:, used] @ scaled))
    assert answer is not None  # the pivots are independent
    weights[pivots] = powers[pivots] * answer[0] * Fraction(1, answer[1] * common)
    return primitive(whole_multiple(weights)[0])


def proved(vectors: Vectors, optimum: Optimum, face: Face | None, held: Places = NO_ROWS) -> Face | None:
    """The rows with weight in the optimum, their weights solved for again in whole numbers; None if that fails."""
    for least in (1e-7, _EPS):
        used = np.flatnonzero(optimum.alpha > least)
        used = used[np.argsort(-optimum.alpha[used], kind="stable")]
        if not 0 < used.size <= _EXACT_RANK + vectors.V.shape[1]:
            continue
        for denominator in _DENOMINATORS:
            found = _solved_weights(vectors, optimum.places[used], optimum.alpha[used], held, denominator)
            if found is not None:
                weights, rank = found
                return _joined(optimum.places[used], weights[held.size :], face, held, weights[: held.size], rank)
    return None


def _solved_weights(
    vectors: Vectors, places: Places, alpha: Array, held: Places, denominator: int
) -> tuple[list[Fraction], int] | None:
    """Weights of held rows (any) and of others (positive, near alpha) with Σ weight·v = 0, and the rank of them all."""
    every = np.concatenate([held, places])
    echelon = independent(vectors, every)
    rest = np.setdiff1d(np.arange(every.size), echelon.rows)
    if not rest.size or echelon.rank > _EXACT_RANK:
        return None
    V, _ = vectors.whole(every)
    near = alpha[rest - held.size]
    given = np.array([int(a) for a in np.rint(near / near.max() * (denominator if rest.size > 1 else 1))], dtype=object)
    A = V[np.ix_(echelon.rows, echelon.columns)].T
    answer = solved(A, -(given @ V[rest][:, echelon.columns]))
    if answer is None:
        return None
    weights = np.zeros(every.size, dtype=object)
    weights[echelon.rows], weights[rest] = answer[0], answer[1] * given
    if (weights[held.size :] <= 0).any() or (weights @ V).any():
        return None
    return [Fraction(w) for w in weights], echelon.rank


def _joined(
    places: Places,
    weights: Sequence[Fraction],
    face: Face | None,
    held: Places,
    extra: Sequence[Fraction],
    rank: int = 0,
) -> Face:
    """The face with more rows: enough of its own weights is added to outweigh what was taken from the held rows."""
    if face is None:
        return Face(places, tuple(weights), rank)
    change = dict(zip(held.tolist(), extra, strict=True))
    own = list(zip(face.places.tolist(), face.weights, strict=True))
    times = 1 + max((-change.get(i, 0) / w for i, w in own), default=Fraction(0)).__ceil__()
    kept = [max(times, 1) * w + change.get(i, 0) for i, w in own]
    return Face(np.concatenate([face.places, places]), (*kept, *weights), rank)


def extended(
    V: Whole, alpha: Whole, used: Places, working: Places, face: Face | None, held: Places, vectors: Vectors
) -> Face:
    """The face that weights on further rows make: what they leave, in the span of held rows, is taken from those."""
    if face is None:
        return Face(working[used], tuple(alpha[used]))
    left = alpha[used] @ V[held.size + used]
    pivots = independent(vectors, held).columns
    right, common = whole_multiple(-left[pivots])
    answer = solved(V[: held.size, pivots].T, right)
    assert answer is not None  # the pivots are independent
    extra = [Fraction(v, answer[1] * common) for v in answer[0]]
    return _joined(working[used], tuple(alpha[used]), face, held, extra)


def with_even_weights(vectors: Vectors, face: Face) -> Face:
    """The face with weights of about one size, if such are found: those joined face by face may differ widely."""
    alpha = evened(points_of(vectors.V, face.places))
    if alpha.min() <= _EPS:
        return face
    order = np.argsort(-alpha, kind="stable")
    for denominator in _DENOMINATORS:
        found = _solved_weights(vectors, face.places[order], alpha[order], NO_ROWS, denominator)
        if found is not None:
            return Face(face.places[order], tuple(found[0]), found[1])
    return face
