"""Where decisions change: by how much other answers fall short of the one given, as functions of the scores.

With c the answer and r another one, f_r(s) > 0 is where r is preferred to c:

    rule "threshold"            f = s for the second class, −s for the first
    rule "largest"              f_r = s_r − s_c
    rule "gain", two classes    with D = g[:, r] − g[:, c],  D₀ + e^ℓ D₁ > 0,  ℓ = slope·s + offset₁ − offset₀;
                                where ℓ bends, f = s − s* or s* − s, with s* the score at which the sign changes
    rule "gain", more classes   f_r = log Σ_k P(k) g′[k, r] − log Σ_k P(k) g′[k, c],   g′ = g less the least of its row

All but the last are straight in s, and the last is too where g′ is a diagonal, as for accuracy. Where f is straight,
the boundary is made of pieces of planes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.model.decision_model import DecisionModel, Posterior

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Rival:
    """Another answer at given scores: f, and its slopes in the scores."""

    answer: int
    value: float
    slopes: Array
    straight: bool = True


def rivals(model: DecisionModel, answer: int, scores: Array) -> list[Rival]:
    """The other answers that can be reached at all, at the scores (P) of a row that has this answer."""
    if model.rule == "threshold":
        sign = 1.0 if answer == 0 else -1.0
        return [Rival(1 - answer, sign * float(scores[0]), np.array([sign]))]
    others = [r for r in range(len(model.answers)) if r != answer]
    if model.rule == "largest" or model.posterior is None:
        unit = np.eye(len(scores))
        return [Rival(r, float(scores[r] - scores[answer]), unit[r] - unit[answer]) for r in others]
    if len(scores) == 1:
        found = [_of_two(model.posterior, model.gain.matrix, answer, r, float(scores[0])) for r in others]
    else:
        found = _of_many(model.posterior, model.gain.matrix, answer, others, scores)
    return [rival for rival in found if rival is not None]


def _of_two(posterior: Posterior, gain: Array, c: int, r: int, score: float) -> Rival | None:
    first, second = gain[:, r] - gain[:, c]
    if first * second >= 0:  # one of the two is better whatever the score
        return None
    sign = 1.0 if second > 0 else -1.0
    if posterior.bends:
        edge = _last_below(posterior, float(np.log(-first / second)), sign)
        return None if edge is None else Rival(r, sign * (score - edge), np.array([sign]))
    log_odds = posterior.slope * score + posterior.offsets[1] - posterior.offsets[0]
    value = sign * (log_odds - float(np.log(-first / second)))
    return Rival(r, value, np.array([sign * posterior.slope]))


def _last_below(posterior: Posterior, z: float, sign: float) -> float | None:
    """The last score with log-odds up to z, going up (sign 1), or from z, going down (−1); None where none is last."""
    at, slopes, heights = posterior.pieces()
    starts, stops = np.array([-np.inf, *at[1:]]), np.array([*at[1:], np.inf])
    for i in range(len(at))[:: -1 if sign > 0 else 1]:
        start, stop = (starts[i], stops[i]) if sign > 0 else (stops[i], starts[i])
        if slopes[i] > 0:
            s = float(at[i] + (z - heights[i]) / slopes[i])
            if sign * s >= sign * start:
                return s if sign * s <= sign * stop else float(stop)
        elif sign * (heights[i] - z) <= 0:
            return float(stop) if np.isfinite(stop) else None
    return None


def _of_many(posterior: Posterior, gain: Array, c: int, others: list[int], scores: Array) -> list[Rival | None]:
    with np.errstate(divide="ignore"):
        logs = np.log(gain - gain.min(axis=1, keepdims=True))
    joint = posterior.slope * scores + np.asarray(posterior.offsets)
    own, own_slopes = _log_earned(joint, logs[:, c])
    found: list[Rival | None] = []
    for r in others:
        value, slopes = _log_earned(joint, logs[:, r])
        straight = np.isfinite(logs[:, [c, r]]).sum(axis=0).max() == 1
        reachable = np.isfinite(value) and np.isfinite(own)
        change = posterior.slope * (slopes - own_slopes)
        found.append(Rival(r, value - own, change, bool(straight)) if reachable else None)
    return found


def _log_earned(joint: Array, logs: Array) -> tuple[float, Array]:
    """log Σ_k exp(joint_k + log g_k), and how much of it comes from each class."""
    terms = joint + logs
    top = terms.max()
    if not np.isfinite(top):
        return -np.inf, np.zeros(len(joint))
    parts = np.exp(terms - top)
    return float(top + np.log(parts.sum())), parts / parts.sum()


def distance(model: DecisionModel, answer: int, scores: Array) -> float | None:
    """How far a row is from where its answer changes, in encoded units; None where that is no plane."""
    found = [] if model.encoding.in_pieces else rivals(model, answer, scores)
    if not found or not all(rival.straight for rival in found):
        return None
    lengths = [float(np.linalg.norm(rival.slopes @ model.weights)) for rival in found]
    reached = [max(-rival.value, 0.0) / length for rival, length in zip(found, lengths, strict=True) if length > 0]
    return min(reached) if reached else None
