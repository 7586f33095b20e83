"""An installed test module with our classes in the place of its own."""

import ast
import importlib.util
import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any


def foreign_tests(module: str, names: Iterable[str], prefix: str, ours: str = "renaming") -> dict[str, Any]:
    """The tests of ``module`` that use any of ``names``, with the classes of a module of ours for these.

    Fixtures of the module come along. Keys are the names of the tests, each with the prefix after ``test_``.
    """
    renamed = set(names)
    source = Path(_origin(module)).read_text()
    tree = ast.parse(source)
    users = _users(tree, renamed)
    loaded = _execute(tree, module, renamed, ours)
    found: dict[str, Any] = {}
    for name, value in vars(loaded).items():
        if name.startswith("test") and callable(value) and name in users:
            found[f"test_{prefix}_{name.removeprefix('test_')}"] = _with_listed_parameters(value)
        elif type(value).__name__ == "FixtureFunctionDefinition":
            found[name] = value
    return found


def _with_listed_parameters(test: Any) -> Any:
    """Parameters of generators as lists: the next pytest refuses the former."""
    for mark in getattr(test, "pytestmark", []):
        if mark.name == "parametrize" and not isinstance(mark.args[1], Collection):
            object.__setattr__(mark, "args", (mark.args[0], list(mark.args[1]), *mark.args[2:]))
    return test


def _origin(module: str) -> str:
    found = importlib.util.find_spec(module)
    if found is None or found.origin is None:
        raise ModuleNotFoundError(module)
    return found.origin


def _execute(tree: ast.Module, module: str, renamed: set[str], renaming: str) -> ModuleType:
    """The module, its own imports done, then ours over them: parameters of tests are made of ours too."""
    last = max(k for k, node in enumerate(tree.body) if isinstance(node, ast.Import | ast.ImportFrom))
    ours = ast.parse(f"from tests.foreign.{renaming} import {', '.join(sorted(renamed))}").body
    changed = ast.Module(body=[*tree.body[: last + 1], *ours, *tree.body[last + 1 :]], type_ignores=[])
    name = f"tests.foreign.loaded_{module.replace('.', '_')}"
    loaded = ModuleType(name)
    loaded.__file__ = _origin(module)
    loaded.__package__ = module.rpartition(".")[0]
    sys.modules[name] = loaded
    exec(compile(ast.fix_missing_locations(changed), loaded.__file__, "exec"), vars(loaded))
    return loaded


def _users(tree: ast.Module, renamed: set[str]) -> set[str]:
    """Tests that name one of the classes, or something of the module that does."""
    naming = {node.name: _words(node) for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            naming[node.targets[0].id] = _words(node.value)
    users = set(renamed)
    while more := {name for name, words in naming.items() if name not in users and words & users}:
        users |= more
    return users


def _words(node: ast.AST) -> set[str]:
    return {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}
