"""Weights of classes: ω of a row multiplied by the weight of its class."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from discriminant.parameters import read_penalty
from discriminant.rows import ArrayRows, Rows, in_memory
from discriminant.rows.views import ChangedRows, ReweightedClasses
from discriminant.statistics.overview import FirstPass

Array = NDArray[np.float64]

ClassWeight = Mapping[Any, float] | Literal["balanced"] | None


def weighed_by_class(rows: ArrayRows, class_weight: Any) -> ArrayRows:
    """The rows with weights multiplied by a mapping of classes to weights (1 if not named), or by "balanced".

    "balanced" gives every class the same total: n/(K n_k), with n and n_k the weights of all rows and of the class.
    Rows of a class of weight 0 are left out, and the class with them.
    """
    if class_weight is None:
        return rows
    totals = np.asarray(np.bincount(rows.codes, rows.weights, rows.classes.size), np.float64)
    factors = class_factors(rows.classes, totals, class_weight)
    if factors.all():
        return rows.reweighed(factors[rows.codes])
    rows = rows.take(np.flatnonzero(factors[rows.codes] > 0))
    return rows.reweighed(factors[factors > 0][rows.codes])


def class_factors(classes: NDArray[Any], totals: Array, class_weight: Any) -> Array:
    """The factor of each class, from the weight of its rows."""
    if _is_balanced(class_weight):
        return np.asarray(totals.sum() / (classes.size * totals))
    return _given(classes.tolist(), class_weight)


def check_class_weight(class_weight: Any) -> None:
    """Refuse what is neither None, "balanced" nor a mapping."""
    if class_weight is not None and not _is_balanced(class_weight) and not isinstance(class_weight, Mapping):
        raise ValueError(
            f"class_weight must be None, 'balanced' or a mapping of classes to weights, got {class_weight!r}"
        )


def learns_in_parts(model: Any) -> bool:
    """Whether rows may come in parts; for `available_if`, so that ``partial_fit`` is there only where it can work."""
    if _is_balanced(getattr(model, "class_weight", None)):
        raise AttributeError(
            "class_weight='balanced' needs all rows at once; give a mapping of classes to weights instead"
        )
    if getattr(model, "covariance_estimator", None) is not None:
        raise AttributeError("covariance_estimator needs all rows at once; use fit, or shrinkage in its place")
    return True


def has_zero(class_weight: Any) -> bool:
    """Whether some class is given no weight."""
    return isinstance(class_weight, Mapping) and any(not weight for weight in class_weight.values())


def _is_balanced(class_weight: Any) -> bool:
    return isinstance(class_weight, str) and class_weight == "balanced"


def _given(labels: list[Any], class_weight: Mapping[Any, Any]) -> Array:
    unknown = [label for label in class_weight if label not in labels]
    if unknown:
        raise ValueError(f"class_weight names class {unknown[0]!r}, which has no rows; the classes are {labels}")
    return np.array([read_penalty(class_weight.get(k, 1.0), f"the class_weight of {k!r}") for k in labels])


def refuse_one_weighed(classes: NDArray[Any], every: NDArray[Any]) -> None:
    """A classifier needs two classes whose rows count."""
    if classes.size < 2:
        left = [label for label in every.tolist() if label not in classes.tolist()]
        raise ValueError(
            f"class_weight is 0 for {left}, which leaves one class only ({classes.tolist()[0]!r}); a classifier needs "
            "rows of two classes that count"
        )


def weighed_source(rows: Rows, class_weight: Any) -> tuple[NDArray[Any] | None, Rows]:
    """(classes, rows) with weights of classes: all classes where some have no weight, else None.

    Over a source "balanced" and weights of classes take a pass that counts them.
    """
    check_class_weight(class_weight)
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
    check_class_weight(class_weight)
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
