"""Rows in parts: the same sums whatever the engine and the parts, faults and cancelling included."""

import pickle
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest

from discriminant import LinearDiscriminantAnalysis, rows
from discriminant.rows.parts import ArrayPart, Part, PartRows
from discriminant.rows.protocol import Schema, add_neighbours
from discriminant.rows.thread_engine import ThreadEngine, read_ahead

rng = np.random.default_rng(3)
X = rng.normal(size=(200, 3))
y = rng.integers(0, 3, size=200)
CUTS = [0, 1, 40, 41, 90, 150, 151, 200]


def parts_of(cuts=CUTS):
    return [ArrayPart(rows.from_arrays(X[a:b], y[a:b])) for a, b in pairwise(cuts)]


class OneByOne:
    """An engine in the order of the parts, as simple as there can be one."""

    def fold(self, parts, of_part, add):
        return add_neighbours(map(of_part, pickle.loads(pickle.dumps(list(parts)))), add)


@pytest.mark.parametrize(
    "engine", [None, ThreadEngine(1), ThreadEngine(4), OneByOne()], ids=["default", "one", "four", "process"]
)
def test_parts_fit_as_the_whole_does(engine):
    source = PartRows(parts_of(), Schema(3), engine)
    model = LinearDiscriminantAnalysis().fit(source)
    assert source.passes == 1
    assert np.allclose(model.coef_, LinearDiscriminantAnalysis().fit(X, y).coef_, rtol=1e-12)


def test_the_sum_has_the_same_shape_on_every_engine():
    sums = {
        PartRows(parts_of(), Schema(3), engine).fold(lambda block: f"{block.numbers[0]}", lambda a, b: f"({a} {b})")
        for engine in (ThreadEngine(1), ThreadEngine(2), ThreadEngine(5), OneByOne())
    }
    assert sums == {"(((0 1) (40 41)) ((90 150) 151))"}


def test_rows_are_numbered_through_the_whole():
    source = PartRows(parts_of(), Schema(3))
    whole = source.collect()
    assert np.array_equal(whole.numbers, np.arange(200))
    assert np.array_equal(whole.matrix, X)
    drawn = rows.from_arrays(X, y).sample(20, 7)
    assert np.array_equal(source.sample(20, 7).numbers, drawn.numbers)


@dataclass(frozen=True)
class EmptyPart(Part):
    first_row: int | None = None
    n_bytes: int = 0

    def blocks(self) -> Iterator[rows.ArrayRows]:
        yield from ()


def test_empty_parts_add_nothing():
    parts = [EmptyPart(), *parts_of()[:2], EmptyPart(), *parts_of()[2:], EmptyPart()]
    source = PartRows(parts, Schema(3))
    assert np.array_equal(source.collect().numbers, np.arange(200))
    assert [block.n_rows for block in source.batches()] == np.diff(CUTS).tolist()


def test_no_row_at_all_is_refused():
    for parts in ([], [EmptyPart()], [EmptyPart(), EmptyPart()]):
        with pytest.raises(ValueError, match=r"0 sample\(s\): the table has no row"):
            PartRows(parts, Schema(3), name="the table").collect()


@dataclass(frozen=True)
class GrowingPart(Part):
    lengths: list[int]
    first_row: int | None = 0
    n_bytes: int = 0

    def blocks(self) -> Iterator[rows.ArrayRows]:
        n = self.lengths.pop(0)
        yield rows.from_arrays(X[:n], y[:n])


def test_a_source_that_changes_between_passes_is_noticed():
    source = PartRows([GrowingPart([50, 50, 60])], Schema(3), name="the table")
    source.collect()
    assert sum(block.n_rows for block in source.batches()) == 50
    with pytest.raises(rows.SourceChanged, match="the table had 50 rows in the first pass and 60 in this"):
        source.collect()


@dataclass(frozen=True)
class SlowPart(Part):
    fault: type[BaseException] | None = None
    first_row: int | None = 0
    n_bytes: int = 0

    def blocks(self) -> Iterator[rows.ArrayRows]:
        for k in range(100):
            if self.fault is not None and k == 2:
                raise self.fault("in the middle")
            time.sleep(0.005)
            yield rows.from_arrays(X[:5], y[:5])


@pytest.mark.parametrize("fault", [OSError, KeyboardInterrupt])
@pytest.mark.parametrize("others", [0, 1, 9], ids="with {} others".format)
def test_a_fault_in_one_part_ends_all_threads(fault, others):
    before, started = threading.active_count(), time.monotonic()
    source = PartRows([SlowPart(fault), *[SlowPart()] * others], Schema(3), ThreadEngine(3))
    with pytest.raises(fault, match="in the middle"):
        source.fold(lambda block: block.n_rows)
    assert threading.active_count() == before
    assert time.monotonic() - started < 0.4  # all blocks of one part alone take half a second


def test_reading_ahead_ends_with_whoever_reads():
    before = threading.active_count()
    ahead = read_ahead(iter(range(10**9)))
    assert [next(ahead), next(ahead)] == [0, 1]
    ahead.close()
    assert threading.active_count() == before


def test_a_fault_of_a_reader_whom_nobody_waits_for_is_not_told():
    told, plain = [], threading.excepthook
    threading.excepthook = told.append
    met = threading.Event()

    def items():
        yield 0
        met.wait()
        raise OSError("too late")

    try:
        ahead = read_ahead(items())
        next(ahead)
        threading.Timer(0.05, met.set).start()
        ahead.close()
    finally:
        threading.excepthook = plain
    assert told == []


def test_readers_end_with_the_pass_though_its_fault_is_kept():
    open_readers = []

    @dataclass(frozen=True)
    class ReadPart(ArrayPart):
        def blocks(self):
            open_readers.append(self)
            try:
                for _ in range(9):
                    yield from super().blocks()
            finally:
                open_readers.remove(self)

    def refuse(block):
        raise ValueError("no")

    for n_threads in (1, 2):
        source = PartRows([ReadPart(rows.from_arrays(X, y), 0)], Schema(3), ThreadEngine(n_threads))
        with pytest.raises(ValueError, match="no"):
            source.fold(refuse)
        assert open_readers == []
