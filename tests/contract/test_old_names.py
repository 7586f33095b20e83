"""Parameters that have a new name still answer to the old one for a version, with a warning that names the new."""

import inspect

import pytest
from sklearn.base import clone

import discriminant as dc
from discriminant.networks import ThresholdUnit

X, y = [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
EPOCHS, ITERATIONS = ("max_epochs", "n_epochs_"), ("max_iterations", "n_iterations_")
RENAMED = {
    dc.Perceptron: EPOCHS,
    dc.PocketPerceptron: EPOCHS,
    dc.Adaline: EPOCHS,
    dc.LinearSVM: ITERATIONS,
    dc.LogisticRegression: ITERATIONS,
}
estimators = pytest.mark.parametrize(("estimator", "names"), RENAMED.items())
pytestmark = pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")


def renamed(old, new):
    return pytest.warns(FutureWarning, match=f"^{old} is now called {new}; ")


@estimators
def test_constructor_and_set_params(estimator, names):
    with renamed(names[0], "max_iter") as told:
        model = estimator(**{names[0]: 7})
    assert told[0].filename == __file__
    assert model.max_iter == 7
    with renamed(names[0], "max_iter") as told:
        model.set_params(**{names[0]: 9})
    assert told[0].filename == __file__
    assert model.get_params()["max_iter"] == 9
    assert names[0] not in model.get_params()
    assert clone(model).max_iter == 9
    assert "max_iter" in inspect.signature(estimator).parameters
    with pytest.raises(TypeError, match=f"{names[0]} is the old name of max_iter; give one of the two"):
        estimator(**{names[0]: 7}, max_iter=8)


@estimators
def test_attributes(estimator, names):
    model = estimator()
    assert not hasattr(model, names[1])
    model.fit(X, y)
    with renamed(names[1], "n_iter_") as told:
        assert getattr(model, names[1]) == model.n_iter_
    assert told[0].filename == __file__
    with renamed(names[0], "max_iter"):
        setattr(model, names[0], 3)
    with renamed(names[0], "max_iter"):
        assert getattr(model, names[0]) == 3
    assert model.max_iter == 3
    assert not {*names} & {*vars(model)}


def test_nested_parameters():
    model = dc.OneVsAll(dc.Perceptron())
    with renamed("max_epochs", "max_iter"):
        model.set_params(learner__max_epochs=5)
    assert model.learner.max_iter == 5


def test_functions():
    with renamed("max_steps", "max_iter"):
        assert dc.gradient_descent(X, y, loss="squared", step=1e-3, max_steps=3, tol=0).n_steps == 3
    with renamed("max_epochs", "max_iter"):
        assert ThresholdUnit.learn([[0], [1]], [0, 1], max_epochs=50).unit is not None
    model = dc.LinearSVM().fit(X, y)
    with renamed("tolerance", "tol"):
        assert model.slab(X, y, tolerance=0.5).tolist() == model.slab(X, y, tol=0.5).tolist()


def test_methods():
    gain = dc.Gain([[1, 0], [0, 1]])
    with renamed("taken", "take"):
        assert gain.taken([0]) is gain
    found = dc.compare(X, y, cv=2, learners=["lda"])
    with renamed("told_apart", "distinguishable_in"):
        assert found.told_apart("accuracy") == found.distinguishable_in("accuracy")
