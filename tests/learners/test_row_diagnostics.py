"""Residuals, leverage, influence, marginal effects and sandwich covariances, beside statsmodels 0.14's."""

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer, load_iris

from discriminant import LogisticRegression, variance_inflation

ROWS = [0, 20, 300]


@pytest.fixture(scope="module")
def table():
    data = load_breast_cancer()
    return data.data[:, [1, 4]], data.target


@pytest.fixture(scope="module")
def model(table):
    return LogisticRegression().fit(*table)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("deviance", [-1.87450990104, 0.827701610921, -0.933968438175]),
        ("pearson", [-2.18961415412, 0.639161720932, -0.739417677639]),
    ],
)
def test_residuals(model, table, kind, expected):
    assert np.allclose(model.residuals(*table, kind)[ROWS], expected, rtol=1e-9)


def test_leverage_and_cooks_distance(model, table):
    X, y = table
    assert np.allclose(model.leverage(X)[ROWS], [0.0125400217807, 0.00537815253594, 0.00707588867299], rtol=1e-9)
    expected = [0.0205529049739, 0.000740316427835, 0.00130799860706]
    assert np.allclose(model.cooks_distance(X, y)[ROWS], expected, rtol=1e-9)


def test_sandwich_covariances(model, table):
    X, y = table
    errors = np.sqrt(np.diagonal(model.robust_covariance(X, y)))
    assert np.allclose(errors, [0.0306698610376, 9.50666981251, 1.20270020435], rtol=1e-9)
    by_group = np.sqrt(np.diagonal(model.robust_covariance(X, y, groups=np.arange(len(y)) % 23)))
    assert np.allclose(by_group, [0.0345271811196, 9.5142277574, 1.26348463715], rtol=1e-9)


def test_marginal_effects(model, table):
    found = model.marginal_effects(table[0])
    assert np.allclose(found.effects, [[-0.0451568017179, -12.3449412436]], rtol=1e-9)
    assert np.allclose(found.standard_errors, [[0.00311733817683, 1.07073210088]], rtol=1e-9)
    assert "P(1):" in str(found)
    assert found.p_values.max() < 1e-20


@pytest.mark.parametrize("as_sparse", [False, True])
def test_marginal_effects_of_several_classes(as_sparse):
    X, y = load_iris().data[:, 1:2], load_iris().target
    X = sparse.csr_array(X) if as_sparse else X
    found = LogisticRegression().fit(X, y).marginal_effects(X)
    assert np.allclose(found.effects.ravel(), [0.639178164856, -0.541946550625, -0.0972316142305], rtol=1e-8)
    assert np.allclose(found.standard_errors.ravel(), [0.0520160945285, 0.0727313168996, 0.0776858390274], rtol=1e-8)


def test_sums_that_must_hold(model, table):
    X, y = table
    assert np.isclose((model.residuals(X, y) ** 2).sum(), model.deviance_, rtol=1e-12)
    assert np.isclose(model.leverage(X).sum(), 3.0, rtol=1e-10)
    assert np.allclose(model.residuals(X, y, "response") @ X, 0.0, atol=1e-6)


def test_a_weight_counts_as_so_many_rows(table):
    X, y = table[0][:200], table[1][:200]
    weight = 1.0 + np.arange(200) % 3
    each = np.repeat(np.arange(200), weight.astype(int))
    model = LogisticRegression().fit(X, y, sample_weight=weight)
    assert np.isclose(model.leverage(X, sample_weight=weight).sum(), model.leverage(X[each]).sum(), rtol=1e-10)
    deviance = (model.residuals(X, y, sample_weight=weight) ** 2).sum()
    assert np.isclose(deviance, (model.residuals(X[each], y[each]) ** 2).sum(), rtol=1e-12)
    clustered = model.robust_covariance(X[each], y[each], groups=each)
    assert np.allclose(model.robust_covariance(X, y, sample_weight=weight) * 200 / 199, clustered, rtol=1e-9)


def test_class_names_do_not_matter(table):
    X, y = table
    turned = LogisticRegression().fit(X, np.where(y == 1, "a", "b"))
    model = LogisticRegression().fit(X, y)
    words = np.where(y == 1, "a", "b")
    assert np.allclose(turned.residuals(X, words), -model.residuals(X, y), rtol=1e-8)
    assert np.allclose(turned.marginal_effects(X).effects, -model.marginal_effects(X).effects, rtol=1e-8)


def test_what_cannot_be_asked_is_told(model, table):
    X, y = table
    with pytest.raises(ValueError, match="y is 2 at row 3, which is no class of the fit"):
        model.residuals(X, np.where(np.arange(len(y)) == 3, 2, y))
    with pytest.raises(ValueError, match="groups has one value alone"):
        model.robust_covariance(X, y, groups=np.zeros(len(y)))
    of_three = LogisticRegression(alpha=1.0).fit(*load_iris(return_X_y=True))
    with pytest.raises(ValueError, match="leverage is for two classes, and the model has 3"):
        of_three.leverage(load_iris().data)
    with pytest.raises(ValueError, match="deviance residuals are for two classes"):
        of_three.residuals(*load_iris(return_X_y=True))
    assert of_three.residuals(*load_iris(return_X_y=True), "pearson").shape == (150, 3)


def test_criteria_and_odds_ratios(model, table):
    assert np.isclose(model.aic_, 552.404666716123, rtol=1e-12)
    assert np.isclose(model.bic_, 565.4363080185019, rtol=1e-12)
    summary = model.summary()
    row = summary.rows[1]
    assert np.allclose([row["odds_ratio"], row["odds_low"]], np.exp([row["estimate"], row["low"]]))
    assert "AIC 552.405, BIC 565.436" in str(summary)
    assert "0.7512 (0.7087, 0.7964)" in str(summary)


def test_a_summary_by_another_covariance(model, table):
    found = model.summary(covariance=model.robust_covariance(*table))
    assert np.isclose(found.rows[1]["std_error"], 0.0306698610376, rtol=1e-9)
    assert "of the covariance that was given" in str(found)
    with pytest.raises(ValueError, match='leave kind at "wald"'):
        model.summary(kind="profile", covariance=model.covariance_, X=table[0], y=table[1])


def test_variance_inflation():
    X = load_breast_cancer().data[:, :8]
    expected = [1585.77329, 1.17856964, 1863.63949, 48.1490928, 2.79964683, 14.3238007, 11.5755305, 21.4236214]
    assert np.allclose(variance_inflation(X), expected, rtol=1e-7)
    found = variance_inflation(np.column_stack([X[:, :3], X[:, 0] + X[:, 1], np.ones(len(X))]))
    assert np.isinf(found[[0, 1, 3]]).all()
    assert np.isfinite(found[2])
    assert np.isnan(found[4])
    assert np.isinf(variance_inflation(X[:5])).all()


@pytest.mark.parametrize("intercept", [True, False])
def test_intervals_of_probabilities(table, intercept):
    api = pytest.importorskip("statsmodels.api")
    X, y = table
    offset = np.linspace(-1.0, 1.0, len(y))
    columns = api.add_constant(X, prepend=False) if intercept else X
    theirs = api.GLM(y, columns, family=api.families.Binomial(), offset=offset).fit(tol=1e-14, tol_criterion="params")
    frame = theirs.get_prediction(columns[:50], offset=offset[:50]).summary_frame(alpha=0.1)
    model = LogisticRegression(fit_intercept=intercept).fit(X, y, offset=offset)
    found = model.probability_intervals(X[:50], level=0.9, offset=offset[:50])
    assert np.allclose(found[:, 1], frame[["mean_ci_lower", "mean_ci_upper"]], rtol=1e-7)
    assert np.allclose(found[:, 0], 1.0 - found[:, 1, ::-1], rtol=1e-12)


def test_intervals_of_probabilities_of_several_classes():
    """By the slopes of the log-odds along all weights, differentiated numerically."""
    X, y = load_iris().data[:, 1:3], load_iris().target
    model = LogisticRegression(alpha=0.0).fit(X[:, :1], y)
    found, place = model.probability_intervals(X[:40, :1]), X[:40, :1]
    planes = np.column_stack([model.coef_, model.intercept_])

    def log_odds(flat):
        scores = np.column_stack([place, np.ones(40)]) @ flat.reshape(3, 2).T
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        return np.log(p / (1.0 - p))

    step = 1e-5
    slopes = np.stack(
        [(log_odds(planes.ravel() + e) - log_odds(planes.ravel() - e)) / (2 * step) for e in step * np.eye(6)], axis=-1
    )
    error = np.sqrt(np.einsum("nki,ij,nkj->nk", slopes, model.covariance_, slopes))
    middle = log_odds(planes.ravel())
    for side, sign in ((0, -1.0), (1, 1.0)):
        expected = 1.0 / (1.0 + np.exp(-(middle + sign * norm.ppf(0.975) * error)))
        assert np.allclose(found[:, :, side], expected, rtol=1e-6)
    p = model.predict_proba(place)
    assert ((found[:, :, 0] < p) & (p < found[:, :, 1])).all()


def test_intervals_of_certain_probabilities_are_numbers(model, table):
    X = table[0] * [1e6, 1.0]
    assert np.isfinite(model.probability_intervals(X)).all()
