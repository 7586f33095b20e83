"""Axes to draw on, and the look that all displays share.

Colours are those of Okabe and Ito, which colour-blind people tell apart; every colour comes with a marker or a dash
pattern of its own, so that grey prints can be read too.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.forks import importing

Array = NDArray[np.float64]

INK = "#222222"
FAINT = "#999999"
BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#E69F00", "#009E73", "#CC79A7"
VERMILION, SKY = "#D55E00", "#56B4E9"

CLASS_COLOURS = (BLUE, ORANGE, GREEN, PURPLE, VERMILION, SKY)
CLASS_MARKERS = ("o", "^", "s", "D", "v", "P", "X")

_LEAST_MARKER = 25.0  # in a legend, square points
_ALIKE = 3.0  # spans whose ratio is below this are drawn to one scale
_WIDE = 100.0  # largest over least, from where on a logarithmic scale shows more


class Display:
    """A picture: after `plot`, ``axes_`` holds its panels, ``ax_`` the first of them and ``figure_`` the figure."""

    axes_: NDArray[Any]
    ax_: Any
    figure_: Any

    def _take_axes(
        self, ax: Any, shape: tuple[int, int], size: tuple[float, float], heights: tuple[float, ...] | None = None
    ) -> None:
        """The axes given, in this shape; or those of a new figure of this size in inches, its rows as high as said."""
        self.axes_ = _axes_for(ax, shape, size, heights)
        self.ax_, self.figure_ = self.axes_[0, 0], self.axes_[0, 0].figure


def _axes_for(
    ax: Any, shape: tuple[int, int], size: tuple[float, float], heights: tuple[float, ...] | None
) -> NDArray[Any]:
    if ax is None:
        new = {"figsize": size, "height_ratios": heights, "layout": "compressed", "squeeze": False}
        return np.asarray(_pyplot().subplots(*shape, **new)[1])
    axes = np.array(ax, dtype=object)
    for one in axes.flat:
        if not hasattr(one, "get_legend_handles_labels"):
            raise TypeError(f"ax must be matplotlib axes, or None for a new figure; got {one!r}")
    if axes.size != shape[0] * shape[1]:
        raise ValueError(f"ax must be {shape[0]}×{shape[1]} axes, one for each panel, got {axes.size}")
    return axes.reshape(shape)


def _pyplot() -> Any:
    try:
        with importing:
            import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("drawing needs matplotlib; install it with: pip install discriminant[plot]") from error
    return plt


def window(points: Array, resolution: int) -> tuple[Array, Array]:
    """Coordinates of a grid around the points; square where both directions are of about one scale."""
    least, most = points.min(axis=0), points.max(axis=0)
    size = np.maximum(np.abs(least), np.abs(most))
    span = np.where(most - least > 1e-9 * size, most - least, np.maximum(1.0, size))
    if span.max() < _ALIKE * span.min():
        span[:] = span.max()
    middle, half = (least + most) / 2, 0.58 * span
    across, up = np.linspace(middle - half, middle + half, resolution, axis=1)
    return across, up


def to_one_scale(ax: Any, across: Array, up: Array) -> bool:
    """Show this window, with right angles that look right where both directions are of about one scale."""
    alike = bool(_ALIKE > np.ptp(across) / np.ptp(up) > 1 / _ALIKE)
    ax.set(xlim=across[[0, -1]], ylim=up[[0, -1]], aspect="equal" if alike else "auto")
    return alike


def legend_of(ax: Any, columns: int | None = None) -> None:
    """A legend below the axes where the layout makes room for it, else where it covers least."""
    handles, labels = ax.get_legend_handles_labels()
    if ax.figure.get_layout_engine() is None:
        legend = ax.legend(handles, labels, loc="best", framealpha=0.9)
    else:
        if columns is None:
            columns = len(labels) if len(labels) <= 4 else 3
        inches = ax.get_position().height * ax.figure.get_figheight()
        anchor = (0.5, -0.55 / inches)  # below the ticks and the label of the axis
        below = {"loc": "upper center", "bbox_to_anchor": anchor, "borderaxespad": 0.0, "frameon": False}
        legend = ax.legend(handles, labels, ncols=columns, columnspacing=1.5, **below)
    for handle in legend.legend_handles:
        if hasattr(handle, "set_sizes"):  # of many rows the markers are small
            handle.set_sizes(np.maximum(handle.get_sizes(), _LEAST_MARKER))


def common_legend(axes: NDArray[Any], *, own_figure: bool) -> None:
    """One legend for all panels, of what is in the first: below them in a figure of their own, else in the first."""
    first = axes.flat[0]
    handles, labels = first.get_legend_handles_labels()
    if own_figure:
        below = {"loc": "outside lower center", "frameon": False}
        first.figure.legend(handles, labels, ncols=len(labels), handlelength=3.2, **below)
    else:
        first.legend(handles, labels, loc="best", framealpha=0.9)


def differ_widely(heights: Any) -> bool:
    """Whether a logarithmic scale shows more of these heights."""
    heights = np.asarray(heights, dtype=np.float64)
    shown = heights[np.isfinite(heights) & (heights > 0)]
    return bool(shown.size and shown.max() > _WIDE * shown.min())


def whole_numbers(axis: Any) -> None:
    """Ticks at whole numbers only."""
    axis.get_major_locator().set_params(integer=True)


def as_text(label: Any) -> str:
    """A label as it is: a dollar begins no formula, and an underscore hides nothing from the legend."""
    text = str(label).replace("$", r"\$")
    return f"\u200b{text}" if text.startswith("_") else text
