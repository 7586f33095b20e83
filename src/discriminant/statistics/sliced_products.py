"""Sums of residuals in twice the working precision, by matrix products that BLAS makes without rounding.

Numbers up to 1 are cut into multiples of 2^−b, multiples of 2^−2b, and what is left. A product of the first slices of
two matrices is a sum of multiples of 2^−2b, which doubles hold exactly if b is small enough for their number; so are
those of first and second slices, and all other products are so small that their rounding does not count (Ogita, Rump
and Oishi 2005; Ozaki et al. 2012). All planes share the slices of the rows, and no loop is compiled.
"""

import numpy as np
from numpy.typing import NDArray

from discriminant.statistics.shifted_sums import two_sum

Array = NDArray[np.float64]

_SPLITTER = 134217729.0  # 2**27 + 1: cuts a double into two halves whose products are exact


def add_residual_sums(
    X: Array,
    targets: Array,
    targets_low: Array,
    weight: Array,
    coef: Array,
    coef_low: Array,
    high: Array,
    low: Array,
) -> None:
    """Add Σ ω r (1, x) of every plane to high + low (q×(d+1)), with r = target − x·coef.

    ``targets`` + ``targets_low`` are n×q, or one row for all; ``coef`` + ``coef_low`` are q×d. An empty ``weight``
    means ω = 1.
    """
    n, d = X.shape
    bits = (53 - max(n, d + 1).bit_length()) // 2
    Z = np.ones((n, d + 1))
    Z[:, 1:] = X
    scale = _power_above(Z)
    Z /= scale
    rows = _slices(Z, bits)
    none = np.zeros((len(coef), 1))
    minus = _product(rows, np.hstack([none, coef]).T * -scale[:, None], np.hstack([none, coef_low]).T * -scale[:, None])
    residual, rest = _add_parts(np.broadcast_to(targets, (n, len(coef))), targets_low, minus)
    if weight.size:
        product, error = two_product(residual, weight[:, None])
        residual, rest = two_sum(product, error + rest * weight[:, None])
    sums = _product(tuple(part.T for part in rows), residual, rest)
    parts = [(scale[:, None] * part).T for part in sums]
    high[:], low[:] = _add_parts(high, low, parts)


def two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """a·b exactly, as high + low (Dekker)."""
    p = a * b
    a_high, a_low = _halves(a)
    b_high, b_low = _halves(b)
    return p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low


def _halves(a: Array) -> tuple[Array, Array]:
    t = _SPLITTER * a
    high = t - (t - a)
    return high, a - high


def _product(left: tuple[Array, ...], right: Array, right_low: Array) -> list[Array]:
    """left·(right + right_low) as an unevaluated sum of four: three exact ones, and the rest."""
    bits = (53 - max(left[0].shape).bit_length()) // 2
    unit = _power_above(right)
    scaled, q = right / unit, right.shape[1]
    first, second, third = _slices(scaled, bits)
    third += right_low / unit
    A = left[0] @ np.hstack([first, second, third])
    B = left[1] @ np.hstack([first, second + third])
    rest = A[:, 2 * q :] + B[:, q:] + left[2] @ scaled
    return [unit * part for part in (A[:, :q], A[:, q : 2 * q], B[:, :q], rest)]


def _slices(values: Array, bits: int) -> tuple[Array, Array, Array]:
    """Numbers up to 1 as multiples of 2^−bits, multiples of 2^−2bits, and what is left of them."""
    shift = 1.5 * 2.0 ** (52 - bits)  # beside which everything below 2^−bits is rounded off
    first = (values + shift) - shift
    rest = values - first
    shift *= 2.0**-bits
    second = (rest + shift) - shift
    return first, second, rest - second


def _power_above(values: Array) -> Array:
    """The power of two next above the largest of each column."""
    return np.asarray(np.ldexp(1.0, np.frexp(np.abs(values).max(axis=0, initial=0.0))[1]))


def _add_parts(high: Array, low: Array, parts: list[Array]) -> tuple[Array, Array]:
    """(high + low) + Σ parts, the last of which is small."""
    low = low + parts[-1]
    for part in parts[:-1]:
        high, error = two_sum(high, part)
        low = low + error
    return two_sum(high, low)
