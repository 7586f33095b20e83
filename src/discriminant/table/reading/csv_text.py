"""The text of a table as UTF-8, whatever it is stored as.

UTF-16 is known by its mark (or by its zeros) and decoded. In other files every line that is not UTF-8 is read as
Latin-1 the way Windows writes it (with € and other signs where Latin-1 has none), in which any bytes are text; so
what a line means does not depend on the lines around it.
"""

import codecs
import io
from typing import Any, NamedTuple

from discriminant.table.reading.csv_rows import physical_lines

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))

_WINDOWS = {byte: bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(0x80, 0xA0)}


class Encoding(NamedTuple):
    """How text is stored, and how many bytes its mark takes."""

    name: str
    mark: int


def sniff_encoding(head: bytes) -> Encoding:
    """From the first bytes: a byte order mark, or the zeros that UTF-16 leaves in plain English."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return Encoding(name, len(mark))
    start = head[: 1 << 10]
    if len(start) >= 4 and not any(start[1::2]) and all(start[::2]):
        return Encoding("utf-16-le", 0)
    if len(start) >= 4 and not any(start[::2]) and all(start[1::2]):
        return Encoding("utf-16-be", 0)
    return Encoding("utf-8", 0)


def utf8_lines(block: bytes) -> tuple[bytes, int | None]:
    """The block with lines that are not UTF-8 taken as Latin-1, and the first such line, counted from 0."""
    if _is_utf8(block):
        return block, None
    first = None
    lines = []
    for number, (start, end) in enumerate(physical_lines(block)):
        line = block[start:end]
        if not _is_utf8(line):
            line = line.decode("latin-1").translate(_WINDOWS).encode()
            first = number if first is None else first
        lines.append(line)
    return b"".join(lines), first


def _is_utf8(block: bytes) -> bool:
    if block.isascii():
        return True
    try:
        block.decode()
    except UnicodeDecodeError:
        return False
    return True


class Decoded(io.RawIOBase):
    """A stream of UTF-16 as one of UTF-8."""

    def __init__(self, stream: Any, encoding: str) -> None:
        super().__init__()
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        self._ready = b""
        self._ended = False

    def readable(self) -> bool:
        """It is."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Up to ``size`` bytes."""
        while not self._ended and (size < 0 or len(self._ready) < size):
            piece = self._stream.read(1 << 20)
            self._ended = not piece
            self._ready += self._decoder.decode(piece, final=self._ended).encode("utf-8", errors="replace")
        size = len(self._ready) if size < 0 else size
        found, self._ready = self._ready[:size], self._ready[size:]
        return found

    def close(self) -> None:
        """And the stream beneath."""
        if not self.closed:
            self._stream.close()
        super().close()
