"""Firth's criterion: the likelihood times the root of its own information, which has a maximum for any data.

    F*(u) = F(u) − ½ log det I(u),   I = ∇²F = Σ h z z′,   h = ω p(1 − p)
    ∇F* = ∇F − Σ l (½ − p) z,        l = h z′I⁻¹z    (the leverages)

The penalty takes the first-order bias out of the estimates (Firth 1993), and keeps them finite where classes are
separable (Heinze and Schemper 2002). I itself serves as Hessian.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.linalg.metric import CholeskyMetric, Metric, metric_of_scatter
from discriminant.statistics.margin_risk import MarginRisk
from discriminant.statistics.scaling import FramedRows

Array = NDArray[np.float64]


@dataclass(frozen=True)
class FirthRisk:
    """F* of a logistic `MarginRisk`."""

    plain: MarginRisk

    @property
    def rows(self) -> Any:
        """The rows it is a sum over."""
        return self.plain.rows

    @property
    def frame(self) -> Any:
        """The coordinates of the weights."""
        return self.plain.frame

    @property
    def n_weights(self) -> int:
        """d + 1."""
        return self.plain.n_weights

    @property
    def total_weight(self) -> float:
        """Σω."""
        return self.plain.total_weight

    def to_user(self, u: Array) -> Array:
        """Weights in the units of the columns."""
        return self.plain.to_user(u)

    def from_user(self, v: Array) -> Array:
        """Weights of the frame."""
        return self.plain.from_user(v)

    def value_and_gradient(self, u: Array) -> tuple[float, Array]:
        """F* and ∇F*."""
        value, gradient = self.plain.value_and_gradient(u)
        information = self.plain.hessian(u)
        if not np.isfinite(information).all():
            return np.inf, gradient
        metric = metric_of_scatter(information)
        return value - 0.5 * _log_determinant(information, metric), gradient - self._pull_of_information(u, metric)

    def _pull_of_information(self, u: Array, metric: Metric) -> Array:
        """Σ l (½ − p) z."""
        h = self.plain.curvatures(u)
        lean = -0.5 * np.tanh(self.plain.scores(u) / 2)  # ½ − p, without cancellation
        frame = self.plain.frame

        def add(total: Array, a: int, b: int, X: Array) -> None:
            Z = np.column_stack([(X - frame.shift) / frame.scale, np.ones(b - a)])
            leverages = h[a:b] * (metric.half(Z.T) ** 2).sum(axis=0)
            total += Z.T @ (leverages * lean[a:b])

        return np.asarray(np.sum(FramedRows(self.rows, frame).fold_dense(lambda: np.zeros(u.size), add), axis=0))

    def hessian(self, u: Array) -> Array:
        """I, near enough to ∇²F*."""
        return self.plain.hessian(u)

    def products(self, u: Array) -> Callable[[Array], Array]:
        """v ↦ I·v."""
        return self.plain.products(u)

    def diagonal(self, u: Array) -> Array:
        """The diagonal of I."""
        return self.plain.diagonal(u)

    def of_sample(self, n_rows: int) -> "FirthRisk":
        """The criterion estimated from some rows."""
        return FirthRisk(self.plain.of_sample(n_rows))


def _log_determinant(information: Array, metric: Metric) -> float:
    """log det I on its range, which is the same for all weights: that of the rows."""
    if isinstance(metric, CholeskyMetric):
        return float(2 * (np.log(np.diagonal(metric.lower)).sum() + np.log(metric.scale).sum()))
    return float(np.log(np.linalg.eigvalsh(information)[len(information) - metric.rank :]).sum())
