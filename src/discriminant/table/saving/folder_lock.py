"""Locks that a dead process does not leave behind: the system frees them with its descriptors.

The lock of a folder is one on the folder itself, so that no lock file is needed. Where the system or the file system
has no such locks, writers go on without: single renames still decide, and nothing that might be alive is removed.
"""

import contextlib
import errno
import os
import time
from collections.abc import Iterator
from pathlib import Path

from discriminant.table.errors import FileError

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

_LONGEST_WAIT = 60.0  # seconds; a folder is locked for a few renames at a time
_PAUSE = 0.005  # seconds
_HELD = (errno.EWOULDBLOCK, errno.EACCES, errno.EAGAIN)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One writer in a folder at a time."""
    descriptor = _opened(folder)
    try:
        if descriptor is not None:
            _wait(descriptor, folder)
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _opened(folder: Path) -> int | None:
    """A descriptor to lock; None where folders cannot be opened."""
    if fcntl is None:
        return None
    try:
        return os.open(folder, os.O_RDONLY)
    except PermissionError:  # of a folder that may be written to and not be read
        return None


def _wait(descriptor: int, folder: Path) -> None:
    until = time.monotonic() + _LONGEST_WAIT
    while try_lock(descriptor) is False:
        if time.monotonic() > until:
            raise FileError(f"{folder} is locked by another process", "wait until it has ended, or write elsewhere")
        time.sleep(_PAUSE)


def try_lock(descriptor: int) -> bool | None:
    """Whether an open file is now locked by this descriptor; None where there are no locks."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return False if error.errno in _HELD else None
    return True
