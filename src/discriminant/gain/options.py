"""Options of thresholds, read with a clear error for what makes no sense."""

from typing import Any

import numpy as np


def read_share(value: Any, name: str) -> float:
    """A number strictly between zero and one."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"{name} must be a number between 0 and 1, got {value!r}")
    if not 0 < value < 1:
        raise ValueError(f"{name} must lie between 0 and 1, got {value!r}")
    return float(value)
