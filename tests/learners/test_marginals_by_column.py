"""Naive Bayes whose columns have different marginals: the sum of the models of its parts, and one hyperplane."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

from discriminant import GainClassifier, NaiveBayes, compare, load, rows, save

MIXED = {"owns": "bernoulli", "words": "multinomial", "visits": "multinomial", "town": "categorical", None: "gaussian"}
LINEAR = {"owns": "bernoulli", "words": "multinomial", "visits": "multinomial", None: "gaussian"}


def table(K=2, n=120, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % K
    X = pd.DataFrame({
        "age": rng.normal(40 + 3 * y, 5),
        "owns": rng.random(n) < 0.2 + 0.2 * y,
        "words": rng.poisson(2 + y),
        "town": rng.integers(0, 4, n) + (y == 1) * rng.integers(0, 2, n),
        "visits": rng.poisson(3, n),
        "height": rng.normal(170, 9, n),
    })  # fmt: skip
    return X, np.array(["a", "b", "c"])[y]


def parts_of(X, y, alpha=1.0):
    """The models of the groups of columns, each on its own."""
    groups = {"bernoulli": ["owns"], "gaussian": ["age", "height"], "multinomial": ["words", "visits"]}
    groups["categorical"] = ["town"]
    return [(columns, NaiveBayes(marginal, alpha=alpha).fit(X[columns], y)) for marginal, columns in groups.items()]


@pytest.mark.parametrize("K", [2, 3])
def test_log_densities_of_the_parts_add_up(K):
    X, y = table(K)
    model = NaiveBayes(MIXED, alpha=0.5).fit(X, y)
    log_prior = np.log([(y == label).mean() for label in model.classes_])
    joint = log_prior + sum(
        part.predict_joint_log_proba(X[columns]) - log_prior for columns, part in parts_of(X, y, 0.5)
    )
    np.testing.assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-10)
    posterior = np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))
    np.testing.assert_allclose(model.predict_proba(X), posterior, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("K", [2, 3])
def test_it_is_one_hyperplane(K):
    X, y = table(K)
    model = NaiveBayes(LINEAR).fit(X.drop(columns="town"), y)
    numbers = X.drop(columns="town").astype(float)
    scores = numbers @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(np.squeeze(scores), model.decision_function(numbers), rtol=1e-9)
    assert model.hyperplane("a", "b").w.shape == (5,)
    with pytest.raises(ValueError, match="linear in x itself"):
        model.indicators(numbers)


def test_categories_make_it_one_in_indicators():
    X, y = table(3)
    model = NaiveBayes(MIXED).fit(X, y)
    indicators = model.indicators(X)
    assert indicators.shape[1] == model.coef_.shape[1] == 5 + np.unique(X["town"]).size
    scores = indicators @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(scores, model.decision_function(X), rtol=1e-9)


def test_a_single_marginal_for_all_is_the_plain_model():
    X, y = table()
    numbers = X[["words", "visits"]].to_numpy()
    for marginal in ("bernoulli", "gaussian", "multinomial", "categorical"):
        plain, mixed = NaiveBayes(marginal).fit(numbers, y), NaiveBayes({None: marginal}).fit(numbers, y)
        np.testing.assert_allclose(mixed.coef_, plain.coef_)
        np.testing.assert_allclose(mixed.intercept_, plain.intercept_, atol=1e-12)


@pytest.mark.parametrize("read", ["pandas", "polars", "pyarrow"])
def test_types_of_columns_say_which_marginal(read):
    X, y = table()
    kinds = ("gaussian", "bernoulli", "categorical", "categorical", "categorical", "gaussian")
    columns = {name: X[name].to_numpy() for name in X.columns}
    if read == "polars":
        X = pytest.importorskip("polars").DataFrame(columns)
    if read == "pyarrow":
        X = pytest.importorskip("pyarrow").table(columns)
    model = NaiveBayes("auto").fit(X, y)
    assert model.marginals_of_columns() == kinds
    assert NaiveBayes("auto").fit(np.eye(4) > 0, [0, 1, 0, 1]).marginals_of_columns() == ("bernoulli",) * 4


def test_rows_add_merge_and_are_forgotten():
    X, y = table(3)
    whole = NaiveBayes(MIXED).fit(X, y)
    halves = [NaiveBayes(MIXED).fit(X[k::2], y[k::2]) for k in range(2)]
    batches = rows.from_batches([(X[:50], y[:50]), (X[50:], y[50:])])
    again = NaiveBayes(MIXED).fit(X[:60], y[:60]).partial_fit(X[60:], y[60:])
    more = pd.concat([X, X[:30]], ignore_index=True)
    forgot = NaiveBayes(MIXED).fit(more, np.append(y, y[:30])).forget(X[:30], y[:30])
    merged = NaiveBayes(MIXED).merge(halves[0]).merge(halves[1])
    for other in (merged, NaiveBayes(MIXED).fit(batches), again, forgot, pickle.loads(pickle.dumps(whole))):
        np.testing.assert_allclose(other.decision_function(X), whole.decision_function(X), rtol=1e-9, atol=1e-9)
    with pytest.raises(ValueError, match="cannot be merged"):
        whole.merge(NaiveBayes({None: "gaussian"}).fit(X, y))


def test_sparse_rows_and_weights():
    X, y = table()
    numbers, weight = X.astype(float).to_numpy(), np.random.default_rng(1).integers(0, 3, len(X))
    marginal = {1: "bernoulli", 2: "multinomial", 3: "categorical", None: "gaussian"}
    dense = NaiveBayes(marginal).fit(numbers, y, sample_weight=weight)
    repeated = NaiveBayes(marginal).fit(np.repeat(numbers, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(dense.decision_function(numbers), repeated.decision_function(numbers), rtol=1e-8)
    in_csr = NaiveBayes(marginal).fit(sparse.csr_array(numbers), y, sample_weight=weight)
    np.testing.assert_allclose(in_csr.decision_function(numbers), dense.decision_function(numbers), rtol=1e-8)


def test_classes_without_rows_have_their_place():
    X, y = table()
    model = NaiveBayes(MIXED).partial_fit(X, y, classes=["a", "b", "c"])
    assert model.classes_.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(model.predict_proba(X)[:, :2], NaiveBayes(MIXED).fit(X, y).predict_proba(X), rtol=1e-9)


def test_it_goes_through_validation_and_into_a_file(tmp_path):
    X, y = table()
    X = X.drop(columns="town").astype(float)
    found = compare(X, y, learners={"mixed": NaiveBayes(LINEAR), "plain": NaiveBayes("gaussian")}, cv=3)
    assert set(found.accuracy) == {"mixed", "plain"}
    decided = GainClassifier(NaiveBayes(LINEAR), gain=[[1, -1], [-2, 2]], cv=3).fit(X, y)
    save(decided.learner_, tmp_path / "model.json")
    assert (load(tmp_path / "model.json").predict(X) == decided.learner_.predict(X)).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"marginal": {"age": "gaussian"}}, "says nothing of"),
        ({"marginal": {"weight": "gaussian", None: "gaussian"}}, "names a column 'weight' that is not there"),
        ({"marginal": {9: "gaussian", None: "gaussian"}}, "names a column 9 that is not there"),
        ({"marginal": {"age": "normal"}}, "marginal of 'age'"),
        ({"marginal": {}}, "empty mapping"),
        ({"marginal": "sorted"}, "marginal must be"),
        ({"marginal": LINEAR, "alpha": [1.0, 2.0]}, "alpha has 2 entries for 6 columns"),
        ({"marginal": MIXED, "alpha": [1.0] * 6}, "takes one alpha for all"),
    ],
)
def test_what_makes_no_sense_is_refused(parameters, message):
    X, y = table()
    with pytest.raises(ValueError, match=message):
        NaiveBayes(**parameters).fit(X, y)


def test_a_source_does_not_tell_types():
    X, y = table()
    with pytest.raises(ValueError, match="name them"):
        NaiveBayes("auto").fit(rows.from_batches([(X, y)]))


def test_probabilities_of_presence_are_public():
    X, y = [[1, 0], [1, 1], [0, 1], [0, 1]], [0, 0, 1, 1]
    model = clone(NaiveBayes(alpha=0.0)).fit(X, y)
    np.testing.assert_allclose(model.feature_prob_, [[1, 0.5], [0, 1]], atol=1e-300)
    smooth = NaiveBayes().fit(X, y)
    a, b = smooth.feature_log_prob_, smooth.absent_log_prob_
    np.testing.assert_allclose(np.exp(a) + np.exp(b), 1.0)
    np.testing.assert_allclose(smooth.coef_[0], (a - b)[1] - (a - b)[0])


@pytest.mark.parametrize("marginal", ["gaussian", {0: "gaussian", None: "bernoulli"}])
def test_parts_with_one_class_each_merge(marginal):
    X, y = np.array([[0.5, 1.0], [0.1, 0.0], [2.0, 1.0], [2.5, 1.0]]), np.array([0, 0, 1, 1])
    one, other = (NaiveBayes(marginal).partial_fit(X[y == k], y[y == k]) for k in (0, 1))
    np.testing.assert_allclose(one.merge(other).coef_, NaiveBayes(marginal).fit(X, y).coef_, rtol=1e-12)
