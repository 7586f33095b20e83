"""What scikit-learn's tests expect around them, and the exceptions among them."""

from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from tests.foreign.exceptions import EXCEPTIONS

_HERE = Path(__file__).parent


@pytest.fixture
def global_random_seed() -> int:
    """One of the seeds its own runs take."""
    return 42


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Expect the exceptions to fail."""
    for item in items:
        if item.path.parent == _HERE and (reason := _reason(item.name)) is not None:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


def _reason(name: str) -> str | None:
    """Why a test cannot pass; square brackets of parameters mean themselves."""
    for pattern, reason in EXCEPTIONS.items():
        if fnmatchcase(name, pattern.replace("[", "[[]")):
            return reason
    return None
