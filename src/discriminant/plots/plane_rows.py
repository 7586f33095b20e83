"""Labelled rows of two columns, and the look of each class among them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discriminant.plots.canvas import CLASS_COLOURS, CLASS_MARKERS, INK, window
from discriminant.plots.models import table_like
from discriminant.rows import ArrayRows, from_arrays
from discriminant.rows.matrix import dense_block

Array = NDArray[np.float64]


class PlaneRows(NamedTuple):
    """Rows as points of the plane, with places among the model's classes, and a grid around them, as a table like X."""

    rows: ArrayRows
    points: Array
    codes: NDArray[np.intp]
    across: Array
    up: Array
    grid: Any


def read_plane(model: Any, X: Any, y: Any, resolution: int) -> PlaneRows:
    """The rows of two columns, and so many points along each side of the grid."""
    if resolution < 2:
        raise ValueError(f"resolution must be at least 2, got {resolution!r}")
    rows = from_arrays(X, y)
    points, codes = two_columns(rows), _places_among(rows, model.classes_)
    across, up = window(points, resolution)
    grid = table_like(X, np.column_stack([part.ravel() for part in np.meshgrid(across, up)]))
    return PlaneRows(rows, points, codes, across, up, grid)


def two_columns(rows: ArrayRows) -> Array:
    """The rows as points of the plane."""
    if rows.n_columns != 2:
        raise ValueError(f"a line is drawn in a plane: X must have two columns, got {rows.n_columns}")
    rows.refuse_non_finite()
    return dense_block(rows.matrix, 0, rows.n_rows)


def _places_among(rows: ArrayRows, classes: Any) -> NDArray[np.intp]:
    """The place of each row's class among the model's classes."""
    labels = np.asarray(classes).tolist()
    unknown = [label for label in rows.classes.tolist() if label not in labels]
    if unknown:
        raise ValueError(f"y holds class {unknown[0]!r}, which is not among the classes {labels} of the model")
    return np.array([labels.index(label) for label in rows.classes.tolist()], dtype=np.intp)[rows.codes]


def draw_rows(ax: Any, points: Array, codes: NDArray[Any], labels: Sequence[str]) -> list[Any]:
    """Each class in its colour and with its marker."""
    size = row_size(len(points))
    looks = [
        {"color": colour_of_class(k), "marker": marker_of_class(k), "label": labels[k]} for k in range(len(labels))
    ]
    style = {"s": size, "edgecolor": INK, "linewidth": 0.5, "zorder": 3}
    return [ax.scatter(*points[codes == k].T, **style, **look) for k, look in enumerate(looks)]


def ring_rows(ax: Any, points: Array, chosen: NDArray[Any], label: str | None) -> Any:
    """Rings around some of the rows."""
    style = {"facecolor": "none", "edgecolor": INK, "linewidth": 1.3, "zorder": 4}
    return ax.scatter(*points[chosen].T, s=2.5 * row_size(len(points)) + 20, label=label, **style)


def colour_of_class(k: int) -> str:
    """The colour of the k-th class; colours come again."""
    return CLASS_COLOURS[k % len(CLASS_COLOURS)]


def marker_of_class(k: int) -> str:
    """The marker of the k-th class; markers come again."""
    return CLASS_MARKERS[k % len(CLASS_MARKERS)]


def row_size(n_rows: int) -> float:
    """The area of a marker: smaller where there are many."""
    return float(np.clip(8000 / n_rows, 6, 45))
