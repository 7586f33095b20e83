"""Shared ground: reproducible hypothesis runs, and the reference data that lies beside the project in CI."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "project", deadline=None, derandomize=True, max_examples=60, suppress_health_check=list(HealthCheck)
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
