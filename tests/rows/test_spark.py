"""Rows on a Spark cluster with two executors: the answer of one machine, also when an executor is killed."""

import os
import signal
import time
from functools import partial
from pathlib import Path
from threading import Timer

import numpy as np
import pytest
from tests.engines import spark_cluster
from tests.rows.engine_tables import (
    NAMES,
    arrays_of,
    assert_same_model,
    assert_same_with_a_loss,
    every_learner,
    made_table,
    name_of,
    pair,
    slow_moments,
    two_and_four_classes,
    write_tables,
)

from discriminant import LinearDiscriminantAnalysis, rows
from discriminant.rows.parts import ArrayPart
from discriminant.rows.spark import SparkEngine
from discriminant.statistics.moments import ClassMoments
from discriminant.table.errors import OptionError, TableError

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed")
# Starting a cluster takes longer than everything else that is tested of sources.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

TABLES = {K: made_table(K) for K in (2, 4)}
LDA = LinearDiscriminantAnalysis()


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    with spark_cluster(tmp_path_factory.mktemp("spark")) as session:
        yield session


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_tables(TABLES, tmp_path_factory.mktemp("parquet"))


@pytest.fixture
def frame(spark, folder):
    return lambda K: spark.read.parquet(str(folder / f"of_{K}"))


@every_learner
@two_and_four_classes
def test_tasks_read_files_and_sum_them(spark, folder, learner, K, weight):
    source = rows.from_spark(folder / f"of_{K}", target="kind", spark=spark, columns=NAMES, weight=weight)
    assert_same_model(learner, source, TABLES[K], weight)


@every_learner
@pytest.mark.parametrize(("K", "weight"), [(4, "w")])
def test_any_data_frame_is_a_source(frame, learner, K, weight):
    source = rows.from_spark(frame(K), target="kind", columns=NAMES, weight=weight)
    assert_same_model(learner, source, TABLES[K], weight)


def test_later_passes_read_copies_of_the_batches(frame):
    source = rows.from_spark(frame(4), target="kind", columns=NAMES)
    first, second, third = (source.fold(ClassMoments.of_rows) for _ in range(3))
    assert first == second == third
    assert source.passes == 3


def test_rows_come_to_the_driver_in_order_when_they_are_asked_for(spark, frame, folder):
    X, y, _ = arrays_of(TABLES[2])
    for source in (
        rows.from_spark(frame(2).coalesce(2), target="kind", columns=NAMES, id="key"),
        rows.from_spark(folder / "of_2", target="kind", columns=NAMES, id="key"),
    ):
        whole = source.collect()
        order = np.argsort(whole.ids)
        keys = np.argsort(TABLES[2].column("key").to_numpy())
        assert np.array_equal(whole.matrix[order], X[keys])
        assert np.array_equal(whole.classes[whole.codes][order], y[keys])
        assert sum(block.n_rows for block in source.batches()) == 1200


def test_vectors_count_as_a_column_for_each_entry(frame):
    from pyspark.ml.feature import VectorAssembler

    plain = frame(2).withColumnRenamed(NAMES[1], "long")
    vectors = VectorAssembler(inputCols=["height", "long", "count"], outputCol="x").transform(plain)
    source = rows.from_spark(vectors, target="kind", columns=["x"])
    assert source.schema.names == ("x_0", "x_1", "x_2")
    assert_same_model(LDA, source, TABLES[2])


def test_samples_are_those_of_one_machine(spark, folder):
    X, y, _ = arrays_of(TABLES[2])
    wanted = rows.from_arrays(X, y).sample(60, 3)
    found = rows.from_spark(folder / "of_2", target="kind", spark=spark, columns=NAMES).sample(60, 3)
    assert np.array_equal(found.matrix, wanted.matrix)


@pytest.mark.parametrize("n", [7, 43])
def test_sums_are_added_in_the_same_tree_as_by_threads(spark, n):
    from discriminant.rows.protocol import add_neighbours

    parts = [ArrayPart(rows.from_arrays([[float(k)]], [0]), k) for k in range(n)]
    assert SparkEngine(spark).fold(parts, name_of, pair) == add_neighbours(map(name_of, parts), pair)


def _executors():
    """Processes of executors of this test: JVMs below this one."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            ours = any(f"spark.driver.port={_port()}".encode() in word for word in words)
            if ours and any(b"CoarseGrainedExecutorBackend" in word for word in words):
                found.append(int(entry.name))
    return found


def _port():
    return pyspark.SparkContext._active_spark_context.getConf().get("spark.driver.port")


@pytest.mark.parametrize("of_files", [True, False], ids=["files", "data frame"])
def test_an_executor_that_is_killed_costs_time_alone(spark, folder, frame, of_files):
    if not Path("/proc/self/cmdline").exists():
        pytest.skip("executors are found by /proc, which this system has not")
    source = folder / "of_2" if of_files else frame(2).repartition(4, "key")
    source = rows.from_spark(source, target="kind", columns=NAMES, id="key")
    wanted = source.fold(ClassMoments.of_rows)
    victims = _executors()
    assert victims
    killer = Timer(0.7, os.kill, (victims[0], signal.SIGKILL))
    killer.start()
    found = source.fold(partial(slow_moments, seconds=0.4))
    killer.join()
    if of_files:
        assert found == wanted
    else:  # rows shuffled by Spark come in another order when they are shuffled again: the same sums but for rounding
        assert np.array_equal(found.counts, wanted.counts)
        assert np.allclose(found.means, wanted.means, rtol=1e-12, atol=1e-14)
        assert np.allclose(found.scatter, wanted.scatter, rtol=1e-12, atol=1e-9)


def test_an_executor_that_is_killed_in_the_middle_of_a_fit_changes_no_bit(spark, tmp_path):
    if not Path("/proc/self/cmdline").exists():
        pytest.skip("executors are found by /proc, which this system has not")
    assert_same_with_a_loss(tmp_path, SparkEngine(spark), _executors()[0])


def test_an_interrupt_leaves_nothing_running(spark, folder):
    source = rows.from_spark(folder / "of_2", target="kind", spark=spark, columns=NAMES)
    source.fold(ClassMoments.of_rows)
    interrupt = Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    interrupt.start()
    with pytest.raises(KeyboardInterrupt):
        source.fold(partial(slow_moments, seconds=5.0))
    interrupt.join()
    tracker = spark.sparkContext.statusTracker()
    for _ in range(50):
        if not tracker.getActiveJobsIds():
            break
        time.sleep(0.1)
    assert not tracker.getActiveJobsIds()


def test_a_fault_is_named(spark, folder, frame, tmp_path):
    bad = TABLES[2].slice(0, 400).to_pandas()
    bad.loc[17, NAMES[0]] = None
    bad.to_parquet(tmp_path / "bad.parquet")
    source = rows.from_spark([folder / "of_2", tmp_path / "bad.parquet"], target="kind", spark=spark, columns=NAMES)
    with pytest.raises(TableError, match=r"bad\.parquet, row 18, column 'height'"):
        LDA.fit(source)
    with pytest.raises(TableError, match="partition 0, row 18, column 'height'"):
        LDA.fit(rows.from_spark(spark.read.parquet(str(tmp_path)), target="kind", columns=NAMES))
    with pytest.raises(OptionError, match="delimiter= is for files"):
        rows.from_spark(frame(2), target="kind", delimiter=";")
