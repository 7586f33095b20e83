"""A process for cases, shared by tests."""

import pytest

from tests.fuzz.worker import Worker


@pytest.fixture(scope="session")
def worker():
    with Worker() as found:
        yield found
