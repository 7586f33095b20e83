"""The losses side by side, as functions of the margin."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from discriminant.losses import LOSSES, Loss, loss_named
from discriminant.plots.canvas import BLUE, GREEN, INK, ORANGE, PURPLE, SKY, VERMILION, Display, common_legend

Array = NDArray[np.float64]

# colour and dashes; curves that partly coincide (squared and squared hinge) shine through each other's gaps
_STYLES: tuple[tuple[str, Any, float], ...] = (
    (INK, "solid", 2.4),
    (ORANGE, (0, (6, 2)), 2.2),
    (SKY, "solid", 4.0),
    (VERMILION, (0, (1, 1.2)), 2.6),
    (BLUE, (0, (4, 4)), 1.8),
    (GREEN, (0, (7, 2, 1.5, 2)), 2.2),
    (PURPLE, "solid", 1.5),
)


@dataclass(kw_only=True, eq=False)
class LossesDisplay(Display):
    """ℓ(m), and ℓ′(m) beside it, of several losses; where the row is a mistake (m ≤ 0) is shaded.

    Make it with `of`. After `plot`, ``ax_`` holds the losses, ``axes_`` both panels, ``figure_`` the figure.

    Parameters
    ----------
    losses : to draw. margins : where.
    """

    losses: tuple[Loss, ...]
    margins: Array

    @classmethod
    def of(
        cls, losses: Sequence[str | Loss] | None = None, *, margins: tuple[float, float] = (-2.0, 3.0), ax: Any = None
    ) -> Self:
        """Draw these losses, given by name or as `Loss` (None for all there are), for margins from … to ….

        ``ax`` is one axes for the losses alone, or two for their slopes as well; None makes a figure.

        >>> from matplotlib.figure import Figure
        >>> [loss.name for loss in LossesDisplay.of(["hinge", "logistic"], ax=Figure().subplots()).losses]
        ['hinge', 'logistic']
        """
        if isinstance(losses, str | Loss):
            losses = [losses]
        chosen = tuple(LOSSES.values()) if losses is None else tuple(loss_named(loss) for loss in losses)
        if not chosen:
            raise ValueError("there are no losses to draw")
        least, most = margins
        if not -np.inf < least < most < np.inf:
            raise ValueError(f"margins must run from a number to a larger one, got {margins!r}")
        return cls(losses=chosen, margins=np.linspace(least, most, 1001)).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on one axes, or on two: the losses, and their slopes beside them."""
        panels = 1 if ax is not None and np.size(ax) == 1 else 2
        self._take_axes(ax, (1, panels), (10.5, 4.8))
        curves = [(loss, loss.value(self.margins), not loss.convex) for loss in self.losses]
        self._panel(self.ax_, curves, title="Losses", ylabel=r"loss $\ell(m)$", within=(-0.2, 4.2))
        if panels == 2:
            curves = [(loss, loss.slope(self.margins), not loss.smooth) for loss in self.losses]
            self._panel(self.axes_[0, 1], curves, title="Their slopes", ylabel=r"slope $\ell'(m)$", within=(-4.2, 2.2))
        common_legend(self.axes_, own_figure=ax is None)
        return self

    def _panel(
        self,
        ax: Any,
        curves: list[tuple[Loss, Array, bool]],
        *,
        title: str,
        ylabel: str,
        within: tuple[float, float],
    ) -> None:
        for loss, heights, jumps in curves:
            colour, dashes, width = _style(loss, self.losses)
            at = _jumps(heights) if jumps else np.empty(0, np.intp)
            margins, shown = (np.insert(numbers, at, np.nan) for numbers in (self.margins, heights))
            ax.plot(margins, shown, color=colour, linestyle=dashes, linewidth=width, label=loss.name)
            for before, after in zip(at - 1, at, strict=True):
                dots = {"color": colour, "markersize": 6, "zorder": 3, "clip_on": False}
                ax.plot(self.margins[before], heights[before], "o", **dots)
                ax.plot(self.margins[before], heights[after], "o", markerfacecolor="white", **dots)
        if self.margins[0] < 0:
            ax.axvspan(self.margins[0], min(0.0, self.margins[-1]), color=INK, alpha=0.08, linewidth=0)
            ax.text(0.02, 0.03, "mistakes", transform=ax.transAxes, color=INK, style="italic")
        drawn = np.concatenate([heights for _, heights, _ in curves])
        ax.set(
            title=title,
            xlabel=r"margin $m = c\,(w \cdot x - \theta)$",
            ylabel=ylabel,
            xlim=self.margins[[0, -1]],
            ylim=np.clip([drawn.min() - 0.2, drawn.max() + 0.2], *within),
        )
        ax.grid(alpha=0.25)


def _jumps(heights: Array) -> NDArray[np.intp]:
    """The places before which heights, flat but for jumps, do jump."""
    rise = np.abs(np.diff(heights))
    return np.flatnonzero((rise > 0) & (rise > 0.5 * rise.max())) + 1


def _style(loss: Loss, drawn: tuple[Loss, ...]) -> tuple[str, Any, float]:
    """One look for each loss whatever is drawn beside it; losses of the user's own come after."""
    known = list(LOSSES.values())
    place = known.index(loss) if loss in known else len(known) + [d for d in drawn if d not in known].index(loss)
    return _STYLES[place % len(_STYLES)]
