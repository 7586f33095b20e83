"""Histograms of w·x as the model has it, θ and slab where they are."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from discriminant import FisherDiscriminant, LinearDiscriminantAnalysis, LinearSVM
from discriminant.plots import ProjectionDisplay


def axes():
    return Figure().subplots()


def rows(K=2, n=120, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % K
    return rng.normal(size=(n, 3)) + 1.5 * y[:, None], np.array(["a", "b", "c"])[y]


@pytest.mark.parametrize("learner", [FisherDiscriminant(), make_pipeline(StandardScaler(), FisherDiscriminant())])
def test_projection_less_theta_is_the_score(learner):
    X, y = rows()
    model = learner.fit(X, y)
    display = ProjectionDisplay.from_estimator(model, X, y, ax=axes())
    scores = model.decision_function(X)
    for values, label in zip(display.projections, "ab", strict=True):
        np.testing.assert_allclose(values - display.theta, scores[y == label], atol=1e-9)
    decided = model.predict(X)
    assert display.wrong == pytest.approx([np.mean(decided[y == "a"] == "b"), np.mean(decided[y == "b"] == "a")])
    assert display.slab is None


def test_bars_are_shares_of_their_class():
    X, y = rows()
    display = ProjectionDisplay.from_estimator(FisherDiscriminant().fit(X, y), X, y, ax=axes())
    for patch in display.ax_.patches:
        assert patch.get_data().values.sum() == pytest.approx(1.0)
    hatches = {patch.get_hatch() for patch in display.ax_.patches}
    assert {"///", "..."} <= hatches


def test_the_slab_of_a_margin():
    X, y = rows()
    model = LinearSVM().fit(X, y)
    display = ProjectionDisplay.from_estimator(model, X, y, ax=axes())
    low, high = display.slab
    outside = np.concatenate([display.projections[0] > low, display.projections[1] < high])
    assert outside.sum() == pytest.approx(np.count_nonzero(model.slab(X, y) != "outside"), abs=5)
    assert "margin, θ ± 1" in [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_a_pair_of_several_classes():
    X, y = rows(3)
    model = LinearDiscriminantAnalysis().fit(X, y)
    display = ProjectionDisplay.from_estimator(model, X, y, pair=("c", "a"), ax=axes())
    np.testing.assert_allclose(display.projections[1], X[y == "a"] @ model.hyperplane("c", "a").w)
    assert display.theta == pytest.approx(model.hyperplane("c", "a").theta)
    for pair, told in ((None, "pair="), (("a", "z"), "'z' of pair"), (("a", "a"), "two different"), ("ab", "two")):
        with pytest.raises(ValueError, match=told):
            ProjectionDisplay.from_estimator(model, X, y, pair=pair)


def test_many_rows_have_a_bounded_number_of_bars():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 20_000)
    display = ProjectionDisplay.from_predictions(y, rng.standard_cauchy(20_000), theta=0.3, ax=axes())
    assert len(display.ax_.patches[0].get_data().values) <= 60
    assert display.theta == 0.3


def test_what_cannot_be_drawn_is_refused():
    X, y = rows()
    with pytest.raises(NotFittedError):
        ProjectionDisplay.from_estimator(LinearSVM(), X, y)
    with pytest.raises(TypeError, match="coef_"):
        ProjectionDisplay.from_estimator(DecisionTreeClassifier().fit(X, y), X, y)
    model = FisherDiscriminant().fit(X, y)
    with pytest.raises(ValueError, match="2 columns, but the model was fitted to 3"):
        ProjectionDisplay.from_estimator(model, X[:, :2], y)
    with pytest.raises(ValueError, match="no rows of class 'b'"):
        ProjectionDisplay.from_estimator(model, X[y == "a"], y[y == "a"])
    with pytest.raises(ValueError, match="row 1 is nan"):
        ProjectionDisplay.from_predictions([0, 1], [0.0, np.nan])
    with pytest.raises(ValueError, match="3 labels but there are 2"):
        ProjectionDisplay.from_predictions([0, 1, 1], [0.0, 1.0])
    with pytest.raises(ValueError, match="pair="):
        ProjectionDisplay.from_predictions([0, 1, 2], [0.0, 1.0, 2.0])
