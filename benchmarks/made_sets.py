"""Made tables of shapes and kinds that the real ones lack: indicators, texts of many classes, awkward columns."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Array = NDArray[np.float64]
Made = tuple[Any, NDArray[np.intp]]


def _two_classes(score: Array, rng: np.random.Generator) -> NDArray[np.intp]:
    """Classes drawn with the log-odds of a score."""
    return (rng.random(score.size) < 1.0 / (1.0 + np.exp(-score))).astype(np.intp)


def _several_classes(scores: Array, rng: np.random.Generator) -> NDArray[np.intp]:
    """Classes drawn with the probabilities of their scores (n×K)."""
    return np.asarray(np.argmax(scores + rng.gumbel(size=scores.shape), axis=1))


def _indicators(rng: np.random.Generator, n: int, n_fields: int, n_levels: int) -> Any:
    """Categories as indicators, the k-th level of each as frequent as 1/k."""
    share = 1.0 / np.arange(1, n_levels + 1)
    levels = rng.choice(n_levels, size=(n, n_fields), p=share / share.sum())
    places = (levels + n_levels * np.arange(n_fields)).astype(np.int32)
    shape = (n, n_fields * n_levels)
    return sparse.csr_array((np.ones(n * n_fields), places.ravel(), np.arange(n + 1, dtype=np.int32) * n_fields), shape)


def indicators() -> Made:
    """Twelve categories of 25 levels."""
    rng = np.random.default_rng(1)
    X = _indicators(rng, 50_000, 12, 25)
    return X, _two_classes(X @ rng.normal(scale=0.5, size=300), rng)


def scattered() -> Made:
    """Twelve numbers a row, anywhere."""
    rng = np.random.default_rng(2)
    X = sparse.random_array((50_000, 300), density=0.04, format="csr", rng=rng, data_sampler=rng.standard_normal)
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, _two_classes(X @ rng.normal(scale=0.5, size=300), rng)


def indicators_of_three() -> Made:
    """Indicators again, and three classes."""
    rng = np.random.default_rng(3)
    X = _indicators(rng, 20_000, 12, 25)
    return X, _several_classes(X @ rng.normal(scale=0.5, size=(300, 3)), rng)


def mixed() -> Made:
    """Four numbers beside indicators of eight categories of 40 levels."""
    rng = np.random.default_rng(4)
    X = sparse.csr_array(sparse.hstack([rng.normal(size=(30_000, 4)), _indicators(rng, 30_000, 8, 40)]))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, _two_classes(X @ rng.normal(scale=0.4, size=324), rng)


def texts() -> Made:
    """Twenty classes; words as frequent as their ranks say, each class with some of its own; rows of length one."""
    rng = np.random.default_rng(5)
    n, d, K = 16_000, 62_000, 20
    share = 1.0 / np.arange(3, d + 3)
    y = rng.integers(K, size=n)
    lengths = np.clip(rng.lognormal(4.8, 0.8, size=n), 10, 3000).astype(np.intp)
    rows = np.repeat(np.arange(n), lengths)
    words = rng.choice(d, size=rows.size, p=share / share.sum())
    topical = rng.random(rows.size) < 0.15
    words[topical] = (words[topical] // K * K + y[rows[topical]]) % d
    X = sparse.csr_array((np.ones(rows.size), (rows, words)), (n, d))
    X.sum_duplicates()
    X.data = (1.0 + np.log(X.data)) * np.log(n / np.maximum(np.bincount(X.indices, minlength=d), 1))[X.indices]
    X.data /= np.sqrt(np.maximum(np.repeat(X.power(2).sum(axis=1), np.diff(X.indptr)), 1e-12))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, y


def nearly_separable() -> Made:
    """Dense, with few rows near the plane."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(50_000, 22))
    return X, _two_classes(6.0 * (X @ rng.normal(size=22)), rng)


def heavy_tails() -> Made:
    """Columns of Student's t with two degrees of freedom."""
    rng = np.random.default_rng(7)
    X = rng.standard_t(2, size=(20_000, 30))
    return X, _two_classes(np.clip(0.3 * X @ rng.normal(size=30), -4, 4), rng)


def correlated() -> Made:
    """Three factors behind fifty columns, which differ from them by a hundredth."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(20_000, 3)) @ rng.normal(size=(3, 50)) + 0.01 * rng.normal(size=(20_000, 50))
    return X, _two_classes(X @ rng.normal(size=50) / 3, rng)


def badly_scaled() -> Made:
    """Scales from 1e-4 to 1e4, and means as large."""
    rng = np.random.default_rng(9)
    Z = rng.normal(size=(20_000, 30))
    return (Z + 3.0) * np.logspace(-4, 4, 30), _two_classes(Z @ rng.normal(size=30) / 2, rng)


def imbalanced() -> Made:
    """One row in a hundred in the second class."""
    rng = np.random.default_rng(10)
    X = rng.normal(size=(50_000, 20))
    return X, _two_classes(X @ rng.normal(size=20) / 3 - 5.5, rng)


MADE = {
    "indicators": indicators,
    "scattered": scattered,
    "indicators3": indicators_of_three,
    "mixed": mixed,
    "texts20": texts,
    "nearly separable": nearly_separable,
    "heavy tails": heavy_tails,
    "correlated": correlated,
    "badly scaled": badly_scaled,
    "imbalanced": imbalanced,
}
