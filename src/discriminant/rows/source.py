"""Rows in memory: a checked matrix with coded labels and weights, as every learner wants them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.rows.labels import Codes, code_labels
from discriminant.rows.matrix import Matrix, column_labels, read_matrix

# Sparse tables up to this many columns are summed as dense blocks.
_DENSE_COLUMNS = 2000


@dataclass(frozen=True)
class ArrayRows:
    """n rows of d columns with a class and a weight each; rows of weight zero are left out.

    ``weight`` is None when every row counts once.
    """

    matrix: Matrix
    classes: NDArray[Any]
    codes: Codes
    weight: NDArray[np.float64] | None = None
    names: tuple[str, ...] | None = None

    @property
    def n_rows(self) -> int:
        """The number of rows that count."""
        return int(self.matrix.shape[0])

    @property
    def n_columns(self) -> int:
        """The number of columns, d."""
        return int(self.matrix.shape[1])

    @property
    def total_weight(self) -> float:
        """Σω."""
        return float(self.n_rows if self.weight is None else self.weight.sum())

    @property
    def stays_sparse(self) -> bool:
        """Whether the rows are sparse and so wide that they are only ever multiplied, never made dense."""
        return bool(sparse.issparse(self.matrix)) and self.n_columns > _DENSE_COLUMNS


def from_arrays(X: Any, y: Any, weight: Any = None) -> ArrayRows:
    """Rows from a table X, labels y and optional non-negative weights."""
    matrix = read_matrix(X)
    refuse_empty(matrix)
    weights = read_weights(weight, matrix.shape[0])
    classes, codes = code_labels(y)
    if codes.size != matrix.shape[0]:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X has {matrix.shape[0]} rows "
            f"and y has {codes.size} labels"
        )
    names = column_labels(X)
    if weights is not None and not weights.all():
        kept = np.flatnonzero(weights)
        present, places = np.unique(codes[kept], return_inverse=True)
        matrix, weights, classes = matrix[kept], weights[kept], classes[present]
        codes = places.astype(np.int32)
    return ArrayRows(matrix, classes, codes, weights, names)


def refuse_empty(matrix: Matrix) -> None:
    """A table must have a row and a column."""
    n, d = matrix.shape
    if n == 0:
        raise ValueError(f"Found array with 0 sample(s) (shape=({n}, {d})) while a minimum of 1 is required.")
    if d == 0:
        raise ValueError(f"Found array with 0 feature(s) (shape=({n}, {d})) while a minimum of 1 is required.")


def read_weights(weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Non-negative finite weights, not all zero; None stays None."""
    if weight is None:
        return None
    try:
        weights = np.asarray(weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight must be numbers, one for each row ({error})") from error
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {weights.ndim} dimensions")
    if weights.size != n_rows:
        raise ValueError(f"sample_weight has {weights.size} entries but X has {n_rows} rows")
    bad = np.flatnonzero(~(weights >= 0) | np.isinf(weights))
    if bad.size:
        raise ValueError(f"sample_weight is {weights[bad[0]]} at row {bad[0]}; weights must be finite and >= 0")
    if not weights.any():
        raise ValueError("sample_weight is zero for every row; nothing is left to fit")
    return weights
