"""Who is chosen, and what is claimed of it: about the model that is delivered, not about others of its kind.

Rules that learn from mistakes end at another plane for every order of the rows. What V models without a fold earned is
then spread by more than the chance of their rows, and the model delivered is one more draw. With E_f the mean gain in
fold f and s_f² the variance of that mean over its rows, the variance between models is estimated by

    τ² = max(0, Σ(E_f − Ē)²/(V − 1) − Σ s_f²/V)

and the interval of such a learner is widened by it. The pocket's planes are spread so widely that it is shown beside
the others and never chosen unless it is asked for.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.comparison import Comparison
from discriminant.comparison.inference import Estimate, mean_estimate, normal_quantile, share_estimate
from discriminant.learners.registry import known_learners, title_of

Array = NDArray[np.float64]

_BY_CHANCE = 2.0  # standard errors


def chosen_learner(comparison: Comparison) -> str:
    """The learner that ranks rows best, of those that earn most to within two standard errors of the difference.

    Gain and accuracy look at the rows around the threshold alone, so that many learners earn the same within chance,
    and the largest of many is largest by chance; the order of all rows tells them apart. Where no rule clearly earns
    more than a single answer, the order decides. A rule that another order of the rows would make another is taken only
    where no other learner earns as much.
    """
    done = {name: estimate.value for name, estimate in comparison.gain.items()}
    known = known_learners()
    offered = [name for name in done if not why_not_offered(comparison, name)] or list(done)
    best = max(offered, key=lambda name: done[name], default="")
    if not best:
        return comparison.best  # which says why all have failed
    if beats_one_answer(comparison, comparison.decisions[best]):
        earned = {name: earned_by_row(comparison, comparison.decisions[name]) for name in offered}
        weights = comparison.row_weights
        behind = {name: earned[best] - earned[name] for name in offered}
        offered = [
            name for name, less in behind.items() if weights.mean(less) <= _BY_CHANCE * weights.standard_error(less)
        ]
    offered = [name for name in offered if not known[name].order_dependent] or offered
    ranking = [name for name in offered if name in comparison.auc]
    return max(ranking, key=lambda name: comparison.auc[name].value, default=best)


def why_not_offered(comparison: Comparison, name: str) -> str:
    """Why a learner is shown beside the others and not chosen, however much it earns; "" where it may be."""
    entry = known_learners()[name]
    if not entry.not_offered and entry.fallback in comparison.gain:
        doubt = next((finding.fact for finding in comparison.findings[name] if finding.doubtful), "")
        return doubt and f"{title_of(entry.fallback)} stands in for it: {doubt[:1].lower()}{doubt[1:]}"
    return entry.not_offered


def beats_one_answer(comparison: Comparison, decided: NDArray[Any]) -> bool:
    """Whether decisions clearly earn more than the best single answer to all rows."""
    earned = earned_by_row(comparison, decided)
    single = earned_by_row(comparison, np.full(comparison.codes.size, best_single_answer(comparison)))
    return mean_estimate(earned - single, comparison.row_weights).low > 0


def better_single_answer(comparison: Comparison, name: str) -> int | None:
    """The answer to all rows that earns at least as much as a learner's decisions; None where none does."""
    single = best_single_answer(comparison)
    weights = comparison.row_weights
    earned = earned_by_row(comparison, comparison.decisions[name])
    same = earned_by_row(comparison, np.full(comparison.codes.size, single))
    return single if weights.mean(earned) <= weights.mean(same) else None


def best_single_answer(comparison: Comparison) -> int:
    """The answer to all rows that earns most."""
    assert comparison.gains is not None
    n, answers = comparison.codes.size, comparison.gains.matrix.shape[-1]
    weights = comparison.row_weights
    return int(np.argmax([weights.mean(earned_by_row(comparison, np.full(n, a))) for a in range(answers)]))


def earned_by_row(comparison: Comparison, assigned: NDArray[Any]) -> Array:
    """What each row earns when it is assigned so."""
    assert comparison.gains is not None
    return comparison.gains.realised(comparison.codes, assigned)


def claimed_gain(comparison: Comparison, name: str, decided: NDArray[Any]) -> Estimate:
    """The mean gain of a row, each decided by what the other folds say."""
    earned = earned_by_row(comparison, decided)
    return _widen(comparison.gain_estimate(earned), comparison, name, earned)


def claimed_accuracy(
    comparison: Comparison, name: str, decided: NDArray[Any], delivered: NDArray[Any] | None = None
) -> Estimate:
    """The share of rows that those decisions get right.

    Where the gain decides, the threshold of all rows may get another share right than those of the folds did, and earn
    the same: with ``delivered``, the decisions by it, the interval is widened by the difference.
    """
    right = decided == comparison.codes
    found = _widen(share_estimate(right, comparison.row_weights), comparison, name, right.astype(np.float64))
    if delivered is not None:
        own = comparison.row_weights.mean((delivered == comparison.codes).astype(np.float64))
        found = _reaching_further(found, abs(own - found.value))
    return Estimate(found.value, max(found.low, 0.0), min(found.high, 1.0))


def _reaching_further(found: Estimate, reach: float) -> Estimate:
    """The interval with another error that has nothing to do with its own."""
    low, high = found.value - found.low, found.high - found.value
    return Estimate(found.value, found.value - float(np.hypot(low, reach)), found.value + float(np.hypot(high, reach)))


def _widen(found: Estimate, comparison: Comparison, name: str, values: Array) -> Estimate:
    if not known_learners()[name].order_dependent:
        return found
    return _reaching_further(found, normal_quantile() * float(np.sqrt(_variance_between_models(comparison, values))))


def _variance_between_models(comparison: Comparison, values: Array) -> float:
    """The variance τ² between models."""
    means, variances = zip(*_by_fold(comparison, values), strict=True)
    return max(float(np.var(means, ddof=1) - np.mean(variances)), 0.0)


def _by_fold(comparison: Comparison, values: Array) -> Iterable[tuple[float, float]]:
    """Mean of a fold's rows, and the variance of that mean."""
    for f in range(comparison.cv.n_folds):
        own = comparison.fold_of_row == f
        weights = comparison.row_weights.take(own)
        error = weights.standard_error(values[own])
        yield weights.mean(values[own]), error**2 if np.isfinite(error) else 0.0
