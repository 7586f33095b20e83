"""Text tables: whatever a CSV writer writes is read back, whole and in batches, with the right line numbers."""

import csv
import io
import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discriminant.table.errors import BadRow, MissingColumn, TableError
from discriminant.table.reading import open_table
from discriminant.table.texts import BLANK_TOKENS


@pytest.fixture
def table(tmp_path):
    """Open a table with this content."""

    def opened(content, name="people.csv", **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return open_table([path], **options)

    return opened


def texts(source, **options):
    """All rows in batches, with file lines."""
    rows, lines = [], []
    for batch in source.batches(None, **options):
        rows += [list(row.values()) for row in batch.table.to_pylist()]
        lines += batch.lines.tolist()
    return rows, lines


plain_cell = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), max_size=6)
any_cell = st.text(st.sampled_from('ab1,;|\t"\n é日.-'), max_size=6)


@st.composite
def written_tables(draw):
    """Cells, and a text that csv.writer made of them in some dialect."""
    n_columns = draw(st.integers(2, 4))
    rows = draw(st.lists(st.lists(plain_cell | any_cell, min_size=n_columns, max_size=n_columns), max_size=8))
    names = [f"name {j}" for j in range(n_columns)]
    delimiter = draw(st.sampled_from(",;\t|"))
    ending = draw(st.sampled_from(["\n", "\r\n"]))
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator=ending, quoting=quoting).writerows([names, *rows])
    return rows, delimiter, text.getvalue()


def as_read(cell):
    stripped = cell.strip()
    return None if stripped in BLANK_TOKENS else stripped


def lines_by_csv(text, delimiter):
    """The line on which each row begins, counted by Python's reader."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    lines, before = [], 0
    for cells in reader:
        if cells:
            lines.append(before + 1)
        before = reader.line_num
    return lines[1:]


@given(written_tables(), st.sampled_from([40, 1 << 22]))
def test_what_csv_writes_is_read_back(tmp_path_factory, written, block_bytes):
    rows, delimiter, text = written
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_bytes(text.encode())
    source = open_table([path], delimiter=delimiter)
    found, lines = texts(source, block_bytes=block_bytes)
    assert found == [[as_read(cell) for cell in row] for row in rows]
    assert lines == lines_by_csv(text, delimiter)


@given(written_tables())
def test_whole_and_in_batches_are_the_same_rows(tmp_path_factory, written):
    rows, delimiter, text = written
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_bytes(text.encode())
    source = open_table([path], delimiter=delimiter)
    whole = source.read()
    assert whole.num_rows == len(rows) == sum(b.table.num_rows for b in source.batches(None))
    for name, column in zip(whole.schema.names, zip(*rows, strict=True), strict=False):
        if pa.types.is_string(whole.schema.field(name).type):
            assert whole.column(name).to_pylist() == [as_read(cell) for cell in column]
        else:
            assert whole.column(name).null_count == sum(as_read(cell) is None for cell in column)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.none(), min_size=1, max_size=20))
def test_numbers_come_back_bit_for_bit(tmp_path_factory, numbers):
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_text("x,y\n" + "".join(f"{'' if v is None else repr(v)},a\n" for v in numbers))
    column = open_table([path]).read().column("x")
    assert [None if v is None else float(v) for v in column.to_pylist()] == numbers


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", "^", "~", ":"])
def test_the_delimiter_is_seen(table, delimiter):
    source = table("age;sex;city\n31;f;Rome, Italy\n45;m;Oslo\n".replace(";", delimiter).replace(", I", " I"))
    assert source.names == ("age", "sex", "city")
    assert source.read().column("age").to_pylist() == [31, 45]


def test_text_with_commas_in_a_semicolon_table(table):
    source = table("name;note\nann;a, b, c\nbob;d, e, f\ncid;g, h, i\n")
    assert source.read().to_pydict()["note"] == ["a, b, c", "d, e, f", "g, h, i"]


def test_blank_tokens_are_null_even_with_spaces(table):
    cells = [*BLANK_TOKENS, " NA ", "  ", '"?"']
    source = table("x,y\n" + "".join(f"{cell},1\n" for cell in cells) + "3,1\n")
    column = source.read().column("x")
    assert column.null_count == len(cells)
    assert column.type in (pa.float64(), pa.int64())
    assert [row[0] for row in texts(source)[0]] == [None] * len(cells) + ["3"]


def test_spaces_around_cells_are_no_part_of_them(table):
    source = table("age, job\n39, State-gov\n50, ?\n")
    assert source.names == ("age", "job")
    assert source.read().to_pydict() == {"age": [39, 50], "job": ["State-gov", None]}


@pytest.mark.parametrize("mark", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_byte_order_marks_and_utf_16(table, mark):
    source = table("näme,x\nJosé,1\nÅsa,2\n".encode(mark))
    assert source.names == ("näme", "x")
    assert source.read().to_pydict() == {"näme": ["José", "Åsa"], "x": [1, 2]}
    assert texts(source) == ([["José", "1"], ["Åsa", "2"]], [2, 3])
    assert ("UTF-16" in " ".join(source.notes)) == ("16" in mark)


def test_lines_that_are_not_utf_8_are_latin_1_and_it_is_said(table):
    content = b"name,x\n" + b"a,1\n" * 100_000 + "José,2\n".encode("latin-1") + "Åsa,3\n".encode()
    source = table(content)
    whole = source.read().column("name").to_pylist()
    assert whole[-2:] == ["José", "Åsa"]
    assert any("line 100002" in note and "Latin-1" in note for note in source.notes)
    again = open_table(source.files)
    assert texts(again)[0][-2:] == [["José", "2"], ["Åsa", "3"]]
    assert again.notes == source.notes


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_endings_and_empty_lines(table, ending):
    source = table(ending.join(["a,b", "1,2", "", '3,"x', 'y"', "   ", "5,6", ""]), delimiter=",")
    rows, lines = texts(source)
    assert [row[0] for row in rows] == ["1", "3", "5"]
    assert lines == [2, 4, 7]
    assert source.read().num_rows == 3


def test_names_are_trimmed_and_told_apart(table):
    source = table(" x ,x,,x (2),x\n1,2,3,4,5\n")
    assert source.names == ("x", "x (3)", "column 3", "x (2)", "x (4)")
    assert len(set(source.names)) == 5
    assert any("repeats" in note for note in source.notes)
    assert any("without a name" in note for note in source.notes)


def test_a_table_without_header(table):
    source = table("1,2.5,3\n4,5,6\n")
    assert source.names == ("column 1", "column 2", "column 3")
    assert source.read().num_rows == 2
    assert texts(source)[1] == [1, 2]
    assert "no header" in source.notes[0]


def test_decimal_commas(table):
    source = table("x;y;z\n3,14;1.234,5;a,b\n2,5;7;c\n1,0;1.234;d\n")
    whole = source.read().to_pydict()
    assert whole == {"x": [3.14, 2.5, 1.0], "y": [1234.5, 7.0, 1234.0], "z": ["a,b", "c", "d"]}
    assert texts(source)[0][0] == ["3.14", "1234.5", "a,b"]
    assert any("decimal comma" in note for note in source.notes)


@pytest.mark.parametrize("cells", ["1,234,567;2", "3,14;2.5"])
def test_commas_that_may_be_no_decimals_are_left_alone(table, cells):
    source = table(f"x;y\n{cells}\n")
    assert not any("decimal" in note for note in source.notes)


def test_excel_says_its_delimiter(table):
    source = table("sep=;\na;b\n1;x\n")
    assert source.names == ("a", "b")
    assert texts(source) == ([["1", "x"]], [3])


def test_mixed_content_is_text_wherever_the_stranger_stands(table):
    source = table("x,y\n" + "1,2\n" * 300_000 + "one,2\n")
    column = source.read().column("x")
    assert column.type == pa.string()
    assert [column[0].as_py(), column[-1].as_py()] == ["1", "one"]


def test_times_of_day_stay_as_they_are_written(table):
    source = table("t,x\n7:30,1\n12:05,2\n")
    assert source.read().column("t").to_pylist() == [row[0] for row in texts(source)[0]]


def test_true_and_false_are_flags_and_ones_are_numbers(table):
    whole = table("a,b,c\ntrue,1,yes\nFALSE,0,no\n").read()
    assert [str(field.type) for field in whole.schema] == ["bool", "int64", "string"]


BROKEN = "a,b,c\n1,2,3\n" * 1 + "4,5,6\n" * 1000 + "7,8\n" + "9,10,11\n" * 1000 + "1,2,3,4\n"


@pytest.mark.parametrize("how", ["read", "batches"])
def test_a_bad_row_is_named(table, how):
    source = table(BROKEN)
    with pytest.raises(BadRow) as caught:
        source.read() if how == "read" else list(source.batches(None, block_bytes=500))
    error = caught.value
    assert (error.line, error.file) == (1003, source.files[0])
    assert str(error) == (
        f"{source.files[0]}, line 1003: 2 cells where the header has 3 (a stray delimiter or quote?); "
        "fix it, or --on-error skip leaves such rows out"
    )


@pytest.mark.parametrize("how", ["read", "batches"])
def test_bad_rows_are_left_out_and_counted(table, how):
    source = table(BROKEN)
    if how == "read":
        n = source.read(on_error="skip").num_rows
    else:
        _, lines = texts(source, on_error="skip", block_bytes=500)
        n = len(lines)
        assert lines == [line for line in range(2, 2004) if line != 1003]
    assert n == 2001
    assert [line for _, line, _ in source.skipped] == [1003, 2004]
    assert source.skipped_rows == 2


def test_only_a_thousand_bad_rows_are_listed(table):
    source = table("a,b\n" + "1\n" * 5000 + "1,2\n")
    assert source.read(on_error="skip").num_rows == 1
    assert (len(source.skipped), source.skipped_rows) == (1000, 5000)


@pytest.mark.parametrize("how", ["read", "batches"])
def test_a_quote_that_is_never_closed(table, how):
    content = 'a,b\n1,x\n2,"y\n3,z\n4,w\n'
    run = (lambda s, e: s.read(e).num_rows) if how == "read" else (lambda s, e: len(texts(s, on_error=e)[0]))
    with pytest.raises(BadRow, match="line 3: a quote is opened and never closed"):
        run(table(content), "stop")
    source = table(content)
    assert run(source, "skip") == 3
    assert [line for _, line, _ in source.skipped] == [3]


def test_a_quote_inside_a_cell_is_text(table):
    source = table('size,n\n5" pipe,1\n"a ""b""",2\n')
    assert source.read().column("size").to_pylist() == ['5" pipe', 'a "b"'] == [row[0] for row in texts(source)[0]]


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_line_without_end_does_not_fill_the_memory(tmp_path, quote):
    path = tmp_path / "wide.csv"
    with open(path, "wb") as file:
        file.write(f"a,b\n1,{quote}".encode())
        for _ in range(200):
            file.write(b"x" * (1 << 20))
    with pytest.raises(TableError, match="line 2"):
        list(open_table([path]).batches(None))


def test_long_cells_are_read(table):
    long = "x" * 3_000_000
    source = table(f"a,b\n1,{long}\n2,y\n")
    assert source.read().column("b").to_pylist() == [long, "y"]
    assert texts(source)[1] == [2, 3]


def test_thousands_of_columns(table):
    names = [f"a rather long name of column number {j}, quoted" for j in range(5000)]
    text = io.StringIO()
    csv.writer(text).writerows([names, *(np.arange(5000) + i for i in range(20))])
    source = table(text.getvalue())
    assert source.names == tuple(names)
    whole = source.read()
    assert whole.shape == (20, 5000)
    assert whole.column(4999).to_pylist() == list(range(4999, 5019))
    assert [b.table.shape for b in source.batches(names[10:12])] == [(20, 2)]


def test_zero_bytes(table):
    with pytest.raises(TableError, match="zero bytes"):
        table(b"a\0,b\n1,2\n")
    assert table(b"a,b\nx\0y,2\n").read().column("a").to_pylist() == ["x\0y"]


@pytest.mark.parametrize("content", ["", "\n\n", "\ufeff"])
def test_an_empty_file_is_refused(table, content):
    with pytest.raises(TableError, match="is empty"):
        table(content)


@pytest.mark.parametrize("content", ["a,b", "a,b\n", "a,b\r\n\r\n"])
def test_a_header_alone_is_a_table_without_rows(table, content):
    source = table(content)
    assert source.names == ("a", "b")
    assert source.read().shape == (0, 2)
    assert list(source.batches(None)) == []


def test_a_single_column(table):
    source = table("x\n1\n\n3\n")
    assert source.read().to_pydict() == {"x": [1, 3]}
    assert texts(source) == ([["1"], ["3"]], [2, 4])


def test_a_column_that_is_not_there(table):
    with pytest.raises(MissingColumn, match=r"has no column 'Age'; did you mean 'age'\?"):
        table("age,sex\n1,f\n").batches(["Age"])
    with pytest.raises(MissingColumn, match="its columns are 'age', 'sex'"):
        table("age,sex\n1,f\n").batches(["qqqqqqqqq"])
    with pytest.raises(MissingColumn, match=r"called '5\.1': has the table no header line"):
        table("age,5.1\n1,f\n").batches(["qqqqqqqqq"])
    with pytest.raises(MissingColumn, match="and 3 more, the last 'i'"):
        table("a,b,c,d,e,f,g,h,i\n" + ",".join("123456789")).batches(["qqqqqqqqq"])


def test_columns_in_the_order_asked_for(table):
    (batch,) = table("a,b,c\n1,2,3\n").batches(["c", "a"])
    assert batch.table.to_pydict() == {"c": ["3"], "a": ["1"]}


def test_unknown_options_are_refused(table):
    source = table("a,b\n1,2\n")
    with pytest.raises(TableError, match="choose stop or skip"):
        source.read(on_error="ignore")
    with pytest.raises(TableError, match="no delimiter"):
        table("a,b\n1,2\n", delimiter="ab")
    with pytest.raises(TypeError, match="use read or batches"):
        source.read_sparse()


def test_infinity_is_read_as_the_parser_gives_it(table):
    assert math.isinf(table("x,y\n1,2\ninf,3\n").read().column("x")[1].as_py())
