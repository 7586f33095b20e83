"""Rows in the space of the discriminant directions: at most K − 1 coordinates, of which two are drawn."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from discriminant.plots.canvas import INK, Display, legend_of
from discriminant.plots.models import last_step, name_of, scoring_model
from discriminant.plots.names import shorten
from discriminant.plots.plane_rows import colour_of_class, marker_of_class, row_size
from discriminant.plots.scores import checked_classifier
from discriminant.rows.labels import code_labels

Array = NDArray[np.float64]


@dataclass(kw_only=True, eq=False)
class DiscriminantScatterDisplay(Display):
    """Two discriminant coordinates of each row, and the mean of each class; two classes, with one, in a lane each.

    Make it with `from_estimator`. After `plot`, ``ax_`` holds the axes and ``figure_`` the figure.

    Parameters
    ----------
    points : (n×m), the coordinates to draw, m one or two.
    codes, classes : of the rows.
    names : of the coordinates. title : over the rows.
    """

    points: Array
    codes: NDArray[np.int32]
    classes: NDArray[Any]
    names: tuple[str, ...]
    title: str

    @classmethod
    def from_estimator(cls, model: Any, X: Any, y: Any, *, axes: tuple[int, int] = (1, 2), ax: Any = None) -> Self:
        """Draw `transform` of a fitted discriminant, or of a pipeline that ends in one.

        ``axes`` are the numbers of the directions to draw, from 1, the one that tells classes apart best.

        >>> from matplotlib.figure import Figure
        >>> from discriminant import FisherDiscriminant
        >>> X, y = [[0, 0], [1, 1], [4, 0], [5, 2], [0, 5], [2, 6]], list("aabbcc")
        >>> model = FisherDiscriminant().fit(X, y)
        >>> DiscriminantScatterDisplay.from_estimator(model, X, y, ax=Figure().subplots()).points.shape
        (6, 2)
        """
        checked_classifier(model)
        scoring = scoring_model(model)
        if not hasattr(scoring, "transform"):
            raise TypeError(f"{type(last_step(scoring)).__name__} has no transform; take a discriminant, such as LDA")
        coordinates = np.asarray(scoring.transform(X), dtype=np.float64)
        classes, codes = code_labels(y)
        if codes.size != len(coordinates):
            raise ValueError(f"y has {codes.size} labels but X has {len(coordinates)} rows")
        m = coordinates.shape[1]
        chosen = [1] if m == 1 else list(axes)
        if m > 1 and (len(chosen) != 2 or not all(1 <= number <= m for number in chosen)):
            raise ValueError(f"axes must be two numbers from 1 to {m}, the number of directions, got {axes!r}")
        share = getattr(last_step(scoring), "explained_variance_ratio_", None)
        return cls(
            points=coordinates[:, [number - 1 for number in chosen]],
            codes=codes,
            classes=classes,
            names=tuple(_name(number, share) for number in chosen),
            title=name_of(model),
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes given, or on new ones."""
        self._take_axes(ax, (1, 1), (6.4, 5.8))
        size = row_size(len(self.points))
        up = self._lanes() if len(self.names) == 1 else self.points[:, 1]
        for k, label in enumerate(self.classes.tolist()):
            x, y = self.points[self.codes == k, 0], up[self.codes == k]
            look = {"color": colour_of_class(k), "marker": marker_of_class(k)}
            self.ax_.scatter(x, y, s=size, edgecolor=INK, linewidth=0.5, alpha=0.8, label=shorten(label), **look)
            self.ax_.scatter(x.mean(), y.mean(), s=190, edgecolor=INK, linewidth=2.0, zorder=4, **look)
        self.ax_.set(xlabel=self.names[0], title=f"{self.title} (large: means)")
        if len(self.names) == 1:
            self.ax_.set_yticks([])
        else:
            self.ax_.set(ylabel=self.names[1], aspect="equal", adjustable="datalim")
        legend_of(self.ax_)
        return self

    def _lanes(self) -> Array:
        """A height for each row in the lane of its class, spread so that rows do not hide each other."""
        golden = 0.6180339887498949
        return self.codes + 0.7 * ((np.arange(self.codes.size) * golden) % 1.0)


def _name(number: int, share: Any) -> str:
    told = f" ({share[number - 1]:.1%} of the ratio)" if share is not None and number <= len(share) else ""
    return f"discriminant {number}{told}"
