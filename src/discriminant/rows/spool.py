"""Rows of any source as an array on disk, for methods that go back to single rows.

One pass writes the rows to temporary files, which are then mapped into memory: every method works on them as it does on
arrays. Reading them again costs a copy at most, where decoding costs several times that. A file has no name from the
moment it is made, so that its space is free again as soon as nobody uses it, however that comes: a release, a fault,
Ctrl-C, or the end of the process.
"""

import errno
import logging
import mmap
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse

from discriminant.memory import readable_size
from discriminant.rows.labels import code_labels
from discriminant.rows.map_pages import give_pages_back, map_under
from discriminant.rows.matrix import c_ordered
from discriminant.rows.memory import ArrayRows
from discriminant.rows.protocol import Rows, ended

logger = logging.getLogger(__name__)

_PIECE = 1 << 20  # numbers rewritten at a time
_UNPACKED = 4  # times as many bytes as a file that is compressed or written in few digits, at most as a rule
_MOST_INT32 = 2**31 - 1
_SECONDS = 0.002  # between two times that pages are given back: at 25 GB a second, 50 MB come in between
_SMALL_MAP = 1 << 28  # bytes that are left alone
_IN_MEMORY = {"tmpfs", "ramfs"}  # filesystems on which a spool would take memory after all


class NoRoom(OSError):
    """There is too little space on disk for the rows."""


class SpooledRows:
    """Rows on disk: ``rows`` is an `ArrayRows` of memory maps, ``n_bytes`` what they take in ``folder``.

    Parameters
    ----------
    rows : ArrayRows
        The rows, on memory maps.
    folder : path
        Where the files are.
    n_bytes : int
        What they take.

    Examples
    --------
    >>> from discriminant import rows
    >>> source = rows.from_batches([([[0.0], [1.0]], [0, 0]), ([[3.0]], [1])])
    >>> with rows.spooled(source) as spool:
    ...     spool.rows.matrix.tolist()
    [[0.0], [1.0], [3.0]]
    """

    def __init__(self, rows: ArrayRows, folder: Path, n_bytes: int) -> None:
        self._rows: ArrayRows | None = rows
        self.folder = folder
        self.n_bytes = n_bytes

    @property
    def rows(self) -> ArrayRows:
        """The rows, until they are released."""
        if self._rows is None:
            raise ValueError("the spool has been released; spool the source again")
        return self._rows

    def release(self) -> None:
        """Let go of the rows; their space is free once nobody else holds them."""
        self._rows = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def spooled(rows: Rows, folder: str | os.PathLike[str] | None = None) -> SpooledRows:
    """The rows of a source on disk, in one pass.

    Parameters
    ----------
    rows : Rows
        Any source.
    folder : path or None
        Where to write; None chooses a temporary folder with room (``TMPDIR`` names the first that is tried).

    Returns
    -------
    SpooledRows
        The rows as memory maps; their space is free again when nothing refers to them any more.

    Examples
    --------
    >>> from discriminant import LogisticRegression, rows
    >>> source = rows.from_batches([([[0.0], [1.0], [2.0]], [0, 1, 0]), ([[3.0], [0.5]], [1, 0])])
    >>> with rows.spooled(source) as spool:
    ...     model = LogisticRegression().fit(spool.rows)
    >>> model.predict([[0.1], [3.0]]).tolist()
    [0, 1]
    """
    name = getattr(rows, "name", "the source of rows")
    needed = _expected_bytes(rows)
    place = _chosen_folder(needed, name) if folder is None else _checked_folder(Path(folder), needed, name)
    with ExitStack() as files, _named_full_disk(place, name):
        writer = _Writer(place, files)
        with ended(rows.batches()) as blocks:
            for block in blocks:
                block.refuse_non_finite()
                writer.add(block)
        if writer.n_rows == 0:
            raise ValueError(f"Found array with 0 sample(s): {name} has no row")
        whole = writer.finish()
    logger.info("%d rows of %s were spooled to %s: %s", whole.n_rows, name, place, readable_size(writer.n_bytes))
    return SpooledRows(whole, place, writer.n_bytes)


def has_room(rows: Rows) -> bool:
    """Whether some temporary folder on a disk has room for the rows; where their number is not known, for some."""
    needed = _expected_bytes(rows) or _UNPACKED * getattr(rows, "n_bytes", 0)
    return any(not _is_in_memory(folder) and shutil.disk_usage(folder).free >= needed for folder in _folders())


# --- where ----------------------------------------------------------------------------------------------


def _expected_bytes(rows: Rows) -> int:
    """What the rows will take, where it is known before they are read: 8 bytes a number and a code for each row."""
    schema = rows.schema
    return 0 if schema.n_rows is None else schema.n_rows * (8 * schema.n_columns + 4)


def _chosen_folder(needed: int, name: str) -> Path:
    """The temporary folder, or another where that has no room or is itself in memory."""
    folders = _folders()
    on_disk = [folder for folder in folders if not _is_in_memory(folder)] or folders
    with_room = (folder for folder in on_disk if shutil.disk_usage(folder).free >= needed)
    return next(with_room, None) or _checked_folder(on_disk[0], needed, name)


def _folders() -> list[Path]:
    return [Path(tempfile.gettempdir()), *(p for p in (Path("/var/tmp"),) if os.access(p, os.W_OK))]


def _checked_folder(folder: Path, needed: int, name: str) -> Path:
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder for a spool; make it, or name another", folder)
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise NoRoom(
            errno.ENOSPC,
            f"the rows of {name} take {readable_size(needed)} on disk, and {folder} has {readable_size(free)} free; "
            "name a folder with room by spool=, or take a learner that reads rows once",
        )
    return folder


def _is_in_memory(folder: Path) -> bool:
    """Whether a folder is on a filesystem that is kept in memory; where nobody tells, it is not."""
    try:
        mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    except OSError:
        return False
    above = {str(folder.resolve()), *map(str, folder.resolve().parents)}
    kinds = {fields[1]: fields[2] for fields in mounts if len(fields) > 2 and fields[1] in above}
    return bool(kinds) and kinds[max(kinds, key=len)] in _IN_MEMORY


@contextmanager
def _named_full_disk(folder: Path, name: str) -> Iterator[None]:
    try:
        yield
    except NoRoom:
        raise
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        raise NoRoom(
            error.errno,
            f"{folder} is full before all rows of {name} were on disk; what was written is removed; name a folder "
            "with room by spool=",
        ) from error


# --- writing --------------------------------------------------------------------------------------------


class _Column:
    """Numbers of one type in a temporary file, which grows."""

    def __init__(self, folder: Path, files: ExitStack, dtype: DTypeLike) -> None:
        self._file: Any = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed with all others
        files.callback(self._file.close)
        self.dtype = np.dtype(dtype)
        self.size = 0

    def append(self, values: NDArray[Any]) -> None:
        numbers = np.ascontiguousarray(values, dtype=self.dtype)
        if numbers.size:
            self._file.write(numbers.data.cast("B"))
        self.size += numbers.size

    def mapped(self, *shape: int) -> NDArray[Any]:
        """All numbers, read-only; the map keeps the file."""
        self._file.flush()
        if not self.size:
            return np.empty(shape, dtype=self.dtype)
        return np.memmap(self._file, dtype=self.dtype, mode="r", shape=shape)

    def rewrite(self, table: NDArray[Any]) -> None:
        """Every number x becomes table[x]."""
        self._file.flush()
        numbers = np.memmap(self._file, dtype=self.dtype, mode="r+", shape=(self.size,))
        for a in range(0, self.size, _PIECE):
            numbers[a : a + _PIECE] = table[numbers[a : a + _PIECE]]

    @property
    def n_bytes(self) -> int:
        return self.size * self.dtype.itemsize


class _Writer:
    """The columns of a spool while it is written: numbers (dense, or CSR's three arrays), codes, weights, ids."""

    def __init__(self, folder: Path, files: ExitStack) -> None:
        self._folder, self._files = folder, files
        self._columns: dict[str, _Column] = {}
        self._code_of: dict[Any, int] = {}
        self._classes: NDArray[Any] | None = None  # of all blocks so far, in order
        self._names: tuple[str, ...] | None = None
        self._n_columns = 0
        self.n_rows = 0

    @property
    def n_bytes(self) -> int:
        return sum(column.n_bytes for column in self._columns.values())

    def _column(self, name: str, dtype: DTypeLike) -> _Column:
        if name not in self._columns:
            self._columns[name] = _Column(self._folder, self._files, dtype)
        return self._columns[name]

    def add(self, block: ArrayRows) -> None:
        """Write one more block."""
        self._names, self._n_columns = block.names, block.n_columns
        if sparse.issparse(block.matrix):
            self._add_sparse(block.matrix)
        else:
            self._column("matrix", np.float64).append(c_ordered(block.matrix))
        self._column("codes", np.int32).append(self._codes_of(block))
        expected = np.arange(self.n_rows, self.n_rows + block.n_rows)
        if "numbers" in self._columns or not np.array_equal(block.numbers, expected):
            self._add_late("numbers", np.intp, block.numbers, np.arange)
        if "weight" in self._columns or block.weight is not None:
            self._add_late("weight", np.float64, block.weights, lambda a, b: np.ones(b - a))
        if block.row_ids is not None:
            self._column("ids", np.int64).append(block.row_ids)
        self.n_rows += block.n_rows

    def _add_late(self, name: str, dtype: DTypeLike, values: NDArray[Any], before: Any) -> None:
        """Values of a column that the first blocks did not need: theirs are ``before(start, stop)``."""
        column = self._column(name, dtype)
        while column.size < self.n_rows:
            column.append(before(column.size, min(column.size + _PIECE, self.n_rows)))
        column.append(values)

    def _add_sparse(self, matrix: Any) -> None:
        ends = self._column("ends", np.int64)
        stored = self._column("data", np.float64)
        if not ends.size:
            ends.append(np.zeros(1, dtype=np.int64))
        ends.append(matrix.indptr[1:].astype(np.int64) + stored.size)
        stored.append(matrix.data)
        self._column("indices", np.int32).append(matrix.indices)

    def _codes_of(self, block: ArrayRows) -> NDArray[np.int32]:
        """Codes among the classes in the order in which they came."""
        for label in block.classes.tolist():
            self._code_of.setdefault(label, len(self._code_of))
        self._classes = block.classes if self._classes is None else _all_classes(self._classes, block.classes)
        codes = np.array([self._code_of[label] for label in block.classes.tolist()], dtype=np.int32)
        return np.asarray(codes[block.codes])

    def finish(self) -> ArrayRows:
        """All rows, mapped, with their classes in order."""
        assert self._classes is not None
        classes = self._classes
        table = np.empty(len(self._code_of), dtype=np.int32)
        for code, label in enumerate(classes.tolist()):
            table[self._code_of[label]] = code
        if not np.array_equal(table, np.arange(table.size)):
            self._columns["codes"].rewrite(table)
        row = {
            name: column.mapped(self.n_rows)
            for name, column in self._columns.items()
            if name in ("codes", "numbers", "weight", "ids")
        }
        dense = self._columns.get("matrix")
        matrix = self._csr() if dense is None else dense.mapped(self.n_rows, self._n_columns)
        return ArrayRows(
            matrix, classes, row["codes"], row.get("weight"), self._names, row.get("numbers"), row.get("ids")
        )

    def _csr(self) -> Any:
        """CSR's arrays must share a type of indices; with more values than 32 bits count, the indices are widened."""
        stored, ends, indices = (self._columns[name] for name in ("data", "ends", "indices"))
        if stored.size > _MOST_INT32:
            narrow, indices = indices.mapped(stored.size), self._column("wide indices", np.int64)
            for a in range(0, stored.size, _PIECE):
                indices.append(narrow[a : a + _PIECE])
            del self._columns["indices"]
        parts = stored.mapped(stored.size), indices.mapped(stored.size), ends.mapped(self.n_rows + 1)
        return sparse.csr_array(parts, shape=(self.n_rows, self._n_columns))


def _all_classes(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """The classes of both, in order."""
    return a if a.dtype == b.dtype and np.array_equal(a, b) else code_labels(np.concatenate([a, b]))[0]


# --- reading --------------------------------------------------------------------------------------------


@contextmanager
def few_pages_resident(rows: ArrayRows) -> Iterator[None]:
    """Give back the pages of the maps under the rows while a method reads them in order.

    The system counts every page that was touched as memory of the process until something else needs it. Such a method
    needs few at a time; in the next pass they come from the system's own cache of the file.

    >>> from discriminant import rows
    >>> with few_pages_resident(rows.from_arrays([[1.0], [2.0]], [0, 1])):
    ...     pass  # no map: nothing to give back
    """
    maps = maps_of(rows)
    if sum(map(len, maps)) < _SMALL_MAP:
        yield
        return
    done = Event()
    helper = Thread(target=_keep_giving_back, args=(maps, done), name="spool-pages", daemon=True)
    helper.start()
    try:
        yield
    finally:
        done.set()
        helper.join()


def maps_of(rows: ArrayRows) -> list[mmap.mmap]:
    """Every file map that an array of the rows lies on."""
    matrix = rows.matrix
    parts = (matrix.data, matrix.indices, matrix.indptr) if sparse.issparse(matrix) else (matrix,)
    arrays = (*parts, rows.codes, rows.weight, rows.row_numbers, rows.row_ids)
    found = {id(m): m for m in map(map_under, arrays) if m is not None}
    return list(found.values())


def _keep_giving_back(maps: list[mmap.mmap], done: Event) -> None:
    while not done.wait(_SECONDS):
        for pages in maps:
            give_pages_back(pages)
