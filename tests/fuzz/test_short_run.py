"""A few cases of each kind, the same each time; `make fuzz` tries more."""

import pytest

from tests.fuzz.cases import KINDS, Case
from tests.fuzz.tally import Tally

CASES = {
    "estimators": 400,
    "tables": 40,
    "model_files": 400,
    "run_files": 60,
    "arrow_files": 300,
    "command_lines": 40,
    "export_cells": 300,
    "sources": 60,
}


@pytest.mark.parametrize("kind", KINDS)
def test_cases_end_well(worker, kind):
    tally = Tally(kind)
    for number in range(CASES[kind]):
        case = Case(kind, 0, number)
        tally.add(case, worker.outcome(case))
    assert not tally.failures, tally.text()
