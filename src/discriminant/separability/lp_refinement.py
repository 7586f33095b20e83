"""Where floats cannot tell: the same question under a magnifying glass, and at last in whole numbers.

The margins of a plane u are computed exactly and multiplied by M; a program for a step δ, u + δ/M, then sees what is
M times smaller than what the first program saw (Gleixner, Steffy & Wolter 2016). Few rounds lead to a plane that is
right in fractions, or to the rows of a proof. In few columns a simplex in whole numbers has the last word.
"""

import time
from fractions import Fraction

import numpy as np

from discriminant.exact.whole_numbers import Whole, gordan, primitive
from discriminant.separability.certificates import (
    Face,
    extended,
    independent,
    perpendicular,
    proved,
    through,
    whole_multiple,
)
from discriminant.separability.planes import exact_sides
from discriminant.separability.program import SECONDS, Optimum, UndecidedError, magnified
from discriminant.separability.vectors import Array, Places, Vectors

# Beyond so many columns a simplex in whole numbers takes longer than a person waits.
_SIMPLEX_COLUMNS = 20
_ROUNDS = 12
_MAGNIFICATION = 2**20
_FAR = 1e9  # magnified margins that no step within bounds undoes
_EPS = float(np.finfo(np.float64).eps)


def settled(vectors: Vectors, among: Places, optimum: Optimum, face: Face | None, held: Places) -> Whole | Face:
    """(w, −θ) with every row ``among`` strictly on its side and the held rows on the plane; or the next face."""
    u, working, times = np.array([Fraction(v) for v in optimum.u], dtype=object), optimum.places, _MAGNIFICATION
    c = np.where(vectors.positive[among], 1, -1)
    until = time.monotonic() + SECONDS
    for _ in range(_ROUNDS):
        step, u = _stepped(vectors, working, held, u, times, until)
        grown = proved(vectors, step, face, held)
        if grown is not None:
            return grown
        weights = _on_held(vectors, held, vectors.exact_weights(u))
        wrong = among[exact_sides(vectors.matrix[among], weights) != c] if weights[:-1].any() else among
        if not wrong.size:
            return weights
        more = np.setdiff1d(wrong, working)
        working = np.union1d(working, more[: 4 * vectors.V.shape[1]])
        times *= 1 if more.size else _MAGNIFICATION
    return _in_whole_numbers(vectors, among, optimum, face, held)


def _stepped(
    vectors: Vectors, working: Places, held: Places, u: Whole, times: int, until: float
) -> tuple[Optimum, Whole]:
    """The program for a step, and u after it; its threshold is midway between the classes as before."""
    V, powers = vectors.whole(np.concatenate([held, working]))
    weights, common = whole_multiple(vectors.exact_weights(u) / powers)
    margins = [Fraction(int(v), common) for v in V @ weights]
    least = min(margins[held.size :])
    scaled = _floats([times * (m - least) for m in margins[held.size :]])
    near = np.flatnonzero(scaled < _FAR)
    on_held = _floats([times * m for m in margins[: held.size]])
    step = magnified(vectors.V[working[near]], vectors.V[held], scaled[near], on_held, until)
    delta = np.array([Fraction(v) for v in step.u], dtype=object)
    return Optimum(working[near], step.u, step.t, step.alpha), u + delta / times


def _floats(values: list[Fraction]) -> Array:
    return np.clip([float(v) for v in values], -_FAR, _FAR)


def _on_held(vectors: Vectors, held: Places, weights: Whole) -> Whole:
    """The weights in whole numbers, moved onto the held rows exactly."""
    if not held.size:
        return primitive(whole_multiple(weights)[0])
    V, powers = vectors.whole(held)
    return through(V, powers, independent(vectors, held).columns, weights[:-1])


def _in_whole_numbers(
    vectors: Vectors, among: Places, optimum: Optimum, face: Face | None, held: Places
) -> Whole | Face:
    """The same by Gordan's alternative of a few rows, then of more, in coordinates perpendicular to the held rows."""
    if vectors.V.shape[1] - 1 > _SIMPLEX_COLUMNS:
        raise UndecidedError(
            "the hulls of the classes touch, or lie nearer than floats can tell, and beyond "
            f"{_SIMPLEX_COLUMNS} columns whole numbers take too long to say more; ask it of fewer columns"
        )
    c = np.where(vectors.positive[among], 1, -1)
    working = optimum.places[optimum.alpha > _EPS]
    while True:
        V, powers = vectors.whole(np.concatenate([held, working]))
        normals = perpendicular(V[: held.size], independent(vectors, held).columns)
        alpha, normal = gordan(V[held.size :] @ normals.T)
        if alpha is not None:
            return extended(V, alpha, np.flatnonzero(alpha), working, face, held, vectors)
        weights = primitive((normal @ normals) * powers)
        wrong = among[exact_sides(vectors.matrix[among], weights) != c]
        if not wrong.size:
            return weights
        working = np.union1d(working, wrong[: 2 * vectors.V.shape[1]])
