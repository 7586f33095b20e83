"""Shared ground: reproducible hypothesis runs, and the reference data that lies beside the project in CI."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# `make test-slow` tries the laws on many more examples: pytest --hypothesis-profile=thorough.
for profile, examples in {"project": 30, "thorough": 300}.items():
    settings.register_profile(
        profile, deadline=None, derandomize=True, max_examples=examples, suppress_health_check=list(HealthCheck)
    )
settings.load_profile("project")

SHARED = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data; tests that need it skip, saying so, where it is not there."""
    if not SHARED.is_dir():
        pytest.skip("the reference data (../shared/data) is not beside this checkout")
    return SHARED


@pytest.fixture(scope="session")
def oracle(shared):
    """Read the stored results of another tool."""
    return lambda name: json.loads((shared / "reference" / f"{name}.json").read_text())["results"]
