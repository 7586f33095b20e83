"""Where floats cannot tell: the same question with its margins magnified, and at last in whole numbers.

The margins of a plane u are computed exactly and multiplied by M; a program for a step δ, u + δ/M, then sees what is
M times smaller than what the first program saw (Gleixner, Steffy & Wolter 2016). Few rounds lead to a plane that is
right in fractions, or to the rows of a proof. In few columns a simplex in whole numbers has the last word.
"""

import time
from fractions import Fraction

import numpy as np

from discriminant.exact.whole_numbers import Whole, gordan_alternative, primitive, whole_multiple
from discriminant.separability.certificates import Face, certify, echelon_of, extend_face, nullspace, plane_through
from discriminant.separability.planes import exact_sides
from discriminant.separability.program import SECONDS, Optimum, UndecidedError, widest
from discriminant.separability.signed_rows import Array, Indices, SignedRows

_SIMPLEX_COLUMNS = 20  # beyond so many a simplex in whole numbers takes longer than a person waits
_ROUNDS = 12
_MAGNIFICATION = 2**20
_FAR = 1e9  # magnified margins that no step within bounds undoes
_EPS = float(np.finfo(np.float64).eps)


def refine(
    signed: SignedRows, candidates: Indices, optimum: Optimum, face: Face | None, basis: Indices
) -> Whole | Face:
    """(w, −θ) with every candidate strictly on its side and the basis on the plane; or the next face."""
    u, working, times = np.array([Fraction(v) for v in optimum.u], dtype=object), optimum.indices, _MAGNIFICATION
    until = time.monotonic() + SECONDS
    for _ in range(_ROUNDS):
        step, u = _magnified_step(signed, working, basis, u, times, until)
        grown = certify(signed, step, face, basis)
        if grown is not None:
            return grown
        exact = signed.exact_weights(u)
        weights = plane_through(signed, basis, exact[:-1]) if basis.size else primitive(whole_multiple(exact)[0])
        wrong = _on_wrong_side(signed, candidates, weights) if weights[:-1].any() else candidates
        if not wrong.size:
            return weights
        more = np.setdiff1d(wrong, working)
        working = np.union1d(working, more[: 4 * signed.V.shape[1]])
        times *= 1 if more.size else _MAGNIFICATION
    return _decide_in_whole_numbers(signed, candidates, optimum, face, basis)


def _on_wrong_side(signed: SignedRows, candidates: Indices, weights: Whole) -> Indices:
    """The candidates that are not strictly on their side of a plane."""
    sides = exact_sides(signed.matrix[candidates], weights)
    return np.asarray(candidates[sides != np.where(signed.positive[candidates], 1, -1)])


def _magnified_step(
    signed: SignedRows, working: Indices, basis: Indices, u: Whole, times: int, until: float
) -> tuple[Optimum, Whole]:
    """The program for a step, and u after it; its threshold is midway between the classes as before."""
    V, powers = signed.whole(np.concatenate([basis, working]))
    weights, common = whole_multiple(signed.exact_weights(u) / powers)
    margins = [Fraction(int(v), common) for v in V @ weights]
    least = min(margins[basis.size :])
    scaled = _as_floats([times * (m - least) for m in margins[basis.size :]])
    near = np.flatnonzero(scaled < _FAR)
    on_basis = _as_floats([times * m for m in margins[: basis.size]])
    step = widest(signed.V[working[near]], signed.V[basis], until, scaled[near], on_basis)
    delta = np.array([Fraction(v) for v in step.u], dtype=object)
    return Optimum(working[near], step.u, step.t, step.alpha), u + delta / times


def _as_floats(values: list[Fraction]) -> Array:
    return np.clip([float(v) for v in values], -_FAR, _FAR)


def _decide_in_whole_numbers(
    signed: SignedRows, candidates: Indices, optimum: Optimum, face: Face | None, basis: Indices
) -> Whole | Face:
    """Gordan's alternative of a few rows, then of more, in coordinates perpendicular to the basis."""
    if signed.V.shape[1] - 1 > _SIMPLEX_COLUMNS:
        raise UndecidedError(
            "the hulls of the classes touch, or lie nearer than floats can tell, and beyond "
            f"{_SIMPLEX_COLUMNS} columns whole numbers take too long to say more; ask it of fewer columns"
        )
    working = optimum.indices[optimum.alpha > _EPS]
    while True:
        V, powers = signed.whole(np.concatenate([basis, working]))
        normals = nullspace(V[: basis.size], echelon_of(signed, basis).columns)
        alpha, normal = gordan_alternative(V[basis.size :] @ normals.T)
        if alpha is not None:
            used = np.flatnonzero(alpha)
            return extend_face(signed, face, basis, working[used], alpha[used])
        weights = primitive((normal @ normals) * powers)
        wrong = _on_wrong_side(signed, candidates, weights)
        if not wrong.size:
            return weights
        working = np.union1d(working, wrong[: 2 * signed.V.shape[1]])
