"""A spool is the rows of a source on disk: methods find there what they find in memory, and nothing stays behind."""

import errno
import gc
import logging
import mmap
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse

from discriminant import (
    Adaline,
    LinearSVM,
    LogisticRegression,
    OneVsAll,
    Perceptron,
    PocketPerceptron,
    rows,
    separate,
)
from discriminant.rows import spool
from discriminant.rows.map_pages import give_pages_back, map_under
from discriminant.rows.protocol import add_neighbours
from discriminant.rows.spool import NoRoom, spooled

rng = np.random.default_rng(8)
X = rng.normal(size=(400, 4))
Y = np.array(["p", "q"])[(X @ [1.0, -1, 0.5, 0] + rng.normal(size=400) > 0).astype(int)]
W = rng.integers(0, 3, 400).astype(float)

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.FindingWarning")


def batches_of(X=X, y=Y, weight=None, places=(0, 3, 150, 151, 400), **options):
    def read():
        for a, b in pairwise(places):
            yield X[a:b], y[a:b], None if weight is None else weight[a:b]

    return rows.from_batches(read, **options)


def open_files(within="deleted"):
    """Files that this process holds and that have no name any more."""
    maps = Path("/proc/self/maps").read_text().splitlines()
    return [line for line in maps if within in line]


LEARNERS = [
    LogisticRegression(),
    LinearSVM(),
    LinearSVM(loss="squared_hinge"),
    Perceptron(shuffle=False, max_iter=20),
    PocketPerceptron(random_state=0, max_iter=20),
    Adaline(random_state=0, max_iter=20),
    OneVsAll(LogisticRegression()),
]


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_learners_find_on_a_spool_what_they_find_in_memory(learner, weighted):
    weight = W if weighted and "sample_weight" in type(learner).fit.__code__.co_varnames else None
    arguments = {} if weight is None else {"sample_weight": weight}
    whole = learner.fit(X, Y, **arguments)
    planes = whole.coef_.copy(), whole.intercept_.copy()
    with spooled(batches_of(weight=weight)) as spool:
        model = learner.fit(spool.rows)
    assert np.array_equal(model.coef_, planes[0])
    assert np.array_equal(model.intercept_, planes[1])


@pytest.mark.parametrize("learner", [LinearSVM(), Perceptron(shuffle=False, max_iter=20)], ids=str)
def test_a_source_elsewhere_is_spooled_for_learners_that_go_back_to_rows(learner):
    whole = learner.fit(X, Y).coef_.copy()
    source = batches_of()
    assert np.array_equal(learner.fit(source).coef_, whole)


def test_separating_on_a_spool():
    labels = np.where(X[:, 0] > 0, 1, 0)
    with spooled(batches_of(y=labels)) as spool:
        assert separate(spool.rows).separable == separate(X, labels).separable


def test_a_spool_holds_what_the_source_holds():
    whole = batches_of(weight=W).collect()
    with spooled(batches_of(weight=W)) as spool:
        assert isinstance(spool.rows.matrix, np.memmap)
        for name in ("matrix", "classes", "codes", "weight", "numbers"):
            assert np.array_equal(getattr(spool.rows, name), getattr(whole, name)), name
        assert spool.n_bytes == np.count_nonzero(W) * (4 * 8 + 4 + 8 + 8)
    with pytest.raises(ValueError, match="has been released"):
        _ = spool.rows


def test_plain_rows_take_a_number_for_each_cell_and_a_code():
    with spooled(batches_of()) as spool:
        assert spool.n_bytes == 400 * (4 * 8 + 4)
        assert spool.rows.weight is None
        assert spool.rows.row_numbers is None


def test_weights_and_gaps_may_begin_late():
    parts = [(X[:5], Y[:5]), (X[5:9], Y[5:9], [0, 1, 2, 3])]
    with spooled(rows.from_batches(parts)) as spool:
        assert spool.rows.weight.tolist() == [1] * 5 + [1, 2, 3]
        assert spool.rows.numbers.tolist() == [0, 1, 2, 3, 4, 6, 7, 8]


def test_classes_that_come_late_are_put_in_order():
    y = np.array(["m", "z", "m", "a", "zz"])
    with spooled(batches_of(X[:5], y, places=(0, 2, 3, 4, 5))) as spool:
        assert spool.rows.classes.tolist() == ["a", "m", "z", "zz"]
        assert spool.rows.classes[spool.rows.codes].tolist() == y.tolist()


def test_sparse_rows_stay_sparse():
    S = sparse.random_array((400, 50), density=0.05, rng=rng, format="csr")
    with spooled(batches_of(S)) as spool:
        assert (abs(spool.rows.matrix - S)).max() == 0
        base = spool.rows.matrix.data
        while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
            base = base.base
        assert isinstance(base, np.memmap)
        model = LogisticRegression().fit(spool.rows)
    assert np.array_equal(model.coef_, LogisticRegression().fit(S, Y).coef_)


# --- nothing stays behind ---------------------------------------------------------------------------------


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="the maps of a process are told on Linux")
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_a_fitted_model_holds_nothing_of_the_spool(learner, tmp_path):
    source = batches_of(spool=str(tmp_path))
    model = learner.fit(source)
    gc.collect()
    assert open_files(str(tmp_path)) == []
    assert len(pickle.dumps(model)) < 400 * 4 * 8
    del model


def test_no_file_has_a_name(tmp_path):
    spool = spooled(batches_of(), tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert spool.folder == tmp_path


@pytest.mark.parametrize("fault", [OSError("gone"), KeyboardInterrupt()], ids=repr)
def test_a_fault_leaves_no_file_and_no_thread(tmp_path, fault):
    def read():
        yield X[:100], Y[:100]
        raise fault

    before = threading.active_count()
    source = rows.from_batches(lambda: read())
    with pytest.raises(type(fault)) as caught:
        spooled(source, tmp_path)
    assert open_files(str(tmp_path)) == []
    assert [f for f in os.listdir("/proc/self/fd") if _target(f).startswith(str(tmp_path))] == []
    assert threading.active_count() == before
    del caught


def _target(descriptor):
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        return ""


def test_a_killed_process_leaves_nothing(tmp_path):
    code = """
import sys, time
from discriminant import rows
def read():
    for k in range(10**6):
        print(k, flush=True)
        yield [[0.0] * 100] * 100, [0, 1] * 50
        time.sleep(0.01)
rows.spooled(rows.from_batches(read), sys.argv[1])
"""
    process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE)
    with process:
        for _ in range(10):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    assert list(tmp_path.iterdir()) == []


# --- room -------------------------------------------------------------------------------------------------


def test_room_is_asked_for_before(tmp_path, monkeypatch):
    usage = shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage)
    memory = rows.from_arrays(X, Y)
    with pytest.raises(NoRoom, match=r"take 14\.4 kB on disk, and .* has 1 kB free; name a folder"):
        spooled(memory, tmp_path)
    with pytest.raises(NoRoom, match="on disk"):
        spooled(memory)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_disk_that_fills_up_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: Path("/dev/full").open("wb", buffering=0))  # noqa: SIM115
    with pytest.raises(NoRoom, match="is full before all rows of the source of rows were on disk") as caught:
        spooled(batches_of(), tmp_path)
    assert caught.value.errno == errno.ENOSPC


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such folder for a spool"):
        LinearSVM().fit(batches_of(spool=str(tmp_path / "nowhere")))


def test_where_and_how_much_is_logged(tmp_path, caplog):
    with caplog.at_level(logging.INFO, logger="discriminant"):
        spooled(batches_of(), tmp_path)
    assert f"400 rows of the source of rows were spooled to {tmp_path}: 14.4 kB" in caplog.text


def test_no_row_cannot_be_spooled(tmp_path):
    source = batches_of()
    source._read = lambda: iter(())
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        spooled(source, tmp_path)


def test_non_finite_cells_are_refused_while_spooling(tmp_path):
    bad = X.copy()
    bad[200, 2] = np.inf
    with pytest.raises(ValueError, match=r"contains infinity \(at row 200, column 2\)"):
        spooled(batches_of(bad), tmp_path)


# --- logistic regression of files -------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    table = pa.table({**{f"x{j}": X[:, j] for j in range(4)}, "y": Y, "w": W})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=100)
    return tmp_path / "t.parquet"


@pytest.mark.parametrize("weight", [None, "w"])
def test_logistic_regression_of_files_lets_go_of_its_spool_and_answers_all_the_same(file, weight):
    spool_folder = file.parent / "spool"
    spool_folder.mkdir()
    columns = [f"x{j}" for j in range(4)]
    source = rows.open(file, target="y", weight=weight, columns=columns, spool=str(spool_folder))
    model, passes = LogisticRegression().fit(source), source.passes
    assert passes == 1
    assert open_files(str(spool_folder)) == []
    table, own = pa.table({c: X[:, j] for j, c in enumerate(columns)}), W if weight else None
    whole = LogisticRegression().fit(table, Y, own)
    assert np.array_equal(model.coef_, whole.coef_)
    assert np.array_equal(model.standard_errors_, whole.standard_errors_)
    assert source.passes == passes
    summary = model.summary(kind="profile", X=source)
    assert str(summary) == str(whole.summary(kind="profile", X=table, y=Y, sample_weight=own))
    assert passes < source.passes <= passes + 2
    assert open_files(str(spool_folder)) == []
    assert len(pickle.dumps(model)) < 5000


def test_a_source_spools_where_there_is_room_and_its_rows_come_here(file, monkeypatch):
    assert rows.open(file, target="y", columns=["x0"]).spools
    assert not rows.open(file, target="y", columns=["x0"], spool=False).spools
    assert not rows.open(file, target="y", columns=["x0"], engine=OtherEngine()).spools
    usage = shutil.disk_usage("/")._replace(free=10)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage)
    assert not rows.open(file, target="y", columns=["x0"]).spools


class OtherEngine:
    def fold(self, parts, of_part, add):
        return add_neighbours(map(of_part, parts), add)


@pytest.mark.skipif(not hasattr(mmap, "MADV_DONTNEED"), reason="this system cannot be asked to take pages back")
@pytest.mark.parametrize("as_sparse", [False, True])
def test_pages_are_given_back_while_rows_are_read_in_order(monkeypatch, as_sparse):
    monkeypatch.setattr(spool, "_SMALL_MAP", 0)
    monkeypatch.setattr(spool, "_SECONDS", 0.001)
    X, y = np.random.default_rng(0).normal(size=(40_000, 20)), np.arange(40_000) % 2
    whole = rows.from_arrays(sparse.csr_array(X) if as_sparse else X, y)
    with spooled(rows.from_batches([(whole.matrix, y)])) as held:
        expected, before = held.rows.matrix.sum(), _resident_kilobytes()
        assert before > 6000  # the map was read just now
        with spool.few_pages_resident(held.rows):
            deadline = time.monotonic() + 10
            while _resident_kilobytes() > before - 5000 and time.monotonic() < deadline:
                time.sleep(0.001)
            assert _resident_kilobytes() <= before - 5000
            assert held.rows.matrix.sum() == expected
        assert not [t for t in threading.enumerate() if t.name == "spool-pages"]


@pytest.mark.skipif(not hasattr(mmap, "MADV_DONTNEED"), reason="this system cannot be asked to take pages back")
def test_the_look_for_extremes_gives_pages_back_itself():
    X, y = np.ones((200_000, 40)), np.arange(200_000) % 2
    with spooled(rows.from_batches([(X, y)])) as held:
        give_pages_back(map_under(held.rows.matrix))
        before = _resident_kilobytes()
        held.rows.refuse_extremes()
        assert _resident_kilobytes() < before + 40_000  # of 64 MB


def _resident_kilobytes():
    """Of files that are mapped."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("RssFile:")[1].split()[0])


def test_some_rows_of_a_map_are_those_of_the_array():
    X, y = np.random.default_rng(0).normal(size=(9000, 3)), np.arange(9000) % 2
    chosen = np.random.default_rng(1).permutation(9000)[:5000]
    with spooled(rows.from_batches([(X, y)])) as held:
        taken = held.rows.take(chosen)
        assert np.array_equal(taken.matrix, X[chosen])
        assert np.array_equal(taken.codes, y[chosen])
