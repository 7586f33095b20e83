"""Queries on files of SQLite: types of its untyped columns, names that want to be more, and nothing is written."""

import json
import os
import sqlite3

import pytest
from tests.fuzz.kinds import commands

from discriminant import LinearDiscriminantAnalysis, rows
from discriminant.rows.databases import DatabaseError
from discriminant.rows.query_table import files_of_query, open_query
from discriminant.table.errors import FileError

N = 40


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def made(path, cells=lambda i: i / 4, n=N):
    with sqlite3.connect(path) as lite:
        lite.execute("CREATE TABLE t (x, y TEXT)")
        lite.executemany("INSERT INTO t VALUES (?, ?)", [(cells(i), "ab"[i * i % 7 % 2]) for i in range(n)])
    lite.close()
    return str(path)


def types_of(select, path):
    table = open_query(select, path).read()
    return {name: str(table.schema.field(name).type) for name in table.column_names}


@pytest.mark.parametrize(
    ("select", "types"),
    [
        ("SELECT x, y FROM t", {"x": "double", "y": "string"}),
        ("SELECT 1 AS i, NULL AS n, 1.5 AS f", {"i": "int64", "n": "null", "f": "double"}),
        ("SELECT 1 AS m UNION ALL SELECT 2.5", {"m": "double"}),
        ("SELECT x FROM t UNION ALL SELECT 'late'", {"x": "string"}),
        ("SELECT 1 AS a, 2 AS A", {"a": "int64", "A:1": "int64"}),
    ],
)
def test_a_column_is_of_the_widest_of_its_cells(folder, select, types):
    assert types_of(select, made("a.db")) == types


def test_a_text_after_thousands_of_numbers_makes_texts_of_all(folder):
    path = made("a.db", lambda i: "late" if i == 3000 else i, n=3001)
    assert open_query("SELECT x FROM t", path).read().column("x").to_pylist()[-2:] == ["2999", "late"]


def test_columns_that_differ_in_case_stay_apart(folder):
    assert open_query("SELECT 1 AS a, 2 AS A", made("a.db")).read().to_pylist() == [{"a": 1, "A:1": 2}]


@pytest.mark.parametrize("name", ["a%41.db", "a?b.db", "a#b.db", " a b.db", "é.db", "a&mode=rwc.db"])
def test_a_file_of_any_name_is_the_one_that_is_read(folder, name):
    path = made(name)
    for address in (path, f"sqlite:{path}"):
        assert open_query("SELECT * FROM t", address).read().num_rows == N
    assert os.listdir() == [name]


@pytest.mark.parametrize("address", ["sqlite:", "sqlite::memory:", "sqlite:n?mode=rwc&x=", "sqlite:n%3Fmode=rwc.db"])
def test_no_file_is_made(folder, address):
    with pytest.raises(FileError, match="no such file"):
        open_query("SELECT 1 AS x", address)
    assert os.listdir() == []


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM t", "SELECT 1) AS x; DROP TABLE t; --", "SELECT 1; DROP TABLE t", "ATTACH 'new.db' AS new",
        "SELECT load_extension('new')", "PRAGMA journal_mode = wal", "SELECT 'a\0b' AS x",
    ],
)  # fmt: skip
def test_nothing_but_one_select_is_run(folder, query):
    path = made("a.db")
    before = (folder / path).read_bytes()
    with pytest.raises(DatabaseError, match="SQLite query failed"):
        open_query(query, path)
    assert (folder / path).read_bytes() == before
    assert os.listdir() == [path]


def test_a_comment_at_the_end_of_a_query_ends_with_its_line(folder):
    assert open_query("SELECT 1 AS x -- one", made("a.db")).read().num_rows == 1


def test_values_are_bound(folder):
    source = rows.from_sql(f"sqlite:{made('a.db')}", "SELECT * FROM t WHERE x >= ?", parameters=[5.0], target="y")
    assert source.collect().n_rows == N - 20
    assert LinearDiscriminantAnalysis().fit(source).classes_.tolist() == ["a", "b"]


def test_the_command_learns_from_a_file_of_sqlite_and_decides_its_rows(folder):
    query = ["--sql", "SELECT x, y FROM t", "--database", made("a.db")]
    fitted = commands.run("fit", *query, "-t", "y", "--learner", "lda", "--forms", "straight", "-o", "run")
    assert fitted.code == 0, fitted.err
    answered = commands.run("predict", "run", *query, "-o", "answers.csv", "--json")
    assert json.loads(answered.out)["rows"] == N
    assert commands.run("evaluate", "run", *query).code == 0


def test_answers_are_not_written_over_what_the_query_reads(folder):
    made("a.db")
    (folder / "t.csv").write_text("x,y\n" + "".join(f"{i * i % 11},{'ab'[i % 2]}\n" for i in range(N)))
    fit = commands.run("fit", "t.csv", "-t", "y", "--learner", "lda", "--forms", "straight", "-o", "run")
    assert fit.code == 0, fit.err
    for sql, more, out in (
        ("SELECT * FROM 't.csv'", [], "t.csv"),
        ("SELECT * FROM '*.csv'", [], "t.csv"),
        ('SELECT * FROM "t.csv"', [], "t.csv"),
        ("SELECT * FROM t", ["--database", "a.db"], "a.db"),
        ("SELECT * FROM t", ["--database", f"sqlite://{folder}/a.db"], "a.db"),
    ):
        before = (folder / out).read_bytes()
        result = commands.run("predict", "run", "--sql", sql, *more, "-o", out)
        assert (result.code, (folder / out).read_bytes()) == (2, before), result.err


def test_files_in_quotes_are_read_by_a_query(folder):
    for name in ("it's.csv", "b.csv", "a.duckdb"):
        (folder / name).write_text("x\n")
    both = ["it's.csv", "a.duckdb"]
    assert files_of_query("SELECT * FROM 'it''s.csv' WHERE x = 'no'", "duckdb:a.duckdb") == both
    assert files_of_query('SELECT * FROM "b.csv"', None) == ["b.csv"]
