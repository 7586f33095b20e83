"""What every learner shares: reading rows, scoring them, probabilities, hyperplanes.

The binary score is positive for ``classes_[1]``; with K > 2 classes the largest of K scores wins.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import validate_data

from discriminant.findings import Finding
from discriminant.forks import importing
from discriminant.hyperplane import Hyperplane, PairwisePlanes, Planes, wide_range_scores
from discriminant.learners.reading_plan import ALL_ROWS, ReadingPlan
from discriminant.losses import log_softmax
from discriminant.parameters import explain_other_names
from discriminant.rows import ArrayRows, Rows, from_arrays, in_memory, read_source
from discriminant.rows.matrix import Matrix, dense_block, read_matrix, refuse_non_finite
from discriminant.rows.memory import refuse_empty
from discriminant.rows.threads import over_spans

Array = NDArray[np.float64]

_ROWS_AGAIN = 256  # whose scores are computed once more at a time


class LinearClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that is a set of hyperplanes: ``coef_`` (1×d, or K×d) and ``intercept_``."""

    classes_: NDArray[Any]
    coef_: Array
    intercept_: Array
    n_features_in_: int
    findings_: tuple[Finding, ...]

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        explain_other_names(cls)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # --- rows in ----------------------------------------------------------------------------------------

    def check_parameters(self) -> None:
        """Refuse parameters that make no sense, before any row is touched."""

    def read_source(self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool) -> Rows:
        """Checked rows, wherever they are; records (or, unless ``reset``, checks) the number and names of columns."""
        given = isinstance(X, Rows)
        if y is None and not given:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        arrays = None if given else from_arrays(X, y, sample_weight)
        rows = read_source(X, y, sample_weight) if arrays is None else arrays
        schema = rows.schema
        if reset and schema.names is None and (given or type(X) is np.ndarray):
            self.n_features_in_ = schema.n_columns  # all that scikit-learn would find, in a tenth of the time
            self.__dict__.pop("feature_names_in_", None)
        elif arrays is None:
            validate_data(self, empty_table(schema.n_columns, schema.names), reset=reset, skip_check_array=True)
        else:
            validate_data(self, X if hasattr(X, "shape") else arrays.matrix, reset=reset, skip_check_array=True)
        return rows

    def read_rows(self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool) -> ArrayRows:
        """Read rows for a method that goes back to single rows."""
        return in_memory(self.read_source(X, y, sample_weight, reset=reset), type(self).__name__)

    def reading_plan(self) -> ReadingPlan:
        """How often a fit reads a source of rows, and what it holds of them."""
        return ALL_ROWS

    def read_columns(self, X: Any) -> Matrix:
        """A table to score: the columns the model was fitted on, in their order."""
        self.check_fitted()
        matrix = read_matrix(X)
        refuse_empty(matrix)
        validate_data(self, X if hasattr(X, "shape") else matrix, reset=False, skip_check_array=True)
        return matrix

    def check_fitted(self) -> None:
        """Refuse a model that was never fitted."""
        if "coef_" not in self.__dict__:
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet; call fit first")

    # --- scores -----------------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Array:
        """w·x − θ of each row: (n,) for two classes, (n, K) for more.

        Parameters
        ----------
        X : a table with the columns of the fit.

        Returns
        -------
        ndarray
            Scores, positive for ``classes_[1]``; with K > 2 classes the largest of a row wins.
        """
        scores = self.scores(X)
        return scores[:, 0] if len(self.intercept_) == 1 else scores

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
        chosen = winners(self.scores(X))  # a model that is not fitted says so here
        return self.classes_[chosen]

    def scores(self, X: Any) -> Array:
        """The scores of each row, as a matrix: one column for two classes, K for more.

        Parameters
        ----------
        X : a table with the columns of the fit.

        Returns
        -------
        ndarray
            n×1 or n×K.
        """
        plain = (
            type(X) is np.ndarray
            and X.ndim == 2
            and X.dtype == np.float64
            and X.shape[0] > 0
            and X.shape[1] == self.__dict__.get("n_features_in_")
            and "feature_names_in_" not in self.__dict__
            and "coef_" in self.__dict__
        )
        matrix = X if plain else self.read_columns(X)
        scores = self.score_matrix(matrix)
        if not np.isfinite(scores).all():
            self.refuse_scores(matrix, scores)
        return scores

    def refuse_scores(self, matrix: Matrix, scores: Array) -> None:
        """Scores that are not numbers come from values that are not, or that are too large to multiply."""
        refuse_non_finite(matrix, self.column_names_in())
        lost = np.flatnonzero(~np.isfinite(scores).all(axis=1))
        if lost.size:
            raise ValueError(f"the score of row {lost[0]} overflows; its values are too large for this model")

    def score_matrix(self, matrix: Matrix) -> Array:
        """The scores of a checked table, finite or not."""
        return linear_scores(matrix, self.coef_, self.intercept_)

    def column_names_in(self) -> tuple[str, ...] | None:
        """The names of the columns, where they have any."""
        names = self.__dict__.get("feature_names_in_")
        return None if names is None else tuple(str(n) for n in names)

    # --- hyperplanes ------------------------------------------------------------------------------------

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
        self.check_fitted()
        if negative is None and positive is None:
            if self.classes_.size != 2:
                raise ValueError(f"there are {self.classes_.size} classes; say which two: hyperplane(a, b)")
            negative, positive = self.classes_
        i, j = self.place_of(negative), self.place_of(positive)
        if i == j:
            raise ValueError(f"{negative!r} is one class; a plane lies between two")
        if len(self.intercept_) == 1:
            plane = Hyperplane.from_coef(self.coef_, self.intercept_)
            return plane if i == 0 else -plane
        return Hyperplane(self.coef_[j] - self.coef_[i], self.intercept_[i] - self.intercept_[j])

    @property
    def hyperplanes_(self) -> Mapping[tuple[Any, Any], Hyperplane]:
        """The plane between each pair of classes (a, b), positive for b; each is made when it is asked for."""
        self.check_fitted()
        return PairwisePlanes(tuple(combinations(self.classes_.tolist(), 2)), self.hyperplane)

    def place_of(self, label: Any) -> int:
        """Where a class stands in ``classes_``."""
        places = np.flatnonzero(self.classes_ == label)
        if not places.size:
            raise ValueError(f"{label!r} is not one of the classes {self.classes_.tolist()}")
        return int(places[0])


@contextmanager
def unchanged_on_error(model: Any) -> Iterator[None]:
    """Bad rows must not leave a half-changed model behind, nor numbers that overflow one without finite weights."""
    before = dict(model.__dict__)
    try:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            yield
        for name in ("coef_", "intercept_"):
            if not np.isfinite(model.__dict__.get(name, 0.0)).all():
                raise ValueError(
                    "the weights overflow: some numbers, or weights of rows, are too large or too small beside the "
                    "others; multiply them by powers of ten"
                )
    except BaseException:
        model.__dict__.clear()
        model.__dict__.update(before)
        raise


class ProbabilisticMixin:
    """Posteriors from scores that are log joint probabilities up to a common term."""

    def predict_log_proba(self, X: Any) -> Array:
        """log P(class | x), right where the probabilities themselves underflow.

        Parameters
        ----------
        X : a table with the columns of the fit.

        Returns
        -------
        ndarray
            n×K, classes in the order of ``classes_``.
        """
        return log_posteriors(self.scores(X))  # type: ignore[attr-defined]

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
        return np.exp(self.predict_log_proba(X))


def winners(scores: Array) -> NDArray[np.intp]:
    """The class of each row: the second of two where its only score is positive, the largest score of more."""
    if scores.shape[1] == 1:
        return (scores[:, 0] > 0).view(np.int8).astype(np.intp)
    return scores.argmax(axis=1) if scores.shape[1] else np.zeros(len(scores), dtype=np.intp)  # one class alone


def log_posteriors(scores: Array) -> Array:
    """log P(class | x) of scores that are log-odds (n×1), or log joint probabilities up to a common term (n×K)."""
    if scores.shape[1] == 1:
        s = scores[:, 0]
        return np.column_stack([-np.logaddexp(0.0, s), -np.logaddexp(0.0, -s)])
    return log_softmax(scores) if scores.shape[1] else np.zeros((len(scores), 1))


def linear_scores(matrix: Matrix, coef: Array, intercept: Array) -> Array:
    """X coef′ + intercept, in float64 whatever the dtype of X; infinite only where the sum is, not one of its terms."""
    scores = _products(matrix, coef, intercept)
    lost = np.flatnonzero(~np.isfinite(scores).all(axis=1))
    for part in np.array_split(lost, lost.size // _ROWS_AGAIN + 1) if lost.size else ():
        rows = matrix[part]
        scores[part] = wide_range_scores(dense_block(rows, 0, part.size), coef, intercept)
    return scores


def _products(matrix: Matrix, coef: Array, intercept: Array) -> Array:
    n, d = matrix.shape
    if matrix.dtype == np.float64 and n * d < 1 << 18:
        with np.errstate(over="ignore", invalid="ignore"):  # looked for afterwards, in the scores
            return matrix @ coef.T + intercept
    scores = np.empty((n, len(coef)))

    def of_span(start: int, stop: int) -> None:
        step = stop - start if matrix.dtype == np.float64 else 4096
        for a in range(start, stop, step):
            b = min(a + step, stop)
            part = matrix[a:b] if sparse.issparse(matrix) else matrix[a:b].astype(np.float64, copy=False)
            with np.errstate(over="ignore", invalid="ignore"):
                if sparse.issparse(matrix):
                    scores[a:b] = part @ coef.T
                elif len(coef) == 1:
                    np.dot(part, coef[0], out=scores[a:b, 0])
                else:
                    np.dot(part, coef.T, out=scores[a:b])
                scores[a:b] += intercept

    over_spans(of_span, n, d)
    return scores


def planes_of_scores(coef: Array, intercept: Array) -> Planes:
    """The planes of a learner from a score for each class: the difference of two, all of more."""
    if len(intercept) > 2:
        return Planes(coef, intercept)
    return Planes(coef[1:] - coef[:1], intercept[1:] - intercept[:1])


def refuse_one_class(classes: NDArray[Any]) -> None:
    """A classifier needs two classes."""
    if classes.size < 2:
        only = classes.tolist()[0] if classes.size else None
        raise ValueError(f"y contains one class only ({only!r}); a classifier needs at least two classes")


def empty_table(n_columns: int, names: tuple[str, ...] | None) -> Any:
    """A table without rows that has these columns, for scikit-learn to take their names from."""
    if names is None:
        return np.empty((0, n_columns))
    with importing:
        import pyarrow

    return pyarrow.table({name: pyarrow.array([], pyarrow.float64()) for name in names})
