"""A table out as a folder of Parquet files, so many rows each: all of them or none."""

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import pyarrow as pa

from discriminant.table.errors import OptionError
from discriminant.table.saving import atomic_folder
from discriminant.table.writing import TableWriter

ROWS_EACH = 1_000_000


def names_folder(path: str) -> bool:
    """Whether an output is a folder: it ends like one, or is one."""
    return path.endswith(("/", os.sep)) or (path != "-" and os.path.isdir(path))


def refuse_filled(path: str | Path) -> None:
    """Refuse a folder that has files in it."""
    if os.path.isdir(path) and os.listdir(path):
        raise OptionError(f"{path} holds files already", hint="name a new or an empty folder")


class PartFiles:
    """Takes batches as `TableWriter` does, for files ``NAME-00000.parquet`` and so on in a folder that is there."""

    def __init__(self, folder: Path, names: Sequence[str], rows_each: int = ROWS_EACH, name: str = "part") -> None:
        self.names = tuple(names)
        self.rows = 0
        self.written: list[str] = []
        self._folder = folder
        self._rows_each = rows_each
        self._name = name
        self._part: TableWriter | None = None
        self._open = contextlib.ExitStack()

    def __enter__(self) -> Self:
        return self

    def write(self, batch: pa.RecordBatch) -> None:
        """The next rows; a part ends where it has as many as it may."""
        while batch.num_rows or not self.written:
            if self._part is None:
                self.written.append(f"{self._name}-{len(self.written):05d}.parquet")
                self._part = self._open.enter_context(TableWriter(self._folder / self.written[-1], self.names))
            fitting = batch.slice(0, self._rows_each - self._part.rows)
            self._part.write(fitting)
            self.rows += fitting.num_rows
            batch = batch.slice(fitting.num_rows)
            if self._part.rows >= self._rows_each:
                self._end_part()

    def _end_part(self) -> None:
        self._open.close()
        self._open, self._part = contextlib.ExitStack(), None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.__exit__(kind, error, trace)


class FolderWriter:
    """Takes batches as `TableWriter` does; ``part-00000.parquet`` and so on appear in the folder at the end.

    They are written beside it, under another name, until all rows are there.
    """

    def __init__(self, path: str | Path, names: Sequence[str], rows_each: int = ROWS_EACH) -> None:
        refuse_filled(path)
        self._folder = path
        self._options = (tuple(names), rows_each)
        self._whole = contextlib.ExitStack()

    def __enter__(self) -> Self:
        self._beside = self._whole.enter_context(atomic_folder(self._folder))
        self._parts = PartFiles(self._beside, *self._options)
        return self

    @property
    def rows(self) -> int:
        """How many rows have come."""
        return self._parts.rows

    def write(self, batch: pa.RecordBatch) -> None:
        """The next rows."""
        self._parts.write(batch)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._whole:
            self._parts.__exit__(kind, error, trace)
            if error is not None:
                raise error
            if not self._parts.written:
                write_empty(self._beside, self._parts.names)


def write_empty(folder: Path, names: Sequence[str]) -> None:
    """A table without rows has its columns all the same."""
    with TableWriter(folder / "part-00000.parquet", names):
        pass
