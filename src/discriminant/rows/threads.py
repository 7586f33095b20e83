"""Spans of rows over a thread pool, with single-threaded BLAS inside each.

The number of threads is the one BLAS is allowed, so that ``OMP_NUM_THREADS`` and
``threadpoolctl.threadpool_limits`` mean here what they mean everywhere else.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

T = TypeVar("T")

# Below this many numbers a thread costs more than it saves.
_LEAST_WORK = 1 << 18


@cache
def _controller() -> Any:
    return ThreadpoolController().select(user_api="blas")


class _SingleThreadedBlas:
    """Holds BLAS to one thread while any caller is inside; the last one out restores it.

    threadpoolctl alone would restore in the wrong order when two user threads fit at once.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._limit: Any = None
        self._allowed = 1

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self._lock:
            if self._inside == 0:
                self._allowed = _blas_threads()
                self._limit = _controller().limit(limits=1)
            self._inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if self._inside == 0:
                    self._limit.restore_original_limits()

    def allowed_threads(self) -> int:
        """How many threads a fit may use: as many as BLAS may, or might before it was held."""
        with self._lock:
            return self._allowed if self._inside else _blas_threads()


def _blas_threads() -> int:
    return max((library.num_threads for library in _controller().lib_controllers), default=1)


# A fit holds BLAS to one thread all along, not only inside blocks: after a threaded call OpenBLAS keeps its helpers
# spinning for up to a tenth of a second, on the cores our own threads need next.
single_threaded_blas = _SingleThreadedBlas()


def over_spans(work: Callable[[int, int], T], n_rows: int, n_columns: int) -> list[T]:
    """``work(start, stop)`` over contiguous spans that cover the rows; results in the order of the rows."""
    threads = min(single_threaded_blas.allowed_threads(), n_rows * max(n_columns, 1) // _LEAST_WORK)
    with single_threaded_blas():
        if threads <= 1:
            return [work(0, n_rows)]
        edges = [n_rows * i // threads for i in range(threads + 1)]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(work, edges[:-1], edges[1:]))
