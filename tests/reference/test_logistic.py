"""Logistic regression against R's glm, stored penalised optima, LIBLINEAR's objectives and 50-digit arithmetic."""

import mpmath
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, load_svmlight_file

from discriminant import LogisticRegression
from tests.reference import constants
from tests.reference.nearness import near

GLM = {
    "wbc": ("breast_cancer_r", "wbc_glm", "breast_cancer/wbc_original.csv", "Class", ("Id",)),
    "german": ("german_credit_r", "glm_numeric", "german_credit/german_numeric.csv", "class", ()),
    "pima": ("pima_r", "glm_768", "pima/pima.csv", "diabetes", ()),
    "pima_tr": ("pima_r", "glm_tr_te", "pima/pima_tr.csv", "type", ()),
    "spambase": ("spambase_r", "glm", "spambase/spambase.csv.gz", "spam", ()),
    "synth": ("synth_r", "glm", "synth/synth_tr.csv", "yc", ()),
}


def table_of(shared, path, target, drop=()):
    table = pd.read_csv(shared / path).dropna()
    return table.drop(columns=[target, *drop]).to_numpy(dtype=float), table[target].to_numpy()


def table_of_glm(name, shared, oracle):
    file, key, path, target, drop = GLM[name]
    return *table_of(shared, path, target, drop), oracle(file)[key]


@pytest.mark.parametrize("name", GLM)
def test_glm(name, shared, oracle):
    is_that_of_glm(*table_of_glm(name, shared, oracle))


def test_glm_of_iris():
    X, y = load_iris(return_X_y=True)
    is_that_of_glm(X[y > 0], y[y > 0], constants.IRIS_GLM)


def is_that_of_glm(X, y, stored):
    model = LogisticRegression().fit(X, y)
    assert np.append(model.intercept_, model.coef_) == near(stored["coef"], 1e-7)
    assert np.append(model.intercept_standard_errors_, model.standard_errors_) == near(stored["std_error"], 1e-7)
    assert model.deviance_ == near(stored["deviance"], 1e-9)
    assert model.null_deviance_ == near(stored["null_deviance"], 1e-9)
    assert model.predict_proba(X[:5])[:, 1] == near(stored["fitted_first5"], 1e-7)
    assert model.findings_ == ()
    assert (model.predict(X) != y).sum() == stored["resub_errors_at_half"]


def standardised(X):
    deviations = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(deviations > 0, deviations, 1.0)


PENALISED = {
    "german_numeric": ("german_credit/german_numeric.csv", "class", ()),
    "pima": ("pima/pima.csv", "diabetes", ()),
    "synth_tr": ("synth/synth_tr.csv", "yc", ()),
}


@pytest.mark.parametrize("name", PENALISED)
def test_penalised_optima(name, shared, oracle):
    """alpha is 1/C."""
    X, y = table_of(shared, *PENALISED[name])
    Z = standardised(X)
    for stored in oracle("regularized")[name]["logistic_L2_unpenalized_intercept"]:
        model = LogisticRegression(alpha=1 / stored["C"]).fit(Z, y)
        assert model.coef_[0] == near(stored["w"], 1e-8)
        assert model.intercept_[0] == near(stored["b"], 1e-8)
        objective = 0.5 * model.coef_[0] @ model.coef_[0] - stored["C"] * model.log_likelihood_
        assert objective == near(stored["objective"], 1e-9)


def test_more_columns_than_rows(shared, oracle):
    table = pd.read_csv(shared / "colon/colon.csv.gz")
    y = table.pop("class").to_numpy()
    Z = standardised(table.to_numpy(dtype=float))
    stored = oracle("regularized")["colon"]["logistic_L2_unpenalized_intercept"][0]
    model = LogisticRegression(alpha=1 / stored["C"]).fit(Z, y)
    assert np.linalg.norm(model.coef_) == near(stored["norm_w"], 1e-7)
    assert abs(model.intercept_[0]) == near(stored["b"], 1e-7)


def test_multinomial_penalised_optima():
    X, y = load_iris(return_X_y=True)
    for stored in constants.IRIS_SOFTMAX:
        model = LogisticRegression(alpha=1 / stored["C"]).fit(X, y)
        assert model.coef_ == near(stored["coef_per_class"], 1e-7)
        objective = 0.5 * (model.coef_**2).sum() - stored["C"] * model.log_likelihood_
        assert objective == near(stored["objective"], 1e-9)


def mirrored(X, y, bias):
    """Rows (x, B) and their mirror images with the other label, at half weight each.

    LIBLINEAR has no free intercept: with a bias B ≥ 0 it appends a column and penalises its weight. Among mirrored
    rows a free intercept is zero, so that ours is the same problem.
    """
    X = sparse.csr_array(X)
    if bias >= 0:
        X = sparse.csr_array(sparse.hstack([X, np.full((X.shape[0], 1), bias)]))
    return sparse.csr_array(sparse.vstack([X, -X])), np.concatenate([y, -y]), np.full(2 * len(y), 0.5)


LIBLINEAR = {
    "heart_scale": "heart_scale/heart_scale.svm",
    "a9a": "a9a/a9a.svm.gz",
    "rcv1_small": "rcv1_small/rcv1_small_train.svm.gz",
}


@pytest.mark.parametrize("name", LIBLINEAR)
def test_never_above_the_objective_of_liblinear(name, shared, oracle):
    X, y = load_svmlight_file(str(shared / LIBLINEAR[name]))
    runs = [run for run in oracle(f"{name}_liblinear") if run["solver"] in (0, 7)]
    assert runs
    for run in runs:
        rows, labels, weight = mirrored(X, np.sign(y), run["B"])
        model = LogisticRegression(alpha=1 / run["C"]).fit(rows, labels, sample_weight=weight)
        assert abs(model.intercept_[0]) < 1e-7
        objective = 0.5 * model.coef_[0] @ model.coef_[0] - run["C"] * model.log_likelihood_
        assert objective <= run["objective"] * (1 + 1e-9)
        if "w" in run:
            expected = [*run["w"], run["b_weight"]] if "b_weight" in run else run["w"]
            assert model.coef_[0, : len(expected)] == near(expected[: model.coef_.shape[1]], 1e-6)


def fifty_digits(X, y, alpha):
    """The optimum by Newton's method in 50 digits."""
    mpmath.mp.dps = 50
    n, d = X.shape
    Z = mpmath.matrix(np.column_stack([X, np.ones(n)]).tolist())
    u = mpmath.zeros(d + 1, 1)
    ridge = mpmath.diag([mpmath.mpf(alpha)] * d + [mpmath.mpf(0)])
    for _ in range(60):
        p = [1 / (1 + mpmath.exp(-s)) for s in Z * u]
        gradient = Z.T * mpmath.matrix([p[i] - int(y[i]) for i in range(n)]) + ridge * u
        H = Z.T * mpmath.diag([q * (1 - q) for q in p]) * Z + ridge
        step = mpmath.lu_solve(H, gradient)
        u -= step
        if mpmath.norm(step) < mpmath.mpf(10) ** -40:
            return np.array([float(v) for v in u]), np.sqrt([float((H**-1)[j, j]) for j in range(d + 1)])
    raise AssertionError("no convergence in 50 digits")


@pytest.mark.parametrize("alpha", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(4))
def test_optimum_of_fifty_digits(seed, alpha):
    random = np.random.default_rng(seed)
    X = random.standard_normal((25, 3)) * [1.0, 100.0, 0.01] + [0.0, 1e3, 1.0]
    y = (random.random(25) < 1 / (1 + np.exp(-(X[:, 0] + (X[:, 1] - 1e3) / 80)))).astype(int)
    expected, errors = fifty_digits(X, y, alpha)
    for solver in ("newton", "quasi-newton", "truncated-newton"):
        model = LogisticRegression(alpha=alpha, solver=solver, tol=1e-10).fit(X, y)
        np.testing.assert_allclose(np.append(model.coef_, model.intercept_), expected, rtol=1e-8)
    if not alpha:
        ours = np.append(model.standard_errors_, model.intercept_standard_errors_)
        np.testing.assert_allclose(ours, errors, rtol=1e-8)
