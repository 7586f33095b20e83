"""The rule of the chosen learner, from scores of rows it had not seen.

Out-of-fold scores of learners without probabilities are first brought to one scale (see `cross_decisions`): divided by
their spread. The final model's scores are divided by theirs, so that the same threshold and slope hold; folding both
into the plane, the boundary is where the score is 0.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize_scalar

from discriminant.comparison.comparison import Comparison
from discriminant.comparison.cross_decisions import comparable_scores
from discriminant.decisions.calibration import Platt
from discriminant.decisions.out_of_fold import HeldOut
from discriminant.decisions.rules import Maker, chosen_calibration
from discriminant.gain.matrix import Gain
from discriminant.model.decision_model import Posterior, Rule

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Fitted:
    """Planes with the boundary at score 0, posteriors, and held-out scores in the same units."""

    weights: Array
    thresholds: Array
    posterior: Posterior
    rule: Rule
    held_scores: Array  # n×P, shifted like those of the planes
    constant: int | None  # the class that is always assigned, where nothing else earns more

    def held_posteriors(self) -> Array:
        """Of held-out rows, n×K."""
        return np.exp(self.posterior.log_posteriors(self.held_scores))

    def held_answers(self, gain: Gain) -> NDArray[np.intp]:
        """What held-out rows are assigned to."""
        if self.rule == "threshold":
            return (self.held_scores[:, 0] > 0).astype(np.intp)
        return np.asarray(gain.decide(self.held_posteriors()))


def fitted_rule(
    comparison: Comparison, name: str, learner: Any, X: Any, gain: Gain, weight: Array | None = None
) -> Fitted:
    """The planes of a learner fitted to all rows, with the rule that its held-out scores give."""
    outcome = comparison.outcomes[name]
    K = comparison.classes.size
    W, theta = planes_of(learner, K)
    if not sparse.issparse(X):
        W = _without_dust(W)
    scores = comparable_scores(outcome, K, comparison.fold_of_row, comparison.weight)
    assert scores is not None  # learners by name score classes
    spread = 1.0 if outcome.has_posteriors else _spread(X @ W.T - theta, weight)
    counts = np.ones(comparison.codes.size) if comparison.weight is None else comparison.weight
    held = HeldOut(
        scores,
        comparison.codes,
        counts,
        comparison.fold_of_row.astype(np.intp),
        np.arange(K),
        Gain(np.array(gain.matrix)),
    )
    shares = held.shares
    kind = "platt" if chosen_calibration("auto", learner, held, shares) != "given" else "given"
    rule = Maker(kind, "auto", shares, shares).rule(held)
    slope, offsets = _softmax_of(rule.calibration, K)
    if rule.threshold is None or gain.has_reject:
        posterior = Posterior(slope / spread, tuple(offsets.tolist()))
        return Fitted(W, theta, posterior, "gain", scores * spread, None)
    offset = float(offsets[1] - offsets[0])
    if np.isfinite(rule.threshold):
        slope, offset = _agreeing(slope, offset, rule.threshold, _even_odds(gain), held)
    return _by_threshold(W, theta, scores, slope, offset, rule.threshold, spread, shares)


def _without_dust(W: Array) -> Array:
    """Weights of standardised columns that only rounding has left are none: no cell makes up for their size."""
    return np.where(np.abs(W) > 1e-14 * np.abs(W).max(initial=0.0), W, 0.0)


def _even_odds(gain: Gain) -> float:
    """The log-odds at which both answers earn the same."""
    g = gain.matrix
    return float(np.log((g[0, 0] - g[0, 1]) / (g[1, 1] - g[1, 0])))


def _agreeing(slope: float, offset: float, t: float, even: float, held: HeldOut) -> tuple[float, float]:
    """σ(a s + b) with even odds at the threshold.

    Where rows speak for another threshold than the probabilities do, these are learnt anew among those that agree with
    it, a t + b = even: by maximum likelihood over a ≥ 0. Otherwise a model would state that its own answer loses.
    """
    if abs(slope * t + offset - even) <= 1e-9 * (1.0 + abs(even)):
        return slope, offset
    away = held.scores[:, 0] - t
    scale = float(np.sqrt(np.mean(away * away))) or 1.0
    signs = np.where(held.codes == 1, -1.0, 1.0)

    def loss(log_slope: float) -> float:
        return float(held.weight @ np.logaddexp(0.0, signs * (np.exp(log_slope) * away / scale + even)))

    a = float(np.exp(minimize_scalar(loss, bounds=(-12.0, 6.0), method="bounded").x)) / scale
    return a, even - a * t


def _by_threshold(
    W: Array, theta: Array, scores: Array, slope: float, offset: float, threshold: float, spread: float, shares: Array
) -> Fitted:
    """Two classes: the threshold t goes into the plane, and σ(a s + b) becomes σ(a (s − t) + a t + b)."""
    if not np.isfinite(threshold):
        always = 0 if threshold > 0 else 1
        posterior = Posterior(0.0, (0.0, float(np.log(shares[1] / shares[0]))))
        constant = np.full_like(scores, 1.0 if always else -1.0)
        return Fitted(np.zeros_like(W), -constant[0], posterior, "threshold", constant, always)
    posterior = Posterior(slope / spread, (0.0, offset + slope * threshold))
    return Fitted(W, theta + threshold * spread, posterior, "threshold", (scores - threshold) * spread, None)


def _softmax_of(calibration: Any, K: int) -> tuple[float, Array]:
    """Slope and offsets; probabilities that were given are the softmax of the scores already."""
    return (calibration.slope, calibration.offsets) if isinstance(calibration, Platt) else (1.0, np.zeros(K))


def planes_of(learner: Any, K: int) -> tuple[Array, Array]:
    """(P×d weights, P thresholds) of a fitted learner: score = w·x − θ."""
    W = np.atleast_2d(np.asarray(learner.coef_, dtype=np.float64))
    theta = -np.atleast_1d(np.asarray(learner.intercept_, dtype=np.float64))
    planes = 1 if K == 2 else K
    if W.shape[0] != planes:
        raise ValueError(f"{type(learner).__name__} has {W.shape[0]} planes for {K} classes")
    return W, np.broadcast_to(theta, (planes,)).copy()


def _spread(scores: Any, weight: Array | None) -> float:
    values = np.asarray(scores)
    squares = (values - np.average(values, axis=0, weights=weight)) ** 2
    spread = float(np.sqrt(np.average(squares.mean(axis=1), weights=weight)))
    return spread if spread > 0 else 1.0
