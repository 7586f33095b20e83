"""run.json: what a report is made of, kept so that it can be made again."""

import json
from pathlib import Path
from typing import Any

from discriminant.study.run import VERSION
from discriminant.table.errors import SavedFileError
from discriminant.table.writing import atomic_write_text

_LARGEST = 20_000_000  # bytes; runs are bounded far below


class RunFileError(SavedFileError):
    """A run file that cannot be read."""


def save_run(run: dict[str, Any], path: Path) -> None:
    """Write it; a kill leaves the old file or the new one."""
    atomic_write_text(path, json.dumps(run, ensure_ascii=False, allow_nan=False) + "\n")


def load_run(path: Path) -> dict[str, Any]:
    """Read it."""
    if path.stat().st_size > _LARGEST:
        raise RunFileError(f"{path} is too large for a run file")
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise RunFileError(f"{path} is no run file: {error}; give the run.json that discriminant fit wrote") from error
    if not isinstance(run, dict) or run.get("format") != "discriminant run":
        raise RunFileError(f"{path} is no run file; give the run.json that discriminant fit wrote")
    if run.get("version") != VERSION:
        raise RunFileError(
            f"{path} has version {run.get('version')!r} and this discriminant reads {VERSION}; fit again, or update it"
        )
    return run
