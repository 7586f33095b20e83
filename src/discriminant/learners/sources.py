"""What learners of smooth criteria do with rows that stay where they are: criterion and findings by sums over them."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.learners.class_weights import class_factors, refuse_one_weighed, weighed_by_class
from discriminant.learners.diagnosis import Shape
from discriminant.learners.moment_backends import Evidence, MomentEvidence
from discriminant.losses import LOGISTIC
from discriminant.optimise.passes import risk_of_source
from discriminant.rows import ArrayRows, Rows, in_memory
from discriminant.rows.views import ChangedRows, ReweightedClasses
from discriminant.statistics.moments import ClassMoments
from discriminant.statistics.overview import MOST_SCATTER_COLUMNS, FirstPass, Overview
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


def weighed_source(rows: Rows, class_weight: Any) -> tuple[NDArray[Any] | None, Rows]:
    """(classes, rows) with weights of classes: all classes where some have no weight, else None.

    Over a source "balanced" and weights of classes take a pass that counts them.
    """
    if class_weight is None:
        return None, rows
    if not isinstance(rows, ArrayRows):
        overview = FirstPass.over(rows)
        factors = class_factors(overview.classes, overview.class_weights, class_weight)
        if not factors.all():
            raise ValueError("a class_weight of 0 is for tables in memory; leave rows of the class out of the source")
        return None, ChangedRows(rows, ReweightedClasses(overview.classes, factors))
    weighed = weighed_by_class(rows, class_weight)
    refuse_one_weighed(weighed.classes, rows.classes)
    return (None if weighed.classes.size == rows.classes.size else rows.classes), weighed


def weighed_part(rows: Rows, class_weight: Any) -> Rows:
    """Rows that are added to others, with the weights of their classes."""
    if class_weight is None:
        return rows
    if isinstance(class_weight, str):
        raise ValueError("class_weight='balanced' needs all rows at once; give a mapping of classes to weights instead")
    own = in_memory(rows, "class_weight of rows that are added")
    present = own.classes.tolist()
    named = {label: weight for label, weight in class_weight.items() if label in present}
    if any(not weight for weight in named.values()):
        raise ValueError("a class_weight of 0 is for fit; leave the rows of the class out of partial_fit")
    return weighed_by_class(own, named)


def regression_evidence(risk: SourceRisk, names: tuple[str, ...] | None) -> Evidence | None:
    """Class moments of all rows, by which columns are told that determine one another; None of too many columns."""
    overview = risk.overview
    moments = overview.moments
    if overview.n_columns > MOST_SCATTER_COLUMNS:
        return None
    if moments is None:  # of sparse rows the first pass has not summed them
        moments = risk.source.fold(partial(ClassMoments.of_rows, per_class=False))
    return MomentEvidence(moments, Shape(names, overview.n_rows, overview.class_rows, overview.float32), risk.source)
