"""The ways kernels are compiled here."""

import contextlib
from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core.compiler_lock import global_compiler_lock
from numpy.typing import NDArray

from discriminant.forks import hold_while_forking
from discriminant.kernels.cache import KernelCache

Array = NDArray[Any]

# of an overload as much as of a kernel: else each use of it stays a call, which hands on every field of every array
INLINED: Any = {"forceinline": True}


# a child that was forked while another thread compiled would wait for that thread, or find its work half done
hold_while_forking(global_compiler_lock)


def _compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Compile without the GIL, cached on disk where some cache directory can be written."""
    kernel: Any = njit(nogil=True, **options)(function)
    if hasattr(kernel, "enable_caching"):  # a kernel, and not the function itself, as without the compiler
        # a read-only install without a home: compile anew in each process
        with contextlib.suppress(RuntimeError, OSError):
            kernel._cache = KernelCache(function)
    return kernel


def compiled(function: Callable[..., Any]) -> Any:
    """Compile with every operation in the order it is written."""
    return _compiled(function)


def compiled_inline(function: Callable[..., Any]) -> Any:
    """Compile for use inside other kernels, as a part of them: a call costs more than a short loop."""
    return _compiled(function, **INLINED)


def compiled_part(function: Callable[..., Any]) -> Any:
    """Compile anew inside each kernel that uses it, with the functions it is given there; not kept by itself."""
    return njit(nogil=True, **INLINED)(function)


def compiled_inline_reassociating(function: Callable[..., Any]) -> Any:
    """Both: inside other kernels, with sums in any order."""
    return _compiled(function, **INLINED, fastmath={"reassoc", "contract"})


def compiled_reassociating(function: Callable[..., Any]) -> Any:
    """Compile with sums in any order, so that they use the whole vector unit; NaN and infinity keep their meaning."""
    return _compiled(function, fastmath={"reassoc", "contract"})
