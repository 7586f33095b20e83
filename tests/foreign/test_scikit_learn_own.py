import pytest
pytestmark = pytest.mark.filterwarnings("ignore::discriminant.FindingWarning")
from tests.foreign.loading import foreign_tests
globals().update(foreign_tests("sklearn.tests.test_discriminant_analysis", ["LinearDiscriminantAnalysis"], "lda"))
globals().update(foreign_tests("sklearn.linear_model.tests.test_perceptron", ["Perceptron"], "perceptron"))
