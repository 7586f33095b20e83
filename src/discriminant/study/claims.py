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
from discriminant.learners.registry import known_learners

Array = NDArray[np.float64]

_BEYOND_CHANCE = 2.0  # standard errors


def chosen_learner(comparison: Comparison) -> str:
    """The learner that ranks rows best, of those that earn as much as the one that earns most, as far as rows can tell.

    Gain and accuracy look at the rows around the threshold alone, so that many learners earn the same within chance,
    and the largest of many is largest by chance; the order of all rows tells them apart. Where no rule clearly earns
    more than a single answer, the order decides. Of those that rank rows as well, again as far as rows can tell, the
    one whose ridge these rows have chosen already is taken: fits of few rows hang least on chance with it.
    """
    done = {name: estimate.value for name, estimate in comparison.gain.items()}
    known = known_learners()
    offered = [name for name in done if not known[name].not_offered] or list(done)
    doubtful = {name for name in offered if any(finding.doubtful for finding in comparison.findings[name])}
    offered = [name for name in offered if name not in doubtful or known[name].fallback not in offered]
    best = max(offered, key=lambda name: done[name], default="")
    if not best:
        return comparison.best  # which says why all have failed
    if beats_one_answer(comparison, comparison.decisions[best]):
        earned = {name: earned_by_row(comparison, comparison.decisions[name]) for name in offered}
        weights = comparison.row_weights
        behind = {name: earned[best] - earned[name] for name in offered}
        offered = [
            name for name, less in behind.items() if weights.mean(less) <= _BEYOND_CHANCE * weights.standard_error(less)
        ]
    ranking = [name for name in offered if name in comparison.auc]
    first = max(ranking, key=lambda name: comparison.auc[name].value, default=best)
    suited = [name for name in ranking if known[name].ridge and not _ranks_better(comparison, first, name)]
    return suited[0] if suited else first


def _ranks_better(comparison: Comparison, name: str, other: str) -> bool:
    """Whether a learner ranks rows better than another beyond chance."""
    return name != other and comparison.differences("auc", to=other)[name].low > 0


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


def claimed_accuracy(comparison: Comparison, name: str, decided: NDArray[Any]) -> Estimate:
    """The share of rows that those decisions get right."""
    right = decided == comparison.codes
    found = _widen(share_estimate(right, comparison.row_weights), comparison, name, right.astype(np.float64))
    return Estimate(found.value, max(found.low, 0.0), min(found.high, 1.0))


def _widen(found: Estimate, comparison: Comparison, name: str, values: Array) -> Estimate:
    if not known_learners()[name].order_dependent:
        return found
    reach = normal_quantile() * np.sqrt(_variance_between_models(comparison, values))
    low, high = found.value - found.low, found.high - found.value
    return Estimate(found.value, found.value - float(np.hypot(low, reach)), found.value + float(np.hypot(high, reach)))


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
