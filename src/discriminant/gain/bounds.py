"""What rows seen say about a rate, exactly: binomial bounds.

Of n independent rows, r were wrong. The Clopper–Pearson bounds are the rates p for which r, or something as extreme,
has just probability δ:   P(Bin(n, p_high) ≤ r) = δ,   P(Bin(n, p_low) ≥ r) = δ.

They also say how many errors a *threshold chosen by counting* may leave (the order-statistic umbrella of Tong, Feng
and Li): a θ with at most r of n rows on its wrong side, r the largest number with P(Bin(n, p) ≤ r) ≤ δ, has a true
rate above p with probability at most δ, whatever the distribution of the scores.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]


def clopper_pearson(wrong: Any, n: float, confidence: float = 0.95) -> tuple[Array, Array]:
    """Two-sided bounds (low, high) on a rate, of ``wrong`` among n; fractional counts go through the same formula.

    >>> low, high = clopper_pearson(0, 59, confidence=0.9)
    >>> float(low), round(float(high), 4)
    (0.0, 0.0495)
    """
    r = np.clip(np.asarray(wrong, dtype=np.float64), 0.0, n)
    tail = (1.0 - confidence) / 2.0
    some, not_all = r > 0, r < n
    low = np.where(some, special.betaincinv(np.where(some, r, 1.0), n - r + 1.0, tail), 0.0)
    high = np.where(not_all, special.betaincinv(r + 1.0, np.where(not_all, n - r, 1.0), 1.0 - tail), 1.0)
    return low, high


def most_wrong(n: int, rate: float, confidence: float) -> int:
    """The largest r with P(Bin(n, rate) ≤ r) ≤ 1 − confidence; −1 where even r = 0 is too likely.

    >>> most_wrong(58, 0.05, 0.95), most_wrong(59, 0.05, 0.95), most_wrong(93, 0.05, 0.95)
    (-1, 0, 1)
    """
    low, high = -1, n  # P(Bin ≤ n) = 1 is never small enough
    while high - low > 1:
        r = (low + high) // 2
        if special.bdtr(r, n, rate) <= 1.0 - confidence:
            low = r
        else:
            high = r
    return low


def rows_needed(rate: float, confidence: float) -> int:
    """The fewest rows of a class that can support a rate at this confidence: (1 − rate)ⁿ ≤ 1 − confidence."""
    n = max(math.ceil(math.log1p(-confidence) / math.log1p(-rate)) - 1, 1)
    while most_wrong(n, rate, confidence) < 0:
        n += 1
    return n
