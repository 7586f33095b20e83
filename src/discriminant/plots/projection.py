"""Rows as the plane sees them: w·x by class, with θ and, where the model has one, the slab |w·x − θ| ≤ 1."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from discriminant.decisions import GainClassifier
from discriminant.learners.base import linear_scores
from discriminant.parameters import real_array
from discriminant.plots.canvas import BLUE, INK, ORANGE, Display, legend_of
from discriminant.plots.models import last_step, name_of, scoring_model
from discriminant.plots.names import number, shorten
from discriminant.plots.planes import columns_seen, plane_between
from discriminant.rows.labels import code_labels

Array = NDArray[np.float64]

_MOST_BINS = 60


@dataclass(kw_only=True, eq=False)
class ProjectionDisplay(Display):
    """Histograms of the projection of two classes on w, each as shares of its class.

    Make it with `from_estimator` or `from_predictions`. After `plot`, ``ax_`` holds the axes, ``figure_`` the figure.

    Parameters
    ----------
    projections : of the rows of the negative class, and of those of the positive one.
    labels : of the two.
    theta : where decisions change.
    slab : (low, high), the edges of the margin, or None.
    what : is on the axis. title : over the picture.
    """

    projections: tuple[Array, Array]
    labels: tuple[Any, Any]
    theta: float
    slab: tuple[float, float] | None
    what: str
    title: str

    @classmethod
    def from_estimator(cls, model: Any, X: Any, y: Any, *, pair: Any = None, ax: Any = None) -> Self:
        """Draw w·x of a fitted linear classifier, or of a pipeline that ends in one.

        ``pair`` names the classes (negative, positive) where there are more than two; others are left out. Models with
        support rows get the edges of their slab, and of a `GainClassifier` θ is where its decisions change.

        >>> from discriminant import LinearSVM
        >>> from matplotlib.figure import Figure
        >>> X, y = [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
        >>> model = LinearSVM(C=float("inf")).fit(X, y)
        >>> ProjectionDisplay.from_estimator(model, X, y, ax=Figure().subplots()).slab
        (1.0, 3.0)
        """
        scoring = scoring_model(model)
        plane = plane_between(scoring, pair)
        matrix, _ = columns_seen(scoring, X, plane.w.size)
        projection = linear_scores(matrix, plane.w[None, :], np.zeros(1))[:, 0]
        slabbed = hasattr(last_step(scoring), "support_") and len(model.classes_) == 2
        return cls(
            projections=_by_class(y, projection, (plane.negative, plane.positive)),
            labels=(plane.negative, plane.positive),
            theta=plane.theta + _threshold_shift(model, plane.negative),
            slab=(plane.theta - 1.0, plane.theta + 1.0) if slabbed else None,
            what=r"projection $w \cdot x$",
            title=name_of(model),
        ).plot(ax=ax)

    @classmethod
    def from_predictions(cls, y: Any, score: Any, *, theta: float = 0.0, pair: Any = None, ax: Any = None) -> Self:
        """Draw scores by class, with the θ above which the second class is assigned."""
        values = real_array(score, "score")
        seen = code_labels(y)[0].tolist()
        if pair is None and len(seen) != 2:
            raise ValueError(
                f"y holds {len(seen)} class(es), {seen[:6]}; the picture is of two: say which with "
                "pair=(negative, positive)"
            )
        negative, positive = seen if pair is None else pair
        return cls(
            projections=_by_class(y, values, (negative, positive)),
            labels=(negative, positive),
            theta=float(theta),
            slab=None,
            what="score",
            title="",
        ).plot(ax=ax)

    @property
    def wrong(self) -> tuple[float, float]:
        """The share of each class on the wrong side of θ."""
        low, high = self.projections
        return float(np.mean(low > self.theta)), float(np.mean(high <= self.theta))

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes given, or on new ones."""
        self._take_axes(ax, (1, 1), (7.2, 4.8))
        both = np.concatenate(self.projections)
        edges = np.histogram_bin_edges(both, bins="auto")
        if len(edges) > _MOST_BINS:
            edges = np.linspace(both.min(), both.max(), _MOST_BINS + 1)
        looks = ((BLUE, "///", "-"), (ORANGE, "...", (0, (4, 1.5))))
        for values, label, share, look in zip(self.projections, self.labels, self.wrong, looks, strict=True):
            self._draw_class(values, edges, f"{shorten(label)}: {share:.1%} beyond θ", *look)
        self._draw_threshold()
        self.ax_.set(xlabel=self.what, ylabel="share of the class", title=self.title)
        legend_of(self.ax_)
        return self

    def _draw_class(self, values: Array, edges: Array, label: str, colour: str, hatch: str, dashes: Any) -> None:
        shares = np.histogram(values, bins=edges)[0] / values.size
        look = {"facecolor": colour, "alpha": 0.3, "edgecolor": colour, "hatch": hatch, "linewidth": 0}
        self.ax_.stairs(shares, edges, fill=True, label=label, **look)
        self.ax_.stairs(shares, edges, color=colour, linewidth=1.8, linestyle=dashes)

    def _draw_threshold(self) -> None:
        shown = self.theta if np.isfinite(self.theta) else np.nan  # all rows on one side: a legend, but no line
        self.ax_.axvline(shown, color=INK, linewidth=2.0, label=f"θ = {number(self.theta)}")
        if self.slab is not None:
            low, high = self.slab
            self.ax_.axvspan(low, high, color=INK, alpha=0.07, linewidth=0)
            for edge, label in ((low, "margin, θ ± 1"), (high, None)):
                self.ax_.axvline(edge, color=INK, linewidth=1.2, linestyle="dashed", label=label)


def _threshold_shift(model: Any, negative: Any) -> float:
    """How far a `GainClassifier` raises the θ of its learner, whose score is w·x − θ."""
    deciding = last_step(model)
    if not isinstance(deciding, GainClassifier):
        return 0.0
    if len(deciding.classes_) != 2:
        raise ValueError(
            f"decisions by gain between {len(deciding.classes_)} classes are no threshold on one projection; draw the "
            "learner itself, model.learner_"
        )
    raised = deciding.threshold_
    return raised if negative == deciding.classes_.tolist()[0] else -raised


def _by_class(y: Any, values: Array, pair: tuple[Any, Any]) -> tuple[Array, Array]:
    seen, codes = code_labels(y)
    if codes.size != values.size:
        raise ValueError(f"y has {codes.size} labels but there are {values.size} rows")
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise ValueError(f"the projection of row {bad[0]} is {values[bad[0]]}; a histogram needs finite numbers")
    known = seen.tolist()
    missing = [label for label in pair if label not in known]
    if missing:
        raise ValueError(f"y has no rows of class {missing[0]!r}; it holds {known[:6]}")
    negative, positive = (values[codes == known.index(label)] for label in pair)
    return negative, positive
