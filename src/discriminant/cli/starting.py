"""Room to start in: the libraries abort, hang or tell of missing files where address space is limited too tightly."""

import os

from discriminant.memory import address_space_bytes, readable_size

# Measured at `fit` of a small table on two processors: 2.4 GB, of which 0.4 GB are in use; with one thread 2.3 GB. Each
# thread of BLAS, OpenMP and Arrow sets aside a stack and an arena.
_NEEDED = 2_400_000_000
_NEEDED_BY_PROCESSOR = 250_000_000
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def check_address_space() -> None:
    """Refuse to begin under a limit that the libraries cannot be loaded in; use one thread where it is tight."""
    room = address_space_bytes()
    if room is None:
        return
    if room < _NEEDED:
        raise MemoryError(
            f"the limit on address space (ulimit -v) leaves {readable_size(room)}, and {readable_size(_NEEDED)} are"
            " needed to begin, most of which is never filled; raise it, or limit memory by a control group"
        )
    if room < _NEEDED + (os.cpu_count() or 1) * _NEEDED_BY_PROCESSOR:
        for name in _THREADS:
            os.environ.setdefault(name, "1")
