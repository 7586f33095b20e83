"""Least-squares residuals in twice the working precision (error-free transformations of Dekker and Knuth).

A number is an unevaluated sum high + low. Products are split by hand, so no fused multiply-add is needed and
every machine gives the same digits.
"""

import numpy as np

from discriminant.kernels.compiled import Array, compiled

_SPLITTER = 134217729.0  # 2**27 + 1: cuts a double into two halves whose products are exact


@compiled
def two_sum(a: float, b: float) -> tuple[float, float]:
    """a + b exactly, as high + low."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@compiled
def two_product(a: float, b: float) -> tuple[float, float]:
    """a·b exactly, as high + low."""
    p = a * b
    t = _SPLITTER * a
    a_high = t - (t - a)
    a_low = a - a_high
    t = _SPLITTER * b
    b_high = t - (t - b)
    b_low = b - b_high
    return p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low


@compiled
def add_product(high: float, low: float, a: float, b_high: float, b_low: float) -> tuple[float, float]:
    """(high + low) + a·(b_high + b_low)."""
    p, e = two_product(a, b_high)
    s, f = two_sum(high, p)
    return two_sum(s, low + f + e + a * b_low)


def _add_products(high: Array, low: Array, a: Array, b_high: Array, b_low: Array) -> tuple[Array, Array]:
    """`add_product` of arrays, in NumPy."""
    p, e = two_product.py_func(a, b_high)
    s, f = two_sum.py_func(high, p)
    total: tuple[Array, Array] = two_sum.py_func(s, low + f + e + a * b_low)
    return total


@compiled
def centre_gradient(gradient: Array, gradient_low: Array, centre: Array, out: Array) -> None:
    """out = Σ ω r (x − centre), rounded once: an offset of the columns costs no digits."""
    for j in range(out.size):
        high, low = add_product(gradient[j + 1], gradient_low[j + 1], -centre[j], gradient[0], gradient_low[0])
        out[j] = high + low


@centre_gradient.in_numpy
def _centre_gradient(gradient: Array, gradient_low: Array, centre: Array, out: Array) -> None:
    np.add(*_add_products(gradient[1:], gradient_low[1:], -centre, gradient[0], gradient_low[0]), out=out)


@compiled
def within_gradient(high: Array, low: Array, means: Array, right: Array, right_low: Array, gradient: Array) -> None:
    """gradient = right + Σ_k Σ ω r (x − m_k) of each plane, rounded once, from Σ ω r (1, x) of each class and plane."""
    K, q, width = high.shape
    for t in range(q):
        for j in range(width - 1):
            total, rest = right[t, j], right_low[t, j]
            for k in range(K):
                total, error = two_sum(total, high[k, t, j + 1])
                total, rest = two_sum(total, rest + error + low[k, t, j + 1])
                total, rest = add_product(total, rest, -means[k, j], high[k, t, 0], low[k, t, 0])
            gradient[t, j] = total + rest


@within_gradient.in_numpy
def _within_gradient(high: Array, low: Array, means: Array, right: Array, right_low: Array, gradient: Array) -> None:
    total, rest = right, right_low
    for k in range(len(high)):
        total, error = two_sum.py_func(total, high[k, :, 1:])
        total, rest = two_sum.py_func(total, rest + error + low[k, :, 1:])
        total, rest = _add_products(total, rest, -means[k], high[k, :, :1], low[k, :, :1])
    np.add(total, rest, out=gradient)


@compiled
def extended_products(left: Array, right: Array, right_low: Array, high: Array, low: Array) -> None:
    """high + low = Σ_j left[t, j]·(right + right_low)[k, j] of every k and t."""
    for k in range(high.shape[0]):
        for t in range(high.shape[1]):
            for j in range(left.shape[1]):
                high[k, t], low[k, t] = add_product(high[k, t], low[k, t], left[t, j], right[k, j], right_low[k, j])


@extended_products.in_numpy
def _extended_products(left: Array, right: Array, right_low: Array, high: Array, low: Array) -> None:
    for j in range(left.shape[1]):
        high[:], low[:] = _add_products(high, low, left[:, j], right[:, j, None], right_low[:, j, None])
