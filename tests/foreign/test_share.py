"""How many of scikit-learn's tests that reach our classes pass: the list of exceptions is not to grow."""

import pytest

from tests.foreign.conftest import COUNTS


def test_nine_of_ten_tests_pass(pytestconfig):
    reaching, exceptions = pytestconfig.stash[COUNTS]
    if reaching < 500:
        pytest.skip("some of the tests were collected, not all")
    assert exceptions <= 0.1 * reaching
