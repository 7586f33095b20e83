"""The parts of exports that are the same for every model: code that reads the tables written above it."""

from importlib.resources import files


def body(name: str) -> str:
    """The text of one of these files."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
