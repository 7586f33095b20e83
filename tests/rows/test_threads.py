"""Threads: as many as BLAS may use, and BLAS as it was once everyone is out."""

import threading
from itertools import pairwise

import numpy as np
from tests.tables import gaussian_table
from threadpoolctl import threadpool_info, threadpool_limits

from discriminant import LinearDiscriminantAnalysis
from discriminant.rows.threads import over_spans, single_threaded_blas


def blas_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_spans_cover_the_rows_in_order():
    for threads in (1, 2, 3):
        with threadpool_limits(threads):
            spans = over_spans(lambda a, b: (a, b), 1_000_003, 5)
        assert len(spans) == threads
        assert spans[0][0] == 0
        assert spans[-1][1] == 1_000_003
        assert all(a[1] == b[0] for a, b in pairwise(spans))


def test_small_tables_are_not_cut():
    assert over_spans(lambda a, b: (a, b), 100, 5) == [(0, 100)]


def test_blas_is_held_inside_and_restored_outside():
    with threadpool_limits(2):
        with single_threaded_blas():
            assert blas_threads() == {1}
            assert single_threaded_blas.allowed_threads() == 2
            with single_threaded_blas():
                assert blas_threads() == {1}
            assert blas_threads() == {1}
        assert blas_threads() == {2}


def test_many_fits_at_once_agree_and_restore_blas():
    X, y = gaussian_table(0, n=100_000, d=6)
    expected = LinearDiscriminantAnalysis().fit(X, y).coef_
    found = []

    def fit():
        found.extend(LinearDiscriminantAnalysis().fit(X, y).coef_ for _ in range(5))

    with threadpool_limits(2):
        workers = [threading.Thread(target=fit) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert blas_threads() == {2}
    assert len(found) == 20
    for coef in found:
        np.testing.assert_allclose(coef, expected, rtol=1e-10)


def test_blas_is_restored_by_whichever_thread_is_the_last():
    """threadpoolctl heeds only the first thread that set a limit, for as long as it lives."""
    inside, leave, end = threading.Event(), threading.Event(), threading.Event()

    def enter_first():
        with single_threaded_blas():
            inside.set()
            leave.wait()
        left.set()
        end.wait()

    left = threading.Event()
    before = blas_threads()
    first = threading.Thread(target=enter_first)
    first.start()
    inside.wait()
    with single_threaded_blas():
        leave.set()
        left.wait()
        assert blas_threads() == {1}
    after = blas_threads()
    end.set()
    first.join()
    assert after == before
