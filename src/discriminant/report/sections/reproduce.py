"""How to get the same answer again: the commands, the data by its hash, the seed and the versions."""

import re
from typing import Any

from discriminant.report.subject import Subject
from discriminant.report.untrusted import listed, part, real, text

_LONGEST_PROGRAM = 10_000
_VERSION = re.compile(r"Python [\w.+-]+")  # a version alone is a fact, no program


def reproduce(subject: Subject) -> dict[str, Any]:
    """Commands, program and facts."""
    run, limits = subject.run, subject.limits
    how, learner = part(run, "reproduce"), part(run, "learner")
    program = text(how.get("python"), min(_LONGEST_PROGRAM, 5 * limits.sentence))
    version = program if _VERSION.fullmatch(program.strip()) else ""
    facts = {
        "Made": run.get("made"),
        "Command": run.get("command"),
        "Seed": run.get("seed"),
        "SHA-256 of the data": part(run, "data").get("sha256"),
        "Learner": learner.get("name"),
        "Parameters": ", ".join(f"{name}={value}" for name, value in list(part(learner, "parameters").items())[:40]),
        "Versions": ", ".join(f"{name} {version}" for name, version in list(part(run, "versions").items())[:40]),
        "Python": version.strip().removeprefix("Python "),
    }
    return {
        "commands": [subject.sentence(command) for command in listed(how.get("commands"))[: limits.table_rows]],
        "python": "" if version else program,
        "facts": {name: subject.sentence(_plain(value)) for name, value in facts.items() if value not in (None, "")},
    }


def _plain(value: Any) -> Any:
    """Write 0 for 0.0, so that a seed reads as it was given."""
    number = real(value)
    return int(number) if number is not None and number == int(number) else value
