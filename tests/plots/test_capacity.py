"""The curves are Cover's and Ripley's; a star marks one's own rows."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from discriminant import capacity, cover_probability, ripley_probability
from discriminant.plots import CapacityDisplay


def test_both_curves_for_each_number_of_weights():
    display = CapacityDisplay.of([4, 30], ax=Figure().subplots())
    curves = [line for line in display.ax_.lines if line.get_xdata().size > 3]
    assert len(curves) == 4
    for (cover, ripley), N in zip((curves[:2], curves[2:]), (4, 30), strict=True):
        rows = np.round(cover.get_xdata() * N).astype(int)
        assert (rows.min(), rows.max()) == (1, 4 * N)
        np.testing.assert_array_equal(cover.get_ydata(), cover_probability(rows, N, homogeneous=True))
        np.testing.assert_array_equal(ripley.get_ydata(), ripley_probability(rows, N, homogeneous=True))
        assert cover.get_color() == ripley.get_color()
        assert cover.get_linestyle() != ripley.get_linestyle()
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels[:2] == ["Cover, N = 4", "Cover, N = 30"]
    assert labels[2].startswith("Ripley")


def test_looks_differ_without_colour():
    display = CapacityDisplay.of()
    markers = [line.get_marker() for line in display.ax_.lines if str(line.get_label()).startswith("Cover")]
    assert len(set(markers)) == len(display.weights) == 4


def test_a_star_for_rows_of_ones_own():
    X = np.column_stack([np.random.default_rng(0).standard_normal((30, 9)), np.ones(30)])
    display = CapacityDisplay.from_data(X, ax=Figure().subplots())
    assert display.point == capacity(X)
    (star,) = (line for line in display.ax_.lines if line.get_marker() == "*")
    assert star.get_xydata()[0].tolist() == [3.0, cover_probability(30, 9)]
    assert "30 rows" in star.get_label()


def test_far_too_many_rows_are_marked_at_the_edge():
    display = CapacityDisplay.of([5], point=capacity(10**6, 20), ax=Figure().subplots())
    (star,) = (line for line in display.ax_.lines if line.get_marker() == "*")
    assert star.get_xdata()[0] == display.ax_.get_xlim()[1] == 8
    assert "Z/N = 4.76e+04: 0" in star.get_label()


def test_what_makes_no_sense_is_refused():
    for weights in ([], [0]):
        with pytest.raises(ValueError, match="weights must be"):
            CapacityDisplay.of(weights)
    with pytest.raises(TypeError):
        CapacityDisplay.of([2.5])
