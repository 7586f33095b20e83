"""What the runner must not miss: deaths, endless loops, memory, nonsense; and that a case is the same again."""

import ctypes
import os
import signal
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tests.fuzz.cases import KINDS, Case
from tests.fuzz.judging import Unlawful
from tests.fuzz.worker import Worker


@dataclass(frozen=True)
class Deed:
    """A case that does what it is told."""

    what: str
    kind: str = "estimators"
    command: str = "-"

    def run(self, folder: Path) -> None:
        getattr(self, self.what)()

    def dies(self) -> None:
        ctypes.string_at(0)

    def is_killed(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def loops(self) -> None:
        while True:
            pass

    def grows(self) -> None:
        np.ones(200_000_000).sum()

    def raises(self) -> None:
        raise KeyError("x")

    def lies(self) -> None:
        raise Unlawful("scores not finite")

    def leaves(self) -> None:
        raise SystemExit(0)

    def refuses(self) -> None:
        raise ValueError("too few rows")

    def answers(self) -> None:
        pass


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("dies", "ended by SIGSEGV"),
        ("is_killed", "ended by SIGKILL"),
        ("loops", "longer than 0 s"),
        ("grows", "memory beyond"),
        ("raises", "KeyError"),
        ("lies", "unlawful: scores not finite"),
        ("leaves", "SystemExit"),
    ],
)
def test_failures_are_seen_and_the_next_case_is_tried(what, words):
    with Worker(most_seconds=0.4 if what == "loops" else 10.0) as worker:
        assert words in worker.outcome(Deed(what)).cause
        assert not worker.outcome(Deed("answers")).failed


def test_refusals_are_no_failures(worker):
    assert worker.outcome(Deed("refuses")).refusal == "ValueError of Python"
    assert not worker.outcome(Deed("refuses")).failed


@pytest.mark.parametrize("kind", KINDS)
def test_the_command_of_a_case_names_it(kind):
    assert Case(kind, 7, 3).command == f'make fuzz ARGS="--kind {kind} --seed 7 --case 3"'
