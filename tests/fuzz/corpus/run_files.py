"""Run files that `report` and `compare` stumbled over."""

import json
from pathlib import Path

from tests.fuzz.judging import require
from tests.fuzz.kinds import commands
from tests.report import runs


def endless_run(folder: Path) -> None:
    result = commands.run("report", "/dev/zero", "-o", "report.html")
    require(result.code in (4, 5), f"exit code {result.code}", result.err)


def run_without_a_comparison(folder: Path) -> None:
    damaged = runs.two_classes(60)
    del damaged["comparison"]
    for name, run in (("a.json", runs.two_classes(60)), ("b.json", damaged)):
        (folder / name).write_text(json.dumps(run))
    require(commands.run("compare", "a.json", "b.json").code == 4, "a damaged run that is not refused as one")
    require(commands.run("compare", "b.json", "a.json", "--json").code == 4, "a damaged run that is not refused as one")


def posteriors_beyond_one(folder: Path) -> None:
    damaged = runs.several_classes(3, 60)
    damaged["many"]["posteriors"][0][0] = 1e308
    (folder / "run.json").write_text(json.dumps(damaged))
    require(commands.run("report", "run.json", "-o", "report.html").code == 0, "a report that says nothing")
