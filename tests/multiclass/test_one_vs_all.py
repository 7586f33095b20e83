"""One against all: equal to each binary problem fitted alone, whatever the learner."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression as TheirLogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from discriminant import (
    Adaline,
    FindingWarning,
    FisherDiscriminant,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearSVM,
    LogisticRegression,
    NaiveBayes,
    NotSeparableError,
    OneVsAll,
    OneVsOne,
    Perceptron,
    rows,
)
from discriminant.statistics.counts import CategoryCounts, ClassSums
from discriminant.statistics.moments import ClassMoments
from tests.tables import gaussian_table, relative, seeds

CLOSED_FORM = [
    FisherDiscriminant(),
    FisherDiscriminant(threshold="gaussian"),
    FisherDiscriminant(threshold="accuracy"),
    FisherDiscriminant(priors=[0.4, 0.6]),
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(method="moment", priors={0: 0.3, 1: 0.7}),
    LinearDiscriminantAnalysis(shrinkage=0.2),
    LinearDiscriminantAnalysis(shrinkage="auto"),
    LeastSquaresClassifier(),
    LeastSquaresClassifier(alpha=2.0),
    NaiveBayes(),
    NaiveBayes(marginal="gaussian"),
    NaiveBayes(marginal="categorical"),
]
OTHERS = [
    LogisticRegression(alpha=1.0),
    Perceptron(random_state=0, average=True),
    Perceptron(random_state=0, average="vote", max_iter=20),
    Adaline(rule="closed-form"),
    TheirLogisticRegression(),
    DecisionTreeClassifier(max_depth=3, random_state=0),
]


def numbers_for(learner, X):
    return np.round(X) if getattr(learner, "marginal", "") == "categorical" else X


def alone(learner, X, y, k, weight=None):
    """The problem of class k against the rest, by itself."""
    return clone(learner).fit(X, (y == k).astype(int), sample_weight=weight)


def confidence(model, X):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict_proba(X)[:, 1] - 0.5


@pytest.mark.parametrize("learner", CLOSED_FORM + OTHERS, ids=str)
@given(seeds)
@settings(max_examples=5)
def test_scores_are_those_of_each_class_against_the_rest(learner, seed):
    X, y = gaussian_table(seed, K=4)
    X = numbers_for(learner, X)
    weight = np.random.default_rng(seed).integers(0, 3, len(X)).astype(float)
    with_all_classes = np.concatenate([np.flatnonzero(y == k)[:3] for k in range(4)])
    weight[with_all_classes] = 1.0
    model = OneVsAll(learner).fit(X, y, sample_weight=weight)
    expected = np.column_stack([confidence(alone(learner, X, y, k, weight), X) for k in range(4)])
    assert relative(model.decision_function(X), expected) < 1e-9
    assert np.array_equal(model.predict(X), model.decision_function(X).argmax(axis=1))


@pytest.mark.parametrize("learner", CLOSED_FORM, ids=str)
def test_closed_form_problems_are_the_separate_ones_in_everything_they_say(learner):
    X, y = gaussian_table(3, K=3, n=200)
    X = np.column_stack([numbers_for(learner, X), np.full(len(X), 2.0)])  # and a constant column
    model = OneVsAll(learner).fit(X, y)
    for k, one in enumerate(model.estimators_):
        other = alone(learner, X, y, k)
        assert one.classes_.tolist() == [0, 1]
        assert relative(one.coef_, other.coef_) < 1e-9
        assert [type(f) for f in one.findings_] == [type(f) for f in other.findings_]
        assert one.n_features_in_ == X.shape[1]
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize("reduction", [OneVsAll, OneVsOne])
@pytest.mark.parametrize("learner", CLOSED_FORM, ids=str)
def test_closed_form_learners_read_the_rows_once(reduction, learner, monkeypatch):
    if reduction is OneVsOne and getattr(learner, "threshold", "") == "accuracy":
        pytest.skip("the threshold of each pair is found among its rows")
    passes = []
    for statistic in (ClassMoments, ClassSums, CategoryCounts):
        read = statistic.of_rows.__func__
        monkeypatch.setattr(
            statistic, "of_rows", classmethod(lambda *a, read=read, **k: passes.append(1) or read(*a, **k))
        )
    X, y = gaussian_table(3, K=5, n=2000, correlated=False)
    reduction(learner).fit(numbers_for(learner, X), y)
    assert len(passes) == 1


@pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")
@pytest.mark.parametrize("shape", ["wide", "sparse and wide", "offset", "units", "dependent", "nearly dependent"])
@pytest.mark.parametrize(
    "learner",
    [
        FisherDiscriminant(),
        LinearDiscriminantAnalysis(),
        LinearDiscriminantAnalysis(shrinkage="auto"),
        LeastSquaresClassifier(),
        LeastSquaresClassifier(alpha=0.5),
    ],
    ids=str,
)
@pytest.mark.parametrize("reduction", [OneVsAll, OneVsOne])
def test_hard_tables_give_what_each_problem_gives_alone(reduction, learner, shape):
    X, y = hard_table(shape)
    model = reduction(learner).fit(X, y)
    for one, (side, inside) in zip(model.estimators_, problems(reduction, y), strict=True):
        other = clone(learner).fit(X[inside], side[inside])
        assert relative(one.decision_function(X), other.decision_function(X)) < 1e-6
        assert [type(f) for f in one.findings_] == [type(f) for f in other.findings_]


def hard_table(shape):
    X, y = gaussian_table(8, K=3, n=90, d=6)
    rng = np.random.default_rng(1)
    if shape == "wide":
        return rng.standard_normal((30, 80)) + rng.standard_normal((3, 80))[y[:30]], y[:30]
    if shape == "sparse and wide":
        return sparse.random_array((60, 2100), density=0.02, format="csr", rng=rng), y[:60]
    if shape == "offset":
        return np.round(X * 2**20) / 2**20 + 1e7, y
    if shape == "units":
        return X * [1e-60, 1e-9, 1.0, 1e9, 1e3, 1e60], y
    extra = X[:, :1] + X[:, 1:2]
    return np.hstack([X, extra if shape == "dependent" else extra + 1e-7 * rng.standard_normal(extra.shape)]), y


def problems(reduction, y):
    classes = np.unique(y)
    if reduction is OneVsAll:
        return [((y == k).astype(int), np.full(len(y), True)) for k in classes]
    return [((y == b).astype(int), (y == a) | (y == b)) for i, a in enumerate(classes) for b in classes[i + 1 :]]


def test_the_others_agree_with_scikit_learn():
    X, y = load_iris(return_X_y=True)
    ours, theirs = OneVsAll(TheirLogisticRegression()), OneVsRestClassifier(TheirLogisticRegression())
    assert relative(ours.fit(X, y).decision_function(X), theirs.fit(X, y).decision_function(X)) < 1e-12
    assert relative(ours.predict_proba(X), theirs.predict_proba(X)) < 1e-12
    assert relative(ours.coef_, np.vstack([e.coef_ for e in theirs.estimators_])) < 1e-12


def test_the_boundary_of_two_classes_is_where_their_scores_are_equal():
    X, y = load_iris(return_X_y=True)
    labels = np.array(["setosa", "versicolor", "virginica"])[y]
    model = OneVsAll(LinearDiscriminantAnalysis()).fit(X, labels)
    assert model.coef_.shape == (3, 4)
    scores = model.decision_function(X)
    assert sorted(model.hyperplanes_) == [
        ("setosa", "versicolor"),
        ("setosa", "virginica"),
        ("versicolor", "virginica"),
    ]
    for (a, b), plane in model.hyperplanes_.items():
        i, j = (model.classes_.tolist().index(label) for label in (a, b))
        assert relative(plane.score(X), scores[:, j] - scores[:, i]) < 1e-9
        assert plane == -model.hyperplane(b, a)


@pytest.mark.parametrize("reduction", [OneVsAll, OneVsOne])
@pytest.mark.parametrize("learner", [LinearDiscriminantAnalysis(), TheirLogisticRegression()], ids=str)
def test_two_classes_have_one_plane(reduction, learner):
    X, y = gaussian_table(2)
    labels = np.array(["no", "yes"])[y]
    model, plain = reduction(learner).fit(X, labels), clone(learner).fit(X, labels)
    assert model.coef_.shape == (1, 4)
    assert len(model.estimators_) == 1
    assert relative(model.decision_function(X), plain.decision_function(X)) < 1e-9
    assert relative(model.predict_proba(X), plain.predict_proba(X)) < 1e-9
    assert model.predict(X).tolist() == plain.predict(X).tolist()
    assert model.hyperplane() == model.hyperplane("no", "yes") == -model.hyperplane("yes", "no")


def test_probabilities_are_normalised_where_they_underflow():
    X, y = gaussian_table(4, K=3)
    model = OneVsAll(LinearDiscriminantAnalysis()).fit(X, y)
    own = np.column_stack([e.predict_proba(X)[:, 1] for e in model.estimators_])
    assert relative(model.predict_proba(X), own / own.sum(axis=1, keepdims=True)) < 1e-12
    far = model.predict_log_proba(1e5 * X)
    assert np.isfinite(far).all()
    assert np.abs(np.logaddexp.reduce(far, axis=1)).max() < 1e-6
    tree = OneVsAll(DecisionTreeClassifier(random_state=0)).fit(X, y)
    none = np.array([e.predict_proba(X[:1])[0, 1] for e in tree.estimators_])
    assert none.sum() == 1.0
    impossible = tree._log_posteriors([np.full((1, 2), -np.inf)] * 3)
    assert np.abs(impossible + np.log(3)).max() < 1e-12


def test_probabilities_exist_where_the_learner_has_them():
    X, y = gaussian_table(4, K=3)
    for reduction in (OneVsAll, OneVsOne):
        assert not hasattr(reduction(Perceptron()), "predict_proba")
        with pytest.raises(AttributeError, match="predict_proba"):
            reduction(LinearSVC()).fit(X, y).predict_proba(X)


@pytest.mark.parametrize("reduction", [OneVsAll, OneVsOne])
@pytest.mark.parametrize(
    "learner",
    [LinearDiscriminantAnalysis(), NaiveBayes(), LogisticRegression(alpha=1.0), TheirLogisticRegression(tol=1e-12)],
    ids=str,
)
def test_sparse_rows_frames_and_row_sources(reduction, learner):
    X, y = gaussian_table(5, K=3)
    X = np.where(np.abs(X) < 1, 0.0, X)
    plain = reduction(learner).fit(X, y)
    for table in (sparse.csr_array(X), sparse.coo_array(X), X.tolist()):
        model = reduction(learner).fit(table, y)
        assert relative(model.decision_function(table), plain.decision_function(X)) < 1e-9
    frame = pd.DataFrame(X, columns=list("abcd"))
    named = reduction(learner).fit(frame, y)
    assert named.feature_names_in_.tolist() == list("abcd")
    assert named.estimators_[0].feature_names_in_.tolist() == list("abcd")
    assert relative(named.decision_function(frame), plain.decision_function(X)) < 1e-9
    source = reduction(learner).fit(rows.from_arrays(X, y))
    assert relative(source.decision_function(X), plain.decision_function(X)) < 1e-12


@pytest.mark.parametrize("reduction", [OneVsAll, OneVsOne])
def test_threads_change_nothing(reduction):
    X, y = gaussian_table(6, K=4)
    for learner in (LogisticRegression(alpha=1.0), Perceptron(random_state=0, average=True), TheirLogisticRegression()):
        one, two = reduction(learner).fit(X, y), reduction(learner, n_jobs=2).fit(X, y)
        assert np.array_equal(one.decision_function(X), two.decision_function(X))


def test_parameters_reach_the_learner():
    model = OneVsAll(LogisticRegression(alpha=1.0))
    assert model.get_params()["learner__alpha"] == 1.0
    assert clone(model).set_params(learner__alpha=3.0).learner.alpha == 3.0
    X, y = gaussian_table(6, K=3)
    search = GridSearchCV(model, {"learner__alpha": [0.1, 1e6]}, cv=3).fit(X, y)
    assert search.best_params_ == {"learner__alpha": 0.1}


def test_tables_that_only_the_learner_can_read():
    texts = ["red round", "red sweet", "long yellow", "yellow bent", "green sour", "green round"]
    for reduction in (OneVsAll, OneVsOne):
        model = reduction(make_pipeline(CountVectorizer(), TheirLogisticRegression())).fit(texts, list("aabbcc"))
        assert model.predict(texts).tolist() == list("aabbcc")
        assert not hasattr(model, "coef_")
        with pytest.raises(AttributeError, match="only linear learners"):
            model.hyperplane("a", "b")
    X, y = gaussian_table(6, K=3)
    scaled = OneVsAll(make_pipeline(StandardScaler(), LinearDiscriminantAnalysis())).fit(X, y)
    assert (
        relative(scaled.decision_function(X), OneVsAll(LinearDiscriminantAnalysis()).fit(X, y).decision_function(X))
        < 1e-9
    )


def test_refitting_forgets_the_planes_of_before():
    X, y = gaussian_table(6, K=3)
    model = OneVsAll(LinearDiscriminantAnalysis()).fit(X, y)
    model.set_params(learner=DecisionTreeClassifier(random_state=0)).fit(X, y)
    assert not hasattr(model, "coef_")
    assert (model.predict(X) == y).all()


def test_a_finding_of_all_problems_is_told_once_and_of_one_under_its_name():
    X, y = gaussian_table(6, K=3)
    X = np.column_stack([X, np.full(len(X), 7.0)])
    model = OneVsAll(LinearDiscriminantAnalysis()).fit(X, y)
    assert len(model.findings_) == 1
    assert model.findings_[0].fact == "Column 4 is the same in every row"
    y = np.where(np.arange(len(y)) == 0, 9, y)
    told = [f.fact for f in OneVsAll(LinearDiscriminantAnalysis()).fit(X, y).findings_]
    assert any(fact.startswith("9 against the rest: Class '1' has a single row") for fact in told)


def test_a_doubtful_answer_of_shared_moments_warns():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((12, 40)), np.arange(12) % 3
    with pytest.warns(FindingWarning, match="too few rows"):
        model = OneVsAll(LinearDiscriminantAnalysis()).fit(X, y)
    assert any(finding.doubtful and "too few rows" in finding.fact for finding in model.findings_)


@pytest.mark.parametrize("learner", [LinearDiscriminantAnalysis(), OTHERS[2], TheirLogisticRegression()], ids=str)
def test_a_reduction_may_be_the_learner_of_another(learner):
    X, y = gaussian_table(6, K=3)
    nested, plain = OneVsAll(OneVsOne(learner)).fit(X, y), OneVsAll(learner).fit(X, y)
    assert relative(nested.decision_function(X), plain.decision_function(X)) < 1e-9


def test_what_is_not_separable_is_said_of_the_classes_themselves():
    X, y = gaussian_table(6, K=3, n=200)
    names = np.array(["red", "green", "blue"])[y]
    for reduction, words in ((OneVsAll, "from the rest"), (OneVsOne, "separates blue from")):
        with pytest.raises(NotSeparableError, match=words) as refused:
            reduction(LinearSVM(C=np.inf)).fit(X, names)
        assert refused.value.separation.verify(X, names)


def test_a_mapping_of_classes_to_weights_weighs_their_rows():
    X, y = gaussian_table(6, K=3)
    weights = {int(k): 1.0 + k for k in np.unique(y)}
    named = OneVsAll(LinearSVM(class_weight=weights, tol=1e-9)).fit(X, y)
    by_rows = OneVsAll(LinearSVM(tol=1e-9)).fit(X, y, sample_weight=[weights[k] for k in y.tolist()])
    np.testing.assert_array_equal(named.coef_, by_rows.coef_)
    with pytest.raises(ValueError, match=r"names class 'purple', which has no rows; the classes are \[0, 1, 2\]"):
        OneVsAll(LinearSVM(class_weight={"purple": 2.0})).fit(X, y)
