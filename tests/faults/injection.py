"""One fault in a process: the n-th call of the system, or the n-th line of the code that saves, fails or is the last.

Calls are counted where they concern files of one folder (or descriptors); lines where they belong to the modules that
write and read files. A process runs once without a fault to be counted, and once for every fault.
"""

import builtins
import errno
import os
import signal
import sys
from pathlib import Path

import discriminant

ROOT = Path(discriminant.__file__).parent
WATCHED = tuple(
    str(ROOT / name)
    for name in (
        "table/saving",
        "table/writing.py",
        "table/partitions.py",
        "model/file.py",
        "model/tensors.py",
        "study/run_",
    )
)
BY_PATH = ("open", "replace", "unlink", "chmod", "mkdir", "rmdir", "stat", "lstat", "scandir")
BY_DESCRIPTOR = ("fsync", "dup", "close")
CALLS = ("kill", "ENOSPC", "EIO", "memory", "interrupt")
LINES = ("kill at line", "interrupt at line", "memory at line")


class Counter:
    """Counts, and strikes at the n-th."""

    def __init__(self, at, kind):
        self.at, self.kind, self.count = at, kind, 0

    def step(self, before_death=None):
        self.count += 1
        if self.count != self.at:
            return
        if self.kind.startswith("kill"):
            if before_death is not None:
                before_death()
            os.kill(os.getpid(), signal.SIGKILL)
        if self.kind.startswith("memory"):
            raise MemoryError
        if self.kind.startswith("interrupt"):
            raise KeyboardInterrupt
        code = getattr(errno, self.kind)
        raise OSError(code, os.strerror(code))


class Watched:
    """A file whose reads and writes count; a kill leaves half of what was to be written."""

    def __init__(self, file, counter):
        self._file, self._counter = file, counter

    def write(self, content):
        content = bytes(content)
        self._counter.step(lambda: (self._file.write(content[: len(content) // 2]), self._file.flush()))
        return self._file.write(content)

    def read(self, *size):
        self._counter.step()
        return self._file.read(*size)

    def readinto(self, buffer):
        self._counter.step()
        return self._file.readinto(buffer)

    def flush(self):
        self._counter.step()
        self._file.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()

    def __getattr__(self, name):
        return getattr(self._file, name)


def inject(folder, at, kind):
    """Count from now on, in this process; strike at the n-th (0: never)."""
    counter = Counter(at, kind)
    if kind.endswith("line"):
        _trace(counter)
    else:
        _patch(counter, str(folder))
    return counter


def _patch(counter, folder):
    for name in BY_PATH:
        setattr(os, name, _counted(getattr(os, name), counter, folder))
    for name in BY_DESCRIPTOR:
        setattr(os, name, _counted(getattr(os, name), counter, None))
    plain_fdopen, plain_open = os.fdopen, builtins.open

    def fdopen(descriptor, *rest, **named):
        counter.step()
        return Watched(plain_fdopen(descriptor, *rest, **named), counter)

    def opened(path, *rest, **named):
        if isinstance(path, int) or not str(path).startswith(folder):
            return plain_open(path, *rest, **named)
        counter.step()
        return Watched(plain_open(path, *rest, **named), counter)

    os.fdopen, builtins.open = fdopen, opened


def _counted(call, counter, folder):
    def counted(first, *rest, **named):
        if folder is None or (not isinstance(first, int) and os.fsdecode(first).startswith(folder)):
            counter.step()
        return call(first, *rest, **named)

    return counted


def _trace(counter):
    def in_frame(frame, event, _argument):
        if event == "line":
            counter.step()
        return in_frame

    sys.settrace(lambda frame, _event, _argument: in_frame if frame.f_code.co_filename.startswith(WATCHED) else None)
