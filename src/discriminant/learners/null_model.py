"""The likelihood of intercepts alone, beside which the likelihood of a model is judged.

Without offsets the best intercepts give every row the shares of the classes: −Σ_k n_k log(n_k/n).
"""

from dataclasses import replace
from typing import Any

import numpy as np

from discriminant.optimise.profile import free_minimum
from discriminant.statistics.scaling import ColumnScaling
from discriminant.statistics.source_risk import SourceRisk


def null_deviance(risk: Any) -> float:
    """−2 log-likelihood of intercepts alone; of no weight at all where a criterion has no intercept."""
    if not risk.has_intercept:
        return 2.0 * float(risk.value_and_gradient(np.zeros(risk.n_weights))[0])
    if risk.offset is not None:
        return 2.0 * _least_beside_offsets(getattr(risk, "plain", risk))
    if isinstance(risk, SourceRisk):
        totals = risk.class_weights
    else:
        totals = np.bincount(risk.rows.codes, risk.rows.weights, risk.rows.classes.size).astype(np.float64)
    totals = totals[totals > 0]
    return -2.0 * float(totals @ np.log(totals / totals.sum()))


def _least_beside_offsets(risk: Any) -> float:
    """The criterion of the same labels and offsets with one column of zeros, at the best intercepts."""
    nothing = np.zeros((risk.rows.n_rows, 1))
    rows = replace(risk.rows, matrix=nothing, names=None)
    alone = replace(risk, rows=rows, penalty=0.0, given_scaling=ColumnScaling.centring(nothing, np.zeros(1)))
    free = np.zeros(alone.shape, dtype=bool)
    free[..., -1] = True
    return free_minimum(alone, np.zeros(alone.n_weights), free.ravel())
