"""Block diagrams of units, φ-space beside x-space, and names at the pieces of a boundary."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from discriminant import (
    Adaline,
    GaussianBasis,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    OneVsAll,
    Perceptron,
    ThresholdUnit,
)
from discriminant.plots import RegionsDisplay, SpacesDisplay, UnitDiagramDisplay

ROWS, CLASSES = [[0.0, 1.0], [1.0, 0.0], [3.0, 4.0], [4.0, 3.0]], [0, 0, 1, 1]


def texts(display):
    return [text.get_text() for text in display.ax_.texts]


def rings(n=60, seed=0):
    rng = np.random.default_rng(seed)
    turn, y = rng.uniform(0, 2 * np.pi, n), np.arange(n) % 2
    radius = 1.0 + y + 0.1 * rng.normal(size=n)
    return np.column_stack([radius * np.cos(turn), radius * np.sin(turn)]), y


@pytest.mark.parametrize(("kind", "learns_from"), [("perceptron", "$c - y$"), ("adaline", "$c - s$")])
def test_a_unit_in_symbols_learns_from_its_wire(kind, learns_from):
    shown = UnitDiagramDisplay.of(kind, 4, ax=Figure().subplots())
    assert {learns_from, "$w_4$", "$x_1$", r"$-\theta$"} <= set(texts(shown))
    assert not {"$c - y$", "$c - s$"} - {learns_from} & set(texts(shown))


def test_a_fitted_unit_shows_its_weights():
    X = pd.DataFrame(ROWS, columns=["height", "_cost$"])
    for learner, title in ((Perceptron(shuffle=False), "Perceptron"), (Adaline(rule="closed-form"), "Adaline")):
        model = learner.fit(X, CLASSES)
        shown = UnitDiagramDisplay.from_estimator(model, ax=Figure().subplots())
        assert shown.weights == tuple(f"{w:.3g}".replace("-", "−") for w in model.coef_[0])
        assert shown.bias == f"{model.intercept_[0]:.3g}".replace("-", "−")
        assert "height" in texts(shown)
        assert shown.ax_.get_title().startswith(title)


def test_a_threshold_unit_does_not_learn():
    shown = UnitDiagramDisplay.from_estimator(ThresholdUnit.AND(), ax=Figure().subplots())
    assert (shown.weights, shown.bias) == (("1", "1"), "−1.5")
    assert not any("c -" in text for text in texts(shown))


def test_diagrams_have_room_for_few_inputs():
    with pytest.raises(ValueError, match="room for 6 inputs"):
        UnitDiagramDisplay.from_estimator(Perceptron().fit(np.eye(8), [0, 1] * 4))
    with pytest.raises(ValueError, match="n_inputs must be 1 to 6"):
        UnitDiagramDisplay.of(n_inputs=7)
    with pytest.raises(ValueError, match="kind must be"):
        UnitDiagramDisplay.of("neuron")


def test_a_circle_in_x_is_a_line_in_squares():
    X, y = rings()
    model = make_pipeline(FunctionTransformer(np.square), LogisticRegression(alpha=0.1)).fit(X, y)
    shown = SpacesDisplay.from_estimator(model, X, y, ax=Figure().subplots(1, 2), resolution=50)
    np.testing.assert_allclose(shown.features, X**2)
    np.testing.assert_allclose(shown.plane.score(X**2), model.decision_function(X))
    assert shown.in_x.plane is None
    assert shown.names == ("φ₁", "φ₂")
    assert [ax.get_title() for ax in shown.axes_.flat] == ["x-space", "φ-space"]


def test_two_of_many_columns_have_no_line():
    X, y = rings()
    model = make_pipeline(GaussianBasis(n_centres=5, random_state=0), LogisticRegression(alpha=0.1)).fit(X, y)
    shown = SpacesDisplay.from_estimator(model, X, y, columns=(3, 1), ax=Figure().subplots(1, 2), resolution=50)
    np.testing.assert_allclose(shown.features, model[0].transform(X)[:, [3, 1]])
    assert shown.plane is None
    with pytest.raises(ValueError, match="two of the"):
        SpacesDisplay.from_estimator(model, X, y, columns=(0, 99))
    with pytest.raises(TypeError, match="no basis functions"):
        SpacesDisplay.from_estimator(model[-1], X, y)


def test_pieces_of_a_boundary_are_named():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(middle, 0.5, (20, 2)) for middle in ((0, 0), (4, 0), (2, 4))])
    y = np.repeat(["a", "b", "c"], 20)
    shown = RegionsDisplay.from_estimator(OneVsAll(LinearDiscriminantAnalysis()).fit(X, y), X, y)
    assert sorted(text.get_text() for text in shown.piece_labels_) == ["a | b", "a | c", "b | c"]
    for text, piece in zip(shown.piece_labels_, shown.cells.pieces, strict=True):
        assert text.get_text() == f"{piece.a} | {piece.b}"
        along, here = np.array(piece.end) - piece.start, np.array(text.get_position()) - piece.start
        share = here @ along / (along @ along)
        np.testing.assert_allclose(here, share * along, atol=1e-9)
        assert 0.2 <= round(share, 9) <= 0.8
    two = RegionsDisplay.from_estimator(
        make_pipeline(StandardScaler(), Perceptron()).fit(X[:40], y[:40]), X[:40], y[:40]
    )
    assert getattr(two, "piece_labels_", []) == []
