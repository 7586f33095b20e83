"""What scikit-learn's tests expect around them."""

import pytest


@pytest.fixture
def global_random_seed() -> int:
    """One of the seeds its own runs take."""
    return 42
