"""scikit-learn's own tests of one-vs-rest and one-vs-one, on `OneVsAll` and `OneVsOne`."""

import pytest

from tests.foreign.loading import foreign_tests

pytestmark = [
    pytest.mark.filterwarnings("ignore::discriminant.FindingWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning"),  # theirs takes y as a column
]

globals().update(foreign_tests("sklearn.tests.test_multiclass", ["OneVsRestClassifier", "OneVsOneClassifier"], "many"))
