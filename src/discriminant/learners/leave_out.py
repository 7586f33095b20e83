"""Scores of rows by models that have not seen them: fold by fold, and for LDA one row after the other.

Leaving one row out of LDA takes no refitting. Taking a row of weight ω away from class k (with z = x − m_k) leaves

    W′ = W − c zz′,  c = ωn_k/(n_k − ω),      m_k′ = m_k − ωz/(n_k − ω),

a rank-one change. In a basis E where E′WE is diagonal the shrunk covariance is diagonal minus rank one, so
Sherman and Morrison's formula gives every quadratic form in O(d). All rows at once are a few matrix products.
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from discriminant.linalg.metric import CholeskyMetric, metric_of_scatter
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import blocks
from discriminant.statistics.moments import ClassMoments
from discriminant.statistics.shrinkage import ledoit_wolf_intensity

Array = NDArray[np.float64]


class _Model(Protocol):
    shrinkage: Any
    shrinkage_: float
    priors: Any
    method: str
    priors_: Array

    def _evidence_of(self, moments: ClassMoments) -> Any: ...

    def _scores_by(self, evidence: Any, matrix: Any) -> Array: ...


def kfold_scores(
    scores: Array,
    kept: NDArray[np.intp],
    folds: Any,
    without: Callable[[NDArray[np.bool_], NDArray[np.intp]], Array],
) -> Array:
    """``scores`` of a table's rows by a model of all, with those of every fold that it has seen rows of replaced.

    ``kept`` are the rows of the fit. ``without(inside, tested)`` scores the rows ``tested`` by the model of all but
    those ``inside``, a mask over the rows of the fit.
    """
    places = np.asarray(folds)
    if places.shape != (len(scores),):
        raise ValueError(f"folds must give one fold for each of the {len(scores)} rows, got shape {places.shape}")
    for fold in np.unique(places[kept]):
        inside = places[kept] == fold
        if inside.all():
            raise ValueError(f"fold {fold!r} holds all rows; nothing is left to fit a model to")
        tested = np.flatnonzero(places == fold)
        scores[tested] = without(inside, tested)
    return scores


def loo_scores(model: _Model, m: ClassMoments, rows: ArrayRows) -> Array:
    """Scores as `decision_function` would give them after refitting without each row."""
    K = m.classes.size
    basis, spreads = _diagonal_basis(m, model.shrinkage_)
    scores = np.empty((rows.n_rows, K))
    doubtful = np.zeros(rows.n_rows, dtype=bool)
    for part, X in blocks(rows.matrix, 2048):
        weight = rows.weights[part]
        if basis is None:
            doubtful[part] = True
        else:
            scores[part], doubtful[part] = _block_scores(model, m, basis, spreads, X, rows.codes[part], weight)
    binary = scores[:, 1] - scores[:, 0] if K == 2 else scores
    for i in np.flatnonzero(doubtful):
        binary[i] = _refit_score(model, m, rows, int(i))
    return binary


def _diagonal_basis(m: ClassMoments, shrinkage: float) -> tuple[Array | None, Array]:
    """(E, λ) with E′WE = diag λ; orthonormal where a multiple of I is added, whitening where none is."""
    if shrinkage > 0:
        values, vectors = np.linalg.eigh(m.within)
        return vectors, np.maximum(values, 0.0)
    metric = metric_of_scatter(m.within)
    if not isinstance(metric, CholeskyMetric):
        return None, np.empty(0)  # singular: every row is refitted by subtraction
    return metric.half_transposed(np.eye(m.n_columns)), np.ones(m.n_columns)


def _block_scores(
    model: _Model, m: ClassMoments, basis: Array, spreads: Array, X: Array, codes: NDArray[Any], weight: Array
) -> tuple[Array, NDArray[np.bool_]]:
    K, d = m.means.shape
    left = m.counts[codes] - weight  # what remains of the row's class
    alone = left <= 1e-9 * m.counts[codes]
    safe = np.where(alone, 1.0, left)
    c = weight * m.counts[codes] / safe
    z = X - m.means[codes]
    n = m.n - weight
    divisor = n if model.method == "mle" else n - K
    s = np.full(len(X), model.shrinkage_)
    squares = np.einsum("ij,ij->i", z, z)
    if model.shrinkage == "auto":
        s = _intensities(m, z, squares, codes, weight, safe, c, n)
    level = (np.trace(m.within) - c * squares) / (divisor * d)
    diagonal = ((1 - s) / divisor)[:, None] * spreads + (s * level)[:, None]
    strength = (1 - s) * c / divisor
    ez = z @ basis
    inverse = 1.0 / diagonal
    shrinking = 1.0 - strength * np.einsum("ij,ij->i", ez * ez, inverse)

    def quadratic(U: Array) -> Array:
        """u′(diag − strength·ez ez′)⁻¹u of each row."""
        plain = np.einsum("ij,ij->i", U * U, inverse)
        return plain + strength * np.einsum("ij,ij->i", U * ez, inverse) ** 2 / shrinking

    counts = np.tile(m.counts, (len(X), 1))
    counts[np.arange(len(X)), codes] = left
    priors = np.tile(model.priors_, (len(X), 1)) if model.priors is not None else counts / n[:, None]
    moved = (weight / safe)[:, None] * ez  # how far the class mean moves, in the basis
    scores = np.empty((len(X), K))
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = ((X - m.mean) @ basis) * (m.n / n)[:, None]  # x minus the mean of the others
        common = quadratic(centre)
        for k in range(K):
            U = (X - m.means[k]) @ basis
            U[codes == k] += moved[codes == k]
            scores[:, k] = np.log(priors[:, k]) + 0.5 * (common - quadratic(U))
    return scores, alone | (shrinking < 1e-6) | (divisor <= 0)


def _intensities(
    m: ClassMoments,
    z: Array,
    squares: Array,
    codes: NDArray[Any],
    weight: Array,
    left: Array,
    c: Array,
    n: Array,
) -> Array:
    """Ledoit–Wolf intensities after each row is taken away (the sums of `ClassMoments.__sub__`, row by row)."""
    assert m.cubic is not None
    assert m.quartic is not None
    within = m.within
    e = weight / left  # the mean moves by −e·z
    zWz_class = np.empty(len(z))
    for k in range(len(m.counts)):
        own = codes == k
        zWz_class[own] = np.einsum("ij,ij->i", z[own] @ m.scatter[k], z[own])
    traces = np.einsum("kjj->k", m.scatter)[codes]
    cz = np.einsum("ij,ij->i", m.cubic[codes], z)
    h2 = e * e * squares
    kept = m.quartic[codes] + 4 * e * cz + 4 * e * e * zWz_class + 2 * h2 * traces + m.counts[codes] * h2 * h2
    gone = weight * ((1 + e) ** 2 * squares) ** 2
    quartic = m.quartic.sum() - m.quartic[codes] + kept - gone
    zWz = np.einsum("ij,ij->i", z @ within, z)
    squared_norm = (within * within).sum() - 2 * c * zWz + (c * squares) ** 2
    intensity: Array = ledoit_wolf_intensity(n, m.n_columns, np.trace(within) - c * squares, squared_norm, quartic)
    return intensity


def _refit_score(model: _Model, m: ClassMoments, rows: ArrayRows, i: int) -> Array:
    """The score of row i by the rule applied to the moments without it."""
    row = rows.take(np.array([i]))
    return model._scores_by(model._evidence_of(m - ClassMoments.of_rows(row)), row.matrix)[0]
