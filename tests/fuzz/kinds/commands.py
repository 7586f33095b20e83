"""Commands run in this process, as a shell would see them."""

import io
import re
import sys
from dataclasses import dataclass
from functools import cache
from typing import Any

import typer.main

from discriminant.cli.main import main
from tests.fuzz.judging import require

DOCUMENTED = (0, 2, 3, 4, 5)

typer.main.get_command = cache(typer.main.get_command)  # which would take longer than most cases do


@dataclass(frozen=True)
class Result:
    code: int
    out: bytes
    err: str


def run(*arguments: Any, stdin: bytes = b"") -> Result:
    """What a command prints and returns, held against what is documented of every command."""
    result = _run([str(argument) for argument in arguments], stdin)
    require("Traceback" not in result.err, "a traceback on standard error", result)
    require(result.code in DOCUMENTED, f"exit code {result.code}{_kind_of_defect(result.err)}", result)
    if result.code:
        lines = result.err.strip().splitlines()
        usage = result.code == 2 and lines and lines[0].startswith(("Usage:", "╭"))  # in the words of the parser
        require(
            usage or (lines and lines[-1].startswith("discriminant: ")), "a failure without a line of its own", result
        )
        require(usage or len(lines) == 1, "a failure told in several lines", result)
    return result


def _kind_of_defect(err: str) -> str:
    """Such as KeyError."""
    found = re.search(r"discriminant: (\w+):", err)
    return f" by {found.group(1)}" if found else ""


def _run(arguments: list[str], stdin: bytes) -> Result:
    before = sys.argv, sys.stdin, sys.stdout, sys.stderr
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace")
    sys.argv = ["discriminant", *arguments]
    sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO(stdin), "utf-8"), out, err
    try:
        main()
        code: Any = 0
    except SystemExit as ended:
        code = ended.code or 0
    finally:
        sys.argv, sys.stdin, sys.stdout, sys.stderr = before
    out.flush()
    err.flush()
    return Result(int(code), out.buffer.getvalue(), err.buffer.getvalue().decode())
