"""Complete, quasi or none: right every time, and every answer proved in fractions by the test's own arithmetic."""

import pickle
import time
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from scipy import sparse

from discriminant import Hyperplane, NotSeparableError, Separation, separate
from discriminant.exact import equations
from discriminant.rows import from_arrays
from discriminant.separability import Separations, separate_rows
from discriminant.separability.program import UndecidedError
from tests.separability.extreme_rays import kind_by_edges, reduced
from tests.tables import seeds

SQUARE = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
XOR = np.array([0, 1, 1, 0])


def exact_margins(X, positive, weights):
    """c(w·x − θ) of each row, in fractions."""
    w = [Fraction(v) for v in weights]
    scores = [sum((a * Fraction(float(b)) for a, b in zip(w[:-1], row, strict=True)), w[-1]) for row in X]
    return [s if c else -s for s, c in zip(scores, positive, strict=True)]


def exact_rank(rows):
    return len(reduced([[Fraction(float(v)) for v in (*row, 1)] for row in rows])[0])


def proves_no_strict_plane(proof, X, positive):
    means = []
    for side in (False, True):
        mine = [(w, X[i]) for w, i in zip(proof.weights, proof.rows, strict=True) if bool(positive[i]) == side]
        assert all(w > 0 for w, _ in mine)
        assert sum(w for w, _ in mine) == 1
        means.append([sum(w * Fraction(float(x[j])) for w, x in mine) for j in range(X.shape[1])])
    return means[0] == means[1]


def is_proved(found, X, positive):
    """The whole proof, by nothing but sums of fractions."""
    if found.kind == "complete":
        return min(exact_margins(X, positive, [*found.hyperplane.w.tolist(), -found.hyperplane.theta])) > 0
    if not proves_no_strict_plane(found.certificate, X, positive):
        return False
    if found.kind == "none":
        return exact_rank(X[list(found.certificate.rows)]) == exact_rank(X)
    margins = exact_margins(X, positive, found.weights)
    on_plane = tuple(i for i, m in enumerate(margins) if m == 0)
    return min(margins) == 0 < max(margins) and on_plane == found.on_plane


# --- 500 sets with a known answer -----------------------------------------------------------------------


def planted_plane(rng):
    d = int(rng.integers(1, 8))
    X, w = rng.integers(-60, 61, (int(rng.integers(4, 80)), d)), rng.integers(-9, 10, d)
    w[0] = w[0] or 1
    return X, X @ w > np.median(X @ w), "complete"


def planted_overlap(rng):
    """A simplex of one class around a row of the other."""
    d = int(rng.integers(1, 8))
    corners = np.vstack([np.eye(d, dtype=int), -np.ones((1, d), dtype=int)]) * 7
    others = rng.integers(-20, 21, (int(rng.integers(0, 40)), d))
    X = np.vstack([corners, np.zeros((1, d), dtype=int), others])
    return X, np.r_[np.ones(d + 1, bool), False, rng.integers(0, 2, len(others)) == 1], "none"


def touching_hulls(rng):
    """Two sides of a plane, and both classes on either side of one point of it."""
    d = int(rng.integers(2, 7))
    X, w = rng.integers(-20, 21, (int(rng.integers(6, 40)), d)), rng.integers(1, 5, d)
    X = X[X @ w != 0]
    along = np.zeros((2, d), dtype=int)
    along[0, :2], along[1, :2] = (w[1], -w[0]), (-w[1], w[0])
    X = np.vstack([X, w, -w, along, np.zeros((1, d), dtype=int)])
    return X, np.r_[X[:-3] @ w > 0, True, True, False], "quasi"


def opposite_twins(rng):
    """A row of a class that is the most extreme in a column, and once more in the other class."""
    X, positive, _ = planted_plane(rng)
    X = np.column_stack([X, np.where(positive, 1, 0)])
    i = int(rng.integers(len(X)))
    X[i, -1] = 0
    return np.vstack([X, X[i]]), np.r_[positive, not positive[i]], None


def collinear(rng):
    """Rows on one line through many columns, where the answer is that of one column."""
    t = rng.integers(-6, 7, int(rng.integers(3, 14)))
    X = np.outer(t, rng.integers(-3, 4, 4)) + rng.integers(-5, 6, 4)
    return X, t > rng.integers(-3, 4) if rng.random() < 0.6 else rng.integers(0, 2, t.size) == 1, None


def integer_grid(rng):
    X = rng.integers(0, int(rng.integers(2, 5)), (int(rng.integers(2, 11)), int(rng.integers(1, 4))))
    if rng.random() < 0.3:
        X = np.column_stack([X, X[:, 0], np.full(len(X), 3)])
    positive = rng.integers(0, 2, len(X)) == 1
    if rng.random() < 0.5:
        positive = X @ rng.integers(-3, 4, X.shape[1]) > rng.integers(-2, 5)
    return X, positive, None


KINDS = [planted_plane, planted_overlap, touching_hulls, opposite_twins, collinear, integer_grid]


@pytest.mark.parametrize("table", KINDS, ids=lambda f: f.__name__)
def test_no_verdict_is_wrong_and_every_proof_holds(table):
    wrong = []
    for seed in range(90):
        X, positive, known = table(np.random.default_rng(seed))
        if positive.all() or not positive.any():
            positive[0] = not positive[0]
            known = None
        if known is None and X.shape[1] <= 5 and len(X) <= 14:
            known = kind_by_edges(X, positive)
        found = separate(X, positive)
        right = known in (None, found.kind) and is_proved(found, X, positive) and found.verify(X, positive)
        wrong += [] if right else [(seed, known, found.kind)]
    assert wrong == []


@settings(max_examples=60)
@given(seed=seeds)
def test_small_tables_agree_with_the_enumeration_of_edges(seed):
    X, positive, _ = integer_grid(np.random.default_rng(seed))
    if positive.all() or not positive.any():
        positive[0] = not positive[0]
    found = separate(X, positive)
    assert found.kind == kind_by_edges(X, positive)
    assert is_proved(found, X, positive)


@settings(max_examples=25)
@given(seed=seeds)
def test_the_kind_does_not_change_with_scales_shifts_and_order(seed):
    rng = np.random.default_rng(seed)
    X, positive, _ = KINDS[seed % len(KINDS)](rng)
    if positive.all() or not positive.any():
        positive[0] = not positive[0]
    kind = separate(X, positive).kind
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    assert separate(X[rows][:, columns], positive[rows]).kind == kind
    assert separate(X + rng.integers(-1000, 1000, X.shape[1]), positive).kind == kind
    assert separate(X * 2.0 ** rng.integers(-60, 61, X.shape[1]), positive).kind == kind
    assert separate(X, ~positive).kind == kind
    assert separate(sparse.csr_array(X), positive).kind == kind


# --- what each answer holds -----------------------------------------------------------------------------


def test_xor_is_proved_by_its_four_points():
    found = separate(SQUARE, XOR)
    assert found.kind == "none"
    assert found.hyperplane is None
    assert found.certificate.rows == (0, 1, 2, 3)
    assert found.certificate.weights == (Fraction(1, 2),) * 4
    assert found.verify(SQUARE, XOR)
    assert str(found).splitlines()[0] == "no plane separates 0 from 1: both have the mean (0.5, 0.5)"
    assert str(found).splitlines()[-1].startswith("A plane without mistakes would contain these rows")


def test_a_column_that_gives_some_rows_away():
    """Only the second column tells anything, and only of the rows where it is 1."""
    X = np.array([[0, 0], [1, 0], [2, 0], [3, 0], [0, 1], [2, 1]])
    y = np.array(["no", "yes", "no", "yes", "yes", "yes"])
    found = separate(pd.DataFrame(X, columns=["dose", "flag"]), y)
    assert found.kind == "quasi"
    assert found.columns == ("flag",)
    assert found.on_plane == (0, 1, 2, 3)
    assert found.hyperplane == Hyperplane([0, 1], 0)
    assert found.weights == (0, 1, 0)
    assert found.verify(X, y)
    assert "no row on the wrong side, yes above it and no below, but 4 rows" in str(found)
    assert separate(X, y).columns == (1,)


def test_a_plane_that_floats_do_not_hold():
    """A row of random floats in both classes: θ = w·x needs more than 53 bits, and the whole numbers have them."""
    rng = np.random.default_rng(2)
    X = rng.standard_normal((40, 3))
    positive = X @ [1.0, 2.0, -1.0] > 0
    i = int(np.abs(X @ [1.0, 2.0, -1.0]).argmin())
    X, positive = np.vstack([X, X[i]]), np.append(positive, not positive[i])
    found = separate(X, positive)
    assert found.kind == "quasi"
    assert found.on_plane == (i, 40)
    assert is_proved(found, X, positive)
    assert found.verify(X, positive)


@pytest.mark.parametrize(
    ("X", "y", "kind"),
    [
        ([[1, 2], [1, 2]], [0, 1], "none"),
        ([[1, 2], [1, 2], [1, 2]], [0, 1, 1], "none"),
        ([[1, 2], [1, 3]], [0, 1], "complete"),
        ([[0], [1], [1], [2]], [0, 0, 1, 1], "quasi"),
        ([[0, 5, 0], [1, 5, 1], [1, 5, 1], [2, 5, 2]], [0, 1, 0, 1], "quasi"),
        ([[0, 5, 0], [1, 5, 1], [1, 5, 1], [0, 5, 0]], [0, 1, 0, 1], "none"),
        (np.eye(5, 9), [0, 1, 0, 1, 1], "complete"),
        ([[0.1, 0.2], [0.2, 0.4], [0.3, 0.6]], [0, 1, 0], "none"),
    ],
)
def test_small_and_degenerate_tables(X, y, kind):
    found = separate(X, y)
    assert found.kind == kind
    assert found.verify(X, y)


@pytest.mark.parametrize("factor", [1e-320, 1e-300, 1e-9, 1e9, 1e300])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_any_scale(factor, form):
    X = form(SQUARE * factor)
    assert separate(X, XOR).kind == "none"
    assert separate(X, XOR).verify(X, XOR)
    assert separate(X, [0, 0, 0, 1]).verify(X, [0, 0, 0, 1])
    both = form(np.vstack([SQUARE, SQUARE[:1]]) * factor)
    found = separate(both, [0, 1, 1, 1, 1])
    assert found.kind == "quasi"
    assert found.verify(both, [0, 1, 1, 1, 1])


def test_columns_of_opposite_scales():
    X = SQUARE * [1e150, 1e-150]
    assert separate(X, XOR).verify(X, XOR)
    found = separate(X, [0, 0, 1, 1])
    assert found.kind == "complete"
    assert found.verify(X, [0, 0, 1, 1])


def test_a_rows_source_and_rows_left_out():
    found = separate(from_arrays(SQUARE, XOR))
    assert found.kind == "none"
    rows = from_arrays(np.vstack([[[9, 9]], SQUARE]), [1, *XOR], [0, 1, 1, 1, 1])
    found = separate(rows)
    assert found.certificate.rows == (1, 2, 3, 4)  # as the user counts them
    assert found.verify(rows)
    with pytest.raises(ValueError, match="carries its own labels"):
        separate(rows, XOR)


def test_the_first_class_may_be_the_positive_one():
    rows = from_arrays([[0.0], [1.0]], ["a", "b"])
    assert separate_rows(rows).positive == "b"
    found = separate_rows(rows, 0)
    assert (found.negative, found.positive) == ("b", "a")
    assert found.hyperplane.side([[0.0], [1.0]]).tolist() == [1, -1]
    assert found.verify(rows)


# --- tampering ------------------------------------------------------------------------------------------


def test_a_false_plane_does_not_verify():
    y = np.array([0, 0, 0, 1])
    found = separate(SQUARE, y)
    assert found.verify(SQUARE, y)
    assert not replace(found, hyperplane=-found.hyperplane).verify(SQUARE, y)
    assert not replace(found, hyperplane=Hyperplane([1, 1], 1)).verify(SQUARE, y)  # through two rows
    assert not replace(found, hyperplane=Hyperplane([1, 1, 0], 1.5)).verify(SQUARE, y)
    assert not replace(found, kind="quasi").verify(SQUARE, y)
    assert not replace(found, kind="none").verify(SQUARE, y)
    assert not found.verify(SQUARE, XOR)
    assert not found.verify(SQUARE, ["a", "a", "a", "b"])


def test_a_false_proof_does_not_verify():
    X, y = np.array([[0, 0], [1, 0], [1, 0], [2, 0], [1, 1]]), np.array([0, 1, 0, 1, 1])
    found = separate(X, y)
    assert found.kind == "quasi"
    assert found.verify(X, y)
    assert not replace(found, weights=(0, 1, -1)).verify(X, y)
    assert not replace(found, weights=tuple(-v for v in found.weights)).verify(X, y)
    assert not replace(found, weights=(0, 0, 0)).verify(X, y)
    assert not replace(found, on_plane=found.on_plane[1:]).verify(X, y)
    assert not replace(found, hyperplane=Hyperplane([1, 5], 1)).verify(X, y)
    assert not replace(found, certificate=None).verify(X, y)
    assert not replace(found, kind="none").verify(X, y)  # its rows do not span the others
    overlap = separate(SQUARE, XOR)
    halves = replace(overlap.certificate, weights=(Fraction(1, 3), Fraction(1, 2), Fraction(1, 2), Fraction(2, 3)))
    assert not replace(overlap, certificate=halves).verify(SQUARE, XOR)
    moved = SQUARE + np.array([[0, 0], [0, 0], [0, 0], [0, 1]])
    assert not overlap.verify(moved, XOR)
    assert not overlap.verify(np.vstack([SQUARE, [[5, 5]]]) @ [[1, 0, 0], [0, 1, 0]] + np.eye(5, 3)[::-1], [*XOR, 1])


@settings(max_examples=40)
@given(seed=seeds)
def test_any_weight_moved_spoils_the_proof(seed):
    rng = np.random.default_rng(seed)
    X, positive, _ = planted_overlap(rng)
    proof = separate(X, positive).certificate
    at = int(rng.integers(len(proof.weights)))
    weights = list(proof.weights)
    weights[at] += Fraction(1, 10**9)
    assert not replace(proof, weights=tuple(weights)).verify(X, positive)


# --- more classes ---------------------------------------------------------------------------------------


def test_three_classes_give_each_against_the_rest_and_each_pair():
    X = np.array([[0], [1], [4], [5], [8], [9]])
    y = ["a", "a", "b", "b", "c", "c"]
    found = separate(X, y)
    assert isinstance(found, Separations)
    assert found.classes == ("a", "b", "c")
    assert {k: s.kind for k, s in found.against_rest.items()} == {"a": "complete", "b": "none", "c": "complete"}
    assert {k: s.kind for k, s in found.pairs.items()} == dict.fromkeys(
        [("a", "b"), ("a", "c"), ("b", "c")], "complete"
    )
    assert not found.separable
    assert found.verify(X, y)
    assert not found.verify(X, ["a", "b", "a", "b", "c", "c"])
    assert found.against_rest["b"].certificate.verify(X, [v if v == "b" else "the rest" for v in y])
    assert "b against the rest: none" in str(found).splitlines()
    assert found.pairs["a", "c"].hyperplane.side([[0], [9]]).tolist() == [-1, 1]


def test_pairs_of_numbered_classes_keep_the_row_numbers():
    X, y = np.array([[0], [7], [2], [1], [1], [8]]), np.array([3, 5, 3, 4, 3, 5])
    found = separate(X, y)
    pair = found.pairs[3, 4]
    assert pair.kind == "none"
    assert set(pair.certificate.rows) <= {0, 2, 3, 4}
    assert found.verify(X, y)


def test_tables_without_an_answer_are_refused():
    with pytest.raises(ValueError, match="between two classes, but y has 1"):
        separate(SQUARE, [0, 0, 0, 0])
    with pytest.raises(ValueError, match="NaN"):
        separate([[0.0], [np.nan]], [0, 1])
    with pytest.raises(ArithmeticError, match="by so little"):
        separate(SQUARE + 2.0**52, [0, 0, 0, 1])


def test_the_error_carries_the_proof():
    error = NotSeparableError(separate(SQUARE, XOR))
    assert isinstance(error, ValueError)
    assert isinstance(error.separation, Separation)
    assert "both have the mean (0.5, 0.5)" in str(error)
    assert "finite C" in str(error)
    assert pickle.loads(pickle.dumps(error)).separation.kind == "none"


# --- margins --------------------------------------------------------------------------------------------


def test_the_largest_margin_where_it_is_asked_for():
    X, y = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 4.0], [3.0, 0.0]]), [0, 0, 1, 1]
    found = separate(X, y, margin=True)
    assert found.margin == pytest.approx(1.0, rel=1e-9)
    assert found.hyperplane.w[0] / found.hyperplane.norm == pytest.approx(1.0, rel=1e-9)
    assert found.hyperplane.theta / found.hyperplane.w[0] == pytest.approx(2.0, rel=1e-9)
    assert found.verify(X, y)
    assert "none nearer to it than 1;" in str(found)
    assert separate(X, y).margin is None
    assert separate(SQUARE, XOR, margin=True).margin is None


@pytest.mark.parametrize(("d", "size"), [(10, 10**7), (25, 10**7), (40, 10**6), (60, 10**7)])
def test_whole_numbers_one_apart_in_many_columns(d, size):
    """w·x ≥ t against w·x ≤ t − 1 with rows next to the plane: one program in floats cannot tell it from touching."""
    rng = np.random.default_rng(d)
    w, X, t = rng.integers(1, size, d), rng.integers(-size, size, (200, d)), int(rng.integers(-size, size))
    rest = X[:, 1:].astype(object) @ w[1:].astype(object)
    X[:, 0] = [(t - int(r)) // int(w[0]) + int(rng.integers(0, 2)) for r in rest]
    positive = np.array([int(w[0]) * int(x) + int(r) >= t for x, r in zip(X[:, 0], rest, strict=True)])
    start = time.perf_counter()
    found = separate(X, positive)
    assert time.perf_counter() - start < 20
    assert found.kind == "complete"
    assert is_proved(found, X, positive)


def test_a_margin_lost_in_rounding_is_said_to_be():
    X, y = np.array([[0.0], [2.0**52], [2.0**52 + 2], [2.0**53]]), [0, 0, 1, 1]
    found = separate(X, y)
    assert found.kind == "complete"
    assert found.verify(X, y)
    with pytest.raises(ArithmeticError, match="lost in the rounding"):
        separate(X, y, margin=True)


# --- size -----------------------------------------------------------------------------------------------


def thin(rng, n, d, gap):
    X, w = rng.standard_normal((n, d)), rng.standard_normal(d)
    w /= np.linalg.norm(w)
    positive = X @ w > 0
    return X + np.where(positive, gap, -gap)[:, None] * w, positive


@pytest.mark.parametrize("overlap", [False, True])
def test_many_rows_in_bounded_time(overlap):
    rng = np.random.default_rng(0)
    X, positive = thin(rng, 100_000, 20, 1e-4)
    if overlap:
        positive = X @ rng.standard_normal(20) + rng.standard_normal(100_000) > 0
    start = time.perf_counter()
    found = separate(X, positive)
    assert time.perf_counter() - start < 10
    assert found.kind == ("none" if overlap else "complete")
    assert found.verify(X, positive)
    if overlap:
        assert len(found.certificate.rows) <= 22
        assert found.certificate.residual == 0


def test_many_rows_that_touch_in_one_row():
    rng = np.random.default_rng(1)
    X = rng.integers(-1000, 1001, (50_000, 8))
    w = rng.integers(1, 10, 8)
    X = X[X @ w != 0]
    X, positive = np.vstack([X, np.zeros((2, 8), int)]), np.r_[X @ w > 0, True, False]
    found = separate(X, positive)
    assert found.kind == "quasi"
    assert set(found.on_plane) == {len(X) - 2, len(X) - 1}
    assert found.verify(X, positive)


def test_wide_sparse_rows_in_bounded_time():
    rng = np.random.default_rng(5)
    X = sparse.random_array((4000, 20_000), density=0.002, rng=rng, format="csr")
    positive = X @ rng.standard_normal(20_000) > 0
    start = time.perf_counter()
    found = separate(X, positive)
    both, labels = sparse.vstack([X, X[[7]]], format="csr"), np.append(positive, not positive[7])
    touching = separate(both, labels)
    assert time.perf_counter() - start < 30
    assert found.kind == "complete"
    assert found.verify(X, positive)
    assert touching.kind == "quasi"
    assert touching.certificate.rows == (7, 4000)
    assert touching.verify(both, labels)


# --- without python-flint ---------------------------------------------------------------------------------


def simplex_around_a_row(d, size):
    """d + 1 rows of one class whose mean is a row of the other: proved by weights of them all and no others."""
    corners = np.random.default_rng(d).integers(-size, size, (d + 1, d))
    return np.vstack([(d + 1) * corners, corners.sum(axis=0)]), np.r_[np.ones(d + 1, int), 0]


def touching_in_a_simplex(d, size):
    """The same in the first half of the columns, and rows on both sides of a plane through it."""
    X, y = simplex_around_a_row(d // 2, size)
    others = np.random.default_rng(d + 1).integers(-size, size, (d, d))
    others[: d // 2, d // 2 :], others[d // 2 :, d // 2 :] = 1, -1
    return np.vstack([np.hstack([X, np.zeros((len(X), d - d // 2), int)]), others]), np.r_[y, np.arange(d) < d // 2]


def test_what_needs_flint_is_undecided_without_it_and_soon(monkeypatch):
    table = touching_in_a_simplex(170, 2**40)
    if equations.import_flint() is not None:
        found = separate(*table)
        assert found.kind == "quasi"
        assert found.certificate.residual == 0
        assert found.verify(*table)
    monkeypatch.setattr(equations, "import_flint", lambda: None)
    start = time.perf_counter()
    with pytest.raises(
        UndecidedError, match=r"not decided.* need python-flint: pip install discriminant\[exact\]"
    ) as error:
        separate(*table)
    assert time.perf_counter() - start < 10
    low, high = error.value.bounds
    assert -1e-9 < low <= high < 1e-9


def test_wide_overlap_is_proved_in_floats_without_flint(monkeypatch):
    X, y = simplex_around_a_row(100, 2**40)
    if equations.import_flint() is not None:
        assert separate(X, y).certificate.residual == 0
    monkeypatch.setattr(equations, "import_flint", lambda: None)
    found = separate(X, y)
    assert found.kind == "none"
    assert found.verify(X, y)


@pytest.mark.parametrize("table", [planted_overlap, touching_hulls, opposite_twins])
def test_small_tables_need_no_flint(monkeypatch, table):
    monkeypatch.setattr(equations, "import_flint", lambda: None)
    for seed in range(10):
        X, positive, _ = table(np.random.default_rng(seed))
        assert is_proved(separate(X, positive), X, positive)


# --- many columns ---------------------------------------------------------------------------------------


def one_hot_table(n, levels, seed=0):
    """Two columns of numbers and two full sets of indicators, some of rare levels."""
    random = np.random.default_rng(seed)
    groups = [np.minimum(random.geometric(0.15, n) - 1, levels - 1) for _ in range(2)]
    X = np.hstack([random.standard_normal((n, 2)), *((g[:, None] == np.arange(levels)) * 1.0 for g in groups)])
    return X, random.random(n) < 0.3


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_rare_levels_of_one_class_are_found_and_named(form):
    X, y = one_hot_table(3000, 40)
    pure = [j for j in range(2, 82) if X[:, j].any() and np.unique(y[X[:, j] == 1]).size == 1]
    found = separate(form(X), y)
    assert found.kind == "quasi"
    assert found.verify(X, y)
    assert set(pure) <= set(found.columns)


def test_levels_in_both_classes_are_held_by_one_proof():
    X, y = one_hot_table(3000, 40)
    X, y = np.vstack([X, X[:600]]), np.append(y, ~y[:600])
    kept = np.isin(np.arange(3600), np.flatnonzero(~X[:, 25:42].any(axis=1) & ~X[:, 65:].any(axis=1)))
    found = separate(X[kept], y[kept])
    assert found.kind == "none"
    assert found.verify(X[kept], y[kept])
    assert found.certificate.residual == 0
    assert len(found.certificate.rows) < 300


def test_wide_sparse_rows_with_random_labels_are_parted():
    random = np.random.default_rng(0)
    X = sparse.random_array((2000, 1300), density=0.02, format="csr", rng=random)
    y = random.random(2000) < 0.5  # fewer rows than twice the columns: nearly always separable (Cover 1965)
    found = separate(X, y)
    assert found.kind == "complete"
    assert found.verify(X, y)
