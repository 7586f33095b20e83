"""Runs that were interrupted: what their passes had found is kept beside the output until the run is done.

    OUT.unfinished/    written when a table larger than memory has been read, and removed when the run is done

It counts only for the same files (by name, size and time of change), the same options and the same version.
"""

import contextlib
import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

_HOW = ("out", "json", "held_out", "test", "gain", "learners", "cv")  # options that no pass depends on


@dataclass(frozen=True)
class SavedRun:
    """Where an unfinished run keeps what it has found; ``resume`` says that it may be taken up."""

    folder: Path
    resume: bool

    def load(self, options: Any, source: Any) -> Any:
        """What the passes had found, or None; a person who asked to resume is told why nothing is."""
        from discriminant.study.saved_passes import load_passes

        if not self.resume:
            return None
        found = load_passes(self.folder, key_of(options, source))
        if found is None:
            there = "is damaged, or of other files or options" if self._is_kept() else "holds no finished pass"
            sys.stderr.write(f"discriminant: nothing to resume: {self.folder} {there}; starting anew\n")
        return found

    def save(self, options: Any, source: Any, coding: Any, found: Any, notes: dict[str, Any]) -> None:
        """Keep what was found; a run goes on where there is no room for it."""
        from discriminant.study.saved_passes import save_passes

        try:
            save_passes(self.folder, key_of(options, source), coding, found, notes)
        except OSError as error:
            self.remove()
            sys.stderr.write(
                f"discriminant: {self.folder} could not be written ({error.strerror}); this run cannot be resumed\n"
            )

    def remove(self) -> None:
        """The run is done, or cannot be resumed."""
        if self.folder.exists():
            from discriminant.study.saved_passes import remove_passes

            remove_passes(self.folder)

    def _is_kept(self) -> bool:
        if not self.folder.exists():
            return False
        from discriminant.study.saved_passes import has_passes

        return has_passes(self.folder)

    @contextlib.contextmanager
    def kept_on_failure(self) -> Iterator[None]:
        """Removed at the end; where the block fails, the message says that the run can go on."""
        try:
            yield
        except BaseException as error:
            if self._is_kept():
                error.add_note(
                    f"what was read is kept in {self.folder}: the same command with --resume goes on from it"
                )
            raise
        self.remove()


def key_of(options: Any, source: Any) -> str:
    """A hash of everything that the passes depend on."""
    asked = {name: value for name, value in vars(options).items() if name not in (*_HOW, "resume")}
    told = [version("discriminant"), asked, source.fingerprint()]
    return hashlib.sha256(json.dumps(told, default=str, sort_keys=True).encode()).hexdigest()
