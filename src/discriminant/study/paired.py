"""The mean of what differs row by row, and how far chance may move it; a weight counts a row once, however large."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def mean_and_error(values: Array, weight: Array) -> tuple[float, float]:
    """Σωv/Σω, and its standard error √(Σω²(v − mean)²)/Σω."""
    total = float(weight.sum())
    mean = float(weight @ values) / total
    return mean, float(np.sqrt(weight**2 @ (values - mean) ** 2)) / total
