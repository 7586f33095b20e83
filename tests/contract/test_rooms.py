"""Rooms use each other's public names alone."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

import discriminant

SOURCE = Path(discriminant.__file__).parent
NUMBAS = {"_cache", "_impl", "_index_key"}  # hooks of its cache, which have no public names
SCORERS = {"_score_func", "_sign", "_kwargs", "_response_method"}  # what a scorer of scikit-learn's is made of


def private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0]


def is_own(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def defined_names(tree: ast.AST) -> set[str]:
    """Every private name that a module gives to something."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_own(node.value):
            names.add(node.attr)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return {name for name in names if private(name)}


def uses(tree: ast.AST) -> set[tuple[int, str]]:
    """Every private name that a module reads of another thing or module, with its line."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and private(node.attr):
            found.add((node.lineno, node.attr))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("discriminant"):
            found |= {(node.lineno, alias.name) for alias in node.names if private(alias.name)}
    return found


def violations(files: dict[Path, ast.AST]) -> list[str]:
    own = defaultdict(set)
    for path, tree in files.items():
        own[room_of(path)] |= defined_names(tree)
    return [
        f"{path.relative_to(SOURCE)}:{line} reads {name}"
        for path, tree in files.items()
        for line, name in sorted(uses(tree))
        if name not in own[room_of(path)] | NUMBAS | SCORERS
    ]


@pytest.fixture(scope="module")
def files():
    return {path: ast.parse(path.read_text()) for path in sorted(SOURCE.rglob("*.py"))}


def test_no_room_reads_a_private_name_of_another(files):
    assert violations(files) == []


def test_the_walk_sees_what_it_looks_for(files):
    trespassing = ast.parse("from discriminant.learners.base import _products\nmodel._evidence = 1\nmodel._joint.sum()")
    found = violations({**files, SOURCE / "decisions" / "trespassing.py": trespassing})
    assert [text.split(" reads ")[1] for text in found] == ["_products", "_evidence", "_joint"]
