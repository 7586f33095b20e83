"""Points are the model's transform; one direction is drawn in lanes."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError

from discriminant import LinearDiscriminantAnalysis, LinearSVM
from discriminant.plots import DiscriminantScatterDisplay


def rows(K, n=120, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % K
    return rng.normal(size=(n, 5)) + 3 * rng.normal(size=(K, 5))[y], y


@pytest.mark.parametrize(("K", "axes"), [(3, (1, 2)), (5, (3, 1))])
def test_points_are_the_transform(K, axes):
    X, y = rows(K)
    model = LinearDiscriminantAnalysis().fit(X, y)
    display = DiscriminantScatterDisplay.from_estimator(model, X, y, axes=axes, ax=Figure().subplots())
    expected = model.transform(X)[:, [axes[0] - 1, axes[1] - 1]]
    for k in range(K):
        drawn, mean = display.ax_.collections[2 * k : 2 * k + 2]
        np.testing.assert_allclose(drawn.get_offsets(), expected[y == k])
        np.testing.assert_allclose(mean.get_offsets()[0], expected[y == k].mean(axis=0))
    assert f"discriminant {axes[0]}" in display.ax_.get_xlabel()


def test_two_classes_have_a_lane_each():
    X, y = rows(2)
    model = LinearDiscriminantAnalysis().fit(X, y)
    display = DiscriminantScatterDisplay.from_estimator(model, X, y, ax=Figure().subplots())
    lower, upper = (display.ax_.collections[i].get_offsets() for i in (0, 2))
    assert lower[:, 1].max() < upper[:, 1].min()
    np.testing.assert_allclose(lower[:, 0], model.transform(X)[y == 0, 0])


def test_what_cannot_be_drawn_is_refused():
    X, y = rows(3)
    model = LinearDiscriminantAnalysis().fit(X, y)
    draw = DiscriminantScatterDisplay.from_estimator
    with pytest.raises(ValueError, match="from 1 to 2"):
        draw(model, X, y, axes=(1, 3))
    with pytest.raises(TypeError, match="LinearSVM has no transform"):
        draw(LinearSVM().fit(X, y), X, y)
    with pytest.raises(NotFittedError):
        draw(LinearDiscriminantAnalysis(), X, y)
    with pytest.raises(ValueError, match="7 labels but X has 120 rows"):
        draw(model, X, y[:7])
