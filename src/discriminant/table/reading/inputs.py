"""Where the bytes of a table come from: files, globs, pipes and standard input, compressed or not.

An input can be opened again and again if it is a file; a pipe is read once, unless its bytes are held in memory.
"""

import contextlib
import errno
import glob
import hashlib
import io
import itertools
import os
import re
import stat
import sys
import weakref
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from discriminant.findings import shown
from discriminant.table.errors import FileError, TableError, nearest_names, too_large

HEAD_BYTES = 1 << 18  # what is looked at before a table is read
STANDARD_INPUT = "standard input"

_COMPRESSIONS = ((b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"BZh", "bz2"), (b"\x04\x22\x4d\x18", "lz4"))
_PIECE = 1 << 20
_LONGEST_SHOWN = 100  # characters of a path, in a message


class Input:
    """One file: its name in messages, the first bytes of what is in it, and its bytes, decompressed."""

    _reading: Any = None  # a weak reference to the file that is being read

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self.path = path
        self.look(HEAD_BYTES)

    def look(self, n: int) -> None:
        """Look at the first n bytes: sets ``head`` (decompressed) and ``head_is_all``."""
        start = self._first(n)
        self.compression = next((kind for magic, kind in _COMPRESSIONS if start.startswith(magic)), None)
        self.head, self.head_is_all = start, len(start) < n
        if self.compression is not None:
            self.head, all_seen = self._decompressed_head(start, n)
            self.head_is_all = self.head_is_all and all_seen

    def _first(self, n: int) -> bytes:
        try:
            with self._open_bytes() as file:
                return bytes(file.read(n))
        except OSError as error:
            raise FileError(f"{self.name}: {error.strerror or error}", "may you read it?") from error

    def _open_bytes(self) -> Any:
        """The bytes as they are stored, for Python to read."""
        return open(self.path, "rb")

    def _open_stored(self) -> Any:
        """The bytes as they are stored, for Arrow to read in any order."""
        return pa.OSFile(str(self.path))  # no memory map: a file cut short while it is read would end the process

    def _decompressed_head(self, start: bytes, n: int) -> tuple[bytes, bool]:
        """Decompress at most n bytes, and say whether these are all there are in ``start``."""
        found = bytearray()
        try:
            with pa.CompressedInputStream(pa.BufferReader(start), self.compression) as stream:
                while piece := stream.read(min(n - len(found), 1 << 12)):
                    found += piece
                return bytes(found), not stream.read(1)
        except OSError as error:
            if self.head_is_all and not found:
                raise self.broken(error) from error
            return bytes(found), False  # the start of a compressed file ends in the middle: what came before is good

    def open(self) -> Any:
        """An Arrow stream of the bytes, decompressed."""
        return self._decompressed(self._open_watched())

    def _open_watched(self) -> Any:
        stored = self._open_stored()
        self._reading = weakref.ref(stored)
        return stored

    def __getstate__(self) -> dict[str, Any]:
        """The state for a process elsewhere, whose own folder is another."""
        return {**self.__dict__, "_reading": None, "path": Path(os.path.abspath(self.path))}

    def begin_pass(self) -> None:
        """Nothing has been read in the pass that begins."""
        self._reading = None

    def bytes_read(self) -> int:
        """How far this pass has come: where the last reader of the file stands, or its end if that reader is gone."""
        if self._reading is None:
            return 0
        stored = self._reading()
        try:
            return self.stored_bytes() if stored is None or stored.closed else int(stored.tell())
        except (OSError, ValueError):  # it was closed meanwhile
            return self.stored_bytes()

    def _decompressed(self, raw: Any) -> Any:
        return raw if self.compression is None else pa.CompressedInputStream(raw, self.compression)

    def open_random(self) -> Any:
        """An Arrow file that can be read in any order."""
        if self.compression is None:
            return self._open_watched()
        with self.open() as stream:
            return pa.BufferReader(stream.read_buffer())

    def has(self, what: bytes, start: int) -> bool:
        """Whether these bytes stand in the stored ones, from a place on."""
        with self._open_bytes() as file:
            file.seek(start)
            before = b""
            for piece in pieces_of(file):
                if what in before + piece[: len(what)] or what in piece:
                    return True
                before = piece[1 - len(what) :] if len(what) > 1 else b""
        return False

    def stored_bytes(self) -> int:
        """The size of the file; 0 where it is not known."""
        return os.path.getsize(self.path)

    def changed_at(self) -> int:
        """When the file was last changed, in nanoseconds; 0 where it is not known."""
        return os.stat(self.path).st_mtime_ns if self.path.exists() else 0

    def hold(self) -> None:
        """Make sure that the bytes can be read again."""

    def add_to(self, digest: Any) -> None:
        """Feed the bytes, as they are stored, to a hash."""
        with self._open_bytes() as file:
            for piece in pieces_of(file):
                digest.update(piece)

    def broken(self, error: Exception) -> TableError:
        """What to say when its bytes cannot be decompressed or read."""
        if isinstance(error, MemoryError):
            return too_large(self.name)
        why = next(iter(str(error).splitlines()), type(error).__name__)
        return FileError(f"{self.name}: {why}", "is the file whole? copy or write it again")


class StoredInput(Input):
    """A file on any filesystem that Arrow can read from."""

    def __init__(self, name: str, path: str, filesystem: Any) -> None:
        self._place = path
        self._filesystem = filesystem
        super().__init__(name, Path(path))

    def _open_bytes(self) -> Any:
        return self._open_stored()

    def _open_stored(self) -> Any:
        return self._filesystem.open_input_file(self._place)

    def stored_bytes(self) -> int:
        """The size of the file; 0 where it is not known."""
        return int(self._filesystem.get_file_info(self._place).size or 0)


class Pipe(Input):
    """Bytes that come once: standard input, a named pipe. They are hashed as they pass."""

    def __init__(self, name: str, stream: BinaryIO) -> None:
        self.name = name
        self._stream = stream
        self._digest = hashlib.sha256()
        self._held: Any = None
        self._state = "fresh"
        self._start = b""
        self.look(HEAD_BYTES)

    def _first(self, n: int) -> bytes:
        self._start += _read_fully(self._stream, n - len(self._start))
        return self._start[:n]

    def open(self) -> Any:
        """An Arrow stream of the bytes, decompressed; the second time only if they are held."""
        if self._held is not None:
            return self._decompressed(pa.BufferReader(self._held))
        if self._state != "fresh":
            raise TableError(f"{self.name} can be read only once", "write it to a file first")
        self._state = "begun"
        return self._decompressed(pa.PythonFile(_HashingStream(self), mode="r"))

    def open_random(self) -> Any:
        """An Arrow file that can be read in any order."""
        self.hold()
        with self.open() as stream:
            return pa.BufferReader(stream.read_buffer())

    def has(self, what: bytes, start: int) -> bool:
        """Whether these bytes stand in the stored ones, which are held, from a place on."""
        return re.compile(re.escape(what)).search(self._all(), start) is not None

    def stored_bytes(self) -> int:
        """Always 0: how many bytes will come is not known."""
        return 0

    def hold(self) -> None:
        """Read all into memory."""
        if self._held is None:
            if self._state != "fresh":
                raise TableError(f"{self.name} can be read only once", "write it to a file first")
            self._held = arrow_buffer(itertools.chain([self._start], pieces_of(self._stream)))
            self._let_go()

    def _all(self) -> Any:
        self.hold()
        return memoryview(self._held)

    def add_to(self, digest: Any) -> None:
        """Feed all bytes to a hash, which holds them in memory."""
        digest.update(self._all())

    def passed(self) -> str:
        """SHA-256 of the bytes, all of which have passed."""
        if self._held is None and self._state == "fresh":
            self.hold()
        if self._held is not None:
            return hashlib.sha256(self._held).hexdigest()
        while piece := self.next_bytes(_PIECE):  # what a reader did not need to see belongs to it too
            del piece
        return self._digest.hexdigest()

    def next_bytes(self, n: int) -> bytes:
        """What comes next: the bytes that were looked at, then the pipe's own."""
        if self._start:
            piece, self._start = self._start[:n], self._start[n:]
        else:
            piece = b"" if self._stream.closed else self._stream.read(n)
            if not piece:
                self._let_go()
        self._digest.update(piece)
        return piece

    def _let_go(self) -> None:
        """Close what has been read to its end; standard input is everybody's."""
        if self._stream is not getattr(sys.stdin, "buffer", None):
            self._stream.close()


class _HashingStream(io.RawIOBase):
    def __init__(self, pipe: Pipe) -> None:
        super().__init__()
        self._pipe = pipe

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if size >= 0:
            return self._pipe.next_bytes(size)
        return b"".join(iter(lambda: self._pipe.next_bytes(_PIECE), b""))


def arrow_buffer(pieces: Iterable[bytes]) -> Any:
    """A copy of all the pieces, one after the other, in memory of Arrow's own, for its threads to read.

    A thread may hold what it has read a moment longer than the call that had it read, and the process is aborted if
    what it then lets go of is an object of Python's and the interpreter is on its way out.
    """
    copy = pa.BufferOutputStream()
    for piece in pieces:
        copy.write(piece)
    return copy.getvalue()


def pieces_of(stream: Any) -> Iterator[bytes]:
    """What is left in a stream, piece by piece."""
    return iter(lambda: stream.read(_PIECE), b"")


def _read_fully(stream: BinaryIO, n: int) -> bytes:
    found = bytearray()
    while len(found) < n and (piece := stream.read(n - len(found))):
        found += piece
    return bytes(found)


def find_inputs(paths: Sequence[str | Path]) -> tuple[list[Input], list[str]]:
    """The inputs that paths and globs name, in the order given and sorted within a glob; and what there is to say."""
    if isinstance(paths, str | Path):
        paths = [paths]
    if not paths:
        raise TableError("no file was named", "name a table, or - for standard input")
    inputs: list[Input] = []
    notes: list[str] = []
    seen: set[str] = set()
    for name in _expand(paths):
        where = os.path.realpath(name) if name != "-" else name
        if where in seen:
            notes.append(f"{name} was named twice and is read once.")
            continue
        seen.add(where)
        inputs.append(_input(name))
    return inputs, notes


def _expand(paths: Iterable[str | Path]) -> Iterable[str]:
    for path in map(str, paths):
        if path == "-" or os.path.lexists(path):
            yield path
        elif glob.has_magic(path):
            found = sorted(glob.glob(path, recursive=True))
            if not found:
                raise FileError(f"no file matches {path}", "check the folder and the pattern")
            yield from found
        else:
            raise _not_there(path)


def _not_there(path: str) -> FileError:
    try:
        os.lstat(path)
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTDIR):
            return FileError(f"{_abridge(path)}: {error.strerror}", "name a table")
    except ValueError as error:  # a zero byte
        return FileError(f"{shown(path)}: {error}", "name a table")
    folder = Path(path).parent
    if not folder.is_dir():
        return FileError(f"{path}: there is no folder {folder}")
    near = nearest_names(Path(path).name, sorted(os.listdir(folder)))
    return FileError(f"{path}: there is no such file", f"did you mean {' or '.join(near)}?" if near else "")


def _abridge(path: str) -> str:
    """A path that may be too long for a line."""
    return path if len(path) <= _LONGEST_SHOWN else f"{path[:_LONGEST_SHOWN]}… ({len(path):,} characters)"


def _input(name: str) -> Input:
    if name == "-":
        return Pipe(STANDARD_INPUT, _standard_input())
    mode = _mode(name)
    if stat.S_ISDIR(mode):
        raise FileError(f"{name} is a folder", f"name its files, such as {shown(_pattern_within(name))}")
    return Input(name, Path(name)) if stat.S_ISREG(mode) else Pipe(name, _opened(name))


def _pattern_within(folder: str) -> str:
    """A pattern that names the files of a folder, of the kind that its first one is."""
    with contextlib.suppress(OSError):
        for name in sorted(os.listdir(folder)):
            suffixes = "".join(Path(name).suffixes[-2:]) if name.endswith((".gz", ".zst")) else Path(name).suffix
            if suffixes and not name.startswith("."):
                return os.path.join(folder, f"*{suffixes}")
    return os.path.join(folder, "*.csv")


def _opened(name: str) -> BinaryIO:
    try:
        return open(name, "rb")
    except OSError as error:
        raise FileError(f"{name}: {error.strerror}") from error


def _standard_input() -> BinaryIO:
    """Standard input, refused where it was closed by whoever started the process: Python cannot read it then."""
    try:
        os.fstat(0)
        return sys.stdin.buffer
    except (OSError, AttributeError) as error:
        raise FileError(f"{STANDARD_INPUT} is closed", "name a file, or pipe a table into the command") from error


def _mode(name: str) -> int:
    try:
        return os.stat(name).st_mode
    except OSError as error:
        raise FileError(f"{_abridge(name)}: {error.strerror}") from error
