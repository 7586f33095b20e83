"""Markers are the figures of a comparison, whiskers their intervals; open markers are worse, failures have reasons."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer, load_iris

from discriminant import (
    Gain,
    LinearDiscriminantAnalysis,
    LinearSVM,
    LogisticRegression,
    NaiveBayes,
    Perceptron,
    compare,
)
from discriminant.plots import ComparisonDisplay

GAIN = Gain([[0, -300], [-2000, 0]], classes=["benign", "malignant"], unit="EUR")


@pytest.fixture(scope="module")
def found():
    cancer = load_breast_cancer()
    X, y = cancer.data[:, :6], cancer.target_names[cancer.target]
    learners = {
        "lda": LinearDiscriminantAnalysis(),
        "hard_margin": LinearSVM(C=np.inf),
        "always the same": Perceptron(max_iter=1, shuffle=False),
        "naive $Bayes$": NaiveBayes(marginal="gaussian"),
    }
    return compare(X, y, gain=GAIN, learners=learners, cv=5, random_state=0)


def markers(display):
    """{label: x by height} of the legend's entries."""
    lines = [line for line in display.ax_.get_lines() if not line.get_label().startswith("_")]
    return {line.get_label(): dict(zip(line.get_ydata(), line.get_xdata(), strict=True)) for line in lines}


@pytest.mark.parametrize("figure", [None, "gain", "accuracy", "auc"])
def test_markers_and_whiskers_are_the_figures_from_the_best_down(found, figure):
    display = ComparisonDisplay.from_comparison(found, figure, ax=Figure().subplots())
    figures = found.figures(figure)
    expected = sorted(figures, key=lambda name: -figures[name].value)
    assert list(display.names) == expected
    drawn = {place: x for group in markers(display).values() for place, x in group.items()}
    assert [drawn[place] for place in range(len(expected))] == [figures[name].value for name in expected]
    whiskers = sorted(
        (segment[0, 1], *segment[:, 0]) for lines in display.ax_.collections for segment in lines.get_segments()
    )
    assert whiskers == [(place, figures[name].low, figures[name].high) for place, name in enumerate(expected)]
    low, high = display.ax_.get_xlim()
    assert low < min(e.low for e in figures.values()) <= max(e.high for e in figures.values()) < high


def test_those_told_apart_have_a_marker_of_their_own(found):
    display = ComparisonDisplay.from_comparison(found, ax=Figure().subplots())
    apart = found.distinguishable
    groups = markers(display)
    worse = {display.names[int(place)] for place in groups["worse (5% for all together)"]}
    assert worse == {name for name, is_worse in apart.items() if is_worse}
    assert worse
    assert groups["best"] == {0: found.gain[found.best].value}
    looks = {line.get_label(): line for line in display.ax_.get_lines()}
    assert looks["worse (5% for all together)"].get_markerfacecolor() == "white"  # told apart in grey too
    assert looks["best"].get_marker() != looks["worse (5% for all together)"].get_marker()


def test_failures_stand_below_with_the_first_line_of_their_reason(found):
    display = ComparisonDisplay.from_comparison(found, ax=Figure().subplots())
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert names[-1] == "hard_margin"
    reasons = [text.get_text() for text in display.ax_.texts if text.get_text().startswith("×")]
    assert len(reasons) == 1
    assert "failed: NotSeparableError" in reasons[0]
    assert "row 290" not in reasons[0]
    assert r"naive \$Bayes\$" in names
    assert "EUR" in display.ax_.get_xlabel()


def test_learners_without_the_figure_say_so_and_less_log_loss_is_better(found):
    display = ComparisonDisplay.from_comparison(found, "log_loss", ax=Figure().subplots())
    losses = [found.log_loss[name].value for name in display.names]
    assert losses == sorted(losses)
    assert display.absent["always the same"] == "says no probabilities"
    assert found.distinguishable_in("log_loss") == {"lda": False, "naive $Bayes$": True}


def test_every_learner_may_fail():
    X, y = load_breast_cancer(return_X_y=True)
    found = compare(X[:, :3], y, learners={"hard margin": LinearSVM(C=np.inf)})
    display = ComparisonDisplay.from_comparison(found)
    display.figure_.canvas.draw()
    assert display.names == ()
    assert display.ax_.get_legend() is None


def test_infinite_figures_are_said_but_not_drawn():
    X, y = load_iris(return_X_y=True)
    shown = ComparisonDisplay.from_data(X, y, learners=["lda", "naive-bayes"], figure="log_loss", random_state=0)
    made = ComparisonDisplay(
        names=shown.names,
        values=np.array([0.2, np.inf]),
        lows=np.array([0.1, np.nan]),
        highs=np.array([0.3, np.nan]),
        worse=np.array([False, True]),
        absent={},
        what="log loss",
    ).plot()
    made.figure_.canvas.draw()
    assert "∞" in {text.get_text() for text in made.ax_.texts}
    assert np.isfinite(made.ax_.get_xlim()).all()


def test_what_cannot_be_drawn_is_refused(found):
    with pytest.raises(TypeError, match="what compare returns, got dict"):
        ComparisonDisplay.from_comparison({})
    with pytest.raises(ValueError, match="figure must be one of"):
        ComparisonDisplay.from_comparison(found, "f1")
    with pytest.raises(TypeError, match="matplotlib axes"):
        ComparisonDisplay.from_comparison(found, ax=3)
    X, y = load_iris(return_X_y=True)
    plain = compare(X, y, learners={"logistic": LogisticRegression(alpha=1.0)}, random_state=0)
    assert ComparisonDisplay.from_comparison(plain, "gain", ax=Figure().subplots()).absent == {
        "logistic": "compared without a gain"
    }
