"""Threads that read while others sum: a pass over parts in this process, with bounded look-ahead."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import Empty, Full, Queue
from typing import TYPE_CHECKING, Any, TypeVar

from discriminant.rows.protocol import add_neighbours, ended
from discriminant.rows.reused_memory import forget_numbers
from discriminant.rows.threads import one_thread, single_threaded_blas

if TYPE_CHECKING:
    from discriminant.rows.parts import Part

S = TypeVar("S")
T = TypeVar("T")

_BLOCKS_AHEAD = 2  # read and not yet summed: enough that neither side waits, and little memory
_SECONDS = 0.1  # between two looks whether a waiting thread is still wanted


class Cancelled(Exception):
    """Raised where the rest of a pass is no longer wanted."""


class ThreadEngine:
    """Reads and sums parts on threads of this process: a part for each thread at a time, BLAS single-threaded.

    With fewer parts than threads the blocks of a part are read ahead of their sums. A fault or Ctrl-C in one thread
    ends the others at their next block.

    Parameters
    ----------
    n_threads : int or None
        How many; None takes as many as BLAS may use.

    Examples
    --------
    >>> from discriminant import rows
    >>> from discriminant.rows.parts import ArrayPart
    >>> part = ArrayPart(rows.from_arrays([[1.0], [2.0]], [0, 1]))
    >>> ThreadEngine().fold([part, part], lambda part: sum(b.n_rows for b in part.blocks()), int.__add__)
    4
    """

    def __init__(self, n_threads: int | None = None) -> None:
        self.n_threads = n_threads

    def fold(self, parts: "Sequence[Part]", of_part: "Callable[[Part], S]", add: Callable[[S, S], S]) -> S:
        """``of_part(part)`` of every part, added up neighbours first as they come in."""
        threads = self.n_threads or single_threaded_blas.allowed_threads()
        stop = threading.Event()
        ahead = len(parts) < 2 * threads and threads > 1

        def work(part: "Part") -> S:
            with one_thread():
                return of_part(_Stoppable(part, stop, ahead))  # type: ignore[arg-type]

        with single_threaded_blas():
            if threads == 1 or len(parts) == 1:
                try:
                    return add_neighbours(map(work, parts), add)
                finally:
                    forget_numbers()
            pool = ThreadPoolExecutor(min(threads, len(parts)), thread_name_prefix="rows")
            try:
                return add_neighbours(_in_order(pool, work, parts, 2 * threads), add)
            finally:
                stop.set()
                pool.shutdown(wait=True, cancel_futures=True)


def _in_order(pool: ThreadPoolExecutor, work: Callable[[T], S], items: Iterable[T], ahead: int) -> Iterator[S]:
    """Results in the order of the items, with so many of them begun and not yet taken."""
    begun: deque[Future[S]] = deque()
    for item in items:
        begun.append(pool.submit(work, item))
        if len(begun) >= ahead:
            yield begun.popleft().result()
    while begun:
        yield begun.popleft().result()


class _Stoppable:
    """A part whose blocks end when the pass has been given up."""

    def __init__(self, part: "Part", stop: threading.Event, ahead: bool) -> None:
        self._part = part
        self._stop = stop
        self._ahead = ahead

    def __getattr__(self, name: str) -> Any:
        return getattr(self._part, name)

    def blocks(self) -> Iterator[Any]:
        """The blocks of the part, while they are wanted."""
        blocks = self._part.blocks()
        with ended(read_ahead(blocks) if self._ahead else blocks) as wanted:
            for block in wanted:
                if self._stop.is_set():
                    raise Cancelled
                yield block


def read_ahead(items: Iterable[T], n_ahead: int = _BLOCKS_AHEAD) -> Iterator[T]:
    """The items, of which a thread reads some ahead; it ends when the generator does.

    >>> list(read_ahead(range(5)))
    [0, 1, 2, 3, 4]
    """
    ready: Queue[Any] = Queue(n_ahead)
    stop = threading.Event()

    def put(entry: Any) -> None:
        while not stop.is_set():
            try:
                return ready.put(entry, timeout=_SECONDS)
            except Full:
                continue
        raise Cancelled

    def read() -> None:
        with suppress(Cancelled):
            put((None, read_all() or StopIteration()))

    def read_all() -> BaseException | None:
        try:
            with one_thread(), ended(items) as found:
                for item in found:
                    put((item, None))
        except Cancelled:
            raise
        except BaseException as error:  # whatever it is, it belongs to whoever asked for the items
            return error
        return None

    reader = threading.Thread(target=read, name="rows-ahead", daemon=True)
    reader.start()
    try:
        while True:
            item, error = _next_of(ready)
            if isinstance(error, StopIteration):
                return
            if error is not None:
                raise error
            yield item
    finally:
        stop.set()
        reader.join()


def _next_of(ready: "Queue[Any]") -> Any:
    """The next entry; waiting in short turns keeps Ctrl-C prompt everywhere."""
    while True:
        try:
            return ready.get(timeout=_SECONDS)
        except Empty:
            continue
