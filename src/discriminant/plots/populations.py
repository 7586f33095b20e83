"""Two classes as ellipses, and what is left of them on a line: the direction of the means beside Fisher's."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.forks import importing
from discriminant.learners.fisher import FisherDiscriminant
from discriminant.parameters import real_array
from discriminant.plots.canvas import FAINT, INK, VERMILION, Display, as_text, window
from discriminant.plots.plane_rows import colour_of_class
from discriminant.statistics.moments import ClassMoments
from discriminant.statistics.projection import fisher_criterion, projected_moments

Array = NDArray[np.float64]

_DEVIATIONS = 2.0  # of the ellipses


@dataclass(kw_only=True, eq=False)
class PopulationsDisplay(Display):
    """Ellipses of two deviations around the class means, directions to project on, and the classes on each of them.

    Make it with `from_moments`. After `plot`, ``axes_`` holds the panels: the ellipses, then one for each direction.

    Parameters
    ----------
    moments : of two columns and two classes.
    directions : by name. criteria : Fisher's J of each.
    """

    moments: ClassMoments
    directions: dict[str, Array]
    criteria: dict[str, float]

    @classmethod
    def from_moments(
        cls, moments: ClassMoments, directions: Mapping[str, ArrayLike] | None = None, *, ax: Any = None
    ) -> Self:
        """Draw moments of rows or of given parameters.

        ``directions`` are those to project on, by name; by default the direction of the means and Fisher's.

        >>> from matplotlib.figure import Figure
        >>> m = ClassMoments.of_parameters([0.5, 0.5], [[0, 0], [2, 1]], [[4.0, 0.0], [0.0, 0.2]])
        >>> shown = PopulationsDisplay.from_moments(m, ax=Figure().subplots(1, 3))
        >>> {name: round(J, 2) for name, J in shown.criteria.items()}
        {'direction of the means': 0.39, "Fisher's direction": 1.5}
        """
        if moments.n_columns != 2 or moments.classes.size != 2 or not (moments.full and moments.per_class):
            raise ValueError("the picture is of two columns and two classes, with the covariance of each class kept")
        if directions is None:
            directions = {
                "direction of the means": moments.means[1] - moments.means[0],
                "Fisher's direction": FisherDiscriminant().fit(moments).coef_[0],
            }
        unit = {name: _unit(w, name) for name, w in directions.items()}
        criteria = {name: fisher_criterion(moments, w) for name, w in unit.items()}
        return cls(moments=moments, directions=unit, criteria=criteria).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes given, one more than there are directions, or on new ones."""
        n = 1 + len(self.directions)
        self._take_axes(ax, (1, n), (4.0 * n, 3.9))
        self._draw_ellipses()
        for panel, name in zip(self.axes_.flat[1:], self.directions, strict=True):
            self._draw_projection(panel, name)
        return self

    def _draw_ellipses(self) -> None:
        m, outlines = self.moments, []
        turn = np.linspace(0, 2 * np.pi, 181)
        circle = np.column_stack([np.cos(turn), np.sin(turn)])
        for k, label in enumerate(m.classes.tolist()):
            values, vectors = np.linalg.eigh(m.scatter[k] / m.counts[k])
            outline = m.means[k] + _DEVIATIONS * circle * np.sqrt(np.maximum(values, 0)) @ vectors.T
            outlines.append(outline)
            self.ax_.fill(*outline.T, facecolor=colour_of_class(k), alpha=0.25, edgecolor=INK, label=as_text(label))
            self.ax_.plot(*m.means[k], "o", color=colour_of_class(k), markeredgecolor=INK)
        across, up = window(np.vstack(outlines), 2)
        for (name, w), look in zip(
            self.directions.items(), ((FAINT, "--"), (VERMILION, "-"), (INK, ":")), strict=False
        ):
            self.ax_.axline(tuple(m.mean), tuple(m.mean + w), color=look[0], linestyle=look[1], label=as_text(name))
        self.ax_.set(xlim=across, ylim=up, aspect="equal", xlabel="$x_1$", ylabel="$x_2$")
        below = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0), "ncols": 2, "frameon": False}
        self.ax_.legend(fontsize="small", bbox_transform=_half_an_inch_below(self.ax_), **below)

    def _draw_projection(self, panel: Any, name: str) -> None:
        y = projected_moments(self.moments, self.directions[name])
        spreads = np.sqrt(y.scatter[:, 0, 0] / y.counts)
        least = max(float(spreads.max()), 1e-9) * 1e-3
        spreads, middles = np.maximum(spreads, least), y.means[:, 0]
        line = np.linspace((middles - 3.5 * spreads).min(), (middles + 3.5 * spreads).max(), 400)
        for k, label in enumerate(self.moments.classes.tolist()):
            height = np.exp(-0.5 * ((line - middles[k]) / spreads[k]) ** 2) / spreads[k] / np.sqrt(2 * np.pi)
            panel.fill_between(line, height, color=colour_of_class(k), alpha=0.35, label=as_text(label))
            panel.plot(line, height, color=colour_of_class(k), linewidth=1.4)
        panel.set(title=f"{as_text(name)}\nJ = {self.criteria[name]:.3g}", xlabel=r"$w \cdot x$", yticks=[])


def _half_an_inch_below(ax: Any) -> Any:
    """Where the label of the axis ends, however flat the axes are."""
    with importing:
        from matplotlib.transforms import ScaledTranslation
    return ax.transAxes + ScaledTranslation(0.0, -0.5, ax.figure.dpi_scale_trans)


def _unit(w: ArrayLike, name: str) -> Array:
    direction = real_array(w, f"the direction {name!r}")
    length = float(np.linalg.norm(direction))
    if direction.shape != (2,) or not 0 < length < np.inf:
        raise ValueError(f"the direction {name!r} must be two finite numbers, not both zero; got {w!r}")
    return np.asarray(direction / length)
