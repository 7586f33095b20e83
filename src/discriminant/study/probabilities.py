"""Scores of rows that were not seen -> probabilities that such rows bear out.

Of two classes the log-odds of the second are a rising function of the score s that is straight between knots:

    z(s) = b + slope·s + Σ_j change_j·max(s − at_j, 0),        slope and all its changes together never negative

One straight line is Platt's method. Pieces follow scores whose log-odds bend, as isotonic regression does, but without
its steps, and few numbers say them all. How many pieces is decided by rows of a fold whose likelihood comes from the
others. Where a rule has a threshold, z is made to have even odds there, so that a model never says of its own answer
that the other one would earn more.

`calibration_error` then asks once more: in groups of like probabilities, do as many rows have the class as was said?
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.optimize import minimize

from discriminant.model.decision_model import Posterior

Array = NDArray[np.float64]
Codes = NDArray[np.integer[Any]]

_MOST_BINS = 1000  # of scores: log-odds hardly differ within one
_PIECES = (1, 2, 4, 6)
_ROWS_A_PIECE = 40  # of the rarer class
_GROUPS = 10


def mean_and_error(values: Array, weight: Array) -> tuple[float, float]:
    """Σωv/Σω, and its standard error √(Σω²(v − mean)²)/Σω: a weight counts a row once, however large."""
    total = float(weight.sum())
    mean = float(weight @ values) / total
    return mean, float(np.sqrt(weight**2 @ (values - mean) ** 2)) / total


@dataclass(frozen=True)
class LogOdds:
    """z(s), straight between knots; ``knots`` has one number less than ``slopes``."""

    height: float  # at ``anchor``
    anchor: float
    knots: tuple[float, ...]
    slopes: tuple[float, ...]

    def at(self, scores: Array) -> Array:
        """Log-odds of scores."""
        return np.asarray(self.height + _lengths(scores, self.anchor, self.knots) @ np.asarray(self.slopes))

    def score_at(self, log_odds: float) -> float | None:
        """The score of this height; None where z has it nowhere, or far beyond all knots of a level line."""
        ends = np.array([-np.inf, *self.knots, np.inf])
        for slope, start, end in zip(self.slopes, ends[:-1], ends[1:], strict=True):
            at = end if np.isinf(start) and np.isfinite(end) else start if np.isfinite(start) else self.anchor
            height = float(self.at(np.array([at]))[0])
            if slope > 0 and start <= (found := at + (log_odds - height) / slope) <= end:
                return float(found)
        return None

    def posterior(self, shift: float = 0.0) -> Posterior:
        """The posterior of a model whose scores are s − shift."""
        knots = [k - shift for k in self.knots]
        bends = [(k, after - before) for k, before, after in zip(knots, self.slopes[:-1], self.slopes[1:], strict=True)]
        bends = [(k, change) for k, change in bends if change != 0.0]
        at_zero = float(self.at(np.array([shift]))[0])
        offset = at_zero - sum(change * max(-k, 0.0) for k, change in bends)
        return Posterior(self.slopes[0], (0.0, offset), tuple(bends))


def _lengths(scores: Array, anchor: float, knots: Sequence[float]) -> Array:
    """How far the way from the anchor to each score leads through each piece; negative to the left."""
    ends = np.array([-np.inf, *knots, np.inf])
    clipped = np.clip(scores[:, None], ends[:-1], ends[1:])
    return np.asarray(clipped - np.clip(anchor, ends[:-1], ends[1:]))


@dataclass(frozen=True)
class FittedLogOdds:
    """z of all rows; and of each row z from the other folds, in as many pieces and in one."""

    log_odds: LogOdds
    held: Array
    held_straight: Array


def fit_log_odds(
    scores: Array, codes: Codes, weight: Array, folds: Codes, threshold: float | None, even: float = 0.0
) -> FittedLogOdds:
    """The log-odds of the second class; with a threshold, of the height ``even`` there."""
    rarer = min(np.bincount(codes, weights=weight, minlength=2))
    allowed = [p for p in _PIECES if p == 1 or p * _ROWS_A_PIECE <= rarer]
    tried = {_knots(scores, pieces, threshold): None for pieces in allowed}  # in order, each once
    best: tuple[float, ...] = ()
    straight = _held_out(scores, codes, weight, folds, (), threshold, even)
    held = straight
    for knots in tried:
        if knots:
            other = _held_out(scores, codes, weight, folds, knots, threshold, even)
            if _clearly_less(_losses(other, codes), _losses(held, codes), weight):
                best, held = knots, other
    return FittedLogOdds(_fit_log_odds(scores, codes, weight, best, threshold, even), held, straight)


def straight_log_odds(scores: Array, codes: Codes, weight: Array) -> Array:
    """The log-odds of scores by Platt's line, which these rows make."""
    return _fit_log_odds(scores, codes, weight, (), None, 0.0).at(scores)


def _held_out(
    scores: Array,
    codes: Codes,
    weight: Array,
    folds: Codes,
    knots: Sequence[float],
    threshold: float | None,
    even: float,
) -> Array:
    held = np.empty(scores.size)
    for f in np.unique(folds):
        own = folds == f
        held[own] = _fit_log_odds(scores[~own], codes[~own], weight[~own], knots, threshold, even).at(scores[own])
    return held


def _losses(log_odds: Array, codes: Codes) -> Array:
    return np.asarray(np.logaddexp(0.0, np.where(codes == 1, -log_odds, log_odds)))


def clearly_likelier(log_odds: Array, others: Array, codes: Codes, weight: Array) -> bool:
    """Whether one set of log-odds makes the rows likelier than another, beyond chance."""
    return _clearly_less(_losses(log_odds, codes), _losses(others, codes), weight, errors=2.0)


def _clearly_less(losses: Array, others: Array, weight: Array, errors: float = 1.0) -> bool:
    """Whether losses are less by more than so many standard errors."""
    mean, error = mean_and_error(others - losses, weight)
    return mean > errors * error


def _knots(scores: Array, pieces: int, threshold: float | None) -> tuple[float, ...]:
    """The knots between pieces of as many rows each; with a threshold, as many pieces on either side of it."""
    inside = np.linspace(0, 1, pieces + 1)[1:-1]
    if threshold is None or pieces == 1:
        return tuple(np.unique(np.quantile(scores, inside)).tolist()) if pieces > 1 else ()
    sides = [side for side in (scores[scores <= threshold], scores[scores > threshold]) if side.size > 10 * pieces]
    if len(sides) < 2:  # a piece without rows has no slope
        return tuple(np.unique(np.quantile(scores, inside)).tolist())
    half = np.linspace(0, 1, pieces // 2 + 1)[1:-1]
    return tuple(np.unique([threshold, *(float(k) for side in sides for k in np.quantile(side, half))]).tolist())


def _fit_log_odds(
    scores: Array, codes: Codes, weight: Array, knots: Sequence[float], threshold: float | None, even: float
) -> LogOdds:
    """Slopes of largest likelihood on Platt's targets, so that there is a largest even where scores separate."""
    anchor = float(np.average(scores, weights=weight)) if threshold is None else threshold
    middle, ones, zeros = _score_bins(scores, codes, weight)
    lengths = _lengths(middle, anchor, knots)
    squares = (ones + zeros) @ lengths**2 / (ones + zeros).sum()
    scale = np.sqrt(np.where(squares > 0, squares, 1.0))
    free = threshold is None
    features = np.column_stack([lengths / scale, np.ones(middle.size)]) if free else lengths / scale
    n1, n0 = float(ones.sum()), float(zeros.sum())
    up, down = (n1 + 1) / (n1 + 2), 1 / (n0 + 2)
    for_one, for_zero = ones * up + zeros * down, ones * (1 - up) + zeros * (1 - down)
    fixed = 0.0 if free else even

    def loss(a: Array) -> tuple[float, Array]:
        z = features @ a + fixed
        value = for_one @ np.logaddexp(0.0, -z) + for_zero @ np.logaddexp(0.0, z)
        slope = features.T @ ((for_one + for_zero) * special.expit(z) - for_one)
        return float(value) / (n1 + n0), np.asarray(slope) / (n1 + n0)

    start = np.full(features.shape[1], 0.5)
    if free:
        start[-1] = np.log(max(n1, 0.5) / max(n0, 0.5))
    bounds = [(0.0, None)] * lengths.shape[1] + [(None, None)] * free
    found = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B", options={"maxiter": 300, "ftol": 1e-13}).x
    slopes = found[: lengths.shape[1]] / scale
    return LogOdds(float(found[-1]) if free else even, anchor, tuple(knots), tuple(slopes.tolist()))


def _score_bins(scores: Array, codes: Codes, weight: Array) -> tuple[Array, Array, Array]:
    """(mean score, weight of the second class, of the first) of groups of rows with neighbouring scores."""
    order = np.argsort(scores, kind="stable")
    starts = np.unique(np.linspace(0, scores.size, min(_MOST_BINS, scores.size) + 1).astype(np.intp))[:-1]
    w, s, y = weight[order], scores[order], codes[order] == 1
    total, ones = np.add.reduceat(w, starts), np.add.reduceat(w * y, starts)
    return np.add.reduceat(w * s, starts) / total, ones, total - ones


@dataclass(frozen=True)
class CalibrationError:
    """How many groups of rows with like probabilities are off beyond chance, and by how much."""

    groups: int
    off: int  # groups whose share is outside its 95% interval
    largest: float  # difference of shares among those
    mean: float  # of the differences of all groups
    p_value: float

    @property
    def beyond_chance(self) -> bool:
        """Whether it is worth saying: not chance, and not too small to matter."""
        return self.p_value < 0.01 and self.largest > 0.02 and self.mean > 0.01


def calibration_error(probability: Array, happened: NDArray[np.bool_], weight: Array) -> CalibrationError:
    """Hosmer and Lemeshow's test of held-out probabilities."""
    order = np.argsort(probability, kind="stable")
    parts = np.array_split(order, min(_GROUPS, max(order.size // 20, 1)))
    gaps, errors = [], []
    for part in parts:
        w, p = weight[part], probability[part]
        total = float(w.sum())
        gaps.append(float(w @ (happened[part] - p)) / total)
        errors.append(max(float(np.sqrt(w**2 @ (p * (1 - p)))) / total, 1e-12))
    z = np.array(gaps) / np.array(errors)
    off = np.abs(z) > 1.959963984540054
    return CalibrationError(
        len(parts),
        int(off.sum()),
        float(np.abs(np.array(gaps))[off].max(initial=0.0)),
        float(np.abs(gaps).mean()),
        float(special.chdtrc(len(parts), float(z @ z))),
    )
