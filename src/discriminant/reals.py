"""Real numbers out of whatever a person passed, or a clear error that says what it was."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def real_array(value: Any, what: str) -> NDArray[np.float64]:
    """``value`` as float64, refusing text, complex numbers and integers too large for a float."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{what} must be a regular array of real numbers ({error})") from error
    objects = array.ravel() if array.dtype.kind == "O" else ()
    if array.dtype.kind == "c" or any(isinstance(v, complex) for v in objects):
        raise ValueError(f"Complex data not supported: {what} must be real numbers")
    if array.dtype.kind in "USmM" or any(isinstance(v, str | bytes) for v in objects):
        raise TypeError(f"{what} must be real numbers, got {value!r}")
    try:
        return array.astype(np.float64)
    except OverflowError as error:
        raise ValueError(f"{what} holds an integer too large for a float") from error
    except (TypeError, ValueError) as error:
        raise TypeError(f"{what} must be real numbers, got {value!r}") from error
