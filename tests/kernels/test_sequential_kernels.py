"""Kernels that take rows one after another: each is its own Python function, for dense and CSR rows alike.

These tests also run without the compiler (NUMBA_DISABLE_JIT=1) and with checked indices (NUMBA_BOUNDSCHECK=1).
"""

from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from discriminant.kernels import access, adaline, counting_errors, ordering
from discriminant.kernels import perceptron as kernels
from discriminant.rows.matrix import kernel_form
from tests import transcriptions
from tests.tables import seeds

FORMS = {
    "dense": np.asarray,
    "float32": lambda X: X.astype(np.float32),
    "csr": sparse.csr_array,
    "csr64": lambda X: _with_long_indices(sparse.csr_array(X)),
}
forms = st.sampled_from(sorted(FORMS))


def _with_long_indices(X):
    return sparse.csr_array((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), shape=X.shape)


def python(kernel):
    """The function a kernel was compiled from; itself where nothing is compiled."""
    return getattr(kernel, "py_func", kernel)


@contextmanager
def all_in_python(kernel):
    """Where a kernel is a Python function, so are those it calls; numbers of 64 bits wrap without a word."""
    with pytest.MonkeyPatch.context() as patch, np.errstate(over="ignore"):
        if kernel is python(kernel):
            for name in ("_mix", "_random_below", "shuffle"):
                patch.setattr(ordering, name, python(getattr(ordering, name)))
        yield


NOTHING_AHEAD = np.empty(0, np.int32)


def table(seed, n=12, d=5):
    rng = np.random.default_rng(seed)
    X = (rng.integers(-8, 9, (n, d)) * (rng.random((n, d)) > 0.4)).astype(float)
    return X, rng.choice([-1, 1], n).astype(np.int8), rng


@given(seed=seeds, form=forms)
def test_products_with_a_row(seed, form):
    X, _, rng = table(seed)
    rows = kernel_form(FORMS[form](X))
    w = rng.integers(-9, 9, X.shape[1] + 1).astype(float)
    i = int(rng.integers(len(X)))
    x = np.append(X[i], 1.0)
    grown = w.copy()
    access.add(rows, i, 3.0, grown)
    access.fetch(rows, i)
    assert access.dot(rows, i, w) == x @ w
    assert np.array_equal(grown, w + 3 * x)
    assert access.square(rows, i, 1.0) == x @ x
    assert access.square(rows, i, 0.0) == x[:-1] @ x[:-1]


@given(
    seed=seeds,
    form=forms,
    weighted=st.booleans(),
    negative=st.booleans(),
    intercept=st.booleans(),
    capacity=st.integers(0, 4),
)
def test_perceptron_pass_is_its_python_function(seed, form, weighted, negative, intercept, capacity):
    X, sign, rng = table(seed)
    rows = kernel_form(FORMS[form](X))
    weight = rng.integers(1, 4, len(X)).astype(float) if weighted else np.empty(0)
    order = rng.permutation(len(X)).astype(np.int32)
    results = []
    for kernel in (kernels.perceptron_pass, python(kernels.perceptron_pass)):
        w, lagged = np.zeros(X.shape[1] + 1), np.zeros(X.shape[1] + 1)
        log, tally = kernels.empty_log(capacity, w.size), kernels.new_tally()
        tally[kernels.LONGEST] = 3
        stops, seen, at = [], [], 0
        while at < order.size:
            at = kernel(rows, sign, weight, order, NOTHING_AHEAD, at, 0.5, negative, intercept, w, lagged, log, tally)
            stops.append((at, tally.tolist()))
            seen.append([part[: tally[kernels.LOGGED]].tolist() for part in log])
            tally[kernels.LOGGED] = 0
            tally[kernels.STANDING] = (kernels.KNOWN, kernels.KEPT)[at % 2]
        results.append((w.tolist(), lagged.tolist(), stops, seen))
    assert results[0] == results[1]


@given(seed=seeds, form=forms)
def test_perceptron_pass_is_the_rule(seed, form):
    X, sign, _ = table(seed)
    w, tally = np.zeros(X.shape[1] + 1), kernels.new_tally()
    log = kernels.empty_log(1000, w.size)
    order = np.arange(len(X), dtype=np.int32)
    for _ in range(3):
        rows = kernel_form(FORMS[form](X))
        kernels.perceptron_pass(
            rows, sign, np.empty(0), order, NOTHING_AHEAD, 0, 1.0, False, True, w, np.empty(0), log, tally
        )
    n = tally[kernels.LOGGED]
    updates, _ = transcriptions.stochastic_perceptron(X, sign.tolist(), 1.0, 3)
    assert list(zip(log.row[:n].tolist(), log.weights[:n].tolist(), strict=True)) == updates


def test_pass_pauses_when_a_run_outlasts_the_longest():
    X, sign = np.array([[1.0], [2.0], [3.0], [4.0]]), np.ones(4, np.int8)
    w, tally = np.array([1.0, 0.0]), kernels.new_tally()
    tally[kernels.LONGEST] = 1
    arguments = (kernel_form(X), sign, np.empty(0), np.arange(4, dtype=np.int32), NOTHING_AHEAD)
    log = kernels.empty_log(0, 2)
    assert kernels.perceptron_pass(*arguments, 0, 1.0, False, True, w, np.empty(0), log, tally) == 2
    tally[kernels.STANDING] = kernels.KNOWN
    assert kernels.perceptron_pass(*arguments, 2, 1.0, False, True, w, np.empty(0), log, tally) == 4
    assert tally[kernels.VISITS] == tally[kernels.RUN] == 4
    assert tally[kernels.LONGEST] == 1
    tally[kernels.STANDING] = kernels.KEPT
    assert kernels.perceptron_pass(*arguments, 0, 1.0, False, True, w, np.empty(0), log, tally) == 4
    assert tally[kernels.LONGEST] == tally[kernels.RUN] == 8


@given(seed=seeds, form=forms, weighted=st.booleans(), intercept=st.booleans())
def test_multiclass_pass_is_its_python_function(seed, form, weighted, intercept):
    X, _, rng = table(seed)
    rows, codes = kernel_form(FORMS[form](X)), rng.integers(0, 3, len(X)).astype(np.int32)
    weight = rng.integers(1, 4, len(X)).astype(float) if weighted else np.empty(0)
    order = rng.permutation(len(X)).astype(np.int32)
    results = []
    for kernel in (kernels.multiclass_pass, python(kernels.multiclass_pass)):
        W, lagged, tally = np.zeros((3, 6)), np.zeros((3, 6)), kernels.new_tally()
        kernel(rows, codes, weight, order, NOTHING_AHEAD, 1.0, intercept, W, lagged, tally)
        assert intercept or not W[:, -1].any()
        results.append((W.tolist(), lagged.tolist(), tally.tolist()))
    assert results[0] == results[1]


@given(seed=seeds, form=forms, weighted=st.booleans(), normalised=st.booleans())
def test_adaline_pass_is_its_python_function_and_the_rule(seed, form, weighted, normalised):
    X, sign, rng = table(seed)
    rows = kernel_form(FORMS[form](X))
    weight = rng.integers(1, 4, len(X)).astype(float) if weighted else np.empty(0)
    order, steps = np.arange(len(X), dtype=np.int32), rng.uniform(0.001, 0.01, len(X))
    results = []
    for kernel in (adaline.adaline_pass, python(adaline.adaline_pass)):
        w = np.zeros(X.shape[1] + 1)
        kernel(rows, sign, weight, order, NOTHING_AHEAD, steps, normalised, True, w)
        results.append(w)
    expected = transcriptions.stochastic_adaline(
        X,
        sign.tolist(),
        lambda t, x: steps[t] / (transcriptions.dot(x, x) if normalised else 1.0),
        1,
        weight.tolist() if weighted else None,
    )
    assert np.allclose(results[0], results[1], rtol=1e-13, atol=1e-15)
    assert np.allclose(results[0], expected, rtol=1e-12, atol=1e-14)


@given(seed=seeds, form=forms, weighted=st.booleans(), doubt=st.sampled_from([0.0, 1e-6, 0.5, 2.0]))
def test_errors_are_counted_by_weight_whatever_the_doubt(seed, form, weighted, doubt):
    X, sign, rng = table(seed)
    rows, order = kernel_form(FORMS[form](X)), rng.permutation(len(X)).astype(np.int32)
    weight = rng.integers(1, 4, len(X)).astype(float) if weighted else np.empty(0)
    W = rng.integers(-3, 4, (4, X.shape[1] + 1)).astype(float)
    margins = sign[:, None] * (np.column_stack([X, np.ones(len(X))]) @ W.T)
    ones = weight if weighted else np.ones(len(X))
    expected = ones @ (margins <= 0)
    lengths = np.linalg.norm(W, axis=1) * np.linalg.norm(np.column_stack([X, np.ones(len(X))]), axis=1)[:, None]
    cosines = (margins / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)[order]
    for add in (counting_errors.add_errors, python(counting_errors.add_errors)):
        errors = np.zeros(4, np.float64 if weighted else np.float32)
        add(cosines[:5], np.float32(doubt), rows, sign, weight, order, 0, W, errors)
        add(cosines[5:], np.float32(doubt), rows, sign, weight, order, 5, W, errors)
        assert np.array_equal(errors, expected)
    for count in (counting_errors.count_errors, python(counting_errors.count_errors)):
        for k in range(4):
            assert count(rows, sign, weight, order, W[k], np.inf) == (expected[k], len(X))
            some, touched = count(rows, sign, weight, order, W[k], 2.0)
            assert touched <= len(X)
            assert some >= min(2.0, expected[k])


@given(seed=seeds)
def test_fingerprints_tell_rows_by_content(seed):
    X, _, rng = table(seed, n=40)
    X[0] = -0.0
    codes = rng.integers(0, 2, len(X)).astype(np.int32)
    prints = {}
    for name, form in FORMS.items():
        for kernel in (ordering.fingerprints, python(ordering.fingerprints)):
            prints[name, kernel] = np.empty(len(X), np.uint64)
            with all_in_python(kernel):
                kernel(kernel_form(form(X)), codes, prints[name, kernel])
    first, *rest = prints.values()
    assert all(np.array_equal(first, other) for other in rest)
    distinct = np.unique(np.column_stack([codes, X]) + 0.0, axis=0)
    assert np.unique(first).size == len(distinct)


@given(seed=seeds, n=st.integers(1, 400), piece=st.integers(1, 20), chunk=st.integers(1, 60), lanes=st.integers(1, 5))
def test_shuffles_visit_every_row_once(seed, n, piece, chunk, lanes):
    window = piece * lanes
    orders = []
    for kernel in (ordering.shuffle_in_lanes, python(ordering.shuffle_in_lanes)):
        order, ahead = np.empty(n, np.int32), np.empty(n, np.int32)
        state = np.array([seed], np.uint64)
        chunks = np.arange(-(-n // chunk), dtype=np.int32)
        with all_in_python(kernel):
            kernel(piece, chunks, lanes, order, ahead, state)
        orders.append(order.tolist())
        assert sorted(order.tolist()) == sorted(ahead.tolist()) == list(range(n))
        later = [set(order[a : a + window].tolist()) for a in range(window, n, window)]
        fetched = [set(ahead[a : a + window].tolist()) for a in range(0, n - window, window)]
        assert all(rows <= soon for rows, soon in zip(later, fetched, strict=True))
    assert orders[0] == orders[1]


def test_a_window_holds_neighbours_from_all_over_the_table():
    n, piece, lanes = 8000, 10, 8
    order, ahead = np.empty(n, np.int32), np.empty(n, np.int32)
    with np.errstate(over="ignore"):
        chunks = np.arange(n // 100, dtype=np.int32)
        ordering.shuffle_in_lanes(piece, chunks, lanes, order, ahead, np.array([3], np.uint64))
    for window in order.reshape(-1, piece * lanes):
        runs = np.split(np.sort(window), np.flatnonzero(np.diff(np.sort(window)) > 1) + 1)
        assert all(run.size % piece == 0 for run in runs)  # whole pieces, of which two may touch
        assert len(runs) > lanes // 2
    sorted_classes = (order < n // 2).reshape(-1, piece * lanes).mean(axis=1)
    assert np.mean((sorted_classes == 0) | (sorted_classes == 1)) < 0.05


def test_shuffle_is_fair():
    state = np.array([1], np.uint64)
    counts = np.zeros((4, 4))
    for _ in range(4000):
        order = np.arange(4, dtype=np.int32)
        with np.errstate(over="ignore"):
            ordering.shuffle(order, 0, 4, state)
        counts[np.arange(4), order] += 1
    assert np.abs(counts / 1000 - 1).max() < 0.15  # five standard deviations


def test_states_move_on():
    order, state = np.arange(50, dtype=np.int32), np.array([7], np.uint64)
    with np.errstate(over="ignore"):
        ordering.shuffle(order, 0, 50, state)
        first = order.copy()
        ordering.shuffle(order, 10, 20, state)
    assert not np.array_equal(first[10:20], order[10:20])
    assert np.array_equal(first[:10], order[:10])
    assert np.array_equal(first[20:], order[20:])


@pytest.mark.parametrize("writeable", [True, False])
def test_tables_are_passed_on_read_only_and_not_copied(writeable):
    X = np.arange(12.0).reshape(4, 3)
    X.flags.writeable = writeable
    view = kernel_form(X)
    assert np.shares_memory(view, X)
    assert not view.flags.writeable
    assert X.flags.writeable == writeable
    assert kernel_form(np.arange(12).reshape(4, 3)).dtype == np.float64
