"""What scikit-learn's tests expect around them, and the exceptions among them."""

from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from tests.foreign.exceptions import EXCEPTIONS, NOT_OURS, SLOW

_HERE = Path(__file__).parent
_NOT_SCIKIT_LEARNS = ("test_mlxtend.py", "test_statsmodels.py", "test_share.py")
COUNTS = pytest.StashKey[tuple[int, int]]()  # scikit-learn's tests that reach our classes, and those that cannot pass


@pytest.fixture
def global_random_seed() -> int:
    """One of the seeds its own runs take."""
    return 42


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Expect the exceptions to fail, and leave out what is not about our classes."""
    here = [item for item in items if item.path.parent == _HERE]
    for item in here:
        if (reason := _reason(item.name, EXCEPTIONS)) is not None:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
        if _reason(item.name, dict.fromkeys(SLOW, "")) is not None:
            item.add_marker(pytest.mark.slow)
    others = {item for item in here if _reason(item.name, NOT_OURS) is not None}
    reach = [i for i in here if i not in others and i.path.name not in _NOT_SCIKIT_LEARNS and "array_api" not in i.name]
    config.stash[COUNTS] = len(reach), sum(_reason(item.name, EXCEPTIONS) is not None for item in reach)
    if others:
        config.hook.pytest_deselected(items=list(others))
        items[:] = [item for item in items if item not in others]


def _reason(name: str, reasons: dict[str, str]) -> str | None:
    """What is said of a test; square brackets of parameters mean themselves."""
    for pattern, reason in reasons.items():
        if fnmatchcase(name, pattern.replace("[", "[[]")):
            return reason
    return None
