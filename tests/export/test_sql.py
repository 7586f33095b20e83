"""SQL: what the databases parse and run, names in the way of names, and cells that cannot be read."""

import sqlite3

import numpy as np
import pyarrow as pa
import pytest

from discriminant.export import DIALECTS, ExportError, Vectors, export
from discriminant.export.checks import compare_answers
from discriminant.export.plan import CategoryColumn, plan_of
from discriminant.export.running.databases import answers_of
from discriminant.export.sql.query import single_expressions
from tests.export import models

sqlglot = pytest.importorskip("sqlglot", reason="NOT TESTED: sqlglot is not installed (it is in the test group)")


def query_of(model, dialect, **options):
    return export(model, "sql", dialect=dialect, **options).files["model.sql"].decode()


def arrow_rows(plan, vectors):
    types = {"number": pa.float64(), "flag": pa.bool_(), "date": pa.timestamp("us")}
    kinds = {c.name: pa.string() if isinstance(c, CategoryColumn) else types[c.kind] for c in plan.columns}
    return pa.table({name: pa.array(list(vectors.cells[name]), kind) for name, kind in kinds.items()})


def is_one_query_of_duckdb(text):
    duckdb = pytest.importorskip("duckdb", reason="NOT TESTED: duckdb is not installed (it is in the test group)")
    (statement,) = duckdb.extract_statements(text)
    return statement.type == duckdb.StatementType.SELECT


def is_one_query_by_sqlglot(text, dialect):
    (tree,) = sqlglot.parse(text, read=dialect)
    return isinstance(tree, sqlglot.exp.Select)


# Databases that are here parse their own queries, which is surer and ten times quicker than another parser of them.
IS_ONE_QUERY = {
    "sqlite": lambda text: sqlite3.complete_statement(text + ";"),
    "duckdb": is_one_query_of_duckdb,
    "postgresql": lambda text: is_one_query_by_sqlglot(text, "postgres"),
    "bigquery": lambda text: is_one_query_by_sqlglot(text, "bigquery"),
}


@pytest.mark.parametrize("name", models.MODELS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_is_one_statement(dialect, name):
    model = models.MODELS[name]()
    assert IS_ONE_QUERY[dialect](query_of(model, dialect))
    for text in single_expressions(plan_of(model), DIALECTS[dialect]).values():
        assert IS_ONE_QUERY[dialect](f"SELECT {text} FROM t")


@pytest.mark.parametrize("name", models.MODELS)
@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_single_expressions(dialect, name):
    model = models.MODELS[name]()
    plan = plan_of(model)
    d = DIALECTS[dialect]
    vectors = Vectors.of(model, models.rows(model, 300))
    parts = ", ".join(f"{x} AS {d.identifier(k)}" for k, x in single_expressions(plan, d).items())
    query = f"SELECT {parts} FROM your_table AS t"
    made = export(model, "sql", dialect=dialect)
    for text in single_expressions(plan, d).values():
        assert text in made.files["model.expression.sql"].decode()
    answers = _run(dialect, query, plan, vectors)
    assert compare_answers(vectors, answers, dialect).passed


def _run(dialect, query, plan, vectors):
    from discriminant.export.running import databases

    if dialect == "duckdb":
        pytest.importorskip("duckdb", reason="NOT TESTED: duckdb is not installed (it is in the test group)")
    run = {"sqlite": databases.run_sqlite, "duckdb": databases.run_duckdb}[dialect]
    return run(query, plan, vectors.cells, "your_table")


# --- one small model, by hand ---------------------------------------------------------------------------


def small():
    columns = [models.number("x", 1.0, 2.0, blank=0.2), models.category("c", "u", ["v"]), models.date("when")]
    return models.model([*columns, models.flag("f")], ("no", "yes"), rule="threshold", posterior=None)


def run_in_sqlite(model, rows, declared="x, c, 'when', f", extra=""):
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE your_table ({declared}{extra})")
    for row in rows:
        connection.execute(f"INSERT INTO your_table VALUES ({', '.join('?' * len(row))})", row)
    cursor = connection.execute(query_of(model, "sqlite"))
    found = [dict(zip([c[0] for c in cursor.description][:2], row[:2], strict=True)) for row in cursor.fetchall()]
    connection.close()
    return found


def test_sqlite_reads_text_as_a_text_file_would_be():
    """``.import`` makes every cell a text, and blanks empty texts."""
    model = small()
    typed = run_in_sqlite(model, [(2.5, "v", "2020-03-01", 1), (None, None, None, None)])
    texts = run_in_sqlite(
        model, [("2.5", " v ", "2020-03-01", "true"), ("", "", "", "")], '"x" TEXT, c TEXT, "when" TEXT, f TEXT'
    )
    assert [r["score"] for r in texts] == pytest.approx([r["score"] for r in typed], rel=1e-15)
    named = run_in_sqlite(model, [("NA", "?", "null", "-")])
    assert named[0]["score"] == typed[1]["score"]


@pytest.mark.parametrize(
    "row",
    [
        ("12 apples", "v", "2020-03-01", 1),
        (1.0, "v", "2020-02-30", 1),
        (1.0, "v", "yesterday", 1),
        (1.0, "v", 18262, 1),
        (1.0, "v", "2020-03-01", "maybe"),
        (float("inf"), "v", "2020-03-01", 1),
        (float("-inf"), "v", "2020-03-01", 1),
    ],
)
def test_a_cell_that_cannot_be_read_gives_no_label(row):
    (found,) = run_in_sqlite(small(), [row])
    assert found["label"] is None


def test_a_column_that_is_missing_is_an_error_and_no_text():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE your_table (c, 'when', f)")
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        connection.execute(query_of(small(), "sqlite"))
    connection.close()


def test_capitals_count_whatever_the_column_says():
    model = small()
    plain, other, declared = (
        run_in_sqlite(model, [(1.0, text, "2020-03-01", 1)], kind)[0]["score"]
        for text, kind in (("v", "x, c, 'when', f"), ("V", "x, c, 'when', f"), ("V", "x, c COLLATE NOCASE, 'when', f"))
    )
    assert plain != other
    assert declared == other


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_columns_of_the_table_with_the_names_of_results(dialect):
    """What a table has from an earlier run does not stand in for what is computed."""
    model = small()
    plan = plan_of(model)
    query = query_of(model, dialect)
    if dialect == "sqlite":
        plain = run_in_sqlite(model, [(2.5, "v", "2020-03-01", 1)])
        again = run_in_sqlite(model, [(2.5, "v", "2020-03-01", 1, -99.0, "old")], extra=", score, label")
        assert again == plain
        return
    duckdb = pytest.importorskip("duckdb", reason="NOT TESTED: duckdb is not installed (it is in the test group)")
    vectors = Vectors.of(model, models.rows(model, 50))
    rows = arrow_rows(plan, vectors).append_column("score", pa.array([-99.0] * 50))
    with duckdb.connect() as connection:
        connection.register("your_table", rows)
        cursor = connection.execute(query)
        answers = answers_of(plan, [c[0] for c in cursor.description], cursor.fetchall())
    assert compare_answers(vectors, answers, "DuckDB").passed


def test_names_of_the_model_are_kept_for_its_columns():
    model = models.model([models.number("score"), models.number("Label")], ("a", "b"), rule="threshold")
    made = export(model, "sql")
    assert made.check().passed
    assert 'AS "discriminant_score"' in made.files["model.sql"].decode()
    assert 'AS "discriminant_label"' in made.files["model.sql"].decode()


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
@pytest.mark.parametrize("table", ["people", "my people", 'a"b', "some.people", "select"])
def test_names_of_tables(table, dialect):
    if dialect == "duckdb":
        pytest.importorskip("duckdb", reason="NOT TESTED: duckdb is not installed (it is in the test group)")
    result = export(small(), "sql", dialect=dialect, table=table).check()
    assert result.passed, result.text


def test_columns_a_database_cannot_tell_apart():
    model = models.model([models.number("Age"), models.number("age")], ("a", "b"), rule="threshold")
    with pytest.raises(ExportError, match="cannot tell the columns 'Age' and 'age' apart"):
        export(model, "sql")
    assert export(model, "sql", dialect="postgresql").files
    long = models.model([models.number("x" * 63 + end) for end in "ab"], ("a", "b"), rule="threshold")
    with pytest.raises(ExportError, match="postgresql cannot tell"):
        export(long, "sql", dialect="postgresql")


def test_numbers_are_doubles_and_never_start_a_comment():
    for dialect in DIALECTS.values():
        for x in (0.1, -0.1, 1e-300, -1e22, 5e-324, 0.0):
            text = dialect.number(x)
            assert "e" in text
            assert float(text.strip("()")) == x
            assert not text.startswith("-")


def test_expected_gain_is_that_of_the_label():
    model = models.three_with_reject()
    vectors = Vectors.of(model, models.rows(model, 200))
    connection = sqlite3.connect(":memory:")
    names = ", ".join(f'"{n}"' for n in vectors.cells)
    connection.execute(f"CREATE TABLE your_table ({names})")
    rows = zip(*([str(c) if hasattr(c, "year") else c for c in own] for own in vectors.cells.values()), strict=True)
    connection.executemany(f"INSERT INTO your_table VALUES ({', '.join('?' * len(vectors.cells))})", rows)
    connection.row_factory = sqlite3.Row
    found = [row["expected_gain"] for row in connection.execute(query_of(model, "sqlite"))]
    connection.close()
    matrix = model.encoding.encode({k: pa.array(list(v)) for k, v in vectors.cells.items()}).matrix
    assert np.allclose(found, model.decide(matrix).expected_gain, rtol=1e-9, atol=1e-9)
