"""The operating curve: misdetect against false alarm, the point chosen on it, and lines of equal gain.

    E = E₀ − P_M P1(α − β) − P_F P2(δ − γ)

is linear in both rates, so pairs of rates that earn the same lie on parallel lines; the best θ is where the farthest of
them touches the curve.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from discriminant.forks import importing
from discriminant.gain.curve import OperatingCurve
from discriminant.gain.expected import gain_along
from discriminant.gain.matrix import Gain
from discriminant.gain.rates import gain_of_rates
from discriminant.gain.thresholds import Threshold, best_threshold
from discriminant.parameters import read_share
from discriminant.plots.canvas import BLUE, FAINT, GREEN, INK, ORANGE, PURPLE, as_text
from discriminant.plots.curve_display import (
    STAR,
    CurveDisplay,
    amount,
    gain_for,
    refuse_other_than_curve,
    threshold_text,
)
from discriminant.plots.models import last_step
from discriminant.plots.names import number, shorten, with_unit
from discriminant.plots.scores import Rates, rates_of_decisions, score_of, shown_places, threshold_at

_LOOKS = ((BLUE, "-"), (ORANGE, (0, (6, 2))), (GREEN, (0, (4, 2, 1, 2))), (PURPLE, (0, (1.5, 1.5))))
_CURVE = "operating curve"
_SMALL = 1e-9  # beside the largest gain: no lines of equal gain for less


@dataclass(kw_only=True, eq=False)
class OperatingCurveDisplay(CurveDisplay):
    """Misdetect against false alarm for every θ; nearer the lower left corner is better.

    Make it with `from_estimator`, `from_predictions` or `from_curve`; several may be drawn on one axes. After `plot`,
    ``ax_`` holds the axes, ``figure_`` the figure, ``curve_`` the line of the curve.

    Parameters
    ----------
    curve : an `OperatingCurve`.
    chosen : the `Threshold` to mark, or None.
    decided : the rates of a model's own decisions, or None.
    gain, priors : of the lines of equal gain, or None.
    confidence : of the band, or None. At each θ the true pair of rates lies in it with at least this probability.
    name : of what gave the scores.

    >>> from matplotlib.figure import Figure
    >>> made = OperatingCurveDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ax=Figure().subplots())
    >>> made.curve.auc
    0.75
    """

    curve: OperatingCurve
    chosen: Threshold | None = None
    decided: Rates | None = None
    gain: Gain | None = None
    priors: Any = None
    confidence: float | None = 0.95
    name: str = ""

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any,
        *,
        positive: Any = None,
        sample_weight: Any = None,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of a fitted classifier on rows it has not seen, and the point it decides at itself.

        ``positive`` is the class to be detected: by default the second. It is needed where there are more than two.
        The other options are those of `from_curve`; ``name`` is by default the kind of classifier.
        """
        score, positive = score_of(model, X, positive)
        return cls.from_predictions(
            y,
            score,
            positive=positive,
            sample_weight=sample_weight,
            decided=rates_of_decisions(y, model.predict(X), positive, sample_weight),
            name=type(last_step(model)).__name__ if name is None else name,
            **options,
        )

    @classmethod
    def from_curve(
        cls,
        curve: OperatingCurve,
        *,
        gain: Any = None,
        priors: Any = None,
        threshold: Any = None,
        decided: Rates | None = None,
        confidence: float | None = 0.95,
        name: str = "",
        ax: Any = None,
    ) -> Self:
        """Draw a curve there is already.

        Parameters
        ----------
        gain : a `Gain` or 2×2 matrix, true × assigned: draws lines of equal gain and marks the best θ.
        priors : class probabilities where θ will be used; by default the shares of the rows.
        threshold : the θ to mark in place of the best one: a number, or what `best_threshold` returns.
        decided : the pair (false alarm, misdetect) of decisions taken, to mark as well.
        confidence : of the band; None draws none.
        name : of what gave the scores.
        """
        refuse_other_than_curve(curve)
        value = None if gain is None else gain_for(curve, gain)
        chosen = None if threshold is None else threshold_at(curve, threshold)
        if chosen is None and value is not None:
            chosen = best_threshold(curve, gain=value, priors=priors)
        return cls(
            curve=curve,
            chosen=chosen,
            decided=decided,
            gain=value,
            priors=curve.priors(priors),
            confidence=None if confidence is None else read_share(confidence, "confidence"),
            name=name,
        ).plot(ax=ax)

    # --- drawing ----------------------------------------------------------------------------------------

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes given, or on new ones; on axes with curves already, one more."""
        self._take_axes(ax, (1, 1), (6.4, 6.6))
        earlier = sum(line.get_gid() == _CURVE for line in self.ax_.lines)
        self._draw_curve(*_LOOKS[earlier % len(_LOOKS)])
        if not earlier:
            self._draw_frame()
        if self.gain is not None and not earlier:
            self._draw_equal_gains(self.gain)
        self._draw_points(repeated=earlier > 0)
        self.ax_.legend(loc="upper right", framealpha=0.9)  # good curves leave that corner free
        return self

    def _draw_curve(self, colour: str, dashes: Any) -> None:
        shown = shown_places(self.curve)
        label = f"{as_text(self.name) + ', ' if self.name else ''}AUC {self.curve.auc:.3f}"
        across, up = self.curve.false_alarm[shown], self.curve.misdetect[shown]
        look = {"color": colour, "linestyle": dashes, "linewidth": 2.0, "gid": _CURVE, "zorder": 3}
        (self.curve_,) = self.ax_.plot(across, up, label=label, **look)
        if self.confidence is None or not self.curve.n_rows:  # given rates have no rows to be sure by
            return
        # both rates within their bounds at once: they are independent
        bands = self.curve.bands(float(np.sqrt(self.confidence)))
        low = np.column_stack([bands.false_alarm_low, bands.misdetect_low])[shown]
        high = np.column_stack([bands.false_alarm_high, bands.misdetect_high])[shown]
        corners = np.vstack([low, high[::-1]])
        label = f"{100 * self.confidence:g}% band"
        (self.band_,) = self.ax_.fill(*corners.T, color=colour, alpha=0.15, linewidth=0, label=label)

    def _draw_frame(self) -> None:
        other = self.curve.classes[1 - self.curve.positive_place]
        positive, negative = shorten(self.curve.positive), shorten(other)
        self.ax_.plot([0, 1], [1, 0], color=FAINT, linewidth=1.0, linestyle=(0, (1, 2)), label="chance")
        self.ax_.set(
            xlim=(-0.02, 1.02),
            ylim=(-0.02, 1.02),
            aspect="equal",
            xlabel=f"false alarm: share of “{negative}” called “{positive}”",
            ylabel=f"misdetect: share of “{positive}” missed",
            title=f"Every threshold for “{positive}”",
        )
        self.ax_.grid(alpha=0.25)

    def _draw_equal_gains(self, gain: Gain) -> None:
        """Lines of equal gain, some at round figures with their gain and one through the best point."""
        with importing:
            from matplotlib.ticker import MaxNLocator

        ends = np.array([0.0, 1.0])
        earned = gain_of_rates(
            ends[:, None], ends[None, :], gain.matrix, np.asarray(self.priors), self.curve.positive_place
        )
        if np.ptp(earned) <= _SMALL * np.abs(gain.matrix).max():
            return
        look = {"colors": INK, "linestyles": "dashed", "zorder": 2}
        levels = MaxNLocator(7).tick_values(earned.min(), earned.max())
        self.equal_gains_ = self.ax_.contour(ends, ends, earned, levels=levels, linewidths=0.8, alpha=0.45, **look)
        middles = [path.vertices.mean(axis=0) for path in self.equal_gains_.get_paths() if len(path.vertices) > 1]
        for text in self.ax_.clabel(self.equal_gains_, fontsize="small", fmt=number, manual=middles):
            text.set_alpha(0.9)
        self.ax_.plot([], [], color=INK, ls="--", lw=0.8, alpha=0.6, label=with_unit("equal gain", gain.unit))
        best = float(gain_along(self.curve, gain, self.priors).max())
        if earned.min() < best < earned.max():
            self.ax_.contour(ends, ends, earned, levels=[best], linewidths=1.5, **look)

    def _draw_points(self, *, repeated: bool) -> None:
        """A star for the θ chosen, a square for what the model does itself."""
        if self.decided is not None:
            label = None if repeated else "as the model decides"
            square = STAR | {"marker": "s", "color": "white", "markersize": 8}
            self.ax_.plot(*self.decided, label=label, **square)
        if self.chosen is not None:
            at = [self.chosen.false_alarm, self.chosen.misdetect]
            (self.point_,) = self.ax_.plot(*zip(at), label=self._chosen_label(self.chosen), **STAR)

    def _chosen_label(self, chosen: Threshold) -> str:
        if self.gain is None or chosen.expected_gain is None:
            return threshold_text(chosen)
        return f"{threshold_text(chosen)}: gain {amount(chosen.expected_gain, self.gain)} a row"
