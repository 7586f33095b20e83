"""The regions of the classes in the plane, with margins and support rows.

Where the scores are linear, w_k·x + b_k, regions are polygons and are drawn exactly; otherwise from the decisions on a
grid. The margin of two classes is where the score is ±1.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from discriminant.multiclass.cells import DecisionCells, decision_cells
from discriminant.parameters import read_flag
from discriminant.plots.canvas import CLASS_COLOURS, INK, Display, legend_of, to_one_scale
from discriminant.plots.models import last_step
from discriminant.plots.names import shorten
from discriminant.plots.plane_rows import colour_of_class, draw_rows, read_plane, ring_rows
from discriminant.plots.scores import checked_classifier

Array = NDArray[np.float64]

_MOST_NAMED = 12  # pieces of the boundary; more names would hide it
_LEAST_NAMED = 0.15  # the length of a piece, as a share of the picture
_HATCHES = ("", "///", "\\\\\\", "...", "xxx", "---", "|||")


@dataclass(kw_only=True, eq=False)
class RegionsDisplay(Display):
    """Two columns by class, the region each class wins, the margin and the rows that hold it.

    Make it with `from_estimator`. After `plot`, ``ax_`` holds the axes and ``figure_`` the figure.

    Parameters
    ----------
    points (n×2), codes (n; places in ``classes``), classes : the rows.
    across, up : the coordinates of a grid over the picture.
    cells : the regions as polygons, or None where scores are not linear.
    decided : (up, across), places in ``classes`` of what is decided on the grid; None where there are cells.
    score : (up, across), the score whose margin is drawn, or None.
    support : the numbers of the support rows.
    names : of the two columns. title : over the rows.
    """

    points: Array
    codes: NDArray[np.intp]
    classes: NDArray[Any]
    across: Array
    up: Array
    cells: DecisionCells | None
    decided: NDArray[np.intp] | None
    score: Array | None
    support: NDArray[np.intp]
    names: tuple[str, str]
    title: str

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: Any, *, margin: bool | None = None, resolution: int = 300, ax: Any = None
    ) -> Self:
        """Draw a fitted classifier of two columns, or a pipeline that ends in one, with the rows X, y.

        Parameters
        ----------
        margin : whether to draw the lines score = ±1 and ring the support rows; by default for models with
            ``support_``. Support rows are ringed only where X has as many rows as the model was fitted to.
        resolution : points along each side of the grid that curved regions are drawn by.

        >>> from discriminant import LinearSVM
        >>> from matplotlib.figure import Figure
        >>> X, y = [[0, 0], [0, 1], [2, 0], [2, 1]], ["a", "a", "b", "b"]
        >>> made = RegionsDisplay.from_estimator(LinearSVM(C=100.0).fit(X, y), X, y, ax=Figure().subplots())
        >>> sorted(made.cells.cells), made.support.tolist()
        (['a', 'b'], [0, 1, 2, 3])
        """
        classes = checked_classifier(model)
        rows, points, codes, across, up, grid = read_plane(model, X, y, resolution)
        cells = _cells(model, across, up)
        wanted = hasattr(last_step(model), "support_") if margin is None else read_flag(margin, "margin")
        return cls(
            points=points,
            codes=codes,
            classes=np.asarray(model.classes_),
            across=across,
            up=up,
            cells=cells,
            decided=None if cells is not None else _decisions(model, grid, classes).reshape(up.size, across.size),
            score=_score(model, grid, (up.size, across.size)) if wanted else None,
            support=_support(last_step(model), len(points)) if wanted else np.empty(0, dtype=np.intp),
            names=("$x_1$", "$x_2$") if rows.names is None else (shorten(rows.names[0]), shorten(rows.names[1])),
            title=f"{type(last_step(model)).__name__}: {_errors_text(_decisions(model, X, classes), codes)}",
        ).plot(ax=ax)

    # --- drawing ----------------------------------------------------------------------------------------

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes given, or on new ones."""
        self._take_axes(ax, (1, 1), (6.0, 6.4))
        if self.cells is not None:
            self._draw_cells(self.cells)
        else:
            self._draw_decisions()
        if self.score is not None:
            self._draw_margin(self.score)
        self._draw_rows()
        to_one_scale(self.ax_, self.across, self.up)
        self.ax_.set(xlabel=self.names[0], ylabel=self.names[1], title=self.title)
        legend_of(self.ax_)
        return self

    def _draw_cells(self, cells: DecisionCells) -> None:
        self.regions_ = {}
        for k, label in enumerate(self.classes.tolist()):
            if len(cells.cells[label]):
                (self.regions_[label],) = self.ax_.fill(*cells.cells[label].T, **_region_look(k))
        for piece in cells.pieces:
            self.ax_.plot(*np.array([piece.start, piece.end]).T, color=INK, linewidth=2.0)
        self.piece_labels_ = self._name_pieces(cells) if len(self.classes) > 2 else []
        if cells.pieces:
            self.ax_.plot([], [], color=INK, linewidth=2.0, label="boundary")

    def _name_pieces(self, cells: DecisionCells) -> list[Any]:
        """The two classes at each piece that is long enough for their names, along it."""
        size = np.array([np.ptp(side) for side in cells.box])
        labels = []
        for piece in cells.pieces[:_MOST_NAMED]:
            along = np.asarray(piece.end) - np.asarray(piece.start)
            if np.linalg.norm(along / size) < _LEAST_NAMED:
                continue
            turn = float(np.degrees(np.arctan2(along[1], along[0])))
            turn = (turn + 90) % 180 - 90  # never upside down
            look = {"ha": "center", "va": "center", "rotation": turn, "rotation_mode": "anchor", "zorder": 5}
            patch = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
            text = f"{shorten(piece.a)} | {shorten(piece.b)}"
            place = self._clearest_place(np.asarray(piece.start), along, size)
            turned = {"transform_rotates_text": True, "fontsize": "small", "clip_on": True}
            labels.append(self.ax_.text(*place, text, bbox=patch, **look, **turned))
        return labels

    def _clearest_place(self, start: Array, along: Array, size: Array) -> Array:
        """The point of a piece with most room around it, the middle where all have enough."""
        places = start + np.array([0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8])[:, None] * along
        room = cdist(places / size, self.points / size).min(axis=1)
        return np.asarray(places[np.argmax(np.minimum(room, 2 * _LEAST_NAMED))])

    def _draw_decisions(self) -> None:
        """Regions by what is decided on the grid: a class's region is where its indicator is above one half."""
        for k in range(len(self.classes)):
            here = np.asarray(self.decided == k, dtype=np.float64)
            if not here.any():
                continue
            look = _region_look(k)
            options = {"colors": [look["facecolor"]], "hatches": [look["hatch"]], "alpha": look["alpha"]}
            self.ax_.contourf(self.across, self.up, here, levels=[0.5, 1.5], **options)
            if not here.all():
                self.ax_.contour(self.across, self.up, here, levels=[0.5], colors=INK, linewidths=1.6)
        self._draw_rejecting()
        self.ax_.plot([], [], color=INK, linewidth=1.6, label="boundary")

    def _draw_rejecting(self) -> None:
        """Where no class is assigned: crosses on white."""
        nowhere = np.asarray(self.decided == -1, dtype=np.float64)
        if nowhere.any():
            self.ax_.contourf(self.across, self.up, nowhere, levels=[0.5, 1.5], colors=["white"], hatches=["xxx"])
            self.ax_.fill([], [], facecolor="white", edgecolor=INK, hatch="xxx", linewidth=0.8, label="rejected")

    def _draw_margin(self, score: Array) -> None:
        levels = [level for level in (-1.0, 1.0) if score.min() < level < score.max()]
        if levels:
            look = {"colors": INK, "linestyles": "dashed", "linewidths": 1.2}
            self.margin_ = self.ax_.contour(self.across, self.up, score, levels=levels, **look)
            self.ax_.plot([], [], color=INK, linewidth=1.2, linestyle="dashed", label="margin, score ±1")

    def _draw_rows(self) -> None:
        draw_rows(self.ax_, self.points, self.codes, [shorten(label) for label in self.classes.tolist()])
        if self.support.size:
            self.rings_ = ring_rows(self.ax_, self.points, self.support, f"{self.support.size} support rows")


def _region_look(k: int) -> dict[str, Any]:
    """A colour, and from the seventh class on, when colours come again, a hatch."""
    return {
        "facecolor": colour_of_class(k),
        "alpha": 0.17,
        "linewidth": 0,
        "edgecolor": INK,
        "hatch": _HATCHES[(k // len(CLASS_COLOURS)) % len(_HATCHES)],
    }


# --- reading --------------------------------------------------------------------------------------------


def _cells(model: Any, across: Array, up: Array) -> DecisionCells | None:
    """The polygons; None for a model that does not decide by linear scores of the columns themselves."""
    try:
        return decision_cells(model, (across[[0, -1]], up[[0, -1]]))
    except TypeError:
        return None


def _errors_text(decided: NDArray[np.intp], codes: NDArray[np.intp]) -> str:
    """How many rows are wrong, and how many are not decided."""
    rejected = np.count_nonzero(decided == -1)
    wrong = np.count_nonzero(decided != codes) - rejected
    return f"{wrong} of {codes.size} rows wrong" + (f", {rejected} rejected" if rejected else "")


def _decisions(model: Any, grid: Any, classes: list[Any]) -> NDArray[np.intp]:
    """Places among the classes; −1 for what is no class, such as a reject label."""
    place = {label: k for k, label in enumerate(classes)}
    return np.array([place.get(label, -1) for label in np.asarray(model.predict(grid)).tolist()], dtype=np.intp)


def _score(model: Any, grid: Any, shape: tuple[int, int]) -> Array | None:
    """The score between two classes; several have a margin each, which would hide everything else."""
    if len(model.classes_) != 2 or not hasattr(model, "decision_function"):
        return None
    return np.asarray(model.decision_function(grid), dtype=np.float64).reshape(shape)


def _support(learner: Any, n_rows: int) -> NDArray[np.intp]:
    """The rows that are support of any plane, if the model was fitted to as many rows."""
    none = np.empty(0, dtype=np.intp)
    support = getattr(learner, "support_", None)
    if support is None:
        return none
    numbers = np.unique(np.concatenate(support) if isinstance(support, tuple) else np.asarray(support))
    fitted = np.shape(learner.alpha_)[-1] if hasattr(learner, "alpha_") else getattr(learner, "shape_fit_", (None,))[0]
    return numbers.astype(np.intp) if fitted == n_rows else none
