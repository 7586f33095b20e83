"""Perceptron, pocket and Adaline against stored runs of independent programs, some in exact integer arithmetic."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_svmlight_file

from discriminant import Adaline, LeastSquaresClassifier, Perceptron, PocketPerceptron

quiet = pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")
SONAR = ("sonar_angle_dependent_test104", "sonar_angle_dependent_train104")
PERCEPTRON_RUNS = (
    "iris_setosa_vs_rest",
    "iris_setosa_vs_versicolor",
    "iris_versicolor_vs_virginica",
    *SONAR,
    "heart_scale",
)


def rows_of(name, shared):
    """X and whether a row is of the class coded +1."""
    if name == "heart_scale":
        X, y = load_svmlight_file(str(shared / "heart_scale" / "heart_scale.svm"))
        return X.toarray(), y > 0
    if name in SONAR:
        table = pd.read_csv(shared / "sonar" / "sonar.csv")
        table = table[table["angle_dependent_split"] == name.split("_")[-1].removesuffix("104")]
        return table.filter(regex="^v[0-9]").to_numpy(), (table["class"] == "M").to_numpy()
    if name == "synth_tr":
        table = pd.read_csv(shared / "synth" / "synth_tr.csv")
        return table.iloc[:, :2].to_numpy(), table.iloc[:, 2].to_numpy() == 1
    X, y = load_iris(return_X_y=True)
    return {
        "iris_setosa_vs_rest": (X, y == 0),
        "iris_setosa_vs_versicolor": (X[y < 2], y[y < 2] == 1),
        "iris_versicolor_vs_virginica": (X[y > 0], y[y > 0] == 2),
    }[name]


@quiet
@pytest.mark.parametrize("name", PERCEPTRON_RUNS)
def test_perceptron_and_pocket_runs(oracle, shared, name):
    stored = oracle("perceptron_exact")[name]
    X, positive = rows_of(name, shared)
    model = Perceptron(shuffle=False, max_iter=stored["epoch_cap"], tol=None).fit(X, positive)
    assert model.mistakes_[:10].tolist() == stored["mistakes_first10_epochs"]
    assert model.converged_ == stored["converged"]
    pocket = PocketPerceptron(shuffle=False, max_iter=min(stored["epoch_cap"], 10_000)).fit(X, positive)
    assert pocket.pocket_errors_ == stored["pocket_ratchet_best_errors"]
    if name != "iris_versicolor_vs_virginica":  # a score of exactly zero, which tenths in binary miss, in epoch 365
        assert model.n_iter_ == stored["epochs_run"]
        assert model.n_updates_ == stored["mistakes_total"]
        assert np.allclose(model.coef_[0], stored["final_w"], rtol=1e-9, atol=1e-9)
        assert model.intercept_[0] == stored["final_b"]
    assert pocket.found_after_ == stored["pocket_ratchet_found_after_updates"]
    assert np.allclose(pocket.coef_[0], stored["pocket_w"], rtol=1e-9, atol=1e-9)
    assert pocket.intercept_[0] == stored["pocket_b"]


@quiet
@pytest.mark.parametrize("name", ["iris_versicolor_vs_virginica", "iris_setosa_vs_rest", "synth_tr", "heart_scale"])
def test_adaline_runs(oracle, shared, name):
    stored = oracle("adaline_lms")[name]
    X, positive = rows_of(name, shared)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    eta, epochs, n = stored["eta"], stored["epochs"], len(Z)
    online = Adaline(eta=eta, schedule="constant", shuffle=False, max_iter=epochs, tol=0).fit(Z, positive)
    batch = Adaline(rule="batch", eta=eta / n, max_iter=epochs, tol=0).fit(Z, positive)
    exact = Adaline(rule="closed-form").fit(Z, positive)
    for model, run in ((online, stored["online"]), (batch, stored["batch_mean_gradient"])):
        assert np.allclose(model.coef_[0], run["w"], rtol=1e-10, atol=1e-12)
        assert np.allclose(model.intercept_, run["b"], rtol=1e-10, atol=1e-12)
        after = [model.loss_[min(epoch, model.n_iter_)] for epoch in (1, 10, 50)]  # it stops when nothing changes
        assert np.allclose(2 * np.array(after) / n, run["mse_after_epoch_1_10_50"], rtol=1e-10)
        assert (model.predict(Z) != positive).sum() == run["errors"]
    assert np.allclose(exact.coef_[0], stored["least_squares_limit"]["w"], rtol=1e-9, atol=1e-12)
    assert np.allclose(exact.coef_, LeastSquaresClassifier().fit(Z, positive).coef_, rtol=1e-12)


@quiet
@pytest.mark.parametrize("name", ["synth_tr", "iris_versicolor_vs_virginica"])
def test_pocket_comes_near_the_fewest_errors_of_any_plane(oracle, shared, name):
    stored = oracle("zero_one_optimum")[name]
    fewest = stored.get("min_training_errors", stored.get("min_training_errors_found"))
    X, positive = rows_of(name, shared)
    pocket = PocketPerceptron(max_iter=2000, random_state=0).fit(X, positive)
    assert fewest <= pocket.pocket_errors_ <= fewest + 4
