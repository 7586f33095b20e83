"""The text of a table as UTF-8, whatever it is stored as.

UTF-16 is known by its mark (or by its zeros) and decoded. In other files every line that is not UTF-8 is read as
Latin-1 the way Windows writes it (with € and other signs where Latin-1 has none), in which any bytes are text; so
what a line means does not depend on the lines around it.
"""

import codecs
import io
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_NEWLINE, _RETURN = b"\n\r"
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))

_WINDOWS = {byte: bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(0x80, 0xA0)}


Places = NDArray[np.int64]


class TextEncoding(NamedTuple):
    """How text is stored, and how many bytes its mark takes."""

    name: str
    mark: int


def sniff_encoding(head: bytes) -> TextEncoding:
    """Tell the encoding from the first bytes: a byte order mark, or the zeros that UTF-16 leaves in plain English."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return TextEncoding(name, len(mark))
    start = head[: 1 << 10]
    if len(start) >= 4 and not any(start[1::2]) and all(start[::2]):
        return TextEncoding("utf-16-le", 0)
    if len(start) >= 4 and not any(start[::2]) and all(start[1::2]):
        return TextEncoding("utf-16-be", 0)
    return TextEncoding("utf-8", 0)


def line_ends(block: bytes) -> Places:
    """Places of all newlines, in quotes or not: \\n, or \\r where no \\n follows."""
    codes = np.frombuffer(block, dtype=np.uint8)
    ends = codes == _NEWLINE
    if b"\r" in block:
        alone = codes == _RETURN
        alone[:-1] &= codes[1:] != _NEWLINE
        ends |= alone
    return np.flatnonzero(ends)


def physical_lines(block: bytes) -> Iterator[tuple[int, int]]:
    """[start, end) of each line with its newline, quotes or not."""
    start = 0
    for end in (line_ends(block) + 1).tolist():
        yield start, end
        start = end
    if start < len(block):
        yield start, len(block)


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


class ConvertedStream(io.RawIOBase):
    """A stream whose bytes are converted as they pass: ``convert`` gets a piece and whether it is the last."""

    def __init__(self, stream: Any, convert: Callable[[bytes, bool], bytes]) -> None:
        super().__init__()
        self._stream = stream
        self._convert = convert
        self._ready = b""
        self._ended = False

    def readable(self) -> bool:
        """Always."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Read up to ``size`` bytes."""
        while not self._ended and (size < 0 or len(self._ready) < size):
            piece = self._stream.read(1 << 20)
            self._ended = not piece
            self._ready += self._convert(piece, self._ended)
        size = len(self._ready) if size < 0 else size
        found, self._ready = self._ready[:size], self._ready[size:]
        return found

    def close(self) -> None:
        """Close the stream beneath as well."""
        if not self.closed:
            self._stream.close()
        super().close()


def decoded_stream(stream: Any, encoding: str) -> ConvertedStream:
    """A stream of text in some encoding as one of UTF-8."""
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    return ConvertedStream(stream, lambda piece, last: decoder.decode(piece, final=last).encode("utf-8", "replace"))


def stream_by_lines(stream: Any, convert: Callable[[bytes], bytes]) -> ConvertedStream:
    """A stream whose whole lines are converted, several at a time."""
    held = b""

    def convert_lines(piece: bytes, last: bool) -> bytes:
        nonlocal held
        held += piece
        end = len(held) if last else held.rfind(b"\n") + 1
        whole, held = held[:end], held[end:]
        return convert(whole)

    return ConvertedStream(stream, convert_lines)
