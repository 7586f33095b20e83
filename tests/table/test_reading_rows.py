"""Where rows begin and end: against a reader that goes character by character, and against Arrow's own."""

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discriminant.table.reading.csv_rows import cells_in, count_lines, last_row_end, quoted_spans, rows_in
from discriminant.table.reading.csv_text import line_ends, utf8_lines

messy = st.text(st.sampled_from('ab,"\n\r '), max_size=40).map(str.encode)


def by_character(text):
    """(line, cells) of each row that is not empty, and whether the text ends inside quotes."""
    rows, line, i = [], 0, 0
    begin, cells, at_start, quoted = 0, 1, True, False
    start = 0
    while i < len(text):
        c = text[i : i + 1]
        newline = c == b"\n" or (c == b"\r" and text[i + 1 : i + 2] != b"\n")
        if quoted:
            if c == b'"' and text[i + 1 : i + 2] == b'"':
                i += 1
            elif c == b'"':
                quoted = False
        elif at_start and c == b'"':
            quoted, at_start = True, False
        elif newline:
            if text[start:i].strip(b"\r\n"):
                rows.append((begin, cells))
            begin, cells, at_start, start = line + 1, 1, True, i + 1
        elif c == b",":
            cells, at_start = cells + 1, True
        elif c != b"\r":
            at_start = False
        line += newline
        i += 1
    if text[start:].strip(b"\r\n"):
        rows.append((begin, cells))
    return rows, quoted


@given(messy)
def test_rows_lines_and_cells(text):
    expected, unclosed = by_character(text)
    rows = rows_in(text, ",")
    assert list(zip(rows.lines.tolist(), cells_in(text, rows, ",").tolist(), strict=True)) == expected
    if text:
        opening, closing = quoted_spans(text, ",")
        assert unclosed == bool(opening.size and closing[-1] == len(text))


@given(messy.map(lambda text: text.replace(b"\r", b"")))
def test_rows_are_those_of_the_parser(text):
    rows = rows_in(text, ",")
    if rows.starts.size and not by_character(text)[1]:
        cells = cells_in(text, rows, ",")
        good = b"".join(text[a:b] + b"\n" for a, b, n in zip(rows.starts, rows.ends, cells, strict=True) if n == 2)
        if good:
            parsed = pacsv.read_csv(
                pa.BufferReader(good),
                pacsv.ReadOptions(column_names=["x", "y"]),
                pacsv.ParseOptions(newlines_in_values=True),
            )
            assert parsed.num_rows == (cells == 2).sum()


@given(messy, st.integers(0, 40))
def test_a_cut_at_the_last_row_end_changes_nothing(text, n):
    end = last_row_end(text[:n], ",")
    assert end <= n
    whole = rows_in(text, ",")
    head, tail = rows_in(text[:end], ","), rows_in(text[end:], ",")
    if end:
        lines = np.concatenate([head.lines, tail.lines + count_lines(text[:end])])
        assert lines.tolist() == whole.lines.tolist()


@given(messy)
def test_lines_are_counted(text):
    assert (
        count_lines(text)
        == line_ends(text).size
        == len(text.decode().replace("\r\n", "\n").replace("\r", "\n").split("\n")) - 1
    )


@given(st.lists(st.sampled_from(["é".encode(), "é".encode("latin-1"), b"a", b"\n"])))
def test_each_line_is_utf_8_or_latin_1(pieces):
    text = b"".join(pieces)
    found, first = utf8_lines(text)
    expected = []
    for line in text.split(b"\n"):
        try:
            expected.append(line.decode())
        except UnicodeDecodeError:
            expected.append(line.decode("latin-1"))
    assert found.decode().split("\n") == expected
    assert (first is None) == (found == text)


@pytest.mark.parametrize("text", [b'"a""b",c\n"x', b'""x",y\n', b'"""', b'5" x,"a\nb"\n'])
def test_quotes_in_odd_places(text):
    rows = rows_in(text, ",")
    assert list(zip(rows.lines.tolist(), cells_in(text, rows, ",").tolist(), strict=True)) == by_character(text)[0]
