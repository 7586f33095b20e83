"""One against all: a plane for each class, and the most confident wins."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.metaestimators import available_if

from discriminant.hyperplane import Hyperplane
from discriminant.losses import log_softmax
from discriminant.multiclass.answers import gives_probabilities
from discriminant.multiclass.foreign_estimators import log_probabilities
from discriminant.multiclass.label_sets import LabelSets, read_label_sets
from discriminant.multiclass.reduction import Reduction, Sides
from discriminant.separability.two_classes import REST

Array = NDArray[np.float64]
# a class for each row; or an indicator of several labels, sparse where that of fit was
Answers: TypeAlias = NDArray[Any] | sparse.csr_array


class OneVsAll(Reduction):
    """Several classes by any classifier of two: each class against the rest, the most confident wins.

    Rows may have several labels too: y is then an indicator matrix, y[i, l] = 1 where row i has label l, and each label
    is learnt and predicted for itself.

    Closed-form learners (Fisher, LDA, least squares, naive Bayes) share one pass over the rows for all classes; others
    are fitted one by one, or in threads.

    Parameters
    ----------
    learner : a classifier, not yet fitted; ours, scikit-learn's or one that behaves like those. It meets each problem
        with the classes 0 (the rest) and 1. It must have ``decision_function`` or ``predict_proba``; a regressor is
        taken too, and says class 1 where it predicts more than ½.
    n_jobs : threads; None is one, -1 as many as there are cores.

    Attributes
    ----------
    classes_ : array of K labels, sorted; where rows have several labels, the columns of y.
    estimators_ : list of a fitted learner for each class, in their order; of a single one for two classes.
    multilabel_ : bool, whether rows have several labels.
    coef_, intercept_ : arrays K×d and K, the planes, if the learner is linear; one row for two classes.
    findings_ : tuple of `Finding`, of all problems.

    Notes
    -----
    Each class has a score,

        s_k(x) = w_k·x − θ_k, learnt from class k against all the others;    predict  argmax_k s_k(x)

    The boundary between classes i and j lies where their scores are equal, (w_i − w_j)·x = θ_i − θ_j, so that it is
    made of pieces of K(K − 1)/2 hyperplanes (`decision_cells`, `neighbours`). Two classes need one plane.

    ``predict_proba`` exists where the learner has it: P(k against the rest), divided by its sum over the classes; of
    several labels P(l) as it is. A label that all rows have, or none, is predicted for all rows; so is one class alone,
    with a second column of zeros in ``predict_proba``. Both are findings, and warned of.

    ``partial_fit`` exists where the learner has it.

    Examples
    --------
    >>> from discriminant import LinearDiscriminantAnalysis
    >>> X, y = [[0, 0], [1, 0], [0, 1], [5, 0], [6, 0], [5, 1], [0, 5], [1, 5], [0, 6]], list("aaabbbccc")
    >>> model = OneVsAll(LinearDiscriminantAnalysis()).fit(X, y)
    >>> model.predict([[1, 1], [7, 1], [1, 7]]).tolist(), model.coef_.shape
    (['a', 'b', 'c'], (3, 2))

    Rows that have several labels, or none:

    >>> labels = [[0, 0], [0, 0], [0, 0], [1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]]
    >>> OneVsAll(LinearDiscriminantAnalysis()).fit(X, labels).predict([[1, 1], [7, 1], [7, 7]]).tolist()
    [[0, 0], [1, 0], [1, 1]]
    """

    multilabel_: bool
    _sparse: bool  # whether labels are answered by a sparse matrix, as they were given

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        return tags

    def _sides(self, n_classes: int) -> Sides:
        if n_classes == 1:
            return np.zeros((1, 1), dtype=np.int32)
        own = np.eye(n_classes, dtype=np.int32)
        return own[1:] if n_classes == 2 else own

    def _opponents(self) -> list[tuple[Any, Any]]:
        labels = self.classes_.tolist()
        if len(labels) == 2 and not self.multilabel_:
            return [(labels[0], labels[1])]
        return [(REST, label) for label in labels]

    def _class_scores(self, scores: Array) -> Array:
        return scores

    def _log_posteriors(self, pairs: list[Array]) -> Array:
        own = np.column_stack([pair[:, 1] for pair in pairs])
        own[np.isneginf(own).all(axis=1)] = 0.0  # no class is possible: all are equally so
        return log_softmax(own)

    # --- several labels ---------------------------------------------------------------------------------

    def _label_sets(self, y: Any) -> LabelSets | None:
        return read_label_sets(y)

    def _set_classes(self, classes: NDArray[Any], sets: LabelSets | None) -> None:
        self.multilabel_ = sets is not None
        self._sparse = sets is not None and sets.sparse
        self.classes_ = classes if sets is None else np.arange(sets.n_labels)

    def _refuse_changes(self, rows: Any, sets: LabelSets | None, classes: Any) -> None:
        if (sets is not None) != self.multilabel_ or (sets is not None and sets.n_labels != self.n_classes_):
            before = f"an indicator of {self.n_classes_} labels" if self.multilabel_ else "one class for each row"
            raise ValueError(f"y was {before} when learning began; it cannot change to another kind of target")
        super()._refuse_changes(rows, sets, classes)

    def decision_function(self, X: Any) -> Array:
        """One score for each row of two classes (positive for the second), one for each class or label of more.

        Parameters
        ----------
        X : a table with the columns of the fit.

        Returns
        -------
        ndarray
            (n,) for two classes, n×K for more, n×(labels) where rows have several.
        """
        if self._answers_labels():
            return self.scores(X)
        return super().decision_function(X)

    def predict(self, X: Any) -> Answers:
        """The class of each row; of several labels an indicator matrix, sparse where that of ``fit`` was.

        Parameters
        ----------
        X : a table with the columns of the fit.

        Returns
        -------
        ndarray
            A label for each row, or an indicator matrix where rows have several.
        """
        if not self._answers_labels():
            return super().predict(X)
        present = (self.scores(X) > 0).astype(np.int64)
        return sparse.csr_array(present) if self._sparse else present

    @available_if(gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Array:
        """log P(class | x); of several labels, that of each.

        Parameters
        ----------
        X : a table with the columns of the fit.

        Returns
        -------
        ndarray
            n×K, classes in the order of ``classes_``.
        """
        if not self._answers_labels():
            return np.asarray(super().predict_log_proba(X))
        return np.column_stack([pair[:, 1] for pair in self._ask(log_probabilities, X)])

    def hyperplane(self, negative: Any = None, positive: Any = None) -> Hyperplane:
        """The plane between two classes, with positive scores for ``positive``; without names, of the only two.

        Parameters
        ----------
        negative, positive : two labels; of two classes they may be left out.

        Returns
        -------
        Hyperplane
            w·x = θ, with its distances and margins.
        """
        if self._answers_labels():
            raise AttributeError(
                "labels do not exclude one another, so no plane lies between two; coef_ has each label's"
            )
        return super().hyperplane(negative, positive)

    def _answers_labels(self) -> bool:
        self.check_fitted()
        return self.multilabel_
