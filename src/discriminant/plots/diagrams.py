"""A unit as a block diagram: inputs, weights, the sum, the threshold, and what it learns from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from discriminant.learners.adaline import Adaline
from discriminant.networks import ThresholdUnit
from discriminant.parameters import read_choice
from discriminant.plots.canvas import BLUE, FAINT, INK, VERMILION, Display, as_text
from discriminant.plots.models import last_step
from discriminant.plots.planes import plane_between

Array = NDArray[np.float64]

KINDS = ("perceptron", "adaline", "threshold")
_MOST_INPUTS = 6
_SUM, _STEP, _ANSWER = (4.0, 0.0), (7.0, 0.0), (9.6, 0.0)
_TAPS = {"perceptron": 8.7, "adaline": 5.6}  # where the wire to learn from begins
_LOW = -2.5  # the height of that wire
_TITLES = {
    "perceptron": "Perceptron: learns from its answer",
    "adaline": "Adaline: learns from the sum, before the threshold",
    "threshold": "Threshold unit",
}
_RULES = {"perceptron": r"$w \leftarrow w + \delta\,(c - y)\,x$", "adaline": r"$w \leftarrow w + \delta\,(c - s)\,x$"}


@dataclass(kw_only=True, eq=False)
class UnitDiagramDisplay(Display):
    """Inputs times weights, summed, compared with the threshold; and the wire along which the unit learns.

    The perceptron compares the class c with its answer y, after the threshold; Adaline with the sum s = w·x − θ,
    before it. Make it with `of` or `from_estimator`. After `plot`, ``ax_`` holds the axes.

    Parameters
    ----------
    kind : "perceptron", "adaline" or "threshold" (a unit that does not learn).
    inputs : their names. weights : what stands at their wires. bias : what stands at the wire of the constant 1.
    """

    kind: str
    inputs: tuple[str, ...]
    weights: tuple[str, ...]
    bias: str

    @classmethod
    def of(cls, kind: str = "perceptron", n_inputs: int = 3, *, ax: Any = None) -> Self:
        """Draw a unit in symbols.

        >>> from matplotlib.figure import Figure
        >>> UnitDiagramDisplay.of("adaline", ax=Figure().subplots()).weights
        ('$w_1$', '$w_2$', '$w_3$')
        """
        read_choice(kind, KINDS, "kind")
        if not 1 <= n_inputs <= _MOST_INPUTS:
            raise ValueError(f"n_inputs must be 1 to {_MOST_INPUTS}, which fit into the picture; got {n_inputs!r}")
        numbers = range(1, n_inputs + 1)
        inputs, weights = tuple(f"$x_{j}$" for j in numbers), tuple(f"$w_{j}$" for j in numbers)
        return cls(kind=kind, inputs=inputs, weights=weights, bias=r"$-\theta$").plot(ax=ax)

    @classmethod
    def from_estimator(cls, model: Any, *, pair: Any = None, ax: Any = None) -> Self:
        """Draw a fitted learner, or a `ThresholdUnit`, with its weights.

        ``pair`` are the two classes whose plane is drawn, where there are more.
        """
        if isinstance(model, ThresholdUnit):
            plane = model.hyperplane
            w, theta, kind = plane.w, plane.theta, "threshold"
        else:
            _, _, w, theta = plane_between(model, pair)
            kind = "adaline" if isinstance(last_step(model), Adaline) else "perceptron"
        names = getattr(last_step(model), "feature_names_in_", None)
        if len(w) > _MOST_INPUTS:
            raise ValueError(
                f"a diagram has room for {_MOST_INPUTS} inputs, the model has {len(w)}; draw fewer columns"
            )
        inputs = [f"$x_{j + 1}$" for j in range(len(w))] if names is None else [as_text(name) for name in names]
        return cls(kind=kind, inputs=tuple(inputs), weights=_numbers(w), bias=_numbers([-theta])[0]).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes given, or on new ones."""
        self._take_axes(ax, (1, 1), (8.0, 3.8))
        self._draw_inputs()
        self._box(_SUM, r"$\Sigma$", "circle")
        self._arrow(_SUM, _STEP, r"$s = w\cdot x - \theta$", after=0.75)
        self._box(_STEP, "", "square")
        self._draw_step(_STEP)
        self._arrow(_STEP, _ANSWER, before=0.75, text=r"$y = \pm 1$" if self.kind != "threshold" else "$y$: 0 or 1")
        if self.kind in _RULES:
            self._draw_learning()
        lowest = -3.3 if self.kind in _RULES else -2.4
        widest = 11.6 if self.kind == "perceptron" else 10.0
        self.ax_.set(xlim=(-0.9, widest), ylim=(lowest, 2.4), aspect="equal", title=_TITLES[self.kind])
        self.ax_.axis("off")
        return self

    # --- parts ------------------------------------------------------------------------------------------

    def _draw_inputs(self) -> None:
        labels, weights = ["1", *self.inputs], [self.bias, *self.weights]
        heights = np.linspace(2.0, -2.0 if self.kind == "threshold" else -1.6, len(labels))
        for label, weight, height in zip(labels, weights, heights, strict=True):
            self.ax_.text(0.0, height, label, ha="right", va="center", fontsize=12)
            self._arrow((0.1, height), _SUM, "", before=0.0)
            at = 0.4
            place = (0.1 + at * (_SUM[0] - 0.1), height * (1 - at))
            patch = {"boxstyle": "round,pad=0.2", "facecolor": "white", "edgecolor": FAINT}
            self.ax_.text(*place, weight, ha="center", va="center", fontsize=11, bbox=patch, zorder=4)

    def _draw_step(self, centre: tuple[float, float]) -> None:
        x, y = centre
        self.ax_.plot(
            [x - 0.3, x, x, x + 0.3], [y - 0.22, y - 0.22, y + 0.22, y + 0.22], color=INK, linewidth=1.8, zorder=5
        )

    def _draw_learning(self) -> None:
        """What the tapped wire says is taken from the class c, and the difference goes back to the weights."""
        x, tapped = _TAPS[self.kind], "y" if self.kind == "perceptron" else "s"
        below = (x, _LOW)
        self.ax_.plot([x], [0.0], "o", color=VERMILION, markersize=5, zorder=5)
        self._arrow((x, 0.0), below, "", colour=VERMILION, before=0.0)
        self.ax_.text(x + 0.15, -1.2, f"${tapped}$", color=VERMILION, fontsize=12)
        self._box(below, "$-$", "circle", colour=VERMILION)
        self._arrow((x + 1.7, _LOW), below, "", colour=VERMILION, before=0.0)
        self.ax_.text(x + 1.8, _LOW, "class $c$", ha="left", va="center", color=VERMILION, fontsize=11)
        self._arrow(below, (1.7, _LOW), f"$c - {tapped}$", colour=VERMILION, after=0.0)
        self._arrow((1.7, _LOW), (1.7, -1.45), "", colour=VERMILION, before=0.0, after=0.0)
        self.ax_.text(1.7, _LOW - 0.4, _RULES[self.kind], ha="center", va="center", color=VERMILION, fontsize=11)

    def _box(self, centre: tuple[float, float], text: str, form: str, colour: str = BLUE) -> None:
        boxstyle = "circle,pad=0.3" if form == "circle" else "round,pad=0.55"
        patch = {"boxstyle": boxstyle, "facecolor": "white", "edgecolor": colour, "linewidth": 1.8}
        self.ax_.text(*centre, text or "     ", ha="center", va="center", fontsize=14, bbox=patch, zorder=4)

    def _arrow(
        self,
        start: Sequence[float],
        end: Sequence[float],
        text: str,
        *,
        colour: str = INK,
        before: float = 0.55,
        after: float = 0.6,
    ) -> None:
        """Draw an arrow from one centre to another, leaving room for what stands there."""
        a, b = np.array(start, dtype=float), np.array(end, dtype=float)
        along = (b - a) / np.linalg.norm(b - a)
        style = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.5, "shrinkA": 0, "shrinkB": 0}
        self.ax_.annotate("", xy=b - after * along, xytext=a + before * along, arrowprops=style)
        if text:
            self.ax_.text(*((a + b) / 2 + [0.0, 0.32]), text, ha="center", va="center", color=colour, fontsize=11)


def _numbers(values: Any) -> tuple[str, ...]:
    """Write numbers with three digits and a true minus."""
    return tuple(f"{value + 0.0:.3g}".replace("-", "−") for value in values)
