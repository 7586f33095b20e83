"""The messages of an Arrow stream, checked before Arrow sees them.

    message = ff ff ff ff, size of the description, description (a flatbuffer), body

The description of rows says where in the body each buffer of each column stands. Arrow follows these places; one that
is wrong makes cells of another column's bytes, or ends the process. So a body is handed on only if its buffers stand in
it one after the other, as the format demands. What the buffers hold is checked later, by `RecordBatch.validate`.

A flatbuffer is made of tables; a table has an entry for each field that says where it stands, and fields that are
absent have their default. They are read with every place checked.

An Arrow file is such a stream between two marks, with a list of its messages behind, which nobody needs who reads all.
"""

import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discriminant.table.reading.inputs import arrow_buffer

MARK = b"ARROW1"
_CONTINUES = b"\xff\xff\xff\xff"
_END = _CONTINUES + bytes(4)
_DICTIONARY, _ROWS = 2, 3  # kinds of messages that have buffers
_PIECE = 1 << 24
_MOST_PADDING = 64  # bytes, to which writers align
_LONGEST_DESCRIPTION = 1 << 28  # bytes: of a table of about a million columns

Allowed = Callable[[int], None]  # hears how many bytes a body takes once decompressed; raises where that is too much


class DamagedError(ValueError):
    """Bytes that cannot be what they should be."""


class FlatTable:
    """One table within ``data``, which begins at ``place``."""

    def __init__(self, data: bytes, place: int) -> None:
        self._data = data
        self._place = place
        self._entries = place - self._number("<i", place)
        self._size = self._number("<H", self._entries)

    @classmethod
    def root(cls, data: bytes) -> "FlatTable":
        """The table that all others hang from."""
        return cls(data, FlatTable._unpacked(data, "<I", 0))

    def number(self, field: int, form: str, default: int = 0) -> int:
        """The whole number in a field, in a form of `struct`."""
        place = self._field(field)
        return default if place is None else self._number(form, place)

    def table(self, field: int) -> "FlatTable | None":
        """The table that a field names."""
        place = self._field(field)
        return None if place is None else FlatTable(self._data, place + self._number("<I", place))

    def pairs(self, field: int) -> NDArray[np.int64]:
        """A vector of pairs of 64-bit numbers, as rows."""
        place = self._field(field)
        if place is None:
            return np.empty((0, 2), dtype=np.int64)
        start = place + self._number("<I", place)
        n = self._number("<I", start)
        if start + 4 + 16 * n > len(self._data):
            raise DamagedError("a list in its description is longer than the description")
        return np.frombuffer(self._data, dtype="<i8", count=2 * n, offset=start + 4).reshape(n, 2)

    def _field(self, field: int) -> int | None:
        entry = 4 + 2 * field
        if entry + 2 > self._size:
            return None
        away = self._number("<H", self._entries + entry)
        return self._place + away if away else None

    def _number(self, form: str, place: int) -> int:
        return self._unpacked(self._data, form, place)

    @staticmethod
    def _unpacked(data: bytes, form: str, place: int) -> int:
        if place < 0 or place + struct.calcsize(form) > len(data):
            raise DamagedError("its description points outside itself")
        return int(struct.unpack_from(form, data, place)[0])


class CheckedMessages:
    """A stream of whole, checked messages out of another stream; Arrow reads it like a file."""

    def __init__(self, stream: Any, allowed: Allowed, length: int | None = None) -> None:
        self._stream = stream
        self._left = length  # bytes of the stream, where that is known
        self._allowed = allowed
        self._ready: list[Any] = []  # the pieces of the next message that Arrow has not asked for
        self._at_end = False
        self.closed = False

    def open_reader(self) -> Any:
        """Arrow's reader of them; it knows their schema, and gives one record batch after the other."""
        return pa.ipc.open_stream(pa.PythonFile(self, mode="r"), options=pa.ipc.IpcReadOptions(use_threads=False))

    def close(self) -> None:
        """Close the stream, and the one beneath it."""
        self.closed = True
        self._stream.close()

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        return bytes(self.read_buffer(size))

    def read_buffer(self, size: int = -1) -> Any:
        """The next bytes, not copied where a whole body is asked for."""
        if not self._ready and not self._at_end:
            self._next_message()
        if not self._ready or size == 0:
            return pa.py_buffer(b"")
        first = self._ready[0]
        size = first.size if size < 0 else size
        if size < first.size:
            self._ready[0] = first.slice(size)
            return first.slice(0, size)
        del self._ready[0]
        if size == first.size or not self._ready:
            return first
        return pa.py_buffer(first.to_pybytes() + self.read(size - first.size))

    def _next_message(self) -> None:
        prefix = self._take(4)
        if prefix == _CONTINUES:
            prefix = self._take(4, "its length")
        elif len(prefix) not in (0, 4):
            raise DamagedError("it ends within a message")
        size = struct.unpack("<i", prefix)[0] if prefix else 0
        if size == 0:
            self._finish()
            return
        if not 8 <= size <= _LONGEST_DESCRIPTION:
            raise DamagedError(f"a message has a description of {size} bytes")
        description = self._take(size, "a description")
        message = FlatTable.root(description)
        body = self._body(message)
        self._ready = [pa.py_buffer(_CONTINUES + struct.pack("<i", size) + description), *([body] if body.size else [])]

    def _finish(self) -> None:
        """Nothing may come behind the end: a message that is taken for it would take rows with it."""
        rest = self._take(_MOST_PADDING)
        if len(rest) == _MOST_PADDING or rest.strip(b"\0"):
            raise DamagedError("there is more behind the mark of its end")
        self._ready, self._at_end = [pa.py_buffer(_END)], True

    def _body(self, message: FlatTable) -> Any:
        size = message.number(3, "<q")
        if size < 0 or (self._left is not None and size > self._left):
            raise DamagedError(f"a message of {size:,} bytes is longer than what is left of it")
        kind, header = message.number(1, "<B"), message.table(2)
        rows = header.table(1) if kind == _DICTIONARY and header is not None else header
        if kind in (_DICTIONARY, _ROWS):
            if rows is None:
                raise DamagedError("a message of rows does not describe them")
            _check_lengths(rows)
            check_places(rows.pairs(2), size)
        body = self._take_buffer(size)
        if kind in (_DICTIONARY, _ROWS) and rows is not None and rows.table(3) is not None:
            self._allowed(_decompressed_size(rows.pairs(2), body))
        return body

    def _take(self, n: int, what: str = "") -> bytes:
        """n bytes; fewer only at the end, and where nothing in particular is expected."""
        there = n if self._left is None else min(n, self._left)
        found = bytearray()
        while len(found) < there and (piece := self._stream.read(there - len(found))):
            found += piece
        if self._left is not None:
            self._left -= len(found)
        if what and len(found) < n:
            raise DamagedError(f"it ends before {what} does")
        return bytes(found)

    def _take_buffer(self, n: int) -> Any:
        if self._left is not None:  # then it is there, and can be asked for at once
            body = self._stream.read_buffer(n)
            self._left -= body.size
        else:
            body = arrow_buffer(self._pieces(n))
        if body.size < n:
            raise DamagedError("it ends within the cells of some rows")
        return body

    def _pieces(self, n: int) -> Any:
        while n > 0 and (piece := self._stream.read(min(n, _PIECE))):
            n -= len(piece)
            yield piece


def messages_within(file: Any, allowed: Allowed) -> CheckedMessages:
    """The messages of an Arrow file, which stand between its first mark and the list at its end."""
    size = file.size()
    ending = file.read_at(min(size, 10), max(size - 10, 0))
    listed = struct.unpack("<i", ending[:4])[0] if len(ending) == 10 else -1
    if not ending.endswith(MARK) or not 0 < listed <= size - 18:
        raise DamagedError("it does not end as an Arrow file does")
    file.seek(8)
    return CheckedMessages(file, allowed, size - 18 - listed)


def _check_lengths(rows: FlatTable) -> None:
    nodes = rows.pairs(1)
    if rows.number(0, "<q") < 0 or (nodes < 0).any() or (nodes[:, 1] > nodes[:, 0]).any():
        raise DamagedError("a column has fewer than no rows, or more blanks than rows")


def check_places(buffers: Any, size: int) -> None:
    """Check that buffers, as rows (place, length), follow one another in a body of this size."""
    if (buffers < 0).any() or (buffers > size).any():
        raise DamagedError("a column stands outside of its message")
    places, lengths = buffers[buffers[:, 1] > 0].T
    ends = places + lengths
    if (ends > size).any() or (places[1:] < ends[:-1]).any():
        raise DamagedError("the cells of a column stand where those of another do")


def _decompressed_size(buffers: Any, body: Any) -> int:
    """What the buffers say they hold: each begins with its length, −1 where it is not compressed."""
    total = 0
    view = memoryview(body)
    for place, length in buffers[buffers[:, 1] > 0].tolist():
        if length < 8:
            raise DamagedError("a compressed column is shorter than its own length")
        (size,) = struct.unpack_from("<q", view, place)
        if size < -1:
            raise DamagedError(f"a compressed column has {size} bytes")
        total += length if size == -1 else size
    return total
