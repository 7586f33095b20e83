"""Agreement with R: MASS::lda, lm and e1071::naiveBayes."""

import csv
import gzip

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import confusion_matrix

from discriminant import LeastSquaresClassifier, LinearDiscriminantAnalysis, NaiveBayes, least_squares
from tests.reference import constants as R
from tests.reference.nearness import near


def iris():
    data = load_iris()
    return data.data, data.target_names[data.target]


def wdbc():
    data = load_breast_cancer()
    return data.data, data.target_names[data.target]


def read_table(path, target, drop=()):
    """(X, y, header) of a CSV file with numeric columns."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else open(path) as file:
        header, *lines = csv.reader(file)
    at = header.index(target)
    keep = [j for j, name in enumerate(header) if name != target and name not in drop]
    X = np.array([[float(line[j]) for j in keep] for line in lines])
    return X, np.array([line[at] for line in lines]), lines


def signed_as(theirs, ours):
    """Our columns, each turned to the side of theirs."""
    return ours * np.sign((ours * theirs).sum(axis=0))


def test_lda_of_iris():
    X, y = iris()
    model = LinearDiscriminantAnalysis(method="moment").fit(X, y)
    assert signed_as(R.IRIS_LDA["scaling"], model.scalings_) == near(R.IRIS_LDA["scaling"])
    # MASS prints √(between/within) with divisors K − 1 and N − K
    assert np.sqrt(model.eigenvalues_ * 147 / 2) == near(R.IRIS_LDA["svd"])
    assert model.predict_proba(X[:5]) == near(R.IRIS_LDA["posterior_first5"])
    log_posterior = model.predict_log_proba(X)[np.arange(len(X)), np.searchsorted(model.classes_, y)]
    assert log_posterior.sum() == near(R.IRIS_LDA["sum_log_posterior_true"])
    assert (model.predict(X) != y).sum() == R.IRIS_LDA["resubstitution_errors"]


def test_lda_of_iris_leaving_one_out():
    """R keeps the priors of the whole set when it leaves a row out."""
    X, y = iris()
    model = LinearDiscriminantAnalysis(method="moment", priors=np.full(3, 1 / 3)).fit(X, y)
    assigned = model.classes_[model.loo_decision_function(X, y).argmax(axis=1)]
    assert confusion_matrix(y, assigned).tolist() == R.IRIS_LDA["loo_confusion"]


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        (("setosa", "versicolor"), R.IRIS_LDA_SETOSA_VERSICOLOR),
        (("versicolor", "virginica"), R.IRIS_LDA_VERSICOLOR_VIRGINICA),
    ],
)
def test_lda_of_two_species(pair, expected):
    X, y = iris()
    two = np.isin(y, pair)
    model = LinearDiscriminantAnalysis(method="moment").fit(X[two], y[two])
    assert model.coef_[0] == near(expected["w"])
    assert model.intercept_[0] == near(expected["b"])
    assert model.coef_[0] @ (model.means_[1] - model.means_[0]) == near(expected["D2"])


def test_lda_of_breast_cancer():
    X, y = wdbc()
    model = LinearDiscriminantAnalysis(method="moment").fit(X, y)
    sign = 1 if model.classes_[1] == "malignant" else -1
    np.testing.assert_allclose(sign * model.coef_[0], R.WDBC_LDA["w"], rtol=1e-8)
    assert sign * model.intercept_[0] == near(R.WDBC_LDA["b"])
    assert model.predict_proba(X[:5])[:, ::sign] == near(R.WDBC_LDA["posterior_first5"])
    assert confusion_matrix(y, model.predict(X)).tolist() == R.WDBC_LDA["resubstitution_confusion"]
    fixed = LinearDiscriminantAnalysis(method="moment", priors=model.priors_).fit(X, y)
    left_out = fixed.classes_[(fixed.loo_decision_function(X, y) > 0).astype(int)]
    assert confusion_matrix(y, left_out).tolist() == R.WDBC_LDA["loo_confusion"]


def test_least_squares_of_iris_and_breast_cancer():
    flowers, species = iris()
    two = species != "setosa"
    cases = (flowers[two], species[two], "virginica", R.IRIS_LM), (*wdbc(), "malignant", R.WDBC_LM)
    for X, y, positive, expected in cases:
        fit = least_squares(X, np.where(y == positive, 1.0, -1.0))
        assert [fit.intercept, *fit.coef] == near(expected["coef"])
        assert fit.residual_sum_of_squares == near(expected["rss"])
        model = LeastSquaresClassifier().fit(X, y == positive)
        assert [*model.intercept_, *model.coef_[0]] == near(expected["coef"])


def test_gaussian_naive_bayes_of_iris():
    """e1071 keeps a deviation for each class (divisor n_k − 1); ours pools the same squares, divided by n."""
    X, y = iris()
    model = NaiveBayes(marginal="gaussian").fit(X, y)
    tables = R.IRIS_NAIVE_BAYES["tables"].values()
    assert model.means_ == near(np.transpose([t["mean"] for t in tables]))
    assert model.variances_ == near([sum(49 * s * s for s in t["sd"]) / 150 for t in tables])


SETS = {
    "sonar": ("sonar_r", "lda_208", "sonar/sonar.csv", "class", ("record", "angle_dependent_split")),
    "spambase": ("spambase_r", "lda", "spambase/spambase.csv.gz", "spam", ()),
    "pima": ("pima_r", "lda_768", "pima/pima.csv", "diabetes", ()),
    "german": ("german_credit_r", "lda_numeric", "german_credit/german_numeric.csv", "class", ()),
    "synth": ("synth_r", "lda", "synth/synth_tr.csv", "yc", ()),
}


# Counts of refitting without each of the 4601 rows, by plain linear algebra; R prints (2656, 132), (395, 1418).
REFITTED = {"spambase": [[2659, 129], [391, 1422]]}


@pytest.mark.parametrize("name", SETS)
def test_lda_of_other_sets(name, shared, oracle):
    file, entry, path, target, drop = SETS[name]
    expected = oracle(file)[entry]
    X, y, _ = read_table(shared / path, target, drop)
    model = LinearDiscriminantAnalysis(method="moment").fit(X, y)
    assert model.classes_.tolist() == expected["classes"]
    assert model.means_ == near(expected["means"]["values"])
    np.testing.assert_allclose(model.coef_[0], expected["two_class"]["w"], rtol=1e-8, atol=1e-9)
    assert model.intercept_[0] == near(expected["two_class"]["b"])
    assert model.predict_proba(X[:5]) == near(expected["posterior_first5"])
    scaling = expected["scaling"]["values"]
    assert signed_as(scaling, model.scalings_) == near(scaling)
    assert confusion_matrix(y, model.predict(X)).tolist() == expected["resubstitution_confusion"]["counts"]
    fixed = model.with_priors(model.priors_)
    left_out = fixed.classes_[(fixed.loo_decision_function(X, y) > 0).astype(int)]
    assert confusion_matrix(y, left_out).tolist() == REFITTED.get(name, expected["loo_confusion"]["counts"])


@pytest.mark.parametrize("name", ["sonar", "spambase", "pima", "german", "synth"])
def test_least_squares_of_other_sets(name, shared, oracle):
    file, entry, path, target, drop = SETS[name]
    results = oracle(file)
    expected = results[entry.replace("lda", "lm")]
    X, y, _ = read_table(shared / path, target, drop)
    fit = least_squares(X, np.where(y == str(expected["positive"]), 1.0, -1.0))
    assert [fit.intercept, *fit.coef] == near(expected["coef"])
    assert fit.residual_sum_of_squares == near(expected["rss"])


@pytest.mark.parametrize("laplace", [0, 1])
def test_categorical_naive_bayes_of_german_credit(laplace, shared, oracle):
    """The tables of conditional probabilities of every coded column."""
    expected = oracle("german_credit_r")[f"naive_bayes_symbolic_laplace{laplace}"]
    with open(shared / "german_credit/german_symbolic.csv") as file:
        rows = list(csv.DictReader(file))
    y = np.array([row["class"] for row in rows])
    coded = {name: t for name, t in expected["tables"].items() if t["kind"] == "categorical"}
    X = np.column_stack([[t["levels"].index(row[name]) for row in rows] for name, t in coded.items()])
    model = NaiveBayes(marginal="categorical", alpha=laplace).fit(X, y)
    weights = model._joint[0]
    start = 0
    for table in coded.values():
        m = len(table["levels"])
        assert np.exp(weights[:, start : start + m]) == near(table["prob"])
        start += m


def test_shrinkage_and_ridge(shared, oracle):
    """The covariance of scikit-learn's fixed shrinkage is ours; so is its ridge."""
    sets = oracle("regularized")
    for name, path, target, drop in (
        ("pima", "pima/pima.csv", "diabetes", ()),
        ("sonar_all208", "sonar/sonar.csv", "class", ("record", "angle_dependent_split")),
        ("german_numeric", "german_credit/german_numeric.csv", "class", ()),
    ):
        X, y, _ = read_table(shared / path, target, drop)
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        for entry in sets[name]["lda_shrinkage"]:
            if entry["shrinkage"] == "auto":
                continue
            model = LinearDiscriminantAnalysis(shrinkage=entry["shrinkage"]).fit(X, y)
            sign = np.sign(model.coef_[0] @ entry["w"])
            assert sign * model.coef_[0] == near(entry["w"])
            assert sign * model.intercept_[0] == near(entry["b"])
        for entry in sets[name]["ridge_pm1_targets"]:
            model = LeastSquaresClassifier(alpha=entry["alpha"]).fit(X, y)
            sign = np.sign(model.coef_[0] @ entry["w"])
            assert sign * model.coef_[0] == near(entry["w"])
