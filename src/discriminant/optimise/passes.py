"""A smooth criterion of rows that stay where they are, minimised in few passes over them.

The first pass, made already, gives coordinates and a sample of the rows. The minimum of the sample is where to start,
and its Hessian a first curvature; every further pass is a step of the one Newton method, or of the quasi-Newton one
where Hessians of all rows would take more work than reading them.
"""

import numpy as np
from numpy.typing import NDArray

from discriminant.optimise.newton import Iteration, Solve
from discriminant.optimise.rare_columns import without_rare_columns
from discriminant.optimise.smooth import MOST_HESSIAN_WEIGHTS, descend, start_from_sample
from discriminant.rows import Rows
from discriminant.statistics.overview import Overview
from discriminant.statistics.source_risk import BlockCriterion, SourceRisk

Array = NDArray[np.float64]

_SETTLED = 1e-9  # change of a typical score, and so of the curvature, that the last step may bring
_HESSIAN_WORK = 256  # multiplications for each number of a row, which take about as long as to decode it


def risk_of_source(
    source: Rows, overview: Overview, *, loss: str, penalty: float = 0.0, class_factor: Array | None = None
) -> SourceRisk:
    """The criterion of all rows of a source, in coordinates that the first pass gave."""
    scaling = overview.scaling(penalty)
    criterion = BlockCriterion(overview.classes, class_factor, loss, scaling)
    sample = without_rare_columns(overview.weighed_sample(), scaling.centre)
    newton = _gives_hessian(criterion)
    return SourceRisk(source, overview, criterion, sample, penalty, newton)


def minimise_by_passes(risk: SourceRisk, *, tolerance: float, max_iterations: int) -> Iteration:
    """The minimum of the criterion of a source."""
    u, deficient = np.zeros(risk.n_weights), False
    curvature: Solve | None = None
    if risk.n_weights <= MOST_HESSIAN_WEIGHTS:
        u, curvature, deficient = start_from_sample(risk, risk.sample.n_rows, None)
    at = Iteration(risk, u, tolerance, max_iterations, "newton" if risk.newton else "quasi-newton", deficient)
    descend(at, curvature)
    if at.step_left <= _SETTLED:
        risk.settle(at.u)
    return at


def _gives_hessian(criterion: BlockCriterion) -> bool:
    """Whether the Hessian of a row takes little work beside reading the row, so that it is worth its fewer passes."""
    K, d = criterion.n_planes, criterion.scaling.scale.size
    blocks = K * (K + 1) if criterion.is_multinomial else K  # of d×d numbers
    return blocks * d <= _HESSIAN_WORK and K * (d + 1) <= MOST_HESSIAN_WEIGHTS
