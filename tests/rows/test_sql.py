"""Rows of databases: the same answer whether rows are streamed or summed where they are; read-only; no secrets told."""

import numpy as np
import pyarrow as pa
import pytest
from tests.engines import duckdb_database, postgresql_server
from tests.rows.engine_tables import (
    LEARNERS,
    NAMES,
    assert_same_model,
    every_learner,
    made_table,
    two_and_four_classes,
)

from discriminant import LinearDiscriminantAnalysis, NaiveBayes, rows
from discriminant.rows.databases import DatabaseError, address_has_open_password, hide_passwords
from discriminant.rows.protocol import SourceChanged
from discriminant.table.errors import MissingColumn, OptionError, TableError

duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")

TABLES = {f"of_{K}": made_table(K) for K in (2, 4)} | {"far": made_table(4, offset=1e6)}
pushed = pytest.mark.parametrize("pushdown", [False, True], ids=["streamed", "pushed down"])


@pytest.fixture(scope="module")
def duck():
    with duckdb_database(TABLES) as connection:
        yield connection


@pytest.fixture(scope="module")
def postgresql():
    """The address of a server of our own that holds the tables, and a sequence that is no table."""
    with postgresql_server(TABLES) as address:
        import adbc_driver_postgresql.dbapi as dbapi

        with dbapi.connect(address) as connection, connection.cursor() as cursor:
            cursor.execute("CREATE SEQUENCE drawn")
            connection.commit()
        yield address


@pytest.fixture(params=["duckdb", "postgresql"])
def opened(request):
    """A function from a query to its rows, for each database."""
    if request.param == "duckdb":
        connection = request.getfixturevalue("duck")
        return lambda query, **options: rows.from_duckdb(query, connection=connection, **options)
    address = request.getfixturevalue("postgresql")
    return lambda query, **options: rows.from_sql(address, query, **options)


def source_of(opened, table, weight=None, **options):
    return opened(f"SELECT * FROM {table}", target="kind", columns=NAMES, weight=weight, **options)


# --- the same answer ------------------------------------------------------------------------------------


@every_learner
@two_and_four_classes
@pushed
def test_a_query_fits_as_its_arrays_do(opened, learner, K, weight, pushdown):
    source = source_of(opened, f"of_{K}", weight, pushdown=pushdown)
    assert_same_model(learner, source, TABLES[f"of_{K}"], weight)
    assert source.passes == 1
    assert (source.class_products(full=True) is not None) == pushdown


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_an_offset_of_a_million_deviations_costs_pushed_sums_no_digit(opened, learner):
    streamed, summed = (source_of(opened, "far", pushdown=p) for p in (False, True))
    a, b = (learner.fit(source).coef_.copy() for source in (streamed, summed))
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-12 * np.abs(b).max())


def test_classes_that_lie_far_apart_are_summed_about_their_own_means(duck):
    query = "SELECT i % 2 AS y, 1e9 * (i % 2) + sin(i) AS a, cos(3 * i) AS b FROM range(2000) AS r(i)"
    streamed, summed = (rows.from_duckdb(query, connection=duck, target="y", pushdown=p) for p in (False, True))
    a, b = (NaiveBayes(marginal="gaussian").fit(source).statistics_ for source in (streamed, summed))
    np.testing.assert_allclose(b.scatter, a.scatter, rtol=1e-12)
    assert summed.passes == 2


def test_sums_are_pushed_down_where_that_is_cheaper(duck):
    wide = ", ".join(f"sin({j} * i) AS x{j}" for j in range(40))
    few, many = (
        rows.from_duckdb(f"SELECT i % 2 AS y, {columns} FROM range(500) AS r(i)", connection=duck, target="y")
        for columns in ("sin(i) AS a, cos(i) AS b", wide)
    )
    assert few.class_products(full=True) is not None
    assert many.class_products(full=True) is None
    assert many.class_products(full=False) is not None


@pytest.mark.parametrize("kind", ["smallint", "bigint", "real", "boolean", "numeric(12, 3)", "numeric"])
@pushed
def test_columns_of_every_kind_of_number(opened, kind, pushdown):
    cells = "(VALUES (0, 'a'), (1, 'a'), (1, 'b'), (0, 'b'), (1, 'b')) AS t(x, y)"
    value = f"CAST(x AS {kind})" if kind != "boolean" else "(x = 1)"
    source = opened(f"SELECT {value} AS x, y FROM {cells}", target="y", pushdown=pushdown)
    moments = NaiveBayes(marginal="gaussian").fit(source).statistics_
    np.testing.assert_allclose(moments.means, [[0.5], [2 / 3]])


@pushed
@pytest.mark.parametrize("label", ["x > 1", "CAST(x AS integer)", "CAST(x AS numeric)", "DATE '2024-01-01'"])
def test_classes_of_every_kind(opened, label, pushdown):
    query = f"SELECT {label} AS y, x * 1.5e0 AS a FROM (VALUES (1), (2), (1), (2)) AS t(x)"
    source = opened(query, target="y", pushdown=pushdown)
    if "DATE" in label:
        with pytest.raises(ValueError, match="one class only"):
            LinearDiscriminantAnalysis().fit(source)
        return
    assert LinearDiscriminantAnalysis().fit(source).classes_.size == 2


# --- what the rows are ----------------------------------------------------------------------------------


def test_every_pass_asks_the_query_again(opened):
    source = source_of(opened, "of_2")
    first, second = source.collect(), source.collect()
    assert np.array_equal(first.matrix, second.matrix)
    assert source.passes == 2
    assert first.n_rows == 1200


def test_samples_go_by_ids_where_there_are_any(opened):
    ways = ("key", "key DESC")
    drawn = [
        opened(f"SELECT * FROM of_2 ORDER BY {way}", target="kind", columns=NAMES, id="key").sample(50) for way in ways
    ]
    assert sorted(drawn[0].ids.tolist()) == sorted(drawn[1].ids.tolist())


def test_values_are_bound_and_names_are_quoted(opened, duck, postgresql):
    query = 'SELECT * FROM of_4 WHERE "the ""long"" one" < $1 AND kind <> $2'
    source = opened(query, target="kind", columns=NAMES, parameters=[0.5, "x' OR 'a' = 'a"])
    table = TABLES["of_4"]
    kept = np.flatnonzero(table.column(NAMES[1]).to_numpy() < 0.5)
    assert_same_model(LinearDiscriminantAnalysis(), source, table.take(kept))


def test_a_relation_is_a_source(duck):
    relation = duck.table("of_2").filter('"count" > 1')
    table = TABLES["of_2"]
    kept = table.take(np.flatnonzero(table.column("count").to_numpy() > 1))
    assert_same_model(LEARNERS[0], rows.from_duckdb(relation, target="kind", columns=NAMES), kept)
    with pytest.raises(OptionError, match="its own connection"):
        rows.from_duckdb(relation, target="kind", connection=duck)


def test_a_database_file_is_opened_for_reading_alone(tmp_path):
    with duckdb.connect(str(tmp_path / "a.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT i % 2 AS y, sin(i) AS x FROM range(50) AS r(i)")
    source = rows.from_duckdb("SELECT * FROM t", database=tmp_path / "a.duckdb", target="y")
    assert source.collect().n_rows == 50
    with pytest.raises(OptionError, match="not one SELECT"):
        rows.from_duckdb("DROP TABLE t", database=tmp_path / "a.duckdb", target="y")
    with pytest.raises(OptionError, match="not one SELECT"):
        rows.from_duckdb("SELECT * FROM t; DROP TABLE t", database=tmp_path / "a.duckdb", target="y")


@pytest.mark.parametrize("writing", ["DELETE FROM of_2 RETURNING *", "SELECT 1) AS a; DROP TABLE of_2; SELECT (1"])
def test_nothing_is_written_to_postgresql(postgresql, writing):
    with pytest.raises(DatabaseError):
        rows.from_sql(postgresql, writing, target="kind").collect()
    assert rows.from_sql(postgresql, "SELECT * FROM of_2", target="kind", columns=NAMES).collect().n_rows == 1200


def test_a_function_that_writes_is_refused_by_the_transaction(postgresql):
    with pytest.raises(DatabaseError, match="read-only"):
        rows.from_sql(postgresql, "SELECT 'a' AS y, nextval('drawn') AS x", target="y").collect()


def test_a_connection_of_the_users_own(postgresql):
    import adbc_driver_postgresql.dbapi as adbc

    with adbc.connect(postgresql) as connection:
        source = rows.from_sql(connection, "SELECT * FROM of_2", target="kind", columns=NAMES)
        assert_same_model(LEARNERS[0], source, TABLES["of_2"])


def test_a_connection_that_a_failed_query_left_in_error_says_the_way_out(postgresql):
    import adbc_driver_postgresql.dbapi as adbc

    with adbc.connect(postgresql) as connection:
        with pytest.raises(DatabaseError, match="nowhere"):
            rows.from_sql(connection, "SELECT nowhere AS x, kind FROM of_2", target="kind").collect()
        with pytest.raises(DatabaseError, match=r"error state.*; call rollback\(\) on the connection"):
            rows.from_sql(connection, "SELECT * FROM of_2", target="kind", columns=NAMES).collect()
        connection.rollback()
        source = rows.from_sql(connection, "SELECT * FROM of_2", target="kind", columns=NAMES)
        assert source.collect().n_rows == 1200


# --- what is wrong is named -----------------------------------------------------------------------------


@pushed
@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("CASE WHEN i = 7 THEN NULL ELSE 1.5e0 * i END", "row 8, column 'x': is blank"),
        ("CASE WHEN i = 7 THEN CAST('NaN' AS float8) ELSE 1.5e0 * i END", "NaN"),
        ("CASE WHEN i = 7 THEN 9007199254740993 ELSE i END", r"row 8, column 'x': 9007199254740993.*2\*\*53"),
        ("CASE WHEN i = 7 THEN 1e200 * i ELSE 1.5e0 * i END", "overflow"),
    ],
)
def test_bad_cells_are_named_however_they_are_summed(opened, cell, message, pushdown):
    counted = "(SELECT CAST(i AS bigint) AS i FROM generate_series(0, 19) AS s(i)) AS t"
    source = opened(f"SELECT {cell} AS x, i % 2 AS y FROM {counted} ORDER BY i", target="y", pushdown=pushdown)
    with pytest.raises(ValueError, match=message):
        LinearDiscriminantAnalysis().fit(source)


@pushed
@pytest.mark.parametrize("bad", ["NULL", "-1", "CAST('Infinity' AS float8)"])
def test_bad_weights_are_named(opened, bad, pushdown):
    cells = f"SELECT i % 2 AS y, 1.5e0 * i AS x, CASE WHEN i = 3 THEN {bad} ELSE 1 END AS w"
    query = f"{cells} FROM generate_series(0, 9) AS s(i) ORDER BY i"
    with pytest.raises(TableError, match="row 4, column 'w'"):
        LinearDiscriminantAnalysis().fit(opened(query, target="y", weight="w", pushdown=pushdown))


@pushed
def test_a_blank_class_is_named(opened, pushdown):
    query = "SELECT NULLIF(i, 3) AS y, 1.5e0 * i AS x FROM generate_series(0, 9) AS s(i) ORDER BY i"
    with pytest.raises(TableError, match="row 4, column 'y'"):
        LinearDiscriminantAnalysis().fit(opened(query, target="y", pushdown=pushdown))


def test_columns_and_options_that_make_no_sense(opened):
    with pytest.raises(MissingColumn, match="kind"):
        opened("SELECT * FROM of_2", target="kinds")
    with pytest.raises(OptionError, match="pushdown"):
        source_of(opened, "of_2", pushdown="always")
    with pytest.raises(OptionError, match="columns that are no numbers"):
        opened("SELECT * FROM of_2", target="count", pushdown=True)
    with pytest.raises(TableError, match="no column to learn from"):
        opened("SELECT kind FROM of_2", target="kind")
    with pytest.raises(DatabaseError, match="failed"):
        opened("SELECT * FROM nowhere", target="kind")
    with pytest.raises(ValueError, match="0 sample"):
        LinearDiscriminantAnalysis().fit(source_of(opened, "of_2 WHERE false"))


def test_postgresql_returns_no_more_than_so_many_sums(postgresql):
    wide = ", ".join(f"{j}e0 * i AS x{j}" for j in range(60))
    source = rows.from_sql(postgresql, f"SELECT i % 2 AS y, {wide} FROM generate_series(1, 9) AS s(i)", target="y",
                           pushdown=True)  # fmt: skip
    with pytest.raises(OptionError, match="60 columns need"):
        LinearDiscriminantAnalysis().fit(source)


def test_a_source_that_changes_between_passes_is_noticed(duck):
    duck.execute("CREATE OR REPLACE TABLE changing AS SELECT i % 2 AS y, sin(i) AS x FROM range(50) AS r(i)")
    source = rows.from_duckdb("SELECT * FROM changing", connection=duck, target="y")
    source.collect()
    duck.execute("UPDATE changing SET x = x + 1 WHERE x > 0.5")
    with pytest.raises(SourceChanged, match="other values"):
        source.collect()
    duck.execute("INSERT INTO changing VALUES (1, 2)")
    with pytest.raises(SourceChanged):
        LinearDiscriminantAnalysis().fit(source)


def test_passwords_stand_nowhere(postgresql):
    secret = "pssst-7431"
    address = postgresql.replace("postgresql:///", f"postgresql://nobody:{secret}@/").replace("user=tests", "")
    with pytest.raises(DatabaseError) as caught:
        rows.from_sql(address + f"&password={secret}", "SELECT * FROM of_2", target="kind")
    assert secret not in str(caught.value)
    assert caught.value.__cause__ is None
    good = postgresql.replace("user=tests", f"user=tests&password={secret}")
    source = rows.from_sql(good, "SELECT * FROM of_2", target="kind", columns=NAMES)
    model = LinearDiscriminantAnalysis().fit(source)
    assert secret not in repr(source) + repr(vars(source)) + repr(vars(model)) + repr(source.schema)


def test_rows_stream(duck):
    """Memory stays constant: batches are far smaller than the table."""
    query = "SELECT i % 2 AS y, sin(i) AS a, cos(i) AS b FROM range(3000000) AS r(i)"
    before = pa.total_allocated_bytes()
    sizes, held = [], []
    for block in rows.from_duckdb(query, connection=duck, target="y").batches():
        sizes.append(block.n_rows)
        held.append(pa.total_allocated_bytes() - before)
    assert sum(sizes) == 3_000_000
    assert max(sizes) < 600_000
    assert max(held) < 40e6


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://me:se-cret@host/db", "postgresql://me:se/cret@host/db", "postgres://me:s@e-cret@host",
        "could not connect to postgresql://me:se-cret@host/db?x=1: refused", "host=a password=se-cret user=b",
        "password = se-cret", "password='se-cr\\'et' user=me", "PASSWORD='se-cr''et'", "passwd=se-cret;",
        "postgresql://host/db?user=a&password=se-cret&sslmode=off", 'password="se-cret"', "sslpassword=se-cret",
        "SELECT * FROM postgres_scan('host=h password=se-cret', 't')",
    ],
)  # fmt: skip
def test_passwords_are_hidden_wherever_they_stand(text):
    told = hide_passwords(text)
    assert "***" in told
    for piece in ("se-cr", "cret", "et'"):
        assert piece not in told


@pytest.mark.parametrize("text", ["postgresql://host:5432/db", "SELECT a, b FROM t WHERE c = 'x@y'", "fit t.csv -t y"])
def test_what_is_no_password_is_left_alone(text):
    assert hide_passwords(text) == text


@pytest.mark.parametrize("password", ["pa/ss", "pa?ss", "pa#ss", "p/a@ss"])
def test_a_password_that_the_driver_would_take_for_a_host_is_refused(password):
    with pytest.raises(OptionError, match="%2F") as caught:
        rows.from_sql(f"postgresql://me:{password}@localhost:1/x", "SELECT 1 AS y", target="y")
    assert "ss" not in str(caught.value).replace("password", "").replace("address", "")
    for sound in (
        "postgresql://host:5432/db?user=a@b",
        "postgresql://me@host/db",
        "postgresql:///db",
        "postgresql://a:b@c/d",
    ):
        assert not address_has_open_password(sound)


def test_names_and_paths_in_the_wrong_place(tmp_path):
    for opened in (
        lambda: rows.from_duckdb("loans", target="y"),
        lambda: rows.from_sql("postgresql:///none", " public.loans; ", target="y"),
        lambda: rows.from_sql(f"sqlite:{tmp_path}/none.db", '"my loans"', target="y"),
    ):
        with pytest.raises(OptionError, match=r"is a name; write SELECT \* FROM (loans|public\.loans|\"my loans\")$"):
            opened()
    with pytest.raises(OptionError, match=r"takes a connection of DuckDB; for a file write database='bank\.duckdb'"):
        rows.from_duckdb("SELECT 1 AS y", connection="bank.duckdb", target="y")
