"""φ-space beside x-space: a boundary that is curved in the one is a line in the other."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from discriminant.forks import importing
from discriminant.hyperplane import Hyperplane
from discriminant.plots.canvas import INK, Display, as_text, legend_of, window
from discriminant.plots.decision_line import DecisionLineDisplay
from discriminant.plots.models import last_step
from discriminant.plots.plane_lines import draw_line
from discriminant.plots.plane_rows import draw_rows
from discriminant.plots.planes import columns_seen, plane_between
from discriminant.rows.matrix import column_labels, dense_block

Array = NDArray[np.float64]


@dataclass(kw_only=True, eq=False)
class SpacesDisplay(Display):
    """Left, rows and the curved boundary in x; right, the same rows in two columns of φ(x), where it is a line.

    Make it with `from_estimator`. After `plot`, ``axes_`` holds both panels.

    Parameters
    ----------
    in_x : the left picture. features (n×2) : two columns of φ. plane : the line among them; None where φ has more
        columns that matter, for it is then no line in two of them.
    names : of the two columns.
    """

    in_x: DecisionLineDisplay
    features: Array
    plane: Hyperplane | None
    names: tuple[str, str]

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any,
        *,
        columns: tuple[int, int] | None = None,
        ax: Any = None,
        resolution: int = 200,
    ) -> Self:
        """Draw a fitted pipeline of basis functions and a linear classifier of two classes, with rows X of two columns.

        ``columns`` are the two of φ to draw; by default the two with the largest weights, in units of their spread.

        >>> from matplotlib.figure import Figure
        >>> from sklearn.pipeline import make_pipeline
        >>> from discriminant import GaussianBasis, LogisticRegression
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
        >>> bumps = GaussianBasis(centres=[[0, 0], [1, 1]], width=0.5)
        >>> model = make_pipeline(bumps, LogisticRegression(alpha=0.1)).fit(X, y)
        >>> SpacesDisplay.from_estimator(model, X, y, ax=Figure().subplots(1, 2)).features.round(2).tolist()
        [[1.0, 0.02], [0.14, 0.14], [0.14, 0.14], [0.02, 1.0]]
        """
        if last_step(model) is model:
            raise TypeError(f"{type(model).__name__} has no basis functions; give a pipeline that ends in a classifier")
        between = plane_between(model)
        matrix, names = columns_seen(model, X, len(between.w))
        names = names if column_labels(X) is not None else [name.replace("x", "φ") for name in names]
        features = dense_block(matrix, 0, matrix.shape[0])
        chosen = _two_columns(columns, between.w * np.ptp(features, axis=0))
        i, j = chosen
        others = np.delete(between.w * np.ptp(features, axis=0), chosen)
        flat = not others.size or float(np.abs(others).max()) < 1e-9 * float(np.abs(between.w[chosen]).max())
        # columns that are the same for all rows only move the line
        rest = float(features.mean(axis=0) @ between.w - features[:, chosen].mean(axis=0) @ between.w[chosen])
        plane = Hyperplane(between.w[chosen], between.theta - rest) if flat else None
        in_x = _draw_aside(model, X, y, resolution)
        return cls(in_x=in_x, features=features[:, chosen], plane=plane, names=(names[i], names[j])).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on two axes given, or on new ones."""
        self._take_axes(ax, (1, 2), (10.0, 5.0))
        left, right = self.axes_.flat
        self.in_x.plot(ax=left)
        left.set_title("x-space")
        labels = [as_text(label) for label in self.in_x.classes.tolist()]
        draw_rows(right, self.features, self.in_x.codes, labels)
        across, up = window(self.features, 2)
        right.set(xlim=across, ylim=up, xlabel=as_text(self.names[0]), ylabel=as_text(self.names[1]), title="φ-space")
        if self.plane is not None:
            draw_line(right, self.plane, color=INK, linewidth=2.2, label=r"$w \cdot \varphi = \theta$")
        legend_of(right)
        return self


def _draw_aside(model: Any, X: Any, y: Any, resolution: int) -> DecisionLineDisplay:
    """The picture in x, drawn aside: what is wanted of it are its numbers."""
    with importing:
        from matplotlib.figure import Figure
    return DecisionLineDisplay.from_estimator(model, X, y, ax=Figure().subplots(), trace=False, resolution=resolution)


def _two_columns(columns: tuple[int, int] | None, reach: Array) -> list[int]:
    if columns is None:
        return sorted(np.argsort(-np.abs(reach), kind="stable")[:2].tolist())
    if len(columns) != 2 or not all(0 <= j < reach.size for j in columns):
        raise ValueError(f"columns must be two of the {reach.size} columns of φ, numbered from 0; got {columns!r}")
    return [int(j) for j in columns]
