"""What is drawn for each epoch is what the model reports, beside the level it may be compared with."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from discriminant import Adaline, FisherDiscriminant, LeastSquaresClassifier, Perceptron, PocketPerceptron
from discriminant.findings import FindingWarning
from discriminant.plots import EpochsDisplay

X = np.random.default_rng(0).normal(size=(120, 3))
CLEAN = X @ [1.0, -1.0, 0.5] > 0
NOISY = X @ [1.0, -1.0, 0.5] + np.random.default_rng(1).normal(size=120) > 0


def drawn(model, *args, **options):
    display = EpochsDisplay.from_estimator(model, *args, ax=Figure().subplots(), **options)
    display.figure_.canvas.draw()
    return display, {line.get_label(): line for line in display.ax_.lines}


def test_mistakes_of_a_perceptron_that_converged():
    model = Perceptron(random_state=0).fit(X, CLEAN)
    display, lines = drawn(model)
    np.testing.assert_array_equal(lines["Perceptron"].get_ydata(), model.mistakes_)
    np.testing.assert_array_equal(lines["Perceptron"].get_xdata(), np.arange(1, model.n_iter_ + 1))
    np.testing.assert_array_equal(lines["converged"].get_xydata(), [[model.n_iter_, 0]])
    assert display.ax_.get_title() == f"Perceptron: converged after {model.n_iter_} epochs"


def test_a_perceptron_that_was_stopped_is_not_marked():
    with pytest.warns(FindingWarning):
        model = Perceptron(max_iter=1, random_state=0).fit(X, NOISY)
    display, lines = drawn(model)
    assert list(lines) == ["Perceptron"]
    assert display.ax_.get_title() == "Perceptron: stopped after 1 epoch"


def test_the_pocket_is_a_level():
    model = PocketPerceptron(max_iter=20, random_state=0).fit(X, NOISY)
    _, lines = drawn(model)
    (level,) = [line for name, line in lines.items() if name.startswith("in the pocket")]
    assert set(level.get_ydata()) == {model.pocket_errors_}
    assert level.get_linestyle() == "--"


def test_the_pockets_of_several_classes_add_up_like_their_mistakes():
    y = np.digitize(X[:, 0] + X[:, 1], [-0.5, 0.5])
    model = PocketPerceptron(max_iter=5, random_state=0).fit(X, y)
    display, _ = drawn(model)
    assert display.level == model.pocket_errors_.sum()


def test_loss_of_adaline_comes_down_to_least_squares():
    model = Adaline(rule="batch", max_iter=500, tol=1e-12).fit(X, NOISY)
    _, lines = drawn(model, X, NOISY)
    np.testing.assert_array_equal(lines["Adaline"].get_ydata(), model.loss_)
    np.testing.assert_array_equal(lines["Adaline"].get_xdata(), np.arange(model.n_iter_ + 1))
    best = LeastSquaresClassifier().fit(X, NOISY)
    c = np.where(NOISY, 1.0, -1.0)
    least = 0.5 * ((c - best.decision_function(X)) ** 2).sum()
    assert lines["least squares"].get_ydata()[0] == pytest.approx(least)
    assert model.loss_[-1] == pytest.approx(least)


def test_the_least_loss_is_that_of_the_columns_and_weights_the_learner_saw():
    weight = np.random.default_rng(2).uniform(0.5, 2, 120)
    model = make_pipeline(StandardScaler(), Adaline(rule="batch", max_iter=500, tol=1e-12))
    model.fit(X * [1, 100, 1], NOISY, adaline__sample_weight=weight)
    display, _ = drawn(model, X * [1, 100, 1], NOISY, sample_weight=weight)
    assert model[-1].loss_[-1] == pytest.approx(display.level)


def test_without_rows_there_is_no_level():
    display, lines = drawn(Adaline(rule="batch").fit(X, NOISY))
    assert display.level is None
    assert "least squares" not in lines


def test_wide_ranges_are_drawn_on_logarithmic_scales():
    with pytest.warns(FindingWarning):
        diverging = Adaline(rule="batch", eta=1.0).fit(X, NOISY)
    assert drawn(diverging)[0].ax_.get_yscale() == "log"
    assert drawn(Adaline(rule="batch").fit(X, NOISY))[0].ax_.get_yscale() == "linear"
    many = EpochsDisplay(
        values=np.array([5000, 300, 10, 0]), quantity="mistakes", converged=True, level=None, level_name="", name="P"
    ).plot(ax=Figure().subplots())
    many.figure_.canvas.draw()
    assert many.ax_.get_yscale() == "symlog"
    assert many.ax_.get_ylim()[0] == 0
    assert drawn(PocketPerceptron(max_iter=3, random_state=0).fit(X, NOISY))[0].ax_.get_ylim()[0] == 0


def test_models_without_epochs_are_refused():
    with pytest.raises(TypeError, match="FisherDiscriminant has neither mistakes_ nor loss_"):
        drawn(FisherDiscriminant().fit(X, CLEAN))
    with pytest.raises(NotFittedError):
        drawn(Perceptron())
