"""Locks that are held while the process forks.

A child has the forking thread alone. A lock that another thread held at that moment would stay locked in the child for
ever, over half-made imports or kernels; so the fork waits for whoever holds one of these.
"""

import logging  # noqa: F401 - see _register
import os
from collections.abc import Callable
from threading import RLock
from typing import Protocol


class Lock(Protocol):
    """What a lock must do here; the forking thread may hold it already."""

    def acquire(self) -> object:
        """Wait for the lock and take it."""

    def release(self) -> object:
        """Give the lock back."""


# Third-party packages import in circles, which fails when two threads enter a circle at different places. No module
# imports under this lock when it is itself imported: a thread that waited for that module with the lock in hand would
# wait for ever.
importing = RLock()

# in the order in which they are taken; imports come first because an import may take any of the others
_locks: list[Lock] = [importing]
_first_process = os.getpid()
_held: list[Lock] = []  # by the thread that forks
_in_child: list[Callable[[], None]] = []


def hold_while_forking(lock: Lock, in_child: Callable[[], None] | None = None) -> None:
    """Let forks wait for a lock; ``in_child`` is called, with the lock held, in the new process."""
    with importing:
        _locks.append(lock)
        if in_child is not None:
            _in_child.append(in_child)
        _register()


def forked() -> bool:
    """Whether this process was forked since the package was imported."""
    return os.getpid() != _first_process


def _register() -> None:
    """Have these locks taken before those that are taken inside them, of which logging holds one while forking too.

    What was registered last is called first, hence anew for each lock: whoever holds one may take it once more.
    """
    if hasattr(os, "register_at_fork"):  # Windows does not fork
        os.register_at_fork(before=_acquire_all, after_in_parent=_release_all, after_in_child=_begin_child)


def _acquire_all() -> None:
    for lock in _locks:
        lock.acquire()
        _held.append(lock)


def _release_all() -> None:
    while _held:
        _held.pop().release()


def _begin_child() -> None:
    try:
        for call in _in_child if _held else ():
            call()
    finally:
        _release_all()


_register()
