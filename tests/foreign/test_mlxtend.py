"""The results that mlxtend's own tests of its perceptron, Adaline, logistic and softmax regression compare with.

Its package holds no tests, so that their cases are written down here: sepal length and petal width of iris,
standardised, with the numbers they expect and as many digits of them. What its tests say of labels other than 0 and 1,
which it refuses, and of printed progress has nothing to be compared with.
"""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

from discriminant import Adaline, LogisticRegression, Perceptron, gradient_descent

IRIS, SPECIES = load_iris(return_X_y=True)
IRIS = IRIS[:, [0, 3]]
TWO, Y = IRIS[:100], SPECIES[:100]
X = (TWO - TWO.mean(axis=0)) / TWO.std(axis=0)
# its softmax tests standardise the first hundred rows, and then all rows, of which these are a part
THREE = np.vstack([X, IRIS[100:]])
THREE = (THREE - THREE.mean(axis=0)) / THREE.std(axis=0)
START = np.append(np.random.RandomState(1).normal(scale=0.01, size=2), 0.0)


def close(found, expected, decimals):
    """As `numpy.testing.assert_almost_equal` has it."""
    return bool(np.all(np.abs(np.asarray(found) - np.asarray(expected)) < 1.5 * 10.0**-decimals))


# --- the perceptron and Adaline ---------------------------------------------------------------------------


@pytest.mark.parametrize(("table", "epochs"), [(X, 15), (TWO, 100)], ids=["standardised", "as it is"])
def test_perceptron_gets_every_row_right(table, epochs):
    model = Perceptron(eta=0.01, max_iter=epochs, random_state=1).fit(table, Y)
    assert (model.predict(table) == Y).all()
    assert model.score(table, Y) == 1.0


ADALINES = {
    "normal equation": Adaline(rule="closed-form"),
    "gradient descent": Adaline(rule="batch", eta=0.01, max_iter=30, tol=0),
    "stochastic": Adaline(schedule="constant", eta=0.01, max_iter=30, tol=0, random_state=1),
}


@pytest.mark.parametrize("kind", ADALINES)
def test_adaline(kind):
    before = X.copy()
    model = clone(ADALINES[kind]).fit(X, Y)
    assert close(model.coef_, [[-0.08, 1.02]], 2)
    assert close(model.intercept_, [0.0], 2)
    assert (model.predict(X) == Y).all()
    assert (before == X).all()


@pytest.mark.filterwarnings("ignore::discriminant.findings.NotConvergedWarning")  # fifteen epochs are few
def test_adaline_goes_on_from_the_weights_it_has():
    model = Adaline(rule="batch", eta=0.01, max_iter=15, tol=0, warm_start=True).fit(X, Y).fit(X, Y)
    assert close(model.coef_, [[-0.08, 1.02]], 2)


@pytest.mark.parametrize("labels", [(2, 1), (-1, 1), ("setosa", "versicolor")])
@pytest.mark.parametrize("learner", [Perceptron(random_state=1), Adaline(rule="batch"), LogisticRegression(alpha=1.0)])
def test_labels_may_be_any(learner, labels):
    named = np.array(labels)[Y]
    assert (clone(learner).fit(X, named).predict(X) == named).all()


# --- logistic regression by steps -------------------------------------------------------------------------


@pytest.mark.parametrize("epochs", [(100,), (50, 50)], ids=["at once", "in two parts"])
def test_gradient_descent_on_the_logistic_loss(epochs):
    start = START
    for n in epochs:
        path = gradient_descent(X, Y, loss="logistic", step=0.01, max_iter=n, tol=0, start=start)
        start = np.append(path.w[-1], -path.theta[-1])
    assert close(path.w[-1], [1.2, 4.4], 2)
    assert close(path.theta[-1], -0.52, 2)
    plane = path.hyperplane
    assert close(1 / (1 + np.exp(-plane.score(X[[0, 48, 99]]))), [0.009, 0.012, 0.993], 3)
    assert ((plane.score(X) > 0) == Y).all()


def test_stochastic_descent_on_the_logistic_loss():
    path = gradient_descent(X, Y, step=0.01, batch_size=1, max_iter=100 * 100, start=START, random_state=1)
    assert close(path.w[-1], [1.18, 4.38], 2)


# --- penalties --------------------------------------------------------------------------------------------


def steps_of_mlxtend(table, labels, penalty, eta, epochs, n_planes):
    """Its gradient steps on softmax (on the logistic loss for one plane), from its start."""
    targets = np.eye(max(n_planes, 2))[labels]
    W, b = np.random.RandomState(1).normal(scale=0.01, size=(2, n_planes)), np.zeros(n_planes)
    for _ in range(epochs):
        scores = table @ W + b
        both = scores if n_planes > 1 else np.column_stack([np.zeros(len(scores)), scores])
        powers = np.exp(both - both.max(axis=1, keepdims=True))
        left = (targets - powers / powers.sum(axis=1, keepdims=True))[:, -n_planes:]
        W, b = W + eta * (table.T @ left - penalty * W), b + eta * left.sum(axis=0)
    return W, b


def test_penalised_steps_end_at_our_weights():
    """Twenty steps are what its test expects; many more are at the optimum."""
    assert close(steps_of_mlxtend(X, Y, 1.0, 0.01, 20, 1)[0].ravel(), [1.061, 2.280], 3)
    W, b = steps_of_mlxtend(X, Y, 1.0, 0.01, 20_000, 1)
    model = LogisticRegression(alpha=1.0, tol=1e-12).fit(X, Y)
    np.testing.assert_allclose(model.coef_, W.T, rtol=1e-8)
    np.testing.assert_allclose(model.intercept_, b, rtol=1e-8)


def test_penalised_softmax_of_two_classes():
    """It has a plane for each of two classes: their difference is one plane under half of the penalty."""
    table = THREE[:100]
    assert close(steps_of_mlxtend(table, Y, 0.0, 0.005, 200, 2)[0], [[0.13, -0.12], [-3.07, 3.05]], 2)
    assert close(steps_of_mlxtend(table, Y, 1.0, 0.005, 200, 2)[0], [[-0.17, 0.17], [-2.26, 2.26]], 2)
    W, _ = steps_of_mlxtend(table, Y, 1.0, 0.005, 20_000, 2)
    model = LogisticRegression(alpha=0.5, tol=1e-12).fit(table, Y)
    np.testing.assert_allclose(model.coef_[0], W[:, 1] - W[:, 0], rtol=1e-8)


def test_softmax_of_three_classes():
    W, b = steps_of_mlxtend(THREE, SPECIES, 0.0, 0.005, 200, 3)
    assert close(W, [[-0.95, -2.45, 3.4], [-3.95, 2.34, 1.59]], 2)
    W, b = steps_of_mlxtend(THREE, SPECIES, 1.0, 0.005, 40_000, 3)
    model = LogisticRegression(alpha=1.0, tol=1e-12).fit(THREE, SPECIES)
    np.testing.assert_allclose(model.coef_, W.T, rtol=1e-7)
    np.testing.assert_allclose(model.intercept_ - model.intercept_.mean(), b - b.mean(), rtol=1e-7)


def test_softmax_probabilities():
    """Of a penalty as small as two hundred steps are few; the rows of each class are told apart."""
    model = LogisticRegression(alpha=0.05).fit(THREE, SPECIES)
    assert (model.predict(THREE) == SPECIES).all()
    expected = [[0.99, 0.01, 0.00], [0.01, 0.88, 0.11], [0.00, 0.02, 0.98]]
    assert np.abs(model.predict_proba(THREE[[0, 50, 149]]) - expected).max() < 0.12
