"""The pages of the handbook as their sources, and as they were built where they were."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
BUILT = DOCS / "_build" / "html"

_CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)


def sources() -> list[Path]:
    """Every page."""
    return sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts and path.parent.name != "names")


def running() -> list[Path]:
    """The pages with code that runs."""
    return [path for path in sources() if _CELL.search(path.read_text())]


def cells(page: Path) -> Iterator[tuple[str, str]]:
    """(options, code) of each block, in order."""
    for found in _CELL.finditer(page.read_text()):
        body = found.group(1)
        options = ""
        if body.startswith("---\n"):
            _, options, body = body.split("---\n", 2)
        else:
            lines = body.splitlines()
            options = "\n".join(line for line in lines if line.startswith(":"))
            body = "\n".join(line for line in lines if not line.startswith(":"))
        yield options, body


def run(page: Path, scope: dict[str, Any]) -> None:
    """Every block, one after another; the value of a last expression is made and let go."""
    for number, (_, code) in enumerate(cells(page)):
        tree = ast.parse(code)
        exec(compile(tree, f"{page.name}, block {number}", "exec"), scope)


def built_pages() -> list[Path]:
    """The built pages, none where the handbook was not built."""
    return (
        sorted(p for p in BUILT.rglob("*.html") if "_static" not in p.parts) if (BUILT / "index.html").exists() else []
    )
