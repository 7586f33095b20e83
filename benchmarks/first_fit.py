"""The first fit of a fresh process: `python -m benchmarks.first_fit LEARNER dense|csr ROWS COLUMNS`.

Prints the seconds of the import and of the fit, and how many kernels were compiled rather than read from the cache.
Imports nothing outside the standard library before the clock starts.
"""

import json
import sys
from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from time import perf_counter
from typing import Any


def main(name: str, form: str, rows: int, columns: int) -> None:
    """Import, fit and tell."""
    learner, importing = _timed(lambda: getattr(import_module("discriminant"), name))
    X, y = _table(form, rows, columns)
    _, fitting = _timed(lambda: learner().fit(X, y))
    print(json.dumps({"import": importing, "first fit": fitting, "compiled": _compiled_kernels()}))


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = perf_counter()
    result = work()
    return result, perf_counter() - start


def _table(form: str, rows: int, columns: int) -> tuple[Any, Any]:
    from scipy.sparse import csr_array

    from benchmarks.data import Shape, gaussian

    X, y = gaussian(Shape(rows, columns))
    return (csr_array(X) if form == "csr" else X), y


def _compiled_kernels() -> int:
    """How often a kernel was looked for in the cache in vain; those never called are not looked for."""
    from discriminant.kernels.compiled import Kernel

    package = import_module("discriminant.kernels")
    modules = [import_module(module.name) for module in iter_modules(package.__path__, f"{package.__name__}.")]
    kernels = {id(k): k for module in modules for k in vars(module).values() if isinstance(k, Kernel) and k.is_made}
    return sum(sum(kernel.stats.cache_misses.values()) for kernel in kernels.values())


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")  # five epochs are too few to separate anything
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
