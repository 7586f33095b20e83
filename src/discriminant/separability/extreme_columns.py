"""The same question for columns of numbers near the ends of what floats hold.

Whether planes part two classes does not change when a column is multiplied by a power of two. Columns of numbers so
small or so large that half of them, or a weight of theirs, would be no float are multiplied by the one that makes them
whole numbers; the answer is taken back in fractions.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.exact.whole_numbers import Whole, odd_parts, whole_multiple
from discriminant.hyperplane import Hyperplane
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import Matrix, dense_block, largest_by_column
from discriminant.separability.faces import TooNarrowError, Verdict, decide
from discriminant.separability.planes import separates

Powers = NDArray[np.int64]

_EXTREME = 900  # powers of two: products with weights stay floats below


def decide_at_any_size(rows: ArrayRows) -> Verdict:
    """Which of the three it is, for rows of two classes with finite numbers."""
    powers = _powers(rows.matrix)
    if not powers.any():
        return decide(rows)
    verdict = decide(replace(rows, matrix=_multiply(rows.matrix, powers)))
    proof = verdict.proof
    if proof is not None:
        proof = replace(proof, coordinates=np.ldexp(proof.coordinates, -powers), point=np.ldexp(proof.point, -powers))
    weak = None if verdict.weak is None else _take_back(verdict.weak, powers)
    return Verdict(None if verdict.plane is None else _take_plane_back(rows, verdict.plane, powers), proof, weak)


def _powers(matrix: Matrix) -> Powers:
    """The exponent by which to multiply each column; 0 for those of usual size, and where no one would do."""
    tops = np.frexp(largest_by_column(matrix))[1].astype(np.int64)
    powers = np.zeros(tops.size, dtype=np.int64)
    for j in np.flatnonzero(np.abs(tops) > _EXTREME):
        column = dense_block(matrix[:, [j]], 0, matrix.shape[0])[:, 0]
        lowest = int(odd_parts(column[column != 0])[1].min())
        if tops[j] - lowest <= _EXTREME:
            powers[j] = -lowest
    return powers


def _multiply(matrix: Matrix, powers: Powers) -> Matrix:
    if not sparse.issparse(matrix):
        return np.ldexp(np.asarray(matrix, dtype=np.float64), powers)
    data = np.ldexp(matrix.data.astype(np.float64), powers[matrix.indices])
    return sparse.csr_array((data, matrix.indices, matrix.indptr), matrix.shape)


def _take_back(weights: Whole, powers: Powers) -> Whole:
    """(w, −θ) of the columns as they are, in whole numbers, from those of the multiplied ones."""
    w = [Fraction(v) * Fraction(2) ** int(p) for v, p in zip(weights[:-1], powers, strict=True)]
    return whole_multiple(np.array([*w, Fraction(weights[-1])], dtype=object))[0]


def _take_plane_back(rows: ArrayRows, plane: Hyperplane, powers: Powers) -> Hyperplane:
    """A strict plane of the columns as they are, if one has weights that floats can hold.

    The power of two that all of (w, θ) may be multiplied by puts the middle of their exponents at 0.
    """
    weights, more = np.append(plane.w, -plane.theta), np.append(powers, 0)
    exponents = (np.frexp(weights)[1] + more)[weights != 0]
    middle = (int(exponents.min()) + int(exponents.max())) // 2
    with np.errstate(over="ignore", under="ignore"):
        found = np.ldexp(weights, more - middle)
    if np.isfinite(found).all() and found[:-1].any():
        back = Hyperplane(found[:-1], -float(found[-1]))
        if separates(rows.matrix, rows.codes == 1, back):
            return back
    raise TooNarrowError
