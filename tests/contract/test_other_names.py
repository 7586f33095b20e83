"""Every parameter of scikit-learn's counterparts is one of ours, or refused with what stands in its place."""

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
    for name in unknown:
        with pytest.raises(TypeError, match=rf"{ours.__name__} has no {name}: \w+"):
            ours(**{name: None})


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
