"""Firth's criterion: the likelihood times the root of its own information, which has a maximum for any data.

    F*(u) = F(u) − ½ log det I(u),   I = ∇²F = Σ h z z′,   h = ω p(1 − p)
    ∇F* = ∇F − Σ l (½ − p) z,        l = h z′I⁻¹z    (the leverages)

The penalty takes the first-order bias out of the estimates (Firth 1993), and keeps them finite where classes are
separable (Heinze and Schemper 2002). I itself serves as Hessian.
"""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from discriminant.linalg.metric import CholeskyMetric, Metric, metric_of_scatter
from discriminant.statistics.margin_risk import MarginRisk

Array = NDArray[np.float64]


@dataclass(frozen=True)
class FirthRisk(MarginRisk):
    """F* of the logistic loss without a penalty; its `hessian` is I, near enough to ∇²F*."""

    @property
    def plain(self) -> MarginRisk:
        """The criterion F without Firth's term."""
        return MarginRisk(**{one.name: getattr(self, one.name) for one in fields(MarginRisk)})

    def value_and_gradient(self, u: Array) -> tuple[float, Array]:
        """F* and ∇F*."""
        value, gradient = super().value_and_gradient(u)
        information = self.hessian(u)
        if not np.isfinite(information).all():
            return np.inf, gradient
        metric = metric_of_scatter(information)
        return value - 0.5 * _log_determinant(information, metric), gradient - self._pull_of_information(u, metric)

    def _pull_of_information(self, u: Array, metric: Metric) -> Array:
        """Σ l (½ − p) z."""
        h = self.curvatures(u)
        lean = -0.5 * np.tanh(self.scores(u) / 2)  # ½ − p, without cancellation

        def add(total: Array, a: int, b: int, X: Array) -> None:
            Z = self.scaled_rows.augmented(X)
            leverages = h[a:b] * (metric.half(Z.T) ** 2).sum(axis=0)
            total += Z.T @ (leverages * lean[a:b])

        return np.asarray(np.sum(self.scaled_rows.fold_dense(lambda: np.zeros(u.size), add), axis=0))


def _log_determinant(information: Array, metric: Metric) -> float:
    """log det I on its range, which is the same for all weights: that of the rows."""
    if isinstance(metric, CholeskyMetric):
        return float(2 * (np.log(np.diagonal(metric.lower)).sum() + np.log(metric.scale).sum()))
    return float(np.log(np.linalg.eigvalsh(information)[len(information) - metric.rank :]).sum())
