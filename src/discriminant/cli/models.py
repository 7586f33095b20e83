"""The model a command is given: its file, or the folder of a run."""

from pathlib import Path
from typing import Any

from discriminant.table.errors import TableError


def load_model(path: Path) -> Any:
    """Read it."""
    from discriminant.model import load

    return load(path / "model.json" if path.is_dir() else path)


def forced_format(model: Any) -> str | None:
    """A model of sparse rows reads nothing else."""
    return "svmlight" if model.encoding.layout == "svmlight" else None


def read_on_error(value: str) -> str:
    """Stop or skip."""
    if value not in ("stop", "skip"):
        raise TableError(f"--on-error {value!r} is neither stop nor skip")
    return value
