"""How much memory there is, asked before a table is read: a process that is told no in the middle is often aborted."""

import os
from pathlib import Path
from typing import Any

from discriminant.table.errors import TableError

_CGROUPS = (  # (limit, use) of the group that a process is in, by version
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)
_HINT = "take fewer rows, or fewer columns, or a machine with more memory"


class TooLarge(TableError):
    """A table that does not fit into memory."""


def require_room(needed: int, what: str, available: int | None = None) -> None:
    """Refuse what needs more bytes than there are; ``what`` begins the sentence."""
    there = available_bytes() if available is None else available
    if there is not None and needed > there:
        raise TooLarge(
            f"{what} needs about {in_words(needed)} of memory, and there are {in_words(max(there, 0))}", _HINT
        )


def too_large(name: str) -> TooLarge:
    """What to say where memory was refused all the same."""
    there = available_bytes()
    left = "" if there is None else f" ({in_words(max(there, 0))} are left)"
    return TooLarge(f"{name} does not fit into memory{left}", _HINT)


def in_words(n: int) -> str:
    """Bytes as people say them."""
    for unit, size in (("TB", 1 << 40), ("GB", 1 << 30), ("MB", 1 << 20)):
        if n >= size:
            return f"{n / size:,.1f} {unit}" if n < 100 * size else f"{n / size:,.0f} {unit}"
    return f"{n / 1024:,.0f} kB"


def available_bytes() -> int | None:
    """The least of what the machine has free, what the group of the process may still take, and its own limits.

    None where the system does not say.
    """
    told = [_free_on_machine(), *(_left_in_group(limit, use) for limit, use in _CGROUPS), *_left_to_process()]
    known = [n for n in told if n is not None]
    return min(known) if known else None


def _free_on_machine() -> int | None:
    return _kilobytes("/proc/meminfo", "MemAvailable:")


def _left_in_group(limit: str, use: str) -> int | None:
    try:
        return int(Path(limit).read_text()) - int(Path(use).read_text())
    except (OSError, ValueError):  # no such group, or "max"
        return None


def _left_to_process() -> list[int]:
    """Under `ulimit -v` and `ulimit -d`, beside what is taken already."""
    try:
        import resource
    except ImportError:  # Windows
        return []
    limits: Any = ((resource.RLIMIT_AS, "VmSize:"), (resource.RLIMIT_DATA, "VmData:"))
    left = []
    for limit, taken in limits:
        most = resource.getrlimit(limit)[0]
        if most != resource.RLIM_INFINITY:
            left.append(most - (_kilobytes(f"/proc/{os.getpid()}/status", taken) or 0))
    return left


def _kilobytes(path: str, name: str) -> int | None:
    """The figure behind a name in a file of the kernel, in bytes."""
    try:
        with open(path) as file:
            return next((int(line.split()[1]) << 10 for line in file if line.startswith(name)), None)
    except (OSError, ValueError, IndexError):
        return None
