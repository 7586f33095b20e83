"""Class moments whose covariances come from an estimator, such as those of sklearn.covariance."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from discriminant.rows import ArrayRows
from discriminant.rows.matrix import dense_block, refuse_non_finite
from discriminant.statistics.moments import ClassMoments

Array = NDArray[np.float64]


def estimated_moments(rows: ArrayRows, estimator: Any) -> ClassMoments:
    """Counts and means of the classes, and n_k times the covariance that the estimator finds in each."""
    if not (hasattr(estimator, "fit") and hasattr(estimator, "get_params")):
        raise ValueError(
            f"covariance_estimator must have fit and covariance_, as those of sklearn.covariance do; got {estimator!r}"
        )
    if rows.weight is not None:
        raise ValueError("covariance_estimator knows no weights of rows; leave sample_weight and class_weight out")
    refuse_non_finite(rows.matrix, rows.names)
    means = ClassMoments.of_rows(rows, full=False, per_class=True)
    scatter = np.stack([means.counts[k] * _covariance(rows, k, estimator) for k in range(rows.classes.size)])
    return ClassMoments(means.classes, means.counts, means.means, scatter, names=rows.names)


def _covariance(rows: ArrayRows, k: int, estimator: Any) -> Array:
    inside = np.flatnonzero(rows.codes == k)
    fitted = clone(estimator).fit(dense_block(rows.matrix[inside], 0, inside.size))
    if not hasattr(fitted, "covariance_"):
        raise ValueError(f"{type(estimator).__name__} has no covariance_ after fit; take one of sklearn.covariance")
    found = np.asarray(fitted.covariance_, dtype=np.float64)
    if found.shape != (rows.n_columns, rows.n_columns):
        raise ValueError(
            f"covariance_ of {type(estimator).__name__} has shape {found.shape} for {rows.n_columns} columns"
        )
    return found
