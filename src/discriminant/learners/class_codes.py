"""Classes as numbers, for regressions."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def class_codes(n_classes: int) -> Array:
    """Targets of each class (K×q): ∓1 in one column for two classes, else a column each."""
    if n_classes == 2:
        return np.array([[-1.0], [1.0]])
    return 2.0 * np.eye(n_classes) - 1.0
