"""What numpydoc says of the docstrings of the public names; `make lint` runs it.

The checks are those of pyproject.toml: parameters that are documented and no others, what functions return, an example.
"""

import inspect
import sys
import tomllib
from pathlib import Path

from numpydoc.validate import validate

import discriminant

CHECKS = set(
    tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["tool"]["numpydoc_validation"]["checks"]
)
# Results: made by the functions and class methods that document what goes in. Their fields are told in the text.
RESULTS = {"ClassMoments", "Comparison", "DecisionModel", "Loss", "OperatingCurve", "ScoreCounts", "Separation"}


def complaints(name: str) -> list[str]:
    """One line for each check that the docstring of a public name does not pass."""
    thing = getattr(discriminant, name)
    if inspect.ismodule(thing):
        return []
    skipped = {"PR01"} if name in RESULTS else set()
    errors = validate(f"{thing.__module__}.{thing.__qualname__}")["errors"]
    return [f"discriminant.{name}: {code} {text}" for code, text in errors if code in CHECKS - skipped]


if __name__ == "__main__":
    found = [line for name in discriminant.__all__ for line in complaints(name)]
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(bool(found))
