"""Faces: rows that lie on every plane without mistakes, with weights in whole numbers that prove it.

Weights α > 0 with Σ α_i v_i = 0 prove it for their rows: of a plane without mistakes no term α_i u·v_i is negative, and
they sum to zero.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discriminant.exact.equations import TooManyUnknownsError, solve
from discriminant.exact.residues import Echelon, outside_span
from discriminant.exact.whole_numbers import Whole, primitive, whole_multiple
from discriminant.rows import ArrayRows
from discriminant.separability.planes import exact_sides
from discriminant.separability.program import Optimum, even_weights
from discriminant.separability.proof import CommonPoint, class_sums, make_common_point
from discriminant.separability.signed_rows import Array, Indices, SignedRows, points_of

_EXACT_RANK = 800  # beyond such a rank exact arithmetic takes longer than a person waits
_MOST_SIGNS = 200_000
_DENOMINATORS = (1000, 10**6, 2**40)
_EPS = float(np.finfo(np.float64).eps)

NO_ROWS = np.empty(0, dtype=np.intp)


@dataclass(frozen=True)
class Face:
    """Rows on every plane that has no row on its wrong side, and the weights that prove it."""

    indices: Indices
    weights: tuple[Fraction, ...]
    maximal: bool = False  # has as many rows as one program finds, with weights of about one size
    spans_all: bool = False  # known without looking

    def common_point(self, rows: ArrayRows, scale: Array) -> CommonPoint:
        """The proof, with the weights of each class summing to one."""
        codes, order = rows.codes[self.indices], np.argsort(self.indices)
        total = class_sums(self.weights, codes)
        weights = [self.weights[i] / total[codes[i]] for i in order]
        return make_common_point(rows, self.indices[order], weights, scale)


def echelon_of(signed: SignedRows, indices: Indices) -> Echelon:
    """Rows of these that span them all, in the order given, and columns that tell them apart."""
    return Echelon.of(signed.points(indices))


def spans_all_rows(signed: SignedRows, indices: Indices) -> bool:
    """Whether every row is an affine combination of these: in whole numbers, but modulo primes where that is long."""
    if outside_span(signed.matrix, signed.points(indices)).any():
        return False
    echelon = echelon_of(signed, indices)
    n, missing = signed.V.shape[0], signed.V.shape[1] - echelon.rank
    if n * missing > _MOST_SIGNS:
        return True
    V, powers = signed.whole(indices[echelon.rows])
    try:
        normals = nullspace(V, echelon.columns) * powers
    except TooManyUnknownsError:
        return True
    return all(not exact_sides(signed.matrix, normal).any() for normal in normals)


def nullspace(V: Whole, pivots: Indices) -> Whole:
    """Whole vectors that span the space perpendicular to independent rows V, which the pivots tell apart."""
    free = np.setdiff1d(np.arange(V.shape[1]), pivots)
    normals = np.zeros((free.size, V.shape[1]), dtype=object)
    X, q = solve(V[:, pivots], -V[:, free])
    normals[:, pivots], normals[np.arange(free.size), free] = X.T, q
    for row in normals:
        row[:] = primitive(row)
    return normals


def plane_through(signed: SignedRows, basis: Indices, w: Whole) -> Whole:
    """(w, −θ) in whole numbers with u·v = 0 for independent rows: the pivots are solved for, the rest are as given.

    The constant is always one of the pivots.
    """
    V, powers = signed.whole(basis)
    pivots = echelon_of(signed, basis).columns
    weights: Whole = np.array([*w, Fraction(0)], dtype=object)
    weights[pivots] = Fraction(0)
    used = np.flatnonzero(weights * V.any(axis=0))
    scaled, common = whole_multiple(weights[used] / powers[used])
    x, q = solve(V[:, pivots], -(V[:, used] @ scaled))
    weights[pivots] = powers[pivots] * x * Fraction(1, q * common)
    return primitive(whole_multiple(weights)[0])


def certify(signed: SignedRows, optimum: Optimum, face: Face | None = None, basis: Indices = NO_ROWS) -> Face | None:
    """The rows with weight in the optimum, their weights solved for again in whole numbers; None if that fails.

    Weights on the rows of the basis, which are on the face already, may be of any sign.
    """
    for least in (1e-7, _EPS):
        used = np.flatnonzero(optimum.alpha > least)
        used = used[np.argsort(-optimum.alpha[used], kind="stable")]
        if 0 < used.size <= _EXACT_RANK + signed.V.shape[1]:
            weights = _exact_weights(signed, optimum.indices[used], optimum.alpha[used], basis)
            if weights is not None:
                return _merge(face, optimum.indices[used], weights[basis.size :], basis, weights[: basis.size])
    return None


def _exact_weights(
    signed: SignedRows, indices: Indices, alpha: Array, basis: Indices = NO_ROWS
) -> list[Fraction] | None:
    """Weights of the basis (any) and of other rows (positive, near alpha) with Σ weight·v = 0; None if that fails."""
    every = np.concatenate([basis, indices])
    echelon = echelon_of(signed, every)
    rest = np.setdiff1d(np.arange(every.size), echelon.rows)
    if not rest.size or echelon.rank > _EXACT_RANK:
        return None
    V, _ = signed.whole(every)
    A = V[np.ix_(echelon.rows, echelon.columns)].T
    near = alpha[rest - basis.size] / alpha[rest - basis.size].max()
    for denominator in _DENOMINATORS if rest.size > 1 else (1,):
        given = np.array([int(a) for a in np.rint(near * denominator)], dtype=object)
        x, q = solve(A, -(given @ V[rest][:, echelon.columns]))
        weights = np.zeros(every.size, dtype=object)
        weights[echelon.rows], weights[rest] = x, q * given
        if (weights[basis.size :] > 0).all() and not (weights @ V).any():
            return [Fraction(w) for w in weights]
    return None


def _merge(
    face: Face | None, indices: Indices, weights: Sequence[Fraction], basis: Indices, change: Sequence[Fraction]
) -> Face:
    """The face with more rows; its own weights, changed on the basis, are multiplied until all are positive."""
    if face is None:
        return Face(indices, tuple(weights))
    changes = dict(zip(basis.tolist(), change, strict=True))
    own = [(w, changes.get(i, Fraction(0))) for i, w in zip(face.indices.tolist(), face.weights, strict=True)]
    times = max(1 + max(-c / w for w, c in own).__ceil__(), 1)
    return Face(np.concatenate([face.indices, indices]), (*(times * w + c for w, c in own), *weights))


def extend_face(signed: SignedRows, face: Face | None, basis: Indices, indices: Indices, alpha: Whole) -> Face:
    """The face with further rows whose weights leave a vector in the span of the basis, which the basis balances."""
    if face is None:
        return Face(indices, tuple(alpha))
    V, _ = signed.whole(np.concatenate([basis, indices]))
    pivots = echelon_of(signed, basis).columns
    right, common = whole_multiple(-(alpha @ V[basis.size :])[pivots])
    x, q = solve(V[: basis.size, pivots].T, right)
    return _merge(face, indices, tuple(alpha), basis, [Fraction(v, q * common) for v in x])


def even_out(signed: SignedRows, face: Face) -> Face:
    """The face with weights of about one size, if such are found: those merged face by face may differ widely."""
    alpha = even_weights(points_of(signed.V, face.indices))
    if alpha.min() <= _EPS:
        return face
    order = np.argsort(-alpha, kind="stable")
    weights = _exact_weights(signed, face.indices[order], alpha[order])
    return face if weights is None else Face(face.indices[order], tuple(weights))
