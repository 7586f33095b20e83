"""Spans of rows over a thread pool, with single-threaded BLAS inside each.

The number of threads is the one BLAS is allowed, so that ``OMP_NUM_THREADS`` and
``threadpoolctl.threadpool_limits`` mean here what they mean everywhere else.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController, threadpool_limits

from discriminant.forks import forked, hold_while_forking

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
        self._lock = threading.RLock()
        self.inside: Counter[int] = Counter()  # how often each thread has entered
        self._before: list[tuple[Any, int]] = []  # libraries with more threads than one, and how many
        self._allowed = 1
        hold_while_forking(self._lock, self._forget_other_threads)

    @contextmanager
    def __call__(self) -> Iterator[None]:
        thread = threading.get_ident()
        with self._lock:
            if not self.inside:  # without threadpoolctl's own limits, which take as long as the fit of a small table
                threads = [(library, library.num_threads or 1) for library in _controller().lib_controllers]
                self._before = [(library, n) for library, n in threads if n > 1]
                self._allowed = max((n for _, n in self._before), default=1)
                for library, _ in self._before:
                    _set_threads(library, 1)
            self.inside[thread] += 1
        try:
            yield
        finally:
            with self._lock:
                self._leave(thread, 1)

    def allowed_threads(self) -> int:
        """How many threads a fit may use: as many as BLAS may, or might before it was held."""
        with self._lock:
            return self._allowed if self.inside else _blas_threads()

    def _leave(self, thread: int, times: int) -> None:
        self.inside[thread] -= times
        if not self.inside[thread]:
            del self.inside[thread]
        if not self.inside:
            for library, n in self._before:
                _set_threads(library, n)

    def _forget_other_threads(self) -> None:
        """Forget other threads in a forked child, which has the forking thread alone."""
        for thread, times in list(self.inside.items()):
            if thread != threading.get_ident():
                self._leave(thread, times)


def fork_safe_openmp() -> Any:
    """A context in which a forked child uses one thread of OpenMP.

    The threads of GNU OpenMP do not survive a fork, and a child that asks for more than one waits for them for ever.
    """
    return threadpool_limits(1 if forked() else None, user_api="openmp")


def _set_threads(library: Any, n: int) -> None:
    """Set the number of threads whoever set it before: since 3.8 threadpoolctl heeds only the first thread that did so.

    That one may have come out long ago, or be left behind by a fork, and BLAS would keep one thread for ever.
    """
    control = getattr(library, "clear_controlling_thread", None)
    if control is not None:
        control(force=True)
    library.set_num_threads(n)
    if control is not None:
        control(force=True)


def _blas_threads() -> int:
    return max((library.num_threads for library in _controller().lib_controllers), default=1)


# A fit holds BLAS to one thread all along, not only inside blocks: after a threaded call OpenBLAS keeps its helpers
# spinning for up to a tenth of a second, on the cores our own threads need next.
single_threaded_blas = _SingleThreadedBlas()


_own = threading.local()


@contextmanager
def one_thread() -> Iterator[None]:
    """A context in which this thread shares no work out: it is itself one of several that do."""
    before = getattr(_own, "alone", False)
    _own.alone = True
    try:
        yield
    finally:
        _own.alone = before


def over_spans(work: Callable[[int, int], T], n_rows: int, n_columns: int) -> list[T]:
    """``work(start, stop)`` over contiguous spans that cover the rows; results in the order of the rows."""
    if n_rows * n_columns < 2 * _LEAST_WORK and threading.get_ident() in single_threaded_blas.inside:
        return [work(0, n_rows)]
    most = 1 if getattr(_own, "alone", False) else single_threaded_blas.allowed_threads()
    threads = min(most, n_rows * max(n_columns, 1) // _LEAST_WORK)
    with single_threaded_blas():
        if threads <= 1:
            return [work(0, n_rows)]
        edges = [n_rows * i // threads for i in range(threads + 1)]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(work, edges[:-1], edges[1:]))
