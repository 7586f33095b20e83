"""Ranks of exact numbers, found modulo a prime.

Every float is a whole number times a power of two, and x ↦ x mod p carries sums and products of such numbers over to
the field of p elements, p odd. A determinant that is not 0 there is not 0: a rank modulo p is never too high. It is too
low only if p divides a determinant that is not 0, one in two thousand million by chance.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.rows.matrix import Matrix

Residues = NDArray[np.int64]
Places = NDArray[np.intp]

PRIMES = (2**31 - 1, 2**31 - 19)
_EXPONENTS = range(-1130, 1030)
_BLOCK = 1 << 18  # numbers turned at a time
_SMALL = 2.0**16  # times 2¹⁶, no sum of 2²⁰ of them rounds


def residues(numbers: NDArray[np.float64], p: int) -> Residues:
    """Each float modulo p."""
    mantissa, exponent = np.frexp(numbers)
    whole = np.ldexp(mantissa, 53).astype(np.int64) % p
    return np.asarray(whole * _powers_of_two(p)[exponent - 53 - _EXPONENTS.start] % p)


@cache
def _powers_of_two(p: int) -> Residues:
    return np.array([pow(2, e, p) for e in _EXPONENTS], dtype=np.int64)


@dataclass(frozen=True)
class Echelon:
    """Rows (x, 1) that are independent modulo p, columns that tell them apart, and the rows solved for those."""

    p: int
    rows: Places
    columns: Places
    solved: Residues

    @classmethod
    def of(cls, points: NDArray[np.float64], p: int = PRIMES[0]) -> "Echelon":
        """Gauss and Jordan's elimination of the rows in their order; the constant is solved for first."""
        left = np.hstack([np.ones((len(points), 1), dtype=np.int64), residues(points, p)])
        rows: list[int] = []
        columns: list[int] = []
        for i in range(len(left)):
            found = np.flatnonzero(left[i])
            if not found.size:
                continue
            j = int(found[0])
            left[i] = left[i] * pow(int(left[i, j]), -1, p) % p
            others = np.flatnonzero(left[:, j])
            others = others[others != i]
            left[others] = (left[others] - left[others, j][:, None] * left[i]) % p
            rows.append(i)
            columns.append(j)
            if len(rows) == left.shape[1]:
                break
        in_order = (np.array(columns, dtype=np.intp) - 1) % left.shape[1]  # the constant is the last column of (x, 1)
        return cls(p, np.array(rows, dtype=np.intp), in_order, np.roll(left[rows], -1, axis=1))

    @property
    def rank(self) -> int:
        """The number of independent rows."""
        return len(self.rows)

    def random_normal(self, rng: np.random.Generator) -> Residues:
        """A random vector perpendicular to all the rows: to a row outside their span it is so with a chance of 1/p."""
        normal = np.asarray(rng.integers(0, self.p, size=self.solved.shape[1]), dtype=np.int64)
        normal[self.columns] = 0
        normal[self.columns] = -dot_residues(self.solved, normal, self.p) % self.p
        return normal


def dot_residues(table: Residues, vector: Residues, p: int) -> Residues:
    """The table times a vector, modulo p."""
    return np.asarray((table * vector % p).sum(axis=1) % p)


def outside_span(matrix: Matrix, points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which rows of the matrix are no affine combination of the points. True is certain, False to within 2⁻⁶⁰."""
    outside = np.zeros(matrix.shape[0], dtype=bool)
    rng = np.random.default_rng(0)
    for p in PRIMES:
        echelon = Echelon.of(points, p)
        if echelon.rank == points.shape[1] + 1:
            return np.zeros(matrix.shape[0], dtype=bool)
        outside |= scores_modulo(matrix, echelon.random_normal(rng), p) != 0
    return outside


def scores_modulo(matrix: Matrix, normal: Residues, p: int) -> Residues:
    """(x, 1)·normal of every row, modulo p."""
    if sparse.issparse(matrix):
        products = residues(matrix.data, p) * normal[matrix.indices] % p
        sums = np.concatenate([[0], np.cumsum(products)])  # below 2³¹ each: no sum of 2³² of them overflows
        return np.asarray((sums[matrix.indptr[1:]] - sums[matrix.indptr[:-1]] + normal[-1]) % p)
    step = max(_BLOCK // matrix.shape[1], 1)
    starts = range(0, matrix.shape[0], step)
    parts = [_block_scores(np.asarray(matrix[a : a + step], float), normal[:-1], p) for a in starts]
    return np.asarray((np.concatenate(parts) + normal[-1]) % p)


def _block_scores(block: NDArray[np.float64], normal: Residues, p: int) -> Residues:
    """Products with a block of rows; of columns of small whole numbers in floats, which hold such sums exactly."""
    small = ((np.abs(block) < _SMALL) & (block == np.rint(block))).all(axis=0)
    low, high = (part.astype(np.float64) for part in (normal & 0xFFFF, normal >> 16))
    whole = block[:, small]
    sums = (whole @ low[small]).astype(np.int64) + ((whole @ high[small]).astype(np.int64) % p << 16)
    return np.asarray((sums + dot_residues(residues(block[:, ~small], p), normal[~small], p)) % p)
