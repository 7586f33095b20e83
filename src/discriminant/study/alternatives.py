"""What would be earned otherwise on the same rows and folds: without a column, or by scikit-learn's boosted trees.

A weight says what a column adds beside the others; judging the chosen learner again without it says whether they could
do without it. Columns are tried from the one that moves scores most on, as many as a person waits for.

Trees may bend in every way. They are a yardstick and no contender: where they earn no more, nothing is lost by a plane;
where they earn much more, columns act together in ways that a sum over columns cannot say.
"""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from discriminant.comparison import Comparison, compare
from discriminant.comparison.inference import Difference, mean_difference
from discriminant.findings import FindingWarning
from discriminant.gain.matrix import Gain
from discriminant.learners.registry import known_learners
from discriminant.rows import ArrayRows
from discriminant.study.claims import earned_by_row
from discriminant.table.encoding import Encoding

Array = NDArray[np.float64]

MOST_COLUMNS = 12
_WORK = 2e10  # multiplications for all columns together: some seconds


def costs_of_leaving_out(
    encoding: Encoding, rows: ArrayRows, weights: Array, comparison: Comparison, gain: Gain, best: str
) -> Mapping[str, Difference]:
    """What a row loses without each of the columns that move scores most, the largest first."""
    places = {column.name: np.arange(start, stop) for column, start, stop in encoding.places()}
    if len(places) < 2:
        return {}
    moved = {name: float(np.std(rows.matrix[:, own] @ weights[:, own].T)) for name, own in places.items()}
    most = min(MOST_COLUMNS, int(_WORK / _work(rows, comparison, best)))
    tried = sorted((name for name in moved if moved[name] > 0), key=lambda name: -moved[name])[:most]
    costs = {name: _cost(places[name], rows, comparison, gain, best) for name in tried}
    found = {name: cost for name, cost in costs.items() if cost is not None}
    return dict(sorted(found.items(), key=lambda item: -item[1].value))


def _work(rows: ArrayRows, comparison: Comparison, best: str) -> float:
    """Multiplications of all folds without a column."""
    n, d = rows.matrix.shape
    folds, K = comparison.cv.n_folds, comparison.classes.size
    planes, entry = 1 if K == 2 else K, known_learners()[best]
    at_once = d * planes if entry.planes_together else d  # weights that are solved for together
    solving = 1 if entry.row_by_row else min(n, at_once)
    return float(n * d * planes * solving * folds * entry.most_passes)


def _cost(
    left_out: NDArray[np.intp], rows: ArrayRows, comparison: Comparison, gain: Gain, best: str
) -> Difference | None:
    matrix = np.delete(rows.matrix, left_out, axis=1)
    fewer = ArrayRows(matrix, np.arange(comparison.classes.size), rows.codes, rows.weight)
    learner: Any = clone(comparison.learners[best])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)
        judged = compare(fewer, gain=Gain(np.array(gain.matrix)), learners={best: learner}, cv=comparison.cv, n_jobs=-1)
    if judged.failures:
        return None
    judged = replace(judged, gains=comparison.gains)
    with_it, without = (earned_by_row(c, c.decisions[best]) for c in (comparison, judged))
    return mean_difference(with_it, without, comparison.row_weights)


TREES = "boosted trees"
_FEWEST_ROWS = 100
_MOST_WORK = 8_000_000  # cells times planes of all folds
_ROUNDS = 100  # of two classes; of K, each of which has K trees, fewer
_FEWEST_ROUNDS = 30


def trees_of(X: Array, comparison: Comparison, gain: Gain, seed: int) -> Comparison | None:
    """What trees decide on the folds of a comparison; None where they would take too long, or fail.

    X has the compared rows with numbers as they are.
    """
    K = comparison.classes.size
    if len(X) < _FEWEST_ROWS or X.size * (1 if K == 2 else K) > _MOST_WORK:
        return None
    judged = _compare_trees(X, comparison, gain, seed)
    if judged is None or judged.failures:
        return None
    return replace(judged, gains=comparison.gains)


def _compare_trees(X: Array, comparison: Comparison, gain: Gain, seed: int) -> Comparison | None:
    rounds = max(2 * _ROUNDS // comparison.classes.size, _FEWEST_ROUNDS)
    trees = HistGradientBoostingClassifier(max_iter=rounds, random_state=seed)
    given = comparison.data.given
    options: dict[str, Any] = {"cv": comparison.cv, "sample_weight": given.weight, "random_state": seed}
    with warnings.catch_warnings(), threadpool_limits(1):  # trees this small wait for one another more than they work
        warnings.simplefilter("ignore")
        try:
            return compare(X, given.codes, gain=Gain(np.array(gain.matrix)), learners={TREES: trees}, **options)
        except (ValueError, MemoryError):
            return None
