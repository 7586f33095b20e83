"""The criterion of one weight, its tangent, and steps along it: E(w) = Σ ℓ(c w x), w ← w − η E′(w)."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.losses import Loss, loss_named
from discriminant.parameters import read_count, read_positive, real_array
from discriminant.plots.canvas import BLUE, FAINT, INK, VERMILION, Display, legend_of

Array = NDArray[np.float64]


@dataclass(kw_only=True, eq=False)
class SlopeDisplay(Display):
    """E of one weight without a threshold, the tangent where descent begins, and the steps it takes from there.

    Make it with `from_data`. After `plot`, ``ax_`` holds the axes.

    Parameters
    ----------
    loss : ℓ. x, c : the rows. eta : the step η.
    path : w at the start and after each step. risk, slope : E and E′ there.
    """

    loss: Loss
    x: Array
    c: Array
    eta: float
    path: Array
    risk: Array
    slope: Array

    @classmethod
    def from_data(
        cls,
        x: ArrayLike,
        c: ArrayLike,
        *,
        loss: str | Loss = "squared",
        start: float = 0.0,
        eta: float = 0.1,
        steps: int = 1,
        ax: Any = None,
    ) -> Self:
        """Descend from ``start`` by some steps of size η on rows of one column with c = ±1.

        >>> from matplotlib.figure import Figure
        >>> shown = SlopeDisplay.from_data([1.0, 2.0], [1, 1], start=0.0, eta=0.05, ax=Figure().subplots())
        >>> shown.path.round(6).tolist(), shown.slope[0].item()
        ([0.0, 0.3], -6.0)
        """
        rows, signs, chosen = real_array(x, "x").ravel(), real_array(c, "c").ravel(), loss_named(loss)
        if rows.shape != signs.shape or not np.all(np.abs(signs) == 1):
            raise ValueError(f"c must be +1 or -1 for each of the {rows.size} rows of x")
        read_positive(eta, "eta")
        read_count(steps, "steps")
        chosen.require(by="a tangent", convex=True)
        path = [float(start)]
        for _ in range(steps):
            path.append(path[-1] - eta * _slope(chosen, rows, signs, path[-1]))
        risk = np.array([chosen.value(signs * rows * w).sum() for w in path])
        slope = np.array([_slope(chosen, rows, signs, w) for w in path])
        return cls(loss=chosen, x=rows, c=signs, eta=float(eta), path=np.array(path), risk=risk, slope=slope).plot(
            ax=ax
        )

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes given, or on new ones."""
        self._take_axes(ax, (1, 1), (5.6, 4.2))
        least, most = self.path.min(), self.path.max()
        reach = 0.35 * max(most - least, 1.0)
        w = np.linspace(least - reach, most + reach, 400)
        E = self.loss.value(np.outer(w, self.c * self.x)).sum(axis=1)
        self.ax_.plot(w, E, color=BLUE, linewidth=2.0, label=f"E(w), {self.loss.name} loss")
        tangent = self.risk[0] + self.slope[0] * (w - self.path[0])
        self.ax_.plot(w, tangent, color=FAINT, linestyle="--", label=f"tangent, slope {self.slope[0]:.4g}")
        look = {"marker": "o", "markersize": 5, "linewidth": 1.2, "zorder": 3}
        self.ax_.plot(self.path, self.risk, color=VERMILION, label=f"steps of η = {self.eta:.4g}", **look)
        self.ax_.annotate("start", (self.path[0], self.risk[0]), (6, 6), textcoords="offset points", color=INK)
        low, high = float(min(E.min(), self.risk.min())), float(self.risk.max())
        room = 0.12 * max(high - low, 1e-9)
        self.ax_.set(xlabel="w", ylabel="E(w)", ylim=(low - room, high + 1.5 * room))
        legend_of(self.ax_, columns=1)
        return self


def _slope(loss: Loss, x: Array, c: Array, w: float) -> float:
    """E′(w) = Σ c x ℓ′(c w x)."""
    return float((c * x) @ loss.slope(c * x * w))
