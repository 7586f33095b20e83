"""run.json: what a report is made of, kept so that it can be made again."""

import json
from pathlib import Path
from typing import Any

from discriminant.model.plain_json import ModelFileError, read_json
from discriminant.study.run import VERSION
from discriminant.table.errors import SavedFileError
from discriminant.table.saving import open_committed

_MOST_BYTES = 20 * 2**20  # a run of some thousand classes; others are far smaller
_MOST_VALUES = 3_000_000


class RunFileError(SavedFileError):
    """A run file that cannot be read."""


def run_bytes(run: dict[str, Any]) -> bytes:
    """The content of the file."""
    return (json.dumps(run, ensure_ascii=False, allow_nan=False) + "\n").encode()


def load_run(path: Path) -> dict[str, Any]:
    """Read it, in bounded memory whatever it is."""
    with open_committed(path) as file:
        data = file.read(_MOST_BYTES + 1)
    try:
        run = read_json(data, most_bytes=_MOST_BYTES, most_values=_MOST_VALUES)
    except ModelFileError as error:
        raise RunFileError(f"{path} is no run file: {error}; give the run.json that discriminant fit wrote") from None
    if not isinstance(run, dict) or run.get("format") != "discriminant run":
        raise RunFileError(f"{path} is no run file; give the run.json that discriminant fit wrote")
    if run.get("version") != VERSION:
        raise RunFileError(
            f"{path} has version {run.get('version')!r} and this discriminant reads {VERSION}; fit again, or update it"
        )
    return run
