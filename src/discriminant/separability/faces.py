"""Complete, quasi or no separation: decided face by face, each answer in whole numbers.

Call S a face if it has weights α > 0 with Σ α_i v_i = 0. Every plane that has no row on its wrong side contains S: no
term α_i u·v_i is negative, and they sum to zero. So such planes lie in the space perpendicular to S. There rows in the
span of S are zero, and of the others the same question is asked again. Its answer is a plane with all of them strictly
on their side, or weights α′ with Σ α′_i v_i in the span of S; added to a multiple of α they make a larger face. Each
time the span grows, so

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

from discriminant.exact.equations import TooManyUnknownsError
from discriminant.exact.residues import outside_span
from discriminant.exact.whole_numbers import Whole
from discriminant.hyperplane import Hyperplane
from discriminant.rows import ArrayRows
from discriminant.rows.threads import single_threaded_blas
from discriminant.separability.certificates import NO_ROWS, Face, certify, echelon_of, even_out, plane_through
from discriminant.separability.descent import descent_planes
from discriminant.separability.lp_refinement import refine
from discriminant.separability.maximal_face import maximal_face
from discriminant.separability.overlap import FEW_COLUMNS, MANY_COLUMNS, overlap_weights
from discriminant.separability.planes import exact_sides, plane_along
from discriminant.separability.program import Optimum, UndecidedError, search, try_least_squares
from discriminant.separability.proof import CommonPoint, are_whole
from discriminant.separability.signed_rows import Array, Indices, SignedRows

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
        signed = SignedRows.of(rows)
        first = first_answer(signed)
        if isinstance(first, Hyperplane):
            return Verdict(plane=first)
        face = first
        while isinstance(answer := _next_answer(signed, face), Face):
            face = answer
        proof = face if face is first or face.maximal else even_out(signed, face)
        return Verdict(proof=proof.common_point(rows, signed.scale), weak=answer)


# --- the first question ---------------------------------------------------------------------------------


def first_answer(signed: SignedRows, *, widest: bool = False) -> Hyperplane | Face:
    """A strict plane, or the first face; ``widest`` asks for the plane of the largest t, not for any."""
    planes: list[Hyperplane] = []

    def accept(u: Array) -> bool:
        plane = plane_along(signed.matrix, signed.positive, signed.weights(u))
        planes.extend([] if plane is None else [plane])
        return plane is not None

    n, m = signed.V.shape
    everything = np.arange(n)
    margins = try_least_squares(signed, everything, NO_ROWS, (lambda u: False) if widest else accept)
    if not planes and m > _WIDE:
        shared = _rows_in_both_classes(signed)
        if shared is not None:
            return shared
        if not widest and any(margin.min() > 0 and accept(u) for u, margin in descent_planes(signed)):
            return planes[-1]
    if not planes and not widest and m - 1 > MANY_COLUMNS:
        overlapping = _overlapping_face(signed, margins)
        if overlapping is not None:
            return overlapping
    optimum = None if planes else search(signed, everything, NO_ROWS, margins, None if widest else accept)
    if optimum is None or planes or accept(optimum.u):
        return planes[-1]
    return _decide_exactly(signed, everything, optimum)


def _decide_exactly(signed: SignedRows, everything: Indices, optimum: Optimum) -> Hyperplane | Face:
    """The answer where floats see no margin: in whole numbers, or to rounding where the rows are rounded themselves."""
    try:
        answer = certify(signed, optimum) or refine(signed, everything, optimum, None, NO_ROWS)
        if isinstance(answer, Face):
            return answer
        w = (answer[:-1] / Fraction(max(np.abs(answer[:-1])))).astype(np.float64)
        plane = plane_along(signed.matrix, signed.positive, w)
        if plane is None:
            raise TooNarrowError
        return plane
    except ArithmeticError as error:
        near = None
        if isinstance(error, TooManyUnknownsError) and signed.V.shape[1] - 1 > FEW_COLUMNS:
            near = _overlapping_face(signed, np.zeros(everything.size))
        near = near or _within_rounding(signed, optimum)
        if near is not None:
            return near
        if isinstance(error, TooNarrowError):
            raise
        low = float(np.asarray(signed.V @ optimum.u).min())
        bounds = low, max(low, optimum.t)
        raise UndecidedError(
            "whether a plane separates the classes was not decided: with columns scaled to [−1, 1] and weights of at "
            f"most 1, the largest margin lies between {bounds[0]:.1e} and {bounds[1]:.1e} in floats; {error}",
            bounds,
        ) from error


def _overlapping_face(signed: SignedRows, margins: Array) -> Face | None:
    """Rows that surround their mean, with weights in floats; Newton's method starts at the plane of these margins."""
    found = overlap_weights(signed, margins)
    return None if found is None else Face(*found, spans_all=True)


def _rows_in_both_classes(signed: SignedRows) -> Face | None:
    """Rows that are in both classes alike: found without a program, which is long where rows are wide."""
    hashes = np.asarray(signed.matrix @ np.random.default_rng(0).standard_normal(signed.matrix.shape[1]))
    above, below = np.flatnonzero(signed.positive), np.flatnonzero(~signed.positive)
    _, i, j = np.intersect1d(hashes[above], hashes[below], return_indices=True)
    pairs = [pair for pair in np.column_stack([above[i], below[j]]) if not np.ptp(signed.points(pair), axis=0).any()]
    return Face(np.array(pairs).T.ravel(), (Fraction(1),) * (2 * len(pairs))) if pairs else None


def _within_rounding(signed: SignedRows, optimum: Optimum) -> Face | None:
    """The weights as floats have them: of numbers that are rounded themselves, hulls a rounding apart meet."""
    used = np.flatnonzero(optimum.alpha > _EPS)
    indices = optimum.indices[used]
    left = np.asarray(optimum.alpha[used] @ signed.V[indices])
    if not used.size or np.abs(left).max() > _ROUNDING or are_whole(signed.points(indices)):
        return None
    return Face(indices, tuple(Fraction(a) for a in optimum.alpha[used].tolist()))


# --- the questions after it -----------------------------------------------------------------------------


def _next_answer(signed: SignedRows, face: Face) -> Whole | Face | None:
    """A plane through the face with every row outside its span strictly on its side; or the next face.

    None where there are no rows outside.
    """
    outside = NO_ROWS
    if not face.spans_all:
        outside = np.flatnonzero(outside_span(signed.matrix, signed.points(face.indices)))
    if not outside.size:
        return None
    try:
        return _beyond(signed, face, outside)
    except TooManyUnknownsError as error:
        raise UndecidedError(
            "no plane has every row strictly on its side, but whether one has no row on the wrong side was not "
            f"decided; {error}"
        ) from error


def _beyond(signed: SignedRows, face: Face, outside: Indices) -> Whole | Face:
    basis = face.indices[echelon_of(signed, face.indices).rows]
    found: list[Whole] = []

    def accept(u: Array) -> bool:
        found.extend(_planes_near(signed, u, basis, outside))
        return bool(found)

    margins = try_least_squares(signed, outside, basis, accept)
    optimum = None if found else search(signed, outside, basis, margins, accept)
    if optimum is None or found or (optimum.t > 0 and accept(optimum.u)):
        if signed.V.shape[1] <= _WIDE:
            with suppress(ArithmeticError):
                accept(search(signed, outside, basis, margins, sparsest=True).u)
        return found[-1]
    grown = _largest_face(signed, face, outside, optimum) if optimum.t <= _NO_MARGIN else None
    return grown or certify(signed, optimum, face, basis) or refine(signed, outside, optimum, face, basis)


def _largest_face(signed: SignedRows, face: Face, outside: Indices, optimum: Optimum) -> Face | None:
    """A face of as many rows as can be had at once, if its rank is higher than by the optimum's rows; else None."""
    many = None if face.maximal else maximal_face(signed, outside, np.union1d(face.indices, optimum.indices))
    grown = None if many is None else certify(signed, many)
    if grown is None:
        return None
    before, after = (echelon_of(signed, f.indices).rank for f in (face, grown))
    more = np.count_nonzero(optimum.alpha > _EPS)
    return replace(grown, maximal=True) if after > before + more else None


def _planes_near(signed: SignedRows, u: Array, basis: Indices, outside: Indices) -> Iterator[Whole]:
    """The plane near u that contains the basis exactly, if it has the rows outside strictly on their side."""
    w = signed.weights(u)
    largest = int(np.abs(u[:-1]).argmax())
    if not w[largest] or not np.isfinite(w).all():
        return
    c = np.where(signed.positive[outside], 1, -1)
    for near in _simple_fractions(w / abs(w[largest])):
        weights = plane_through(signed, basis, near)
        if weights[:-1].any() and (exact_sides(signed.matrix[outside], weights) == c).all():
            yield weights
            return


def _simple_fractions(w: Array) -> Iterator[Whole]:
    """The weights as fractions ever nearer to them; of many, in parts of one power of two, so that sums stay short."""
    exact = [Fraction(v) for v in w.tolist()]
    if w.size > _FEW_FRACTIONS:
        for bits in (24, 52):
            yield np.array([Fraction(round(v * 2**bits), 2**bits) for v in exact], dtype=object)
    else:
        for denominator in _SIMPLE:
            yield np.array([v.limit_denominator(denominator) for v in exact], dtype=object)
    yield np.array(exact, dtype=object)
