"""Pictures of an operating curve, and of what is chosen on it.

They are made of a curve, which may come from scores or from a classifier; so each says its own options once, in
``from_curve``.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Self

from discriminant.gain.alignment import align_with_curve
from discriminant.gain.curve import OperatingCurve, operating_curve
from discriminant.gain.matrix import Gain
from discriminant.gain.thresholds import Threshold
from discriminant.plots.canvas import INK, VERMILION, Display, as_text
from discriminant.plots.names import number
from discriminant.plots.scores import score_of

STAR: dict[str, Any] = {
    "marker": "*",
    "markersize": 16,
    "color": VERMILION,
    "markeredgecolor": INK,
    "linestyle": "none",
    "zorder": 4,
    "clip_on": False,
}  # the point chosen


class CurveDisplay(Display):
    """A display made of the curve of a classifier on rows, of scores, or of a curve there is already."""

    from_curve: ClassVar[Callable[..., Any]]  # a curve, and the options of the picture

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: Any, *, positive: Any = None, sample_weight: Any = None, **options: Any
    ) -> Self:
        """Draw a fitted classifier on rows it has not seen.

        ``positive`` is the class to be detected: by default the second. It is needed where there are more than two.
        The other options are those of `from_curve`.
        """
        score, positive = score_of(model, X, positive)
        return cls.from_predictions(y, score, positive=positive, sample_weight=sample_weight, **options)

    @classmethod
    def from_predictions(
        cls, y: Any, score: Any, *, positive: Any = None, sample_weight: Any = None, **options: Any
    ) -> Self:
        """Draw scores, such as those of rows left out of the fit; options as in `from_estimator`."""
        made: Self = cls.from_curve(operating_curve(y, score, sample_weight, positive=positive), **options)
        return made


def refuse_other_than_curve(curve: Any) -> None:
    """A picture of rates needs a curve, of rows of both classes."""
    if not isinstance(curve, OperatingCurve):
        raise TypeError(f"curve must be what operating_curve returns, got {type(curve).__name__}")
    curve.refuse_missing_class()


def gain_for(curve: OperatingCurve, gain: Any) -> Gain:
    """What assignments earn, in the order of the curve's classes."""
    return align_with_curve(gain, curve)


def threshold_text(chosen: Threshold) -> str:
    """What θ was chosen, and by what."""
    by = "θ" if chosen.by == "given" else f"best θ by {chosen.by}"
    return f"{by} = {number(chosen.threshold)}"


def amount(value: float, gain: Gain) -> str:
    """A gain with its unit."""
    return number(value) + (f" {as_text(gain.unit)}" if gain.unit else "")
