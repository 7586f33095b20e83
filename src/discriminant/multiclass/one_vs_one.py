"""One against one: a plane between each pair of classes, and the class with most votes wins."""

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.hyperplane import Hyperplane
from discriminant.multiclass.coupling import couple_pairs
from discriminant.multiclass.label_sets import LabelSets
from discriminant.multiclass.reduction import Reduction, Sides

Array = NDArray[np.float64]


class OneVsOne(Reduction):
    """Several classes by any classifier of two: each pair of classes votes, ties go to the more confident.

    Closed-form learners (Fisher, LDA, least squares, naive Bayes) share one pass over the rows for all pairs; others
    are fitted one by one, or in threads.

    Parameters
    ----------
    learner : a classifier, not yet fitted; ours, scikit-learn's or one that behaves like those. It meets each pair
        with the classes 0 (the first) and 1. It must have ``decision_function`` or ``predict_proba``; a regressor is
        taken too, and votes for class 1 where it predicts more than ½.
    n_jobs : threads; None is one, -1 as many as there are cores.

    Attributes
    ----------
    classes_ : array of K labels, sorted.
    estimators_ : list of a fitted learner for each pair of classes, in the order of ``pairs_``.
    coef_, intercept_ : arrays K(K−1)/2 × d and K(K−1)/2: the plane of each pair (a, b), positive for b, if the learner
        is linear.
    findings_ : tuple of `Finding`, of all problems.

    Notes
    -----
    Each pair of classes has a score,

        s_ij(x) > 0 is a vote for j, else for i.    predict  argmax_k (votes for k, Σ confidence for k), votes first

    with the confidence s_ij for j and −s_ij for i. Each pair is learnt from its own rows alone.

    ``decision_function`` gives votes (0 … K−1) plus the summed confidence c of the class as c/(3(|c| + 1)), which
    never outweighs a vote. ``predict_proba`` exists where the learner has it: the probabilities of the pairs, coupled
    by the second method of Wu, Lin and Weng (2004); its largest class need not have the most votes. ``partial_fit``
    exists where the learner has it; a pair learns from a batch where that has rows of it.

    Examples
    --------
    >>> from discriminant import LinearDiscriminantAnalysis
    >>> X, y = [[0, 0], [1, 0], [0, 1], [5, 0], [6, 0], [5, 1], [0, 5], [1, 5], [0, 6]], list("aaabbbccc")
    >>> model = OneVsOne(LinearDiscriminantAnalysis()).fit(X, y)
    >>> model.predict([[1, 1], [7, 1], [1, 7]]).tolist(), model.pairs_
    (['a', 'b', 'c'], [('a', 'b'), ('a', 'c'), ('b', 'c')])
    """

    @property
    def pairs_(self) -> list[tuple[Any, Any]]:
        """The pairs of classes, in the order of ``estimators_``."""
        self.check_fitted()
        return self._opponents()

    @property
    def pairwise_indices_(self) -> list[NDArray[np.intp]] | None:
        """The rows each pair was learnt from, of a learner of precomputed similarities; None of others."""
        self.check_fitted()
        return self._columns

    def _sides(self, n_classes: int) -> Sides:
        first, second = np.triu_indices(n_classes, 1)
        sides = np.full((first.size, n_classes), -1, dtype=np.int32)
        sides[np.arange(first.size), first] = 0
        sides[np.arange(first.size), second] = 1
        return sides

    def _opponents(self) -> list[tuple[Any, Any]]:
        return list(combinations(self.classes_.tolist(), 2))

    def _set_classes(self, classes: NDArray[Any], sets: LabelSets | None) -> None:
        if classes.size == 1:
            raise ValueError(
                f"OneVsOne cannot be fitted when only one class is present: y contains one class only "
                f"({classes.tolist()[0]!r}), and a pair needs two"
            )
        super()._set_classes(classes, sets)

    def _class_scores(self, scores: Array) -> Array:
        votes, sums = ballots(scores, self.classes_.size)
        totals = votes + sums / (3.0 * (np.abs(sums) + 1.0))
        # sums too large, or too small, to make a difference beside the votes still decide
        winners = np.where(votes == votes.max(axis=1, keepdims=True), sums, -np.inf).argmax(axis=1)
        lost = np.flatnonzero(totals.argmax(axis=1) != winners)
        totals[lost, winners[lost]] = np.nextafter(totals[lost].max(axis=1), np.inf)
        return np.asarray(totals)

    def _log_posteriors(self, pairs: list[Array]) -> Array:
        second = np.exp(np.column_stack([pair[:, 1] for pair in pairs]))
        with np.errstate(divide="ignore"):
            return np.log(couple_pairs(second, self.classes_.size))

    def hyperplane(self, negative: Any = None, positive: Any = None) -> Hyperplane:
        """The plane learnt from two classes, with positive scores for ``positive``; without names, of the only two.

        Parameters
        ----------
        negative, positive : two labels; of two classes they may be left out.

        Returns
        -------
        Hyperplane
            w·x = θ, with its distances and margins.
        """
        self.check_fitted()
        if self.classes_.size == 2 or "coef_" not in self.__dict__ or negative is None or positive is None:
            return super().hyperplane(negative, positive)
        i, j = sorted((self.place_of(negative), self.place_of(positive)))
        if i == j:
            raise ValueError(f"{negative!r} is one class; a plane lies between two")
        at = self.pairs_.index((self.classes_.tolist()[i], self.classes_.tolist()[j]))
        plane = Hyperplane(self.coef_[at], -float(self.intercept_[at]))
        return plane if self.place_of(negative) == i else -plane


def ballots(scores: Array, n_classes: int) -> tuple[Array, Array]:
    """(votes, summed confidence) of each class (n×K) from the scores of the pairs (n × K(K−1)/2)."""
    votes, sums = np.zeros((n_classes, len(scores))), np.zeros((n_classes, len(scores)))
    largest = np.finfo(np.float64).max / (8 * n_classes)  # sums stay within the floats
    scores = np.clip(scores, -largest, largest)
    for score, (i, j) in zip(np.ascontiguousarray(scores.T), combinations(range(n_classes), 2), strict=True):
        won = score > 0
        votes[j] += won
        votes[i] += ~won
        sums[j] += score
        sums[i] -= score
    return np.ascontiguousarray(votes.T), np.ascontiguousarray(sums.T)
