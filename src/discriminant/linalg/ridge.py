"""The inner product of S + αI where S is singular and α may be too small to be seen beside it.

A ridge solution has nothing in the directions in which S has nothing, however small α is. Computed from S + αI alone it
has: the rounding of the right-hand side there, divided by α. So these directions are found first, without α, and the
solution is looked for among the others.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.linalg.metric import EPS, Metric, metric_of_factor, metric_of_scatter

Array = NDArray[np.float64]

_LARGE_RIDGE = 1e3  # condition up to which rounding divided by α costs no digit that is asked for


@dataclass(frozen=True)
class RidgeMetric(Metric):
    """S + αI, in coordinates along an orthonormal basis of the range of S."""

    basis: Array
    inner: Metric

    def half(self, V: Array) -> Array:
        """The half of the coordinates of V."""
        return self.inner.half(self.basis.T @ V)

    def half_transposed(self, H: Array) -> Array:
        """Back from coordinates."""
        return self.basis @ self.inner.half_transposed(H)


def ridge_metric_of_scatter(S: Array, alpha: float, noise: Array | None = None, poor: float = 64 * EPS) -> Metric:
    """The metric of S + αI from a scatter matrix; ``noise`` and ``poor`` as for `metric_of_scatter`."""

    def with_ridge(scatter: Array) -> Array:
        return scatter + alpha * np.eye(len(scatter))

    whole = metric_of_scatter(with_ridge(S) if alpha > 0 else S, noise, poor)
    if alpha == 0 or whole.condition <= _LARGE_RIDGE:
        return whole
    plain = metric_of_scatter(S, noise, poor)
    return _on_range(plain, whole, lambda Q: metric_of_scatter(with_ridge(Q.T @ S @ Q)))


def ridge_metric_of_factor(R: Array, alpha: float, noise: Array | None) -> Metric:
    """The metric of R′R + αI from the triangular factor R."""

    def with_ridge(factor: Array) -> Array:
        return np.vstack([factor, np.sqrt(alpha) * np.eye(factor.shape[1])])

    whole = metric_of_factor(with_ridge(R) if alpha > 0 else R, noise)
    if alpha == 0 or whole.condition <= _LARGE_RIDGE:
        return whole
    return _on_range(metric_of_factor(R, noise), whole, lambda Q: metric_of_factor(with_ridge(R @ Q)))


def _on_range(plain: Metric, whole: Metric, inner_of: Callable[[Array], Metric]) -> Metric:
    """The metric of the range of the plain one; the whole one where that is all directions."""
    n_null = plain.null.shape[1]
    if not n_null:
        return whole
    basis = np.linalg.qr(plain.null, mode="complete")[0][:, n_null:]
    inner = inner_of(basis)
    return RidgeMetric(whole.rank, whole.null, inner.condition, inner.resolution, basis, inner)
