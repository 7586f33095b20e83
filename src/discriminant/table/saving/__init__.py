"""Files that take their place whole, alone or several together, whatever happens to the process that writes them.

Each is written under a hidden name beside its own and takes its place when whole.

So a kill, a full disk or an error at any moment leaves under the final name what was there before, or nothing. Files
that belong together take their places together: `open_committed` reads all of the old ones or all of the new.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from discriminant.table.errors import FileError
from discriminant.table.saving import journal
from discriminant.table.saving.parts import (
    KeptFolder,
    UnfinishedFile,
    UnfinishedFolder,
    folder_lock,
    remove_dead_parts,
    sync_folder,
)

_recorded: ContextVar[list[UnfinishedFile | UnfinishedFolder] | None] = ContextVar("recorded", default=None)


@dataclass(frozen=True)
class NewFile:
    """A file to write, and which files beside it go when it takes its place (asked when no other writer can)."""

    path: Path
    content: bytes
    replaced: Callable[[], Sequence[str]] = tuple


@contextlib.contextmanager
def recording() -> Iterator[Callable[[], list[str]]]:
    """A function that says which files have taken their places since the block began, found on the disk itself."""
    parts: list[UnfinishedFile | UnfinishedFolder] = []
    token = _recorded.set(parts)
    try:
        yield lambda: [str(part.said) for part in parts if _has_taken_place(part)]
    finally:
        _recorded.reset(token)


def atomic_write_text(path: str | Path, text: str) -> None:
    """Write a text file, all or nothing."""
    atomic_write_bytes(path, text.encode())


def atomic_write_bytes(path: str | Path, content: bytes) -> None:
    """Write a file, all or nothing."""
    with atomic_file(path) as file:
        file.write(content)


@contextlib.contextmanager
def atomic_file(path: str | Path) -> Iterator[IO[bytes]]:
    """A file to write to that takes the place of ``path`` when the block ends, and vanishes if it raises."""
    with named_errors(path):
        device = _is_device(path)
        part = None if device else _new_part(path)
    if part is None:
        with named_errors(path), open(path, "wb") as file:
            yield file
        return
    with _in_the_end([part]):
        with named_errors(path):
            yield part.file
            part.complete()
        _commit([part])


@contextlib.contextmanager
def atomic_folder(path: str | Path, kept: Path | None = None) -> Iterator[Path]:
    """A folder to write in that takes the place of ``path`` when the block ends, and vanishes if it raises.

    There may be no folder of that name, or an empty one. Under a name where it is ``kept`` it stays with what is in it,
    for another such block to go on.
    """
    final = Path(os.path.realpath(path))  # a link to a folder stays one
    with named_errors(path):
        final.parent.mkdir(parents=True, exist_ok=True)
        with folder_lock(final.parent):
            remove_dead_parts(final.parent)
            part = UnfinishedFolder(final, path) if kept is None else KeptFolder(final, path, kept)
    _record(part)
    try:
        with recording():  # what is in it is not there before it is
            yield part.path
        with named_errors(path), folder_lock(final.parent):
            part.take_place()
    finally:
        if not _has_taken_place(part):
            part.discard()
        part.release()


def write_together(files: Sequence[NewFile]) -> None:
    """Write files; those that stand in one folder take their places together, or none of them does.

    Devices, and files that stand elsewhere or are links to elsewhere, cannot: all are complete before the first of
    them takes its place, in the order given.
    """
    parts: list[UnfinishedFile] = []
    devices: list[NewFile] = []
    with _in_the_end(parts):
        for file in files:
            with named_errors(file.path):
                if _is_device(file.path):
                    devices.append(file)
                    continue
                parts.append(_new_part(file.path))
                parts[-1].file.write(file.content)
                parts[-1].complete()
        for folder in dict.fromkeys(part.final.parent for part in parts):
            beside = [file for file in files if Path(os.path.realpath(file.path.parent)) == folder]
            _commit(
                [part for part in parts if part.final.parent == folder],
                lambda beside=beside: [name for file in beside for name in file.replaced()],  # type: ignore[misc]
            )
    for file in devices:
        with named_errors(file.path), open(file.path, "wb") as device:
            device.write(file.content)


def refuse_unwritable(path: str | Path) -> None:
    """Raise now, before any work, what writing this file would raise."""
    with named_errors(path):
        if not _is_device(path):
            part = _new_part(path)
            part.discard()
            part.release()


def open_committed(path: Path) -> IO[bytes]:
    """Open a file for reading as its last writer decided, even if the writer died before it took its name."""
    final = Path(os.path.realpath(path))
    if not journal.is_pending(final.parent):
        return open(path, "rb")
    with contextlib.suppress(OSError, FileError), folder_lock(final.parent):  # as far as this reader may write
        journal.finish(final.parent)
    for part, name in journal.read_journal(final.parent).renames.items():
        if name == final.name:
            with contextlib.suppress(FileNotFoundError):
                return open(final.with_name(part), "rb")
    return open(path, "rb")


@contextlib.contextmanager
def named_errors(path: str | Path) -> Iterator[None]:
    """Errors of the system, in one line that names the file."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        why = error.strerror or str(error)
        hint = "make room, or write somewhere else" if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) else ""
        raise FileError(f"{path} could not be written: {why}", hint) from error


def _is_device(path: str | Path) -> bool:
    """Whether the name is taken by something that cannot be replaced: a terminal, a pipe, /dev/null."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return not stat.S_ISREG(mode)


def _new_part(path: str | Path) -> UnfinishedFile:
    """A part of the file that a path names, after what earlier deaths left in the folder is finished or gone."""
    final = Path(os.path.realpath(path))
    with folder_lock(final.parent):
        journal.finish(final.parent)
        remove_dead_parts(final.parent)
        part = UnfinishedFile(final, path)
    _record(part)
    return part


def _record(part: UnfinishedFile | UnfinishedFolder) -> None:
    recorded = _recorded.get()
    if recorded is not None:
        recorded.append(part)


@contextlib.contextmanager
def _in_the_end(parts: list[UnfinishedFile]) -> Iterator[None]:
    """Remove the parts that have not taken their places."""
    try:
        yield
    finally:
        for part in parts:
            if not _has_taken_place(part):
                part.discard()
            part.release()


def _has_taken_place(part: UnfinishedFile | UnfinishedFolder) -> bool:
    """Whether a part was renamed, or it is decided that it will be: whoever reads or writes here next does it."""
    renamed = not os.path.lexists(part.path)
    return not part.discarded and (renamed or journal.is_pending(part.final.parent))


def _commit(parts: Sequence[UnfinishedFile], replaced: Callable[[], Sequence[str]] = tuple) -> None:
    """Let complete parts take their places in their folder, as one."""
    folder = parts[0].final.parent
    with named_errors(parts[0].said), folder_lock(folder):
        journal.finish(folder)
        removals = [name for name in replaced() if name not in {part.final.name for part in parts}]
        if len(parts) == 1 and not removals:
            os.replace(parts[0].path, parts[0].final)
            sync_folder(folder)
            return
        try:
            journal.decide(folder, parts, removals)
            journal.finish(folder)
        except BaseException as error:
            if journal.is_pending(folder):
                _finish_again(folder, parts)
            if not isinstance(error, OSError) or any(os.path.lexists(part.path) for part in parts):
                raise


def _finish_again(folder: Path, parts: Sequence[UnfinishedFile]) -> None:
    """Carry out what was decided after an interrupt or a passing fault; where nothing can be, take it back."""
    try:
        journal.finish(folder)
    except OSError:
        if not journal.withdraw(folder, parts):
            raise
