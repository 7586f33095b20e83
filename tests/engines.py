"""Databases and clusters on this machine for tests, each as a context; what is not installed skips the test."""

import os
import shutil
import socket
import subprocess
import sys
import time
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


def _need_spark():
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java, which is not installed")


def _paths_of_the_package():
    """What executors must be able to import."""
    return os.pathsep.join(str(path) for path in (Path(discriminant.__file__).parents[1], Path(__file__).parents[1]))


@contextmanager
def spark_master(folder):
    """The address of a Spark cluster that runs by itself: a master and a worker, as an operator starts them."""
    _need_spark()
    import pyspark

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    start = [str(Path(pyspark.__file__).parent / "bin" / "spark-class"), "org.apache.spark.deploy"]
    here = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    here |= {"PYTHONPATH": _paths_of_the_package(), "SPARK_WORKER_DIR": str(folder)}
    master = f"spark://127.0.0.1:{port}"
    services = [
        ["master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"],
        ["worker.Worker", master, "--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", "0"],
    ]
    running = []
    try:
        for name, *options in services:
            command = [start[0], f"{start[1]}.{name}", *options]
            running.append(subprocess.Popen(command, env=here, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            _wait_for(port)
        yield master
    finally:
        for service in reversed(running):
            service.terminate()
            service.wait(30)


def _wait_for(port, seconds=120):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.2)
    raise TimeoutError(f"nothing answers at port {port}")


@contextmanager
def spark_cluster(folder):
    """A session of a Spark cluster: a master and two workers with an executor of one core each."""
    _need_spark()
    from pyspark.sql import SparkSession

    settings = {
        "spark.executorEnv.PYTHONPATH": _paths_of_the_package(),
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
