"""Rows on a cluster of Dask with two worker processes: the answer of one machine, also when a worker is killed."""

import os
import signal
import time
from functools import partial
from threading import Event, Thread, Timer

import numpy as np
import pytest
from tests.engines import dask_cluster
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
from discriminant.rows.dask import DaskEngine
from discriminant.rows.parts import ArrayPart
from discriminant.table.errors import OptionError, TableError

dask = pytest.importorskip("dask", reason="dask is not installed")
distributed = pytest.importorskip("distributed", reason="distributed is not installed")

TABLES = {K: made_table(K) for K in (2, 4)}
LDA = LinearDiscriminantAnalysis()


@pytest.fixture(scope="module")
def client():
    with dask_cluster() as client:
        yield client


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_tables(TABLES, tmp_path_factory.mktemp("parquet"))


@every_learner
@two_and_four_classes
def test_workers_read_files_and_sum_them(client, folder, learner, K, weight):
    source = rows.from_dask(folder / f"of_{K}", target="kind", client=client, columns=NAMES, weight=weight)
    assert_same_model(learner, source, TABLES[K], weight)


@pytest.mark.parametrize("clustered", [False, True], ids=["threads of this process", "workers"])
def test_frames_arrays_and_delayed_blocks(client, clustered):
    import dask.array as da
    import dask.dataframe as dd

    own = client if clustered else None
    table = TABLES[4]
    X, y, weight = arrays_of(table, "w")
    frame = dd.from_pandas(table.to_pandas(), npartitions=3)
    assert_same_model(LDA, rows.from_dask(frame, target="kind", client=own, columns=NAMES, weight="w"), table, "w")
    keyed = rows.from_dask(frame, target="kind", client=own, columns=NAMES, id="key")
    assert sorted(keyed.collect().ids) == list(range(1200))
    blocks = da.from_array(X, chunks=(500, 2))
    source = rows.from_dask(
        blocks, target=da.from_array(y, chunks=300), client=own, weight=da.from_array(weight, chunks=400)
    )
    assert_same_model(LDA, source, table, "w")
    assert source.collect().numbers[-1] <= 1199
    halves = [dask.delayed((X[a : a + 600], y[a : a + 600])) for a in (0, 600)]
    assert_same_model(LDA, rows.from_dask(halves, client=own), table)


def test_samples_are_those_of_one_machine(client, folder):
    X, y, _ = arrays_of(TABLES[2])
    wanted = rows.from_arrays(X, y).sample(60, 3)
    found = rows.from_dask(folder / "of_2", target="kind", client=client, columns=NAMES).sample(60, 3)
    assert np.array_equal(found.matrix, wanted.matrix)


def test_sums_are_added_in_the_same_tree_as_by_threads(client):
    parts = [ArrayPart(rows.from_arrays([[float(k)]], [0]), k) for k in range(7)]
    shape = DaskEngine(client).fold(parts, name_of, pair)
    assert shape == "(((01)(23))((45)6))"


def test_a_worker_that_is_killed_costs_time_alone(client, folder):
    source = rows.from_dask(folder / "of_2", target="kind", client=client, columns=NAMES)
    wanted = source.fold(partial(slow_moments, seconds=0.0))
    victim = next(iter(client.run(os.getpid).values()))
    killer = Timer(0.4, os.kill, (victim, signal.SIGKILL))
    killer.start()
    found = source.fold(partial(slow_moments, seconds=0.15))
    killer.join()
    assert found == wanted
    client.wait_for_workers(2, timeout=30)


def test_a_worker_that_is_killed_in_the_middle_of_a_fit_changes_no_bit(client, tmp_path):
    assert_same_with_a_loss(tmp_path, DaskEngine(client), next(iter(client.run(os.getpid).values())))
    client.wait_for_workers(2, timeout=30)


def test_an_interrupt_leaves_nothing_running(client, folder):
    source = rows.from_dask(folder / "of_2", target="kind", client=client, columns=NAMES)
    over = Event()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever else this process has done before

    def interrupt():
        """Again after a while: Python drops one that comes while a finaliser runs."""
        while not over.wait(0.7):
            os.kill(os.getpid(), signal.SIGINT)

    thread = Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            source.fold(partial(slow_moments, seconds=3.0))
    finally:
        over.set()
        thread.join()
        signal.signal(signal.SIGINT, before)
    assert_idle(client)


def assert_idle(client):
    """No task runs, or soon none does: what a worker has begun it ends."""
    for _ in range(100):
        if not any(client.processing().values()) and not client.futures:
            return
        time.sleep(0.1)
    raise AssertionError(f"{client.processing()} {client.futures}")


def test_a_fault_is_named_and_leaves_nothing_running(client, folder, tmp_path):
    bad = TABLES[2].slice(0, 400).to_pandas()
    bad.loc[17, NAMES[0]] = None
    bad.to_parquet(tmp_path / "bad.parquet")
    source = rows.from_dask([folder / "of_2", tmp_path / "bad.parquet"], target="kind", client=client, columns=NAMES)
    with pytest.raises(TableError, match=r"bad\.parquet, row 18, column 'height'"):
        LDA.fit(source)
    assert_idle(client)


def test_categories_of_pandas(client):
    """Numbers stored as codes are numbers; texts stored so need an encoding, which the workers learn."""
    import dask.dataframe as dd

    table = TABLES[2].to_pandas()
    coded = table.assign(count=table["count"].astype("category"))
    source = rows.from_dask(dd.from_pandas(coded, npartitions=3), target="kind", client=client, columns=NAMES)
    assert_same_model(LDA, source, TABLES[2])
    town = np.array(["north", " south", None])[np.arange(len(table)) % 3]
    texts = table.assign(town=town)
    texts.loc[:500, "town"] = None  # a partition of blanks alone
    asked = {"target": "kind", "columns": [*NAMES, "town"], "encoding": "auto"}
    coded = texts.assign(town=texts.town.astype("category"))
    named, plain = (
        rows.from_dask(dd.from_pandas(frame, npartitions=3), client=client, **asked) for frame in (coded, texts)
    )
    assert named.schema.names == plain.schema.names == (*NAMES, "town = south", "town is blank")
    assert np.array_equal(LDA.fit(named).coef_, LDA.fit(plain).coef_)


def test_what_makes_no_sense(client):
    import dask.array as da

    with pytest.raises(OptionError, match="has no labels"):
        rows.from_dask(da.zeros((10, 2), chunks=5), target="kind")
