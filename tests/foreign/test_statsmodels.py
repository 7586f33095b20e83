"""The results that statsmodels' own tests compare with (Stata's and R's), on its data sets."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from discriminant import LogisticRegression

datasets = pytest.importorskip("statsmodels.datasets", reason="statsmodels is not installed")
discrete = pytest.importorskip("statsmodels.discrete.tests.results.results_discrete")
generalised = pytest.importorskip("statsmodels.genmod.tests.results.results_glm")


@pytest.fixture(scope="module")
def spector():
    data = datasets.spector.load()
    return data.exog.to_numpy(), data.endog.to_numpy(), discrete.Spector.logit


@pytest.fixture(scope="module")
def anes():
    data = datasets.anes96.load()
    X = data.exog.to_numpy().copy()
    X[:, 0] = np.log(data.data["popul"].to_numpy() + 0.1)
    return X, data.endog.to_numpy(), discrete.Anes.mnlogit_basezero


def close(found, expected, digits):
    """Equal to so many digits of the numbers as they are printed there."""
    return np.allclose(found, expected, rtol=10.0**-digits, atol=10.0**-digits)


def test_logit(spector):
    X, y, stata = spector
    model = LogisticRegression().fit(X, y)
    assert close(np.append(model.coef_[0], model.intercept_), stata.params, 6)
    assert close(model.covariance_, stata.cov_params, 6)
    assert close(np.append(model.standard_errors_[0], model.intercept_standard_errors_), stata.bse, 6)
    assert close(model.log_likelihood_, stata.llf, 6)
    assert close(model.null_deviance_, -2 * stata.llnull, 6)
    assert close([model.aic_, model.bic_], [stata.aic, stata.bic], 6)
    assert close(model.predict_proba(X)[:, 1], stata.phat, 6)
    assert close(model.residuals(X, y, "pearson"), stata.resid_pearson, 6)
    assert close(model.residuals(X, y), stata.resid_dev, 6)
    assert close(model.residuals(X, y, "response"), stata.resid_generalized, 5)
    intervals = model.intervals()
    assert close(np.vstack([intervals[1:], intervals[:1]]), stata.conf_int, 6)
    assert close(model.likelihood_ratio_test().p_value, stata.llr_pvalue, 6)
    z = np.append(model.coef_[0] / model.standard_errors_[0], model.intercept_ / model.intercept_standard_errors_)
    assert close(z, stata.z, 6)
    assert close(2 * norm.sf(np.abs(z)), stata.pvalues, 6)
    assert close(model.p_values_[0], stata.pvalues[:-1], 6)
    assert close(1 - model.deviance_ / model.null_deviance_, stata.prsquared, 6)
    assert close(model.decision_function(X), stata.yhat, 6)


def test_sparse_logit(spector):
    """Their solver stops four digits from the optimum; the digits behind them are those of Newton's method."""
    X, y, _ = spector
    expected = discrete.DiscreteL1.logit
    model = LogisticRegression(alpha=3.0, l1_ratio=1.0, tol=1e-13).fit(X, y)
    assert close(np.append(model.intercept_, model.coef_[0]), expected.params, 4)
    assert close(model.intercept_, -4.102702525311763, 8)
    assert close(model.coef_, [[0.0, 0.154937195028399, 0.0]], 8)
    assert np.count_nonzero(model.coef_) + 1 == expected.nnz_params


def test_marginal_effects_of_logit(spector):
    X, y, stata = spector
    found = LogisticRegression().fit(X, y).marginal_effects(X)
    assert close(found.effects[0], stata.margeff_nodummy_dydx, 6)
    assert close(found.standard_errors[0], stata.margeff_nodummy_dydx_se, 6)


@pytest.mark.parametrize(("kind", "row"), [("mean", np.mean), ("median", np.median), ("zero", None)])
def test_effects_at_one_row(spector, kind, row):
    """The effects at a row are the averages over that row alone."""
    X, y, stata = spector
    place = np.zeros((1, 3)) if row is None else row(X, axis=0)[None]
    found = LogisticRegression().fit(X, y).marginal_effects(place)
    assert close(found.effects[0], getattr(stata, f"margeff_nodummy_dydx{kind}"), 6)
    assert close(found.standard_errors[0], getattr(stata, f"margeff_nodummy_dydx{kind}_se"), 6)


def test_multinomial_logit(anes):
    X, y, stata = anes
    model = LogisticRegression().fit(X, y)
    planes = np.column_stack([model.coef_, model.intercept_])
    assert close((planes[1:] - planes[:1]).T, stata.params, 6)
    table = model.summary().columns
    errors = np.array(table["std_error"]).reshape(6, 6)  # a class in each row, the intercept first
    assert close(np.vstack([errors[:, 1:].T, errors[:, :1].T]), stata.bse, 6)
    assert close(model.log_likelihood_, stata.llf, 8)
    assert close(model.null_deviance_, -2 * stata.llnull, 8)
    assert close([model.aic_, model.bic_], [stata.aic, stata.bic], 7)
    assert close(model.predict_proba(X), stata.phat, 6)
    test = model.likelihood_ratio_test()
    assert close(test.statistic, stata.llr, 7)
    assert test.degrees == stata.df_model
    found = np.array(table["p"]).reshape(6, 6)
    found = np.vstack([found[:, 1:].T, found[:, :1].T])
    assert np.allclose(found, stata.pvalues, rtol=0.0, atol=6e-4)  # Stata's are printed with three decimals
    assert close(found, 2 * norm.sf(np.abs(stata.z)), 5)
    assert close(1 - model.deviance_ / model.null_deviance_, stata.prsquared, 6)
    assert (np.argmax(model.predict_proba(X), axis=1) == model.predict(X)).all()


def test_marginal_effects_of_multinomial_logit(anes):
    X, y, stata = anes
    found = LogisticRegression().fit(X, y).marginal_effects(X)
    assert close(found.effects.T, stata.margeff_dydx_overall, 6)
    assert close(found.standard_errors.T, stata.margeff_dydx_overall_se, 6)
    found = LogisticRegression().fit(X, y).marginal_effects(X.mean(axis=0)[None])
    assert close(found.effects.T, stata.margeff_dydx_mean, 6)
    assert close(found.standard_errors.T, stata.margeff_dydx_mean_se, 6)


def test_binomial_generalised_linear_model():
    """Successes and failures of a row are two rows with weights."""
    data, expected = datasets.star98.load(), generalised.Star98()
    successes, failures = data.endog.to_numpy().T
    X = data.exog.to_numpy()
    n = len(X)
    rows, y = np.vstack([X, X]), np.repeat([1, 0], n)
    model = LogisticRegression().fit(rows, y, sample_weight=np.concatenate([successes, failures]))
    assert close(np.append(model.coef_[0], model.intercept_), expected.params, 6)
    errors = np.append(model.standard_errors_[0], model.intercept_standard_errors_)
    assert np.allclose(errors, expected.bse, rtol=1e-6)
    saturated = _deviance_of_shares(successes, failures)
    assert close(model.deviance_ - saturated, expected.deviance, 6)
    assert close(model.null_deviance_ - saturated, expected.null_deviance, 6)
    assert close(model.predict_proba(X)[:, 1], expected.fittedvalues, 6)


def test_generalised_linear_model_of_single_rows():
    expected = generalised.Lbw()
    X, y = expected.exog.to_numpy()[:, :-1], expected.endog.to_numpy()
    model = LogisticRegression().fit(X, y)
    assert close(np.append(model.coef_[0], model.intercept_), expected.params, 6)
    errors = np.append(model.standard_errors_[0], model.intercept_standard_errors_)
    assert close(errors, expected.bse, 4)  # R's are of the step before the last
    probabilities = model.predict_proba(X)[:, 1]
    Z = np.column_stack([X, np.ones(len(X))])
    information = (Z.T * probabilities * (1 - probabilities)) @ Z
    np.testing.assert_allclose(errors, np.sqrt(np.diag(np.linalg.inv(information))), rtol=1e-8)
    assert close([model.deviance_, model.null_deviance_], [expected.deviance, expected.null_deviance], 6)
    assert close([model.log_likelihood_, model.aic_], [expected.llf, expected.aic_R], 6)
    assert close(model.predict_proba(X)[:, 1], expected.fittedvalues, 6)
    assert close((model.residuals(X, y, "pearson") ** 2).sum(), expected.pearson_chi2, 6)
    for k, kind in ((0, "pearson"), (1, "deviance"), (4, "response")):
        assert close(model.residuals(X, y, kind), expected.resids[:, k], 6)


def _deviance_of_shares(successes, failures):
    """Of a model that fits every share exactly."""
    total = successes + failures
    with np.errstate(divide="ignore", invalid="ignore"):
        each = successes * np.log(successes / total) + failures * np.log(failures / total)
    return -2 * np.nansum(each)


# --- beside statsmodels itself, where no results of others are at hand ----------------------------------


def _binary(seed=0):
    """Rows, labels and offsets of a logistic model."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 3)) * [1.0, 5.0, 1.0]
    y = (rng.random(300) < 1.0 / (1.0 + np.exp(-(X @ [1.0, 0.2, -0.5] + 0.3)))).astype(int)
    return X, y, 0.5 * rng.normal(size=300)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("shifted", [True, False])
def test_figures_of_a_generalised_linear_model(intercept, shifted):
    api = pytest.importorskip("statsmodels.api")
    X, y, offset = _binary()
    offset = offset if shifted else None
    columns = api.add_constant(X, prepend=False) if intercept else X
    theirs = api.GLM(y, columns, family=api.families.Binomial(), offset=offset).fit(
        tol=1e-14, tol_criterion="params", maxiter=100
    )
    model = LogisticRegression(fit_intercept=intercept).fit(X, y, offset=offset)
    assert close(model.coef_[0], theirs.params[:3], 8)
    assert close(model.standard_errors_[0], theirs.bse[:3], 8)
    assert close(model.p_values_[0], theirs.pvalues[:3], 8)
    assert close(model.intervals()[-3:], theirs.conf_int()[:3], 8)
    assert close([model.log_likelihood_, model.aic_, model.bic_], [theirs.llf, theirs.aic, theirs.bic_llf], 8)
    for kind in ("response", "pearson", "deviance"):
        assert close(model.residuals(X, y, kind, offset=offset), getattr(theirs, f"resid_{kind}"), 8)
    influence = theirs.get_influence(observed=False)
    assert close(model.leverage(X, offset=offset), influence.hat_matrix_diag, 8)
    assert close(model.cooks_distance(X, y, offset=offset), influence.cooks_distance[0], 8)


@pytest.mark.parametrize("intercept", [True, False])
def test_figures_of_a_multinomial_model(intercept):
    api = pytest.importorskip("statsmodels.api")
    X, _, _ = _binary()
    y = np.random.default_rng(1).integers(0, 3, 300)
    columns = api.add_constant(X, prepend=False) if intercept else X
    theirs = api.MNLogit(y, columns).fit(disp=0, method="newton", tol=1e-14, maxiter=100)
    model = LogisticRegression(fit_intercept=intercept).fit(X, y)
    assert close([model.log_likelihood_, model.aic_, model.bic_], [theirs.llf, theirs.aic, theirs.bic], 8)
    table, effects = model.summary().columns, theirs.get_margeff()
    for name, expected in (("std_error", theirs.bse), ("p", theirs.pvalues)):
        found = np.array(table[name]).reshape(2, -1)[:, int(intercept) :]
        assert close(found.T, expected[:3], 8)
    found = model.marginal_effects(X)
    assert close(found.effects.T, effects.margeff, 8)
    assert close(found.standard_errors.T, effects.margeff_se, 8)


def test_influence_of_single_rows():
    """SAS's figures of Finney's data, as Pregibon (1981) has them; C is not divided by the number of weights there."""
    folder = Path(pytest.importorskip("statsmodels.stats.tests.results").__file__).parent
    data = np.genfromtxt(folder / "binary_constrict.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")
    sas = np.genfromtxt(folder / "results_influence_logit.csv", delimiter=",", names=True)
    X, y = np.column_stack([data["log_rate"], data["log_volumne"]]), data["constrict"]
    model = LogisticRegression().fit(X, y)
    assert np.allclose(model.leverage(X), sas["hat_matrix_diagonal"], rtol=0.0, atol=6e-5)
    assert np.allclose(3 * model.cooks_distance(X, y), sas["Cooks_C"], rtol=0.0, atol=6e-5)
    assert np.allclose(model.residuals(X, y, "pearson"), sas["resid_pearson"], rtol=0.0, atol=6e-5)
    assert np.allclose(model.residuals(X, y), sas["resid_deviance"], rtol=0.0, atol=6e-5)
