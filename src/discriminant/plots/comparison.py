"""Learners side by side: each one's figure with its 95% interval, and who can be told apart from the best.

Two intervals that overlap do not say that two learners cannot be told apart, for both were judged on the same rows. So
learners that the paired test of the comparison does tell apart from the best have an open marker of their own.
"""

import textwrap
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from discriminant.comparison import Comparison, compare
from discriminant.comparison.comparison import Figure as FigureName
from discriminant.comparison.display import TITLES
from discriminant.plots.canvas import BLUE, FAINT, INK, VERMILION, Display, as_text, legend_of
from discriminant.plots.names import number, shorten, with_unit

Array = NDArray[np.float64]

_LOOKS = {
    "best": {"marker": "D", "color": BLUE, "markersize": 8},
    "not distinguishable from it": {"marker": "o", "color": BLUE, "markersize": 8},
    "worse (5% for all together)": {"marker": "o", "color": VERMILION, "markersize": 8, "markerfacecolor": "white"},
}
_LETTERS = 70  # of a reason in a line


@dataclass(kw_only=True, eq=False)
class ComparisonDisplay(Display):
    """The figure of every learner with its interval, best on top; failures below with their reason.

    Make it with `from_comparison` or `from_data`. After `plot`, ``ax_`` holds the axes and ``figure_`` the figure.

    Parameters
    ----------
    names : of the learners that have the figure, from the best to the worst.
    values, lows, highs : their figures, with intervals.
    worse : whether a learner is told apart from the best.
    absent : {name: why there is no figure}.
    what : the name of the figure, with its unit.
    title : of the picture.
    """

    names: tuple[str, ...]
    values: Array
    lows: Array
    highs: Array
    worse: NDArray[np.bool_]
    absent: dict[str, str]
    what: str
    title: str = ""

    @classmethod
    def from_comparison(cls, comparison: Comparison, figure: FigureName | None = None, *, ax: Any = None) -> Self:
        """Draw what `compare` returned.

        Parameters
        ----------
        figure : "gain", "accuracy", "log_loss" or "auc"; None is what the comparison is judged by.
        ax : axes; None makes a figure.

        >>> from matplotlib.figure import Figure
        >>> from sklearn.datasets import load_iris
        >>> found = compare(*load_iris(return_X_y=True), learners=["naive-bayes", "lda"], random_state=0)
        >>> ComparisonDisplay.from_comparison(found, ax=Figure().subplots()).names
        ('lda', 'naive-bayes')
        """
        if not isinstance(comparison, Comparison):
            raise TypeError(f"from_comparison draws what compare returns, got {type(comparison).__name__}")
        figures, which = comparison.figures(figure), comparison.criterion if figure is None else figure
        names = [name for name in comparison.ranked(which) if name in figures]
        apart = comparison.distinguishable_in(which) if names else {}
        parts = ([getattr(figures[name], part) for name in names] for part in ("value", "low", "high"))
        values, lows, highs = (np.array(part, dtype=np.float64) for part in parts)
        return cls(
            names=tuple(names),
            values=values,
            lows=lows,
            highs=highs,
            worse=np.array([apart[name] for name in names], dtype=bool),
            absent=_absent(comparison, which),
            what=_what(comparison, which),
            title=f"{comparison.codes.size} rows, {comparison.cv.n_folds} folds",
        ).plot(ax=ax)

    @classmethod
    def from_data(cls, X: Any, y: Any, *, figure: FigureName | None = None, ax: Any = None, **options: Any) -> Self:
        """Compare learners on a table, with the options of `compare`, and draw it."""
        return cls.from_comparison(compare(X, y, **options), figure, ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes given, or on new ones."""
        rows = len(self.names) + len(self.absent)
        self._take_axes(ax, (1, 1), (7.6, 1.7 + 0.36 * max(rows, 3)))
        self._draw_figures()
        self._draw_absent()
        labels = [shorten(name) for name in (*self.names, *self.absent)]
        self.ax_.set_yticks(range(rows), labels)
        self.ax_.tick_params(axis="y", length=0)
        self.ax_.set(ylim=(rows - 0.4, -0.6), title=self.title)
        if self.names:
            self.ax_.set_xlabel(f"{self.what}, with 95% intervals")
            self.ax_.get_yticklabels()[0].set_fontweight("bold")
            self.ax_.grid(axis="x", alpha=0.25)
            legend_of(self.ax_)
        else:
            self.ax_.set_xticks([])
        return self

    def _draw_figures(self) -> None:
        kinds = np.where(self.worse, 2, 1)
        kinds[:1] = 0
        for kind, (label, look) in enumerate(_LOOKS.items()):
            places = np.flatnonzero((kinds == kind) & np.isfinite(self.values))
            if not places.size:
                continue
            self.ax_.hlines(places, self.lows[places], self.highs[places], color=look["color"], linewidth=2)
            self.ax_.plot(self.values[places], places, linestyle="none", markeredgewidth=1.6, label=label, **look)
        if self.names and np.isfinite(self.values[0]):
            self.ax_.axvline(self.values[0], color=FAINT, linewidth=1.0, linestyle=(0, (4, 3)), zorder=0)
            self.ax_.set_xlim(self._window())
        beyond = self.ax_.get_yaxis_transform()
        for place, value in enumerate(self.values):
            self.ax_.text(1.015, place, number(value), transform=beyond, va="center", color=INK, fontsize="small")

    def _window(self) -> tuple[float, float]:
        """The range from the least to the largest end, with some room."""
        ends = np.concatenate([a[np.isfinite(a)] for a in (self.values, self.lows, self.highs)])
        least, most = float(ends.min()), float(ends.max())
        room = 0.05 * (most - least) if most > least else 0.05 * max(abs(most), 1.0)
        return least - room, most + room

    def _draw_absent(self) -> None:
        across = self.ax_.get_yaxis_transform()
        for place, reason in enumerate(self.absent.values(), start=len(self.names)):
            first = reason.strip().splitlines()[0]
            text = as_text("\n".join(textwrap.wrap(first, _LETTERS, max_lines=2, placeholder=" …")))
            back = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
            style = {
                "bbox": back,
                "va": "center",
                "color": INK,
                "fontsize": "x-small",
                "style": "italic",
                "linespacing": 1.0,
            }
            self.ax_.text(0.01, place, f"× {text}", transform=across, **style)


def _absent(comparison: Comparison, figure: FigureName) -> dict[str, str]:
    """Why learners have no such figure: they failed, or say nothing it could be computed from."""
    found = comparison.figures(figure)
    reasons = {
        "gain": "compared without a gain",
        "log_loss": "says no probabilities",
        "auc": "gives no score for each class",
    }
    silent = {
        name: reasons.get(figure, "")
        for name in comparison.names
        if name not in found and name not in comparison.failures
    }
    return {**silent, **{name: f"failed: {why}" for name, why in comparison.failures.items()}}


def _what(comparison: Comparison, figure: FigureName) -> str:
    if figure == "gain" and comparison.gains is not None:
        return with_unit("gain of a row", comparison.gains.unit)
    return TITLES[figure] + (", less is better" if figure == "log_loss" else "")
