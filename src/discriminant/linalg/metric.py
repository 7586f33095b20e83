"""The inner product a′S⁻¹b of a scatter matrix S, regular or singular.

S = D R D with D the column deviations and R the correlations. Where R is well conditioned, S is held by the
Cholesky factor of R; where it is not, by a spectral factor, which tells the range of S from its null space. The
null space is kept, not thrown away: it is where classes can be separated without error.

Every metric has the same verbs: `half` (h with h′h = v′S⁻v), `half_transposed`, `solve`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.linalg import blas, lapack
from scipy.sparse import csr_array

Array = NDArray[np.float64]

EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Metric:
    """The inner product of S⁻¹ on the range of S.

    ``rank`` is the dimension of the range; ``null`` has orthonormal columns that span the null space. ``condition`` is
    the ratio of the largest to the least spread (not variance) among standardised columns, ``resolution`` the least
    relative spread that can be told from none.
    """

    rank: int
    null: Any
    condition: float
    resolution: float

    def half(self, V: Array) -> Array:
        """h with h′h = V′S⁻V."""
        raise NotImplementedError

    def half_transposed(self, H: Array) -> Array:
        """The shortest w with w′S = the pull-back of h: solve(V) = half_transposed(half(V))."""
        raise NotImplementedError

    def solve(self, V: Array) -> Array:
        """The shortest solution of S w = v, for v in the range of S."""
        return self.half_transposed(self.half(V))

    def null_error(self, directions: Array, V: Array) -> Array:
        """How far rounding of null directions can move their products with vectors V (d×k): one bound each."""
        return np.zeros(directions.shape[1])


@dataclass(frozen=True)
class CholeskyMetric(Metric):
    """S = D LL′ D, regular."""

    scale: Array
    lower: Array

    def half(self, V: Array) -> Array:
        """L⁻¹D⁻¹V."""
        return _triangular(self.lower, (V.T / self.scale).T, 0)

    def half_transposed(self, H: Array) -> Array:
        """D⁻¹L⁻ᵀH."""
        return np.asarray((_triangular(self.lower, H, 1).T / self.scale).T)


def _triangular(lower: Array, V: Array, transposed: int) -> Array:
    """L⁻¹V, or L⁻ᵀV, by BLAS itself: SciPy's checks, and threads of LAPACK, take longer than few columns do."""
    if not V.size:
        return np.asarray(V, dtype=np.float64)
    return np.asarray(blas.dtrsm(1.0, lower, V, lower=1, trans_a=transposed)).reshape(V.shape)


@dataclass(frozen=True)
class SpectralMetric(Metric):
    """S = D (UΛU′) D, with the null space of S beside it."""

    scale: Array
    vectors: Array
    values: Array

    def half(self, V: Array) -> Array:
        """Λ^-½U′D⁻¹V."""
        coordinates = self.vectors.T @ (V.T / self.scale).T
        return (coordinates.T / np.sqrt(self.values)).T

    def half_transposed(self, H: Array) -> Array:
        """D⁻¹UΛ^-½H, made shortest by taking out its part in the null space."""
        w = ((self.vectors @ (H.T / np.sqrt(self.values)).T).T / self.scale).T
        return np.asarray(w - self.null @ (self.null.T @ w))

    def null_error(self, directions: Array, V: Array) -> Array:
        """A null direction p is D⁻¹u with u known to a few ε: its product with v, to ε‖Dp‖‖D⁻¹v‖."""
        moving = np.flatnonzero(np.abs(self.vectors).max(axis=1, initial=0.0) > 0)
        longest = float(np.linalg.norm(V[moving] / self.scale[moving, None], axis=0).max(initial=0.0))
        lengths = np.linalg.norm(directions[moving] * self.scale[moving, None], axis=0)
        return np.asarray(16 * self.scale.size * EPS * longest * lengths)


@dataclass(frozen=True)
class DiagonalMetric(Metric):
    """S = diag(variances): columns taken as uncorrelated; those without variance are the null space."""

    inverse_deviations: Array  # zero where there is no variance

    @classmethod
    def of(cls, variances: Array) -> "DiagonalMetric":
        """The null space is sparse: it may be all columns. Nothing is badly conditioned, and zero is told exactly."""
        moving = variances > 0
        still = np.flatnonzero(~moving)
        null: Any = np.zeros((variances.size, 0))
        if still.size:
            null = csr_array((np.ones(still.size), (still, np.arange(still.size))), (variances.size, still.size))
        factor = np.where(moving, 1.0 / np.sqrt(np.where(moving, variances, 1.0)), 0.0)
        return cls(int(moving.sum()), null, 1.0, 0.0, factor)

    def half(self, V: Array) -> Array:
        """V divided by the deviations, zero where there is none."""
        return (V.T * self.inverse_deviations).T

    def half_transposed(self, H: Array) -> Array:
        """The same: a diagonal is its own transpose."""
        return self.half(H)


def refuse_infinite(A: Array) -> None:
    """Refuse what is not finite, of which LAPACK complains on standard output."""
    if not np.isfinite(A).all():
        raise ValueError("products of the numbers overflow; bring the columns to similar scales")


def svd(A: Array, *, full_matrices: bool = False) -> tuple[Array, Array, Array]:
    """U, the singular values, and V′ of A = U diag(σ) V′, also where divide and conquer does not find them.

    LAPACK's fast method gives up on some matrices with many equal or vanishing singular values (such as the
    standardised pixels of scanned digits); the older one, by QR steps, takes longer and does not.
    """
    refuse_infinite(A)
    try:
        return np.linalg.svd(A, full_matrices=full_matrices)
    except np.linalg.LinAlgError:
        U, singular, V = scipy.linalg.svd(A, full_matrices=full_matrices, lapack_driver="gesvd", check_finite=False)
        return U, singular, V


def metric_of_scatter(S: Array, noise: Array | None = None, poor: float = 64 * EPS) -> Metric:
    """The metric of a scatter matrix; ``noise`` is the variance rounding alone could give each column.

    A Cholesky factor where the reciprocal condition of the correlations is above ``poor``, else a spectral one.
    """
    d = len(S)
    variances = np.diagonal(S).copy()
    spread = variances > (0.0 if noise is None else noise)
    scale = np.sqrt(np.where(spread, variances, 1.0))
    R = S / scale / scale[:, None]
    if spread.all():
        lower, failed = lapack.dpotrf(R, lower=1, clean=1)
        if not failed:
            reciprocal, _ = lapack.dpocon(lower, np.abs(R).sum(axis=0).max(), uplo="L")
            if reciprocal > poor:
                # of the standardised rows, so the root of that of R; squares hide spreads below √ε
                return CholeskyMetric(d, np.empty((d, 0)), float(reciprocal**-0.5), np.sqrt(EPS), scale, lower)
    moving = np.flatnonzero(spread)
    refuse_infinite(R)
    values, vectors = np.linalg.eigh(R[np.ix_(moving, moving)])
    tolerance = 16 * d * EPS
    least = np.full(moving.size, tolerance * max(float(values[-1]), 0.0) if moving.size else 0.0)
    return _spectral(scale, spread, values, vectors, least, noise, np.sqrt(tolerance))


def metric_of_factor(R: Array, noise: Array | None = None) -> SpectralMetric:
    """The metric of R′R from the triangular factor R: spreads down to ε are told apart, not only down to √ε."""
    variances = np.einsum("ij,ij->j", R, R)
    spread = variances > (0.0 if noise is None else noise)
    scale = np.sqrt(np.where(spread, variances, 1.0))
    _, singular, vectors = svd((R / scale)[:, spread], full_matrices=True)
    spreads = np.zeros(len(vectors))
    spreads[: singular.size] = singular
    tolerance = 8 * max(R.shape) * EPS
    least = np.full(spreads.size, (tolerance * float(singular.max(initial=0.0))) ** 2)
    return _spectral(scale, spread, spreads**2, vectors.T, least, noise, tolerance)


def _spectral(
    scale: Array,
    spread: NDArray[np.bool_],
    values: Array,
    vectors: Array,
    least: Array,
    noise: Array | None,
    resolution: float,
) -> SpectralMetric:
    """Directions whose variance is above ``least`` and above what noise in the columns adds up to.

    ``vectors`` are of the columns with spread. Those without are null directions by themselves, exactly: found among
    the others they would carry traces of other columns, and with them the differences between classes there.
    """
    if noise is not None:
        least = np.maximum(least, 4 * (vectors**2).T @ (noise / scale**2)[spread])
    kept = values > least
    among = vectors[:, ~kept] / scale[spread, None]
    if among.shape[1]:
        among = np.linalg.qr(among)[0]
    d, still = scale.size, np.flatnonzero(~spread)
    null = np.zeros((d, still.size + among.shape[1]))
    null[still, np.arange(still.size)] = 1.0
    null[np.flatnonzero(spread), still.size :] = among
    embedded = np.zeros((d, int(kept.sum())))
    embedded[spread] = vectors[:, kept]
    values = values[kept]
    condition = float(np.sqrt(values.max() / values.min())) if values.size else 1.0
    return SpectralMetric(values.size, null, condition, float(resolution), scale, embedded, values)
