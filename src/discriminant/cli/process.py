"""The process of a command: memory to start in, signals that ask it to end, and its standard streams.

The libraries abort, hang or tell of missing files where address space is limited too tightly. A request to end
(SIGTERM, or SIGHUP of a terminal that closes) is heard like Ctrl-C, so that files are tidied. Streams may be closed,
full, or have nobody left to read them.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn, TextIO

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


_REQUESTS = ("SIGTERM", "SIGHUP")  # those that the system has


class Terminated(KeyboardInterrupt):
    """The process was asked to end; ``number`` is the signal's."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def _terminate(number: int, _frame: FrameType | None) -> NoReturn:
    raise Terminated(number)


@contextlib.contextmanager
def raising_signals() -> Iterator[None]:
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


def reserve_streams() -> None:
    """Make closed streams fail as full ones do, and keep their numbers from files that a command opens.

    A file that got number 1 would receive whatever a library prints.
    """
    for number, flags in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):  # 0 and 1 so that using them fails
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)  # the lowest number that is free, which is this one
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


def output_fault(error: Exception) -> str | None:
    """Why standard output does not take what was said, if an error may have come from there; else None.

    What could not be written is still in its buffer, so that another attempt fails as the first did. Where nothing
    else is known of the error, a line more is asked of it, for a stream without a buffer.
    """
    try:
        if isinstance(error, OSError) and error.filename is None:
            sys.stdout.write("\n")
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as fault:
        return getattr(fault, "strerror", None) or str(fault)
    return None


def silence(stream: TextIO) -> None:
    """Let a stream swallow what is still to be flushed, for which the process would end with another code."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
