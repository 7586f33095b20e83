"""Which θ to use: the point of an operating curve that is best for a purpose."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.gain.alignment import align_with_curve
from discriminant.gain.choices import (
    best_of_worst,
    first_best,
    least_errors,
    within_budget,
    within_false_alarm,
    within_misdetect,
)
from discriminant.gain.curve import OperatingCurve, operating_curve
from discriminant.gain.expected import gain_along
from discriminant.gain.matrix import Gain
from discriminant.gain.rates import joint_table
from discriminant.parameters import read_choice, read_share
from discriminant.statistics.score_counts import ScoreCounts

Array = NDArray[np.float64]

Purpose = Literal["gain", "accuracy", "youden", "minimax", "neyman-pearson", "budget"]


@dataclass(frozen=True, eq=False)
class Threshold:
    """A chosen θ and what it does; assign the positive class where score > ``threshold``.

    ``misdetect`` and ``false_alarm`` are None where the class has no rows, ``expected_gain`` where no gain was given.
    ``joint`` is P(true, assigned) in the order of ``classes``, ``index`` the point of the curve. ``gain_error`` bounds
    what a curve of counted scores (`ScoreCounts`) may have cost: no θ earns more than ``expected_gain + gain_error``.
    """

    threshold: float
    index: int
    by: str
    misdetect: float | None
    false_alarm: float | None
    expected_gain: float | None
    joint: Array
    assigned: float
    classes: tuple[Any, Any]
    positive: Any
    unit: str = ""
    gain_error: float = 0.0
    claim: str = ""

    def __float__(self) -> float:
        return self.threshold

    def decide(self, score: Any) -> NDArray[np.bool_]:
        """Whether each score is assigned the positive class."""
        return np.asarray(np.asarray(score, dtype=np.float64) > self.threshold)

    def __str__(self) -> str:
        if np.isneginf(self.threshold):
            rule = f"Assign {self.positive!r} to every row"
        elif np.isposinf(self.threshold):
            rule = f"Assign {self.positive!r} to no row"
        else:
            rule = f"Assign {self.positive!r} where the score is above {self.threshold:.6g}"
        parts = [rule, f"{self.assigned:.3g} of the rows" if np.isfinite(self.threshold) else ""]
        if self.misdetect is not None and self.false_alarm is not None:
            parts.append(f"misdetect rate {self.misdetect:.3g}, false-alarm rate {self.false_alarm:.3g}")
        if self.expected_gain is not None:
            parts.append(f"expected gain {self.expected_gain:.4g}{' ' + self.unit if self.unit else ''} a row")
        return "; ".join(p for p in (*parts, self.claim) if p) + "."


def best_threshold(
    curve: Any,
    score: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    by: Purpose | None = None,
    gain: Any = None,
    priors: ArrayLike | Mapping[Any, float] | None = None,
    misdetect: float | None = None,
    false_alarm: float | None = None,
    confidence: float | None = None,
    budget: float | None = None,
    positive: Any = None,
) -> Threshold:
    """The best θ of an operating curve (or of y and score, or of a `ScoreCounts`).

    Parameters
    ----------
    curve : an `OperatingCurve`, a `ScoreCounts`, or the labels y of the rows.
    score, sample_weight : of the rows, where ``curve`` is their labels.
    by : the purpose, as the notes say. By default what the options say: "neyman-pearson" with a bound,
        "budget" with a budget, otherwise "gain".
    gain : a `Gain` or 2×2 matrix, true × assigned; needed by "gain", used by "minimax", reported by the others.
    priors : class probabilities where θ will be used; by default the shares of the rows.
    misdetect, false_alarm : the bound of "neyman-pearson": one of the two.
    confidence : such as 0.95: the bound holds for the true rate with this confidence, not only among these rows.
    budget : of "budget": a whole number of these rows, or a share below one.
    positive : the class of high scores, where ``curve`` is the labels; by default the second in order.

    Returns
    -------
    Threshold
        θ with its rates, what it earns, and how it was chosen.

    Notes
    -----
    The purposes, with P_M and P_F the misdetect and false-alarm rates:

        gain             largest E = −P_M P1(α − β) − P_F P2(δ − γ) + αP1 + δP2
        accuracy         the same with gain 1 for right and 0 for wrong
        youden           least P_M + P_F
        minimax          largest gain under the worst priors: max_θ min over classes of the gain in that class
                         (without a gain, least max(P_M, P_F))
        neyman-pearson   least P_F with P_M ≤ a bound, or least P_M with P_F ≤ a bound; with a confidence, the bound
                         holds for the true rate in at least that share of samples (see `bounds`)
        budget           as many rows as possible, but no more than a number or a share

    Of thresholds that are equally good, the highest is taken (see `choices`).

    Examples
    --------
    >>> found = best_threshold([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], gain=[[0, -1], [-5, 0]])
    >>> round(found.threshold, 9), found.misdetect, found.false_alarm, found.expected_gain
    (0.225, 0.0, 0.5, -0.25)
    """
    points = _read_curve(curve, score, sample_weight, positive)
    purpose = _read_purpose(by, misdetect, false_alarm, confidence, budget)
    value = None if gain is None else align_with_curve(gain, points)
    if value is None and purpose == "gain":
        raise ValueError("by='gain' needs gain=, a 2×2 matrix of true × assigned; by='accuracy' needs none")
    index = _choose_index(points, purpose, value, priors, misdetect, false_alarm, confidence, budget)
    return _threshold(points, index, purpose, value, priors, _claim(misdetect, false_alarm, confidence))


def _choose_index(
    curve: OperatingCurve,
    purpose: str,
    gain: Gain | None,
    priors: Any,
    misdetect: Any,
    false_alarm: Any,
    confidence: Any,
    budget: Any,
) -> int:
    if purpose == "youden":
        return least_errors(curve)
    if purpose == "minimax":
        return best_of_worst(curve, np.eye(2) if gain is None else gain.matrix)
    if purpose == "budget":
        return within_budget(curve, budget, priors)
    if purpose == "neyman-pearson":
        level = None if confidence is None else read_share(confidence, "confidence")
        if misdetect is not None:
            return within_misdetect(curve, read_share(misdetect, "misdetect"), level)
        return within_false_alarm(curve, read_share(false_alarm, "false_alarm"), level)
    return first_best(gain_along(curve, np.eye(2) if purpose == "accuracy" else gain, priors))


def _claim(misdetect: Any, false_alarm: Any, confidence: Any) -> str:
    """What a bound promises, in words."""
    if misdetect is None and false_alarm is None:
        return ""
    name, bound = ("misdetect", misdetect) if misdetect is not None else ("false-alarm", false_alarm)
    if confidence is None:
        return f"the {name} rate among these rows is at most {bound:g}"
    return f"the {name} rate is at most {bound:g} with confidence {confidence:g}"


def _read_curve(curve: Any, score: Any, sample_weight: Any, positive: Any) -> OperatingCurve:
    if isinstance(curve, OperatingCurve):
        if score is not None or sample_weight is not None or positive is not None:
            raise ValueError("an OperatingCurve carries its scores, weights and positive class; pass options only")
        return curve
    if score is None and not isinstance(curve, ScoreCounts):
        raise TypeError(
            f"best_threshold takes an OperatingCurve, a ScoreCounts, or y and score; got {type(curve).__name__}"
        )
    return operating_curve(curve, score, sample_weight, positive=positive)


def _read_purpose(by: str | None, misdetect: Any, false_alarm: Any, confidence: Any, budget: Any) -> str:
    bounded = misdetect is not None or false_alarm is not None
    implied = "neyman-pearson" if bounded else "budget" if budget is not None else "gain"
    purpose = implied if by is None else read_choice(by, get_args(Purpose), "by")
    if (bounded or confidence is not None) and purpose != "neyman-pearson":
        raise ValueError("misdetect=, false_alarm= and confidence= belong to by='neyman-pearson'")
    if budget is not None and purpose != "budget":
        raise ValueError("budget= belongs to by='budget'")
    if purpose == "neyman-pearson" and (misdetect is None) == (false_alarm is None):
        raise ValueError("by='neyman-pearson' needs one bound: misdetect= or false_alarm=")
    if purpose == "budget" and budget is None:
        raise ValueError("by='budget' needs budget=, a number of rows or a share")
    return purpose


def _threshold(
    curve: OperatingCurve, index: int, purpose: str, gain: Gain | None, priors: Any, claim: str
) -> Threshold:
    at = curve.point(index)
    both = curve.positive_weight > 0 and curve.negative_weight > 0
    missed = float(at.misdetect[0]) if both else None
    alarms = float(at.false_alarm[0]) if both else None
    expected = None if gain is None else float(gain_along(at, gain, priors)[0])
    joint = _joint_at(curve, index, priors)
    return Threshold(
        curve.robust_threshold(index),
        index,
        purpose,
        missed,
        alarms,
        expected,
        joint,
        float(joint[:, curve.positive_place].sum()),
        curve.classes,
        curve.positive,
        "" if gain is None else gain.unit,
        _gain_error(curve, gain, priors, expected) if purpose == "gain" else 0.0,
        claim,
    )


def _joint_at(curve: OperatingCurve, index: int, priors: Any) -> Array:
    """P(true, assigned); a class without rows has rate zero and prior zero."""
    missed, alarms = curve.positive_weight - curve.detected[index], curve.alarms[index]
    p_m = missed / curve.positive_weight if curve.positive_weight else 0.0
    p_f = alarms / curve.negative_weight if curve.negative_weight else 0.0
    return joint_table(p_m, p_f, curve.priors(priors), positive=curve.positive_place)


def _gain_error(curve: OperatingCurve, gain: Gain | None, priors: Any, expected: float | None) -> float:
    """How much more a θ inside a cell could earn: at best one where the rows that pay come first in every cell."""
    if curve.relative_width == 0.0 or gain is None or expected is None:
        return 0.0
    i = curve.positive_place
    p = curve.priors(priors)
    stake = p * (gain.matrix[:, i] - gain.matrix[:, 1 - i])  # of assigning the positive class, by true class
    rises = np.maximum(stake[i] * np.diff(curve.detected, prepend=0.0) / max(curve.positive_weight, 1e-300), 0.0)
    rises += np.maximum(stake[1 - i] * np.diff(curve.alarms, prepend=0.0) / max(curve.negative_weight, 1e-300), 0.0)
    along = gain_along(curve, gain, priors)
    # θ = ∞ is no cell: nothing, or infinite scores only, lies there
    return max(float((along[:-1] + rises[1:]).max(initial=expected)) - expected, 0.0)
