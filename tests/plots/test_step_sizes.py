"""The paths are those of gradient descent, over the contours of the same E, with steps that show what they should."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from discriminant import LeastSquaresClassifier, gradient_descent
from discriminant.losses import loss_named
from discriminant.plots import StepSizesDisplay

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], 30)
X = (0.7 * Y + RNG.normal(0.3, 0.5, 60))[:, None]


def drawn(m=3, **options):
    display = StepSizesDisplay.from_data(X, Y, ax=Figure().subplots(2, m), **options)
    display.figure_.canvas.draw()
    return display


def risk(loss, w, b, weight=1.0):
    c = np.where(Y == 1, 1.0, -1.0)
    return (weight * loss_named(loss).value(c * (X[:, 0] * w + b))).sum()


def test_three_panels_crawl_arrive_and_oscillate():
    display = drawn()
    assert display.axes_.shape == (2, 3)
    crawl, arrive, oscillate = display.descents
    fallen = crawl.risk[0] - display.least
    assert (np.diff(crawl.risk) < 0).all()
    assert crawl.risk[-1] - display.least > 0.3 * fallen
    assert (np.diff(arrive.risk) < 0).all()
    assert arrive.risk[-1] - display.least < 0.01 * fallen
    assert oscillate.diverged
    late = oscillate.w[-10:, 0] - display.bottom[0]
    assert (np.sign(late[1:]) == -np.sign(late[:-1])).all()
    titles = [ax.get_title() for ax in display.axes_[0]]
    assert [title.partition(":")[0] for title in titles] == ["too small", "right", "too large"]


def test_steps_are_fractions_of_the_largest_stable_one():
    display = drawn()
    Z = np.column_stack([X, np.ones(60)])
    stable = 2 / np.linalg.eigvalsh(2 * Z.T @ Z)[-1]
    assert display.largest_stable == pytest.approx(stable)
    np.testing.assert_allclose(display.steps, np.multiply([0.02, 0.5, 1.02], stable))


def test_the_minimum_is_the_least_squares_line():
    display = drawn()
    best = LeastSquaresClassifier().fit(X, Y)
    np.testing.assert_allclose(display.bottom, [best.coef_[0, 0], best.intercept_[0]], rtol=1e-6)
    assert display.least == pytest.approx(risk("squared", *display.bottom))
    for ax in display.axes_[1]:
        (level,) = [line for line in ax.lines if line.get_linestyle() == "--"]
        assert set(level.get_ydata()) == {display.least}


def test_the_paths_drawn_are_those_of_gradient_descent():
    display = drawn(max_steps=12, start=[0.5, 0.5])
    for step, above, below in zip(display.steps, *display.axes_, strict=True):
        path = gradient_descent(X, Y, loss="squared", step=step, max_iter=12, tol=0.0, start=[0.5, 0.5])
        np.testing.assert_array_equal(above.lines[0].get_xydata(), np.column_stack([path.w, -path.theta]))
        np.testing.assert_array_equal(below.lines[0].get_xydata(), np.column_stack([path.at, path.risk]))
        assert len(path.at) == 13


@pytest.mark.parametrize("loss", ["squared", "logistic", "squared hinge", "hinge"])
def test_contours_are_of_the_risk_that_is_descended(loss):
    weight = RNG.uniform(0.5, 2.0, 60)
    display = drawn(m=2, loss=loss, steps=[1e-3, 1e-2], sample_weight=weight)
    for i, j in ((0, 0), (5, 40), (79, 79)):
        assert display.risk[i, j] == pytest.approx(risk(loss, display.across[j], display.up[i], weight))
    contour = display.ax_.collections[0]
    for level, path in zip(contour.levels, contour.get_paths(), strict=True):
        near = [risk(loss, w, b, weight) for w, b in path.vertices]
        np.testing.assert_allclose(near, level, atol=0.02 * np.ptp(display.risk))


@pytest.mark.parametrize("loss", ["logistic", "squared hinge"])
def test_other_smooth_losses_take_steps_from_the_curvature_at_their_minimum(loss):
    display = drawn(loss=loss)
    at = np.array(display.bottom)
    e = 1e-5 * np.eye(2)
    slope = [(risk(loss, *(at + h)) - risk(loss, *(at - h))) / 2e-5 for h in e]
    np.testing.assert_allclose(slope, 0, atol=1e-3)
    _, arrive, oscillate = display.descents
    assert arrive.risk[-1] - display.least < 0.01 * (arrive.risk[0] - display.least)
    assert oscillate.risk.max() > 2 * oscillate.risk[0]


def test_given_steps_have_a_panel_each():
    display = drawn(m=4, steps=[1e-4, 1e-3, 5e-3, 1.0])
    assert display.axes_.shape == (2, 4)
    assert display.steps == (1e-4, 1e-3, 5e-3, 1.0)


def test_a_path_that_is_lost_leaves_the_picture_and_is_not_followed():
    display = drawn(m=2, steps=[5e-3, 1e10], max_steps=200)
    calm, lost = display.axes_[0]
    assert calm.get_xlim() == lost.get_xlim()
    assert np.ptp(display.across) < 10 * abs(display.bottom[0])
    assert len(lost.lines[0].get_xdata()) == 2
    assert display.axes_[1, 1].get_ylim() == display.axes_[1, 0].get_ylim()


def test_columns_far_from_zero_still_show_their_minimum():
    far = StepSizesDisplay.from_data(X + 1000, Y, ax=Figure().subplots(2, 3))
    best = LeastSquaresClassifier().fit(X + 1000, Y)
    np.testing.assert_allclose(far.bottom, [best.coef_[0, 0], best.intercept_[0]], rtol=1e-5)
    assert far.across[0] < far.bottom[0] < far.across[-1]


def test_a_column_may_be_a_vector_or_a_frame():
    expected = drawn().bottom
    for table in (X[:, 0], X[:, 0].tolist(), pd.DataFrame({"x": X[:, 0]})):
        display = StepSizesDisplay.from_data(table, Y, ax=Figure().subplots(2, 3))
        np.testing.assert_array_equal(display.bottom, expected)


def test_a_descent_that_starts_at_the_minimum_stays_there():
    display = drawn(start=drawn().bottom)
    assert all(np.ptp(path.risk) < 1e-6 for path in display.descents)
    assert np.ptp(display.across) > 0.5


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="X must have one column, got 2"):
        StepSizesDisplay.from_data(np.hstack([X, X]), Y)
    with pytest.raises(ValueError, match="hinge loss has no curvature to take step sizes from"):
        StepSizesDisplay.from_data(X, Y, loss="hinge")
    with pytest.raises(ValueError, match="flattens out"):
        StepSizesDisplay.from_data([0.0, 1.0, 2.0, 3.0], [0, 0, 1, 1], loss="logistic")
    with pytest.raises(ValueError, match="zero-one"):
        StepSizesDisplay.from_data(X, Y, loss="zero-one", steps=[0.1])
    with pytest.raises(ValueError, match="no steps"):
        StepSizesDisplay.from_data(X, Y, steps=[])
    with pytest.raises(ValueError, match="step must be finite"):
        StepSizesDisplay.from_data(X, Y, steps=[-1.0])
    with pytest.raises(ValueError, match="two classes"):
        StepSizesDisplay.from_data(X, Y + (X[:, 0] > 1), steps=[0.1])
