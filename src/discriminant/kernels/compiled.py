"""The ways kernels are compiled here."""

from collections.abc import Callable
from typing import Any

from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]

# of an overload as much as of a kernel: else each use of it stays a call, which hands on every field of every array
INLINED: Any = {"forceinline": True}


def _compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Compile without the GIL, cached on disk where some cache directory can be written."""
    try:
        return njit(nogil=True, cache=True, **options)(function)
    except RuntimeError:  # a read-only install without a home: compile anew in each process
        return njit(nogil=True, **options)(function)


def compiled(function: Callable[..., Any]) -> Any:
    """Compile with every operation in the order it is written."""
    return _compiled(function)


def compiled_inline(function: Callable[..., Any]) -> Any:
    """Compile for use inside other kernels, as a part of them: a call costs more than a short loop."""
    return _compiled(function, **INLINED)


def compiled_inline_reassociating(function: Callable[..., Any]) -> Any:
    """Both: inside other kernels, with sums in any order."""
    return _compiled(function, **INLINED, fastmath={"reassoc", "contract"})


def compiled_reassociating(function: Callable[..., Any]) -> Any:
    """Compile with sums in any order, so that they use the whole vector unit; NaN and infinity keep their meaning."""
    return _compiled(function, fastmath={"reassoc", "contract"})
