"""Parts: files on their way, under a hidden name beside the one they will take.

A part is locked while its writer lives. One without a lock was left by a death, and the next writer in the folder
removes it; its name says that it is ours, so that no other file can be meant.

The system frees the locks of a dead process with its descriptors. The lock of a folder is one on the folder itself, so
that no lock file is needed. Where the system or the file system has no such locks, writers go on without: single
renames still decide, and nothing that might be alive is removed.
"""

import contextlib
import errno
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from discriminant.table.errors import FileError

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

PART = re.compile(r"\.(?P<start>.*)\.discriminant-[0-9a-f]{12}\.part", re.DOTALL)
_WRITER = ".discriminant-writer"  # in a folder, locked while its writer lives
_LONGEST_WAIT = 60.0  # seconds; a folder is locked for a few renames at a time
_PAUSE = 0.005  # seconds
_HELD = (errno.EWOULDBLOCK, errno.EACCES, errno.EAGAIN)
_LONGEST_START = 150  # bytes of the final name in the hidden one; file systems allow 255 in all


class UnfinishedFile:
    """A new file with the rights that the final one has, or that a new one would have."""

    def __init__(self, final: Path, said: str | Path) -> None:
        self.final = final
        self.said = said  # the path as the caller wrote it
        self.path = hidden_path(final)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(self.path, flags, 0o666)
        self._lock: int | None = None
        self.discarded = False
        try:
            if try_lock(descriptor):
                self._lock = os.dup(descriptor)  # lives on when the file is closed
            with contextlib.suppress(OSError):
                os.chmod(self.path, stat.S_IMODE(final.stat().st_mode))
            self.file: IO[bytes] = os.fdopen(descriptor, "wb")
        except BaseException:
            os.close(descriptor)
            self._unlock()
            self.discard()
            raise

    def complete(self) -> None:
        """Have the system store all of it."""
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()

    def discard(self) -> None:
        """Remove what has not taken its place."""
        self.discarded = True
        with contextlib.suppress(OSError):
            os.unlink(self.path)

    def release(self) -> None:
        """Close the file and free the lock."""
        with contextlib.suppress(OSError):  # what could not be written is still in its buffer
            self.file.close()
        self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


class UnfinishedFolder:
    """A new folder of files on its way; the same for a folder as `UnfinishedFile` for a file.

    The lock is on a file in it, since files that are written there lock the folder itself for a moment each. The folder
    around it is locked when one is made and when it takes its place.
    """

    def __init__(self, final: Path, said: str | Path) -> None:
        self.final = final
        self.said = said
        self.path = hidden_path(final)
        self.path.mkdir()
        self._descriptor = os.open(self.path / _WRITER, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        self.discarded = False
        try_lock(self._descriptor)

    def take_place(self) -> None:
        """Become the final folder, which is not there or empty; all files in it are stored."""
        with folder_lock(self.path):
            remove_dead_parts(self.path)
        os.unlink(self.path / _WRITER)
        sync_folder(self.path)
        os.replace(self.path, self.final)
        sync_folder(self.final.parent)

    def discard(self) -> None:
        """Remove what has not taken its place."""
        self.discarded = True
        shutil.rmtree(self.path, ignore_errors=True)

    def release(self) -> None:
        """Free the lock."""
        os.close(self._descriptor)


class KeptFolder(UnfinishedFolder):
    """An unfinished folder under a name of its own, left to its next writer where it has not taken its place."""

    def __init__(self, final: Path, said: str | Path, path: Path) -> None:
        self.final = final
        self.said = said
        self.path = path
        self.discarded = False
        self.path.mkdir(exist_ok=True)
        self._descriptor = os.open(self.path / _WRITER, os.O_WRONLY | os.O_CREAT, 0o600)
        if try_lock(self._descriptor) is False:
            os.close(self._descriptor)
            raise FileError(f"{path} is written by another process", "wait until it has ended, or write elsewhere")

    def discard(self) -> None:
        """Leave what there is; a folder that holds nothing goes."""
        self.discarded = True
        if os.listdir(self.path) == [_WRITER]:
            shutil.rmtree(self.path, ignore_errors=True)


def hidden_path(final: Path) -> Path:
    """Where a file or folder is written before it takes its place."""
    return final.with_name(f".{name_start(final.name)}.discriminant-{secrets.token_hex(6)}.part")


def name_start(name: str) -> str:
    """The beginning of a name, as much as a hidden name has room for."""
    return os.fsencode(name)[:_LONGEST_START].decode(errors="ignore")


def remove_dead_parts(folder: Path) -> None:
    """Remove the parts whose writers have died; the folder is locked."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        dead = [entry.path for entry in entries if PART.fullmatch(entry.name) and _is_dead(entry)]
        for path in dead:
            if os.path.isdir(path):
                shutil.rmtree(path, ignore_errors=True)
                continue
            with contextlib.suppress(OSError):
                os.unlink(path)


def _is_dead(entry: os.DirEntry[str]) -> bool:
    try:
        if entry.is_symlink() or not (entry.is_file() or entry.is_dir()):
            return False
        descriptor = os.open(Path(entry.path, _WRITER) if entry.is_dir() else entry.path, os.O_RDONLY)
    except FileNotFoundError:
        return True  # of a folder whose writer was about to rename it
    except OSError:
        return False
    try:
        return try_lock(descriptor) is True
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Make new names outlive a power cut, where folders can be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """One writer in a folder at a time."""
    try:
        descriptor = None if fcntl is None else os.open(folder, os.O_RDONLY)
    except PermissionError:  # of a folder that may be written to and not be read
        descriptor = None
    try:
        if descriptor is not None:
            _wait(descriptor, folder)
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


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
