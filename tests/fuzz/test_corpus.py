"""Every case that once failed, again."""

import inspect
from importlib import import_module

import pytest

from tests.fuzz.cases import KINDS, Kept
from tests.fuzz.tally import failure_text


def kept_cases() -> list[Kept]:
    found = []
    for room in KINDS:
        module = import_module(f"tests.fuzz.corpus.{room}")
        own = inspect.getmembers(module, lambda f, m=module: inspect.isfunction(f) and f.__module__ == m.__name__)
        found += [Kept(room, name) for name, _ in own if not name.startswith("_")]
    return found


@pytest.mark.parametrize("case", kept_cases(), ids=lambda case: f"{case.room}.{case.name}")
def test_kept(worker, case):
    outcome = worker.outcome(case)
    assert not outcome.failed, failure_text(case, outcome)
