"""Every source of rows there is, as one fixture: a function from the name of a table to its rows."""

import contextlib
import sqlite3

import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from discriminant import rows
from tests.engines import dask_cluster, duckdb_database, postgresql_server, spark_cluster
from tests.sources.tables import TABLES, arrays_of

ROWS_A_FILE, ROWS_A_GROUP = 250, 90
SOURCES = ("memory", "batches", "parquet", "csv", "duckdb", "sqlite", "postgresql", "dask", "dask frame")
# Starting a cluster of Spark takes longer than everything else.
SLOW_SOURCES = ("spark", "spark frame")


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A folder of Parquet files and one of CSV files for each table."""
    made = tmp_path_factory.mktemp("tables")
    for name, table in TABLES.items():
        for kind in ("parquet", "csv"):
            (made / kind / name).mkdir(parents=True)
        for k, a in enumerate(range(0, table.num_rows, ROWS_A_FILE)):
            part = table.slice(a, ROWS_A_FILE)
            pq.write_table(part, made / "parquet" / name / f"{k}.parquet", row_group_size=ROWS_A_GROUP)
            pyarrow.csv.write_csv(part, made / "csv" / name / f"{k}.csv")
    return made


@pytest.fixture(scope="session")
def duckdb_connection():
    with duckdb_database(TABLES) as connection:
        yield connection


@pytest.fixture(scope="session")
def postgresql():
    with postgresql_server(TABLES) as address:
        yield address


@pytest.fixture(scope="session")
def sqlite_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("sqlite") / "tables.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for name, table in TABLES.items():
            columns = ", ".join(f'"{column.replace(chr(34), 2 * chr(34))}"' for column in table.column_names)
            connection.execute(f"CREATE TABLE {name} ({columns})")
            marks = ", ".join("?" * table.num_columns)
            cells = zip(*(column.to_pylist() for column in table.columns), strict=True)
            connection.executemany(f"INSERT INTO {name} VALUES ({marks})", cells)
        connection.commit()
    return path


@pytest.fixture(scope="session")
def dask_client():
    with dask_cluster() as client:
        yield client


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    with spark_cluster(tmp_path_factory.mktemp("spark")) as session:
        yield session


@pytest.fixture(params=[*SOURCES, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW_SOURCES)])
def opened(request, folder):
    """A function from a table and options to its rows, for each source."""
    kind = request.param
    if kind == "memory":
        return lambda name, **options: rows.from_arrays(*arrays_of(name, **options))
    if kind == "batches":
        return lambda name, **options: rows.from_batches(_batches(name, **options))
    if kind in ("parquet", "csv"):
        return lambda name, **options: rows.open(folder / kind / name, **options)
    if kind == "duckdb":
        connection = request.getfixturevalue("duckdb_connection")
        return lambda name, **options: rows.from_duckdb(f"SELECT * FROM {name}", connection=connection, **options)
    if kind == "sqlite":
        path = request.getfixturevalue("sqlite_file")
        return lambda name, **options: rows.from_sql(f"sqlite:{path}", f"SELECT * FROM {name}", **options)
    if kind == "postgresql":
        address = request.getfixturevalue("postgresql")
        return lambda name, **options: rows.from_sql(address, f"SELECT * FROM {name}", **options)
    if kind.startswith("dask"):
        return _on_dask(kind, request.getfixturevalue("dask_client"), folder)
    return _on_spark(kind, request.getfixturevalue("spark"), folder)


def _on_dask(kind, client, folder):
    if kind == "dask":
        return lambda name, **options: rows.from_dask(folder / "parquet" / name, client=client, **options)
    import dask.dataframe as dd

    def read(name, **options):
        return rows.from_dask(dd.read_parquet(folder / "parquet" / name), client=client, **options)

    return read


def _on_spark(kind, spark, folder):
    if kind == "spark":
        return lambda name, **options: rows.from_spark(folder / "parquet" / name, spark=spark, **options)
    return lambda name, **options: rows.from_spark(
        spark.read.parquet(str(folder / "parquet" / name)), spark=spark, **options
    )


def _batches(name, **options):
    X, y, weight = arrays_of(name, **options)
    parts = [slice(a, a + ROWS_A_GROUP) for a in range(0, len(y), ROWS_A_GROUP)]
    return [(X[part], y[part], *(() if weight is None else (weight[part],))) for part in parts]
