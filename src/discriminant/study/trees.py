"""What a model that may bend in every way would earn on the same rows and folds: scikit-learn's boosted trees.

They are a yardstick and no contender: where they earn no more, nothing is lost by a plane; where they earn much more,
columns act together in ways that a sum over columns cannot say.
"""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from discriminant.comparison import Comparison, compare
from discriminant.comparison.inference import Difference, Estimate, RowWeights, mean_difference
from discriminant.gain.matrix import Gain
from discriminant.study.claims import earned_by_row

Array = NDArray[np.float64]

_NAME = "boosted trees"
_FEWEST_ROWS = 100
_MOST_WORK = 8_000_000  # cells times planes of all folds
_ROUNDS = 100  # of two classes; of K, each of which has K trees, fewer
_FEWEST_ROUNDS = 30


def trees_of(X: Array, comparison: Comparison, gain: Gain, best: str, seed: int) -> tuple[Estimate, Difference] | None:
    """(what trees earn, how much more than the chosen learner); None where they would take too long, or fail.

    X has the compared rows with numbers as they are.
    """
    K = comparison.classes.size
    if len(X) < _FEWEST_ROWS or X.size * (1 if K == 2 else K) > _MOST_WORK:
        return None
    judged = _judged(X, comparison, gain, seed)
    if judged is None or judged.failures:
        return None
    theirs, ours = (earned_by_row(c, c.decisions[name]) for c, name in ((judged, _NAME), (comparison, best)))
    return judged.gain[_NAME], mean_difference(theirs, ours, RowWeights(comparison.weight))


def _judged(X: Array, comparison: Comparison, gain: Gain, seed: int) -> Comparison | None:
    given = comparison.data.given
    rounds = max(2 * _ROUNDS // comparison.classes.size, _FEWEST_ROUNDS)
    trees = HistGradientBoostingClassifier(max_iter=rounds, random_state=seed)
    options: dict[str, Any] = {"cv": comparison.cv, "sample_weight": given.weight, "random_state": seed}
    with warnings.catch_warnings(), threadpool_limits(1):  # trees this small wait for one another more than they work
        warnings.simplefilter("ignore")
        try:
            return compare(X, given.codes, gain=Gain(np.array(gain.matrix)), learners={_NAME: trees}, **options)
        except (ValueError, MemoryError):
            return None
