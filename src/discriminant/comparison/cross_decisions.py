"""Decisions by gain, each from what the other folds say: never tuned on the rows they are judged on.

They follow the rules of `GainClassifier`. Of two classes: the threshold that the rows of the other folds agree on. Of
several classes, with a reject column, or with gains by row: argmax_a Σ_k P(k | x) g[k, a], from the learner's
probabilities or from scores calibrated on the other folds.

Scores of different folds come from different models. Those that are no probabilities are first divided by their own
spread, without a look at any label, because a perceptron's weights have an arbitrary length.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.decisions.held_out import HeldOut
from discriminant.decisions.rules import Rule, RuleBuilder, assigned_across_folds
from discriminant.gain import Gain
from discriminant.validation.estimator_scores import as_log_odds
from discriminant.validation.out_of_fold import Outcome

Array = NDArray[np.float64]
FoldOfRow = NDArray[np.int32]


def decide_across_folds(
    outcome: Outcome,
    gain: Gain,
    codes: NDArray[np.int32],
    folds: FoldOfRow,
    weight: Array | None,
) -> NDArray[np.integer[Any]]:
    """The assignment of each row: a place among the classes, or K for rejecting."""
    scores = comparable_scores(outcome, gain.n_classes, folds, weight)
    if scores is None:
        return outcome.assigned  # scores of something else than classes: the learner's own word
    counts = np.ones(codes.size) if weight is None else weight
    held = HeldOut(scores, codes, counts, folds, np.arange(gain.n_classes), Gain(np.array(gain.matrix)))

    def rule_of(others: HeldOut) -> Rule:
        return RuleBuilder(_calibration(outcome, others), "auto", others.shares, others.shares).rule(others)

    return assigned_across_folds(held, rule_of)


def _calibration(outcome: Outcome, others: HeldOut) -> str | None:
    """None for a plain threshold; otherwise probabilities as they are given, or Platt's for scores."""
    if others.gain.matrix.shape == (2, 2):
        return None
    return "given" if outcome.has_posteriors else "platt"


def comparable_scores(outcome: Outcome, n_classes: int, folds: FoldOfRow, weight: Array | None = None) -> Array | None:
    """n×1 of two classes, n×K of more: log-odds or log posteriors, or scores on one scale."""
    if not outcome.has_posteriors:
        scores = outcome.class_scores(n_classes)
        return None if scores is None else _on_one_scale(scores.reshape(folds.size, -1), folds, weight)
    return as_log_odds(outcome.log_posteriors())


def _on_one_scale(scores: Array, folds: FoldOfRow, weight: Array | None) -> Array:
    """The scores of each fold divided by their root mean square about its mean."""
    scaled = np.empty_like(scores)
    for f in range(int(folds.max()) + 1):
        inside = folds == f
        part, own = scores[inside], None if weight is None else weight[inside]
        squares = (part - np.average(part, axis=0, weights=own)) ** 2
        spread = float(np.sqrt(np.average(squares.mean(axis=1), weights=own)))
        scaled[inside] = part / (spread if spread > 0 else 1.0)
    return scaled
