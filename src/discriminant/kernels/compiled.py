"""The one way kernels are compiled here."""

from collections.abc import Callable
from typing import Any

from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]


def compiled(function: Callable[..., Any]) -> Any:
    """Compile without the GIL, cached on disk where some cache directory can be written."""
    try:
        return njit(nogil=True, cache=True)(function)
    except RuntimeError:  # a read-only install without a home: compile anew in each process
        return njit(nogil=True)(function)
