"""What learners of smooth criteria do with rows that stay where they are: criterion and findings by sums over them."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.learners.class_weights import class_factors
from discriminant.learners.diagnosis import Shape
from discriminant.learners.moment_backends import Evidence, MomentEvidence
from discriminant.losses import LOGISTIC
from discriminant.optimise.passes import risk_of_source
from discriminant.rows import Rows
from discriminant.statistics.moments import ClassMoments
from discriminant.statistics.overview import MOST_SCATTER_COLUMNS, Overview
from discriminant.statistics.source_risk import SourceRisk


def logistic_risk_of_source(source: Rows, overview: Overview, alpha: float, class_weight: Any) -> SourceRisk:
    """The criterion of logistic regression over all rows of a source."""
    return risk_of_source(
        source,
        overview,
        loss=LOGISTIC.name,
        penalty=alpha,
        class_factor=source_class_factors(overview, class_weight),
    )


def source_class_factors(overview: Overview, class_weight: Any) -> NDArray[np.float64] | None:
    """What the weights of rows of each class are multiplied by; None where that is 1."""
    if class_weight is None:
        return None
    return class_factors(overview.classes, overview.class_weights, class_weight)


def regression_evidence(risk: SourceRisk, names: tuple[str, ...] | None) -> Evidence | None:
    """Class moments of all rows, by which columns are told that determine one another; None of too many columns."""
    overview = risk.overview
    moments = overview.moments
    if overview.n_columns > MOST_SCATTER_COLUMNS:
        return None
    if moments is None:  # of sparse rows the first pass has not summed them
        moments = risk.source.fold(partial(ClassMoments.of_rows, per_class=False))
    return MomentEvidence(moments, Shape(names, overview.n_rows, overview.class_rows, overview.float32), risk.source)
