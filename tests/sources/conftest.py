"""Every source of rows there is, as one fixture: a function from the name of a table to its rows."""

import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import discriminant
from discriminant import rows
from tests.export import postgres
from tests.sources.tables import TABLES, arrays_of, sparse_parts

ROWS_A_FILE, ROWS_A_GROUP = 250, 90
SOURCES = ("memory", "batches", "parquet", "csv", "duckdb", "postgresql", "dask", "dask frame")
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
    """A database in memory that holds the tables."""
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    with duckdb.connect() as connection:
        for name, made in TABLES.items():
            connection.register("made", made)
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM made")
        yield connection


@pytest.fixture(scope="session")
def postgresql():
    """The address of a server of our own that holds the tables."""
    if postgres.programs() is None:
        pytest.skip("no PostgreSQL server is installed")
    dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi", reason="adbc-driver-postgresql is not installed")
    with TemporaryDirectory() as place:  # pytest's own are closed to the user that the server runs as
        server = postgres.Server(Path(place))
        address = f"postgresql:///postgres?host={place}&user=tests"
        try:
            with dbapi.connect(address) as connection, connection.cursor() as cursor:
                for name, table in TABLES.items():
                    cursor.adbc_ingest(name, table)
                connection.commit()
            yield address
        finally:
            server.stop()


@pytest.fixture(scope="session")
def dask_client():
    """Two worker processes of one thread each."""
    dask = pytest.importorskip("dask", reason="dask is not installed")
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")
    with (
        dask.config.set({"distributed.admin.tick.limit": "60s"}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """A master and two workers on this machine, with an executor of one core each."""
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java, which is not installed")
    from pyspark.sql import SparkSession

    made = tmp_path_factory.mktemp("spark")
    paths = [Path(discriminant.__file__).parents[1], Path(__file__).parents[2]]
    settings = {
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(map(str, paths)),
        "spark.pyspark.python": sys.executable,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": str(made / "local"),
        "spark.sql.warehouse.dir": str(made / "warehouse"),
        "spark.log.level": "OFF",
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


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
    if name == "sparse":
        return sparse_parts()
    X, y, weight = arrays_of(name, **options)
    parts = [slice(a, a + ROWS_A_GROUP) for a in range(0, len(y), ROWS_A_GROUP)]
    return [(X[part], y[part], *(() if weight is None else (weight[part],))) for part in parts]
