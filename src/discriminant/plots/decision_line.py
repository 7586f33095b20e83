"""Rows in the plane, the line w·x = θ between their classes, and how learning got there."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.utils.validation import check_is_fitted

from discriminant.hyperplane import Hyperplane
from discriminant.learners.base import linear_scores
from discriminant.optimise.traces import Trace
from discriminant.plots.canvas import (
    BLUE,
    FAINT,
    INK,
    ORANGE,
    Display,
    as_text,
    legend_of,
    to_one_scale,
    window,
)
from discriminant.plots.models import columns_of_last_step, last_step
from discriminant.plots.plane_rows import colour_of_class, draw_rows, read_plane, ring_rows
from discriminant.rows.matrix import read_matrix

Array = NDArray[np.float64]

_EARLIER_LINES = 12


@dataclass(kw_only=True, eq=False)
class DecisionLineDisplay(Display):
    """Two columns by class, the boundary, its positive side shaded, the rows it gets wrong ringed.

    Make it with `from_estimator`. After `plot`, ``ax_`` holds the rows, ``axes_`` all panels, ``figure_`` the figure.

    Parameters
    ----------
    points (n×2), codes (n; places in ``classes``), wrong (n), classes : the rows.
    across, up : the coordinates of the grid.
    scores : (up, across) for two classes, positive for the second; (up, across, K) for more, where the largest wins.
    earlier : (m, up, across), the scores of some of the weights before the last, in their order.
    path : the weights (w₁, w₂) from the start to the end, or None.
    names : of the two columns. title : over the rows.
    """

    points: Array
    codes: NDArray[Any]
    wrong: NDArray[np.bool_]
    classes: NDArray[Any]
    across: Array
    up: Array
    scores: Array
    earlier: Array
    path: Array | None
    names: tuple[str, str]
    title: str

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: Any, *, ax: Any = None, trace: bool = True, resolution: int = 200
    ) -> Self:
        """Draw a fitted classifier of two columns, or a pipeline that ends in one, with the rows X, y.

        Parameters
        ----------
        ax : one axes for the rows alone, two for the path of w as well; None makes a figure.
        trace : whether to draw the earlier lines and the path of w, if the model has kept them in ``trace_``.
        resolution : points along each side of the grid the score is worked out on; curved boundaries need it.

        >>> from discriminant import Perceptron
        >>> from matplotlib.figure import Figure
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
        >>> model = Perceptron(shuffle=False).fit(X, y)
        >>> DecisionLineDisplay.from_estimator(model, X, y, ax=Figure().subplots()).plane.w.round(6).tolist()
        [3.0, 2.0]
        """
        check_is_fitted(model)
        if not hasattr(model, "decision_function") or not hasattr(model, "classes_"):
            raise TypeError(f"{type(model).__name__} has no decision_function with classes; a line needs a classifier")
        rows, points, codes, across, up, grid = read_plane(model, X, y, resolution)
        scores = np.asarray(model.decision_function(grid))
        if scores.ndim == 2 and scores.shape[1] != len(model.classes_):
            raise ValueError(
                f"{type(model).__name__} gives {scores.shape[1]} scores for {len(model.classes_)} classes; one each "
                "is needed (decision_function_shape='ovr')"
            )
        kept = _trace_of(model) if trace else None
        earlier = np.empty(0) if kept is None else _earlier_scores(kept, columns_of_last_step(model, grid))
        wrong = np.asarray(model.predict(X)) != rows.classes[rows.codes]
        return cls(
            points=points,
            codes=codes,
            wrong=wrong,
            classes=np.asarray(model.classes_),
            across=across,
            up=up,
            scores=scores.reshape(len(up), len(across), *scores.shape[1:]),
            earlier=earlier.reshape(-1, len(up), len(across)),
            path=kept.w if kept is not None and kept.w.shape[1] == 2 else None,
            names=("$x_1$", "$x_2$") if rows.names is None else (rows.names[0], rows.names[1]),
            title=f"{type(last_step(model)).__name__}: {np.count_nonzero(wrong)} of {len(wrong)} rows wrong",
        ).plot(ax=ax)

    @property
    def plane(self) -> Hyperplane | None:
        """The line between two classes, if the score is linear in x; None where the boundary is curved."""
        return _plane_of(self.across, self.up, self.scores) if self.scores.ndim == 2 else None

    def plot(self, ax: Any = None) -> Self:
        """Draw on one axes, or on two: the rows, and the path of w beside them."""
        beside = self.path if ax is None or np.size(ax) == 2 else None
        self._take_axes(ax, *(((1, 1), (5.6, 5.8)) if beside is None else ((1, 2), (10.0, 5.4))))
        self._shade()
        self._draw_rows()
        self._draw_boundaries()
        if to_one_scale(self.ax_, self.across, self.up):
            self._draw_normal()
        self.ax_.set(xlabel=self.names[0], ylabel=self.names[1], title=self.title)
        legend_of(self.ax_)
        if beside is not None:
            _draw_path(self.axes_[0, 1], beside)
        return self

    # --- the rows ---------------------------------------------------------------------------------------

    def _draw_rows(self) -> None:
        self.rows_ = draw_rows(self.ax_, self.points, self.codes, [as_text(label) for label in self.classes.tolist()])
        self.rings_ = ring_rows(self.ax_, self.points, self.wrong, "wrong" if self.wrong.any() else None)

    def _shade(self) -> None:
        """The positive side; of more than two classes, every side in its colour."""
        sides = {1: self.scores} if self.scores.ndim == 2 else dict(enumerate(_leads(self.scores)))
        for k, lead in sides.items():
            if lead.max() > 0:
                levels = [0.0, lead.max() * 1.01]
                self.ax_.contourf(self.across, self.up, lead, levels=levels, colors=[colour_of_class(k)], alpha=0.15)

    # --- lines ------------------------------------------------------------------------------------------

    def _draw_boundaries(self) -> None:
        strengths = np.linspace(0.15, 0.6, len(self.earlier))
        self.earlier_ = [
            drawn
            for score, strength in zip(self.earlier, strengths, strict=True)
            if (drawn := self._zero_line(score, alpha=strength, width=1.1))
        ]
        if self.earlier_:
            self.ax_.plot([], [], color=INK, alpha=0.4, linewidth=1.1, label="earlier")
        # the last class's boundaries are boundaries of the others too
        scores = [self.scores] if self.scores.ndim == 2 else _leads(self.scores)[:-1]
        self.boundaries_ = [drawn for score in scores if (drawn := self._zero_line(score, width=2.2))]
        if self.boundaries_:
            name = "boundary" if self.plane is None else r"$w \cdot x = \theta$"
            self.ax_.plot([], [], color=INK, linewidth=2.2, label=name)

    def _zero_line(self, score: Array, *, width: float, alpha: float = 1.0) -> Any:
        """The points of score zero; None where there are none in sight."""
        if not score.min() < 0 < score.max():
            return None
        return self.ax_.contour(
            self.across, self.up, score, levels=[0.0], colors=INK, linewidths=width, linestyles="solid", alpha=alpha
        )

    def _draw_normal(self) -> None:
        """w, from the point of the line where it stands clearest of the rows."""
        if self.plane is None:
            return
        arrow = 0.15 * max(np.ptp(self.across), np.ptp(self.up)) * self.plane.w / self.plane.norm
        foot = self._clearest_foot(self.plane, arrow)
        if foot is None:
            return
        style = {"arrowstyle": "-|>", "color": INK, "linewidth": 1.8, "shrinkA": 0, "shrinkB": 0}
        self.ax_.annotate("", xy=foot + arrow, xytext=foot, arrowprops=style, zorder=5)
        self.ax_.annotate("$w$", xy=foot + 1.25 * arrow, ha="center", va="center", fontsize="large", zorder=5)

    def _clearest_foot(self, plane: Hyperplane, arrow: Array) -> Array | None:
        """The point of the line, among those from which the arrow stays in sight, with most room around the arrow."""
        size = np.array([np.ptp(self.across), np.ptp(self.up)])
        middle = np.array([self.across.mean(), self.up.mean()])
        feet = plane.nearest_point(middle) + np.linspace(-1, 1, 81)[:, None] * size.max() * plane.basis()
        places = np.stack([feet + part * arrow for part in (0.3, 0.65, 1.0, 1.3)])
        inside = (np.abs(places[[0, -1]] - middle) < 0.48 * size).all(axis=(0, 2))
        if not inside.any():
            return None
        some = self.points[:: 1 + len(self.points) // 2000]
        room = np.min([cdist(place[inside], some).min(axis=1) for place in places], axis=0)
        # beyond enough room, a place nearer the middle is better than more room
        off = np.linalg.norm(feet[inside] - middle, axis=1)
        return np.asarray(feet[inside][np.argmax(np.minimum(room, 0.07 * size.max()) - 1e-3 * off)])


def _draw_path(ax: Any, path: Array) -> None:
    """Where (w₁, w₂) has been, the later the stronger."""
    size = float(np.clip(4800 / len(path), 4, 24))
    ax.axhline(0, color=FAINT, linewidth=0.8)
    ax.axvline(0, color=FAINT, linewidth=0.8)
    ax.plot(*path.T, color=BLUE, linewidth=size / 24, alpha=0.5)
    ax.plot([], [], color=BLUE, linewidth=1.0, marker="o", markersize=5, label="after each update")
    ax.scatter(*path.T, s=size, color=BLUE, alpha=np.linspace(0.2, 1.0, len(path)), linewidth=0, zorder=2.5)
    ends = {"markeredgecolor": INK, "linestyle": "none", "zorder": 3}
    ax.plot(*path[0], marker="s", color="white", markersize=9, label="start", **ends)
    ax.plot(*path[-1], marker="*", color=ORANGE, markersize=15, label="end", **ends)
    ax.set(xlabel="$w_1$", ylabel="$w_2$", title=f"Path of $w$: {len(path) - 1} updates")
    to_one_scale(ax, *window(path, 2))
    legend_of(ax)


# --- reading --------------------------------------------------------------------------------------------


def _trace_of(model: Any) -> Trace | None:
    """The one course there was between two classes, if it was kept."""
    trace = getattr(last_step(model), "trace_", None)
    return trace if isinstance(trace, Trace) else None


def _earlier_scores(trace: Trace, columns: Any) -> Array:
    """The scores of some weights before the last, evenly over the updates; without the weights that are zero."""
    meaningful = np.flatnonzero(trace.w[:-1].any(axis=1))
    count = min(_EARLIER_LINES, len(meaningful))
    chosen = meaningful[np.linspace(0, len(meaningful) - 1, count).astype(int)]
    return linear_scores(read_matrix(columns), trace.w[chosen], -trace.theta[chosen]).T


def _leads(scores: Array) -> Array:
    """How far each class's score is above the best of the others: (K, up, across)."""
    ranked = np.sort(scores, axis=-1)
    best, second = ranked[..., -1:], ranked[..., -2:-1]
    return np.moveaxis(np.where(scores == best, best - second, scores - best), -1, 0)


def _plane_of(across: Array, up: Array, score: Array) -> Hyperplane | None:
    """The plane that has these scores on the grid; None where they bend, or are all the same."""
    corner = score[0, 0]
    w = np.array([(score[0, -1] - corner) / np.ptp(across), (score[-1, 0] - corner) / np.ptp(up)])
    flat = corner + w[0] * (across - across[0]) + w[1] * (up - up[0])[:, None]
    if not w.any() or np.abs(flat - score).max() > 1e-6 * np.abs(score).max():
        return None
    return Hyperplane(w, float(w @ [across[0], up[0]] - corner))
