"""Naive Bayes' rules as functions of counts: log-probabilities of values, and the planes they make.

bernoulli    log p_kj = log((n_kj + α)/(n_k + 2α)),   n_kj rows of class k in which column j is present
multinomial  log p_kj = log((s_kj + α)/Σ_j(s_kj + α)),   s_kj the sum of column j in class k
categorical  log p_kjv = log((n_kjv + α)/(n_k + αm_j)),   n_kjv rows of class k with value v of the m_j of column j
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.findings import column_names
from discriminant.hyperplane import Planes
from discriminant.parameters import real_array
from discriminant.statistics.counts import CategoryCounts, ClassSums

Array = NDArray[np.float64]

# Without smoothing a probability can be zero; its logarithm is kept finite, so that the rule stays linear.
_LEAST_PROBABILITY = float(np.finfo(np.float64).tiny)


def bernoulli_log_probabilities(s: ClassSums, alpha: Any) -> tuple[Array, Array]:
    """log P(present | class) and log P(absent | class)."""
    total = s.counts[:, None] + 2 * alpha
    return _log((s.sums + alpha) / total), _log((s.counts[:, None] - s.sums + alpha) / total)


def bernoulli_planes(present: Array, absent: Array) -> Planes:
    """w = log p − log(1 − p), offset Σ_j log(1 − p)."""
    return Planes(present - absent, absent.sum(axis=1))


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


def in_some_class_alone(holds: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Columns for which something holds in some class but not in all."""
    return np.asarray(holds.any(axis=0) & ~holds.all(axis=0))


# --- categories -----------------------------------------------------------------------------------------


def given_categories(categories: Sequence[ArrayLike] | None, least: Any, n_columns: int) -> list[Array] | None:
    """The values that columns are said to have; None where the rows alone tell."""
    if categories is not None:
        given = [np.unique(real_array(values, "categories")) for values in categories]
        if len(given) != n_columns:
            raise ValueError(f"categories has {len(given)} entries for {n_columns} columns; give one for each")
        return given
    if least is None:
        return None
    sizes = np.asarray(least)
    if sizes.shape not in ((), (n_columns,)):
        raise ValueError(
            f"'min_categories' should have shape ({n_columns},), a number for each column, or be one for all; got "
            f"{sizes.shape}"
        )
    sizes = np.broadcast_to(sizes, (n_columns,))
    if not np.issubdtype(sizes.dtype, np.integer) or (sizes < 0).any():
        raise ValueError(f"min_categories must be whole numbers, one or one for each column, got {sizes.tolist()}")
    return [np.arange(float(size)) for size in sizes]


def refuse_other_categories(seen: Sequence[Array], given: Sequence[Array], names: tuple[str, ...] | None) -> None:
    """Values that are none of those a column is said to have."""
    for j, (values, known) in enumerate(zip(seen, given, strict=True)):
        others = np.setdiff1d(values, known)
        if others.size:
            raise ValueError(
                f"{column_names([j], names)[0]} holds {others[0]:g}, which is not among its categories; add it to "
                "categories, or leave the rows out"
            )


def lookup_tables(
    categories: Sequence[NDArray[Any]], coef: Array, unseen: Array
) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    """Dense tables from value − lowest to weight, column after column, with ``unseen`` in the gaps."""
    lows = np.array([v[0] for v in categories], dtype=np.int64)
    spans = np.array([v[-1] - v[0] + 1 for v in categories], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(spans)])
    tables = np.repeat(unseen, spans, axis=1)
    places = np.concatenate([starts[j] + v.astype(np.int64) - lows[j] for j, v in enumerate(categories)])
    tables[:, places] = coef
    return lows, starts, tables
