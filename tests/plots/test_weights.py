"""Bars are the model's weights, in units and for a standard deviation; whiskers are its intervals."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from discriminant import FisherDiscriminant, LinearDiscriminantAnalysis, LogisticRegression
from discriminant.plots import WeightsDisplay


def pair_of_axes():
    return Figure().subplots(1, 2)


def rows(d=4, n=150, K=2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % K
    return (rng.normal(size=(n, d)) + 0.8 * y[:, None]) * 10.0 ** np.arange(d), y


def widths(ax):
    """By height."""
    return np.array([bar.get_width() for bar in sorted(ax.patches, key=lambda bar: bar.get_y())])


def test_bars_are_weights_sorted_by_what_they_do():
    X, y = rows()
    model = FisherDiscriminant().fit(X, y)
    display = WeightsDisplay.from_estimator(model, X, ax=pair_of_axes())
    standardised = model.coef_[0] * X.std(axis=0, ddof=1)
    order = np.argsort(-np.abs(standardised))
    np.testing.assert_allclose(widths(display.axes_[0, 0]), standardised[order])
    np.testing.assert_allclose(widths(display.axes_[0, 1]), model.coef_[0][order])
    assert display.axes_[0, 1].get_xscale() == "symlog"  # units of 1 to 1000
    assert display.axes_[0, 0].get_xscale() == "linear"


@pytest.mark.parametrize("turned", [False, True])
def test_whiskers_are_the_intervals_of_the_model(turned):
    X, y = rows()
    model = LogisticRegression().fit(X, y)
    display = WeightsDisplay.from_estimator(
        model, X, pair=(1, 0) if turned else None, confidence=0.9, ax=pair_of_axes()
    )
    expected = model.intervals(0.9)[1:]
    np.testing.assert_allclose(display.intervals, -expected[:, ::-1] if turned else expected)
    assert (display.intervals[:, 0] < display.weights).all()
    assert (display.weights < display.intervals[:, 1]).all()
    assert display.ax_.get_legend().get_texts()[0].get_text() == "90% interval"


@pytest.mark.parametrize("model", [LogisticRegression(alpha=1.0), FisherDiscriminant()])
def test_models_without_intervals_have_bars_alone(model):
    X, y = rows()
    display = WeightsDisplay.from_estimator(model.fit(X, y), X, ax=pair_of_axes())
    assert display.intervals is None
    assert display.ax_.get_legend() is None


def test_of_many_columns_some_are_drawn_and_said_to_be():
    X, y = rows(d=60)
    X = X / 10.0 ** np.arange(60)
    model = FisherDiscriminant().fit(X, y)
    display = WeightsDisplay.from_estimator(model, X, ax=pair_of_axes())
    assert len(display.ax_.get_yticks()) == 20
    assert "20 of 60 columns" in display.ax_.get_title()
    assert np.abs(display.standardised)[display.shown].min() >= np.sort(np.abs(display.standardised))[-20]


def test_names_of_columns_through_a_pipeline_and_long_ones():
    X, y = rows(d=2)
    table = pd.DataFrame(X, columns=["cost", "a name that goes on and on about what it is"])
    for model in (FisherDiscriminant(), make_pipeline(StandardScaler(), FisherDiscriminant())):
        display = WeightsDisplay.from_estimator(model.fit(table, y), table, ax=pair_of_axes())
        texts = {text.get_text() for text in display.ax_.get_yticklabels()}
        assert "cost" in texts
        assert max(map(len, texts)) <= 24


def test_sparse_rows_and_constant_columns():
    X, y = rows()
    X[:, 1] = 1e6
    model = LogisticRegression(alpha=1.0).fit(X, y)
    dense, thin = (WeightsDisplay.from_estimator(model, T, ax=pair_of_axes()) for T in (X, sparse.csr_array(X)))
    np.testing.assert_allclose(dense.spreads, thin.spreads)
    assert dense.spreads[1] == 0


def test_a_pair_of_several_classes():
    X, y = rows(K=3)
    model = LinearDiscriminantAnalysis().fit(X, y)
    display = WeightsDisplay.from_estimator(model, X, pair=(2, 1), ax=pair_of_axes())
    np.testing.assert_allclose(display.weights, model.hyperplane(2, 1).w)
    with pytest.raises(ValueError, match="pair="):
        WeightsDisplay.from_estimator(model, X)


def test_what_cannot_be_drawn_is_refused():
    X, y = rows()
    model = FisherDiscriminant().fit(X, y)
    with pytest.raises(NotFittedError):
        WeightsDisplay.from_estimator(FisherDiscriminant(), X)
    with pytest.raises(ValueError, match="3 columns, but the model was fitted to 4"):
        WeightsDisplay.from_estimator(model, X[:, :3])
    with pytest.raises(ValueError, match="most"):
        WeightsDisplay.from_estimator(model, X, most=0)
    with pytest.raises(ValueError, match="one for each panel"):
        WeightsDisplay.from_estimator(model, X, ax=Figure().subplots())
