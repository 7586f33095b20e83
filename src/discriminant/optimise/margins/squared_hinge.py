"""The soft slab with the squared hinge loss, by a method for smooth criteria.

min over w, b:  ½‖w‖² + Σ u max(0, 1 − m)²,      m = c(w·x + b),   u = C ω;      α = 2u max(0, 1 − m)
"""

import numpy as np
from numpy.typing import NDArray

from discriminant.losses import SQUARED_HINGE
from discriminant.optimise.centred_rows import CentredRows
from discriminant.optimise.margins.slab import SlabLoss, SlabOptimum, certify
from discriminant.optimise.newton import Iteration
from discriminant.optimise.smooth import minimise
from discriminant.optimise.subspace_rows import SubspaceRows
from discriminant.rows import ArrayRows
from discriminant.statistics.margin_risk import MarginRisk

Array = NDArray[np.float64]

_TIGHTEST = 1e-10
_SAFETY = 0.1
_NEAREST = 1e-8  # a gap that costs little more than a larger one


def squared_hinge(
    rows: ArrayRows,
    sign: NDArray[np.int8],
    C: float,
    u: Array,
    *,
    method: str,
    max_iterations: int,
    tolerance: float = 0.0,
) -> SlabOptimum:
    """The optimum of rows with signs c and u = C ω, to a duality gap of ``tolerance``, relative.

    A score still to be changed by λ leaves a gradient of up to nλ, and the gap is half the square of that beside an
    objective of the order of n. Where it is smaller (rows all but outside the slab), λ is made as small as it will go.
    """
    subspace = SubspaceRows.of_wide(rows)
    risk = MarginRisk(subspace.in_place_of(rows) if subspace else rows, sign, SQUARED_HINGE, penalty=1.0 / C)
    loose = max(_SAFETY * float(np.sqrt(tolerance / rows.total_weight)), _TIGHTEST)

    def optimum(start: Array | None, precision: float) -> tuple[Iteration, SlabOptimum]:
        found = minimise(
            risk,
            start=start,
            method=method,
            tolerance=precision,
            max_iterations=max_iterations,
            gap=min(_SAFETY * tolerance, _NEAREST),
        )
        plane = subspace.to_user(found.weights) if subspace else found.weights
        return found, _certify(rows, sign, u, plane, found.n_iterations)

    minimum, found = optimum(None, loose)
    if abs(found.gap) <= tolerance or loose == _TIGHTEST:
        return found
    return optimum(minimum.weights, _TIGHTEST)[1]


def _certify(rows: ArrayRows, sign: NDArray[np.int8], u: Array, weights: Array, n_iterations: int) -> SlabOptimum:
    centred, c = CentredRows.of(rows), sign.astype(np.float64)
    plane = centred.centred_plane(weights[:-1], weights[-1])
    alpha = 2.0 * u * np.maximum(0.0, 1.0 - c * centred.scores(plane))
    return certify(centred, c, SlabLoss(u, squared=True), plane, alpha, n_iterations)
