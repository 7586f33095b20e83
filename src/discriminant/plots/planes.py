"""The plane between two classes of a fitted linear model, for pictures of it."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discriminant.multiclass.planes import class_planes
from discriminant.plots.models import columns_of_last_step, last_step
from discriminant.plots.scores import checked_classifier
from discriminant.rows.matrix import Matrix, column_labels, read_matrix

Array = NDArray[np.float64]


class PlaneBetween(NamedTuple):
    """w·x > θ speaks for ``positive``."""

    negative: Any
    positive: Any
    w: Array
    theta: float


def plane_between(model: Any, pair: Any = None) -> PlaneBetween:
    """The plane between a pair of classes (negative, positive); without a pair, between the only two."""
    classes = checked_classifier(model)
    labels, W, b = class_planes(last_step(model))
    if pair is None:
        if len(classes) != 2:
            raise ValueError(
                f"{type(last_step(model)).__name__} tells {len(classes)} classes apart, {classes[:6]}; the picture is "
                "of two: say which with pair=(negative, positive)"
            )
        pair = classes
    if isinstance(pair, str) or len(pair) != 2 or pair[0] == pair[1]:
        raise ValueError(f"pair must be two different classes (negative, positive), got {pair!r}")
    unknown = [label for label in pair if label not in labels]
    if unknown:
        raise ValueError(f"{unknown[0]!r} of pair is not one of the classes {labels} of the model")
    i, j = (labels.index(label) for label in pair)
    return PlaneBetween(labels[i], labels[j], W[j] - W[i], float(b[i] - b[j]))


def columns_seen(model: Any, X: Any, d: int) -> tuple[Matrix, list[str]]:
    """The columns the plane is over, and their names."""
    seen = columns_of_last_step(model, X)
    matrix = read_matrix(seen)
    if matrix.shape[1] != d:
        raise ValueError(f"X gives {matrix.shape[1]} columns, but the model was fitted to {d}")
    names = column_labels(seen)
    if names is None:
        names = _names_made(model, X)
    return matrix, [_column_name(j + 1) for j in range(d)] if names is None or len(names) != d else list(names)


def _column_name(number: int) -> str:
    """Letters, not a formula: names of columns are shown as they are."""
    return "x" + str(number).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


def _names_made(model: Any, X: Any) -> tuple[str, ...] | None:
    """The names that the steps before the last give to columns of a table with names."""
    if last_step(model) is model or column_labels(X) is None:
        return None
    try:
        return tuple(str(name) for name in model[:-1].get_feature_names_out())
    except (AttributeError, ValueError):
        return None
