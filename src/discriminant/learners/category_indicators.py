"""The columns in which a naive Bayes classifier is linear."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.learners.base import LinearClassifier
from discriminant.learners.naive_bayes_columns import side_by_side
from discriminant.rows.matrix import dense_block

Array = NDArray[np.float64]


class CategoryIndicators(LinearClassifier):
    """The table as a fitted `NaiveBayes` sees it."""

    marginal: Any
    categories_: list[Array]
    _by_column: Any
    _parts: Any
    marginals_of_columns: Any

    def indicators(self, X: Any) -> Array:
        """The columns in which the model is linear: 0/1 for each value of a "categorical" one, others as they are.

        Parameters
        ----------
        X : a table with the columns of the fit.

        Returns
        -------
        ndarray
            n×(all values of all columns), 0 or 1.
        """
        if "categorical" not in self.marginals_of_columns():
            raise ValueError("indicators are for marginal='categorical'; the other marginals are linear in x itself")
        matrix = self.read_columns(X)
        return self._indicators(dense_block(matrix, 0, matrix.shape[0]))

    def _indicators(self, matrix: Array) -> Array:
        if self._by_column():
            return side_by_side(self._parts, [p.model._indicators(matrix[:, p.columns]) for p in self._parts])
        if self.marginal == "bernoulli":
            return (matrix > 0).astype(np.float64)
        if self.marginal != "categorical":
            return matrix
        return np.hstack([(matrix[:, [j]] == v).astype(np.float64) for j, v in enumerate(self.categories_)])
