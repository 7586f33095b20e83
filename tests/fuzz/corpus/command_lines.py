"""Commands that did harm, or ended otherwise than documented."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz.judging import require
from tests.fuzz.kinds import commands
from tests.fuzz.kinds.command_lines import prepare

__all__ = ["prepare"]


def output_that_is_the_input(folder: Path) -> None:
    """By its name, another spelling of it, or a link to it."""
    for name in _spellings(folder):
        before = (folder / "rows.csv").read_bytes()
        result = commands.run("predict", "model", "rows.csv", "-o", name)
        require((folder / "rows.csv").read_bytes() == before, "an input that was written over", name)
        require(result.code in (2, 3, 5), f"exit code {result.code} for an output that is an input", name)


def _spellings(folder: Path) -> Iterator[str]:
    _files(folder)
    (folder / "link.csv").symlink_to("rows.csv")
    os.link(folder / "rows.csv", folder / "hard.csv")
    yield from ("rows.csv", "./rows.csv", "dir/../rows.csv", str(folder / "rows.csv"), "link.csv", "hard.csv")


def scores_beyond_a_double(folder: Path) -> None:
    """A row whose score overflows is a bad row."""
    _files(folder)
    header = (folder / "rows.csv").read_text().splitlines()[0]
    (folder / "far.csv").write_text(f"{header}\n1e308,-1e308,red,2020-01-01,1,no\n-1e308,1e308,red,2020-01-01,1,no\n")
    result = commands.run("predict", "model", "far.csv")
    words = result.out.decode().lower().replace("\n", ",").split(",")
    require(not {"nan", "inf", "-inf"} & set(words), "answers that are not finite", result.out)


def unreadable_paths(folder: Path) -> None:
    """Too long, a loop, a folder, not there: code 5 for each."""
    _files(folder)
    for path in ("a" * 300, "loop", "no-such-file", "rows.csv/x"):
        for command in (
            ["fit", path, "-t", "y"],
            ["predict", "model", path],
            ["predict", path, "rows.csv"],
            ["report", path],
            ["compare", path, path],
            ["inspect", path],
        ):
            result = commands.run(*command)
            require(result.code == 5, f"{command[0]} ends with {result.code} for an unreadable path", result.err)


def unknown_form(folder: Path) -> None:
    _files(folder)
    result = commands.run("fit", "rows.csv", "-t", "y", "--forms", "bent")
    require(result.code == 2, "a wrong option that is not code 2", result)


def _files(folder: Path) -> None:
    shutil.copytree(folder.parent / "files", folder, dirs_exist_ok=True, symlinks=True)
