"""The threshold that held-out rows agree on.

What rows earn at each θ is a sum over them, E(θ) = Σ ω_i v_i [s_i > θ], with v the stake of a row: what it gains or
loses when it is assigned to the second class. The θ of largest E hangs on the few rows around it: it jumps when they
change, and errs by n^(−1/3) only. So rows are drawn again (Rubin's Bayesian bootstrap: every row counts as much as an
exponential number, a weight ω as a gamma number of that shape), each draw says which share of the rows it would
assign to the second class, and the mean of those shares is taken (Breiman's bagging, of one number). Where most draws
would give all rows the same answer, that is the answer.
"""

import numpy as np
from numpy.typing import NDArray

from discriminant.decisions.aims import Aim, Sums, sums_of
from discriminant.gain.curve import OperatingCurve

Array = NDArray[np.float64]

_FEWEST_DRAWS, _MOST_DRAWS = 200, 2000
_NUMBERS = 150_000  # to draw in all: where rows are few their mean share shakes most, and draws are cheap
_MOST_STEPS = 512  # that draws tell apart; θ itself is found among all scores


def resampled_threshold(curve: OperatingCurve, gain: Array, priors: Array) -> float:
    """θ at the mean share of rows that draws assign to the class of high scores; the same for the same rows."""
    i, j = curve.positive_place, 1 - curve.positive_place
    right = priors[i] * (gain[i, i] - gain[i, j]) / curve.positive_weight
    wrong = priors[j] * (gain[j, j] - gain[j, i]) / curve.negative_weight
    steps = curve.steps(_MOST_STEPS)
    return _mean_over_draws(curve, steps[_best_of_draws(curve, steps, right, wrong)])


def resampled_threshold_of_aim(curve: OperatingCurve, aim: Aim) -> float:
    """The same for a score that is a function of sums over the rows, not a sum itself."""
    steps = curve.steps(_MOST_STEPS)
    return _mean_over_draws(curve, steps[_best_of_drawn_sums(curve, steps, aim)])


def _mean_over_draws(curve: OperatingCurve, best: NDArray[np.intp]) -> float:
    """θ at the mean share of rows assigned, given the best point of the curve in each draw."""
    assigned = curve.detected + curve.alarms
    for end in (0, len(curve) - 1):
        if 2 * np.count_nonzero(best == end) >= best.size:
            return curve.robust_threshold(end)
    return curve.robust_threshold(int(np.abs(assigned - assigned[best].mean()).argmin()))


def _best_of_draws(curve: OperatingCurve, steps: NDArray[np.intp], right: float, wrong: float) -> NDArray[np.intp]:
    """Which of the steps each draw says earns most."""
    random = np.random.default_rng(0)
    draws = _number_of_draws(steps)
    earned = np.zeros((draws, steps.size))
    for stake, passed in ((right, curve.detected), (-wrong, curve.alarms)):
        counts = np.diff(passed[steps])
        some = np.flatnonzero(counts)
        earned[:, 1 + some] += stake * random.standard_gamma(counts[some], size=(draws, some.size))
    return np.asarray(np.cumsum(earned, axis=1).argmax(axis=1))


def _best_of_drawn_sums(curve: OperatingCurve, steps: NDArray[np.intp], aim: Aim) -> NDArray[np.intp]:
    """Which of the steps each draw says has the largest score."""
    random = np.random.default_rng(0)
    whole = sums_of(curve, steps)
    detected, missed = _draw_sums(whole.detected, curve.positive_weight, random)
    alarms, rejected = _draw_sums(whole.alarms, curve.negative_weight, random)
    sums = Sums(detected, alarms, missed, rejected)
    values = aim.values(sums if aim.priors is None else sums.reweighted(aim.priors / curve.shares))
    return np.asarray(values.argmax(axis=1))


def _draw_sums(passed: Array, total: float, random: np.random.Generator) -> tuple[Array, Array]:
    """What lies above and below each step in each draw (draws×steps), for rows of one class."""
    between = np.concatenate([[passed[0]], np.diff(passed), [max(total - float(passed[-1]), 0.0)]])
    counts = np.zeros((_number_of_draws(passed), between.size))
    some = np.flatnonzero(between > 0)
    counts[:, some] = random.standard_gamma(between[some], size=(len(counts), some.size))
    above = np.cumsum(counts, axis=1)
    return above[:, :-1], np.maximum(above[:, -1:] - above[:, :-1], 0.0)


def _number_of_draws(steps: NDArray[np.number]) -> int:
    return min(max(_NUMBERS // steps.size, _FEWEST_DRAWS), _MOST_DRAWS)
