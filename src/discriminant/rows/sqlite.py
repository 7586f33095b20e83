"""SQLite files, by Python's own driver, read-only.

A column of SQLite may hold cells of any kind, and a query without rows tells nothing of them. The database therefore
says first, in one pass, what each column of the query holds: texts where any cell is one, else fractions where any is
one, else whole numbers. Every pass gives columns of these types.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from discriminant.cached import cached_property
from discriminant.rows.databases import SOURCE, Costs, plain_errors, refuse_no_query
from discriminant.rows.sql_sums import quoted
from discriminant.table.errors import FileError

_SCHEME = "sqlite:"
_HEAD = b"SQLite format 3\0"
_KINDS = ("null", "integer", "real", "text", "blob")  # a column is of the last of these among its cells


def is_sqlite_file(path: str) -> bool:
    """Whether a file is a database of SQLite."""
    with open(path, "rb") as file:
        return file.read(len(_HEAD)) == _HEAD


def sqlite_path(address: str) -> str | None:
    """The file of an address, ``sqlite:path`` or ``sqlite:///path``; None of other addresses.

    >>> sqlite_path("sqlite:a%b.db"), sqlite_path("sqlite:///data/a%20b.db"), sqlite_path("postgresql://host")
    ('a%b.db', '/data/a b.db', None)
    """
    if not address.startswith(_SCHEME):
        return None
    path = address.removeprefix(_SCHEME)
    return unquote(path[2:].partition("?")[0]) if path.startswith("//") else path


@dataclass(frozen=True, repr=False)
class SqliteDatabase:
    """A query on a file of SQLite, opened anew for each pass."""

    path: str
    query: str
    parameters: Any = None
    name: str = "the SQLite query"
    costs: Costs | None = None
    fence: str = ""

    @property
    def source(self) -> str:
        """The query in brackets, on lines of its own so that a comment at its end does no harm."""
        return f"(\n{self.query.strip().rstrip(';')}\n) AS {SOURCE}"

    @contextmanager
    def batches(self, select: str, rows_each: int) -> Iterator[Any]:
        """A reader whose rows are fetched a few at a time."""
        import pyarrow as pa

        with plain_errors(self.name), self._opened() as connection:
            cursor = self._answer(connection, select)
            names = [column[0] for column in cursor.description]
            schema = pa.schema([(name, self._types.get(name, pa.int64())) for name in names])
            fetched = iter(partial(cursor.fetchmany, rows_each), [])
            yield pa.RecordBatchReader.from_batches(schema, (_batch(rows, schema) for rows in fetched))

    def __post_init__(self) -> None:
        refuse_no_query(self.query)

    @cached_property
    def _types(self) -> dict[str, Any]:
        """Arrow's, of the columns of the query."""
        import pyarrow as pa

        kinds = (pa.null(), pa.int64(), pa.float64(), pa.string(), pa.binary())
        with self._opened() as connection:
            cursor = self._answer(connection, f"SELECT * FROM {self.source} LIMIT 0")
            names = [column[0] for column in cursor.description]
            ranks = ", ".join(f"max({_rank(name)})" for name in names)
            found = self._answer(connection, f"SELECT {ranks} FROM {self.source}").fetchone()
        return {name: kinds[rank or 0] for name, rank in zip(names, found, strict=True)}

    def _answer(self, connection: Any, select: str) -> Any:
        return connection.execute(select, () if self.parameters is None else self.parameters)

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        if not Path(self.path).is_file():
            raise FileError(f"{self.path or 'sqlite:'}: there is no such file", "name a database of SQLite")
        address = f"file:{quote(str(Path(self.path).absolute()))}?mode=ro"  # quoted: a name cannot set another mode
        with closing(sqlite3.connect(address, uri=True, check_same_thread=False)) as connection:
            yield connection


def _rank(name: str) -> str:
    """The place among the kinds of what a cell holds, in SQL."""
    cases = " ".join(f"WHEN '{kind}' THEN {rank}" for rank, kind in enumerate(_KINDS))
    return f"CASE typeof({quoted(name)}) {cases} END"


def _batch(rows: Sequence[tuple[Any, ...]], schema: Any) -> Any:
    import pyarrow as pa

    columns = [_column(cells, field.type) for cells, field in zip(zip(*rows, strict=True), schema, strict=True)]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _column(cells: Sequence[Any], kind: Any) -> Any:
    """Cells as the column's type; numbers in a column of texts are written out."""
    import pyarrow as pa

    if pa.types.is_string(kind):
        cells = [cell if cell is None else str(cell) for cell in cells]
    elif pa.types.is_binary(kind):
        cells = [cell if cell is None or isinstance(cell, bytes) else str(cell).encode() for cell in cells]
    elif pa.types.is_floating(kind):
        cells = [cell if cell is None else float(cell) for cell in cells]
    return pa.array(cells, kind)
