"""What a classifier of several classes answers, from the answers of its classifiers of two."""

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import validate_data

from discriminant.learners.base import LinearClassifier, winners
from discriminant.multiclass.foreign_estimators import confidence, log_probabilities
from discriminant.rows.threads import single_threaded_blas

Array = NDArray[np.float64]


def gives_probabilities(model: Any) -> bool:
    """Whether the learner of a reduction does."""
    if hasattr(model.learner, "predict_proba"):
        return True
    raise AttributeError(f"{type(model.learner).__name__} has no predict_proba, so {type(model).__name__} has none")


class CombinedAnswers(LinearClassifier):
    """Scores, assignments and probabilities of a fitted reduction."""

    learner: Any
    n_jobs: int | None
    estimators_: list[Any]
    _columns: list[NDArray[np.intp]] | None  # that each model knows, where they stand for rows
    _plain: bool  # whether the scores are coef_·x + intercept_, all in one product

    @abstractmethod
    def _class_scores(self, scores: Array) -> Array:
        """n×K scores of the classes from those of the problems, for K > 2."""

    @abstractmethod
    def _log_posteriors(self, pairs: list[Array]) -> Array:
        """log P(class | x) from log P(side | x) of each problem, for K > 2."""

    def _each(self, work: Any, arguments: Iterator[tuple[Any, ...]]) -> list[Any]:
        """Do each in threads: fits and scores let go of the interpreter's lock while they compute."""
        # BLAS is held to one thread all along: to let it go and hold it again for each fit, while another is under
        # way, made two threads ten times slower than one
        held = isinstance(self.learner, LinearClassifier) or self.n_jobs not in (None, 1)
        with single_threaded_blas() if held else nullcontext():
            return list(Parallel(n_jobs=self.n_jobs, prefer="threads")(delayed(work)(*each) for each in arguments))

    def check_fitted(self) -> None:
        """Refuse a model that was never fitted."""
        if "estimators_" not in self.__dict__:
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet; call fit first")

    # --- scores -----------------------------------------------------------------------------------------

    def scores(self, X: Any) -> Array:
        """A score of each problem for each row.

        Parameters
        ----------
        X : a table with the columns of the fit.

        Returns
        -------
        ndarray
            n×1 or n×K.
        """
        self.check_fitted()
        if self._plain:
            return super().scores(X)
        return np.column_stack(self._ask(confidence, X))

    def _ask(self, question: Any, X: Any) -> list[Any]:
        self.check_fitted()
        if isinstance(self.learner, LinearClassifier):
            self.read_columns(X)
        elif getattr(X, "ndim", 2) != 1:  # a single row, or texts: the learner knows which
            validate_data(self, X, reset=False, skip_check_array=True)
        if self._columns is None:
            return self._each(question, ((model, X) for model in self.estimators_))
        parts = zip(self.estimators_, self._columns, strict=True)
        return self._each(question, ((model, _safe_indexing(X, columns, axis=1)) for model, columns in parts))

    def decision_function(self, X: Any) -> Array:
        """One score for each row of two classes (positive for the second), one for each class of more.

        Parameters
        ----------
        X : a table with the columns of the fit.

        Returns
        -------
        ndarray
            (n,) for two classes, n×K for more.
        """
        scores = self.scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else self._class_scores(scores)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row.

        Parameters
        ----------
        X : a table with the columns of the fit.

        Returns
        -------
        ndarray
            A label of ``classes_`` for each row.
        """
        scores = self.scores(X)
        return self.classes_[winners(scores if scores.shape[1] == 1 else self._class_scores(scores))]

    @available_if(gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Array:
        """log P(class | x).

        Parameters
        ----------
        X : a table with the columns of the fit.

        Returns
        -------
        ndarray
            n×K, classes in the order of ``classes_``.
        """
        pairs = self._ask(log_probabilities, X)
        return pairs[0] if len(pairs) == 1 else self._log_posteriors(pairs)

    @available_if(gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """P(class | x).

        Parameters
        ----------
        X : a table with the columns of the fit.

        Returns
        -------
        ndarray
            n×K, classes in the order of ``classes_``.
        """
        return np.asarray(np.exp(self.predict_log_proba(X)))
