"""How kernels are compiled: when they are first called, so that a program that needs none does not wait for numba.

What numba itself is asked for is in `compiler.py` and `overloads.py`, which are imported with the first kernel.
"""

from collections.abc import Callable
from functools import update_wrapper
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.forks import importing

Array = NDArray[Any]

# of an overload as much as of a kernel: else each use of it stays a call, which hands on every field of every array
INLINED: Any = {"forceinline": True}

_ANY_ORDER: Any = {"fastmath": {"reassoc", "contract"}}

# Numbers to be read in all passes together, below which NumPy is done before numba is so much as imported (.4 s, and a
# second or two where kernels are yet to be compiled): about 10 ns a number, two and a half times as long as a kernel.
_WORTH_COMPILING = 1 << 21
INTERPRETED = 64  # numbers that NumPy reads in the time of one step of a loop in Python
PASSES = 32  # of a method that goes over the rows again and again, for `Kernel.suited_to`


class Kernel:
    """A function of arrays and numbers that is compiled when it is first called, or used by a kernel that is.

    ``py_func`` is the function as it is written; ``kept`` says whether its code is kept on disk. A kernel on the way of
    small tables has a twin in NumPy, decorated with ``in_numpy``; ``suited_to`` picks one of the two.
    """

    py_func: Callable[..., Any]

    def __init__(self, function: Callable[..., Any], kept: bool, options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.py_func, self.kept, self.options = function, kept, options
        self._code: Any = None
        self.plain: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        """Run the compiled code, which is made, or read from disk, at the first call of a signature."""
        return (self._code or self.code)(*arguments)

    def __reduce__(self) -> str:
        """A kernel is known by its name, as a function of a module is."""
        return self.__qualname__  # type: ignore[attr-defined]

    def in_numpy(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Register the same function in NumPy, for few numbers; it is as silent about infinities as compiled code."""
        self.plain = np.errstate(all="ignore")(function)
        return self.plain

    def suited_to(self, numbers: int) -> Any:
        """The kernel, or its twin where so few numbers are read in all that compiling does not pay.

        By size alone: which of the two it is must not depend on what else was compiled before.
        """
        return self if self.plain is None or numbers >= _WORTH_COMPILING else self.plain

    @property
    def code(self) -> Any:
        """Numba's dispatcher of the function; the function itself where the compiler is turned off."""
        if self._code is None:
            self._code = _compiler().make(self)
        return self._code

    @property
    def is_made(self) -> bool:
        """Whether it was called or compiled into another in this process."""
        return self._code is not None

    @property
    def stats(self) -> Any:
        """How often the code was found on disk, and how often not."""
        return self.code.stats

    @property
    def _numba_type_(self) -> Any:
        """What numba asks of a name that it finds in another kernel."""
        return self.code._numba_type_


def _compiler() -> Any:
    """The module that imports numba, and beside it what numba must know of rows before it compiles anything."""
    global _loaded
    if _loaded is None:  # never while numba compiles: a thread that does so must not wait for an import
        with importing:
            import_module("discriminant.kernels.overloads")
            _loaded = import_module("discriminant.kernels.compiler")
    return _loaded


_loaded: Any = None


def compiled(function: Callable[..., Any]) -> Any:
    """Compile with every operation in the order it is written."""
    return Kernel(function, True, {})


def compiled_inline(function: Callable[..., Any]) -> Any:
    """Compile for use inside other kernels, as a part of them: a call costs more than a short loop."""
    return Kernel(function, True, INLINED)


def compiled_part(function: Callable[..., Any]) -> Any:
    """Compile anew inside each kernel that uses it, with the functions it is given there; not kept by itself."""
    return Kernel(function, False, INLINED)


def compiled_inline_reassociating(function: Callable[..., Any]) -> Any:
    """Both: inside other kernels, with sums in any order."""
    return Kernel(function, True, INLINED | _ANY_ORDER)


def compiled_reassociating(function: Callable[..., Any]) -> Any:
    """Compile with sums in any order, so that they use the whole vector unit; NaN and infinity keep their meaning."""
    return Kernel(function, True, _ANY_ORDER)
