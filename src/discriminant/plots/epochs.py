"""Mistakes, or the loss, epoch by epoch."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from discriminant.learners.adaline import Adaline
from discriminant.plots.canvas import BLUE, INK, ORANGE, VERMILION, Display, differ_widely, legend_of, whole_numbers
from discriminant.plots.models import columns_of_last_step, last_step

Array = NDArray[np.float64]

_MARKED_EPOCHS = 40


@dataclass(kw_only=True, eq=False)
class EpochsDisplay(Display):
    """How learning went on. Make it with `from_estimator`; after `plot` it has ``ax_`` and ``figure_``.

    Parameters
    ----------
    values : "mistakes" in each epoch, or "loss" before the first and after each; ``quantity`` says which.
    converged : whether learning ended by itself.
    level : a height to compare with, or None; ``level_name`` says what it is.
    name : of the learner, in the title and the legend.
    """

    values: Array
    quantity: str
    converged: bool
    level: float | None
    level_name: str
    name: str

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any = None, y: Any = None, *, sample_weight: Any = None, ax: Any = None
    ) -> Self:
        """Draw ``mistakes_`` (perceptron, pocket) or ``loss_`` (Adaline) of a fitted model or a pipeline's last step.

        With the rows X, y that Adaline was fitted to, its loss is shown beside the least one there is.

        >>> from discriminant import Perceptron
        >>> from matplotlib.figure import Figure
        >>> model = Perceptron(shuffle=False).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
        >>> EpochsDisplay.from_estimator(model, ax=Figure().subplots()).values.tolist()
        [2, 3, 3, 2, 2, 3, 2, 1, 0]
        """
        check_is_fitted(model)
        learner = last_step(model)
        if hasattr(learner, "mistakes_"):
            values, quantity = learner.mistakes_, "mistakes"
            level, level_name = _pocket_level(learner)
        elif hasattr(learner, "loss_"):
            values, quantity = learner.loss_, "loss"
            level, level_name = _least_loss(model, X, y, sample_weight), "least squares"
        else:
            raise TypeError(f"{type(learner).__name__} has neither mistakes_ nor loss_ of each epoch to draw")
        return cls(
            values=values,
            quantity=quantity,
            converged=bool(learner.converged_),
            level=level,
            level_name=level_name,
            name=type(learner).__name__,
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on these axes, or on new ones."""
        self._take_axes(ax, (1, 1), (6.4, 4.4))
        counted = self.quantity == "mistakes"
        epochs = np.arange(len(self.values)) + counted
        marker = "o" if len(epochs) <= _MARKED_EPOCHS else None
        self.ax_.plot(epochs, self.values, color=BLUE, linewidth=1.6, marker=marker, markersize=5, label=self.name)
        if self.level is not None:
            self.ax_.axhline(self.level, color=VERMILION, linestyle="--", linewidth=1.6, label=self.level_name)
        if self.converged:
            style = {"marker": "*", "markersize": 16, "markeredgecolor": INK, "linestyle": "none", "clip_on": False}
            self.ax_.plot(epochs[-1], self.values[-1], color=ORANGE, zorder=3, label="converged", **style)
        self._scale_counts() if counted else self._scale_loss()
        whole_numbers(self.ax_.xaxis)
        self.ax_.set(xlabel="epoch", title=self._title(int(epochs[-1])))
        self.ax_.grid(alpha=0.25)
        legend_of(self.ax_)
        return self

    def _scale_counts(self) -> None:
        self.ax_.set_ylabel("mistakes in the epoch")
        if differ_widely(self.values):
            self.ax_.set_yscale("symlog", linthresh=1.0)  # a logarithmic scale that has the zero they end at
            self.ax_.yaxis.set_major_formatter("{x:g}")
        else:
            whole_numbers(self.ax_.yaxis)
        self.ax_.set_ylim(bottom=0)

    def _scale_loss(self) -> None:
        self.ax_.set_ylabel(r"$E(w)$ = ½ Σ $(c - w \cdot x + \theta)^2$")
        if differ_widely(self.values):
            self.ax_.set_yscale("log")

    def _title(self, n_epochs: int) -> str:
        ended = "converged" if self.converged else "stopped"
        return f"{self.name}: {ended} after {n_epochs} epoch{'s' if n_epochs != 1 else ''}"


def _pocket_level(learner: Any) -> tuple[float | None, str]:
    if not hasattr(learner, "pocket_errors_"):
        return None, ""
    errors = float(np.sum(learner.pocket_errors_))
    return errors, f"in the pocket: {errors:g} wrong"


def _least_loss(model: Any, X: Any, y: Any, sample_weight: Any) -> float | None:
    """E of the least-squares plane."""
    if X is None:
        return None
    best = Adaline(rule="closed-form").fit(columns_of_last_step(model, X), y, sample_weight)
    return float(best.loss_[-1])
