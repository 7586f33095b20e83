"""Numba, imported with the first kernel that is called."""

import contextlib
from typing import Any

from numba import njit
from numba.core.compiler_lock import global_compiler_lock

from discriminant.forks import hold_while_forking
from discriminant.kernels.cache import KernelCache
from discriminant.kernels.compiled import Kernel

# a child that was forked while another thread compiled would wait for that thread, or find its work half done
hold_while_forking(global_compiler_lock)


def make(kernel: Kernel) -> Any:
    """The dispatcher of a kernel: without the GIL, cached on disk where some cache directory can be written."""
    with global_compiler_lock:  # two threads that come first must not have two
        if kernel._code is not None:
            return kernel._code
        code: Any = njit(nogil=True, **kernel.options)(kernel.py_func)
        if kernel.kept and hasattr(code, "enable_caching"):  # not the function itself, as without the compiler
            # a read-only install without a home: compile anew in each process
            with contextlib.suppress(RuntimeError, OSError):
                code._cache = KernelCache(kernel.py_func)
        kernel._code = code
        return code
