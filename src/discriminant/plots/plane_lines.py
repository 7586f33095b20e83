"""Planes in two columns as labelled lines over rows, wherever the planes come from; and the geometry of one of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.hyperplane import Hyperplane
from discriminant.networks import ThresholdNetwork, ThresholdUnit
from discriminant.parameters import real_array
from discriminant.plots.canvas import (
    BLUE,
    CLASS_COLOURS,
    FAINT,
    GREEN,
    INK,
    VERMILION,
    Display,
    as_text,
    legend_of,
    to_one_scale,
    window,
)
from discriminant.plots.plane_rows import draw_rows, two_columns
from discriminant.plots.planes import plane_between
from discriminant.rows import from_arrays

Array = NDArray[np.float64]

_DASHES = ("-", "--", "-.", ":")


@dataclass(kw_only=True, eq=False)
class PlanesDisplay(Display):
    """Lines w·x = θ of two columns, each with its name and an arrow to its positive side, over rows.

    Make it with `from_planes`. After `plot`, ``ax_`` holds the axes, ``lines_`` the lines by name.

    Parameters
    ----------
    planes : by name.
    points (n×2), codes (n), classes : the rows; none of them where no rows are given.
    across, up : the window.
    """

    planes: dict[str, Hyperplane]
    points: Array
    codes: NDArray[np.int32]
    classes: tuple[Any, ...]
    across: Array
    up: Array

    @classmethod
    def from_planes(cls, planes: Any, X: Any = None, y: Any = None, *, ax: Any = None) -> Self:
        """Draw planes, with rows where there are some.

        Parameters
        ----------
        planes : one or a mapping of names to: a `Hyperplane`, a fitted classifier of two classes, a `ThresholdUnit`, or
            a `ThresholdNetwork`, whose hidden units are drawn.
        X, y : rows of two columns and their classes.

        >>> from matplotlib.figure import Figure
        >>> unit = ThresholdUnit.AND()
        >>> PlanesDisplay.from_planes({"AND": unit}, ax=Figure().subplots()).planes["AND"].theta
        1.5
        """
        named = _named_planes(planes)
        wrong = next((name for name, plane in named.items() if plane.dimension != 2), None)
        if wrong is not None:
            raise ValueError(f"a line is drawn in a plane: {wrong!r} has {named[wrong].dimension} columns, not two")
        if X is None:
            points, codes, classes = _corners(named), np.empty(0, np.int32), ()
        else:
            rows = from_arrays(X, np.zeros(len(X), int) if y is None else y)
            points, codes = two_columns(rows), rows.codes
            classes = ("rows",) if y is None else tuple(rows.classes.tolist())
        across, up = window(points, 2)
        shown = points if X is not None else points[:0]
        return cls(planes=named, points=shown, codes=codes, classes=classes, across=across, up=up).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes given, or on new ones."""
        self._take_axes(ax, (1, 1), (5.6, 5.6))
        if self.classes:
            draw_rows(self.ax_, self.points, self.codes, [as_text(label) for label in self.classes])
        equal = to_one_scale(self.ax_, self.across, self.up)
        self.lines_ = {}
        for k, (name, plane) in enumerate(self.planes.items()):
            colour = (INK, *CLASS_COLOURS[2:])[k % 5]
            look = {"color": colour, "linestyle": _DASHES[k % 4], "linewidth": 1.8}
            self.lines_[name] = draw_line(self.ax_, plane, label=as_text(name), **look)
            if equal:
                _draw_normal(self.ax_, plane, self.across, self.up, colour)
        self.ax_.set(xlabel="$x_1$", ylabel="$x_2$")
        if self.classes or len(self.planes) > 1 or "" not in self.planes:
            legend_of(self.ax_)
        return self


@dataclass(kw_only=True, eq=False)
class GeometryDisplay(Display):
    """A point z and a line H: the nearest point of H, the signed distance, and z = z∥ + z⟂.

    Make it with `from_plane`. After `plot`, ``ax_`` holds the axes.

    Parameters
    ----------
    plane : H. point : z. nearest : the point of H nearest to z. along, across : z∥ and z⟂. distance : with its sign.
    """

    plane: Hyperplane
    point: Array
    nearest: Array
    along: Array
    across: Array
    distance: float

    @classmethod
    def from_plane(cls, plane: Hyperplane, z: ArrayLike, *, ax: Any = None) -> Self:
        """Draw a point of two columns and a line.

        >>> from matplotlib.figure import Figure
        >>> GeometryDisplay.from_plane(Hyperplane([3, 4], 10), [6, 8], ax=Figure().subplots()).distance
        8.0
        """
        point = real_array(z, "z")
        if plane.dimension != 2 or point.shape != (2,):
            raise ValueError(f"the picture is of two columns, got a plane of {plane.dimension} and z of {point.size}")
        along, across = plane.split(point)
        nearest, distance = plane.nearest_point(point), float(plane.signed_distance(point))
        made = cls(plane=plane, point=point, nearest=nearest, along=along, across=across, distance=distance)
        return made.plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes given, or on new ones."""
        self._take_axes(ax, (1, 1), (5.6, 5.6))
        foot = self.plane.nearest_point([0.0, 0.0])
        across, up = window(np.array([[0.0, 0.0], self.point, self.nearest, self.along, self.across, foot]), 2)
        self.ax_.set(xlim=across, ylim=up, aspect="equal", xlabel="$x_1$", ylabel="$x_2$")
        draw_line(self.ax_, self.plane, color=INK, linewidth=1.8, label=r"$H: w \cdot x = \theta$")
        for end, colour, name in (
            (self.point, BLUE, "$z$"),
            (self.along, VERMILION, r"$z_\parallel$, along $w$"),
            (self.across, GREEN, r"$z_\perp$, in the directions of $H$"),
        ):
            self._arrow(end, colour, name)
        ends = np.array([self.point, self.nearest])
        self.ax_.plot(*ends.T, color=FAINT, linestyle="--", label=f"signed distance {self.distance:.4g}")
        self.ax_.plot(*self.nearest, "o", color=INK, label="nearest point of $H$")
        legend_of(self.ax_)
        return self

    def _arrow(self, end: Array, colour: str, name: str) -> None:
        style = {"arrowstyle": "-|>", "color": colour, "lw": 1.8, "shrinkA": 0, "shrinkB": 0}
        self.ax_.annotate("", end, (0.0, 0.0), arrowprops=style)
        self.ax_.plot([], [], color=colour, linewidth=1.8, label=name)


def draw_line(ax: Any, plane: Hyperplane, **look: Any) -> Any:
    """The line of a plane of two columns, across the axes."""
    foot, direction = plane.nearest_point([0.0, 0.0]), plane.basis()[0]
    return ax.axline(tuple(foot), tuple(foot + direction), **look)


def _draw_normal(ax: Any, plane: Hyperplane, across: Array, up: Array, colour: str) -> None:
    """An arrow a tenth of the window long, from the point of the line nearest to the middle of the window."""
    foot = plane.nearest_point([across.mean(), up.mean()])
    tip = foot + plane.w / plane.norm * 0.1 * np.ptp(across)
    if across[0] < foot[0] < across[-1] and up[0] < foot[1] < up[-1]:
        ax.annotate("", tip, foot, arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.6})


def _named_planes(planes: Any) -> dict[str, Hyperplane]:
    if isinstance(planes, Mapping):
        found: dict[str, Hyperplane] = {}
        for name, one in planes.items():
            parts = _planes_of(one)
            found |= {f"{name} {part}".strip(): plane for part, plane in parts.items()}
        return found
    return _planes_of(planes)


def _planes_of(one: Any) -> dict[str, Hyperplane]:
    """The planes of one thing, by what tells them apart."""
    if isinstance(one, Hyperplane):
        return {"": one}
    if isinstance(one, ThresholdUnit):
        return {"": one.hyperplane}
    if isinstance(one, ThresholdNetwork):
        return {f"y{j + 1} = {unit.formula('x')}": unit.hyperplane for j, unit in enumerate(one.hidden)}
    plane = plane_between(one, None)
    return {"": Hyperplane(plane.w, plane.theta)}


def _corners(planes: dict[str, Hyperplane]) -> Array:
    """Where there are no rows: the corners of the unit square, and the foot of each line."""
    feet = [plane.nearest_point([0.0, 0.0]) for plane in planes.values()]
    return np.array([[0.0, 0.0], [1.0, 1.0], *feet])
