"""One against all: a plane for each class, and the most confident wins."""

import numpy as np
from numpy.typing import NDArray

from discriminant.losses import log_softmax
from discriminant.multiclass.reduction import Reduction, Sides

Array = NDArray[np.float64]


class OneVsAll(Reduction):
    """Several classes by any classifier of two: each class against the rest, the most confident wins.

    Closed-form learners (Fisher, LDA, least squares, naive Bayes) share one pass over the rows for all classes; others
    are fitted one by one, or in threads.

    Parameters
    ----------
    learner : a classifier, not yet fitted; ours, scikit-learn's or one that behaves like those. It meets each problem
        with the classes 0 (the rest) and 1. It must have ``decision_function`` or ``predict_proba``.
    n_jobs : threads; None is one, -1 as many as there are cores.

    Attributes
    ----------
    classes_, estimators_ : a fitted learner for each class, in their order; a single one for two classes.
    coef_ (K×d), intercept_ (K) : the planes, if the learner is linear; one row for two classes.
    hyperplanes_ : the plane between each pair of classes. findings_ : of all problems.
    n_features_in_, feature_names_in_.

    Notes
    -----
    Each class has a score,

        s_k(x) = w_k·x − θ_k, learnt from class k against all the others;    predict  argmax_k s_k(x)

    The boundary between classes i and j lies where their scores are equal, (w_i − w_j)·x = θ_i − θ_j, so that it is
    made of pieces of K(K − 1)/2 hyperplanes (`decision_cells`, `neighbours`). Two classes need one plane.

    ``predict_proba`` exists where the learner has it: P(k against the rest), divided by its sum over the classes.

    Examples
    --------
    >>> from discriminant import LinearDiscriminantAnalysis
    >>> X, y = [[0, 0], [1, 0], [0, 1], [5, 0], [6, 0], [5, 1], [0, 5], [1, 5], [0, 6]], list("aaabbbccc")
    >>> model = OneVsAll(LinearDiscriminantAnalysis()).fit(X, y)
    >>> model.predict([[1, 1], [7, 1], [1, 7]]).tolist(), model.coef_.shape
    (['a', 'b', 'c'], (3, 2))
    """

    def _sides(self, n_classes: int) -> Sides:
        own = np.eye(n_classes, dtype=np.int32)
        return own[1:] if n_classes == 2 else own

    def _titles(self) -> list[str]:
        labels = self.classes_.tolist()
        return [f"{label!r} against the rest" for label in (labels[1:] if len(labels) == 2 else labels)]

    def _class_scores(self, scores: Array) -> Array:
        return scores

    def _log_posteriors(self, pairs: list[Array]) -> Array:
        own = np.column_stack([pair[:, 1] for pair in pairs])
        own[np.isneginf(own).all(axis=1)] = 0.0  # no class is possible: all are equally so
        return log_softmax(own)
