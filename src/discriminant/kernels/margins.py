"""Criteria of the margin over many rows: sums of loss, gradient and curvature, in one pass over the memory.

Rows are taken by the hundred: their margins, then the losses of those, then their gradient while the rows are still
in the cache. The logistic loss takes one exponential a row. Its logarithms are taken of products of many 1 + e^−|m|;
where e^−|m| is small its series keeps the digits that 1 + e^−|m| would lose.
"""

from functools import partial
from math import exp, log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from discriminant.kernels.access import Rows, add, column, dot, entries, value
from discriminant.kernels.compiled import compiled, compiled_part, compiled_reassociating

Array = NDArray[Any]

_TOGETHER = 128
_ONE = np.uint64(1)  # as places within CSR rows are
_SMALL = 1e-3
_LARGEST_EXPONENT = 700.0  # so that every row keeps some curvature: without any, nothing would seem left to do


@compiled_reassociating
def logistic(margins: Array, weight: Array, slope: Array, curvature: Array) -> float:
    """Σωℓ(m); fills ωℓ′ and, where there is room for it, ωℓ″. No weight means one each; at most 500 margins."""
    total, product, small = 0.0, 1.0, 0.0
    for i in range(margins.size):
        slope[i] = exp(-min(abs(margins[i]), _LARGEST_EXPONENT))
    if curvature.size > 0:
        for i in range(margins.size):
            curvature[i] = slope[i] / ((1.0 + slope[i]) * (1.0 + slope[i]))
    for i in range(margins.size):
        m, e = margins[i], slope[i]
        omega = weight[i] if weight.size > 0 else 1.0
        series = e * (1.0 - e * (1 / 2 - e * (1 / 3 - e * (1 / 4 - e / 5))))
        small += omega * (series if e < _SMALL else 0.0) + omega * max(0.0, -m)
        if weight.size == 0:
            product *= 1.0 if e < _SMALL else 1.0 + e
        slope[i] = -(e if m >= 0 else 1.0) / (1.0 + e)
        if weight.size > 0:
            total += 0.0 if e < _SMALL else omega * log(1.0 + e)
    if weight.size > 0:
        for i in range(margins.size):
            slope[i] *= weight[i]
        if curvature.size > 0:
            for i in range(margins.size):
                curvature[i] *= weight[i]
    return total + log(product) + small


@logistic.in_numpy
def _logistic(margins: Array, weight: Array, slope: Array, curvature: Array) -> float:
    e = np.exp(-np.minimum(np.abs(margins), _LARGEST_EXPONENT))
    np.divide(np.where(margins >= 0, e, 1.0), -1.0 - e, out=slope)
    if curvature.size > 0:
        np.divide(e, (1.0 + e) ** 2, out=curvature)
    value = np.log1p(e) - np.minimum(margins, 0.0)
    return _weigh(value, weight, slope, curvature)


def _weigh(value: Array, weight: Array, slope: Array, curvature: Array) -> float:
    """Σω of the values; slopes and curvatures are multiplied by ω."""
    if weight.size == 0:
        return float(value.sum())
    slope *= weight
    if curvature.size > 0:
        curvature *= weight
    return float(weight @ value)


@compiled_reassociating
def squared_hinge(margins: Array, weight: Array, slope: Array, curvature: Array) -> float:
    """Σωℓ of the squared hinge max(0, 1 − m)², as `logistic` has it of its loss."""
    total = 0.0
    for i in range(margins.size):
        short = max(0.0, 1.0 - margins[i])
        omega = weight[i] if weight.size > 0 else 1.0
        total += omega * short * short
        slope[i] = -2.0 * omega * short
        if curvature.size > 0:
            curvature[i] = 2.0 * omega if short > 0.0 else 0.0
    return total


@squared_hinge.in_numpy
def _squared_hinge(margins: Array, weight: Array, slope: Array, curvature: Array) -> float:
    short = np.maximum(0.0, 1.0 - margins)
    np.multiply(short, -2.0, out=slope)
    if curvature.size > 0:
        np.multiply(short > 0.0, 2.0, out=curvature)
    return _weigh(short * short, weight, slope, curvature)


@compiled_part
def _add_risk(
    rows: Rows, sign: Array, weight: Array, offset: Array, w: Array, gradient: Array, curvature: Array, loss: Any
) -> float:
    """Σωℓ(c(w·x + b + o)); adds its gradient (d + 1), where there is room, and fills the curvatures of the rows."""
    margins, slope = np.empty(_TOGETHER), np.empty(_TOGETHER)
    value, n = 0.0, sign.size
    for a in range(0, n, _TOGETHER):
        b = min(a + _TOGETHER, n)
        m, pull = margins[: b - a], slope[: b - a]
        for i in range(a, b):
            m[i - a] = dot(rows, i, w)
        if offset.size > 0:
            for i in range(a, b):
                m[i - a] += offset[i]
        for i in range(a, b):
            m[i - a] *= sign[i]
        value += loss(m, weight[a:b], pull, curvature[a:b])
        if gradient.size > 0:
            for i in range(a, b):
                add(rows, i, sign[i] * pull[i - a], gradient)
    return value


def _add_risk_of_few(
    loss: Any,
    rows: Rows,
    sign: Array,
    weight: Array,
    offset: Array,
    w: Array,
    gradient: Array,
    curvature: Array,
    augmented: bool = False,
) -> float:
    """`_add_risk` in NumPy; rows that are ``augmented`` end with the 1 of the intercept."""
    X = _matrix(rows, w.size - 1)
    margins = X @ w if augmented else X @ w[:-1] + w[-1]
    if offset.size > 0:
        margins += offset
    margins *= sign
    pull = np.empty_like(margins)
    value: float = loss.plain(margins, weight, pull, curvature)
    if gradient.size > 0:
        pull *= sign
        if augmented:
            gradient += pull @ X
            return value
        gradient[:-1] += pull @ X
        gradient[-1] += pull.sum()
    return value


def _matrix(rows: Rows, n_columns: int) -> Any:
    """Rows as NumPy and SciPy multiply them."""
    return csr_array(rows, shape=(rows[2].size - 1, n_columns)) if isinstance(rows, tuple) else rows


@compiled
def add_logistic_risk(
    rows: Rows, sign: Array, weight: Array, offset: Array, w: Array, gradient: Array, curvature: Array
) -> float:
    """`_add_risk` of the logistic loss."""
    return _add_risk(rows, sign, weight, offset, w, gradient, curvature, logistic)


add_logistic_risk.in_numpy(partial(_add_risk_of_few, logistic))


@compiled
def add_squared_hinge_risk(
    rows: Rows, sign: Array, weight: Array, offset: Array, w: Array, gradient: Array, curvature: Array
) -> float:
    """`_add_risk` of the squared hinge."""
    return _add_risk(rows, sign, weight, offset, w, gradient, curvature, squared_hinge)


add_squared_hinge_risk.in_numpy(partial(_add_risk_of_few, squared_hinge))


@compiled
def add_product(rows: Rows, h: Array, direction: Array, total: Array) -> None:
    """total += Σ h (x, 1)(x, 1)·v."""
    for i in range(h.size):
        if h[i] != 0.0:
            add(rows, i, h[i] * dot(rows, i, direction), total)


@add_product.in_numpy
def _add_product(rows: Rows, h: Array, direction: Array, total: Array) -> None:
    X = _matrix(rows, direction.size - 1)
    pull = h * (X @ direction[:-1] + direction[-1])
    _add_rows(rows, pull, total)


@compiled
def add_squares(rows: Rows, h: Array, total: Array) -> None:
    """total += Σ h (x, 1)(x, 1)′ from the entries of each row: the triangle on and below the diagonal."""
    last = total.shape[0] - 1
    for i in range(h.size):
        begin, end = entries(rows, i)
        for p in range(begin, end):
            j, pull = column(rows, p), h[i] * value(rows, i, p)
            for q in range(begin, p + _ONE):
                total[j, column(rows, q)] += pull * value(rows, i, q)
            total[last, j] += pull
        total[last, last] += h[i]


@add_squares.in_numpy
def _add_squares(rows: Rows, h: Array, total: Array) -> None:
    X = _matrix(rows, len(total) - 1)
    squares = (X.T * h) @ X
    total[:-1, :-1] += np.tril(squares.toarray() if isinstance(rows, tuple) else squares)
    total[-1, :-1] += h @ X
    total[-1, -1] += h.sum()


@compiled
def add_rows(rows: Rows, pull: Array, total: Array) -> None:
    """total += Σ p (x, 1)."""
    for i in range(pull.size):
        add(rows, i, pull[i], total)


@add_rows.in_numpy
def _add_rows(rows: Rows, pull: Array, total: Array) -> None:
    total[:-1] += pull @ _matrix(rows, total.size - 1)
    total[-1] += pull.sum()


@compiled
def weigh_scaled_rows(rows: Array, shift: Array, inverse_scale: Array, root: Array, weighed: Array) -> None:
    """weighed = r((x − shift)/scale, 1) of each dense row."""
    d = rows.shape[1]
    for i in range(root.size):
        for j in range(d):
            weighed[i, j] = (rows[i, j] - shift[j]) * inverse_scale[j] * root[i]
        weighed[i, d] = root[i]


@weigh_scaled_rows.in_numpy
def _weigh_scaled_rows(rows: Array, shift: Array, inverse_scale: Array, root: Array, weighed: Array) -> None:
    z = weighed[:, :-1]
    np.subtract(rows, shift, out=z)
    z *= inverse_scale
    z *= root[:, None]
    weighed[:, -1] = root


@compiled
def score_rows(rows: Rows, w: Array, scores: Array) -> None:
    """w·x + b of each row."""
    for i in range(scores.size):
        scores[i] = dot(rows, i, w)


@score_rows.in_numpy
def _score_rows(rows: Rows, w: Array, scores: Array) -> None:
    scores[:] = _matrix(rows, w.size - 1) @ w[:-1] + w[-1]
