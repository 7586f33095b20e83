"""Every table is fitted once, however many tests and workers ask for it."""

import fcntl
import json
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.end_to_end import peers
from tests.end_to_end.cases import REAL, Case
from tests.end_to_end.command import Outcome, attempt, discriminant
from tests.end_to_end.oracle import Answers, read_answers
from tests.end_to_end.tables import SHARED


@cache
def read_text(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False)


@dataclass(frozen=True)
class Fitted:
    """What the command made of a table: the folder with all that it wrote, read when asked for."""

    case: Case
    folder: Path

    @cached_property
    def outcome(self) -> Outcome:
        return Outcome(**json.loads((self.folder / "fit.json").read_text()))

    @cached_property
    def run(self) -> dict[str, Any]:
        return self.outcome.json

    @cached_property
    def best(self) -> dict[str, Any]:
        return self.run["comparison"][0]

    @property
    def classes(self) -> list[str]:
        return [str(c["label"]) for c in self.run["data"]["classes"]]

    def table(self, part: str) -> pd.DataFrame:
        """Cells as the command was given them, classes as text."""
        return read_text(self.folder / f"{part}.csv")

    def true(self, part: str) -> np.ndarray:
        """The class of every row."""
        return self.table(part)[self.case.target].to_numpy(str).astype(object)

    def answers(self, part: str) -> Answers:
        return read_answers(self.table_of_answers(part), self.classes, self.case.positive)

    def table_of_answers(self, part: str) -> pd.DataFrame:
        return read_text(self.folder / f"{part}.answers.csv")

    @cached_property
    def features(self) -> dict[str, pd.DataFrame]:
        """By part: the columns as scikit-learn would have them."""
        return {part: peers.features(self.case, self.table(part)) for part in ("train", "fresh")}

    @cached_property
    def fresh_by_logistic(self) -> np.ndarray:
        """P(positive) of the fresh rows by scikit-learn's logistic regression of the table."""
        return self.fresh_by_peer(robust=False)

    @cached_property
    def fresh_by_ranks(self) -> np.ndarray:
        """The same from ranks of the columns."""
        return self.fresh_by_peer(robust=True)

    def fresh_by_peer(self, robust: bool) -> np.ndarray:
        yes = self.true("train") == self.case.positive
        return peers.fresh_probabilities(self.features["train"], yes, self.features["fresh"], robust)

    def evaluation(self, part: str) -> dict[str, Any]:
        return json.loads((self.folder / f"{part}.evaluation.json").read_text())


def held_out_option() -> bool:
    """Does this version write the rows that learners were compared on?"""
    return "--held-out" in attempt("fit", "--help").printed


def write_everything(case: Case, folder: Path) -> None:
    """Fit, predict and evaluate, leaving all in the folder."""
    train, fresh = case.tables()
    train.to_csv(folder / "train.csv", index=False)
    fresh.to_csv(folder / "fresh.csv", index=False)
    told = ("--held-out", folder / "held-out.csv") if held_out_option() else ()
    arguments = ("-t", case.target, *case.options, *told, "-o", folder / "run", "--json")
    outcome = attempt("fit", folder / "train.csv", *arguments)
    if outcome.code == 0:
        for part in ("train", "fresh"):
            data = folder / f"{part}.csv"
            discriminant("predict", folder / "run", data, "-o", folder / f"{part}.answers.csv")
            judged = discriminant("evaluate", folder / "run", data, "--json").printed
            (folder / f"{part}.evaluation.json").write_text(judged)
    (folder / "fit.json").write_text(json.dumps(vars(outcome)))  # last: it says that the rest is there


@pytest.fixture(scope="session")
def fitted(tmp_path_factory):
    """Look up a case; workers of one run share a folder, and the first to come does the work."""
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if base.name.startswith("popen-") else base) / "end-to-end"
    shared.mkdir(exist_ok=True)
    known: dict[str, Fitted] = {}

    def look_up(case: Case) -> Fitted:
        if case in REAL and not SHARED.is_dir():
            pytest.skip("the reference data (../shared/data) is not beside this checkout")
        if case.name not in known:
            folder = shared / case.name
            folder.mkdir(exist_ok=True)
            with open(folder / "lock", "w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not (folder / "fit.json").exists():
                    write_everything(case, folder)
            known[case.name] = Fitted(case, folder)
        result = known[case.name]
        if "may refuse" in case.knows and result.outcome.code == 3:
            pytest.skip(f"{case.name} was refused, as it may be: {result.outcome.complaints.strip()}")
        assert result.outcome.code == 0, result.outcome.complaints
        return result

    return look_up
