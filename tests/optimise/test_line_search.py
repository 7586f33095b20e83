"""How far a step goes: sums that fall, and sums whose fall is lost in their rounding."""

import pytest

from discriminant.optimise.line_search import line_search


def bowl(noise, at=1e-6, height=50.0):
    """F(x) = 50 + ½x² along a step from ``at`` to 0, told with an error; its slope is exact."""

    def look(t):
        x = at * (1.0 - t)
        return height + 0.5 * x * x + noise, -at * x

    return look, height + 0.5 * at * at, -at * at


@pytest.mark.parametrize("noise", [-1e-10, 0.0, 1e-10, 1e-9])
def test_a_fall_below_the_rounding_of_the_sum_is_told_by_slopes(noise):
    look, value, slope = bowl(noise)
    length, _, rest = line_search(look, value, slope, slope_of=lambda slope_there: slope_there)
    assert length == 1.0
    assert rest == 0.0


def test_slopes_take_no_step_that_rises_by_more_than_rounding():
    look, value, slope = bowl(1e-3)
    assert line_search(look, value, slope, slope_of=lambda slope_there: slope_there) is None


@pytest.mark.parametrize("noise", [1e-10, 1e-9])
def test_a_step_beyond_the_bottom_is_no_fall_however_little_it_rises(noise):
    look, value, slope = bowl(noise)
    length, *_ = line_search(look, value, slope, length=3.0, slope_of=lambda slope_there: slope_there)
    assert 0.0 < length < 2.0
