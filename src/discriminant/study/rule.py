"""The rule of the chosen learner, from scores of rows it had not seen.

Out-of-fold scores of learners without probabilities are first brought to one scale (see `cross_decisions`): divided by
their spread. The final model's planes, whose length is arbitrary then, are divided by theirs, so that the same
threshold and log-odds hold; with the threshold in the plane as well, the boundary is where the score is 0.

Where the best threshold lies beyond all rows, or rules that had not seen the rows earn no more than one answer to all,
that answer is given. The plane is kept if it ranks rows better than chance: its probabilities still tell rows apart.
But they must stay on one side of even odds then: where that makes the rows less likely, the probabilities decide.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from discriminant.comparison.comparison import Comparison
from discriminant.comparison.cross_decisions import comparable_scores
from discriminant.decisions.held_out import HeldOut
from discriminant.decisions.rules import RuleBuilder
from discriminant.gain.matrix import Gain
from discriminant.gain.rates import stakes_of
from discriminant.model.decision_model import Posterior, RuleName
from discriminant.study.claims import better_single_answer
from discriminant.study.probabilities import (
    CalibrationError,
    FittedLogOdds,
    calibration_error,
    clearly_likelier,
    fit_log_odds,
    mean_and_error,
)

Array = NDArray[np.float64]

_BEYOND_ALL = 0.05  # of the range of the scores: how far from the outermost row a boundary lies that no row reaches


@dataclass(frozen=True)
class FittedRule:
    """Planes with the boundary at score 0, posteriors, and held-out scores in the same units.

    ``constant`` is the class that is always assigned, where nothing else earns more; ``ranks`` whether scores tell
    classes apart all the same. ``tested`` are posteriors of held-out rows, n×K, and ``decided`` their answers, both by
    what the rows of the other folds say.
    """

    weights: Array
    thresholds: Array
    posterior: Posterior
    rule: RuleName
    held_scores: Array  # n×P, shifted like those of the planes
    tested: Array
    decided: NDArray[np.integer[Any]]
    constant: int | None = None
    ranks: bool = True
    straight_error: CalibrationError | None = None  # of a straight line of log-odds, where they bend

    def held_out_posteriors(self) -> Array:
        """The posteriors of held-out rows by the rule of all rows, n×K."""
        return np.exp(self.posterior.log_posteriors(self.held_scores))

    def held_out_answers(self, gain: Gain) -> NDArray[np.intp]:
        """What held-out rows are assigned to."""
        if self.rule == "threshold" and not gain.per_row:
            return (self.held_scores[:, 0] > 0).astype(np.intp)
        return np.asarray(gain.decide(self.held_out_posteriors()))


@dataclass(frozen=True)
class _FittedPlanes:
    """The planes of the learner fitted to all rows, whose scores are on the scale of those held out."""

    weights: Array
    thresholds: Array


def fit_rule(
    comparison: Comparison, name: str, learner: Any, X: Any, gain: Gain, weight: Array | None = None
) -> FittedRule:
    """The planes of a learner fitted to all rows, with the rule that its held-out scores give."""
    outcome = comparison.outcomes[name]
    K = comparison.classes.size
    W, theta = planes_of(learner, K)
    if not sparse.issparse(X):
        W = _without_dust(W)
    scores = comparable_scores(outcome, K, comparison.fold_of_row, comparison.weight)
    assert scores is not None  # learners by name score classes
    if not outcome.has_posteriors:  # such planes have an arbitrary length
        spread = _spread(X @ W.T - theta, weight)
        W, theta = W / spread, theta / spread
    folds = comparison.fold_of_row.astype(np.intp)
    codes, weights = comparison.codes, comparison.weights
    held = HeldOut(_finite(scores), codes, weights, folds, np.arange(K), Gain(np.array(gain.matrix)))
    plane = _FittedPlanes(W, theta)
    if K > 2:
        return _of_many(plane, held, outcome.has_posteriors)
    if gain.has_reject:
        found = _with_log_odds(plane, held, 0.0, _log_odds(held, None), "gain")
        return replace(found, decided=held.gain.decide(found.tested))
    threshold = RuleBuilder(None, "auto", held.shares, held.shares).rule(held).threshold
    assert threshold is not None  # two classes
    auc = comparison.auc.get(name)
    ranks = auc is not None and auc.low > 0.5
    always = int(threshold < 0) if not np.isfinite(threshold) else better_single_answer(comparison, name)
    free = _log_odds(held, None)
    if always is not None:
        single = replace(_of_one_answer(plane, held, always, ranks), decided=np.full(held.codes.size, always))
        return _where_odds_are_even(plane, held, free, ranks) if _rows_deny(single, free, held) else single
    agreeing = _log_odds(held, threshold)
    if not clearly_likelier(free.held, agreeing.held, held.codes, held.weight):
        found = _with_log_odds(plane, held, threshold, agreeing, "threshold")
        return replace(found, decided=comparison.decisions[name])
    return _where_odds_are_even(plane, held, free, ranks)


def _rows_deny(single: FittedRule, free: FittedLogOdds, held: HeldOut) -> bool:
    """Whether one answer to all rows asks for probabilities that rows deny, and earns no more beyond chance."""
    if not single.ranks:
        return False
    own, other = (_of_class(p, held) for p in (single.tested, _both_probabilities(free.held)))
    likelier = mean_and_error(np.log(other) - np.log(own), held.weight)
    decided = (free.held > even_odds(held.gain)).astype(np.intp)
    earned = [held.gain.realised(held.codes, answers) for answers in (single.decided, decided)]
    more = mean_and_error(earned[0] - earned[1], held.weight)
    return likelier[0] > 0 and more[0] <= more[1]


def _where_odds_are_even(plane: _FittedPlanes, held: HeldOut, free: FittedLogOdds, ranks: bool) -> FittedRule:
    """Where no probabilities that agree with the threshold are borne out by the rows, the probabilities decide."""
    even = even_odds(held.gain)
    crossing = free.log_odds.score_at(even)
    if crossing is None:
        always = int(free.log_odds.height > even)
        return replace(_of_one_answer(plane, held, always, ranks), decided=np.full(held.codes.size, always))
    found = _with_log_odds(plane, held, crossing, free, "threshold")
    return replace(found, decided=(free.held > even).astype(np.intp))


def _of_many(plane: _FittedPlanes, held: HeldOut, has_posteriors: bool) -> FittedRule:
    """Several classes: of the ways from scores to probabilities, the likeliest that does not cost gain.

    One that is hardly likelier is taken where it earns more too.
    """
    ways = [_one_slope, _slope_and_offsets] if not has_posteriors else [_as_given, _one_slope, _slope_and_offsets]
    best, tested = ways[0], _held_out_posteriors(ways[0], held)
    for way in ways[1:]:
        other = _held_out_posteriors(way, held)
        likelier = mean_and_error(np.log(_of_class(other, held)) - np.log(_of_class(tested, held)), held.weight)
        earned = [held.gain.realised(held.codes, held.gain.decide(p)) for p in (other, tested)]
        more = mean_and_error(earned[0] - earned[1], held.weight)
        if (likelier[0] > likelier[1] and more[0] >= -0.5 * more[1]) or min(likelier[0], more[0]) > 0:
            best, tested = way, other
    slope, offsets = best(held)
    posterior = Posterior(slope, tuple(offsets.tolist()))
    return FittedRule(plane.weights, plane.thresholds, posterior, "gain", held.scores, tested, held.gain.decide(tested))


_Way = Callable[[HeldOut], tuple[float, Array]]


def _as_given(held: HeldOut) -> tuple[float, Array]:
    return 1.0, np.zeros(held.classes.size)


def _slope_and_offsets(held: HeldOut) -> tuple[float, Array]:
    """Platt's slope and offsets."""
    return held.platt.slope, held.platt.offsets


def _one_slope(held: HeldOut) -> tuple[float, Array]:
    """The slope of largest likelihood, offsets all 0: what is likeliest stays likeliest."""
    own = held.scores[np.arange(held.codes.size), held.codes]

    def loss(log_slope: float) -> float:
        slope = np.exp(log_slope)
        return float(held.weight @ (logsumexp(slope * held.scores, axis=1) - slope * own))

    return float(np.exp(minimize_scalar(loss, bounds=(-10.0, 10.0), method="bounded").x)), np.zeros(held.classes.size)


def _held_out_posteriors(way: _Way, held: HeldOut) -> Array:
    """Posteriors of each row, by what the rows of the other folds say."""
    tested = np.empty((held.codes.size, held.classes.size))
    for f in np.unique(held.folds):
        own = held.folds == f
        slope, offsets = way(held.take(~own))
        tested[own] = np.exp(Posterior(slope, tuple(offsets.tolist())).log_posteriors(held.scores[own]))
    return tested


def _of_class(posteriors: Array, held: HeldOut) -> Array:
    return np.maximum(posteriors[np.arange(held.codes.size), held.codes], 1e-300)


def _log_odds(held: HeldOut, threshold: float | None) -> FittedLogOdds:
    even = 0.0 if threshold is None else even_odds(held.gain)
    return fit_log_odds(held.scores[:, 0], held.codes, held.weight, held.folds, threshold, even)


def _with_log_odds(
    plane: _FittedPlanes, held: HeldOut, threshold: float, found: FittedLogOdds, rule: RuleName
) -> FittedRule:
    """Two classes: the threshold goes into the plane."""
    happened = held.codes == 1
    straight = calibration_error(_sigmoid(found.held_straight), happened, held.weight)
    return FittedRule(
        plane.weights,
        plane.thresholds + threshold,
        found.log_odds.posterior(threshold),
        rule,
        held.scores - threshold,
        _both_probabilities(found.held),
        (held.scores[:, 0] > threshold).astype(np.intp),
        straight_error=straight if found.log_odds.knots else None,
    )


def _of_one_answer(plane: _FittedPlanes, held: HeldOut, always: int, ranks: bool) -> FittedRule:
    """All rows on one side: the plane moved beyond them where it ranks, no plane where it does not."""
    if not ranks:
        shares = held.shares
        posterior = Posterior(0.0, (0.0, float(np.log(shares[1] / shares[0]))))
        scores = np.full_like(held.scores, 1.0 if always else -1.0)
        tested = np.tile(shares, (held.codes.size, 1))
        zeros = np.zeros_like(plane.weights)
        answers = np.full(held.codes.size, always)
        return FittedRule(zeros, -scores[0], posterior, "threshold", scores, tested, answers, always, False)
    sign = -1.0 if always else 1.0  # the side on which the boundary lies
    free, even = _log_odds(held, None), even_odds(held.gain)
    outermost = float((sign * held.scores[:, 0]).max())
    reach = float(np.ptp(held.scores[:, 0])) or 1.0
    beyond = outermost + _BEYOND_ALL * reach
    slope = free.log_odds.slopes[-1 if always == 0 else 0]
    if np.isfinite(even) and slope > 0:  # where probabilities say that the other answer would begin to pay
        crossing = sign * outermost + (even - float(free.log_odds.at(np.array([sign * outermost]))[0])) / slope
        beyond = min(max(beyond, sign * crossing), outermost + 1e6 * reach)
    threshold = sign * beyond
    found = free if not np.isfinite(even) else _log_odds(held, threshold)
    return replace(_with_log_odds(plane, held, threshold, found, "threshold"), constant=always)


def _both_probabilities(log_odds: Array) -> Array:
    """The probabilities of both classes."""
    return np.column_stack([_sigmoid(-log_odds), _sigmoid(log_odds)])


def _sigmoid(log_odds: Array) -> Array:
    return np.asarray(np.exp(-np.logaddexp(0.0, -log_odds)))


def _finite(scores: Array) -> Array:
    """Log-odds of certain rows are infinite; the largest finite ones stand for them."""
    if np.isfinite(scores).all():
        return scores
    largest = float(np.abs(scores[np.isfinite(scores)]).max(initial=1.0))
    return np.nan_to_num(scores, nan=0.0, posinf=largest, neginf=-largest)


def _without_dust(W: Array) -> Array:
    """Weights of standardised columns that only rounding has left are none: no cell makes up for their size."""
    return np.where(np.abs(W) > 1e-14 * np.abs(W).max(initial=0.0), W, 0.0)


def even_odds(gain: Gain) -> float:
    """The log-odds at which both answers earn the same; infinite where one is always better."""
    of_first, of_second = stakes_of(gain.matrix)
    if of_first <= 0 or of_second <= 0:
        return np.inf if of_second <= 0 else -np.inf
    return float(np.log(of_first / of_second))


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
