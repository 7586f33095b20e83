"""The curves are expected_gain's, the star is best_threshold's."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from discriminant import LinearDiscriminantAnalysis, best_threshold, expected_gain, operating_curve
from discriminant.plots import GainDisplay

GAIN = [[2, -3], [-4, 4]]


def pair():
    return Figure().subplots(1, 2)


def scored(n=150, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, rng.normal(size=n).round(1) + y


def curve_in(ax):
    return next(line for line in ax.lines if line.get_label() == "expected gain")


def star_in(ax):
    return next(line for line in ax.lines if line.get_marker() == "*").get_xydata()[0]


def test_gain_along_both_axes():
    y, score = scored()
    curve = operating_curve(y, score)
    earned = expected_gain(curve, GAIN)
    best = best_threshold(curve, gain=GAIN)
    display = GainDisplay.from_predictions(y, score, gain=GAIN, ax=pair())
    by_theta, by_alarm = display.axes_.flat
    np.testing.assert_allclose(curve_in(by_alarm).get_ydata(), earned)
    np.testing.assert_array_equal(curve_in(by_alarm).get_xdata(), curve.false_alarm)
    assert star_in(by_alarm) == pytest.approx([best.false_alarm, best.expected_gain])
    assert star_in(by_theta) == pytest.approx([best.threshold, best.expected_gain])


def test_the_staircase_has_the_gain_of_any_threshold():
    y, score = scored()
    curve = operating_curve(y, score)
    line = curve_in(GainDisplay.from_curve(curve, gain=GAIN, against="threshold", ax=Figure().subplots()).ax_)
    assert line.get_drawstyle() == "steps-post"
    x, height = line.get_data()
    for theta in np.linspace(x[0], x[-1] - 1e-6, 57):
        assigned = score > theta
        expected = np.asarray(GAIN)[y, assigned.astype(int)].mean()
        # steps-post: the value of the knot at or before it
        assert height[np.searchsorted(x, theta, side="right") - 1] == pytest.approx(expected)


def test_one_panel_of_ones_choice_and_the_unit_on_the_axis():
    from discriminant import Gain

    y, score = scored()
    gain = Gain(GAIN, unit="EUR")
    for against, word in (("threshold", "θ"), ("false alarm", "false alarm")):
        display = GainDisplay.from_predictions(y, score, gain=gain, against=against)
        assert display.axes_.shape == (1, 1)
        assert word in display.ax_.get_xlabel()
        assert display.ax_.get_ylabel() == "expected gain of a row in EUR"


def test_infinite_scores_and_infinite_thresholds_stay_in_the_picture():
    y, score = np.array([0, 1, 0, 1, 1]), np.array([-np.inf, 0.0, 1.0, 2.0, np.inf])
    for theta in (np.inf, -np.inf, None):
        display = GainDisplay.from_predictions(y, score, gain=GAIN, threshold=theta, ax=pair())
        left, right = display.axes_[0, 0].get_xlim()
        assert left <= star_in(display.axes_[0, 0])[0] <= right
        assert np.isfinite(curve_in(display.axes_[0, 0]).get_xdata()).all()


def test_equal_scores_can_be_drawn():
    display = GainDisplay.from_predictions([0, 1, 1], [3.0, 3.0, 3.0], gain=GAIN, ax=pair())
    assert np.diff(display.axes_[0, 0].get_xlim())[0] > 0


def test_of_a_model():
    y, score = scored()
    model = LinearDiscriminantAnalysis().fit(score[:, None], y)
    display = GainDisplay.from_estimator(model, score[:, None], y, gain=GAIN, ax=pair())
    assert (
        display.chosen.expected_gain
        == best_threshold(y, model.decision_function(score[:, None]), gain=GAIN).expected_gain
    )


def test_what_cannot_be_drawn_is_refused():
    y, score = scored(20)
    with pytest.raises(ValueError, match="the gain is for 3 classes"):
        GainDisplay.from_predictions(y, score, gain=np.eye(3))
    with pytest.raises(ValueError, match="against"):
        GainDisplay.from_predictions(y, score, gain=GAIN, against="time")
    with pytest.raises(ValueError, match="one for each panel"):
        GainDisplay.from_predictions(y, score, gain=GAIN, ax=Figure().subplots())
    with pytest.raises(TypeError, match="operating_curve"):
        GainDisplay.from_curve([0.1], gain=GAIN)
