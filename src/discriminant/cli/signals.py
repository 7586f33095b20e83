"""A request to end (SIGTERM, or SIGHUP of a terminal that closes) is heard like Ctrl-C, so that files are tidied."""

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

_REQUESTS = ("SIGTERM", "SIGHUP")  # those that the system has


class Terminated(KeyboardInterrupt):
    """The process was asked to end; ``number`` is the signal's."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def _terminate(number: int, _frame: FrameType | None) -> NoReturn:
    raise Terminated(number)


@contextlib.contextmanager
def heard() -> Iterator[None]:
    """Raise `Terminated` where a signal asks to end, unless whoever started the process has it ignored (nohup)."""
    numbers = [getattr(signal, name) for name in _REQUESTS if hasattr(signal, name)]
    default = [number for number in numbers if signal.getsignal(number) == signal.SIG_DFL]
    try:
        for number in default:
            signal.signal(number, _terminate)
        yield
    finally:
        for number in default:
            signal.signal(number, signal.SIG_DFL)
