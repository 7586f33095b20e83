"""Newton's method with a Hessian that is made anew only where that saves passes over the rows.

    p = −B∇F,    B the inverse of a Hessian of an earlier point, or of some rows, and of what gradients have shown

A step costs one pass, a Hessian several. With the Hessian of this very point the next step is smaller by a factor of
about the size of this one (Newton's method squares it); with the old one by the factor that the last step has shown.
Whichever of the two ends sooner, counted in passes, is taken.
"""

import numpy as np
from numpy.typing import NDArray

from discriminant.linalg.metric import metric_of_scatter
from discriminant.optimise.newton import Iteration, QuasiNewtonSteps, Solve
from discriminant.statistics.margin_risk import MarginRisk
from discriminant.statistics.penalised_risk import PenalisedRisk

Array = NDArray[np.float64]

# Passes in the time of a Hessian, measured on tables of 20 to 500 columns: of dense rows, and more for each weight, of
# few rows less, as a step has its own cost there; of rows whose entries are multiplied pair by pair, for each entry.
_OF_DENSE, _OF_FEW, _OF_A_WEIGHT = 2.7, 1.0, 0.04
_OF_CURVATURES, _OF_AN_ENTRY = 0.5, 0.13
_SHRINKS_BY = 4.0  # times its size a step with its own Hessian makes the next one, in units of a score
_SLOWEST = 0.5  # the same of steps so long that this says nothing
_HARDLY_SMALLER = 0.95
_DOUBT = 10.0  # of the size of a step by an old Hessian, where the curvature may have died away since


def hessian_in_passes(risk: PenalisedRisk) -> float:
    """How many passes over the rows take as long as one Hessian."""
    rows = risk.scaled_rows
    if rows.has_few_entries:
        entries = float(rows.matrix.nnz / rows.matrix.shape[0])
        return _OF_CURVATURES + _OF_AN_ENTRY * (entries + 1.0)
    few = isinstance(risk, MarginRisk) and risk.few is not None
    return (_OF_FEW if few else _OF_DENSE) + _OF_A_WEIGHT * risk.n_weights


class LaggedNewtonSteps:
    """The step at a point; ``start`` is the inverse of a Hessian of some of the rows, if there is one."""

    def __init__(self, risk: PenalisedRisk, start: Solve | None = None) -> None:
        self._passes = hessian_in_passes(risk)
        self._steps = None if start is None else QuasiNewtonSteps(start)
        self._before = np.inf  # the size of the last step

    def __call__(self, at: Iteration) -> Array:
        """With the old Hessian, or with a new one if that ends sooner."""
        step = self._old_step(at)
        if step is None:
            at.hessian = at.risk.hessian(at.u)
            metric = metric_of_scatter(at.hessian)
            at.deficient, at.doubt = metric.null.shape[1] > 0, 1.0
            self._steps = QuasiNewtonSteps(metric.solve)
            step = self._steps(at)
            self._before = _size(step, at)
        return step

    def _old_step(self, at: Iteration) -> Array | None:
        """The step with the old Hessian, None where it would take too long."""
        if self._steps is None:
            return None
        step = self._steps(at)
        size, enough = _size(step, at), at.tolerance / _DOUBT
        if size > enough and np.isfinite(self._before) and self._is_slow(size, enough):
            return None
        at.hessian, at.doubt, self._before = None, _DOUBT, size
        return step

    def _is_slow(self, size: float, enough: float) -> bool:
        """Whether the steps to come, each smaller than the last as this one is, take longer than with a new Hessian."""
        fall, share = np.log(size / enough), size / max(self._before, 1e-300)
        if share >= _HARDLY_SMALLER:
            return True
        anew = self._passes + fall / -np.log(min(_SLOWEST, _SHRINKS_BY * size))
        return bool(anew < fall / -np.log(share))


def _size(step: Array, at: Iteration) -> float:
    """λ of a step."""
    return float(np.sqrt(max(-float(step @ at.gradient), 0.0) / at.risk.total_weight))
