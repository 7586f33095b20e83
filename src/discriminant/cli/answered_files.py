"""Answers to a table of several files, each decided wherever an engine reads it, and kept where a run may be resumed.

part-00003-00001.parquet    answers to the fourth file, its second million rows
part-00003.json             what was counted of the fourth file, written when all its answers are; while resumable
key.txt                     of which files, model and options the answers are; while resumable
"""

import contextlib
import hashlib
import json
import operator
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from discriminant.cli.answers import Answers
from discriminant.cli.engines import TableFile, files_of, number_rows
from discriminant.cli.models import NewRowsDiffer
from discriminant.model.new_data import NewData
from discriminant.table.errors import FileError
from discriminant.table.partitions import PartFiles, refuse_filled, write_empty
from discriminant.table.reading.batch import SkippedRows
from discriminant.table.saving import atomic_folder, atomic_write_text

_KEY = "key.txt"


@dataclass(frozen=True, eq=False)
class AnsweredFiles:
    """What is known of some files once their answers are written; it adds up."""

    counts: Any
    seen: NewData
    skipped: SkippedRows
    files: tuple[str, ...]

    def __add__(self, other: "AnsweredFiles") -> "AnsweredFiles":
        return AnsweredFiles(
            self.counts + other.counts, self.seen + other.seen, self.skipped + other.skipped, self.files + other.files
        )


def answer_files(
    answers: Answers, source: Any, folder: "UnfinishedAnswers", rows_each: int, engine: Any
) -> AnsweredFiles:
    """Write the answers to all files of a table into a folder, which the engine must see as this process does."""
    files = number_rows(files_of(source, folder.resumable), engine)
    found: AnsweredFiles = engine.fold(
        files, AnswerFile(answers, folder.path, rows_each, folder.resumable), operator.add
    )
    if any(not (folder.path / name).exists() for name in found.files):
        raise FileError(
            f"{folder.final}: answers were written where this machine does not see them",
            "name a folder that the cluster shares with it",
        )
    return found


@dataclass(frozen=True)
class AnswerFile:
    """Decides the rows of one file; where that is ``kept``, what was counted is read if it has been done before."""

    answers: Answers
    folder: Path
    rows_each: int
    kept: bool

    def __call__(self, file: TableFile) -> AnsweredFiles:
        """Its answers, in files of so many rows each."""
        name = f"part-{file.place:05d}"
        record = self.folder / f"{name}.json"
        found = _read_record(record, self.answers.model) if self.kept else None
        if found is None:
            found = self._write(file, name)
            if self.kept:
                atomic_write_text(record, _record_of(found))
        return found

    def _write(self, file: TableFile, name: str) -> AnsweredFiles:
        seen = NewData(self.answers.model)
        with PartFiles(self.folder, self.answers.names, self.rows_each, name) as writer:
            counts = self.answers.write(file.source, seen, writer, file.first_row)
        return AnsweredFiles(counts, seen, file.source.own_skipped(), tuple(writer.written))


def _record_of(found: AnsweredFiles) -> str:
    document = {
        "counts": found.counts.tolist(),
        "seen": found.seen.state(),
        "skipped": [found.skipped.rows, found.skipped.total],
        "files": found.files,
    }
    return json.dumps(document)


def _read_record(path: Path, model: Any) -> AnsweredFiles | None:
    """What was counted of a file whose answers are all there; None where it is to be decided (again)."""
    try:
        document = json.loads(path.read_bytes())
        skipped, total = document["skipped"]
        found = AnsweredFiles(
            np.array(document["counts"], dtype=np.int64),
            NewData.of_state(model, document["seen"]),
            SkippedRows([(str(file), int(line), str(what)) for file, line, what in skipped], int(total)),
            tuple(map(str, document["files"])),
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None
    return found if all((path.parent / name).is_file() for name in found.files) else None


def answers_key(source: Any, model: Path, asked: Sequence[Any]) -> str:
    """A hash of everything that the answers depend on."""
    told = [version("discriminant"), hashlib.sha256(model.read_bytes()).hexdigest(), source.fingerprint(), asked]
    return hashlib.sha256(json.dumps(told, default=str).encode()).hexdigest()


class UnfinishedAnswers:
    """A folder of answers on its way; with a ``key`` it stays where the run ends before all are there.

    It is the folder ``OUT.unfinished`` then, and counts for answers with the same key alone.
    """

    def __init__(self, out: str, key: str | None) -> None:
        refuse_filled(out)
        self.final = Path(os.path.abspath(out))
        self.resumable = key is not None
        self._key = key
        kept = self.final.with_name(self.final.name + ".unfinished") if self.resumable else None
        self._whole = contextlib.ExitStack()
        self._folder = atomic_folder(out, kept)

    def __enter__(self) -> Self:
        self.path = Path(os.path.abspath(self._whole.enter_context(self._folder)))
        with contextlib.ExitStack() as on_failure:
            on_failure.push(self._whole)
            if self._key is not None:
                self._begin(self._key)
            on_failure.pop_all()
        return self

    def _begin(self, key: str) -> None:
        place = self.path / _KEY
        before = place.read_text(errors="replace") if place.exists() else None
        if before != key:
            if before is not None:
                sys.stderr.write(f"discriminant: {self.path} is of other files or options; starting anew\n")
            self._keep_only(())
            atomic_write_text(place, key)

    def complete(self, files: Sequence[str], names: Sequence[str]) -> None:
        """All answers are there, in these files: what is kept for resuming alone goes, and what was given up."""
        self._keep_only(files)
        if not files:
            write_empty(self.path, names)

    def _keep_only(self, files: Sequence[str]) -> None:
        for entry in list(self.path.iterdir()):
            ours = entry.name == _KEY or entry.name.startswith("part-")
            if ours and entry.name not in files:
                entry.unlink()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        refused = isinstance(error, NewRowsDiffer)  # as they will be again
        if error is not None and not refused and self.resumable and any(self.path.glob("part-*.json")):
            error.add_note(f"what was done is kept in {self.path}: the same command goes on from it")
        self._whole.__exit__(kind, error, trace)
