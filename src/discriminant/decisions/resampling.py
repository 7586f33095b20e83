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

from discriminant.gain.curve import OperatingCurve

Array = NDArray[np.float64]

_FEWEST_DRAWS, _MOST_DRAWS = 200, 2000
_NUMBERS = 150_000  # to draw in all: where rows are few their mean share shakes most, and draws are cheap
_MOST_STEPS = 512  # that draws tell apart; θ itself is found among all scores


def agreed_threshold(curve: OperatingCurve, gain: Array, priors: Array) -> float:
    """θ at the mean share of rows that draws assign to the class of high scores; the same for the same rows."""
    assigned = curve.detected + curve.alarms
    steps = _steps(curve)
    best = steps[_best_of_draws(curve, steps, gain, priors)]
    for end in (0, len(curve) - 1):
        if 2 * np.count_nonzero(best == end) >= best.size:
            return curve.robust_threshold(end)
    return curve.robust_threshold(int(np.abs(assigned - assigned[best].mean()).argmin()))


def _steps(curve: OperatingCurve) -> NDArray[np.intp]:
    """Points of the curve, with about as much of either class between any two."""
    if len(curve) <= _MOST_STEPS:
        return np.arange(len(curve))
    passed = curve.detected / curve.positive_weight + curve.alarms / curve.negative_weight
    wanted = np.linspace(passed[0], passed[-1], _MOST_STEPS)
    return np.unique(np.append(np.searchsorted(passed, wanted), [0, len(curve) - 1]))


def _best_of_draws(curve: OperatingCurve, steps: NDArray[np.intp], gain: Array, priors: Array) -> NDArray[np.intp]:
    """Which of the steps each draw says earns most."""
    i, j = curve.positive_place, 1 - curve.positive_place
    right = priors[i] * (gain[i, i] - gain[i, j]) / curve.positive_weight
    wrong = priors[j] * (gain[j, j] - gain[j, i]) / curve.negative_weight
    random = np.random.default_rng(0)
    draws = min(max(_NUMBERS // steps.size, _FEWEST_DRAWS), _MOST_DRAWS)
    earned = np.zeros((draws, steps.size))
    for stake, passed in ((right, curve.detected), (-wrong, curve.alarms)):
        counts = np.diff(passed[steps])
        some = np.flatnonzero(counts)
        earned[:, 1 + some] += stake * random.standard_gamma(counts[some], size=(draws, some.size))
    return np.asarray(np.cumsum(earned, axis=1).argmax(axis=1))
