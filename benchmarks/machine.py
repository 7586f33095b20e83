"""What a run ran on, and the threads it was allowed: times mean nothing without either."""

import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from threadpoolctl import threadpool_info, threadpool_limits

_HAVE_THREADS = ("scipy.linalg", "sklearn.linear_model", "sklearn.svm", "sklearn.ensemble")
_PACKAGES = ("discriminant", "numpy", "scipy", "numba", "scikit-learn", "scikit-learn-intelex")


def cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def limited(threads: int) -> Iterator[None]:
    """Everyone on the same number of threads: BLAS (which discriminant follows), OpenMP and oneDAL."""
    for name in _HAVE_THREADS:  # what is loaded later would not be limited
        import_module(name)
    with threadpool_limits(threads):
        _limit_onedal(threads)
        try:
            yield
        finally:
            _limit_onedal(cores())


def _limit_onedal(threads: int) -> None:
    """threadpoolctl does not know oneDAL's threads; a run without intelex has none of them to limit."""
    if "daal4py" in sys.modules:
        sys.modules["daal4py"].daalinit(threads)


def facts() -> dict[str, str]:
    """Processor, cores, how busy they were, and versions."""
    blas = {f"{i['internal_api']} {i['version']} ({i.get('architecture')})" for i in threadpool_info()}
    return {
        "processor": _processor(),
        "cores": str(cores()),
        "load before": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown",
        "python": platform.python_version(),
        "blas": ", ".join(sorted(name for name in blas if "None" not in name)),
        **{name: _version(name) for name in _PACKAGES},
    }


def _processor() -> str:
    """The model's name where Linux tells it."""
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
