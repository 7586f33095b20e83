"""Scores of rows by logistic regressions that have not seen them: the part of `LogisticRegression` that fits folds."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.findings import NotConverged, Separable
from discriminant.learners.base import linear_scores
from discriminant.learners.class_weights import weighed_by_class
from discriminant.learners.leave_out import kfold_scores
from discriminant.rows import ArrayRows
from discriminant.rows.threads import single_threaded_blas

Array = NDArray[np.float64]

_MOST_WEIGHTS_SEEN = 1000  # of which a solver surely tells whether columns determine one another


class LogisticFolds:
    """Fits without each fold, from the weights of the whole."""

    def kfold_decision_function(
        self, X: Any, y: Any, folds: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Array:
        """The score of each row by the model of all rows outside its fold; ``folds`` gives each row's fold.

        X, y are the rows this model was fitted to, without offsets. Fits start at its weights, and end where any other
        would: at the minimum, to ``tol``. Each fold must leave rows of every class.

        Parameters
        ----------
        X, y, sample_weight : a table with its labels and weights of rows.
        folds : the number of a fold for each row.

        Returns
        -------
        ndarray
            Scores as `decision_function` has them.
        """
        model: Any = self
        model.check_fitted()
        rows = model.read_rows(X, y, sample_weight, reset=False)
        matrix, near = model.read_columns(X), model._start_for_parts()

        def without(inside: NDArray[np.bool_], tested: NDArray[np.intp]) -> Array:
            rest = rows.take(np.flatnonzero(~inside))
            model._refuse_other_classes(rest.classes)
            planes = model._planes_near(weighed_by_class(rest, model.class_weight), near)
            scores = linear_scores(matrix[tested], planes[:, :-1], planes[:, -1])
            return scores[:, 0] if len(planes) == 1 else scores

        with single_threaded_blas():
            return kfold_scores(model.decision_function(X), rows.numbers, folds, without)

    def _start_for_parts(self: Any) -> Array | None:
        """The planes, unless they are on their way to infinity, or parts may leave some directions undetermined."""
        diverged = any(isinstance(finding, Separable | NotConverged) for finding in self.findings_)
        unseen = not self.penalty_strength() and self.coef_.size > _MOST_WEIGHTS_SEEN
        return None if diverged or unseen else np.column_stack([self.coef_, self.intercept_])

    def _planes_near(self: Any, rows: ArrayRows, start: Array | None) -> Array:
        """The estimate, from a start that knew more rows; of what these rows leave undetermined nothing must stay."""
        if self._limited:
            return self._limited_planes(rows, start)
        _, found, planes = self._estimated(rows, start=start)
        known = start is not None and (found.deficient or not found.converged)
        return self._estimated(rows)[2] if known else planes

    def _refuse_other_classes(self: Any, classes: NDArray[Any]) -> None:
        if not np.array_equal(classes, self.classes_):
            raise ValueError(
                f"a fold leaves rows of the classes {classes.tolist()} to be fitted, and the model is of "
                f"{self.classes_.tolist()}; spread the rows of each class over the folds"
            )
