"""Complete, quasi or no separation: decided face by face, each answer in whole numbers.

Weights α > 0 on rows S with Σ α_i v_i = 0 hold S on every plane that has no row on its wrong side: the terms α_i u·v_i
are none negative, and sum to zero. So such planes lie in the space perpendicular to S, where rows in the span of S are
zero and the others are asked the same question again: a plane with all of them strictly on their side, or weights
α′ with Σ α′_i v_i in the span of S, which added to a multiple of α hold more rows. Each time the span grows, so

    complete   a strict plane at once                                             (Gordan 1873)
    quasi      a plane that contains S and has all rows outside its span strictly on their side
    none       the span of S is that of all rows: a plane without mistakes contains every row   (Stiemke 1915)

ends it after at most d + 1 faces, nearly always after one.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from discriminant.exact.residues import outside_span
from discriminant.exact.whole_numbers import Whole
from discriminant.hyperplane import Hyperplane
from discriminant.rows import ArrayRows
from discriminant.rows.threads import single_threaded_blas
from discriminant.separability.certificates import (
    NO_ROWS,
    Face,
    independent,
    proved,
    through,
    with_even_weights,
)
from discriminant.separability.descent import descent_planes
from discriminant.separability.lp_refinement import settled
from discriminant.separability.maximal_face import spread
from discriminant.separability.overlap import MANY_COLUMNS, overlap_weights
from discriminant.separability.planes import exact_sides, plane_along
from discriminant.separability.program import Optimum, cheap_plane, searched
from discriminant.separability.proof import CommonPoint, are_whole
from discriminant.separability.vectors import Array, Places, Vectors

_WIDE = 1000  # columns: beyond so many a linear program is long
_NO_MARGIN = 1e-9  # optimum of a program that floats cannot tell from zero
_ROUNDING = 1e-14  # a residual that rounding explains, in columns scaled to [−1, 1]
_EPS = float(np.finfo(np.float64).eps)
_FEW_FRACTIONS = 100
_SIMPLE = (1000, 10**6)  # denominators tried before a float is taken as it is


class TooNarrowError(ArithmeticError, ValueError):
    """Separable, but by no plane whose weights are floats."""

    def __init__(self, message: str = "") -> None:
        super().__init__(
            message
            or "the classes are separable, but by so little beside the size of the numbers that no plane in floats "
            "says so; subtract an offset from the columns, or divide them by powers of ten"
        )


@dataclass(frozen=True)
class Verdict:
    """A strict plane; or a proof that there is none, and the (w, −θ) of a weak plane if there is one."""

    plane: Hyperplane | None = None
    proof: CommonPoint | None = None
    weak: Whole | None = None


def decide(rows: ArrayRows) -> Verdict:
    """Which of the three it is, for rows of two classes."""
    with single_threaded_blas():
        return _decided(rows, Vectors.of(rows))


def _decided(rows: ArrayRows, vectors: Vectors) -> Verdict:
    first = first_answer(vectors)
    if isinstance(first, Hyperplane):
        return Verdict(plane=first)
    face = first
    while True:
        outside = _outside(vectors, face)
        answer = _next_answer(vectors, face, outside) if outside.size else None
        if not isinstance(answer, Face):
            proof = face if face is first or face.even else with_even_weights(vectors, face)
            return Verdict(proof=proof.common_point(rows, vectors.scale), weak=answer)
        face = answer


def _outside(vectors: Vectors, face: Face) -> Places:
    """The rows that are no combinations of those on the face."""
    if face.spans or face.rank == vectors.V.shape[1]:
        return NO_ROWS
    return np.flatnonzero(outside_span(vectors.matrix, vectors.points(face.places)))


# --- the first question ---------------------------------------------------------------------------------


def first_answer(vectors: Vectors, *, widest: bool = False) -> Hyperplane | Face:
    """A strict plane, or the first face; ``widest`` asks for the plane of the largest t, not for any."""
    planes: list[Hyperplane] = []

    def accept(u: Array) -> bool:
        plane = plane_along(vectors.matrix, vectors.positive, vectors.weights(u))
        planes.extend([] if plane is None else [plane])
        return plane is not None

    everything = np.arange(vectors.V.shape[0])
    margins, _ = cheap_plane(vectors, everything, NO_ROWS, (lambda u: False) if widest else accept)
    if not planes and vectors.V.shape[1] > _WIDE:
        twins = _twins(vectors)
        if twins is not None:
            return twins
        if not widest and any(m.min() > 0 and accept(u) for u, m in descent_planes(vectors)):
            return planes[-1]
    if not planes and not widest and vectors.V.shape[1] > MANY_COLUMNS:
        found = overlap_weights(vectors)
        if found is not None:
            return Face(*found, spans=True)
    optimum = None if planes else searched(vectors, everything, NO_ROWS, margins, None if widest else accept)
    if optimum is None or planes or accept(optimum.u):
        return planes[-1]
    face = proved(vectors, optimum, None)
    if face is not None:
        return face
    try:
        return _settled_at_first(vectors, everything, optimum)
    except ArithmeticError:
        near = _within_rounding(vectors, optimum)
        if near is None:
            raise
        return near


def _settled_at_first(vectors: Vectors, everything: Places, optimum: Optimum) -> Hyperplane | Face:
    answer = settled(vectors, everything, optimum, None, NO_ROWS)
    if isinstance(answer, Face):
        return answer
    w = (answer[:-1] / Fraction(max(np.abs(answer[:-1])))).astype(np.float64)
    plane = plane_along(vectors.matrix, vectors.positive, w)
    if plane is None:
        raise TooNarrowError
    return plane


def _twins(vectors: Vectors) -> Face | None:
    """Rows that are in both classes, each with its twin: found without a program, which is long where rows are wide."""
    hashes = np.asarray(vectors.matrix @ np.random.default_rng(0).standard_normal(vectors.matrix.shape[1]))
    above, below = np.flatnonzero(vectors.positive), np.flatnonzero(~vectors.positive)
    _, i, j = np.intersect1d(hashes[above], hashes[below], return_indices=True)
    alike = [k for k, (a, b) in enumerate(zip(above[i], below[j], strict=True)) if _same(vectors, a, b)]
    places = np.concatenate([above[i[alike]], below[j[alike]]])
    return Face(places, (Fraction(1),) * places.size) if places.size else None


def _same(vectors: Vectors, a: int, b: int) -> bool:
    x, y = vectors.points(np.array([a, b]))
    return bool((x == y).all())


def _within_rounding(vectors: Vectors, optimum: Optimum) -> Face | None:
    """The weights as floats have them: of numbers that are rounded themselves, hulls a rounding apart meet."""
    used = np.flatnonzero(optimum.alpha > _EPS)
    places = optimum.places[used]
    left = np.asarray(optimum.alpha[used] @ vectors.V[places])
    if not used.size or np.abs(left).max() > _ROUNDING or are_whole(vectors.points(places)):
        return None
    return Face(places, tuple(Fraction(a) for a in optimum.alpha[used].tolist()))


# --- the questions after it -----------------------------------------------------------------------------


def _next_answer(vectors: Vectors, face: Face, outside: Places) -> Whole | Face:
    """A plane through the face with every row outside strictly on its side, in fractions; or the next face."""
    held = face.places[independent(vectors, face.places).rows]
    found: list[Whole] = []

    def accept(u: Array) -> bool:
        found.extend(_planes_through(vectors, u, held, outside))
        return bool(found)

    margins, _ = cheap_plane(vectors, outside, held, accept)
    optimum = None if found else searched(vectors, outside, held, margins, accept)
    if optimum is None or found or (optimum.t > 0 and accept(optimum.u)):
        if vectors.V.shape[1] <= _WIDE:
            with suppress(ArithmeticError):
                accept(searched(vectors, outside, held, margins, sparsest=True).u)
        return found[-1]
    grown = _much_grown(vectors, face, outside, optimum) if optimum.t <= _NO_MARGIN else None
    if grown is None:
        grown = proved(vectors, optimum, face, held)
    return grown if grown is not None else settled(vectors, outside, optimum, face, held)


def _much_grown(vectors: Vectors, face: Face, outside: Places, optimum: Optimum) -> Face | None:
    """A face of as many rows as can be had at once, if its rank is higher than by the optimum's rows; else None."""
    many = None if face.even else spread(vectors, outside, np.union1d(face.places, optimum.places))
    grown = None if many is None else proved(vectors, many, None)
    more = np.count_nonzero(optimum.alpha > _EPS)
    if grown is None or grown.rank <= independent(vectors, face.places).rank + more:
        return None
    return replace(grown, even=True)


def _planes_through(vectors: Vectors, u: Array, held: Places, outside: Places) -> Iterator[Whole]:
    """The plane near u that contains the held rows exactly, if it has the rows outside strictly on their side."""
    w = vectors.weights(u)
    largest = int(np.abs(u[:-1]).argmax())
    if not w[largest] or not np.isfinite(w).all():
        return
    V, powers = vectors.whole(held)
    pivots = independent(vectors, held).columns
    c = np.where(vectors.positive[outside], 1, -1)
    for near in _simple_values(w / abs(w[largest])):
        weights = through(V, powers, pivots, near)
        if weights[:-1].any() and (exact_sides(vectors.matrix[outside], weights) == c).all():
            yield weights
            return


def _simple_values(w: Array) -> Iterator[Whole]:
    """The weights as fractions ever nearer to them; of many, in parts of one power of two, so that sums stay short."""
    exact = [Fraction(v) for v in w.tolist()]
    if w.size > _FEW_FRACTIONS:
        for bits in (24, 52):
            yield np.array([Fraction(round(v * 2**bits), 2**bits) for v in exact], dtype=object)
    else:
        for denominator in _SIMPLE:
            yield np.array([v.limit_denominator(denominator) for v in exact], dtype=object)
    yield np.array(exact, dtype=object)
