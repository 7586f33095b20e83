"""How much of a scatter rounding alone could make."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

EPS = float(np.finfo(np.float64).eps)


def rounding_scatter(n: float, means: Array, ulps: float) -> Array:
    """The scatter that rounding by so many ulps could give each column; infinite where its square overflows."""
    with np.errstate(over="ignore"):
        return np.asarray(n * (ulps * EPS * np.abs(means).max(axis=0)) ** 2)


def refuse_negative_variance(difference: Array, whole: Array, means: Array, n: Array) -> None:
    """Rows that were never added leave variances below zero by more than rounding can."""
    left, before = (np.einsum("kjj->kj", S) if S.ndim == 3 else S for S in (difference, whole))
    rounding = rounding_scatter(n.sum(), means, 45) + 1e-12 * before.max(axis=1, keepdims=True)
    negative = np.argwhere(left < -1e-6 * before - rounding)
    if negative.size:
        raise ValueError(
            f"the rows taken away were never added: without them column {negative[0][1]} would have a negative variance"
        )
