"""A line on standard error that says what is being done; nothing where nobody watches."""

from types import TracebackType
from typing import Self


class Steps:
    """``tell(step, done, total)`` as the work goes on."""

    def __init__(self, *, quiet: bool) -> None:
        from rich.console import Console

        console = Console(stderr=True)
        self._live = None
        if quiet or not console.is_terminal:
            return
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self._live = Progress(
            SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), console=console,
            transient=True,
        )  # fmt: skip
        self._task = self._live.add_task("starting", total=None)

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def tell(self, step: str, done: int, total: int) -> None:
        """What is being done, and how much of it is."""
        if self._live is not None:
            from rich.markup import escape

            self._live.update(self._task, description=escape(step), completed=done, total=total if total > 1 else None)
