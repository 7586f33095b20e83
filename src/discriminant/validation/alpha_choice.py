"""How much penalty: the path of penalties judged by rows it has not seen, and how sure each column is."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from discriminant.learners.alpha_path import AlphaPath, path_of_rows, refuse_other_learners
from discriminant.learners.sparse_choice import RULES, ChoiceRule, Losses, losses_unseen
from discriminant.parameters import read_choice, read_count, read_share
from discriminant.validation.folds import read_folds
from discriminant.validation.table import Table

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AlphaChoice:
    """What each penalty of a path is worth on rows not seen, and the one that was chosen.

    Attributes
    ----------
    path : the path of all rows.
    loss, standard_error : the mean loss of a row not seen at each penalty, and its error over the folds.
    best_alpha : the penalty of the least loss.
    one_standard_error_alpha : the largest penalty whose loss is within one standard error of the least.
    alpha : the chosen one of the two.
    learner : fitted to all rows with it.

    Examples
    --------
    >>> from discriminant import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 4))
    >>> choice = choose_alpha(LogisticRegression(l1_ratio=1.0), X, X[:, 0] + rng.normal(size=60) > 0, n_alphas=10)
    >>> choice.learner.coef_[0].astype(bool).tolist()
    [True, False, False, False]
    """

    path: AlphaPath
    loss: Array
    standard_error: Array
    best_alpha: float
    one_standard_error_alpha: float
    alpha: float
    learner: Any


def choose_alpha(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    cv: Any = 5,
    groups: ArrayLike | None = None,
    alphas: Iterable[float] | None = None,
    n_alphas: int = 50,
    smallest: float = 1e-3,
    rule: ChoiceRule = "one-standard-error",
    sample_weight: ArrayLike | None = None,
    random_state: int | None = 0,
) -> AlphaChoice:
    """Choose the penalty of a learner with ``l1_ratio`` by rows not seen, and fit it to all rows.

    Parameters
    ----------
    learner, X, y, alphas, n_alphas, smallest, sample_weight : as for `alpha_path`.
    cv : a number of folds, a splitter, or any other form of folds.
    groups : rows of one group are never in two folds.
    rule : "one-standard-error", the sparsest model whose loss is within a standard error of the least; or "best".
    random_state : of the folds.

    Returns
    -------
    AlphaChoice
        The path, losses and errors, the chosen penalty and the learner fitted with it.

    Examples
    --------
    >>> from discriminant import LeastSquaresClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 4))
    >>> choice = choose_alpha(LeastSquaresClassifier(l1_ratio=1.0), X, X[:, 0] > 0, n_alphas=10, rule="best")
    >>> choice.alpha == choice.best_alpha
    True
    """
    read_choice(rule, RULES, "rule")
    refuse_other_learners(learner)
    learner.check_parameters()
    table = Table.read(X, y, sample_weight, "choose_alpha")
    folds = read_folds(cv, table, groups, random_state)
    rows = table.rows
    path = path_of_rows(learner, rows, alphas, n_alphas, smallest)
    judged = Losses.of_folds(
        np.array([losses_unseen(learner, rows, training, tested, path.alphas) for training, tested in folds.split()])
    )
    least, within = judged.place("best"), judged.place("one-standard-error")
    best, sparser = float(path.alphas[least]), float(path.alphas[within])
    alpha = sparser if rule == "one-standard-error" else best
    return AlphaChoice(path, *judged, best, sparser, alpha, table.refit(path.learner_at(alpha)))


def selection_stability(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    n_resamples: int = 50,
    share: float = 0.5,
    sample_weight: ArrayLike | None = None,
    random_state: int = 0,
) -> Array:
    """How often each column has a weight when the learner is fitted to parts of the rows, drawn at random.

    Parameters
    ----------
    learner : with ``l1_ratio`` and its penalty.
    X, y, sample_weight : a table with its labels and weights.
    n_resamples : how many parts are drawn.
    share : of each class that a part has.
    random_state : of the draws.

    Returns
    -------
    array of shape (d,)
        A share of the parts for each column.

    Examples
    --------
    >>> from discriminant import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> often = selection_stability(LogisticRegression(alpha=8, l1_ratio=1.0), X, X[:, 0] > 0, n_resamples=10)
    >>> bool(often[0] == 1), bool((often[1:] < 0.5).all())
    (True, True)
    """
    read_count(n_resamples, "n_resamples")
    read_share(share, "share")
    refuse_other_learners(learner)
    rows, rng = Table.read(X, y, sample_weight, "selection_stability").rows, np.random.default_rng(random_state)
    kept = np.zeros(rows.n_columns)
    members = [np.flatnonzero(rows.codes == k) for k in range(rows.classes.size)]
    for _ in range(n_resamples):
        drawn = [rng.permutation(of)[: max(int(np.ceil(share * of.size)), 1)] for of in members]
        fitted = clone(learner).fit(rows.take(np.sort(np.concatenate(drawn))))
        kept += fitted.coef_.any(axis=0)
    return kept / n_resamples
