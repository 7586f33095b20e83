"""The curve drawn is operating_curve's; its band, its lines of equal gain and its star are where they belong."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB

from discriminant import Gain, LinearDiscriminantAnalysis, best_threshold, expected_gain, operating_curve
from discriminant.plots import OperatingCurveDisplay
from discriminant.plots.scores import shown_places

GAIN = Gain({"bad": {"bad": 0, "good": -5}, "good": {"bad": -1, "good": 0}}, unit="EUR")


def axes():
    return Figure().subplots()


def scored(n=200, seed=0):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.4, "bad", "good")
    return y, rng.normal(size=n) + 1.2 * (y == "bad")


def labels(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_the_line_is_the_curve_and_the_legend_has_its_area():
    y, score = scored()
    curve = operating_curve(y, score, positive="bad")
    display = OperatingCurveDisplay.from_predictions(y, score, positive="bad", name="mine", ax=axes())
    np.testing.assert_array_equal(display.curve_.get_xdata(), curve.false_alarm)
    np.testing.assert_array_equal(display.curve_.get_ydata(), curve.misdetect)
    assert labels(display) == [f"mine, AUC {curve.auc:.3f}", "95% band", "chance"]
    assert "“bad”" in display.ax_.get_ylabel()


def test_every_point_of_the_curve_lies_in_its_band():
    y, score = scored()
    display = OperatingCurveDisplay.from_predictions(y, score, positive="bad", ax=axes())
    band = display.band_.get_path()
    inner = np.column_stack([display.curve_.get_xdata(), display.curve_.get_ydata()])[5:-5]
    assert band.contains_points(inner).all()
    assert len(OperatingCurveDisplay.from_predictions(y, score, confidence=None, ax=axes()).ax_.patches) == 0


def test_the_star_is_the_best_threshold_and_equal_gains_are_equal():
    y, score = scored()
    priors = {"bad": 0.2, "good": 0.8}
    display = OperatingCurveDisplay.from_predictions(y, score, positive="bad", gain=GAIN, priors=priors, ax=axes())
    best = best_threshold(y, score, positive="bad", gain=GAIN, priors=priors)
    assert display.point_.get_xydata()[0].tolist() == [best.false_alarm, best.misdetect]
    assert display.chosen.expected_gain == best.expected_gain
    for level, path in zip(display.equal_gains_.levels, display.equal_gains_.get_paths(), strict=True):
        false_alarm, misdetect = np.clip(path.vertices.T, 0, 1)
        earned = expected_gain((misdetect, false_alarm), GAIN, priors=priors, positive="bad")
        np.testing.assert_allclose(earned, level, atol=1e-9)
    assert any("EUR a row" in label for label in labels(display))


def test_gains_without_a_difference_have_no_lines():
    y, score = scored()
    display = OperatingCurveDisplay.from_predictions(y, score, gain=[[1, 1], [1, 1]], ax=axes())
    assert not hasattr(display, "equal_gains_")


@pytest.mark.parametrize("positive", ["bad", "good"])
@pytest.mark.parametrize("learner", [LinearDiscriminantAnalysis(), GaussianNB()])
def test_the_square_is_where_the_model_decides(learner, positive):
    y, score = scored()
    X = score[:, None]
    model = learner.fit(X, y)
    display = OperatingCurveDisplay.from_estimator(model, X, y, positive=positive, ax=axes())
    decided = model.predict(X)
    assert display.decided.misdetect == np.mean(decided[y == positive] != positive)
    assert display.decided.false_alarm == np.mean(decided[y != positive] == positive)
    assert display.curve.auc > 0.5
    assert labels(display)[0].startswith(type(learner).__name__)


def test_a_threshold_of_ones_own_is_marked():
    y, score = scored()
    for theta, expected in ((0.5, None), (np.inf, [0.0, 1.0]), (-np.inf, [1.0, 0.0])):
        display = OperatingCurveDisplay.from_predictions(y, score, positive="bad", threshold=theta, ax=axes())
        wanted = expected or [np.mean(score[y == "good"] >= theta), np.mean(score[y == "bad"] < theta)]
        np.testing.assert_allclose(display.point_.get_xydata()[0], wanted)


def test_one_class_among_several():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 120)
    X = rng.normal(size=(120, 2)) + y[:, None]
    model = LinearDiscriminantAnalysis().fit(X, y)
    display = OperatingCurveDisplay.from_estimator(model, X, y, positive=2, ax=axes())
    assert display.curve.auc > 0.8
    with pytest.raises(ValueError, match="positive="):
        OperatingCurveDisplay.from_estimator(model, X, y)
    with pytest.raises(ValueError, match="positive=7 is not one of the classes"):
        OperatingCurveDisplay.from_estimator(model, X, y, positive=7)


def test_a_second_curve_has_a_look_of_its_own():
    y, score = scored()
    ax = axes()
    first = OperatingCurveDisplay.from_predictions(y, score, name="a", ax=ax)
    second = OperatingCurveDisplay.from_predictions(y, -score, name="b", ax=ax)
    assert first.curve_.get_color() != second.curve_.get_color()
    assert first.curve_.get_linestyle() != second.curve_.get_linestyle()
    assert labels(second).count("chance") == 1


def test_long_curves_are_drawn_by_some_of_their_points():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 50_000)
    curve = operating_curve(y, rng.normal(size=y.size) + y)
    shown = shown_places(curve, 1000)
    assert shown.size <= 1002
    assert (shown[0], shown[-1]) == (0, len(curve) - 1)
    missed = np.interp(curve.false_alarm, curve.false_alarm[shown], curve.misdetect[shown])
    assert np.abs(missed - curve.misdetect).max() < 0.01


def test_weights_count_as_repetitions():
    y, score = scored(60)
    weight = np.arange(60) % 3
    model = LinearDiscriminantAnalysis().fit(score[:, None], y)
    weighted = OperatingCurveDisplay.from_estimator(model, score[:, None], y, sample_weight=weight, ax=axes())
    repeated = OperatingCurveDisplay.from_estimator(
        model, np.repeat(score, weight)[:, None], np.repeat(y, weight), ax=axes()
    )
    assert weighted.decided == pytest.approx(repeated.decided)
    assert weighted.curve.auc == pytest.approx(repeated.curve.auc)


def test_what_cannot_be_drawn_is_refused():
    y, score = scored(20)
    draw = OperatingCurveDisplay.from_predictions
    with pytest.raises(TypeError, match="ax must be matplotlib axes"):
        draw(y, score, ax="here")
    with pytest.raises(ValueError, match="one for each panel"):
        draw(y, score, ax=Figure().subplots(1, 2))
    with pytest.raises(TypeError, match="threshold must be a number"):
        draw(y, score, threshold="high")
    with pytest.raises(ValueError, match="confidence"):
        draw(y, score, confidence=2)
    with pytest.raises(ValueError, match="no rows of the"):
        draw(np.full(5, "bad"), np.arange(5.0), positive="bad")
    with pytest.raises(NotFittedError):
        OperatingCurveDisplay.from_estimator(LinearDiscriminantAnalysis(), score[:, None], y)
    model = LinearDiscriminantAnalysis().fit(score[:, None], y)
    with pytest.raises(ValueError, match="features"):
        OperatingCurveDisplay.from_estimator(model, np.ones((20, 3)), y)
    with pytest.raises(TypeError, match="operating_curve"):
        OperatingCurveDisplay.from_curve((0.1, 0.2))
