"""Every parameter of scikit-learn's counterparts is one of ours, or told what stands in its place."""

import warnings
from inspect import signature

import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as TheirLDA
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.linear_model import LogisticRegressionCV, RidgeClassifier
from sklearn.linear_model import Perceptron as TheirPerceptron
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB
from sklearn.svm import LinearSVC

from discriminant import (
    Adaline,
    FisherDiscriminant,
    GainClassifier,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearSVM,
    LogisticRegression,
    NaiveBayes,
    OneVsAll,
    OneVsOne,
    Perceptron,
    SparseLogisticRegression,
)
from discriminant.parameters import WITHOUT_EFFECT

COUNTERPARTS = [
    (LogisticRegression, TheirLogistic),
    (SparseLogisticRegression, LogisticRegressionCV),
    (LinearDiscriminantAnalysis, TheirLDA),
    (LinearSVM, LinearSVC),
    (LeastSquaresClassifier, RidgeClassifier),
    (Perceptron, TheirPerceptron),
    (NaiveBayes, GaussianNB),
    (NaiveBayes, BernoulliNB),
    (NaiveBayes, MultinomialNB),
    (NaiveBayes, CategoricalNB),
    (OneVsAll, OneVsRestClassifier),
    (OneVsOne, OneVsOneClassifier),
    (GainClassifier, TunedThresholdClassifierCV),
    (GainClassifier, FixedThresholdClassifier),
]


@pytest.mark.parametrize(("ours", "theirs"), COUNTERPARTS)
def test_every_parameter_is_taken_or_explained(ours, theirs):
    unknown = signature(theirs).parameters.keys() - signature(ours).parameters.keys()
    given = () if "learner" not in signature(ours).parameters else (LogisticRegression(),)
    for name in unknown:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises((TypeError, UserWarning), match=rf"^{ours.__name__} has no {name}: \w+") as told:
                ours(*given, **{name: None})
        assert isinstance(told.value, UserWarning) == (name in WITHOUT_EFFECT)


def test_what_changes_no_answer_is_passed_over():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    with pytest.warns(UserWarning, match="nothing in its fit is drawn at random") as said:
        model = LogisticRegression(C=1.0, random_state=42)
    assert said.list[0].filename == __file__
    assert "random_state" not in model.get_params()
    assert model.fit(X, y).coef_ == LogisticRegression(C=1.0).fit(X, y).coef_


def test_advice_is_true_of_its_class():
    with pytest.raises(TypeError, match=r"Perceptron has no penalty: it has no penalty"):
        Perceptron(penalty="l1")
    with pytest.raises(TypeError, match=r"LogisticRegression has no penalty: .*l1_ratio=1.0 is l1"):
        LogisticRegression(penalty="l1")
    with pytest.raises(TypeError, match=r"LogisticRegression has no multi_class: .*OneVsAll"):
        LogisticRegression(multi_class="ovr")


def test_solvers_of_scikit_learn_are_refused_with_the_way_out():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    with pytest.raises(ValueError, match="got 'liblinear', one of scikit-learn's; leave solver out"):
        LogisticRegression(solver="liblinear").fit(X, y)


@pytest.mark.parametrize("learner", [LinearDiscriminantAnalysis, FisherDiscriminant, NaiveBayes])
def test_planes_of_densities_have_a_threshold(learner):
    with pytest.raises(TypeError, match="threshold follows from the classes"):
        learner(fit_intercept=False)


@pytest.mark.parametrize("reduction", [OneVsAll, OneVsOne, GainClassifier])
def test_parameters_of_the_learner_are_given_to_it(reduction):
    with pytest.raises(TypeError, match="give it to the learner"):
        reduction(LogisticRegression(), class_weight="balanced")


def test_other_unknown_names_are_refused_by_python():
    with pytest.raises(TypeError, match="unexpected keyword argument 'alfa'"):
        Adaline(alfa=1.0)


def test_signatures_are_what_they_were():
    assert next(iter(signature(LinearDiscriminantAnalysis).parameters)) == "priors"
    assert "keywords" not in signature(Perceptron).parameters
