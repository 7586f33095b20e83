"""What each threshold earns: expected gain against θ and against false alarm.

    E(θ) = E₀ − c_M P_M(θ) − c_F P_F(θ),      c_M = P1(α − β),   c_F = P2(δ − γ)

The band is that of `gain_band`: it holds at each θ for itself, with the priors taken as known.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from discriminant.gain.band import gain_band
from discriminant.gain.curve import OperatingCurve
from discriminant.gain.expected import gain_along
from discriminant.gain.matrix import Gain
from discriminant.gain.thresholds import Threshold, best_threshold
from discriminant.parameters import read_choice, read_share
from discriminant.plots.canvas import BLUE, INK, common_legend, legend_of
from discriminant.plots.curve_display import (
    STAR,
    CurveDisplay,
    amount,
    gain_for,
    refuse_other_than_curve,
    threshold_text,
)
from discriminant.plots.names import shorten, with_unit
from discriminant.plots.scores import shown_places, threshold_at

Array = NDArray[np.float64]

_AGAINST = ("both", "threshold", "false alarm")


@dataclass(kw_only=True, eq=False)
class GainDisplay(CurveDisplay):
    """Expected gain of a row against θ, and against the false-alarm rate, with a band and the best point.

    Make it with `from_estimator`, `from_predictions` or `from_curve`. After `plot`, ``axes_`` holds the panels, ``ax_``
    the first of them and ``figure_`` the figure.

    Parameters
    ----------
    curve : an `OperatingCurve`.
    gain, priors : what assignments earn, and how common the classes are, both in the order of the curve's classes.
    chosen : the `Threshold` to mark.
    confidence : of the band, or None.
    against : "both", "threshold" or "false alarm".

    >>> from matplotlib.figure import Figure
    >>> y, score, axes = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], Figure().subplots(1, 2)
    >>> GainDisplay.from_predictions(y, score, gain=[[0, -1], [-5, 0]], ax=axes).chosen.expected_gain
    -0.25
    """

    curve: OperatingCurve
    gain: Gain
    priors: Array
    chosen: Threshold
    confidence: float | None = 0.95
    against: str = "both"

    @classmethod
    def from_curve(
        cls,
        curve: OperatingCurve,
        *,
        gain: Any,
        priors: Any = None,
        threshold: Any = None,
        confidence: float | None = 0.95,
        against: str = "both",
        ax: Any = None,
    ) -> Self:
        """Draw what the thresholds of a curve earn.

        Parameters
        ----------
        gain : a `Gain` or 2×2 matrix, true × assigned.
        priors : class probabilities where θ will be used; by default the shares of the rows.
        threshold : the θ to mark in place of the best one: a number, or what `best_threshold` returns.
        confidence : of the band; None draws none.
        against : "threshold" or "false alarm" for one panel, "both" for two.
        """
        refuse_other_than_curve(curve)
        value = gain_for(curve, gain)
        best = best_threshold(curve, gain=value, priors=priors) if threshold is None else threshold_at(curve, threshold)
        return cls(
            curve=curve,
            gain=value,
            priors=curve.priors(priors),
            chosen=best,
            confidence=None if confidence is None else read_share(confidence, "confidence"),
            against=read_choice(against, _AGAINST, "against"),
        ).plot(ax=ax)

    # --- drawing ----------------------------------------------------------------------------------------

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes given (two where gain is drawn against both), or on new ones."""
        two = self.against == "both"
        self._take_axes(ax, (1, 2) if two else (1, 1), (11.0 if two else 6.4, 4.9))
        draw = {"threshold": self._against_threshold, "false alarm": self._against_false_alarm}
        for one, kind in zip(self.axes_.flat, _AGAINST[1:] if two else (self.against,), strict=True):
            draw[kind](one)
            one.set(ylabel=with_unit("expected gain of a row", self.gain.unit))
            one.grid(alpha=0.25)
        if two:
            self.axes_[0, 1].set(ylabel="")
            common_legend(self.axes_, own_figure=ax is None)
        else:
            legend_of(self.ax_)
        return self

    @property
    def earned(self) -> Array:
        """The expected gain at every θ of the curve."""
        return gain_along(self.curve, self.gain, self.priors)

    def _against_threshold(self, ax: Any) -> None:
        """A staircase: the gain changes at scores only, and the value at a score holds up to the next higher one."""
        shown = shown_places(self.curve)
        finite = self.curve.thresholds[np.isfinite(self.curve.thresholds)]
        least, most = (finite[-1], finite[0]) if finite.size else (0.0, 0.0)
        beyond = 0.04 * (most - least) or max(1.0, abs(most))
        theta = np.clip(self.curve.thresholds[shown], least - beyond, most + beyond)[::-1]
        theta = np.append(theta, most + beyond)
        places = np.append(shown[::-1], shown[0])  # above the highest score no row is assigned, as at it
        self._draw(ax, theta, places, float(np.clip(self.chosen.threshold, least - beyond, most + beyond)), steps=True)
        positive = shorten(self.curve.positive)
        ax.set(xlabel=f"θ: “{positive}” where the score is above θ", xlim=(least - beyond, most + beyond))

    def _against_false_alarm(self, ax: Any) -> None:
        shown = shown_places(self.curve)
        self._draw(ax, self.curve.false_alarm[shown], shown, self.chosen.false_alarm or 0.0, steps=False)
        ax.set(xlabel="false alarm", xlim=(-0.02, 1.02))

    def _draw(self, ax: Any, across: Array, places: NDArray[np.intp], chosen: float, *, steps: bool) -> None:
        style, fill = ("steps-post", "post") if steps else ("default", None)
        if self.confidence is not None and self.curve.n_rows:  # given rates have no rows to be sure by
            low, high = (part[places] for part in gain_band(self.curve, self.gain, self.priors, self.confidence))
            label = f"{100 * self.confidence:g}% band, at each θ"
            ax.fill_between(across, low, high, step=fill, color=BLUE, alpha=0.18, linewidth=0, label=label)
        earned = self.earned
        ax.plot(across, earned[places], color=BLUE, linewidth=1.9, drawstyle=style, label="expected gain")
        height = float(earned[self.chosen.index]) if self.chosen.index >= 0 else float(earned[0])
        label = f"{threshold_text(self.chosen)}: {amount(height, self.gain)}"
        ax.plot([chosen], [height], label=label, **STAR)
        ax.axvline(chosen, color=INK, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
