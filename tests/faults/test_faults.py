"""A reader always sees one whole run, the old or the new, and nothing stays behind after the next run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def campaign(*arguments):
    command = [sys.executable, "-m", "tests.faults.campaign", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="every fault has a forked process of its own")
def test_some_kills_and_faults():
    found = campaign(220, "fit", "save", "predict")
    assert found["failures"] == []
    assert found["cases"] >= 25


@pytest.mark.slow
def test_every_kill_and_fault():
    found = campaign(1)
    assert found["failures"] == []
    assert found["cases"] > 5000
