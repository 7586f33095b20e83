"""What each column does to the score: w_j in its units, and w_j s_j for a change of one standard deviation s_j."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from discriminant.parameters import read_count, read_share
from discriminant.plots.canvas import BLUE, INK, ORANGE, Display, differ_widely
from discriminant.plots.models import last_step, name_of, scoring_model
from discriminant.plots.names import shorten
from discriminant.plots.planes import columns_seen, plane_between
from discriminant.rows.matrix import Matrix, blocks, refuse_non_finite

Array = NDArray[np.float64]

_ROWS_AT_ONCE = 4096


@dataclass(kw_only=True, eq=False)
class WeightsDisplay(Display):
    """The weights of the plane between two classes, those that matter most on top, with intervals where there are any.

    Make it with `from_estimator`. After `plot`, ``axes_`` holds both panels (standardised, in units), ``ax_`` the first
    and ``figure_`` the figure.

    Parameters
    ----------
    weights, spreads : w_j and s_j of every column.
    intervals : (d×2) of the weights, or None.
    names : of the columns.
    labels : the negative and the positive class.
    most : how many columns are drawn.
    confidence : of the intervals. title : over the bars.
    """

    weights: Array
    spreads: Array
    intervals: Array | None
    names: list[str]
    labels: tuple[Any, Any]
    title: str
    most: int = 20
    confidence: float = 0.95

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, *, pair: Any = None, most: int = 20, confidence: float = 0.95, ax: Any = None
    ) -> Self:
        """Draw the weights of a fitted linear classifier, standardised by the spread of the columns of X.

        Parameters
        ----------
        pair : the classes (negative, positive), where there are more than two.
        most : how many columns to draw; those with the largest standardised weights.
        confidence : of the intervals, which two-class maximum likelihood has.
        ax : two axes; None makes a figure.

        >>> from discriminant import FisherDiscriminant
        >>> from matplotlib.figure import Figure
        >>> X = [[0.0, 10.0], [1.0, 40.0], [3.0, 20.0], [4.0, 30.0]]
        >>> model = FisherDiscriminant().fit(X, [0, 0, 1, 1])
        >>> made = WeightsDisplay.from_estimator(model, X, ax=Figure().subplots(1, 2))
        >>> bool((made.standardised == made.weights * made.spreads).all())
        True
        """
        scoring = scoring_model(model)
        plane = plane_between(scoring, pair)
        matrix, names = columns_seen(scoring, X, plane.w.size)
        level = read_share(confidence, "confidence")
        learner = last_step(scoring)
        return cls(
            weights=plane.w,
            spreads=_spreads(matrix, tuple(names)),
            intervals=_intervals(learner, level, turned=plane.negative != learner.classes_.tolist()[0]),
            names=names,
            labels=(plane.negative, plane.positive),
            title=name_of(model),
            most=read_count(most, "most"),
            confidence=level,
        ).plot(ax=ax)

    @property
    def standardised(self) -> Array:
        """w_j s_j."""
        return self.weights * self.spreads

    @property
    def shown(self) -> NDArray[np.intp]:
        """The columns that are drawn, from the largest standardised weight down."""
        return np.argsort(-np.abs(self.standardised), kind="stable")[: self.most]

    def plot(self, ax: Any = None) -> Self:
        """Draw on two axes given, or on new ones."""
        places = self.shown
        height = 1.9 + 0.27 * max(places.size, 3)
        self._take_axes(ax, (1, 2), (10.0, height))
        left, right = self.axes_.flat
        self._draw(left, places, self.spreads[places])
        self._draw(right, places, np.ones(places.size))
        if self.intervals is not None:
            left.legend(loc="best", framealpha=0.9, fontsize="small")
        toward = shorten(self.labels[1])
        some = "" if places.size == self.weights.size else f", {places.size} of {self.weights.size} columns"
        left.set(xlabel=f"for one standard deviation, towards “{toward}”", title=f"{self.title}{some}")
        left.set_yticks(range(places.size), [shorten(self.names[j]) for j in places])
        right.set(xlabel="for one unit of the column", title="in units")
        right.set_yticks(range(places.size), [])
        if differ_widely(np.abs(self.weights[places])):
            sizes = np.abs(self.weights[places])
            _widen(right, float(sizes[sizes > 0].min()), float(sizes.max()))
        return self

    def _draw(self, ax: Any, places: NDArray[np.intp], scale: Array) -> None:
        """Bars to the right are blue and plain, to the left orange and hatched."""
        values = self.weights[places] * scale
        for side, colour, hatch in ((values >= 0, BLUE, ""), (values < 0, ORANGE, "///")):
            heights = np.flatnonzero(side)
            ax.barh(heights, values[side], height=0.7, color=colour, alpha=0.75, edgecolor=INK, lw=0.6, hatch=hatch)
        if self.intervals is not None:
            ends = self.intervals[places] * scale[:, None]
            ax.hlines(np.arange(places.size), *ends.T, color=INK, linewidth=1.5)
            ax.plot(ends.T, np.tile(np.arange(places.size), (2, 1)), color=INK, marker="|", markersize=7, ls="none")
            label = f"{100 * self.confidence:g}% interval"
            ax.plot([], [], color=INK, linewidth=1.5, marker="|", markersize=7, label=label)
        ax.axvline(0, color=INK, linewidth=0.9)
        ax.set(ylim=(places.size - 0.4, -0.6))
        ax.grid(axis="x", alpha=0.25)


def _widen(ax: Any, smallest: float, largest: float) -> None:
    """A scale that is logarithmic on both sides of zero, with at most three powers of ten marked on each."""
    top, bottom = int(np.floor(np.log10(largest))), int(np.ceil(np.log10(smallest)))
    powers = 10.0 ** np.arange(top, bottom, -max(-(-(top - bottom) // 3), 1))
    ax.set_xscale("symlog", linthresh=smallest)
    ax.set_xticks(np.concatenate([-powers, [0.0], powers[::-1]]))
    ax.set_xticks([], minor=True)
    farthest = max(largest, *(abs(end) for end in ax.get_xlim()))  # intervals may reach beyond
    ax.set_xlim(-2 * farthest, 2 * farthest)


def _spreads(matrix: Matrix, names: tuple[str, ...]) -> Array:
    """The standard deviation of each column, by deviations from its mean; no copy of a large table."""
    refuse_non_finite(matrix, names)
    n = matrix.shape[0]
    mean = sum(block.sum(axis=0) for _, block in blocks(matrix, _ROWS_AT_ONCE)) / n
    squares = sum(((block - mean) ** 2).sum(axis=0) for _, block in blocks(matrix, _ROWS_AT_ONCE))
    return np.asarray(np.sqrt(squares / max(n - 1, 1)))


def _intervals(learner: Any, level: float, *, turned: bool) -> Array | None:
    """The intervals of the weights, without the intercept; None for models that have none."""
    if len(learner.classes_) != 2 or not hasattr(learner, "intervals"):
        return None
    try:
        ends = np.asarray(learner.intervals(level), dtype=np.float64)[1:]
    except (AttributeError, ValueError):  # penalised weights, or too many of them
        return None
    if not np.isfinite(ends).all():
        return None
    return -ends[:, ::-1] if turned else ends
