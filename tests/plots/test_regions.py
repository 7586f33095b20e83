"""Regions are the model's decisions, exactly where it is linear; rings are its support rows."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.path import Path
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from discriminant import LinearDiscriminantAnalysis, LinearSVM, LogisticRegression, OneVsAll, OneVsOne
from discriminant.plots import RegionsDisplay


def axes():
    return Figure().subplots()


def blobs(K=3, n=90, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % K
    centres = 3 * np.column_stack([np.cos(2 * np.pi * np.arange(K) / K), np.sin(2 * np.pi * np.arange(K) / K)])
    return rng.normal(size=(n, 2)) + centres[y], np.array(list("abcdefghij"))[y]


@pytest.mark.parametrize("K", [2, 3, 8])
@pytest.mark.parametrize("learner", [LinearDiscriminantAnalysis(), OneVsAll(LogisticRegression(alpha=1.0))])
def test_polygons_hold_what_the_model_assigns(learner, K):
    X, y = blobs(K)
    model = learner.fit(X, y)
    display = RegionsDisplay.from_estimator(model, X, y, ax=axes())
    rng = np.random.default_rng(1)
    points = rng.uniform([display.across[0], display.up[0]], [display.across[-1], display.up[-1]], (400, 2))
    decided = model.predict(points)
    for label, polygon in display.regions_.items():
        inside = Path(polygon.get_xy()).contains_points(points)
        np.testing.assert_array_equal(inside, decided == label)


def test_looks_differ_when_colours_come_again():
    X, y = blobs(8)
    display = RegionsDisplay.from_estimator(LinearDiscriminantAnalysis().fit(X, y), X, y, ax=axes())
    first, seventh = display.regions_["a"], display.regions_["g"]
    assert first.get_facecolor() == seventh.get_facecolor()
    assert first.get_hatch() != seventh.get_hatch()


@pytest.mark.parametrize(
    "learner",
    [
        DecisionTreeClassifier(random_state=0),
        OneVsOne(LinearDiscriminantAnalysis()),
        make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
    ],
)
def test_other_models_are_drawn_by_their_decisions(learner):
    X, y = blobs()
    model = learner.fit(X, y)
    display = RegionsDisplay.from_estimator(model, X, y, resolution=40, ax=axes())
    assert display.cells is None
    grid = np.column_stack([part.ravel() for part in np.meshgrid(display.across, display.up)])
    np.testing.assert_array_equal(display.classes[display.decided.ravel()], model.predict(grid))


def test_margin_and_support_rows_of_a_slab():
    X, y = blobs(2)
    model = LinearSVM(C=0.5).fit(X, y)
    display = RegionsDisplay.from_estimator(model, X, y, ax=axes())
    np.testing.assert_array_equal(display.rings_.get_offsets(), X[model.support_])
    for level, path in zip(display.margin_.levels, display.margin_.get_paths(), strict=True):
        np.testing.assert_allclose(model.decision_function(path.vertices), level, atol=1e-9)
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["boundary", "margin, score ±1", "a", "b", f"{model.support_.size} support rows"]


def test_support_rows_are_those_of_the_fit_only():
    X, y = blobs(2)
    for model in (LinearSVM().fit(X, y), SVC().fit(X, y)):
        assert RegionsDisplay.from_estimator(model, X, y, resolution=30, ax=axes()).support.size > 0
        assert RegionsDisplay.from_estimator(model, X[:50], y[:50], resolution=30, ax=axes()).support.size == 0
        assert not hasattr(RegionsDisplay.from_estimator(model, X, y, margin=False, ax=axes()), "rings_")


def test_support_rows_of_several_classes():
    X, y = blobs()
    model = LinearSVM().fit(X, y)
    display = RegionsDisplay.from_estimator(model, X, y, ax=axes())
    assert set(display.support.tolist()) == set(np.concatenate(model.support_).tolist())
    assert display.score is None


def test_column_names_are_on_the_axes():
    X, y = blobs()
    table = pd.DataFrame(X, columns=["length", "an exceedingly long name of a column of the table"])
    display = RegionsDisplay.from_estimator(LinearDiscriminantAnalysis().fit(table, y), table, y, ax=axes())
    assert display.ax_.get_xlabel() == "length"
    assert len(display.ax_.get_ylabel()) <= 24


def test_what_cannot_be_drawn_is_refused():
    X, y = blobs()
    model = LinearDiscriminantAnalysis().fit(X, y)
    draw = RegionsDisplay.from_estimator
    with pytest.raises(NotFittedError):
        draw(LinearDiscriminantAnalysis(), X, y)
    with pytest.raises(ValueError, match="must have two columns, got 3"):
        draw(model, np.ones((90, 3)), y)
    with pytest.raises(ValueError, match="class 'z'"):
        draw(model, X, np.where(y == "a", "z", y))
    with pytest.raises(ValueError, match="resolution"):
        draw(model, X, y, resolution=1)
    with pytest.raises(TypeError, match="ax must be"):
        draw(model, X, y, ax=3)
    with pytest.raises(TypeError, match="needs a classifier"):
        draw(StandardScaler().fit(X), X, y)
