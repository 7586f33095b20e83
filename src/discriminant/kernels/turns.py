"""One process at a time: of several that need a file, one makes it and the others wait.

A lock of the operating system on a file beside it, which ends with the process that holds it.
"""

import contextlib
import os
import time
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_PATIENCE = 60.0  # seconds; no kernel takes so long, and who waits in vain makes its own
_BETWEEN_LOOKS = 0.02


class Turn:
    """The turn to make one file."""

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(f".{path.name}.turn")
        self._descriptor: int | None = None

    def take(self) -> None:
        """Wait until no other process makes the file: a minute at most, and not where files cannot be locked."""
        if fcntl is None or self._descriptor is not None:
            return
        with contextlib.suppress(OSError):
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            if _wait_for_lock(descriptor):
                self._descriptor = descriptor
            else:
                os.close(descriptor)

    def give_back(self) -> None:
        """Let the next process take its turn."""
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                self._path.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = None


def _wait_for_lock(descriptor: int) -> bool:
    """Whether the lock was had within a minute."""
    locks: Any = fcntl
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        try:
            locks.flock(descriptor, locks.LOCK_EX | locks.LOCK_NB)
        except OSError:
            time.sleep(_BETWEEN_LOOKS)
        else:
            return True
    return False
