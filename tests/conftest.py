"""Shared ground: reproducible hypothesis runs, and the reference data that lies beside the project in CI."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# `make test-slow` tries the laws on many more examples: pytest --hypothesis-profile=thorough.
for profile, examples in {"project": 30, "thorough": 300}.items():
    settings.register_profile(
        profile, deadline=None, derandomize=True, max_examples=examples, suppress_health_check=list(HealthCheck)
    )
settings.load_profile("project")

CHROMIUM = "DISCRIMINANT_CHROMIUM"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
ARGUMENTS += ["--disable-sync", "--disable-default-apps", "--no-first-run", "--disable-dev-shm-usage"]
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


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, driven by Playwright; tests that need it skip, saying so, where it is not there.

    Playwright keeps an event loop running in this thread until it is closed, so it is closed after each module:
    a second one, or `asyncio.run` in another module's tests, would be refused meanwhile.
    """
    path = os.environ.get(CHROMIUM)
    if not path:
        pytest.skip(f"NO BROWSER: set {CHROMIUM} to the path of Chromium (say /usr/bin/chromium) to test the live page")
    playwright = pytest.importorskip("playwright.sync_api", reason="NO BROWSER: Playwright for Python is not installed")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield chromium
        chromium.close()
