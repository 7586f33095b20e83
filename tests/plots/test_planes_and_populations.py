"""Lines of planes from anywhere, the geometry of one, ellipses and their projections, a criterion and its tangent."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from discriminant import (
    ClassMoments,
    FisherDiscriminant,
    Hyperplane,
    LinearSVM,
    ThresholdNetwork,
    ThresholdUnit,
    fisher_criterion,
)
from discriminant.plots import GeometryDisplay, PlanesDisplay, PopulationsDisplay, SlopeDisplay

X, Y = [[0.0, 0.0], [1.0, 0.5], [3.0, 3.0], [4.0, 2.5]], ["a", "a", "b", "b"]


def test_planes_of_every_kind():
    models = {"Fisher": FisherDiscriminant().fit(X, Y), "margin": LinearSVM(C=float("inf")).fit(X, Y)}
    shown = PlanesDisplay.from_planes({**models, "given": Hyperplane([1, 1], 2)}, X, Y)
    assert list(shown.planes) == ["Fisher", "margin", "given"]
    np.testing.assert_allclose(shown.planes["margin"].w, models["margin"].coef_[0])
    assert shown.planes["margin"].theta == pytest.approx(-models["margin"].intercept_[0])
    assert [text.get_text() for text in shown.ax_.get_legend().get_texts()] == ["a", "b", "Fisher", "margin", "given"]


def test_the_hidden_units_of_a_network():
    shown = PlanesDisplay.from_planes(ThresholdNetwork.from_truth_table([0, 1, 1, 0]), ax=Figure().subplots())
    assert sorted(shown.planes) == ["y1 = x1 ∧ ¬x2", "y2 = ¬x1 ∧ x2"]
    corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    assert (shown.planes["y1 = x1 ∧ ¬x2"].score(corners) > 0).tolist() == [False, False, True, False]


def test_a_line_lies_where_the_plane_is():
    plane = ThresholdUnit.OR().hyperplane
    shown = PlanesDisplay.from_planes(plane, ax=Figure().subplots())
    line = shown.lines_[""]
    for point in (line.get_xy1(), line.get_xy2()):
        assert plane.score(point) == pytest.approx(0)


def test_only_two_columns_are_drawn():
    with pytest.raises(ValueError, match="3 columns"):
        PlanesDisplay.from_planes({"wide": Hyperplane([1, 2, 3], 0)})
    with pytest.raises(ValueError, match="two columns"):
        GeometryDisplay.from_plane(Hyperplane([1, 2, 3], 0), [1, 2, 3])


def test_the_geometry_of_a_point():
    shown = GeometryDisplay.from_plane(Hyperplane([3, 4], 10), [6, 8], ax=Figure().subplots())
    np.testing.assert_allclose(shown.along + shown.across, [6, 8])
    np.testing.assert_allclose(shown.nearest, [1.2, 1.6])
    assert shown.distance == 8.0


def test_the_two_projections_of_two_ellipses():
    moments = ClassMoments.of_parameters([0.5, 0.5], [[0, 0], [2, 1]], [[3.0, 1.5], [1.5, 1.0]], classes=["a", "b"])
    shown = PopulationsDisplay.from_moments(moments)
    means, fisher = shown.criteria.values()
    assert fisher > means
    assert means == pytest.approx(fisher_criterion(moments, [2, 1]))
    assert fisher == pytest.approx(FisherDiscriminant().fit(moments).criterion_)
    assert shown.axes_.shape == (1, 3)


def test_projections_of_ones_own():
    moments = ClassMoments.of(X, Y)
    shown = PopulationsDisplay.from_moments(moments, {"good": [1, 1], "bad": [1, -1]}, ax=Figure().subplots(1, 3))
    assert shown.criteria["good"] > shown.criteria["bad"]
    with pytest.raises(ValueError, match="both zero"):
        PopulationsDisplay.from_moments(moments, {"none": [0, 0]})
    with pytest.raises(ValueError, match="two columns and two classes"):
        PopulationsDisplay.from_moments(moments.pooled())


@pytest.mark.parametrize("loss", ["squared", "logistic", "perceptron"])
def test_the_tangent_has_the_slope_of_the_criterion(loss):
    shown = SlopeDisplay.from_data([1.0, 2.0, -1.0], [1, 1, 1], loss=loss, start=-0.7, eta=0.01, ax=Figure().subplots())
    h = 1e-6
    E = [shown.loss.value(shown.c * shown.x * (-0.7 + k * h)).sum() for k in (-1, 1)]
    assert shown.slope[0] == pytest.approx((E[1] - E[0]) / (2 * h), rel=1e-4)
    assert shown.path[1] == pytest.approx(-0.7 - 0.01 * shown.slope[0])


def test_steps_too_long_climb():
    few = {"x": [1.0, 2.0], "c": [1, 1], "start": 0.0, "steps": 4}
    assert SlopeDisplay.from_data(**few, eta=0.05, ax=Figure().subplots()).risk[-1] < 2
    assert SlopeDisplay.from_data(**few, eta=0.25, ax=Figure().subplots()).risk[-1] > 2
    with pytest.raises(ValueError, match="flat"):
        SlopeDisplay.from_data([1.0], [1], loss="zero-one")
    with pytest.raises(ValueError, match="c must"):
        SlopeDisplay.from_data([1.0], [0])
