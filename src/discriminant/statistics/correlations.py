"""What the correlations of a sample say of the columns."""

import numpy as np
from numpy.typing import NDArray

_MOST = 0.5


def mostly_chance(scatter: NDArray[np.float64], n_rows: int) -> bool:
    """Whether chance, by which a squared correlation of n rows is 1/n on average, explains most of their sum."""
    p = len(scatter)
    deviations = np.sqrt(np.where(np.diagonal(scatter) > 0, np.diagonal(scatter), 1.0))
    squares = float(((scatter / deviations / deviations[:, None]) ** 2).sum()) - p
    return bool(p * (p - 1) / n_rows > _MOST * squares)
