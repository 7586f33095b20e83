"""Offsets: numbers that are added to the scores of rows and have no weight to be learnt."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.findings import Finding, NotConverged
from discriminant.learners.base import LinearClassifier, log_posteriors, winners
from discriminant.optimise.newton import Iteration
from discriminant.parameters import real_array
from discriminant.rows import ArrayRows

Array = NDArray[np.float64]

_FAR_OFFSET = 700.0  # from where on e^−|score| is no float


def read_offset(offset: Any, rows: ArrayRows, sample_weight: Any) -> Array | None:
    """Offsets of the rows that count, from those of the table: (n,) for two classes, (n, K) for more."""
    if offset is None:
        return None
    of_all = rows.row_numbers is None or sample_weight is None
    n_table = rows.n_rows if of_all else np.asarray(sample_weight).size
    values = offset_array(offset, n_table, 1 if rows.classes.size == 2 else rows.classes.size)
    return values if of_all else values[rows.row_numbers]


def offset_array(offset: Any, n_rows: int, planes: int) -> Array:
    """Finite offsets of so many rows and planes."""
    values = real_array(offset, "offset")
    shape, each = ((n_rows,), "row") if planes == 1 else ((n_rows, planes), "row and class")
    if values.shape != shape:
        raise ValueError(f"offset must have shape {shape}, one number for each {each}, got {values.shape}")
    bad = np.argwhere(~np.isfinite(values))
    if bad.size:
        raise ValueError(f"offset is {values[tuple(bad[0])]} at row {bad[0][0]}; it must be finite")
    return values


def unfinished_findings(found: Iteration, offset: Array | None) -> Finding:
    """The findings of an iteration that was cut short, for which offsets may be the reason."""
    left = f"A further step would change the score of a typical row by {found.step_left:.1e}"
    reach = 0.0 if offset is None else float(np.abs(offset).max())
    if reach > _FAR_OFFSET:
        left = f"offset reaches {reach:.3g}, and a score beyond ±{_FAR_OFFSET:g} is a certainty whatever the weights"
        remedy = "Check the units of offset, which is added to log-odds; subtract what all rows have in common"
    else:
        remedy = "Raise max_iter (or tol), or set alpha"
    n = found.n_iterations
    return NotConverged(f"The solver stopped after {n} iteration{'' if n == 1 else 's'}", left, remedy)


class OffsetScores(LinearClassifier):
    """Scores and probabilities of rows that may have offsets."""

    def decision_function(self, X: Any, offset: ArrayLike | None = None) -> Array:
        """The log-odds of each row: (n,) for two classes, (n, K) scores for more.

        Parameters
        ----------
        X : a table with the columns of the fit.
        offset : added to the scores: a number for each row, or with K > 2 classes one for each class.

        Returns
        -------
        ndarray
            (n,) or n×K.
        """
        scores = self.scores(X, offset)
        return scores[:, 0] if len(self.intercept_) == 1 else scores

    def predict(self, X: Any, offset: ArrayLike | None = None) -> NDArray[Any]:
        """The most probable class of each row.

        Parameters
        ----------
        X : a table with the columns of the fit.
        offset : added to the scores: a number for each row, or with K > 2 classes one for each class.

        Returns
        -------
        ndarray
            A label of ``classes_`` for each row.
        """
        chosen = winners(self.scores(X, offset))
        return self.classes_[chosen]

    def predict_log_proba(self, X: Any, offset: ArrayLike | None = None) -> Array:
        """log P(class | x), right where the probabilities themselves underflow.

        Parameters
        ----------
        X : a table with the columns of the fit.
        offset : added to the scores: a number for each row, or with K > 2 classes one for each class.

        Returns
        -------
        ndarray
            n×K, classes in the order of ``classes_``.
        """
        return log_posteriors(self.scores(X, offset))

    def predict_proba(self, X: Any, offset: ArrayLike | None = None) -> Array:
        """P(class | x).

        Parameters
        ----------
        X : a table with the columns of the fit.
        offset : added to the scores: a number for each row, or with K > 2 classes one for each class.

        Returns
        -------
        ndarray
            n×K, classes in the order of ``classes_``.
        """
        return np.exp(self.predict_log_proba(X, offset))

    def scores(self, X: Any, offset: ArrayLike | None = None) -> Array:
        """The scores of each row, as a matrix.

        Parameters
        ----------
        X : a table with the columns of the fit.
        offset : added to the scores: a number for each row, or with K > 2 classes one for each class.

        Returns
        -------
        ndarray
            n×1 or n×K.
        """
        scores = super().scores(X)
        if offset is None:
            return scores
        return scores + offset_array(offset, *scores.shape).reshape(scores.shape)
