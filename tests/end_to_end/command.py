"""The command, run as a person would run it.

This is the only file of this folder that may import the product; everything else sees files and printed text.
"""

import contextlib
import io
import json
import sys
import warnings
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from discriminant.cli.main import main


@dataclass(frozen=True)
class Outcome:
    """What a command left: its exit code and what it printed."""

    code: int
    printed: str
    complaints: str

    @property
    def json(self) -> Any:
        return json.loads(self.printed)


def attempt(*arguments: object) -> Outcome:
    """Run a command whose failure is an answer too."""
    printed, complaints = io.StringIO(), io.StringIO()
    line = ["discriminant", *map(str, arguments)]
    code: object = 0
    with warnings.catch_warnings(), patch.object(sys, "argv", line):
        warnings.simplefilter("default")  # as in a process of its own: a warning is seen on standard error, not raised
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complaints):
            try:
                main()
            except SystemExit as left:
                code = left.code
    return Outcome(code if isinstance(code, int) else int(code is not None), printed.getvalue(), complaints.getvalue())


def discriminant(*arguments: object) -> Outcome:
    """Run a command that must be done."""
    outcome = attempt(*arguments)
    assert outcome.code == 0, f"discriminant {' '.join(map(str, arguments))}: {outcome.code}\n{outcome.complaints}"
    return outcome
