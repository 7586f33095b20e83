"""The rule that decides: a threshold on the score of two classes, or posteriors and gains of several.

For two classes with gains g (true × assigned) and posteriors p, class 2 earns more where

    p_2 (g_22 − g_21) > p_1 (g_11 − g_12),      log-odds > log((g_11 − g_12)/(g_22 − g_21)).

Thresholds follow from scores of rows the learner had not seen in three ways: where calibrated log-odds cross this value
("posterior"), where those rows earned the most ("tuned"), or where they agree that they would ("auto", see
`resampling`). The first is wrong where log-odds are not straight in the score; the second is right in the long run but
follows the chance of few rows; the third is the second without most of that chance.

Probabilities of a learner pass through Platt's method too, which leaves them as they are where held-out rows bear them
out and mends them where they are too sure of themselves. Of few rows its own targets pull them towards even odds; there
it is used only where its K numbers raise the log likelihood of held-out rows by more than K (Akaike's criterion), as
they do for naive Bayes with dependent columns.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from discriminant.cached import cached_property
from discriminant.decisions.aims import Aim, ThresholdCurve
from discriminant.decisions.calibration import ISOTONIC_ROWS, Calibration, OwnProbabilities, isotonic
from discriminant.decisions.held_out import HeldOut
from discriminant.decisions.prior_shift import shifted
from discriminant.decisions.resampling import resampled_threshold, resampled_threshold_of_aim
from discriminant.gain.choices import first_best
from discriminant.gain.curve import OperatingCurve, curve_of_codes
from discriminant.gain.matrix import Gain
from discriminant.gain.rates import gain_of_rates, stakes_of
from discriminant.parameters import read_choice
from discriminant.validation.estimator_scores import has_probabilities, weighs_classes

Array = NDArray[np.float64]

ThresholdChoice = Literal["auto", "posterior", "tuned"]
CalibrationChoice = Literal["auto", "platt", "isotonic"]

_ENOUGH_FOR_PLATT = 30  # rows of the smallest class


@dataclass(frozen=True)
class Rule:
    """How rows with scores are assigned, under the priors of where it is used."""

    calibrate: Callable[[], Calibration | None]  # asked when probabilities are
    priors: Array
    threshold: float | None = None

    @cached_property
    def calibration(self) -> Calibration | None:
        """What turns scores into probabilities; None where scores are only compared with the threshold."""
        return self.calibrate()

    def log_posteriors(self, scores: Array) -> Array:
        """log p(k | score) under the priors."""
        if self.calibration is None:
            raise ValueError("scores that are no probabilities need calibration= to decide by posteriors")
        logs = self.calibration.log_posteriors(scores)
        same = np.array_equal(self.calibration.priors, self.priors)
        return logs if same else shifted(logs, self.calibration.priors, self.priors)

    def beyond_threshold(self, scores: Array) -> Array:
        """How far scores of two classes lie beyond the threshold, or the log-odds where there is none."""
        if self.threshold is None:
            logs = self.log_posteriors(scores)
            return np.asarray(logs[:, 1] - logs[:, 0])
        with np.errstate(invalid="ignore"):
            beyond = scores[:, 0] - self.threshold
        return np.where(np.isnan(beyond), -np.inf, beyond)  # ∞ − ∞: no row is beyond an infinite threshold

    def assign(self, scores: Array, gain: Gain) -> NDArray[np.intp]:
        """The code of the assignment of each row."""
        if self.threshold is not None and not gain.has_reject:
            return (scores[:, 0] > self.threshold).astype(np.intp)
        return self.assign_by_posteriors(scores, gain)

    def assign_by_posteriors(self, scores: Array, gain: Gain) -> NDArray[np.intp]:
        """The code of the assignment of each row under a gain that the threshold was not made for."""
        return gain.decide(np.exp(self.log_posteriors(scores)))


@dataclass(frozen=True)
class RuleBuilder:
    """Makes rules out of held-out scores: which calibration, which threshold, which priors."""

    calibration: str | None  # "given", "platt", "isotonic" or None
    threshold: str | float  # how it is found, or itself
    given_priors: Array  # of the learner's own probabilities
    priors: Array  # where the rule is to be used
    aim: Aim | None = None  # in place of the gain

    def rule(self, held: HeldOut) -> Rule:
        """The rule these scores give."""
        rule = Rule(partial(build_calibration, self.calibration, self.given_priors, held), self.priors)
        if held.classes.size > 2 or held.gain.per_row:
            if not isinstance(self.threshold, str):
                raise ValueError(
                    "Only binary classification is supported with a given threshold, and one gain for all rows"
                )
            return rule
        return replace(rule, threshold=self._threshold(held, rule))

    def _threshold(self, held: HeldOut, rule: Rule) -> float:
        if not isinstance(self.threshold, str):
            return float(self.threshold)
        if self.aim is not None:
            return self._aimed_threshold(self.aim, curve_of(held))
        g = held.gain.matrix[:, :2]
        stakes = stakes_of(g)
        if (stakes <= 0).any():
            refuse_rewarded_errors(held.gain, held.classes)
            return np.inf if stakes[1] <= 0 else -np.inf  # one class is always the better answer
        if self.threshold == "posterior":
            expected = self._expected_threshold(rule.calibration, float(np.log(stakes[0] / stakes[1])))
            if expected is not None:
                return expected
        curve = curve_of(held)
        if self.threshold == "auto":
            return resampled_threshold(curve, g, self.priors)
        rates = curve.misdetect, curve.false_alarm
        return curve.robust_threshold(first_best(gain_of_rates(*rates, g, self.priors, curve.positive_place)))

    def _aimed_threshold(self, aim: Aim, curve: OperatingCurve) -> float:
        """Where held-out rows agree, or where they had the largest score, of one that has to be asked for."""
        if self.threshold == "auto" and aim.formula is not None:
            return resampled_threshold_of_aim(curve, aim)
        return aim.best_threshold(curve)

    def curve(self, held: HeldOut) -> ThresholdCurve:
        """What decisions about held-out rows of two classes are worth at each threshold."""
        curve = curve_of(held)
        if self.aim is not None:
            return self.aim.curve(curve)
        rates = curve.misdetect, curve.false_alarm
        gains = gain_of_rates(*rates, held.gain.matrix[:, :2], self.priors, curve.positive_place)
        return ThresholdCurve(curve.thresholds[::-1].copy(), gains[::-1].copy())

    def _expected_threshold(self, calibration: Calibration | None, log_odds: float) -> float | None:
        """Where the log-odds of a row are these, under the priors; None where only the rows can tell."""
        if calibration is None:
            return None
        moved = np.log(self.priors / calibration.priors)
        return calibration.score_at(float(log_odds - moved[1] + moved[0]))


def check_options(gain: Any, reject: Any, calibration: Any, threshold: Any, scoring: Any) -> None:
    """Refuse options that make no sense, or not together."""
    if isinstance(threshold, str | bool) or not isinstance(threshold, int | float | np.number):
        read_choice(threshold, get_args(ThresholdChoice), "threshold")
    elif np.isnan(threshold):
        raise ValueError("threshold is NaN; give a number, inf (the first class always) or -inf (the second)")
    elif reject is not None:
        raise ValueError("a given threshold decides between two classes; leave reject= out")
    if calibration is not None:
        read_choice(calibration, get_args(CalibrationChoice), "calibration")
    if scoring is None:
        return
    if gain is not None or reject is not None:
        raise ValueError("scoring= says what to aim for; leave gain= and reject= out, or scoring=")
    if threshold == "posterior":
        raise ValueError("threshold='posterior' follows from a gain; with scoring= take 'auto' or 'tuned'")


def assigned_across_folds(held: HeldOut, make: Callable[[HeldOut], Rule]) -> NDArray[np.intp]:
    """The assignment of each row by the rule of the other folds: never by one that it helped to make."""
    assigned = np.empty(held.codes.size, dtype=np.intp)
    single = held.folds.max() + 1 == held.codes.size  # one row a fold: the rule of all others is that of all
    for fold in [None] if single else np.unique(held.folds):
        inside = np.ones(held.codes.size, dtype=bool) if fold is None else held.folds == fold
        rule = make(held if fold is None else held.take(~inside))
        assigned[inside] = rule.assign(held.scores[inside], held.gain.take(inside))
    return assigned


def build_calibration(kind: str | None, given_priors: Array, held: HeldOut | None) -> Calibration | None:
    """What turns scores like these into probabilities; the learner's own need no scores."""
    if kind == "given":
        return OwnProbabilities(given_priors)
    if kind is None or held is None:
        return None
    return held.platt if kind == "platt" else isotonic(held.scores, held.codes, held.weight)


def refuse_rewarded_errors(gain: Gain, classes: NDArray[Any]) -> None:
    """Refuse a gain of two classes where no right answer earns more than the wrong one: it is likely turned round."""
    if gain.per_row or gain.n_classes != 2:
        return
    stakes = stakes_of(gain.matrix)
    if (stakes <= 0).all() and (stakes < 0).any():
        one, other = classes.tolist()
        raise ValueError(
            f"the gain rewards taking {one!r} for {other!r} and {other!r} for {one!r}; rows of the gain are true "
            "classes and columns assigned ones, with the larger gains on the diagonal"
        )


def refuse_deciding_without_posteriors(calibration: str | None, learner: Any, gain: Gain) -> None:
    """Only a threshold can do with scores that are no probabilities."""
    if calibration is None and (gain.n_classes > 2 or gain.per_row or gain.has_reject):
        raise ValueError(
            f"the scores of {type(learner).__name__} are no probabilities, and a threshold alone decides "
            "between two classes without rejecting, with one gain for all rows; set calibration='auto'"
        )


def curve_of(held: HeldOut) -> OperatingCurve:
    """The operating curve of held-out scores of two classes."""
    weight = None if (held.weight == 1.0).all() else held.weight
    negative, positive = held.classes.tolist()
    return curve_of_codes(held.scores[:, 0], held.codes, weight, (negative, positive), positive, code=1)


def chosen_calibration(calibration: Any, learner: Any, held: HeldOut, own_priors: Array) -> str | None:
    """Say "given", "platt", "isotonic" or None: what the option means for a learner and its rows."""
    probable = has_probabilities(learner)
    if calibration is None:
        return "given" if probable else None
    if calibration != "auto":
        return str(calibration)
    if not probable or weighs_classes(learner):
        return "isotonic" if held.counts.min() >= ISOTONIC_ROWS else "platt"
    return "platt" if held.counts.min() >= _ENOUGH_FOR_PLATT or _clearly_off(held, own_priors) else "given"


def _clearly_off(held: HeldOut, own_priors: Array) -> bool:
    """Whether Platt's probabilities make held-out rows likelier than the learner's, by Akaike's criterion."""

    def likelihood(calibration: Calibration) -> float:
        logs = Rule(lambda: calibration, held.shares).log_posteriors(held.scores)
        return float(held.weight @ logs[np.arange(held.codes.size), held.codes])

    return likelihood(held.platt) > likelihood(OwnProbabilities(own_priors)) + held.classes.size
