"""Rows with several labels: each label is learnt as a learner alone would learn it."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LinearRegression, SGDClassifier
from sklearn.linear_model import LogisticRegression as TheirLogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from discriminant import (
    FisherDiscriminant,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearSVM,
    LogisticRegression,
    NaiveBayes,
    NotSeparableError,
    OneVsAll,
    OneVsOne,
)
from discriminant.findings import ConstantLabel, FindingWarning
from discriminant.multiclass import decision_cells
from discriminant.multiclass.label_sets import read_label_sets
from tests.tables import gaussian_table

X, LABELS = make_multilabel_classification(n_samples=200, n_features=6, n_classes=4, n_labels=2, random_state=0)
LEARNERS = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(priors=[0.5, 0.5]),
    FisherDiscriminant(threshold="accuracy"),
    LeastSquaresClassifier(),
    NaiveBayes(marginal="multinomial"),
    LogisticRegression(alpha=1.0),
    TheirLogisticRegression(),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_each_label_is_a_problem_of_its_own(learner):
    model = OneVsAll(learner).fit(X, LABELS)
    scores = model.decision_function(X)
    assert model.multilabel_
    assert model.n_classes_ == 4
    assert scores.shape == LABELS.shape
    for label in range(4):
        alone = type(learner)(**learner.get_params()).fit(X, LABELS[:, label])
        np.testing.assert_allclose(scores[:, label], alone.decision_function(X), rtol=1e-6, atol=1e-6)
        if hasattr(learner, "predict_proba"):
            np.testing.assert_allclose(model.predict_proba(X)[:, label], alone.predict_proba(X)[:, 1], atol=1e-6)
    assert np.array_equal(model.predict(X), scores > 0)


def test_weights_equal_repetitions_and_absence():
    weight = np.random.default_rng(0).integers(0, 3, len(X))
    weighed = OneVsAll(LinearDiscriminantAnalysis()).fit(X, LABELS, weight)
    repeated = OneVsAll(LinearDiscriminantAnalysis()).fit(
        np.repeat(X, weight, axis=0), np.repeat(LABELS, weight, axis=0)
    )
    np.testing.assert_allclose(weighed.coef_, repeated.coef_, rtol=1e-9)


def test_forms_of_the_target():
    expected = OneVsAll(LinearDiscriminantAnalysis()).fit(X, LABELS).predict(X)
    for form in (LABELS.tolist(), LABELS.astype(bool), LABELS.astype(float), LABELS.astype(object)):
        assert np.array_equal(OneVsAll(LinearDiscriminantAnalysis()).fit(X, form).predict(X), expected)
    answered = OneVsAll(LinearDiscriminantAnalysis()).fit(X, sparse.coo_array(LABELS)).predict(X)
    assert sparse.issparse(answered)
    assert np.array_equal(answered.toarray(), expected)


def test_many_labels_are_packed():
    many = np.random.default_rng(0).random((50, 37)) < 0.5
    sets = read_label_sets(many)
    assert np.array_equal(sets.members[sets.codes], many)


def test_labels_that_all_rows_have_or_none():
    labels = np.column_stack([LABELS[:, 0], np.ones(len(X)), np.zeros(len(X))])
    with pytest.warns(FindingWarning, match="Label .* is present in all training examples"):
        model = OneVsAll(LinearDiscriminantAnalysis()).fit(X, labels)
    assert [type(f) for f in model.findings_] == [ConstantLabel, ConstantLabel]
    assert model.findings_[1].fact == "Label not 2 is present in all training examples"
    assert np.array_equal(model.predict(X)[:, 1:], labels[:, 1:])
    assert np.array_equal(model.predict_proba(X)[:, 1:], labels[:, 1:])
    assert model.coef_.shape == (3, 6)
    assert not model.coef_[1:].any()
    with pytest.raises(ValueError, match="begin with partial_fit"):
        model.partial_fit(X, labels)


@pytest.mark.parametrize("learner", [LinearDiscriminantAnalysis(), TheirLogisticRegression()], ids=str)
def test_one_class_alone(learner):
    with pytest.warns(FindingWarning, match="Label a is present in all training examples"):
        model = OneVsAll(learner).fit(X, ["a"] * len(X))
    assert model.classes_.tolist() == ["a"]
    assert not model.multilabel_
    assert set(model.predict(X)) == {"a"}
    assert model.predict_proba(X[:2]).tolist() == [[1.0, 0.0], [1.0, 0.0]]  # the second column is no class seen


def test_a_label_that_no_plane_separates():
    with pytest.raises(NotSeparableError) as refused:
        OneVsAll(LinearSVM(C=np.inf)).fit(X, LABELS)
    assert refused.value.separation.positive == 0
    assert refused.value.separation.negative == "the rest"


def test_labels_do_not_exclude_one_another():
    model = OneVsAll(LinearDiscriminantAnalysis()).fit(X[:, :2], LABELS[:, :2])
    with pytest.raises(AttributeError, match="labels do not exclude"):
        model.hyperplane(0, 1)
    with pytest.raises(TypeError, match="several labels"):
        decision_cells(model)


# --- more rows ------------------------------------------------------------------------------------------

P, Q = gaussian_table(0, K=3)


@pytest.mark.parametrize("reduction", [OneVsAll, OneVsOne])
@pytest.mark.parametrize("learner", [LinearDiscriminantAnalysis(), LeastSquaresClassifier()], ids=str)
def test_rows_in_parts_are_rows_at_once(reduction, learner):
    whole = reduction(learner).fit(P, Q)
    parts = reduction(learner)
    for part in np.array_split(np.argsort(Q, kind="stable"), 5):  # the first parts have one class each
        parts.partial_fit(P[part], Q[part], classes=[0, 1, 2])
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-8)
    assert np.array_equal(parts.predict(P), whole.predict(P))


def test_labels_in_parts():
    parts = OneVsAll(LinearDiscriminantAnalysis())
    for part in np.array_split(np.arange(len(X)), 3):
        parts.partial_fit(X[part], LABELS[part])
    assert parts.multilabel_
    np.testing.assert_allclose(parts.coef_, OneVsAll(LinearDiscriminantAnalysis()).fit(X, LABELS).coef_, rtol=1e-8)


def test_learners_of_others_go_on_as_theirs_do():
    ours, theirs = (each(SGDClassifier(random_state=0, shuffle=False)) for each in (OneVsAll, OneVsRestClassifier))
    for part in np.array_split(np.arange(len(P)), 3):
        for model in (ours, theirs):
            model.partial_fit(P[part], Q[part], classes=[0, 1, 2])
    assert np.array_equal(ours.predict(P), theirs.predict(P))
    assert not hasattr(OneVsAll(TheirLogisticRegression()), "partial_fit")


@pytest.mark.parametrize("reduction", [OneVsAll, OneVsOne])
def test_regressors_learn_the_numbers_of_the_sides(reduction):
    model = reduction(LinearRegression()).fit(P, Q)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)
        same = reduction(LeastSquaresClassifier()).fit(P, Q)
    assert np.array_equal(model.predict(P), same.predict(P))
    assert not hasattr(model, "predict_proba")


@pytest.mark.parametrize("learner", [OneVsAll(LinearDiscriminantAnalysis()), LinearDiscriminantAnalysis()])
@pytest.mark.parametrize(
    "y", [[["a"], ["a", "b"], ["b"], ["a"]], [{"a"}, {"a", "b"}, {"b"}, {"a"}]], ids=["lists", "sets"]
)
def test_lists_of_labels_are_refused_with_the_way_out(learner, y):
    with pytest.raises(ValueError, match=r"OneVsAll, .* sklearn.preprocessing.MultiLabelBinarizer"):
        learner.fit(np.arange(8.0).reshape(4, 2), y)


def test_a_single_classifier_names_the_one_that_learns_several_labels():
    with pytest.raises(ValueError, match=r"1d array of class labels.*OneVsAll"):
        LinearDiscriminantAnalysis().fit(np.arange(8.0).reshape(4, 2), [[0, 1], [1, 1], [1, 0], [0, 1]])
