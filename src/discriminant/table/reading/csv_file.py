"""One text table: how it is written, and where its rows begin."""

from itertools import islice
from typing import Any

from discriminant.table.errors import TableError
from discriminant.table.reading.csv_blocks import LONGEST_ROW
from discriminant.table.reading.csv_dialect import Dialect, sniff_dialect
from discriminant.table.reading.csv_rows import count_lines, last_row_end, physical_lines, rows_in
from discriminant.table.reading.csv_text import Decoded, sniff_encoding, utf8_lines
from discriminant.table.reading.inputs import HEAD_BYTES, Input
from discriminant.table.reading.text_layout import Cleaned, sniff_layout

_ENOUGH_FOR_TWO = 1 << 22  # bytes; one row is enough to begin with where the next is longer than this


class CsvFile:
    """A text table whose delimiter, header and encoding are known."""

    def __init__(self, source: Input, delimiter: str | None) -> None:
        self.source = source
        self.name = source.name
        self.encoding = sniff_encoding(source.head)
        self.notes: list[str] = []
        self._latin_said = False
        if self.encoding.name != "utf-8":
            self.notes.append(f"{self.name} is UTF-16 and was decoded.")
        head = self._head_of_rows(delimiter)
        self.dialect = self._sniff(head, delimiter)
        self.notes += self.dialect.notes
        self.names = self.dialect.names

    def _head_of_rows(self, delimiter: str | None) -> bytes:
        """The first rows, at least two if there are as many, before any decoding of Latin-1."""
        n = HEAD_BYTES
        while True:
            head = self._decoded(self.source.head)
            if self.source.head_is_all:
                return head
            end = last_row_end(head, delimiter or ",")
            n_rows = rows_in(head[:end], delimiter or ",").starts.size if end else 0
            if n_rows > 1 or (n_rows and n >= _ENOUGH_FOR_TWO):
                return head[:end]
            n *= 4
            if n > LONGEST_ROW:
                raise TableError(
                    f"{self.name}: no end of its first line within {LONGEST_ROW >> 20} MB", "is it a table?"
                )
            self.source.look(n)

    def _decoded(self, head: bytes) -> bytes:
        stored = head[self.encoding.mark :]
        if self.encoding.name == "utf-8":
            return stored
        return stored.decode(self.encoding.name, errors="ignore").encode("utf-8", errors="replace")

    def _sniff(self, head: bytes, delimiter: str | None) -> Dialect:
        """Sets where the rows begin, behind an Excel line ``sep=;``, other lines before the header, and the header."""
        start = 0
        first = head.split(b"\n", 1)[0].strip()
        if delimiter is None and len(first) == 5 and first.lower().startswith(b"sep="):
            delimiter, start = first[4:].decode("latin-1"), head.find(b"\n") + 1
        if b"\0" in first:
            raise TableError(f"{self.name} is no text table: there are zero bytes in its first line")
        text, latin = utf8_lines(head[start:])
        if latin is not None:
            self.say_latin(latin + (2 if start else 1))
        self.layout = layout = sniff_layout(text.decode(), self.name, delimiter)
        self.notes += layout.notes
        start += sum(end - begin for begin, end in islice(physical_lines(head[start:]), layout.lines_before))
        text, _ = utf8_lines(head[start:])
        dialect = sniff_dialect(layout.cleaned_head(text.decode()), self.name, "\t" if layout.spaces else delimiter)
        rows = rows_in(head[start:], dialect.delimiter)
        skipped = 1 if dialect.has_header else 0
        at_rows = rows.starts.size > skipped
        self._data_start = start + int(rows.starts[skipped]) if at_rows else len(head)
        line = int(rows.lines[skipped]) if at_rows else rows.n_lines
        self.first_line = line + 1 + count_lines(head[:start])
        return dialect

    def open_rows(self) -> Any:
        """A stream of UTF-8 (or Latin-1) that begins with the first row."""
        stream = self.source.open()
        _pass_over(stream, self.encoding.mark)
        if self.encoding.name != "utf-8":
            stream = Decoded(stream, self.encoding.name)
        _pass_over(stream, self._data_start)
        return Cleaned(stream, self.layout) if self.layout.cleans else stream

    def say_latin(self, line: int) -> None:
        """Note, once, that a line was not UTF-8."""
        if not self._latin_said:
            self._latin_said = True
            self.notes.append(f"{self.name} is not UTF-8 (first seen on line {line}): such lines were read as Latin-1.")

    def has_quotes(self) -> bool:
        """Whether quotes may stand in the rows: where that is quickly seen, else yes."""
        if self.source.compression or self.encoding.name != "utf-8":
            return True
        return self.source.has(b'"', self.encoding.mark + self._data_start)


def _pass_over(stream: Any, n: int) -> None:
    while n > 0 and (piece := stream.read(n)):
        n -= len(piece)
