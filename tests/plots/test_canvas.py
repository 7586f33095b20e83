"""Where displays draw: on axes given, or on a new figure; without matplotlib they say what to install."""

import sys
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

from discriminant import Adaline, Perceptron
from discriminant.plots import DecisionLineDisplay, EpochsDisplay, LossesDisplay, StepSizesDisplay, canvas

X, Y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 0, 0, 1])

DRAWN = {
    "decision line": (
        lambda ax: DecisionLineDisplay.from_estimator(Perceptron(shuffle=False).fit(X, Y), X, Y, ax=ax),
        (),
    ),
    "line and path": (
        lambda ax: DecisionLineDisplay.from_estimator(Perceptron(shuffle=False, trace=True).fit(X, Y), X, Y, ax=ax),
        (1, 2),
    ),
    "epochs": (lambda ax: EpochsDisplay.from_estimator(Adaline(rule="batch").fit(X, Y), X, Y, ax=ax), ()),
    "losses": (lambda ax: LossesDisplay.of(ax=ax), (1, 2)),
    "step sizes": (lambda ax: StepSizesDisplay.from_data(X[:, 0], Y, ax=ax), (2, 3)),
}


@pytest.fixture(params=DRAWN)
def drawn(request):
    return DRAWN[request.param]


def test_a_new_figure_is_made_for_what_has_no_axes(drawn):
    draw, shape = drawn
    display = draw(None)
    assert plt.get_fignums() == [display.figure_.number]
    assert display.ax_ is display.figure_.axes[0]
    assert len(display.figure_.axes) == int(np.prod(shape))
    display.figure_.canvas.draw()


def test_given_axes_are_drawn_on_and_pyplot_stays_untouched(drawn):
    draw, shape = drawn
    axes = Figure().subplots(*shape)
    display = draw(axes)
    assert plt.get_fignums() == []
    assert display.ax_ is np.ravel(axes)[0]
    assert display.figure_ is display.ax_.figure
    assert all(ax.has_data() for ax in np.ravel(axes))
    display.figure_.canvas.draw()


def test_a_display_can_be_drawn_again_elsewhere(drawn):
    draw, shape = drawn
    display = draw(None)
    first = display.figure_
    assert display.plot(ax=Figure().subplots(*shape)) is display
    assert display.figure_ is not first


def test_the_wrong_number_of_axes_is_refused(drawn):
    draw, _ = drawn
    with pytest.raises(ValueError, match="one for each panel, got 5"):
        draw(Figure().subplots(1, 5))


def test_without_matplotlib_the_error_names_the_extra(drawn, monkeypatch):
    draw, _ = drawn
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"pip install discriminant\[plot\]"):
        draw(None)


def test_the_room_is_entered_without_matplotlib(monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    for name in [name for name in sys.modules if name.startswith("discriminant.plots")]:
        monkeypatch.delitem(sys.modules, name)
    import discriminant.plots

    assert discriminant.plots.LossesDisplay is not LossesDisplay  # really imported anew


def test_legends_lie_below_where_a_layout_makes_room_and_inside_elsewhere():
    model = Perceptron(shuffle=False).fit(X, Y)
    below = DecisionLineDisplay.from_estimator(model, X, Y)
    inside = DecisionLineDisplay.from_estimator(model, X, Y, ax=Figure().subplots())
    for display, expected in ((below, True), (inside, False)):
        display.figure_.canvas.draw()
        legend, box = display.ax_.get_legend().get_window_extent(), display.ax_.get_window_extent()
        assert bool(legend.y1 < box.y0) is expected
        assert legend.y0 > 0


def test_windows_hold_all_points_and_are_square_where_scales_are_alike():
    points = np.array([[0.0, 0.0], [2.0, 1.0]])
    across, up = canvas.window(points, 5)
    assert across[0] < 0
    assert across[-1] > 2
    assert np.ptp(across) == pytest.approx(np.ptp(up))
    across, up = canvas.window(points * [100.0, 1.0], 5)
    assert np.ptp(across) == pytest.approx(200 * np.ptp(up))
    across, up = canvas.window(np.array([[1e12, 0.0]]), 5)
    assert np.ptp(across) > 0
    assert np.ptp(up) > 0


def test_heights_differ_widely_or_not():
    assert canvas.differ_widely([1.0, 200.0, 0.0, np.inf])
    assert not canvas.differ_widely([1.0, 50.0])
    assert not canvas.differ_widely([0.0, np.nan])


EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.mark.parametrize("script", [path for path in EXAMPLES if path.stem != "saving"], ids=lambda path: path.stem)
def test_examples_draw_their_pictures(script, tmp_path, monkeypatch):
    import runpy

    monkeypatch.syspath_prepend(str(script.parent))
    monkeypatch.setattr(sys, "argv", [str(script), str(tmp_path)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        runpy.run_path(str(script), run_name="__main__")
    assert (tmp_path / f"{script.stem}.png").stat().st_size > 10_000
