"""The soft slab with the squared hinge loss, by a method for smooth criteria.

min over w, b:  ½‖w‖² + Σ u max(0, 1 − m)²,      m = c(w·x + b),   u = C ω;      α = 2u max(0, 1 − m)
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.cached import cached_property
from discriminant.optimise.centred_rows import CentredRows
from discriminant.optimise.margins.parabolas import least_of_parabolas
from discriminant.optimise.margins.slab import SlabLoss, SlabOptimum, certify
from discriminant.optimise.margins.soft_slab import SoftSlab
from discriminant.optimise.smooth import has_row_coefficients, minimise, row_coefficients
from discriminant.statistics.margin_risk import MarginRisk
from discriminant.statistics.origin_risk import OriginRisk

Array = NDArray[np.float64]

_TIGHTEST = 1e-10
_SAFETY = 0.1
_NEAREST = 1e-8  # a gap that costs little more than a larger one


def squared_hinge(
    slab: SoftSlab,
    sign: NDArray[np.int8],
    *,
    method: str,
    max_iterations: int,
    tolerance: float = 0.0,
    intercept: bool = True,
) -> SlabOptimum:
    """The optimum of rows with signs c, to a duality gap of ``tolerance``, relative; without ``intercept`` b = 0.

    A score still to be changed by λ leaves a gradient of up to nλ, and the gap is half the square of that beside an
    objective of the order of n. Where it is smaller (rows all but outside the slab), λ is made as small as it will go.
    """
    task = _SquaredSlab(slab, sign, intercept)
    risk = task.risk
    found = task.quickest(method, max_iterations, tolerance)
    if found is not None and (abs(found.gap) <= tolerance or found.n_iterations >= max_iterations):
        return found
    loose = max(_SAFETY * float(np.sqrt(tolerance / slab.rows.total_weight)), _TIGHTEST)

    def optimum(start: Array | None, precision: float) -> tuple[Array, SlabOptimum]:
        found = minimise(risk, start=start, method=method, tolerance=precision, max_iterations=max_iterations)
        return found.weights, task.certify(found.weights, found.n_iterations)

    if found is None or task.few is not None:
        weights, found = optimum(None, loose)
        if abs(found.gap) <= tolerance or loose == _TIGHTEST:
            return found
    else:
        weights = np.append(found.w, found.b)
    return optimum(weights, _TIGHTEST)[1]


@dataclass(frozen=True)
class _SquaredSlab:
    """A slab with signs c, whose intercept is free or held at zero."""

    slab: SoftSlab
    sign: NDArray[np.int8]
    intercept: bool

    @cached_property
    def risk(self) -> MarginRisk | OriginRisk:
        """The criterion divided by C."""
        return self.slab.squared_risk(self.sign) if self.intercept else self.slab.origin_risk(self.sign)

    @property
    def few(self) -> Array | None:
        """(z, 1) of rows that are few."""
        return self.risk.few if isinstance(self.risk, MarginRisk) else None

    def quickest(self, method: str, max_iterations: int, tolerance: float) -> SlabOptimum | None:
        """The optimum of few rows, or of wide sparse ones; None of others, and where rounding is in the way."""
        risk = self.risk
        if method == "auto" and isinstance(risk, MarginRisk) and risk.few is not None:
            bottom = least_of_parabolas(risk.few, risk.sign, risk.rows.weight, risk.ridge, max_iterations)
            return None if bottom is None else self.certify(risk.to_user(bottom.u), bottom.n_iterations)
        if method in ("auto", "truncated-newton") and has_row_coefficients(risk):
            found = row_coefficients(risk, 0.0, max_iterations, min(_SAFETY * tolerance, _NEAREST))
            return None if found.lost else self.certify(found.weights, found.n_iterations)
        return None

    def certify(self, weights: Array, n_iterations: int) -> SlabOptimum:
        """The plane of weights of the criterion, with its proof."""
        slab, c = self.slab, self.sign.astype(np.float64)
        centred = slab.centred if self.intercept else CentredRows.about_origin(slab.rows.matrix)
        weights = slab.subspace.to_user(weights) if slab.subspace else weights
        plane = centred.centred_plane(weights[:-1], weights[-1])
        alpha = 2.0 * slab.u * np.maximum(0.0, 1.0 - c * centred.scores(plane))
        return certify(centred, c, SlabLoss(slab.u, squared=True), plane, alpha, n_iterations, self.intercept)
