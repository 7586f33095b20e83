"""Where a command writes: never over what it reads."""

import contextlib
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from discriminant.table.errors import OptionError

AnyPath = str | Path
_Identity = tuple[int, int]  # device and number of a file, the same by whatever path or link


def refuse_inputs(outputs: Sequence[AnyPath], inputs: Sequence[AnyPath | None]) -> None:
    """Refuse to write over a file that is read; "-" is standard output, or standard input."""
    read = {_identity(path, sys.stdin): path for path in inputs if path is not None}
    read.pop(None, None)
    for out in outputs:
        identity = _identity(out, sys.stdout)
        if identity in read:
            name = "standard output" if out == "-" else str(out)
            own = "standard input" if read[identity] == "-" else str(read[identity])
            same = "is" if own == name else f"is the same file as {own}, which is"
            raise OptionError(f"{name} {same} read by this command", hint="write to another file")


def refuse_twice(outputs: Sequence[AnyPath]) -> None:
    """Refuse to write two things to one file."""
    seen: dict[Any, AnyPath] = {}
    for out in outputs:
        where = _identity(out, sys.stdout) or os.path.realpath(out)
        if where in seen:
            raise OptionError(f"{out} and {seen[where]} are one file", hint="name two")
        seen[where] = out


@contextlib.contextmanager
def output_folder(folder: Path) -> Iterator[None]:
    """The folder to write in, made if need be; where the block raises, a new one goes again if it is still empty."""
    try:
        os.stat(folder)  # raises for a link to itself, or a name that is too long
        new = []
    except FileNotFoundError:
        new = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        for each in new:
            with contextlib.suppress(OSError):
                each.rmdir()
        raise


def model_inputs(path: Path) -> list[Path]:
    """The file a model is read from: its own, or the one in the folder of a run."""
    return [path / "model.json"] if path.is_dir() else [path]


def _identity(path: AnyPath, stream: Any) -> _Identity | None:
    """What tells a regular file from others; None for anything else, such as a terminal, and for what is not there."""
    try:
        found = os.fstat(stream.fileno()) if path == "-" else os.stat(path)
    except (OSError, ValueError, AttributeError):  # a stream may be closed, or of Python's own
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None
