"""A kernel on the way of small tables has a twin in NumPy, that does the same."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import random_array

from discriminant.kernels import centring, counting, extended, folds, margins, operating_points
from discriminant.rows import from_arrays
from discriminant.rows.matrix import kernel_form
from discriminant.statistics.counts import ClassSums
from discriminant.statistics.moments import ClassMoments

RNG = np.random.default_rng(0)
N, D, K = 23, 4, 3
X = RNG.normal(size=(N, D))
CODES = RNG.integers(0, K, N).astype(np.int32)
SIGN = np.where(CODES > 0, 1, -1).astype(np.int8)
WEIGHT, NONE = RNG.uniform(0, 2, N), np.empty(0)
WHOLE = np.rint(2 * X)
CSR = kernel_form(random_array((N, D), density=0.4, format="csr", rng=1))
SCORES = np.rint(3 * X[:, 0])
UP = CODES > 0
PLANES = RNG.normal(size=(2, 3, D + 1))


def zeros(*shape):
    return np.zeros(shape)


def margin_cases():
    for kernel in (margins.add_logistic_risk, margins.add_squared_hinge_risk):
        for rows in (X, CSR):
            for weight in (WEIGHT, NONE):
                yield (
                    kernel,
                    lambda r=rows, w=weight: (r, SIGN, w, X[:, 0], 40 * X[0, [0, 1, 2, 3, 0]], zeros(5), zeros(N)),
                )
    for rows in (X, CSR):
        yield margins.add_product, lambda r=rows: (r, WEIGHT, X[0, [0, 1, 2, 3, 0]], zeros(5))
        yield margins.add_rows, lambda r=rows: (r, WEIGHT, zeros(5))
        yield margins.score_rows, lambda r=rows: (r, X[0, [0, 1, 2, 3, 0]], zeros(N))
        yield folds.score_by_fold, lambda r=rows: (r, CODES % 2, PLANES, 0, N, zeros(3, N))
    yield margins.add_squares, lambda: (CSR, WEIGHT, zeros(5, 5))
    yield margins.weigh_scaled_rows, lambda: (X, X[0], 1 + X[1] ** 2, WEIGHT, zeros(N, 5))


def other_cases():
    sums = WHOLE, CODES, WEIGHT
    starts, lows = np.array([0, 20, 40, 60, 80]), np.full(D, -10)
    tables, unseen = RNG.normal(size=(2, 80)), RNG.normal(size=(2, D))
    for weight in (WEIGHT, NONE):
        yield centring.centre_by_class, lambda w=weight: (X, CODES, w, X[:K], zeros(N, 8), np.zeros(K + 1, np.int64))
        for presence in (True, False):
            yield counting.sum_by_class, lambda w=weight, p=presence: (X, CODES, w, p, zeros(K), zeros(K, D))
        yield counting.count_categories, lambda w=weight: (WHOLE, CODES, w, lows, starts, zeros(K, 80))
        yield folds.place, lambda w=weight: (SCORES, np.argsort(SCORES), UP, w, zeros(N))
        ups, downs = np.sort(SCORES[UP]), np.sort(SCORES[~UP])
        weights = (weight[: ups.size], weight[: downs.size])
        yield (
            operating_points.merge_points,
            lambda p=(ups, downs, *weights): (*p, zeros(N + 1), zeros(N + 1), zeros(N + 1)),
        )
    yield centring.add_class_sums, lambda: (X @ np.eye(D, 6), np.array([0, 9, 9, N]), zeros(K, 6), zeros(K, D))
    yield counting.widen_ranges, lambda: (sums[0], np.full(D, np.inf), np.full(D, -np.inf))
    cells = np.where(X > 1, 0.5, WHOLE)
    yield counting.add_lookups, lambda: (cells, lows, starts, tables, unseen, X[0, :2], zeros(N, 2))
    yield counting.score_present, lambda: (X, unseen, X[0, :2], zeros(N, 2))
    yield (
        folds.deal,
        lambda: (
            np.sort(WHOLE[:, 0] ** 2)[::-1].copy(),
            RNG.spawn(1)[0].random(N + 5),
            zeros(5),
            np.zeros(N, np.int32),
        ),
    )
    yield operating_points.split, lambda: (SCORES, CODES, 1, zeros(N), zeros(N))
    curve = np.sort(WEIGHT), np.sort(X[:, 1])
    yield operating_points.upper_hull, lambda: (*curve, np.zeros(N, np.intp))
    yield extended.centre_gradient, lambda: (X[0], 1e-17 * X[1], X[2, 1:], zeros(D - 1))
    yield extended.extended_products, lambda: (X[:2], X[:K], 1e-17 * X[3 : 3 + K], zeros(K, 2), zeros(K, 2))
    right = X[:2, 1:], 1e-17 * X[2:4, 1:]
    sums_of = RNG.normal(size=(K, 2, D)), 1e-17 * RNG.normal(size=(K, 2, D))
    yield extended.within_gradient, lambda: (*sums_of, X[:K, 1:], *right, zeros(2, D - 1))


CASES = [*margin_cases(), *other_cases()]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_twins_do_the_same(case):
    kernel, arguments = CASES[case]
    ours, theirs = arguments(), arguments()
    if kernel is folds.deal:
        theirs = tuple(np.copy(a) for a in ours)
    told, plain = kernel(*ours), kernel.plain(*theirs)
    if kernel is operating_points.split:
        ours, theirs = ((a[3][:told], a[4][: N - told]) for a in (ours, theirs))
    if kernel is operating_points.merge_points:
        ours, theirs = (tuple(part[:told] for part in a[4:]) for a in (ours, theirs))
    if kernel is operating_points.upper_hull:
        ours, theirs = ((a[2][:told],) for a in (ours, theirs))
    if told is not None or plain is not None:
        np.testing.assert_allclose(told, plain, rtol=1e-12)
    for mine, other in zip(ours, theirs, strict=True):
        if isinstance(mine, np.ndarray):
            np.testing.assert_allclose(mine, other, rtol=1e-12, atol=1e-14)


def test_every_twin_is_tried():
    tried = {id(kernel) for kernel, _ in CASES}
    modules = (centring, counting, extended, folds, margins, operating_points)
    twins = {name: k for module in modules for name, k in vars(module).items() if getattr(k, "plain", None) is not None}
    assert sorted(name for name, k in twins.items() if id(k) not in tried) == ["logistic", "squared_hinge"]


def test_numbers_that_are_not_finite_are_told():
    cells = X.copy()
    cells[3, 1] = np.nan
    edges = np.zeros(K + 1, np.int64)
    assert not centring.centre_by_class.plain(cells, CODES, NONE, X[:K], zeros(N, 8), edges)
    assert not counting.sum_by_class.plain(cells, CODES, NONE, False, zeros(K), zeros(K, D))[0]
    assert not counting.score_present.plain(cells, zeros(2, D), zeros(2), zeros(N, 2))


def test_size_alone_chooses():
    assert centring.centre_by_class.suited_to(1000) is centring.centre_by_class.plain
    assert centring.centre_by_class.suited_to(10**8) is centring.centre_by_class
    assert margins._add_risk.suited_to(1000) is margins._add_risk


def test_small_blocks_of_a_large_source_are_summed_by_the_kernel(monkeypatch):
    used = []
    for kernel, name in ((centring.centre_by_class, "moments"), (counting.sum_by_class, "sums")):
        monkeypatch.setattr(kernel, "plain", _noted(kernel.plain, name, used))
    first = from_arrays(np.abs(X), CODES)
    far = replace(first, row_numbers=np.arange(N) + 10**7)
    for block in (first, far):
        ClassMoments.of_rows(block)
        ClassSums.of_rows(block, presence=False)
        used.append("end")
    assert used == ["moments", "sums", "end", "end"]


def _noted(function, name, used):
    def noted(*arguments):
        used.append(name)
        return function(*arguments)

    return noted
