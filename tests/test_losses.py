"""Losses of the margin: derivatives against differences, flags against what the values do, clear refusals."""

import dataclasses
import re

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from discriminant.losses import HINGE, LOGISTIC, LOSSES, PERCEPTRON, SQUARED, SQUARED_HINGE, ZERO_ONE, loss_named

every_loss = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
KINKS = (0.0, 1.0)
STEP = 1e-5
# holds 0, where the logistic loss is most curved
GRID = np.linspace(-6.0, 6.0, 24001)
margins = st.floats(-30.0, 30.0)


def away_from_kinks(m):
    return min(abs(m - kink) for kink in KINKS) > 2 * STEP


def difference(f, m):
    """The central difference quotient of f at m."""
    ahead, behind = f(np.array([m + STEP, m - STEP]))
    return (ahead - behind) / (2 * STEP)


# --- derivatives ----------------------------------------------------------------------------------------


@every_loss
@given(m=margins)
def test_slope_is_the_derivative_of_value(loss, m):
    assume(away_from_kinks(m))
    assert loss.slope(np.array([m]))[0] == pytest.approx(difference(loss.value, m), rel=1e-8, abs=1e-8)


@every_loss
@given(m=margins)
def test_curvature_is_the_derivative_of_slope(loss, m):
    assume(away_from_kinks(m))
    assert loss.curvature(np.array([m]))[0] == pytest.approx(difference(loss.slope, m), rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("m", [-800.0, -40.0, -1.5, -1e-9, 0.0, 1e-9, 1.5, 40.0, 700.0, 800.0])
def test_logistic_against_many_digits(m):
    with mpmath.workdps(800):
        e = mpmath.exp(-mpmath.mpf(m))
        exact = [float(v) for v in (mpmath.log(1 + e), -e / (1 + e), e / (1 + e) ** 2)]
    at = np.array([m])
    ours = [float(f(at)[0]) for f in (LOGISTIC.value, LOGISTIC.slope, LOGISTIC.curvature)]
    assert ours == pytest.approx(exact, rel=1e-14, abs=0.0)


@pytest.mark.parametrize(
    ("loss", "values", "slopes"),
    [
        (ZERO_ONE, [1, 1, 0, 0, 0], [0, 0, 0, 0, 0]),
        (PERCEPTRON, [2, 0, 0, 0, 0], [-1, -1, 0, 0, 0]),
        (SQUARED, [9, 1, 0.25, 0, 1], [-6, -2, -1, 0, 2]),
        (HINGE, [3, 1, 0.5, 0, 0], [-1, -1, -1, 0, 0]),
        (SQUARED_HINGE, [9, 1, 0.25, 0, 0], [-6, -2, -1, 0, 0]),
    ],
    ids=lambda case: getattr(case, "name", ""),
)
def test_values_and_slopes_by_hand(loss, values, slopes):
    m = np.array([-2.0, 0.0, 0.5, 1.0, 2.0])
    assert loss.value(m).tolist() == values
    assert loss.slope(m).tolist() == slopes


@every_loss
def test_any_shape_and_integers_give_floats(loss):
    table = np.arange(-3, 3).reshape(2, 3)
    for f in (loss.value, loss.slope, loss.curvature):
        assert f(table).dtype == np.float64
        np.testing.assert_array_equal(f(table), f(table.astype(float)))
        assert f(table).shape == table.shape


@every_loss
def test_a_slope_at_a_kink_is_one_of_its_two_sides(loss):
    for kink in KINKS:
        left, at, right = loss.slope(np.array([kink - 1e-12, kink, kink + 1e-12]))
        assert at == pytest.approx(left, abs=1e-11) or at == pytest.approx(right, abs=1e-11)


# --- flags ----------------------------------------------------------------------------------------------


@every_loss
def test_convex_is_the_midpoint_inequality(loss):
    a, b = np.random.default_rng(0).uniform(-5, 5, (2, 20000))
    above = (loss.value(a) + loss.value(b)) / 2 - loss.value((a + b) / 2)
    assert loss.convex == bool((above >= -1e-12).all())


@every_loss
def test_smooth_is_a_slope_without_jumps(loss):
    """Difference quotients of neighbouring steps differ by at most ℓ″ times the step, or else there is a jump."""
    width = GRID[1] - GRID[0]
    quotients = np.diff(loss.value(GRID)) / width
    jump = np.abs(np.diff(quotients)).max()
    assert jump <= 2.1 * width or jump >= 0.49
    assert loss.smooth == bool(jump <= 2.1 * width)


@every_loss
def test_steepest_curvature_is_the_largest_and_limits_the_change_of_slope(loss):
    assert np.isfinite(loss.steepest_curvature) == loss.smooth
    if loss.smooth:
        assert loss.curvature(GRID).max() == pytest.approx(loss.steepest_curvature, rel=1e-12)
    a, b = np.random.default_rng(1).uniform(-6, 6, (2, 20000))
    change = np.abs(loss.slope(a) - loss.slope(b))
    assert (change <= loss.steepest_curvature * np.abs(a - b) * (1 + 1e-9)).all()


@every_loss
def test_bound_factor_is_the_least_that_counts_every_mistake(loss):
    mistakes = np.append(-np.logspace(-12, 3, 400), 0.0)
    least = loss.value(mistakes).min()
    assert loss.bound_factor == (pytest.approx(1 / least, rel=1e-12) if least > 0 else np.inf)


@every_loss
def test_bounds_zero_one_is_lying_nowhere_below_it(loss):
    m = np.concatenate([GRID, KINKS, [-100.0, 100.0]])
    assert loss.bounds_zero_one == bool((loss.value(m) >= ZERO_ONE.value(m)).all())


def test_losses_keep_their_known_flags():
    """What the tests above find by sampling, said once in words."""
    assert [loss.name for loss in LOSSES.values() if not loss.convex] == ["zero-one"]
    assert [loss.name for loss in LOSSES.values() if loss.smooth] == ["squared", "squared hinge", "logistic"]
    assert [loss.name for loss in LOSSES.values() if not loss.bounds_zero_one] == ["perceptron", "logistic"]


# --- refusals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("needs", [{"convex": True}, {"smooth": True}, {"convex": True, "smooth": True}], ids=str)
@every_loss
def test_require_refuses_what_is_lacking_and_names_what_would_do(loss, needs):
    fits = [other.name for other in LOSSES.values() if all(getattr(other, need) for need in needs)]
    if loss.name in fits:
        assert loss.require(by="the method", **needs) is None
        return
    with pytest.raises(ValueError, match=f"the method .*the {loss.name} loss") as refusal:
        loss.require(by="the method", **needs)
    assert re.findall(r"'([^']+)'", str(refusal.value)) == fits


def test_require_says_what_is_wrong():
    with pytest.raises(ValueError, match="flat except for a jump"):
        ZERO_ONE.require(by="gradient descent", convex=True)
    with pytest.raises(ValueError, match=r"Newton's method needs a loss with a continuous slope.*kink"):
        HINGE.require(by="Newton's method", smooth=True)
    with pytest.raises(ValueError, match="the zero-one loss has a jump"):
        ZERO_ONE.require(by="Newton's method", smooth=True)


@every_loss
def test_nothing_required_is_nothing_refused(loss):
    assert loss.require(by="the method") is None


@every_loss
def test_a_loss_is_found_by_name_and_by_itself(loss):
    assert loss_named(loss.name) is loss
    assert loss_named(loss.name.replace(" ", "_")) is loss
    assert loss_named(loss) is loss


@pytest.mark.parametrize("name", ["hinged", "", None, 3, ["hinge"]], ids=repr)
def test_unknown_names_are_refused_with_the_known_ones(name):
    with pytest.raises(ValueError, match=f"got {re.escape(repr(name))}") as refusal:
        loss_named(name)
    assert all(repr(known) in str(refusal.value) for known in LOSSES)


def test_a_loss_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        HINGE.convex = False
