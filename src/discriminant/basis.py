"""Basis functions: a plane in φ-space is a curved boundary in x-space.

    score(x) = w·φ(x) − θ,    φ_j(x) = exp(−‖x − μ_j‖²/(2σ_j²)),    j = 1..M

Polynomial and spline bases are scikit-learn's own; give them ``include_bias=False``, for the constant φ₀ = 1 is the
intercept of the learner behind them.
"""

import warnings
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from discriminant.forks import importing
from discriminant.parameters import real_array
from discriminant.rows.matrix import (
    Matrix,
    blocks,
    column_labels,
    dense_block,
    largest_by_column,
    read_matrix,
    refuse_non_finite,
)
from discriminant.rows.memory import refuse_empty
from discriminant.rows.threads import fork_safe_openmp, over_spans

Array = NDArray[np.float64]

# Numbers in a block of rows, or of its distances.
_BLOCK = 1 << 17
_NEIGHBOURS = 2


class GaussianBasis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """φ_j(x) = exp(−‖x − μ_j‖²/(2σ_j²)) for M centres μ_j and widths σ_j, as dense columns.

    The constant φ₀ = 1 is not among them: it is the intercept of the learner behind. Distances are in the units of the
    columns, so scale these first where they differ. Rows count alike whatever their weight to the learner.

    Parameters
    ----------
    centres : "k-means" (means of clusters of rows), "rows" (rows drawn at random, no two alike), or an M×d array.
    n_centres : M, but at most the number of distinct rows; an array of centres has its own.
    width : the σ_j. A number, M numbers, or from the distances d_jk between centres:
        "nearest" : σ_j² = mean of d_jk² over the two centres nearest to μ_j;
        "mean" : σ = mean of d_jk over the pairs;
        "max" : σ = max d_jk/√(2M).
        Where that is zero (one centre, or coinciding ones) σ_j² is the mean of ‖x − μ_j‖² over the rows, or 1.
    random_state : seed of "k-means" and "rows".

    Attributes
    ----------
    centres_ (M×d), widths_ (M), n_features_in_, feature_names_in_.

    Examples
    --------
    >>> basis = GaussianBasis(centres=[[0.0], [2.0]], width=1.0).fit([[0.0], [1.0]])
    >>> basis.transform([[0.0], [1.0]]).round(4).tolist()
    [[1.0, 0.1353], [0.6065, 0.6065]]
    """

    centres_: Array
    widths_: Array
    n_features_in_: int

    def __init__(
        self,
        *,
        centres: ArrayLike | str = "k-means",
        n_centres: int = 10,
        width: ArrayLike | str = "nearest",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.centres = centres
        self.n_centres = n_centres
        self.width = width
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Place the centres and set their widths; y is not looked at.

        Parameters
        ----------
        X : a table, whose number of columns is checked; nothing is learnt.
        y : not looked at.

        Returns
        -------
        Self
            This basis.
        """
        matrix = read_matrix(X)
        refuse_empty(matrix)
        refuse_non_finite(matrix, column_labels(X))
        centres = self._place_centres(matrix)
        widths = read_widths(self.width, centres, matrix)
        self._check_columns(X, matrix, reset=True)
        self.centres_, self.widths_ = centres, widths
        return self

    def transform(self, X: Any) -> Array:
        """φ(x) of each row: n×M.

        Parameters
        ----------
        X : a table of d columns.

        Returns
        -------
        ndarray
            φ(x) of each row, a column for each function.
        """
        check_is_fitted(self, "centres_")
        matrix = read_matrix(X)
        refuse_empty(matrix)
        self._check_columns(X, matrix, reset=False)
        refuse_non_finite(matrix, column_labels(X))
        return gaussians(matrix, self.centres_, self.widths_)

    @property
    def _n_features_out(self) -> int:
        return len(self.centres_)

    def _check_columns(self, X: Any, matrix: Matrix, *, reset: bool) -> None:
        validate_data(self, X if hasattr(X, "shape") else matrix, reset=reset, skip_check_array=True)

    def _place_centres(self, matrix: Matrix) -> Array:
        if not isinstance(self.centres, str):
            return read_centres(self.centres, matrix.shape[1])
        wanted = self.n_centres
        if isinstance(wanted, bool) or not isinstance(wanted, int | np.integer) or wanted < 1:
            raise ValueError(f"n_centres must be a positive integer, got {wanted!r}")
        if self.centres == "rows":
            order = check_random_state(self.random_state).permutation(matrix.shape[0])
            return distinct_rows(matrix, order, int(wanted))
        if self.centres == "k-means":
            return cluster_means(matrix, int(wanted), self.random_state)
        raise ValueError(f"centres must be 'k-means', 'rows' or an array of centres, got {self.centres!r}")


def gaussians(matrix: Matrix, centres: Array, widths: Array) -> Array:
    """exp(−‖x − μ_j‖²/(2σ_j²)) of each row and centre."""
    n, d = matrix.shape
    phi = np.empty((n, len(centres)))
    # in units of the largest width, so that squares neither overflow nor vanish; not so small that a centre overflows
    unit = power_of_two(max(widths.max(), np.ldexp(np.abs(centres).max(), -500)))
    mu = centres / unit
    sigma = np.maximum(widths / unit, np.finfo(np.float64).tiny)

    def of_span(start: int, stop: int) -> None:
        for a, b in spans(start, stop, max(d, len(centres))):
            with np.errstate(over="ignore", under="ignore"):  # far away is infinitely far, and φ there is 0
                z = cdist(dense_block(matrix, a, b) / unit, mu)
                z /= sigma
                np.exp(-0.5 * z * z, out=phi[a:b])

    over_spans(of_span, n, d * len(centres))
    return phi


# --- centres --------------------------------------------------------------------------------------------


def read_centres(centres: Any, n_columns: int) -> Array:
    """Given centres: an M×d table of finite numbers."""
    matrix = read_matrix(centres, "centres")
    if matrix.shape[0] == 0 or matrix.shape[1] != n_columns:
        raise ValueError(
            f"centres must be an M×{n_columns} array, one row for each centre and one column for each of X, "
            f"got shape {matrix.shape}"
        )
    refuse_non_finite(matrix, None, "centres")
    return np.array(dense_block(matrix, 0, matrix.shape[0]))


def distinct_rows(matrix: Matrix, order: NDArray[np.intp], wanted: int) -> Array:
    """The first rows in this order that differ from one another; fewer than wanted where there are no more."""
    found: dict[bytes, Array] = {}
    for a, b in spans(0, len(order), matrix.shape[1]):
        part = matrix[order[a:b]]
        part = dense_block(part, 0, b - a) + 0.0  # −0 is 0
        first = np.unique(part, axis=0, return_index=True)[1]
        for row in part[np.sort(first)]:
            found.setdefault(row.tobytes(), row)
            if len(found) == wanted:
                return np.array(list(found.values()))
    return np.array(list(found.values()))


def cluster_means(matrix: Matrix, wanted: int, random_state: Any) -> Array:
    """The means of k-means clusters of the rows; fewer than wanted where rows coincide, all but for rounding."""
    with importing:
        from sklearn.cluster import KMeans  # slow to import

    distinct = distinct_rows(matrix, np.arange(matrix.shape[0]), wanted)
    if len(distinct) < wanted:
        return distinct
    unit = power_of_two(float(largest_by_column(matrix).max()))
    scaled = matrix.astype(np.float64) / unit
    if sparse.issparse(scaled) and scaled.nnz < 2**31:  # the only indices KMeans takes
        scaled.indices, scaled.indptr = scaled.indices.astype(np.int32), scaled.indptr.astype(np.int32)
    search = KMeans(n_clusters=wanted, init="k-means++", n_init=1, random_state=random_state, copy_x=False)
    with warnings.catch_warnings(), fork_safe_openmp():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of clusters that coincide
        means = search.fit(scaled).cluster_centers_ * unit
    return distinct_rows(means, np.arange(wanted), wanted)


# --- widths ---------------------------------------------------------------------------------------------


def read_widths(width: Any, centres: Array, matrix: Matrix) -> Array:
    """σ_j > 0 of each centre: given, or by a rule."""
    if isinstance(width, str):
        with np.errstate(over="ignore"):
            widths = rule_widths(width, centres)
            lost = np.flatnonzero(widths == 0)
            if lost.size:
                widths[lost] = distance_of_rows(matrix, centres[lost])
        widths[widths == 0] = 1.0
        return np.minimum(widths, np.finfo(np.float64).max)
    given = real_array(width, "width")
    if given.ndim and given.shape != (len(centres),):
        raise ValueError(f"width must be one number or {len(centres)}, one for each centre, got shape {given.shape}")
    bad = ~((given > 0) & np.isfinite(given))
    if bad.any() or isinstance(width, bool):
        raise ValueError(f"width must be finite and > 0, got {width if given.ndim == 0 else given[bad][0]}")
    return np.full(len(centres), given)


def rule_widths(rule: str, centres: Array) -> Array:
    """Widths from the distances between centres; 0 where these say nothing."""
    M = len(centres)
    unit = power_of_two(float(np.abs(centres).max()))
    between = cdist(centres / unit, centres / unit)
    if rule == "nearest":
        near = np.sort(between, axis=1)[:, 1 : 1 + _NEIGHBOURS]  # the first is the centre itself
        return np.asarray(unit * np.sqrt((near**2).sum(axis=1) / max(near.shape[1], 1)))
    if rule == "mean":
        return np.full(M, unit * (between.sum() / max(M * (M - 1), 1)))
    if rule == "max":
        return np.full(M, unit * (between.max() / np.sqrt(2 * M)))
    raise ValueError(f"width must be 'nearest', 'mean', 'max', a number or an array of numbers, got {rule!r}")


def distance_of_rows(matrix: Matrix, centres: Array) -> Array:
    """The root mean square distance of the rows to each centre."""
    n, d = matrix.shape
    unit = power_of_two(max(float(largest_by_column(matrix).max()), float(np.abs(centres).max())))
    squares = np.zeros(len(centres))
    for _, block in blocks(matrix, max(1, _BLOCK // d)):
        squares += (cdist(block / unit, centres / unit) ** 2).sum(axis=0)
    return np.asarray(unit * np.sqrt(squares / n))


def power_of_two(size: float) -> float:
    """The power of two just below this size, for dividing without rounding; 1 for 0."""
    return float(np.ldexp(1.0, int(np.frexp(size)[1]) - 1)) if size else 1.0


def spans(start: int, stop: int, n_columns: int) -> Iterator[tuple[int, int]]:
    """Consecutive spans of rows that hold about a block of numbers each."""
    step = max(1, _BLOCK // n_columns)
    for a in range(start, stop, step):
        yield a, min(a + step, stop)
