"""The tests that `make quick` runs: a core that any change may break, and the rooms that changed since main.

A room is a folder of `src/discriminant` with its folder of tests; a test file that changed is run by itself.
"""

import subprocess
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
CORE = (
    "tests/test_basis.py",
    "tests/test_findings.py",
    "tests/test_hyperplane.py",
    "tests/test_losses.py",
    "tests/test_networks.py",
    "tests/test_schedules.py",
    "tests/laws",
    "tests/gain",
    "tests/linalg",
    "tests/contract/test_public_names.py::test_exported_names",
    "tests/contract/test_public_names.py::test_docstring_examples",
    "tests/contract/test_public_names.py::test_examples_on_pages",
    "tests/contract/test_signatures.py",
)


def changed_files(since: str = "main") -> list[str]:
    """Files that differ from where this branch left ``since``, with those that git does not know yet."""
    told = subprocess.run(["git", "merge-base", since, "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    start = told.stdout.strip() or "HEAD"  # a clone of one branch alone has no main: what is not committed yet
    commands = (["git", "diff", "--name-only", start], ["git", "ls-files", "--others", "--exclude-standard"])
    found = [subprocess.run(c, cwd=ROOT, capture_output=True, text=True, check=True).stdout for c in commands]
    return "".join(found).split()


def tests_of(path: str) -> tuple[str, ...]:
    """Where the tests of a changed file are, or would be."""
    parts = Path(path).parts
    if parts[0] == "tests":
        return (path,) if parts[-1].startswith("test_") else ()
    room = Path(parts[2]).stem if parts[:2] == ("src", "discriminant") else ""
    return (f"tests/{room}", f"tests/test_{room}.py") if room else ()


def chosen(changed: Iterable[str]) -> list[str]:
    """The core and what changed, of what is there; a folder stands for its files."""
    wanted = {*CORE, *(place for path in changed for place in tests_of(path))}
    there = {place for place in wanted if (ROOT / place.split("::")[0]).exists()}
    return sorted(place for place in there if not any(str(folder) in there for folder in Path(place).parents))


if __name__ == "__main__":
    print(*chosen(changed_files()))
