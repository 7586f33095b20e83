"""Naive Bayes: each marginal against its definition and scikit-learn, and always as hyperplanes."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from scipy import sparse
from sklearn.base import clone
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, MultinomialNB

from discriminant import NaiveBayes
from discriminant.findings import ImpossibleValue, NegativeCounts, SeparatedInNullSpace
from tests.tables import gaussian_table, relative, seeds

PEERS = {"bernoulli": BernoulliNB, "multinomial": MultinomialNB, "categorical": CategoricalNB}


def counts(seed, K=3, n=80, d=5):
    rng = np.random.default_rng(seed)
    X, y = rng.poisson(1.2, (n, d)), rng.integers(0, K, n)
    X[np.arange(7), 0] = np.arange(7)  # every code up to 6 occurs, as CategoricalNB supposes
    for j in range(1, d):
        X[:, j] = np.minimum(X[:, j], np.unique(X[:, j]).size - 1)
    return X.astype(float), y


def without_gaps(X):
    return np.column_stack([np.unique(column, return_inverse=True)[1] for column in X.T]).astype(float)


@pytest.mark.parametrize("marginal", PEERS)
@pytest.mark.parametrize("alpha", [1.0, 0.3])
@pytest.mark.parametrize("K", [2, 3])
@given(seeds)
@settings(max_examples=10)
def test_probabilities_are_scikit_learns(marginal, alpha, K, seed):
    X, y = counts(seed, K)
    X = without_gaps(X)
    w = np.random.default_rng(seed).uniform(0.5, 2, len(X))
    ours = NaiveBayes(marginal=marginal, alpha=alpha).fit(X, y, sample_weight=w)
    theirs = PEERS[marginal](alpha=alpha).fit(X, y, sample_weight=w)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("K", [2, 3])
def test_gaussian_pools_variances(K):
    """Densities by scipy, with one deviation per column for all classes."""
    from scipy.stats import norm

    X, y = gaussian_table(3, K=K)
    model = NaiveBayes(marginal="gaussian").fit(X, y)
    means = np.array([X[y == k].mean(axis=0) for k in range(K)])
    sd = np.sqrt(((X - means[y]) ** 2).mean(axis=0))
    joint = np.column_stack([np.log((y == k).mean()) + norm.logpdf(X, means[k], sd).sum(axis=1) for k in range(K)])
    np.testing.assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-9)
    assert (model.predict(X) == joint.argmax(axis=1)).all()


def test_binary_features_make_a_hyperplane():
    """6.2 as the notes write it: a = log w, b = log(1 − w), assign by Σ(a − b)x + b."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (60, 4)), rng.integers(0, 3, 60)
    model = NaiveBayes(priors=np.full(3, 1 / 3)).fit(X, y)
    share = np.array([(X[y == k].sum(axis=0) + 1) / ((y == k).sum() + 2) for k in range(3)])
    a, b = np.log(share), np.log(1 - share)
    for x in itertools.product([0, 1], repeat=4):
        discriminants = ((a - b) @ np.array(x)) + b.sum(axis=1)
        assert model.predict([x])[0] == discriminants.argmax()
        for i, j in itertools.combinations(range(3), 2):
            assert np.isclose(model.hyperplane(i, j).score(x), discriminants[j] - discriminants[i])


@pytest.mark.parametrize("marginal", [*PEERS, "gaussian"])
@pytest.mark.parametrize("K", [2, 3])
def test_the_hyperplanes_are_the_decision(marginal, K):
    X, y = counts(5, K)
    model = NaiveBayes(marginal=marginal).fit(X, y)
    seen = {"categorical": lambda: model.indicators(X), "bernoulli": lambda: (X > 0).astype(float)}
    points = seen.get(marginal, lambda: X)()
    scores = model.decision_function(X)
    planes = model.hyperplanes_
    assert len(planes) == K * (K - 1) // 2
    for (i, j), plane in planes.items():
        gap = scores if K == 2 else scores[:, j] - scores[:, i]
        np.testing.assert_allclose(plane.score(points), gap, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("marginal", [*PEERS, "gaussian"])
def test_chunks_merge_forget_and_new_classes(marginal):
    X, y = counts(6, K=4)
    whole = NaiveBayes(marginal=marginal).fit(X, y)
    grown = NaiveBayes(marginal=marginal)
    for k in (2, 0, 3, 1):
        grown.partial_fit(X[y == k], y[y == k])
    assert relative(grown.decision_function(X), whole.decision_function(X)) < 1e-10
    halves = [NaiveBayes(marginal=marginal).partial_fit(X[i::2], y[i::2]) for i in (0, 1)]
    assert relative(halves[0].merge(halves[1]).decision_function(X), whole.decision_function(X)) < 1e-10
    rest = y != 3
    left = clone(whole).fit(X, y).forget(X[~rest], y[~rest])
    assert (
        relative(left.decision_function(X), NaiveBayes(marginal=marginal).fit(X[rest], y[rest]).decision_function(X))
        < 1e-9
    )


@pytest.mark.parametrize("marginal", ["bernoulli", "multinomial", "gaussian"])
def test_many_sparse_columns(marginal):
    X = sparse.random_array((300, 30_000), density=1e-3, rng=np.random.default_rng(0), format="csr")
    y = np.arange(300) % 2
    model = NaiveBayes(marginal=marginal).fit(X, y)
    subset = NaiveBayes(marginal=marginal).fit(X[:, :50].toarray(), y)
    if marginal != "multinomial":  # whose shares depend on all columns
        np.testing.assert_allclose(model.coef_[:, :50], subset.coef_, atol=1e-9)
    assert model.score(X, y) > 0.9


def test_without_smoothing_impossible_values_are_found():
    X, y = np.array([[1, 0], [1, 1], [0, 1], [0, 1]]), [0, 0, 1, 1]
    model = NaiveBayes(alpha=0).fit(X, y)
    (finding,) = model.findings_
    assert isinstance(finding, ImpossibleValue)
    assert finding.columns == ("column 0", "column 1")
    assert np.isfinite(model.coef_).all()
    assert model.predict([[1, 1], [0, 1]]).tolist() == [0, 1]
    assert not NaiveBayes(alpha=0.1).fit(X, y).findings_


def test_a_column_without_variance_that_differs_separates():
    X = np.column_stack([np.random.default_rng(0).standard_normal(40), np.repeat([0.0, 1.0], 20), np.ones(40)])
    y = np.repeat(["a", "b"], 20)
    model = NaiveBayes(marginal="gaussian").fit(X, y)
    assert model.score(X, y) == 1.0
    (finding,) = model.findings_
    assert isinstance(finding, SeparatedInNullSpace)
    assert finding.columns == ("column 1",)


def test_negative_counts():
    X, y = np.array([[3.0, 1], [2, -1], [4, 2], [1, 5]]), [0, 0, 1, 1]
    with pytest.warns(UserWarning, match="negative"):
        model = NaiveBayes(marginal="multinomial").fit(X, y)
    assert isinstance(model.findings_[0], NegativeCounts)
    with pytest.raises(ValueError, match="row 1, column 1 holds -9"):
        NaiveBayes(marginal="multinomial").fit([[3, 1], [2, -9], [4, 2], [1, 5]], y)


def test_unseen_categories_have_the_smoothed_probability():
    X, y = np.array([[0], [0], [1], [5]]), [0, 0, 1, 1]
    model = NaiveBayes(marginal="categorical").fit(X, y)
    # three categories seen: an unseen one has α/(n_k + 3α) in each class, here alike
    np.testing.assert_allclose(model.predict_proba([[3], [99], [-1], [0.5]]), np.full((4, 2), 0.5))


@pytest.mark.parametrize("marginal", ["bernoulli", "multinomial", "categorical", "gaussian"])
def test_one_class_alone_can_predict(marginal):
    X = [[1.0, 0.0], [0.0, 1.0], [2.0, 1.0]]
    model = NaiveBayes(marginal=marginal).partial_fit(X, ["a", "a", "a"], classes=["a"])
    assert model.predict(X).tolist() == ["a", "a", "a"]
    assert model.predict_proba(X).tolist() == [[1.0], [1.0], [1.0]]


def test_counts_and_probabilities_are_public():
    X, y = np.array([[1, 0], [3, 1], [0, 1]]), np.array(["a", "a", "b"])
    bernoulli = NaiveBayes().fit(X, y)
    assert bernoulli.feature_count_.tolist() == [[2, 1], [0, 1]]
    assert bernoulli.class_count_.tolist() == [2, 1]
    assert np.allclose(np.exp(bernoulli.feature_log_prob_), [[3 / 4, 2 / 4], [1 / 3, 2 / 3]])
    assert np.allclose(np.exp(bernoulli.feature_log_prob_) + np.exp(bernoulli.absent_log_prob_), 1.0)
    assert np.allclose(np.exp(bernoulli.class_log_prior_), [2 / 3, 1 / 3])
    multinomial = NaiveBayes(marginal="multinomial", alpha=[1.0, 2.0]).fit(X, y)
    assert multinomial.feature_count_.tolist() == [[4, 1], [0, 1]]
    assert np.allclose(np.exp(multinomial.feature_log_prob_), [[5 / 8, 3 / 8], [1 / 4, 3 / 4]])
    categorical = NaiveBayes(marginal="categorical").fit(X, y)
    assert [table.tolist() for table in categorical.category_count_] == [[[0, 1, 1], [1, 0, 0]], [[1, 1], [0, 1]]]
    with pytest.raises(ValueError, match="3 entries for 2 columns; give one number"):
        NaiveBayes(alpha=[1.0, 2.0, 3.0]).fit(X, y)
    with pytest.raises(ValueError, match=r"alpha must be finite and not negative, got -1\.0"):
        NaiveBayes(alpha=[1.0, -1.0]).fit(X, y)


# --- smoothing and categories that are given ------------------------------------------------------------


def test_variances_are_smoothed_as_in_scikit_learn():
    random = np.random.default_rng(3)
    X, y = random.standard_normal((60, 3)) * [1.0, 5.0, 0.0] + [0, 0, 1], np.arange(60) % 2
    model = NaiveBayes(marginal="gaussian", var_smoothing=0.1).fit(X, y)
    m = model.statistics_
    np.testing.assert_allclose(model.variances_, m.within / 60 + 0.1 * X.var(axis=0).max(), rtol=1e-12)
    assert np.isfinite(model.predict_joint_log_proba(X)).all()
    plain = NaiveBayes(marginal="gaussian").fit(X[:, :2], y)
    np.testing.assert_allclose(NaiveBayes(marginal="gaussian").fit(X, y).coef_[:, :2], plain.coef_)


def test_given_categories_count_though_no_row_has_them():
    from sklearn.naive_bayes import CategoricalNB

    X, y = np.array([[0, 1], [1, 1], [0, 2], [1, 0], [0, 0]]), np.array([0, 1, 0, 1, 1])
    ours = NaiveBayes(marginal="categorical", min_categories=[4, 3]).fit(X, y)
    theirs = CategoricalNB(min_categories=[4, 3]).fit(X, y)
    new = np.array([[3, 0], [2, 1], [0, 2]])
    np.testing.assert_allclose(ours.predict_proba(new), theirs.predict_proba(new), rtol=1e-12)
    named = NaiveBayes(marginal="categorical", categories=[[0, 1, 2, 3], [2, 1, 0]]).fit(X, y)
    np.testing.assert_allclose(named.predict_proba(new), theirs.predict_proba(new), rtol=1e-12)
    assert np.isfinite(named.predict_proba([[9, 9]])).all()  # never seen
    parts = (
        NaiveBayes(marginal="categorical", min_categories=[4, 3]).partial_fit(X[:2], y[:2]).partial_fit(X[2:], y[2:])
    )
    np.testing.assert_allclose(parts.predict_proba(new), ours.predict_proba(new), rtol=1e-12)
    with pytest.raises(ValueError, match="column 1 holds 2, which is not among its categories"):
        NaiveBayes(marginal="categorical", categories=[[0, 1], [0, 1]]).fit(X, y)
    with pytest.raises(ValueError, match="leave min_categories out"):
        NaiveBayes(marginal="categorical", categories=[[0], [1]], min_categories=2).fit(X, y)
    with pytest.raises(ValueError, match="3 entries for 2 columns"):
        NaiveBayes(marginal="categorical", categories=[[0], [1], [2]]).fit(X, y)
