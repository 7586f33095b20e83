"""A plane or a proof: exactly one of the two, and each checked in fractions."""

from dataclasses import FrozenInstanceError, replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from scipy import sparse

from discriminant import Hyperplane
from discriminant.separability import common_point, separating_plane
from tests.tables import seeds

SQUARE = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
XOR = np.array([0, 1, 1, 0])


def in_fractions(X):
    return [[Fraction(float(v)) for v in row] for row in X]


def strictly_separates(plane, X, y):
    """Every row strictly on its side, in exact arithmetic and in the plane's own floats."""
    w, theta = [Fraction(v) for v in plane.w.tolist()], Fraction(plane.theta)
    scores = [sum((a * b for a, b in zip(w, row, strict=True)), -theta) for row in in_fractions(X)]
    exact = all(score > 0 if c == max(y) else score < 0 for score, c in zip(scores, y, strict=True))
    return exact and bool((plane.side(X) == np.where(y == np.max(y), 1, -1)).all())


def proves(proof, X, y):
    """The means of the proof's rows, class by class, are the same fractions."""
    rows = in_fractions(X)
    means = []
    for label in sorted(set(y)):
        mine = [(w, i) for w, i, c in zip(proof.weights, proof.rows, proof.classes, strict=True) if c == label]
        assert all(w > 0 and y[i] == label for w, i in mine)
        assert sum(w for w, _ in mine) == 1
        means.append([sum(w * rows[i][j] for w, i in mine) for j in range(len(rows[0]))])
    return means[0] == means[1]


# --- the two answers ------------------------------------------------------------------------------------


def test_xor_has_four_points_of_weight_one_half():
    proof = common_point(SQUARE, XOR)
    assert proof.rows == (0, 1, 2, 3)
    assert proof.weights == (Fraction(1, 2),) * 4
    assert proof.classes == (0, 1, 1, 0)
    assert proof.coordinates.tolist() == SQUARE.tolist()
    assert proof.point.tolist() == [0.5, 0.5]
    assert proof.residual == 0.0
    assert proof.verify(SQUARE, XOR) is True
    assert proves(proof, SQUARE, XOR)
    assert separating_plane(SQUARE, XOR) is None


def test_and_has_its_plane():
    assert separating_plane(SQUARE, [0, 0, 0, 1]) == Hyperplane([1, 1], 1.5)
    assert separating_plane(SQUARE, [1, 1, 1, 0]) == Hyperplane([-1, -1], -1.5)
    assert common_point(SQUARE, [0, 0, 0, 1]) is None


def integer_grid(rng):
    X = rng.integers(0, 4, (int(rng.integers(2, 20)), int(rng.integers(1, 5))))
    return X, rng.integers(0, 2, len(X))


def planted_plane(rng):
    X = rng.integers(-50, 51, (int(rng.integers(4, 60)), int(rng.integers(1, 7))))
    return X, (X @ rng.integers(-9, 10, X.shape[1]) > rng.integers(-40, 41)).astype(int)


def touching_hulls(rng):
    """Two sides of a plane, and a segment of each class through one point of it."""
    d = int(rng.integers(2, 6))
    X = rng.integers(-20, 21, (int(rng.integers(4, 30)), d))
    w = rng.integers(1, 5, d)
    y = (X @ w > 0).astype(int)
    along = np.zeros((2, d), dtype=int)
    along[0, :2], along[1, :2] = (w[1], -w[0]), (-w[1], w[0])
    return np.vstack([X, along, np.zeros((1, d), dtype=int)]), np.concatenate([y, [1, 1, 0]])


def opposite_duplicates(rng):
    X, y = planted_plane(rng)
    i = int(rng.integers(len(X)))
    return np.vstack([X, X[i]]), np.concatenate([y, [1 - y[i]]])


def touching_decimals(rng):
    """Hulls that touch in decimals, which as floats may overlap or lie a rounding apart."""
    X, y = touching_hulls(rng)
    return X[-6:] * 0.1 + 0.3, y[-6:]


@pytest.mark.parametrize("kind", [integer_grid, planted_plane, touching_hulls, opposite_duplicates, touching_decimals])
@settings(max_examples=50)
@given(seed=seeds)
def test_a_plane_or_a_common_point_and_never_both(kind, seed):
    X, y = kind(np.random.default_rng(seed))
    if len(set(y.tolist())) < 2:
        y[0] = 1 - y[0]
    plane, proof = separating_plane(X, y), common_point(X, y)
    assert (plane is None) != (proof is None)
    if plane is not None:
        assert strictly_separates(plane, X, y)
    elif kind is touching_decimals:
        assert proof.residual < 1e-14
        assert (proof.residual == 0) == proves(proof, X, y)
        assert proof.verify(X, y)
    else:
        assert proves(proof, X, y)
        assert proof.verify(X, y)
        assert proof.residual == 0.0
    if kind in (touching_hulls, opposite_duplicates):
        assert plane is None


@pytest.mark.parametrize(
    ("X", "divisor", "y"),
    [
        ([[6, 5], [-8, 5], [-4, 9], [3, 6], [0, -1], [-2, 9], [-1, 4]], 3, [1, 0, 0, 1, 1, 1, 0]),
        ([[2, -2, 1], [7, -2, 3], [-1, -13, 1], [9, -8, 1], [-1, -4, 1], [4, -6, 1]], 3, [1, 1, 0, 1, 1, 0]),
    ],
)
def test_a_plane_that_is_right_by_rounding_only_is_none(X, divisor, y):
    """Rows of both classes lie on the plane the program finds; its scores in floats have the right signs by luck."""
    X, y = np.array(X) * (1 / divisor), np.array(y)
    plane, proof = separating_plane(X, y), common_point(X, y)
    assert (plane is None) != (proof is None)
    assert plane is None or strictly_separates(plane, X, y)
    assert proof is None or proof.verify(X, y)


@settings(max_examples=60)
@given(seed=seeds)
def test_whole_numbers_one_apart_are_still_separated(seed):
    """w·x ≥ t against w·x ≤ t − 1 with w and x of many digits: floats alone cannot tell this from touching."""
    rng = np.random.default_rng(seed)
    d, size = int(rng.integers(2, 6)), 10 ** int(rng.integers(2, 8))
    w, X = rng.integers(1, size, d), rng.integers(-size, size, (40, d))
    t = int(rng.integers(-size, size))
    rest = X[:, 1:].astype(object) @ w[1:].astype(object)
    X[:, 0] = [(t - int(r)) // int(w[0]) + int(rng.integers(0, 2)) for r in rest]  # rows next to the plane
    y = np.array([int(int(w[0]) * int(x) + int(r) >= t) for x, r in zip(X[:, 0], rest, strict=True)])
    assume(len(set(y.tolist())) == 2)
    assert strictly_separates(separating_plane(X, y), X, y)
    assert common_point(X, y) is None


@settings(max_examples=40)
@given(seed=seeds)
def test_the_plane_has_the_largest_smallest_slack(seed):
    """No other w with |w_j| ≤ 1 keeps all rows further from their side, on columns that reach from −1 to 1."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (30, 3))
    X[0], X[1] = 1.0, -1.0
    normal = rng.standard_normal(3)
    c = np.where(X @ normal > 0, 1, -1)

    def slack(w):
        margins = X @ (w / np.abs(w).max())
        return (margins[c > 0].min() - margins[c < 0].max()) / 2

    plane = separating_plane(X, c)
    assert slack(plane.w) > 0
    others = np.vstack([rng.standard_normal((200, 3)), plane.w + 0.05 * rng.standard_normal((200, 3)), normal])
    assert max(slack(w) for w in others) <= slack(plane.w) + 1e-9


def kinds_of_functions(k):
    """One truth table for all that permuting and negating inputs and negating the output turn into one another."""
    rows = (np.arange(1 << k)[:, None] >> np.arange(k)) & 1
    tables = (np.arange(1 << (1 << k))[:, None] >> np.arange(1 << k)) & 1
    places = 1 << np.arange(k)
    moves = [np.arange(1 << k) ^ 1, rows[:, [1, 0, *range(2, k)]] @ places, rows[:, [*range(1, k), 0]] @ places]
    images = [tables[:, move] @ (1 << np.arange(1 << k)) for move in moves] + [np.arange(len(tables))[::-1]]
    kind, before = np.arange(len(tables)), None
    while before is None or (kind != before).any():
        before = kind
        for image in images:
            kind = np.minimum(kind, kind[image])
    numbers, sizes = np.unique(kind, return_counts=True)
    return rows, tables[numbers], sizes


@pytest.mark.parametrize(("k", "separable"), [(1, 4), (2, 14), (3, 104)])
def test_how_many_boolean_functions_one_plane_computes(k, separable):
    rows = (np.arange(1 << k)[:, None] >> np.arange(k)) & 1
    tables = ((np.arange(1 << (1 << k))[:, None] >> np.arange(1 << k)) & 1)[1:-1]
    assert 2 + sum(separating_plane(rows, f) is not None for f in tables) == separable  # 2: the constants


def test_how_many_boolean_functions_of_four_inputs_one_plane_computes():
    rows, kinds, sizes = kinds_of_functions(4)
    assert len(kinds) == 222
    assert sizes.sum() == 65536
    separable = [len(set(f.tolist())) == 1 or separating_plane(rows, f) is not None for f in kinds]
    assert sizes[separable].sum() == 1882


# --- every form and size of table -----------------------------------------------------------------------


def test_sparse_rows_give_the_same_answers():
    rng = np.random.default_rng(4)
    X = rng.integers(0, 3, (40, 5)) * (rng.random((40, 5)) < 0.4)
    y = rng.integers(0, 2, 40)
    proof = common_point(sparse.csr_array(X), y)
    assert proves(proof, X, y)
    assert proof.verify(X, y)
    assert proof.verify(sparse.coo_array(X), y)
    y = (X @ [3, -2, 1, 5, -4] > 1).astype(int)
    plane = separating_plane(sparse.csc_array(X), y)
    assert strictly_separates(plane, X, y)


def test_wide_sparse_rows():
    rng = np.random.default_rng(5)
    X = sparse.random_array((200, 3000), density=0.01, rng=rng, format="csr")
    y = rng.integers(0, 2, 200)
    assert (separating_plane(X, y).side(X.toarray()) == np.where(y == 1, 1, -1)).all()
    X, y = sparse.vstack([X, X[[7]]], format="csr"), np.concatenate([y, [1 - y[7]]])
    proof = common_point(X, y)
    assert sorted(proof.rows) == [7, 200]
    assert proof.weights == (1, 1)
    assert proof.verify(X, y)


@pytest.mark.parametrize("factor", [1e-320, 1e-300, 1e-9, 1e9, 1e300])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_scale_of_the_numbers_changes_nothing(factor, form):
    X = form(SQUARE * factor)
    assert common_point(X, XOR).residual == 0.0
    assert common_point(X, XOR).verify(X, XOR)
    assert separating_plane(X, XOR) is None
    assert strictly_separates(separating_plane(X, [0, 1, 1, 1]), SQUARE * factor, np.array([0, 1, 1, 1]))


def test_columns_of_different_scales_and_offsets():
    X = SQUARE * [1e9, 1e-9] + [3e9, 0]
    assert common_point(X, XOR).verify(X, XOR)
    assert strictly_separates(separating_plane(X, [0, 0, 0, 1]), X, np.array([0, 0, 0, 1]))
    X = np.column_stack([SQUARE, np.full(4, 7.5)])  # a constant column
    assert common_point(X, XOR).point.tolist() == [0.5, 0.5, 7.5]


def test_separable_by_less_than_floats_can_say():
    X = SQUARE + 2.0**52
    assert common_point(X, [0, 0, 0, 1]) is None
    with pytest.raises(ArithmeticError, match=r"separable, but by so little .* subtract an offset"):
        separating_plane(X, [0, 0, 0, 1])


@pytest.mark.parametrize("d", [25, 70])
def test_many_columns(d):
    rng = np.random.default_rng(d)
    X, y = rng.standard_normal((8 * d, d)), rng.integers(0, 2, 8 * d)
    proof = common_point(X, y)
    assert proof.residual == 0 if d == 25 else proof.residual < 1e-12
    assert proof.verify(X, y)
    assert len(proof.rows) <= d + 2
    assert separating_plane(X, y) is None
    assert separating_plane(X, X @ rng.standard_normal(d) > 0) is not None


def test_labels_of_any_kind_and_the_positive_side():
    plane = separating_plane([[0.0], [1.0]], ["yes", "no"])
    assert plane.side([[0.0], [1.0]]).tolist() == [1, -1]
    assert common_point([[1.0], [1.0]], [True, False]).classes == (True, False)


# --- verifying ------------------------------------------------------------------------------------------


def test_verify_sees_what_is_wrong():
    proof = common_point(SQUARE, XOR)
    moved = SQUARE.copy()
    moved[3] = 2, 1
    assert not proof.verify(moved, XOR)
    assert not proof.verify(SQUARE, 1 - XOR)
    assert not proof.verify(SQUARE, [0, 0, 1, 1])
    assert not proof.verify(SQUARE[:3], XOR[:3])
    assert not proof.verify(np.column_stack([SQUARE, XOR]), XOR)
    third, two_thirds = Fraction(1, 3), Fraction(2, 3)
    for weights in ((1, 1, 0, 0), (third, third, two_thirds, two_thirds), (third,) * 4, (two_thirds, 1, 0, third)):
        assert not replace(proof, weights=tuple(map(Fraction, weights))).verify(SQUARE, XOR)
    line = common_point([[0], [2], [1]], ["a", "a", "b"])
    outside = replace(line, weights=(Fraction(-1, 2), Fraction(3, 2), Fraction(1)))
    assert not outside.verify([[0], [2], [3]], ["a", "a", "b"])


def test_verify_is_exact_on_whole_numbers_and_tolerant_on_others():
    near = SQUARE * 10**12
    near[3] += 1
    proof = common_point(SQUARE, XOR)
    assert not proof.verify(near, XOR)
    assert proof.verify(near / 4e12, XOR)
    assert not proof.verify(near / 4e12, XOR, tolerance=1e-13)
    assert proof.verify(SQUARE / 3, XOR, tolerance=0)


def test_a_proof_does_not_change():
    proof = common_point(SQUARE, XOR)
    with pytest.raises(FrozenInstanceError):
        proof.residual = 1.0
    with pytest.raises(ValueError, match="read-only"):
        proof.point[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        proof.coordinates[0, 0] = 1.0


def test_a_proof_reads_as_arithmetic():
    assert str(common_point(SQUARE, XOR)).splitlines() == [
        "no plane separates 0 from 1: both have the mean (0.5, 0.5)",
        "  0: ½·(0, 0) + ½·(1, 1)  [rows 0, 3]",
        "  1: ½·(0, 1) + ½·(1, 0)  [rows 1, 2]",
    ]
    assert str(common_point([[0], [3], [2]], ["a", "a", "b"])).splitlines()[1:] == [
        "  a: 1/3·(0) + 2/3·(3)  [rows 0, 1]",
        "  b: (2)  [row 2]",
    ]
    wide = str(common_point(np.column_stack([SQUARE, np.ones((4, 3))]), XOR)).splitlines()
    assert wide[0].endswith("the mean (0.5, 0.5, 1, 1, …)")
    assert wide[1] == "  0: ½·row 0 + ½·row 3"
    rng = np.random.default_rng(0)
    many = str(common_point(rng.standard_normal((300, 30)), rng.integers(0, 2, 300)))
    assert " more" in many


# --- refusals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ask", [common_point, separating_plane])
@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (SQUARE, [0, 0, 0, 0], "between two classes, but y has 1: 0"),
        (SQUARE, ["a", "b", "c", "a"], "between two classes, but y has 3: 'a', 'b', 'c'"),
        (SQUARE, [0, 1, 1], "inconsistent numbers"),
        ([[0, np.nan], [1, 2]], [0, 1], "NaN"),
        ([[0, np.inf], [1, 2]], [0, 1], "infinity"),
        (np.empty((0, 2)), [], "0 sample"),
        (np.empty((2, 0)), [0, 1], "0 feature"),
        ([[0, "a"], [1, 2]], [0, 1], "not a number"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_tables_without_an_answer_are_refused(ask, X, y, message):
    with pytest.raises(ValueError, match=message):
        ask(X, y)
