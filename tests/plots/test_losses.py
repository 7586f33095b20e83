"""The curves are the losses and their slopes, with gaps where they jump."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from discriminant.losses import LOSSES, Loss, loss_named
from discriminant.plots import LossesDisplay


def curves(ax):
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


def test_all_losses_and_their_slopes_are_drawn():
    display = LossesDisplay.of()
    values, slopes = (curves(ax) for ax in display.axes_[0])
    assert list(values) == list(slopes) == list(LOSSES)
    for name, loss in LOSSES.items():
        for line, function in ((values[name], loss.value), (slopes[name], loss.slope)):
            m, height = line.get_data()
            shown = np.isfinite(height)
            np.testing.assert_array_equal(height[shown], function(m[shown]))
            assert (m[shown].min(), m[shown].max()) == (-2, 3)


@pytest.mark.parametrize(("name", "panel", "at"), [("zero-one", 0, 0), ("perceptron", 1, 0), ("hinge", 1, 1)])
def test_jumps_are_gaps_between_a_full_and_an_open_dot(name, panel, at):
    ax = LossesDisplay.of([name], ax=Figure().subplots(1, 2)).axes_[0, panel]
    curve, *dots = ax.lines
    m, height = curve.get_data()
    (gap,) = np.flatnonzero(np.isnan(height))
    assert m[gap - 1] == pytest.approx(at, abs=0.006)
    before, after = (dot.get_xydata()[0] for dot in dots)
    assert before[0] == after[0] == m[gap - 1]
    assert (before[1], after[1]) == (height[gap - 1], height[gap + 1])
    assert dots[1].get_markerfacecolor() == "white"


@pytest.mark.parametrize(("name", "panel"), [("hinge", 0), ("squared hinge", 1), ("zero-one", 1)])
def test_what_does_not_jump_is_drawn_in_one_stroke(name, panel):
    ax = LossesDisplay.of([name], ax=Figure().subplots(1, 2)).axes_[0, panel]
    (curve,) = ax.lines
    assert np.isfinite(curve.get_ydata()).all()


def test_mistakes_are_shaded():
    display = LossesDisplay.of(ax=Figure().subplots(1, 2))
    for ax in display.axes_[0]:
        (shade,) = ax.patches
        assert (shade.get_x(), shade.get_x() + shade.get_width()) == (-2, 0)
    assert not LossesDisplay.of(margins=(0.5, 2), ax=Figure().subplots()).ax_.patches


def test_no_two_losses_look_alike_and_each_looks_the_same_everywhere():
    looks = {
        name: (line.get_color(), line.get_linestyle(), line.get_linewidth())
        for name, line in curves(LossesDisplay.of().ax_).items()
    }
    assert len(set(looks.values())) == len(LOSSES)
    assert len({colour for colour, *_ in looks.values()}) == len(LOSSES)
    (alone,) = curves(LossesDisplay.of("logistic", ax=Figure().subplots()).ax_).values()
    assert (alone.get_color(), alone.get_linestyle(), alone.get_linewidth()) == looks["logistic"]


def test_a_loss_of_ones_own_is_drawn_beside_the_others():
    exponential = Loss(
        "exponential",
        value=lambda m: np.exp(-m),
        slope=lambda m: -np.exp(-m),
        curvature=lambda m: np.exp(-m),
        convex=True,
        smooth=True,
        steepest_curvature=np.inf,
        bound_factor=1.0,
    )
    display = LossesDisplay.of([exponential, "hinge"], ax=Figure().subplots())
    assert list(curves(display.ax_)) == ["exponential", "hinge"]
    assert display.losses == (exponential, loss_named("hinge"))
    assert len(display.axes_.flat) == 1


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="loss must be one of"):
        LossesDisplay.of(["absolute"])
    with pytest.raises(ValueError, match="no losses"):
        LossesDisplay.of([])
    for margins in ((1, 1), (2, -2), (0, np.inf), (np.nan, 1)):
        with pytest.raises(ValueError, match="margins must run"):
            LossesDisplay.of(margins=margins)
