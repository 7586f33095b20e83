"""SQL run in SQLite (which Python has) and in DuckDB (where it is installed)."""

import math
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from discriminant.export.checks import Answers, RunnerMissing
from discriminant.export.plan import CategoryColumn, Plan
from discriminant.export.sql.dialects import DIALECTS
from discriminant.export.sql.query import names_of
from discriminant.export.vectors import ARROW_TYPES, Cell, storable

_SQLITE_TYPES = {"number": "REAL", "flag": "INTEGER", "date": "TEXT"}


def run_sqlite(query: str, plan: Plan, cells: Mapping[str, Sequence[Cell]], table: str) -> Answers:
    """Run the query of SQLite in a database in memory."""
    d = DIALECTS["sqlite"]
    connection = sqlite3.connect(":memory:")
    try:
        wanted, most = len(plan.columns), connection.getlimit(sqlite3.SQLITE_LIMIT_COLUMN)
        if wanted > most:
            raise RunnerMissing(f"a table of SQLite here has at most {most:,} columns, and the model reads {wanted:,}")
        _supply_mathematics(connection)
        for schema in table.split(".")[:-1]:
            if schema not in ("main", "temp"):
                connection.execute(f"ATTACH ':memory:' AS {d.identifier(schema)}")
        kinds = ", ".join(f"{d.identifier(c.name)} {_column_type(c, cells[c.name])}" for c in plan.columns)
        connection.execute(f"CREATE TABLE {d.table(table)} ({kinds})")
        places = ", ".join("?" * len(plan.columns))
        rows = zip(*([storable(cell) for cell in cells[c.name]] for c in plan.columns), strict=True)
        connection.executemany(f"INSERT INTO {d.table(table)} VALUES ({places})", rows)
        cursor = connection.execute(query)
        names = [column[0] for column in cursor.description]
        return answers_of(plan, names, cursor.fetchall())
    finally:
        connection.close()


def run_duckdb(query: str, plan: Plan, cells: Mapping[str, Sequence[Cell]], table: str) -> Answers:
    """Run the query of DuckDB in a database in memory, from Arrow columns."""
    try:
        import duckdb
    except ImportError:
        raise RunnerMissing("no duckdb here (pip install duckdb)") from None
    d = DIALECTS["duckdb"]
    measured = [cells[c.name] for c in plan.measured]
    texts = np.array(
        [any(isinstance(cell, str) for cell in row) for row in zip(*measured, strict=True)], dtype=np.bool_
    )
    texts = texts if measured else np.zeros(len(next(iter(cells.values()))), dtype=np.bool_)
    answers: list[tuple[Any, ...]] = [()] * len(texts)
    with duckdb.connect(":memory:") as connection:
        for schema in table.split(".")[:-1]:
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {d.identifier(schema)}")
        for as_texts in (False, True):  # a column of a table has one type
            places = np.flatnonzero(texts == as_texts).tolist()
            connection.register("discriminant_vectors", _arrow_rows(plan, cells, places, as_texts))
            connection.execute(f"CREATE OR REPLACE TABLE {d.table(table)} AS SELECT * FROM discriminant_vectors")
            cursor = connection.execute(query)
            names = [column[0] for column in cursor.description]
            for place, row in zip(places, cursor.fetchall(), strict=True):
                answers[place] = row
    return answers_of(plan, names, answers)


def _arrow_rows(plan: Plan, cells: Mapping[str, Sequence[Cell]], places: Sequence[int], as_texts: bool) -> pa.Table:
    kinds = {} if as_texts else ARROW_TYPES
    return pa.table(
        {c.name: pa.array([cells[c.name][i] for i in places], kinds.get(_kind(c), pa.string())) for c in plan.columns}
    )


def answers_of(plan: Plan, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> Answers:
    """The columns of the result; where the table has one of the same name, the first is ours."""
    wanted = names_of(plan)
    place = {name: i for i, name in reversed(list(enumerate(names)))}

    def numbers(columns: Sequence[str]) -> Any:
        return np.array([[np.nan if r[place[c]] is None else r[place[c]] for c in columns] for r in rows], dtype=float)

    posteriors = None
    if plan.offsets is not None:
        posteriors = numbers(wanted.probabilities)
        posteriors = np.column_stack([1 - posteriors, posteriors]) if plan.planes == 1 else posteriors
    return Answers(numbers(wanted.scores), posteriors, [r[place[wanted.label]] for r in rows])


def _kind(column: Any) -> str:
    return "category" if isinstance(column, CategoryColumn) else column.kind


def _column_type(column: Any, cells: Sequence[Cell]) -> str:
    """The type of a column of SQLite; none where texts are to stay as they are."""
    texts = not isinstance(column, CategoryColumn) and any(isinstance(cell, str) for cell in cells)
    return "" if texts else _SQLITE_TYPES.get(_kind(column), "TEXT")


def _supply_mathematics(connection: sqlite3.Connection) -> None:
    """EXP and LN, which some builds of SQLite leave out."""
    try:
        connection.execute("SELECT EXP(0.0), LN(1.0)")
    except sqlite3.OperationalError:
        connection.create_function("EXP", 1, lambda x: None if x is None else math.exp(x), deterministic=True)
        connection.create_function("LN", 1, lambda x: None if x is None else math.log(x), deterministic=True)
