"""The regions of classes in the plane, exactly: polygons, and the pieces of lines that bound them.

With scores s_k(x) = w_k·x + b_k the region of class k is an intersection of half-planes,

    C_k = {x : (w_k − w_j)·x ≥ b_j − b_k for all j},

so it is convex, and cutting the box by one half-plane after another gives its corners. Each edge remembers the class
whose half-plane made it. Corners are right up to rounding; coordinates are measured in the box, so that the units of
the columns do not matter.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discriminant.multiclass.planes import class_planes
from discriminant.parameters import real_array

Array = NDArray[np.float64]
Edges = NDArray[np.intp]

EPS = float(np.finfo(np.float64).eps)

_OUTER = -1  # the other side of an edge of the box
_NOWHERE = np.empty((0, 2)), np.empty(0, dtype=np.intp)
_SHORTEST = 64 * EPS  # beside the box; a shorter edge is one corner
_FAR = 1e3  # a box of so many scales shows where regions meet


class Piece(NamedTuple):
    """The part of the line between classes ``a`` and ``b`` that is boundary."""

    a: Any
    b: Any
    start: Array
    end: Array


@dataclass(frozen=True, eq=False)
class DecisionCells:
    """The region of each class inside a box.

    cells : the corners of each class's polygon, counter-clockwise (m×2); none where the class never wins in the box.
    pieces : the boundary, piece by piece.
    box : ((left, right), (bottom, top)).
    """

    cells: dict[Any, Array]
    pieces: list[Piece]
    box: tuple[tuple[float, float], tuple[float, float]]

    @property
    def areas(self) -> dict[Any, float]:
        """The area of each cell; together that of the box."""
        return {label: polygon_area(corners) for label, corners in self.cells.items()}


def decision_cells(model: Any, box: Any = None) -> DecisionCells:
    """The cells of a fitted linear classifier of two columns, with one score for each class.

    Parameters
    ----------
    model : any of our learners, `OneVsAll` of a linear learner, or a linear classifier of scikit-learn.
    box : ((left, right), (bottom, top)); None takes one around the points where regions meet.

    >>> from discriminant import LinearDiscriminantAnalysis
    >>> model = LinearDiscriminantAnalysis().fit([[0, 0], [1, 1], [0, 1], [3, 0], [4, 1], [3, 1]], list("aaabbb"))
    >>> found = decision_cells(model, ((0, 4), (0, 4)))
    >>> round(sum(found.areas.values()), 9), [(piece.a, piece.b) for piece in found.pieces]
    (16.0, [('a', 'b')])
    """
    labels, W, b = class_planes(model)
    if W.shape[1] != 2:
        raise ValueError(f"cells are drawn in a plane: the model must have two columns, and it has {W.shape[1]}")
    low, span = _natural_box(W, b) if box is None else _read_box(box)
    polygons = _polygons(W, b, low, span)
    cells = {label: low + span * corners for label, (corners, _) in zip(labels, polygons, strict=True)}
    pieces = _pieces(labels, polygons, *_in_box(W, b, low, span), low, span)
    (left, bottom), (right, top) = low.tolist(), (low + span).tolist()
    return DecisionCells(cells, pieces, ((left, right), (bottom, top)))


def polygon_area(corners: Array) -> float:
    """Half the sum of cross products of successive corners, seen from the first."""
    if len(corners) < 3:
        return 0.0
    arms = corners[1:] - corners[0]
    return float(0.5 * (arms[:-1, 0] * arms[1:, 1] - arms[:-1, 1] * arms[1:, 0]).sum())


# --- clipping -------------------------------------------------------------------------------------------


def _in_box(W: Array, b: Array, low: Array, span: Array) -> tuple[Array, Array, Array]:
    """The scores as functions of u in the unit box, x = low + span·u, and what rounding may have done to each."""
    size = np.abs(b) + np.abs(W) @ (np.abs(low) + span)
    return W * span, b + W @ low, 8 * EPS * size


def _polygons(W: Array, b: Array, low: Array, span: Array) -> list[tuple[Array, Edges]]:
    """Corners in the unit box, and the class (or _OUTER) beyond the edge that begins at each corner."""
    scores = _in_box(W, b, low, span)
    return [_polygon(k, *scores) for k in range(len(b))]


def _polygon(k: int, W: Array, b: Array, doubt: Array) -> tuple[Array, Edges]:
    """The unit box, cut by the half-plane it violates most, until it violates none."""
    normals, offsets, slack = W[k] - W, b[k] - b, doubt[k] + doubt
    level = (np.abs(normals).max(axis=1) <= slack) & (np.abs(offsets) <= slack)
    if level[:k].any():  # an earlier class has the same score everywhere, and wins
        return _NOWHERE
    open_cuts = ~level
    corners, edges = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), np.full(4, _OUTER)
    while len(corners):
        depth = np.where(open_cuts, (corners @ normals.T + offsets).min(axis=0) + slack, np.inf)
        j = int((depth / np.maximum(np.abs(normals).sum(axis=1), slack)).argmin())
        if depth[j] >= 0:
            break
        open_cuts[j] = False
        corners, edges = _cut(corners, edges, corners @ normals[j] + offsets[j], slack[j], j)
    return corners, edges


def _cut(corners: Array, edges: Edges, values: Array, slack: float, j: int) -> tuple[Array, Edges]:
    """What is left of a convex polygon where the (linear) values are not negative; the new edge is j's."""
    values = np.where(np.abs(values) <= slack, 0.0, values)
    new_corners, new_edges = [], []
    for t, (p, edge, v) in enumerate(zip(corners, edges, values, strict=True)):
        following = (t + 1) % len(corners)
        q, v_next = corners[following], values[following]
        if v >= 0:
            new_corners.append(p)
            new_edges.append(int(edge))
        if (v < 0) != (v_next < 0):
            new_corners.append(p + (q - p) * (v / (v - v_next)))
            new_edges.append(int(edge) if v < 0 else j)
    return _without_short_edges(np.array(new_corners).reshape(-1, 2), np.array(new_edges, dtype=np.intp))


def _without_short_edges(corners: Array, edges: Edges) -> tuple[Array, Edges]:
    lengths = np.abs(np.roll(corners, -1, axis=0) - corners).max(axis=1, initial=0.0)
    kept = lengths > _SHORTEST
    return (corners[kept], edges[kept]) if kept.sum() >= 3 else _NOWHERE


# --- pieces ---------------------------------------------------------------------------------------------


def _pieces(
    labels: list[Any],
    polygons: list[tuple[Array, Edges]],
    W: Array,
    b: Array,
    doubt: Array,
    low: Array,
    span: Array,
) -> list[Piece]:
    """Each edge inside the box once, with the class that wins beyond it."""
    shown = np.array([len(corners) > 0 for corners, _ in polygons])
    found = []
    for i, (corners, edges) in enumerate(polygons):
        ends = np.roll(corners, -1, axis=0)
        for start, end, edge in zip(corners, ends, edges, strict=True):
            j = int(edge) if edge == _OUTER or shown[edge] else _beyond(i, 0.5 * (start + end), W, b, shown)
            if j > i:
                found.append(Piece(labels[i], labels[j], low + span * start, low + span * end))
    return found


def _beyond(i: int, middle: Array, W: Array, b: Array, shown: NDArray[np.bool_]) -> int:
    """The class beyond an edge made by a class that wins nowhere: the best of those that do."""
    scores = np.where(shown, W @ middle + b, -np.inf)
    scores[i] = -np.inf
    return int(scores.argmax())


# --- boxes ----------------------------------------------------------------------------------------------


def _read_box(box: Any) -> tuple[Array, Array]:
    limits = real_array(box, "box")
    if limits.shape != (2, 2):
        raise ValueError(f"box must be ((left, right), (bottom, top)), got an array of shape {limits.shape}")
    with np.errstate(over="ignore"):
        span = limits[:, 1] - limits[:, 0]
    if not np.isfinite(limits).all() or not (np.isfinite(span) & (span > 0)).all():
        raise ValueError(f"box must have finite limits, left < right and bottom < top, got {limits.tolist()}")
    return limits[:, 0], span


def _natural_box(W: Array, b: Array) -> tuple[Array, Array]:
    """Around the corners where three regions meet; where there are none, around the axes' intercepts of the lines."""
    i, j = np.triu_indices(len(b), 1)
    normals, offsets = W[i] - W[j], np.abs(b[i] - b[j])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        intercepts = offsets[:, None] / np.abs(normals)
    usable = np.isfinite(intercepts) & (intercepts > 0)
    scale = np.array([np.median(c[u]) if u.any() else 1.0 for c, u in zip(intercepts.T, usable.T, strict=True)])
    low, span = -_FAR * scale, 2 * _FAR * scale
    met = [corners[_between(edges)] for corners, edges in _polygons(W, b, low, span)]
    meeting = low + span * np.vstack(met)
    if not len(meeting):
        return -2 * scale, 4 * scale
    least, most = meeting.min(axis=0), meeting.max(axis=0)
    width = np.maximum(most - least, scale)
    return (least + most) / 2 - width, 2 * width


def _between(edges: Edges) -> NDArray[np.bool_]:
    """Which corners lie between two edges that are not the box's."""
    inner = edges != _OUTER
    return np.asarray(inner & np.roll(inner, 1))
