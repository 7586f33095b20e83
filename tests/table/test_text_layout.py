"""Lines before a header, comments and columns set in spaces: rows keep their line numbers, and it is told."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discriminant.table.reading import open_table

ROWS = "1,2,x\n3,4,y\n5,6,z\n"


@pytest.fixture
def read(tmp_path):
    def opened(text, **options):
        path = tmp_path / "t.csv"
        path.write_bytes(text.encode())
        source = open_table([path], **options)
        table = source.read()
        batches = list(source.batches())
        lines = [int(line) for batch in batches for line in batch.lines]
        assert len(lines) == table.num_rows
        return source.names, table.to_pylist(), lines, [note.split("t.csv ")[1] for note in source.notes]

    return opened


@pytest.mark.parametrize(
    ("text", "names", "lines", "said"),
    [
        ("# made by me\n# 2020, v2\na,b,c\n" + ROWS, "abc", [4, 5, 6], "comment lines, which begin with #"),
        ("# a,b,c\n" + ROWS, "abc", [2, 3, 4], ""),
        ("# title\n# a,b,c\n" + ROWS, "abc", [3, 4, 5], "comment lines"),
        ("a,b,c\n1,2,x\n% half way\n3,4,y\n5,6,z\n", "abc", [2, 4, 5], "comment lines, which begin with %"),
        ("a,b,c\n1,2,x\n3,4,y\n5,6,z\n// end, of it\n", "abc", [2, 3, 4], "comment lines, which begin with //"),
        ("Sales 2020\nMade on 3 May\n\na,b,c\n" + ROWS, "abc", [5, 6, 7], "2 lines before its header"),
        ("Sales 2020,,\n,,\na,b,c\n" + ROWS, "abc", [4, 5, 6], "2 lines before its header"),
        ("a    b    c\n1    2    x\n3    4    y\n5    6    z\n", "abc", [2, 3, 4], "set apart by spaces"),
        ("  a  b c\n  1  2 x\n  3  4 y\n  5  6 z\n", "abc", [2, 3, 4], "set apart by spaces"),
        ("# by me\r\n  a    b    c\r\n  1    2  x\r\n 3   4    y\r\n 5   6    z\r\n", "abc", [3, 4, 5], "spaces"),
        (
            "A title\n  a    b    c\n 1    2  x\n 3   4    y\n 5   6    z\n",
            "abc",
            [3, 4, 5],
            "a line before its header",
        ),
    ],
)
def test_what_stands_around_the_rows_is_passed_over_and_told(read, text, names, lines, said):
    found, rows, own, notes = read(text)
    assert found == tuple(names)
    assert rows == [{"a": 1, "b": 2, "c": "x"}, {"a": 3, "b": 4, "c": "y"}, {"a": 5, "b": 6, "c": "z"}]
    assert own == lines
    assert said in " ".join(notes)
    assert bool(notes) == bool(said)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("#a,b\n1,2\n3,4\n", ("#a", "b")),
        ("#,name\n1,a\n2,b\n", ("#", "name")),
        ("tag,n\n#x,1\n#y,2\n", ("tag", "n")),
        ("full name\nJohn  Smith\nAnn  Lee\n", ("full name",)),
        ("a,b\n,\n1,2\n", ("a", "b")),
        ('a,"b\nx"\n1,2\n', ("a", "b\nx")),
    ],
)
def test_ordinary_tables_are_left_alone(read, text, names):
    found, _, _, notes = read(text)
    assert found == names
    assert not notes


def test_texts_with_single_spaces_stay_together(read):
    _, rows, _, _ = read("name        city         n\nJohn Smith  New York     3\nAnn Lee     Los Angeles  4\n")
    assert rows[0] == {"name": "John Smith", "city": "New York", "n": 3}


def test_asked_for_spaces(read):
    assert read("a  b\n1   2\n", delimiter="space")[0] == ("a", "b")


CELL = st.integers(-999, 999).map(str)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(CELL, min_size=3, max_size=3), min_size=2, max_size=8))
def test_an_aligned_table_is_the_table(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("aligned") / "t.txt"
    path.write_text("\n".join("".join(f"{cell:>7}" for cell in row) for row in [["a", "b", "c"], *rows]) + "\n")
    table = open_table([path]).read()
    assert [[str(v) for v in row.values()] for row in table.to_pylist()] == rows
