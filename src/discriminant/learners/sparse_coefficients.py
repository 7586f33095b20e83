"""Weights kept as a sparse matrix, for learners that can make most of them zero."""

from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.hyperplane import Hyperplane
from discriminant.learners.base import LinearClassifier, linear_scores
from discriminant.rows.matrix import Matrix

Array = NDArray[np.float64]


class SparseCoefficients(LinearClassifier):
    """``coef_`` as a plain array or, on request, as a sparse matrix."""

    def sparsify(self) -> Self:
        """Keep ``coef_`` as a sparse matrix: after a fit with ``l1_ratio`` most of its numbers are zero.

        Scores, predictions and planes are as before; call `densify` before anything else that is made of weights.

        Returns
        -------
        Self
            This model.
        """
        self.check_fitted()
        self.coef_ = sparse.csr_array(self.coef_)
        return self

    def densify(self) -> Self:
        """Keep ``coef_`` as a plain array, as every fit does.

        Returns
        -------
        Self
            This model.
        """
        self.check_fitted()
        self.coef_ = _dense(self.coef_)
        return self

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
        if sparse.issparse(self.__dict__.get("coef_")):
            return copy(self).densify().hyperplane(negative, positive)
        return super().hyperplane(negative, positive)

    def score_matrix(self, matrix: Matrix) -> Array:
        """The scores of a checked table, finite or not."""
        if not sparse.issparse(self.coef_):
            return super().score_matrix(matrix)
        with np.errstate(over="ignore", invalid="ignore"):
            scores = _dense(matrix @ self.coef_.T) + self.intercept_
        return scores if np.isfinite(scores).all() else linear_scores(matrix, _dense(self.coef_), self.intercept_)


def _dense(matrix: Any) -> Array:
    return np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix)
