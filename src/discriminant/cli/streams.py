"""Standard streams that are closed, full, or have nobody left to read them."""

import contextlib
import os
import sys
from typing import TextIO


def reserve() -> None:
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
