"""The journal of a folder: what several files that belong together are about to be called.

All parts are complete before the journal takes its name, in one rename. Before that rename nothing has happened; after
it everything has, and what is left to do (renames, and the removal of files that were replaced) can be done by anyone,
any number of times. The journal goes last.
"""

import contextlib
import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discriminant.table.saving.parts import PART, UnfinishedFile, name_start, sync_folder

NAME = ".discriminant-journal"
_FORMAT = "discriminant journal"
_MOST_BYTES = 1 << 20
_REMOVABLE = re.compile(r"[^/\\]+\.[0-9a-f]{8}\.safetensors")  # arrays of a model that was replaced


@dataclass(frozen=True)
class Journal:
    """What is to be done: part -> final name, and names to remove, all of one folder."""

    renames: dict[str, str]
    removals: tuple[str, ...]


def is_pending(folder: Path) -> bool:
    """Whether something decided is still to be done; also where this cannot be found out."""
    try:
        os.lstat(folder / NAME)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def decide(folder: Path, parts: Sequence[UnfinishedFile], removals: Sequence[str]) -> None:
    """Write the journal: with its rename the parts are the files."""
    renames = {part.path.name: part.final.name for part in parts}
    document = {"format": _FORMAT, "rename": renames, "remove": list(removals)}
    journal = UnfinishedFile(folder / NAME, folder)
    try:
        journal.file.write(json.dumps(document).encode())
        journal.complete()
        sync_folder(folder)  # the names of the parts must be stored before the journal's
        os.replace(journal.path, journal.final)
    except BaseException:
        journal.discard()
        raise
    finally:
        journal.release()
    sync_folder(folder)


def finish(folder: Path) -> None:
    """Do what the journal of a folder says, if it has one; the folder is locked."""
    if not is_pending(folder):
        return
    journal = read_journal(folder)
    for part, final in journal.renames.items():
        with contextlib.suppress(FileNotFoundError):  # renamed before
            os.replace(folder / part, folder / final)
    sync_folder(folder)
    for name in (*journal.removals, NAME):  # a journal that cannot be removed now names parts that are gone: no harm
        with contextlib.suppress(OSError):
            os.unlink(folder / name)


def withdraw(folder: Path, parts: Sequence[UnfinishedFile]) -> bool:
    """Take back a decision of which nothing could be carried out; whether nothing is decided any more."""
    if is_pending(folder) and all(os.path.lexists(part.path) for part in parts):
        with contextlib.suppress(OSError):
            os.unlink(folder / NAME)
    return not is_pending(folder)


def read_journal(folder: Path) -> Journal:
    """The journal of a folder; an empty one where there is none, or where it says what we never write."""
    try:
        with open(folder / NAME, "rb") as file:
            document = json.loads(file.read(_MOST_BYTES))
    except (FileNotFoundError, NotADirectoryError, ValueError, RecursionError):
        return Journal({}, ())
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        return Journal({}, ())
    renames, removals = document.get("rename"), document.get("remove")
    return Journal(
        {part: final for part, final in _items(renames) if _is_part_of(part, final)},
        tuple(name for name in _texts(removals) if _REMOVABLE.fullmatch(name)),
    )


def _items(value: Any) -> list[tuple[str, str]]:
    return [(k, v) for k, v in value.items() if isinstance(v, str)] if isinstance(value, dict) else []


def _texts(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _is_part_of(part: str, final: str) -> bool:
    """Whether these are names in one folder that belong to each other."""
    match = PART.fullmatch(part)
    plain = "/" not in part + final and "\\" not in part + final and "\0" not in part + final
    return match is not None and plain and match["start"] == name_start(final)
