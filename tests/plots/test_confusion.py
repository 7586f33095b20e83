"""Counts are scikit-learn's confusion matrix; gains are what its cells earned."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError
from sklearn.metrics import confusion_matrix

from discriminant import Gain, LinearDiscriminantAnalysis
from discriminant.plots import ConfusionDisplay


def decided(K=3, n=200, seed=0):
    rng = np.random.default_rng(seed)
    names = np.array([f"class {k}" for k in range(K)])
    y = rng.integers(0, K, n)
    return names[y], names[np.where(rng.random(n) < 0.7, y, rng.integers(0, K, n))]


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_counts_are_those_of_scikit_learn():
    y, assigned = decided()
    weight = np.arange(y.size) % 4
    display = ConfusionDisplay.from_predictions(y, assigned, sample_weight=weight, ax=Figure().subplots())
    expected = confusion_matrix(y, assigned, sample_weight=weight)
    np.testing.assert_array_equal(display.counts, expected)
    assert texts(display.ax_) == [str(int(value)) for value in expected.ravel()]
    assert display.axes_.shape == (1, 1)


def test_gain_of_each_cell():
    y, assigned = decided()
    matrix = np.array([[2.0, -1, -3], [0, 1, -1], [-5, 0, 4]])
    display = ConfusionDisplay.from_predictions(
        y, assigned, gain=Gain(matrix, classes=["class 0", "class 1", "class 2"], unit="EUR"), ax=None
    )
    np.testing.assert_allclose(display.earned, confusion_matrix(y, assigned) * matrix)
    assert display.axes_[0, 1].get_title().startswith("gain in EUR")


def test_gains_by_row_and_rejected_rows():
    y, assigned = decided(2, 30)
    gains = np.random.default_rng(1).normal(size=(30, 2, 2))
    display = ConfusionDisplay.from_predictions(y, assigned, gain=Gain(gains), ax=Figure().subplots(1, 2))
    places = [np.array([int(label[-1]) for label in part]) for part in (y, assigned)]
    assert display.earned.sum() == pytest.approx(gains[np.arange(30), places[0], places[1]].sum())
    assigned = np.where(np.arange(30) < 5, "reject", assigned)
    gain = Gain(np.eye(2), classes=["class 0", "class 1"], reject=0.5)
    display = ConfusionDisplay.from_predictions(y, assigned, gain=gain, ax=Figure().subplots(1, 2))
    assert display.counts[:, 2].sum() == 5
    assert display.earned[:, 2].sum() == 2.5


def test_of_a_model():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    X = rng.normal(size=(80, 2)) + y[:, None]
    model = LinearDiscriminantAnalysis().fit(X, y)
    display = ConfusionDisplay.from_estimator(model, X, y, gain=np.eye(2), ax=Figure().subplots(1, 2))
    assert display.earned.sum() / 80 == pytest.approx(model.score(X, y))
    with pytest.raises(NotFittedError):
        ConfusionDisplay.from_estimator(LinearDiscriminantAnalysis(), X, y)


def test_many_classes_have_shades_alone():
    y, assigned = decided(20, 400)
    assert texts(ConfusionDisplay.from_predictions(y, assigned, ax=Figure().subplots()).ax_) == []


def test_what_cannot_be_drawn_is_refused():
    draw = ConfusionDisplay.from_predictions
    with pytest.raises(ValueError, match="y has 3 labels but assigned has 2"):
        draw([0, 1, 1], [0, 1])
    with pytest.raises(ValueError, match="assigned holds 7"):
        draw([0, 1], [0, 7], classes=[0, 1])
    with pytest.raises(ValueError, match="the gain is for 3 classes"):
        draw([0, 1], [0, 1], gain=np.eye(3))
    with pytest.raises(ValueError, match="one for each panel"):
        draw([0, 1], [0, 1], gain=np.eye(2), ax=Figure().subplots())
    with pytest.raises(ValueError, match="gains for 4 rows but y has 2"):
        draw([0, 1], [0, 1], gain=Gain(np.ones((4, 2, 2))))
