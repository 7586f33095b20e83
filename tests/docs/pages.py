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


def table(page: str, heading: str) -> list[list[str]]:
    """The rows of the table that begins with this cell."""
    lines = (DOCS / page).read_text().splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return rows


def places() -> dict[str, Path]:
    """The page of each label, and of each picture."""
    found = {}
    for page in sources():
        for label in re.findall(r"^\(([\w-]+)\)=$|^    name: ([\w-]+)$", page.read_text(), re.MULTILINE):
            found["".join(label)] = page
    return found


def pages_of(cell: str) -> list[str]:
    """The pages that a cell refers to, as they are named in the handbook: theory/fisher."""
    labels = places()
    found = [labels[label] for label in re.findall(r"\{ref\}`(?:[^`<]*<)?([\w-]+)>?`", cell)]
    named = re.findall(r"\{doc\}`/?([\w/-]+)`", cell)
    return [str(page.relative_to(DOCS).with_suffix("")) for page in found] + named


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
