"""scikit-learn's own tests of its linear classifiers, on ours."""

import pytest

from tests.foreign.loading import foreign_tests

pytestmark = [
    pytest.mark.filterwarnings("ignore::discriminant.FindingWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]

globals().update(foreign_tests("sklearn.tests.test_discriminant_analysis", ["LinearDiscriminantAnalysis"], "lda"))
globals().update(foreign_tests("sklearn.linear_model.tests.test_perceptron", ["Perceptron"], "perceptron"))
globals().update(foreign_tests("sklearn.svm.tests.test_svm", ["LinearSVC"], "svm"))
globals().update(
    foreign_tests("sklearn.tests.test_naive_bayes", ["BernoulliNB", "MultinomialNB", "CategoricalNB"], "bayes")
)
