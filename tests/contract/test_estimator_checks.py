"""scikit-learn's own checks, on every estimator and every variant of it, with no expected failure."""

import numpy as np
import pytest
from sklearn.covariance import OAS
from sklearn.utils.estimator_checks import parametrize_with_checks

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
    PocketPerceptron,
)

ESTIMATORS = [
    FisherDiscriminant(),
    FisherDiscriminant(threshold="accuracy"),
    FisherDiscriminant(threshold="gaussian", shrinkage=0.1),
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(method="moment"),
    LinearDiscriminantAnalysis(shrinkage=0.1),
    LinearDiscriminantAnalysis(shrinkage="auto"),
    LeastSquaresClassifier(),
    LeastSquaresClassifier(alpha=1.0),
    LeastSquaresClassifier(alpha=1.0, fit_intercept=False),
    NaiveBayes(),
    NaiveBayes(marginal="gaussian"),
    NaiveBayes(marginal="multinomial"),
    NaiveBayes(marginal="categorical"),
    NaiveBayes(marginal="gaussian", var_smoothing=1e-9),
    LogisticRegression(),
    LogisticRegression(alpha=1.0),
    LogisticRegression(alpha=0.1, solver="quasi-newton"),
    LogisticRegression(alpha=0.1, solver="truncated-newton"),
    LogisticRegression(firth=True),
    LogisticRegression(C=1.0, fit_intercept=False),
    LogisticRegression(C=1.0, class_weight="balanced", warm_start=True),
    LinearSVM(),
    LinearSVM(loss="squared_hinge"),
    LinearSVM(loss="squared_hinge", fit_intercept=False),
    Perceptron(),
    Perceptron(rule="batch", max_iter=200),
    Perceptron(init="random", average=True),
    Perceptron(average="vote", max_iter=50),
    Perceptron(multiclass="direct"),
    PocketPerceptron(),
    PocketPerceptron(ratchet=True),
    Adaline(),
    Adaline(rule="batch"),
    Adaline(rule="closed-form"),
    Adaline(schedule="normalised"),
]

# Other settings of what people set: penalties, limits, weights of classes.
SETTINGS = [
    FisherDiscriminant(shrinkage=0.5),
    LinearDiscriminantAnalysis(covariance_estimator=OAS()),
    LinearDiscriminantAnalysis(class_weight="balanced", n_components=1),
    LeastSquaresClassifier(class_weight="balanced"),
    LeastSquaresClassifier(alpha=0.1, l1_ratio=0.5),
    LeastSquaresClassifier(alpha=1e-12),
    NaiveBayes(alpha=0.1, marginal="multinomial"),
    NaiveBayes(marginal="gaussian", class_weight="balanced"),
    NaiveBayes(marginal="categorical", min_categories=3),
    LogisticRegression(alpha=0.1, l1_ratio=1.0, tol=1e-10),
    LogisticRegression(C=np.inf, max_iter=50),
    LinearSVM(loss="squared_hinge", l1_ratio=0.5),
    Perceptron(fit_intercept=False, average=True),
    PocketPerceptron(fit_intercept=False),
    Adaline(fit_intercept=False),
    Adaline(rule="closed-form", fit_intercept=False, class_weight="balanced"),
]

# The same of what takes longer: many fits in one, or many steps.
LONGER = [
    LogisticRegression(C=10.0, l1_ratio=0.5, class_weight="balanced", tol=1e-15),
    LinearSVM(C=0.1, class_weight="balanced"),
    LinearSVM(fit_intercept=False),
    Perceptron(tol=None, max_iter=100),
    PocketPerceptron(max_iter=50, init="random"),
    Adaline(max_iter=50, eta=0.01),
    GainClassifier(LogisticRegression(alpha=1.0), scoring="balanced_accuracy", cv=2),
    GainClassifier(LinearDiscriminantAnalysis(), scoring="accuracy", cv=2),
    OneVsAll(LogisticRegression(alpha=1.0, l1_ratio=0.5)),
    OneVsOne(LinearDiscriminantAnalysis(class_weight="balanced")),
]

# Rules that keep the order of the rows: to shuffle rows is to change the rule, so that a weight and a repetition in
# another place cannot be the same, nor a heavy class win. All other checks hold.
IN_ORDER = [
    Perceptron(rule="cyclic"),
    Perceptron(shuffle=False),
    PocketPerceptron(shuffle=False),
    Adaline(shuffle=False),
]


def _asked_of(estimator, check):
    """Whether a check asks for what a setting promises."""
    name = check.func.__name__
    if "weight" in name and getattr(estimator, "covariance_estimator", None) is not None:
        return False  # scikit-learn's estimators of a covariance know no weights, and to give some is refused
    if name == "check_classifiers_train" and getattr(estimator, "scoring", None) is not None:
        return False  # a threshold chosen for a score decides, not the more probable class
    return name != "check_class_weight_classifiers" or _lets_weights_decide(estimator)


def _lets_weights_decide(estimator):
    """Whether a class of ten million times the weight must be the answer for nearly all rows, as one check asks.

    Not of planes through the origin, which have rows on both sides; nor of counts, since its table is negative; nor of
    rules that end where no row is wrong, whatever its weight: there it is a matter of the order of the rows.
    """
    through_origin = not getattr(estimator, "fit_intercept", True)
    in_order = estimator.get_params().get("shuffle") is False or getattr(estimator, "rule", "") in ("batch", "cyclic")
    counts = getattr(estimator, "marginal", "") == "multinomial"
    return not (through_origin or counts or in_order or isinstance(estimator, PocketPerceptron))


@pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([*ESTIMATORS, *SETTINGS])
def test_scikit_learn_check(estimator, check):
    if not _asked_of(estimator, check):
        pytest.skip("this setting does not promise what the check asks for")
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(LONGER)
def test_scikit_learn_check_of_longer_fits(estimator, check):
    if not _asked_of(estimator, check):
        pytest.skip("this setting does not promise what the check asks for")
    check(estimator)


@pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(IN_ORDER)
def test_scikit_learn_check_of_rules_in_order(estimator, check):
    weighs = "sample_weight_equivalence", "check_class_weight_classifiers"
    if any(name in check.func.__name__ for name in weighs):
        pytest.skip("a rule that keeps the order of the rows is another one for other weights")
    check(estimator)
