"""How much memory this process may still take: limits of the process, of its control group, and what is free.

Linux tells all three; elsewhere free memory alone, or nothing, is known. A figure is no promise: others allocate too.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

try:
    import resource
except ImportError:  # Windows has no such limits
    resource = None  # type: ignore[assignment]

_PROC = Path("/proc")
# settings of glibc's malloc: their codes, the variables that set them from outside, and what holds where nothing does
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_VARIABLES = {_TRIM_THRESHOLD: "MALLOC_TRIM_THRESHOLD_", _MMAP_THRESHOLD: "MALLOC_MMAP_THRESHOLD_"}
_USUAL_THRESHOLD, _LARGEST_THRESHOLD = 1 << 17, 1 << 25
_GROUPS = Path("/sys/fs/cgroup")
# the files of a control group: its limit, its use, and the pages counted in it that are given up when memory is short
_GROUP_FILES = {
    "": (_GROUPS, "memory.max", "memory.current", "inactive_file"),
    "memory": (_GROUPS / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}


def available_bytes() -> int | None:
    """How many bytes more this process may take; None where the system does not say."""
    return min((max(room, 0) for room in _rooms()), default=None)


def address_space_bytes() -> int | None:
    """How many bytes more may be mapped under a limit set with ``ulimit -v``; None where there is none."""
    return (
        None if resource is None else next((max(room, 0) for room in _under_process_limits(resource.RLIMIT_AS)), None)
    )


def resident_bytes() -> int:
    """How many bytes of memory this process holds now; 0 where the system does not say."""
    held = _text(_PROC / "self" / "statm").split()
    return int(held[1]) * os.sysconf("SC_PAGE_SIZE") if held else 0


def give_back_freed() -> None:
    """Hand memory that this process has freed back to the system, where the C library can: threads keep much of it."""
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


@contextlib.contextmanager
def freed_memory_reused() -> Iterator[None]:
    """What this process frees inside it uses again, also where its environment has every large array given back.

    Dask sets its workers so (MALLOC_TRIM_THRESHOLD_), and malloc then no longer learns by itself which sizes come
    again: each array begins with fresh pages of the system, which makes sums over blocks twice as dear.
    """
    told = {code: os.environ.get(name, "") for code, name in _VARIABLES.items()}
    if not any(told.values()):
        yield
        return
    for code in told:
        _set_malloc(code, _LARGEST_THRESHOLD)
    try:
        yield
    finally:
        for code, threshold in told.items():
            _set_malloc(code, int(threshold) if threshold.isdecimal() else _USUAL_THRESHOLD)


def _set_malloc(code: int, threshold: int) -> None:
    import ctypes

    with contextlib.suppress(OSError, AttributeError, ctypes.ArgumentError):
        ctypes.CDLL(None).mallopt(code, min(threshold, _LARGEST_THRESHOLD))


def readable_size(n_bytes: int) -> str:
    """A size as a person says it: ``1.5 GB``."""
    size = float(n_bytes)
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 999.5:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"


def _rooms() -> Iterator[int]:
    if resource is not None:
        yield from _under_process_limits(resource.RLIMIT_AS, resource.RLIMIT_DATA)
    yield from _under_group_limits()
    yield from _free()


def _under_process_limits(*limits: int) -> Iterator[int]:
    used = _text(_PROC / "self" / "statm").split()
    places = {resource.RLIMIT_AS: 0, resource.RLIMIT_DATA: 5}  # of what a limit bounds in that file, in pages
    for limit in limits if used else ():
        most = resource.getrlimit(limit)[0]
        if most != resource.RLIM_INFINITY:
            yield most - int(used[places[limit]]) * os.sysconf("SC_PAGE_SIZE")


def _under_group_limits() -> Iterator[int]:
    """A group is bound by the groups above it too."""
    for line in _text(_PROC / "self" / "cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            if controller in _GROUP_FILES:
                root, limit, use, given_up = _GROUP_FILES[controller]
                own = root / path.strip("/")
                for folder in (own, *own.parents):
                    yield from _in_group(folder, limit, use, given_up)
                    if folder == root:
                        break


def _in_group(folder: Path, limit: str, use: str, given_up: str) -> Iterator[int]:
    most, used = _text(folder / limit).strip(), _text(folder / use).strip()
    if most.isdigit() and used.isdigit():
        spare = dict(line.split(" ", 1) for line in _text(folder / "memory.stat").splitlines()).get(given_up, "0")
        yield int(most) - int(used) + int(spare)


def _free() -> Iterator[int]:
    for line in _text(_PROC / "meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            yield int(line.split()[1]) * 1024
            return
    if "SC_AVPHYS_PAGES" in getattr(os, "sysconf_names", {}):
        yield os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _text(path: Path) -> str:
    """What a file of the system says; nothing where it is not there."""
    try:
        return path.read_text()
    except OSError:
        return ""
