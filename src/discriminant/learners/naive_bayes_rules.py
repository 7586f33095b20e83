"""Naive Bayes' rules as functions of counts: log-probabilities of values, and the planes they make.

bernoulli    log p_kj = log((n_kj + α)/(n_k + 2α)),   n_kj rows of class k in which column j is present
multinomial  log p_kj = log((s_kj + α)/Σ_j(s_kj + α)),   s_kj the sum of column j in class k
categorical  log p_kjv = log((n_kjv + α)/(n_k + αm_j)),   n_kjv rows of class k with value v of the m_j of column j
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.statistics.counts import CategoryCounts, ClassSums

Array = NDArray[np.float64]

# Without smoothing a probability can be zero; its logarithm is kept finite, so that the rule stays linear.
_LEAST_PROBABILITY = float(np.finfo(np.float64).tiny)


def bernoulli_log_probabilities(s: ClassSums, alpha: Any) -> tuple[Array, Array]:
    """log P(present | class) and log P(absent | class)."""
    total = s.counts[:, None] + 2 * alpha
    return _log((s.sums + alpha) / total), _log((s.counts[:, None] - s.sums + alpha) / total)


def bernoulli_planes(present: Array, absent: Array) -> tuple[Array, Array]:
    """w = log p − log(1 − p), offset Σ_j log(1 − p)."""
    return present - absent, absent.sum(axis=1)


def multinomial_log_shares(s: ClassSums, alpha: Any) -> Array:
    """The logarithm of each column's share in all counts of a class; these are the weights, without an offset."""
    smoothed = s.sums + alpha
    total = smoothed.sum(axis=1, keepdims=True)
    return _log(np.divide(smoothed, total, out=np.full_like(smoothed, 1.0 / s.sums.shape[1]), where=total > 0))


def categorical_tables(s: CategoryCounts, alpha: float) -> tuple[list[Array], Array]:
    """log-probabilities of every value (K×m_j), and of one never seen (K×d)."""
    tables, unseen = [], []
    for table in s.tables:
        total = s.counts[:, None] + alpha * table.shape[1]
        tables.append(_log((table + alpha) / total))
        unseen.append(_log(alpha / total[:, 0]))
    return tables, np.column_stack(unseen)


def _log(p: Array) -> Array:
    return np.log(np.maximum(p, _LEAST_PROBABILITY))
