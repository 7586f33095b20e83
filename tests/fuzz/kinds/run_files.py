"""Run files damaged in their values, their JSON and their bytes, through `report` and `compare`."""

import json
from functools import cache
from pathlib import Path
from random import Random

from tests.fuzz.judging import require
from tests.fuzz.kinds import commands
from tests.model.mutations import mutated
from tests.report import runs


def attempt(random: Random, folder: Path) -> None:
    sound, damaged = folder / "sound.json", folder / "run.json"
    number = random.randrange(len(_sound()))
    damaged.write_bytes(mutated(random, _sound()[number]))
    if random.random() < 0.5:
        result = commands.run("report", damaged, "-o", folder / "report.html")
        require((folder / "report.html").exists() == (result.code == 0), "a report that is not there, or should not be")
    else:
        sound.write_bytes(_sound()[number])
        order = (sound, damaged) if random.random() < 0.5 else (damaged, sound)
        as_json = random.random() < 0.5
        result = commands.run("compare", *order, *(["--json"] if as_json else []))
        if as_json and result.code == 0:
            json.loads(result.out)
    require(result.code in (0, 4), f"a damaged run is exit code {result.code}", result.err)


@cache
def _sound() -> tuple[bytes, ...]:
    made = (
        runs.two_classes(60),
        runs.with_reject(runs.two_classes(60)),
        runs.several_classes(3, 60),
        runs.with_more(runs.two_classes(60, gain=False)),
        runs.one_sided(),
        runs.bare(),
    )
    return tuple(json.dumps(run).encode() for run in made)
