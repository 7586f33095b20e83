"""The geometry of w·x = θ, against exact arithmetic and its own laws."""

import math
from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from discriminant import Hyperplane

law = settings(deadline=None, derandomize=True)
EPS = float(np.finfo(np.float64).eps)
numbers = st.floats(-1e3, 1e3).map(lambda v: v if abs(v) > 1e-3 else 0.0)


@st.composite
def planes(draw, dimension=None):
    d = dimension or draw(st.integers(1, 6))
    w = draw(arrays(np.float64, d, elements=numbers))
    assume(w.any())
    return Hyperplane(w, draw(numbers))


@st.composite
def planes_and_points(draw, n_points=1):
    plane = draw(planes())
    points = [draw(arrays(np.float64, plane.dimension, elements=numbers)) for _ in range(n_points)]
    return plane, *points


def slack(plane, *points):
    """How far rounding may move a length computed from these points."""
    reach = sum(float(np.abs(p).sum()) for p in points) + abs(plane.theta) / plane.norm
    return 32 * plane.dimension * EPS * (1.0 + reach)


# --- where points lie -----------------------------------------------------------------------------------


@law
@given(planes_and_points())
def test_score_is_the_exact_sum_to_rounding(case):
    plane, x = case
    exact = sum(Fraction(a) * Fraction(b) for a, b in zip(plane.w, x, strict=True)) - Fraction(plane.theta)
    size = float(np.abs(plane.w) @ np.abs(x)) + abs(plane.theta)
    assert abs(Fraction(float(plane.score(x))) - exact) <= 2 * (plane.dimension + 1) * EPS * size


def test_the_textbook_plane():
    plane = Hyperplane([3, 4], 10)
    assert plane.dimension == 2
    assert plane.norm == 5.0
    assert plane.score([6, 8]) == 40.0
    assert plane.signed_distance([6, 8]) == pytest.approx(8.0, rel=1e-15)
    assert plane.signed_distance([0, 0]) == pytest.approx(-2.0, rel=1e-15)
    assert plane.nearest_point([0, 0]) == pytest.approx(np.array([6 / 5, 8 / 5]), rel=1e-15)
    assert plane.projection_length([3, 4]) == pytest.approx(5.0, rel=1e-15)


def test_side_is_plus_minus_or_zero():
    plane = Hyperplane([1, 2], 3)
    side = plane.side([[3, 3], [1, 1], [0, 0], [-1, 2]])
    assert side.tolist() == [1, 0, -1, 0]
    assert side.dtype == np.int8


@law
@given(planes_and_points(3))
def test_a_table_of_points_is_its_points_one_by_one(case):
    plane, *points = case
    table = np.array(points)
    for method in (plane.score, plane.signed_distance, plane.nearest_point, plane.projection_length):
        one_by_one = np.array([method(p) for p in points])
        assert np.allclose(method(table), one_by_one, rtol=0, atol=slack(plane, *points) * max(1.0, plane.norm))
    assert plane.score(table).shape == (3,)
    assert plane.nearest_point(table).shape == table.shape


@law
@given(planes_and_points())
def test_distance_is_score_over_norm(case):
    plane, x = case
    assert plane.signed_distance(x) * plane.norm == pytest.approx(
        float(plane.score(x)), rel=0, abs=slack(plane, x) * plane.norm
    )


@law
@given(planes_and_points(), st.sampled_from([-1, 1]))
def test_margins_are_signed_by_the_label(case, c):
    plane, x = case
    assert plane.functional_margin(x, c) == c * plane.score(x)
    assert plane.geometric_margin(x, c) == c * plane.signed_distance(x)


def test_margins_of_a_table_and_of_wrong_labels():
    plane = Hyperplane([0, 2], 2)
    X = [[5, 2], [5, 0], [5, 3]]
    assert plane.functional_margin(X, [1, -1, -1]).tolist() == [2, 2, -4]
    assert plane.geometric_margin(X, [1, -1, -1]).tolist() == [1, 1, -2]
    with pytest.raises(ValueError, match=r"\+1 or -1"):
        plane.functional_margin(X, [1, 0, -1])
    with pytest.raises(ValueError, match=r"\+1 or -1"):
        plane.geometric_margin(X, [1, np.nan, -1])


@pytest.mark.parametrize("c", [[1, -1], [[1], [-1], [1]], [1, -1, 1, 1]])
def test_margins_want_one_label_for_each_point(c):
    with pytest.raises(ValueError, match="label"):
        Hyperplane([0, 2], 2).functional_margin([[5, 2], [5, 0], [5, 3]], c)


# --- projections ----------------------------------------------------------------------------------------


@law
@given(planes_and_points())
def test_the_nearest_point_is_on_the_plane_straight_along_w_at_the_distance(case):
    plane, x = case
    near = plane.nearest_point(x)
    allowed = slack(plane, x)
    assert abs(plane.signed_distance(near)) <= allowed
    assert np.abs(plane.basis() @ (x - near)).max(initial=0.0) <= allowed
    assert np.linalg.norm(x - near) == pytest.approx(abs(float(plane.signed_distance(x))), rel=0, abs=allowed)
    along = (x - near) @ plane.w / plane.norm
    assert along == pytest.approx(float(plane.signed_distance(x)), rel=0, abs=allowed)


@law
@given(planes_and_points(2))
def test_no_other_point_of_the_plane_is_nearer(case):
    plane, x, other = case
    near, elsewhere = plane.nearest_point(x), plane.nearest_point(other)
    assert np.linalg.norm(x - near) <= np.linalg.norm(x - elsewhere) + slack(plane, x, other)


@law
@given(planes_and_points())
def test_split_sums_to_the_vector_one_part_along_w_the_other_across(case):
    plane, z = case
    along, across = plane.split(z)
    allowed = slack(plane, z)
    assert np.allclose(along + across, z, rtol=0, atol=allowed)
    assert np.abs(plane.basis() @ along).max(initial=0.0) <= allowed
    assert abs(across @ plane.w) <= allowed * plane.norm
    assert np.linalg.norm(along) == pytest.approx(abs(float(plane.projection_length(z))), rel=0, abs=allowed)


def test_split_of_a_table():
    along, across = Hyperplane([0, 5], 1).split([[3, 4], [1, -2]])
    assert along.tolist() == [[0, 4], [0, -2]]
    assert across.tolist() == [[3, 0], [1, 0]]


@law
@given(planes_and_points())
def test_projection_length_is_norm_times_cosine(case):
    plane, x = case
    assume(x.any())
    cosine = math.cos(plane.angle(Hyperplane(x, 0.0)))
    expected = float(np.linalg.norm(x)) * cosine
    assert plane.projection_length(x) == pytest.approx(expected, rel=0, abs=slack(plane, x))


@law
@given(planes(), st.data())
def test_the_basis_is_orthonormal_and_moves_within_the_plane(plane, data):
    basis = plane.basis()
    d = plane.dimension
    assert basis.shape == (d - 1, d)
    assert np.allclose(basis @ basis.T, np.eye(d - 1), rtol=0, atol=16 * d * EPS)
    assert np.abs(basis @ plane.w).max(initial=0.0) <= 16 * d * EPS * plane.norm
    steps = data.draw(arrays(np.float64, d - 1, elements=numbers))
    start = plane.nearest_point(np.zeros(d))
    assert abs(plane.signed_distance(start + steps @ basis)) <= slack(plane, start, steps)


@pytest.mark.parametrize("w", [[1.0, 0, 0], [-1.0, 0, 0], [0, 0, 2.0], [1e-300, 1.0, 0], [1e200, -1e200, 1e180]])
def test_the_basis_of_awkward_normals(w):
    plane = Hyperplane(w, 1.0)
    basis = plane.basis()
    assert np.allclose(basis @ basis.T, np.eye(2), rtol=0, atol=1e-15)
    assert np.allclose(basis @ (plane.w / np.abs(plane.w).max()), 0.0, rtol=0, atol=1e-15)


# --- angles ---------------------------------------------------------------------------------------------


@law
@given(planes(dimension=4), planes(dimension=4))
def test_angles_are_symmetric_blind_to_theta_and_supplement_each_other(a, b):
    angle = a.angle(b)
    assert 0.0 <= angle <= math.pi
    assert b.angle(a) == pytest.approx(angle, rel=0, abs=8 * EPS)
    assert a.angle(Hyperplane(b.w, b.theta + 1)) == angle
    assert angle + a.angle(-b) == pytest.approx(math.pi, rel=0, abs=16 * EPS)


def test_the_angles_everyone_knows():
    plane = Hyperplane([1, 1], 5)
    assert plane.angle(Hyperplane([3, 3], 0)) == 0.0
    assert plane.angle(-plane) == pytest.approx(math.pi, rel=1e-15)
    assert plane.angle(Hyperplane([1, -1], 0)) == pytest.approx(math.pi / 2, rel=1e-15)
    assert plane.angle(Hyperplane([0, 1], 0)) == pytest.approx(math.pi / 4, rel=1e-15)


@pytest.mark.parametrize("tiny", [1e-5, 1e-9, 1e-12, 1e-15])
def test_tiny_angles_keep_their_digits(tiny):
    plane, near = Hyperplane([1, 0], 0), Hyperplane([math.cos(tiny), math.sin(tiny)], 0)
    assert plane.angle(near) == pytest.approx(tiny, rel=1e-9)
    assert math.pi - plane.angle(-near) == pytest.approx(tiny, rel=0, abs=4 * EPS)


def test_planes_of_different_spaces_have_no_angle():
    with pytest.raises(ValueError, match="2 and 3 dimensions"):
        Hyperplane([1, 2], 0).angle(Hyperplane([1, 2, 3], 0))


# --- ways to make one, and back -------------------------------------------------------------------------


@law
@given(planes_and_points())
def test_through_contains_its_point_and_keeps_its_normal(case):
    plane, point = case
    through = Hyperplane.through(point, plane.w)
    assert abs(through.signed_distance(point)) <= slack(plane, point)
    assert np.array_equal(through.w, plane.w)


def test_through_refuses_vectors_that_do_not_fit():
    with pytest.raises(ValueError, match="point has 3 components and normal 2"):
        Hyperplane.through([1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match=r"point\[1\] is nan"):
        Hyperplane.through([1, np.nan], [1, 2])
    with pytest.raises(ValueError, match=r"normal\[0\] is inf"):
        Hyperplane.through([1, 2], [np.inf, 2])
    with pytest.raises(ValueError, match="zero"):
        Hyperplane.through([1, 2], [0, 0])


@law
@given(planes())
def test_coef_and_augmented_weights_come_back_exactly(plane):
    coef, intercept = plane.to_coef()
    assert coef.shape == (1, plane.dimension)
    assert intercept.shape == (1,)
    weights = plane.augmented()
    assert weights.shape == (plane.dimension + 1,)
    for back in (
        Hyperplane.from_coef(coef, intercept),
        Hyperplane.from_coef(coef[0], intercept[0]),
        Hyperplane.from_augmented(weights),
        Hyperplane.from_augmented(weights.tolist()),
    ):
        assert np.array_equal(back.w, plane.w)
        assert back.theta == plane.theta


@law
@given(planes_and_points())
def test_coef_and_augmented_weights_score_as_the_plane_does(case):
    plane, x = case
    coef, intercept = plane.to_coef()
    allowed = slack(plane, x) * plane.norm
    assert (x @ coef.T + intercept)[0] == pytest.approx(float(plane.score(x)), rel=0, abs=allowed)
    assert plane.augmented() @ np.concatenate([[1.0], x]) == pytest.approx(float(plane.score(x)), rel=0, abs=allowed)


def test_from_coef_wants_one_plane():
    for coef, intercept in ((np.ones((2, 2)), 0.0), (np.ones((1, 2)), [1.0, 2.0]), (3.0, 1.0), (np.ones((1, 1, 2)), 0)):
        with pytest.raises(ValueError, match="one hyperplane needs coef"):
            Hyperplane.from_coef(coef, intercept)
    with pytest.raises((TypeError, ValueError), match="coef"):
        Hyperplane.from_coef(["a", "b"], 0.0)


def test_from_augmented_wants_a_threshold_and_a_normal():
    with pytest.raises(ValueError, match="non-empty"):
        Hyperplane.from_augmented([1.0])
    with pytest.raises(ValueError, match="zero"):
        Hyperplane.from_augmented([1.0, 0.0, 0.0])
    with pytest.raises(ValueError, match=r"weights\[0\] is nan"):
        Hyperplane.from_augmented([np.nan, 1.0])


def test_handed_out_arrays_are_the_callers_own():
    plane = Hyperplane([1, 2], 3)
    coef, intercept = plane.to_coef()
    coef[0, 0], intercept[0] = 9.0, 9.0
    plane.augmented()[0] = 9.0
    assert plane.w.tolist() == [1.0, 2.0]
    assert plane.theta == 3.0


# --- identity -------------------------------------------------------------------------------------------


@law
@given(planes(), st.floats(-150, 150))
@example(Hyperplane([1, 2, 3], 4), -150.0)
@example(Hyperplane([1, 2, 3], 4), 150.0)
@example(Hyperplane([1, 2, 3], 0), 150.0)
def test_positive_scaling_changes_nothing(plane, exponent):
    factor = 10.0**exponent
    scaled = Hyperplane(plane.w * factor, plane.theta * factor)
    assert scaled == plane
    assert (scaled != plane) is False
    assert scaled.angle(plane) <= 8 * EPS
    x = np.arange(plane.dimension, dtype=float)
    assert scaled.signed_distance(x) == pytest.approx(float(plane.signed_distance(x)), rel=0, abs=slack(plane, x))


@law
@given(planes(), st.floats(-150, 150))
def test_negative_scaling_turns_the_plane_round(plane, exponent):
    factor = -(10.0**exponent)
    turned = Hyperplane(plane.w * factor, plane.theta * factor)
    assert turned != plane
    assert turned == -plane
    assert -turned == plane
    x = np.ones(plane.dimension)
    assert plane.side(x) == -(-plane).side(x)


@law
@given(planes())
def test_a_small_change_is_seen(plane):
    step = 1e-12 * max(1.0, abs(plane.theta))
    assert Hyperplane(plane.w, plane.theta + step) != plane
    for across in plane.basis():
        assert Hyperplane(plane.w + 1e-12 * plane.norm * across, plane.theta) != plane


@pytest.mark.parametrize(
    ("w", "theta"), [([1e-200], 1e200), ([1e300, 1e300], 1e-300), ([5e-324, 0], 1.0), ([1e308, 1e308], 1e308)]
)
def test_every_plane_equals_itself_and_not_its_opposite(w, theta):
    assert Hyperplane(w, theta) == Hyperplane(w, theta)
    assert Hyperplane(w, theta) != -Hyperplane(w, theta)


def test_what_a_plane_never_equals():
    plane = Hyperplane([1, 2], 3)
    assert plane != Hyperplane([1, 2, 0], 3)
    assert plane != ([1, 2], 3)
    assert plane != 3


def test_planes_are_unhashable_and_immutable():
    given_w = np.array([1.0, 2.0])
    plane = Hyperplane(given_w, 3)
    given_w[0] = 9.0
    assert plane.w.tolist() == [1.0, 2.0]
    assert given_w.flags.writeable
    with pytest.raises(TypeError, match="unhashable"):
        hash(plane)
    with pytest.raises(ValueError, match="read-only"):
        plane.w[0] = 5.0
    with pytest.raises(FrozenInstanceError):
        plane.theta = 4.0
    with pytest.raises(FrozenInstanceError):
        plane.w = np.ones(2)


def test_repr_says_what_it_is():
    assert repr(Hyperplane([1, 2], 3)) == "Hyperplane(w=[1., 2.], theta=3.0)"


@pytest.mark.parametrize("theta", [3, 3.0, np.float32(3), np.int8(3), np.array(3.0), 2**70])
def test_theta_may_be_any_finite_real_number(theta):
    plane = Hyperplane([1, 2], theta)
    assert plane.theta == float(theta)
    assert type(plane.theta) is float


# --- refusals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("w", "message"),
    [
        ([0, 0], "w is zero"),
        ([1, np.nan], r"w\[1\] is nan"),
        ([np.inf, 1], r"w\[0\] is inf"),
        ([-np.inf, 1], r"w\[0\] is -inf"),
        ([], "non-empty"),
        (3.0, r"one-dimensional.*shape \(\)"),
        (None, "w must be"),
        ([[1, 2]], r"one-dimensional.*shape \(1, 2\)"),
        ([[1], [2, 3]], "w must be .*real numbers"),
        (["a", "b"], "w must be .*real numbers"),
        (["1", "2"], "w must be .*real numbers"),
        (np.array(["1", "2"]), "w must be .*real numbers"),
        ({}, "w must be .*real numbers"),
        ([1 + 1j, 2], "w must be .*real numbers"),
        (np.array([1 + 1j, 2]), "w must be .*real numbers"),
        ([10**400, 2], "w"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_a_bad_normal_is_refused(w, message):
    with pytest.raises((ValueError, TypeError), match=message):
        Hyperplane(w, 0.0)


@pytest.mark.parametrize("theta", [np.nan, np.inf, -np.inf, "3", None, [3.0], 3j, 10**400], ids=lambda t: str(t)[:9])
def test_a_bad_threshold_is_refused(theta):
    with pytest.raises((ValueError, TypeError), match=r"theta (must be|holds)"):
        Hyperplane([1, 2], theta)


@pytest.mark.parametrize(
    "x", [[1, 2, 3], [1], 5.0, np.ones((2, 3)), np.ones((1, 1, 2)), ["a", "b"], np.array([1j, 1])], ids=repr
)
@pytest.mark.parametrize("method", ["score", "side", "signed_distance", "nearest_point", "split", "projection_length"])
def test_points_that_do_not_fit_are_refused(method, x):
    with pytest.raises((ValueError, TypeError), match="points must"):
        getattr(Hyperplane([1, 2], 0), method)(x)


def test_a_point_that_is_nowhere_has_no_side():
    plane = Hyperplane([1, 2], 3)
    for ask in (plane.score, plane.side, plane.signed_distance, plane.nearest_point):
        with pytest.raises(ValueError, match="NaN"):
            ask([np.nan, 1])
        with pytest.raises(ValueError, match="infinity"):
            ask([[0, 1], [np.inf, 1]])
