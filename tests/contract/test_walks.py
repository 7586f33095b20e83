"""How many functions of ours, in how many files, a fit passes: a newcomer who reads along has to read these.

A walk is counted by `sys.setprofile` on 1000×5, after a first one that imports what it needs: functions are told apart
by file, name and line; lambdas and comprehensions count as functions.
"""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

import discriminant
from discriminant import GainClassifier, LinearDiscriminantAnalysis
from discriminant.cli.main import app

SOURCE = os.path.dirname(discriminant.__file__) + os.sep


def walk(call):
    """(functions, files) of the package that a call enters."""
    call()
    entered = set()

    def note(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(SOURCE):
            entered.add((code.co_filename, code.co_qualname, code.co_firstlineno))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return len(entered), len({filename for filename, *_ in entered})


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1000, 5))
    return X, (X[:, 0] + rng.standard_normal(1000) > 0).astype(int)


def test_a_fit_of_linear_discriminant_analysis_is_a_short_walk(table):
    functions, files = walk(lambda: LinearDiscriminantAnalysis().fit(*table))
    assert 20 < functions <= 60
    assert files <= 14


def test_a_decision_by_gain_is_a_walk_of_known_length(table):
    functions, files = walk(lambda: GainClassifier(LinearDiscriminantAnalysis(), gain=[[0, -1], [-5, 0]]).fit(*table))
    assert 20 < functions <= 173
    assert files <= 36


@pytest.mark.slow
def test_the_command_is_a_walk_of_known_length(table, tmp_path, monkeypatch, capsys):
    X, y = table
    monkeypatch.chdir(tmp_path)
    lines = [
        ",".join([*(f"{x:.4f}" for x in row), "yes" if positive else "no"]) for row, positive in zip(X, y, strict=True)
    ]
    Path("table.csv").write_text("\n".join(["a,b,c,d,e,answer", *lines]))
    options = ["fit", "table.csv", "--target", "answer", "--learner", "lda,logistic"]
    functions, files = walk(lambda: app(options, standalone_mode=False))
    assert 100 < functions <= 1565
    assert files <= 165


def test_what_is_entered_is_counted_once_for_each_function():
    source = str(Path(SOURCE) / "made_up.py")
    made: dict[str, object] = {}
    exec(compile("def one(): pass\ndef two(): one(); one()\n", source, "exec"), made)
    assert walk(made["two"]) == (2, 1)
