"""Hostile text cells: the model, its Python export and its SQL in SQLite give the same answer, or all refuse."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from discriminant.export import export
from discriminant.model import DecisionModel
from tests.export import models
from tests.fuzz.judging import REFUSALS, require
from tests.fuzz.kinds.hostile_cells import cell

_ORDINARY = {"number": "12.5", "flag": "true", "date": "2019-05-06"}


def attempt(random: Random, folder: Path) -> None:
    name = random.choice(("two", "two_in_pieces", "three_by_gain", "two_with_reject"))
    columns = [column.name for column in _tried(name).model.encoding.used]
    require_agreement(name, {column: cell(random) for column in random.sample(columns, random.choice((1, 1, 2)))})


def require_agreement(name: str, cells: dict[str, str]) -> None:
    """Of a model with its exports, on an ordinary row but for these cells."""
    tried = _tried(name)
    row = {column.name: _ordinary(column) for column in tried.model.encoding.used} | cells
    wanted = _answer(tried.by_model, row)
    for where, ask in (("Python", tried.by_python), ("SQLite", tried.by_sqlite)):
        given = _answer(ask, row)
        told = given, "and the model", wanted, "for", cells
        if given is None or wanted is None:
            what = "refuses and the model does not" if given is None else "answers what the model refuses"
            require(given is wanted, f"{where} {what}", told)
        else:
            require(given[0] == wanted[0], f"{where} has another label", told)
            require(np.allclose(given[1], wanted[1], rtol=1e-9, atol=1e-9), f"{where} has another score", told)


@dataclass(frozen=True)
class _Tried:
    model: DecisionModel
    by_model: Callable[[dict[str, Any]], tuple[Any, Any]]
    by_python: Callable[[dict[str, Any]], tuple[Any, Any]]
    by_sqlite: Callable[[dict[str, Any]], tuple[Any, Any]]


@cache
def _tried(name: str) -> _Tried:
    model = models.MODELS[name]()
    module: dict[str, Any] = {"__name__": "exported"}
    exec(compile(export(model, "python").files["model.py"], "exported.py", "exec"), module)

    def by_model(row: dict[str, Any]) -> tuple[Any, Any]:
        table = {name: [text] for name, text in row.items()}
        return model.predict(table).tolist()[0], model.decision_function(table).ravel()

    def by_python(row: dict[str, Any]) -> tuple[Any, Any]:
        return module["label"](row), module["scores"](row)

    return _Tried(model, by_model, by_python, _in_sqlite(model))


def _in_sqlite(model: DecisionModel) -> Callable[[dict[str, Any]], tuple[Any, Any]]:
    """The query over a table of one row of text; where it is NULL, the row is refused."""
    query = export(model, "sql").files["model.sql"].decode()
    names = [column.name for column in model.encoding.used]
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE your_table ({', '.join(f'{name} TEXT' for name in quoted)})")

    def ask(row: dict[str, Any]) -> tuple[Any, Any]:
        connection.execute("DELETE FROM your_table")
        connection.execute(f"INSERT INTO your_table VALUES ({', '.join('?' * len(names))})", [row[n] for n in names])
        cursor = connection.execute(query)
        found = dict(zip([d[0] for d in cursor.description], cursor.fetchone(), strict=True))
        scores = [value for name, value in found.items() if name.startswith("score")]
        if found["label"] is None or any(score is None for score in scores):
            raise ValueError("refused")
        return found["label"], scores

    return ask


def _answer(ask: Callable[[dict[str, Any]], tuple[Any, Any]], row: dict[str, Any]) -> tuple[Any, Any] | None:
    try:
        return ask(row)
    except REFUSALS:
        return None


def _ordinary(column: Any) -> str:
    return _ORDINARY.get(column.kind, column.reference)
