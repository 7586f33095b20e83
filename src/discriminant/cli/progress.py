"""A line on standard error that says what is being done; nothing where nobody watches.

Passes over a table that is read in batches show how much of it has been read, and how long the rest will take. What
has been read is asked of the source now and then, so that whoever reads need not tell.
"""

import threading
from types import TracebackType
from typing import Any, Self

_SECONDS = 0.25  # between two looks at a source
_BEGUN_AGAIN = 0.5  # of what had been read: less than that is another pass


class Steps:
    """``tell(step, done, total)`` as the work goes on."""

    def __init__(self, *, quiet: bool) -> None:
        from rich.console import Console

        console = Console(stderr=True)
        self._live = None
        self._passes: PassCount | None = None
        self._watcher: threading.Thread | None = None
        self._stop = threading.Event()
        if quiet or not console.is_terminal:
            return
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self._live = Progress(
            SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[amount]}"),
            TimeElapsedColumn(), console=console, transient=True,
            redirect_stdout=False,
        )  # fmt: skip
        self._task = self._live.add_task("starting", total=None, amount="")

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        if self._watcher is not None:
            self._watcher.join()
        if self._live is not None:
            self._live.stop()

    def tell(self, step: str, done: int, total: int) -> None:
        """What is being done, and how much of it is."""
        if self._passes is not None:
            self._passes.end()
        self._show(step, done, total if total > 1 else None, "")

    def watch(self, source: Any, n_passes: int) -> None:
        """Show passes over a source, of which there will be about so many."""
        self._passes = PassCount(source, n_passes)
        if self._live is not None:
            self._watcher = threading.Thread(target=self._look, name="progress", daemon=True)
            self._watcher.start()

    def begin_pass(self, what: str, n_more: int = 0) -> None:
        """The next pass is for ``what``; ``n_more`` passes come on top of those that were known of."""
        if self._passes is not None:
            self._passes.begin(what, n_more)

    def _look(self) -> None:
        while not self._stop.wait(_SECONDS):
            if self._passes is not None and (seen := self._passes.look()) is not None:
                self._show(*seen)

    def _show(self, step: str, done: float, total: float | None, amount: str) -> None:
        if self._live is not None:
            from rich.markup import escape

            self._live.update(self._task, description=escape(step), completed=done, total=total, amount=amount)


class PassCount:
    """Which pass over a source is going on, and how far it is.

    >>> from types import SimpleNamespace
    >>> source = SimpleNamespace(stored_bytes=4_000_000_000, bytes_read=lambda: 1_000_000_000, begin_pass=lambda: None)
    >>> passes = PassCount(source, 3, clock=iter([0.0, 10.0]).__next__)
    >>> passes.begin("columns")
    >>> passes.look()
    ('columns: pass 1 of about 3', 1000000000, 4000000000, '1 GB of 4 GB, 0:30 left')
    """

    def __init__(self, source: Any, n_passes: int, clock: Any = None) -> None:
        from time import monotonic

        self._source = source
        self._n = n_passes
        self._clock = clock or monotonic
        self._what: str | None = None
        self._k = 0
        self._read = 0
        self._began = 0.0

    def begin(self, what: str, n_more: int = 0) -> None:
        """Begin the next pass."""
        self._source.begin_pass()
        self._n += n_more
        self._next(what)

    def _next(self, what: str) -> None:
        self._what, self._k, self._read, self._began = what, self._k + 1, 0, self._clock()

    def end(self) -> None:
        """Something else is done now."""
        self._what = None

    def look(self) -> tuple[str, float, float | None, str] | None:
        """What is to be shown: step, bytes read, bytes in all, both in words; None between passes."""
        from discriminant.memory import readable_size

        if self._what is None:
            return None
        read, total = self._source.bytes_read(), self._source.stored_bytes
        if read < _BEGUN_AGAIN * self._read:
            self._next(self._what)
        self._read = read
        step = f"{self._what}: pass {self._k} of about {max(self._n, self._k)}"
        if not total:
            return step, 0, None, ""
        spent = self._clock() - self._began
        left = f", {_minutes(spent * (total - read) / read)} left" if read else ""
        return step, read, total, f"{readable_size(read)} of {readable_size(total)}{left}"


def _minutes(seconds: float) -> str:
    whole = max(int(seconds), 0)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60}:{rest % 60:02d}"
