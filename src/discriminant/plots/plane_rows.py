"""Labelled rows of two columns, and the look of each class among them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.plots.canvas import CLASS_COLOURS, CLASS_MARKERS
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import dense_block

Array = NDArray[np.float64]


def two_columns(rows: ArrayRows) -> Array:
    """The rows as points of the plane."""
    if rows.n_columns != 2:
        raise ValueError(f"a line is drawn in a plane: X must have two columns, got {rows.n_columns}")
    rows.refuse_non_finite()
    return dense_block(rows.matrix, 0, rows.n_rows)


def places_among(rows: ArrayRows, classes: Any) -> NDArray[np.intp]:
    """The place of each row's class among the model's classes."""
    labels = np.asarray(classes).tolist()
    unknown = [label for label in rows.classes.tolist() if label not in labels]
    if unknown:
        raise ValueError(f"y holds class {unknown[0]!r}, which is not among the classes {labels} of the model")
    return np.array([labels.index(label) for label in rows.classes.tolist()], dtype=np.intp)[rows.codes]


def colour_of_class(k: int) -> str:
    """The colour of the k-th class; colours come again."""
    return CLASS_COLOURS[k % len(CLASS_COLOURS)]


def marker_of_class(k: int) -> str:
    """The marker of the k-th class; markers come again."""
    return CLASS_MARKERS[k % len(CLASS_MARKERS)]


def row_size(n_rows: int) -> float:
    """The area of a marker: smaller where there are many."""
    return float(np.clip(8000 / n_rows, 6, 45))
