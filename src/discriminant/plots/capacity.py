"""How many rows a plane can part whatever their labels: Cover's probability and Ripley's, against rows per weight."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from discriminant.plots.canvas import BLUE, FAINT, GREEN, INK, ORANGE, PURPLE, SKY, VERMILION, Display
from discriminant.separability import Capacity, capacity, cover_probability, ripley_probability

Array = NDArray[np.float64]

_COLOURS = (ORANGE, GREEN, BLUE, PURPLE, SKY)
_MARKERS = ("o", "^", "s", "D", "v")
_MOST_ROWS = 400  # drawn of one curve
_WIDEST = 4.0  # rows per weight, where a point does not ask for more


@dataclass(kw_only=True, eq=False)
class CapacityDisplay(Display):
    """The probability that random labels are separable, against Z/N: rows for each weight of the plane.

    A curve of Cover's (markers, solid) and one of Ripley's (dashes) for each number of weights N = d + 1; the more
    weights, the steeper the fall through ½ at Z = 2N. Make it with `of`, or with `from_data` for a point of your own.
    After `plot`, ``ax_`` holds the axes and ``figure_`` the figure.
    """

    weights: tuple[int, ...]
    point: Capacity | None = None

    @classmethod
    def of(cls, weights: Sequence[int] = (3, 11, 51, 201), *, point: Capacity | None = None, ax: Any = None) -> Self:
        """Draw the curves for these numbers of weights N, and where rows of one's own are among them.

        >>> from matplotlib.figure import Figure
        >>> CapacityDisplay.of([5, 50], point=capacity(208, 60), ax=Figure().subplots()).weights
        (5, 50)
        """
        chosen = tuple(index(N) for N in weights)
        if not chosen or min(chosen) < 1:
            raise ValueError(f"weights must be whole numbers from 1 on, one for each curve, got {weights!r}")
        return cls(weights=chosen, point=point).plot(ax=ax)

    @classmethod
    def from_data(cls, X: Any, *, weights: Sequence[int] = (3, 11, 51, 201), ax: Any = None) -> Self:
        """Draw the curves, and the rows of a table among them."""
        return cls.of(weights, point=capacity(X), ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes given, or on new ones."""
        self._take_axes(ax, (1, 1), (7.6, 4.9))
        ratio = 0.0 if self.point is None else self.point.n / (self.point.rank + 1)
        widest = min(max(_WIDEST, 1.1 * ratio), 2 * _WIDEST)
        self._half()
        for place, N in enumerate(self.weights):
            self._curves(N, widest, _COLOURS[place % len(_COLOURS)], _MARKERS[place % len(_MARKERS)])
        self.ax_.plot([], [], color=INK, linestyle=(0, (4, 3)), linewidth=1.4, label="Ripley, Φ((2N − Z)/√Z)")
        if self.point is not None:
            self._own(self.point, min(ratio, widest))
        self.ax_.set(
            title="When random labels are separable",
            xlabel="rows for each weight, Z/N",
            ylabel="probability that a plane separates them",
            xlim=(0, widest),
            ylim=(-0.03, 1.03),
        )
        self.ax_.grid(alpha=0.25)
        self.ax_.legend(loc="upper right", framealpha=0.9)
        return self

    def _half(self) -> None:
        self.ax_.plot([2, 2, 0], [-0.03, 0.5, 0.5], color=FAINT, linewidth=1.0, zorder=1)
        self.ax_.annotate("½ at Z = 2N", (2, 0.5), (6, 6), textcoords="offset points", color=INK, style="italic")

    def _curves(self, N: int, widest: float, colour: str, marker: str) -> None:
        most = int(widest * N)
        rows = np.unique(np.linspace(1, max(most, 1), min(most, _MOST_ROWS)).astype(int))
        cover, ripley = (f(rows, N, homogeneous=True) for f in (cover_probability, ripley_probability))
        every = max(rows.size // 14, 1)
        style = {"color": colour, "marker": marker, "markevery": every, "markersize": 5, "linewidth": 1.8}
        self.ax_.plot(rows / N, cover, label=f"Cover, N = {N}", **style)
        self.ax_.plot(rows / N, ripley, color=colour, linestyle=(0, (4, 3)), linewidth=1.2, alpha=0.9)

    def _own(self, point: Capacity, at: float) -> None:
        """A star; at the edge, and its number in the legend, where there are too many rows to be shown."""
        look = {"marker": "*", "markersize": 15, "color": VERMILION, "markeredgecolor": INK, "linestyle": "none"}
        N = point.rank + 1
        label = f"your {point.n} rows, Z/N = {point.n / N:.3g}: {_short(point.probability)}"
        self.ax_.plot([at], [point.probability], label=label, zorder=4, clip_on=False, **look)


def _short(probability: float) -> str:
    return f"{probability:.2g}" if 0 < probability < 0.995 else ("0" if probability == 0 else f"{probability:.3f}")
