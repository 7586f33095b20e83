"""Populations, given by their parameters instead of by rows: p_k, μ_k, Σ_k of each class."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.parameters import read_priors, real_array

Array = NDArray[np.float64]


def population(
    priors: Any, means: ArrayLike, covariances: ArrayLike, classes: Any = None
) -> tuple[NDArray[Any], Array, Array, Array]:
    """(classes, p, μ, pΣ) of a population, checked: what `ClassMoments` is made of."""
    mu = _finite(means, "means")
    if mu.ndim != 2 or mu.size == 0:
        raise ValueError(f"means must have a row for each class and a column for each feature, got shape {mu.shape}")
    K, d = mu.shape
    labels = np.arange(K) if classes is None else np.asarray(classes)
    if labels.shape != (K,) or np.unique(labels).size != K:
        raise ValueError(f"classes must be {K} different labels, one for each row of means, got {classes!r}")
    p = read_priors(priors, labels, np.ones(K))
    sigma = _covariances(covariances, K, d)
    order = np.argsort(labels, kind="stable")
    return labels[order], p[order], mu[order], (p[:, None, None] * sigma)[order]


def _covariances(given: ArrayLike, K: int, d: int) -> Array:
    """One d×d matrix for all classes or one for each, symmetric and without negative variances."""
    sigma = _finite(given, "covariances")
    if sigma.shape not in ((d, d), (K, d, d)):
        raise ValueError(f"covariances must have the shape ({d}, {d}) or ({K}, {d}, {d}), got {sigma.shape}")
    sigma = np.broadcast_to(sigma, (K, d, d))
    for k, one in enumerate(sigma):
        largest = float(np.abs(one).max())
        if np.abs(one - one.T).max() > 1e-9 * largest:
            raise ValueError(f"the covariance of class {k} is not symmetric")
        if np.linalg.eigvalsh(one)[0] < -1e-9 * largest:
            raise ValueError(f"the covariance of class {k} gives some direction a negative variance")
    return np.array(sigma)


def _finite(value: ArrayLike, name: str) -> Array:
    numbers = real_array(value, name)
    if not np.isfinite(numbers).all():
        raise ValueError(f"{name} hold NaN or infinity; every number must be finite")
    return numbers
