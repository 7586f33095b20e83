"""Pictures of classifiers that decide by gain: the plane of their learner, their own decisions, rows they reject."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from discriminant import Gain, GainClassifier, LinearDiscriminantAnalysis, LinearSVM
from discriminant.plots import (
    ConfusionDisplay,
    DiscriminantScatterDisplay,
    GainDisplay,
    OperatingCurveDisplay,
    ProjectionDisplay,
    RegionsDisplay,
    WeightsDisplay,
)

GAIN = Gain({"malignant": {"malignant": 0, "benign": -2000}, "benign": {"malignant": -300, "benign": 0}}, unit="EUR")


@pytest.fixture(scope="module")
def biopsies():
    cancer = load_breast_cancer()
    return cancer.data[:, :2], cancer.target_names[cancer.target]


@pytest.mark.parametrize(
    "model",
    [
        GainClassifier(LinearDiscriminantAnalysis(), GAIN),
        GainClassifier(make_pipeline(StandardScaler(), LinearSVM()), GAIN),
        make_pipeline(StandardScaler(), GainClassifier(LinearDiscriminantAnalysis(), GAIN)),
    ],
    ids=["lda", "pipeline inside", "pipeline outside"],
)
@pytest.mark.parametrize("turned", [False, True])
def test_theta_is_where_decisions_change(biopsies, model, turned):
    X, y = biopsies
    model = model.fit(X, y)
    pair = ("malignant", "benign") if turned else None
    display = ProjectionDisplay.from_estimator(model, X, y, pair=pair, ax=Figure().subplots())
    decided = model.predict(X)
    wrong = [np.mean(decided[y == label] != label) for label in display.labels]
    np.testing.assert_allclose(display.wrong, wrong)
    assert "decisions by gain" in display.ax_.get_title()


def test_a_threshold_that_assigns_one_class_always(biopsies):
    X, y = biopsies
    model = GainClassifier(LinearDiscriminantAnalysis(), [[1, 0], [1, 0]]).fit(X, y)
    display = ProjectionDisplay.from_estimator(model, X, y)
    display.figure_.canvas.draw()
    assert np.isposinf(display.theta)
    assert display.wrong == (0.0, 1.0)


def test_weights_and_coordinates_are_those_of_the_learner(biopsies):
    X, y = biopsies
    model = GainClassifier(LinearDiscriminantAnalysis(), GAIN).fit(X, y)
    display = WeightsDisplay.from_estimator(model, X, ax=Figure().subplots(1, 2))
    np.testing.assert_array_equal(display.weights, model.learner_.coef_[0])
    flowers, species = load_iris(return_X_y=True)
    several = GainClassifier(LinearDiscriminantAnalysis()).fit(flowers, species)
    scatter = DiscriminantScatterDisplay.from_estimator(several, flowers, species, ax=Figure().subplots())
    np.testing.assert_array_equal(scatter.points, several.learner_.transform(flowers))
    with pytest.raises(ValueError, match=r"model\.learner_"):
        ProjectionDisplay.from_estimator(several, flowers, species, pair=(0, 1))


@pytest.mark.parametrize("display", [OperatingCurveDisplay, GainDisplay])
def test_curves_of_its_score(biopsies, display):
    X, y = biopsies
    model = GainClassifier(LinearDiscriminantAnalysis(), GAIN).fit(X, y)
    made = display.from_estimator(model, X, y, gain=GAIN)
    made.figure_.canvas.draw()
    assert made.figure_.axes[0].has_data()


def test_rejected_rows_are_neither_right_nor_wrong(biopsies):
    X, y = biopsies
    model = GainClassifier(LinearDiscriminantAnalysis(), GAIN, reject=100).fit(X, y)
    decided = model.predict(X)
    rejected = np.count_nonzero(decided == "reject")
    wrong = np.count_nonzero(decided != y) - rejected
    regions = RegionsDisplay.from_estimator(model, X, y, resolution=40, ax=Figure().subplots())
    assert f"{wrong} of 569 rows wrong, {rejected} rejected" in regions.ax_.get_title()
    assert "rejected" in [text.get_text() for text in regions.ax_.get_legend().get_texts()]
    for gain in (None, Gain(GAIN, reject=-100)):
        counts = ConfusionDisplay.from_estimator(model, X, y, gain=gain)
        assert counts.counts[:, 2].sum() == rejected
        assert counts.assigned == ("benign", "malignant", "reject")
        assert f"{rejected / 569:.1%} rejected" in counts.ax_.get_title()
        plt.close("all")
    with pytest.raises(ValueError, match="no column for rejecting"):
        ConfusionDisplay.from_estimator(model, X, y, gain=GAIN)


def test_a_label_of_rejecting_among_plain_labels():
    made = ConfusionDisplay.from_predictions(["a", "b", "b"], ["a", "?", "b"], reject="?", ax=Figure().subplots())
    assert made.counts.tolist() == [[1, 0, 0], [0, 1, 1]]
    with pytest.raises(ValueError, match="is one of the classes"):
        ConfusionDisplay.from_predictions(["a", "b"], ["a", "b"], classes=["a", "b"], reject="b")
