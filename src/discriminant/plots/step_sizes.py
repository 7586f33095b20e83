"""Gradient descent with steps too small, right and too large: the path over the contours of E, and E at each step.

    E(w) = Σ ω ℓ(c(w·x − θ)),   w ← w − η∇E

Near the minimum E is a bowl with the curvature H = Σ ω ℓ″(m)(x, 1)(x, 1)′. A step η shortens the distance to the
bottom along H's steepest direction by the factor 1 − ηλmax: it crawls for small η and grows for η > 2/λmax.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from discriminant.losses import SQUARED, Loss, loss_named
from discriminant.optimise.descent import Descent, gradient_descent
from discriminant.plots.canvas import (
    BLUE,
    FAINT,
    INK,
    ORANGE,
    VERMILION,
    Display,
    common_legend,
    differ_widely,
    to_one_scale,
    whole_numbers,
    window,
)
from discriminant.rows import ArrayRows, from_arrays
from discriminant.rows.matrix import blocks, dense_block
from discriminant.statistics.risk import RiskSums, curvature_product

Array = NDArray[np.float64]

_GRID = 80
_STRAYED = 6.0  # times the rise of the start above the bottom, beyond which a path leaves the picture
_LOST = 1e4  # times E at the start, from where a path is not followed


@dataclass(kw_only=True, eq=False)
class StepSizesDisplay(Display):
    """A panel for each step: above, the path over the contours of E; below, E at each step.

    Make it with `from_data`. After `plot`, ``axes_`` holds the 2×m panels, ``ax_`` the first, ``figure_`` the figure.

    Parameters
    ----------
    descents : the paths, one for each step.
    steps : the step sizes η.
    largest_stable : 2/λmax at the minimum; None where there is no curvature to take it from.
    bottom : (w, −θ) of the minimum, or None if there is none; ``least`` is E there.
    across, up, risk : the grid of w and −θ, and E on it.
    """

    descents: tuple[Descent, ...]
    steps: tuple[float, ...]
    largest_stable: float | None
    bottom: Array | None
    least: float | None
    across: Array
    up: Array
    risk: Array

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: Any,
        *,
        loss: str | Loss = "squared",
        steps: Sequence[float] | None = None,
        max_steps: int = 30,
        start: Any = None,
        sample_weight: Any = None,
        ax: Any = None,
    ) -> Self:
        """Descend on two classes of rows of one column with each of ``steps``, from ``start`` (w, −θ), zeros if None.

        One weight and the intercept are the two numbers that contours can show. Without ``steps`` the three are 0.02,
        0.5 and 1.02 times the largest stable one, 2/λmax (1.6 times it, if the loss is not squared).

        >>> from matplotlib.figure import Figure
        >>> axes = Figure().subplots(2, 3)
        >>> display = StepSizesDisplay.from_data([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], ax=axes)
        >>> [path.diverged for path in display.descents]
        [False, False, True]
        """
        chosen = loss_named(loss)
        rows = _one_column(X, y, sample_weight)
        bottom, largest_stable = _valley(rows, chosen) if chosen.smooth else (None, None)
        if steps is None:
            steps = _telling_steps(chosen, largest_stable)
        steps = tuple(float(step) for step in steps)
        if not steps:
            raise ValueError("there are no steps to take; give steps=[...]")
        descents = tuple(
            gradient_descent(rows, loss=chosen, step=step, max_iter=max_steps, tol=0.0, start=start) for step in steps
        )
        least = None if bottom is None else RiskSums.of(rows, _signs(rows), chosen, bottom).value
        across, up = _in_sight(descents, bottom, least)
        return cls(
            descents=descents,
            steps=steps,
            largest_stable=largest_stable,
            bottom=bottom,
            least=least,
            across=across,
            up=up,
            risk=_risks(rows, chosen, across, up),
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on 2×m axes, for m steps."""
        m = len(self.steps)
        self._take_axes(ax, (2, m), (3.4 * m + 0.4, 6.6), heights=(3, 2))
        heights = self._heights()
        for k, (path, step) in enumerate(zip(self.descents, self.steps, strict=True)):
            above, below = self.axes_[:, k]
            seen = _until_lost(path)
            self._draw_path(above, path.w[seen, 0], -path.theta[seen])
            above.set(title=self._title(step), xlabel="$w$")
            self._draw_risk(below, path.at[seen], path.risk[seen])
            below.set(xlabel="step", **heights)
            if k:  # the same scales as the first
                above.tick_params(labelleft=False)
                below.tick_params(labelleft=False, which="both")
        self.axes_[0, 0].set_ylabel(r"$-\theta$")
        self.axes_[1, 0].set_ylabel("$E(w)$")
        common_legend(self.axes_, own_figure=ax is None)
        return self

    def _title(self, step: float) -> str:
        if self.largest_stable is None:
            return rf"$\eta$ = {step:.3g}"
        part = step / self.largest_stable
        word = "too small" if part < 0.1 else "right" if part < 1 else "too large"
        return f"{word}: $\\eta$ = {step:.3g}\n= {part:.3g} · $2/\\lambda_{{\\max}}$"

    def _draw_path(self, ax: Any, w: Array, b: Array) -> None:
        levels = self._levels()
        ax.contour(self.across, self.up, self.risk, levels=levels, colors=FAINT, linewidths=0.8)
        ax.plot(w, b, color=BLUE, linewidth=1.2, marker="o", markersize=3.5, label="steps")
        ax.plot(w[0], b[0], "s", color="white", markeredgecolor=INK, markersize=8, label="start")
        if self.bottom is not None:
            ax.plot(*self.bottom, "*", color=ORANGE, markeredgecolor=INK, markersize=14, label="minimum")
            ax.plot([], [], color=VERMILION, linestyle="--", linewidth=1.4, label="least $E$")
        to_one_scale(ax, self.across, self.up)

    def _levels(self) -> Array:
        """Contours closer together near the bottom, as those of a bowl seen from equal distances."""
        least, most = float(self.risk.min()), float(self.risk.max())
        return least + (most - least) * np.linspace(0.0, 1.0, 14)[1:] ** 2

    def _heights(self) -> dict[str, Any]:
        """One scale of E for all panels; a path that has strayed for good leaves through the top."""
        risks = np.concatenate([path.risk for path in self.descents])
        least = float(np.nanmin(risks)) if self.least is None else self.least
        most = min(float(np.nanmax(risks)), _LOST * max(path.risk[0] for path in self.descents))
        if least > 0 and differ_widely([least, most]):
            return {"yscale": "log", "ylim": (least / 1.5, most * 1.5)}
        pad = 0.08 * (most - least) or 1.0
        return {"ylim": (least - pad, most + pad)}

    def _draw_risk(self, ax: Any, at: NDArray[np.int64], risk: Array) -> None:
        ax.plot(at, risk, color=BLUE, linewidth=1.2, marker="o", markersize=3.5)
        if self.least is not None:
            ax.axhline(self.least, color=VERMILION, linestyle="--", linewidth=1.4)
        whole_numbers(ax.xaxis)
        ax.grid(alpha=0.25)


def _until_lost(path: Descent) -> slice:
    """The steps up to the first that ends too far up to be drawn."""
    lost = np.flatnonzero(~(path.risk <= _LOST * path.risk[0]))
    return slice(0, lost[0] + 1 if lost.size else None)


def _one_column(X: Any, y: Any, sample_weight: Any) -> ArrayRows:
    rows = from_arrays(np.reshape(X, (-1, 1)) if np.ndim(X) == 1 else X, y, sample_weight)
    if rows.n_columns != 1:
        raise ValueError(
            f"contours show two numbers, one weight and the intercept: X must have one column, got {rows.n_columns}"
        )
    return rows


def _risks(rows: ArrayRows, loss: Loss, across: Array, up: Array) -> Array:
    """E at each point (w, −θ) of the grid."""
    sign = _signs(rows)
    weight, total = rows.weights, np.zeros((len(up), len(across)))
    for part, x in blocks(rows.matrix, 128):
        total += loss.value(sign[part] * (up[:, None, None] + np.outer(across, x))) @ weight[part]
    return total


def _signs(rows: ArrayRows) -> NDArray[np.int8]:
    return rows.signs(1)


def _valley(rows: ArrayRows, loss: Loss) -> tuple[Array | None, float | None]:
    """The minimum and 2/λmax there; None where E only flattens out."""
    x = dense_block(rows.matrix, 0, rows.n_rows)
    middle, spread = x.mean(), x.std() or 1.0
    # in these units the bowl is round, and descent soon ends at its bottom
    path = gradient_descent(replace(rows, matrix=(x - middle) / spread), loss=loss, step="curvature", tol=1e-8)
    w = path.w[-1, 0] / spread
    bottom = np.array([w, -path.theta[-1] - w * middle])
    h = loss.curvature(_signs(rows) * (x[:, 0] * bottom[0] + bottom[1]))
    here = _largest_curvature(rows, h)
    if not path.converged or here < 1e-6 * _largest_curvature(rows, np.full_like(h, loss.steepest_curvature)):
        return None, None
    return bottom, 2.0 / here


def _largest_curvature(rows: ArrayRows, h: Array) -> float:
    """λmax of Σ ω h (x, 1)(x, 1)′."""
    return float(np.linalg.eigvalsh([curvature_product(rows, h * rows.weights, e) for e in np.eye(2)])[-1])


def _telling_steps(loss: Loss, largest_stable: float | None) -> list[float]:
    if largest_stable is None:
        flat = "E of these rows flattens out and" if loss.smooth else f"the {loss.name} loss"
        raise ValueError(f"{flat} has no curvature to take step sizes from; give steps=[...]")
    # where the bowl is flatter further up, even steps that are a little too large stay in it
    oscillating = 1.02 if loss is SQUARED else 1.6
    return [part * largest_stable for part in (0.02, 0.5, oscillating)]


def _in_sight(descents: tuple[Descent, ...], bottom: Array | None, least: float | None) -> tuple[Array, Array]:
    """Coordinates of a grid around the paths as far as they have not strayed, and the minimum."""
    seen = [] if bottom is None else [bottom]
    for path in descents:
        floor = path.risk.min() if least is None else least
        near = path.risk - floor <= _STRAYED * (path.risk[0] - floor)
        seen.extend(np.column_stack([path.w[:, 0], -path.theta])[near])
    return window(np.array(seen), _GRID)
