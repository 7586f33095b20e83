"""Databases and clusters on this machine for tests, each as a context; what is not installed skips the test."""

import os
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import discriminant
from tests.export import postgres


@contextmanager
def duckdb_database(tables):
    """A connection to a DuckDB in memory that holds the tables."""
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    with duckdb.connect() as connection:
        for name, table in tables.items():
            connection.register("made", table)
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM made")
        yield connection


@contextmanager
def postgresql_server(tables):
    """The address of a PostgreSQL server of our own that holds the tables."""
    if postgres.programs() is None:
        pytest.skip("no PostgreSQL server is installed")
    dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi", reason="adbc-driver-postgresql is not installed")
    with TemporaryDirectory() as folder:  # pytest's own are closed to the user that the server runs as
        server = postgres.Server(Path(folder))
        address = f"postgresql:///postgres?host={folder}&user=tests"
        try:
            with dbapi.connect(address) as connection, connection.cursor() as cursor:
                for name, table in tables.items():
                    cursor.adbc_ingest(name, table)
                connection.commit()
            yield address
        finally:
            server.stop()


@contextmanager
def dask_cluster():
    """A client of a Dask cluster with two worker processes of one thread each."""
    dask = pytest.importorskip("dask", reason="dask is not installed")
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")
    settings = {"distributed.admin.tick.limit": "60s", "distributed.scheduler.allowed-failures": 5}
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@contextmanager
def spark_cluster(folder):
    """A session of a Spark cluster: a master and two workers with an executor of one core each."""
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java, which is not installed")
    from pyspark.sql import SparkSession

    paths = [Path(discriminant.__file__).parents[1], Path(__file__).parents[1]]
    settings = {
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(map(str, paths)),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.shuffle.partitions": "2",
        "spark.log.level": "OFF",
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        session = builder.getOrCreate()
        try:
            yield session
        finally:
            session.stop()
