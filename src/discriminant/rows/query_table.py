"""The rows of a database query as a table, in the place of files: read in Arrow batches, asked again for each pass."""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from glob import glob
from typing import Any

import numpy as np
import pyarrow as pa

from discriminant.rows.databases import Database, adbc_database, duck_database
from discriminant.rows.sql_sums import quoted
from discriminant.rows.sqlite import SqliteDatabase, is_sqlite_file, sqlite_path
from discriminant.table.errors import FileError, MissingColumn, OptionError
from discriminant.table.reading.arrow_file import plain_cells
from discriminant.table.reading.batch import Batch

_BATCH_CELLS = 1 << 19
_IN_QUOTES = re.compile(r"""'((?:[^']|'')*)'|"((?:[^"]|"")*)["]""")  # DuckDB takes either for a file
_ADDRESSES = ("postgresql://", "postgres://")


def open_query(sql: str, database: str | None) -> "QueryTable":
    """A query on a DuckDB or SQLite file, or on a database with an address; without one, on files that it names."""
    if not sql.strip():
        raise OptionError("--sql is empty", hint='write a SELECT, such as --sql "SELECT * FROM orders"')
    if database is None:
        return QueryTable(duck_database(sql, None, None, None), sql)
    if database.startswith(_ADDRESSES):
        return QueryTable(adbc_database(database, sql, None), sql)
    lite = sqlite_path(database)
    if lite is not None:
        return QueryTable(SqliteDatabase(lite, sql), sql)
    path = database.removeprefix("duckdb:")
    if not os.path.isfile(path):
        raise FileError(
            f"--database {path}: there is no such file", hint="name a file, or an address like postgresql://host/name"
        )
    found: Database = SqliteDatabase(path, sql) if is_sqlite_file(path) else duck_database(sql, None, path, None)
    return QueryTable(found, sql)


def files_of_query(sql: str, database: str | None) -> list[str]:
    """The files that a query reads, as far as they stand in it or are its database.

    >>> files_of_query("SELECT 'no file' AS x", "postgresql://host/name")
    []
    """
    named = [text.replace("''", "'") or name.replace('""', '"') for text, name in _IN_QUOTES.findall(sql)]
    found = [path for text in named if "\0" not in text for path in glob(text, recursive=True) or [text]]
    if database is not None:
        lite = sqlite_path(database)
        found.append(database.removeprefix("duckdb:") if lite is None else lite)
    return [path for path in found if "\0" not in path and os.path.isfile(path)]


class QueryTable:
    """What `TableSource` is for files. Rows come in the order of the query, which SQL promises only if it asks for one.

    Parameters
    ----------
    database : Database
        The query, which can be asked again and again.
    sql : str
        Its text, which stands for the query where runs are compared.

    Examples
    --------
    >>> table = open_query("SELECT range AS x, range % 2 AS y FROM range(3)", None)
    >>> table.names, table.read().column("x").to_pylist()
    (('x', 'y'), [0, 1, 2])
    """

    format = "query"
    first_index = None
    stored_bytes = 0  # which nobody knows
    skipped_rows = 0

    def __init__(self, database: Database, sql: str) -> None:
        self._database = database
        self._sql = sql
        self.files: tuple[str, ...] = (database.name,)
        self.notes: list[str] = []
        self.skipped: list[tuple[str, int, str]] = []
        with database.batches(f"SELECT * FROM {database.source} LIMIT 0", 1) as reader:
            schema = reader.schema
        self.names: tuple[str, ...] = tuple(schema.names)
        twice = next((name for name in self.names if self.names.count(name) > 1), None)
        if twice is not None:
            raise OptionError(f"the query has two columns {twice!r}", hint="give one of them another name with AS")
        empty = [plain_cells(pa.array([], field.type)) for field in schema]
        self._types = {name: cells.type for name, cells in zip(self.names, empty, strict=True)}

    def find_types(self, on_error: str = "stop", labels: str | None = None) -> dict[str, Any]:
        """The types of the columns, as the database has them."""
        return dict(self._types)

    def typed_batches(
        self, types: Mapping[str, Any], columns: Sequence[str] | None = None, on_error: str = "stop"
    ) -> Iterator[Batch]:
        """Rows as the database hands them over, a few at a time."""
        return self.batches(columns, on_error)

    def batches(
        self,
        columns: Sequence[str] | None = None,
        on_error: str = "stop",
        block_bytes: int = 0,
        as_written: Sequence[str] = (),
    ) -> Iterator[Batch]:
        """The batches as `batches` of files gives them; a database has no text that would have to be read."""
        wanted = self.names if columns is None else tuple(columns)
        for name in wanted:
            if name not in self._types:
                raise MissingColumn(name, self.names, self._database.name)
        self.skipped_rows = 0
        return self._batches(wanted)

    def _batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        select = f"SELECT {', '.join(map(quoted, columns))} FROM {self._database.source}"
        row, most = 1, max(_BATCH_CELLS // max(len(columns), 1), 1)
        with self._database.batches(select, most) as reader:
            for stored in reader:
                for start in range(0, stored.num_rows, most):
                    part = stored.slice(start, most)
                    cells = [plain_cells(column) for column in part.columns]
                    numbers = np.arange(row, row + part.num_rows)
                    yield Batch(pa.RecordBatch.from_arrays(cells, names=list(columns)), numbers, self.files[0], numbers)
                    row += part.num_rows

    def read(self, on_error: str = "stop", labels: str | None = None) -> pa.Table:
        """All rows."""
        schema = pa.schema(list(self._types.items()))
        return pa.Table.from_batches([batch.table for batch in self.batches()], schema)

    def skip(self, file: str, line: int, what: str) -> None:
        """Count a row that a caller leaves out."""
        self.skipped_rows += 1
        self.skipped.append((file, line, what))

    def sha256(self) -> None:
        """There are no bytes to tell the rows by."""

    def fingerprint(self) -> list[str]:
        """The text of the query: whether its rows have changed cannot be known."""
        return [hashlib.sha256(self._sql.encode()).hexdigest()]

    def types_by_cells(self) -> dict[str, list[str]]:
        """None: there is no text to read numbers from."""
        return {}

    def restore_types(self, types: Mapping[str, Any], by_cells: Mapping[str, Sequence[str]], skipped: int) -> None:
        """The database says them again."""

    def each_file(self) -> list[tuple["QueryTable", int]]:
        """Itself: rows without an order cannot be divided."""
        return [(self, 0)]

    def begin_pass(self) -> None:
        """Begin a pass; nothing is counted."""

    def bytes_read(self) -> int:
        """Always 0: how much of an answer has come is not known."""
        return 0

    def rereadable(self) -> bool:
        """Always: a query is asked anew."""
        return True

    def bytes_in_memory(self) -> int:
        """About as many as all cells take: the database counts the rows."""
        select = f"SELECT count(*) AS n FROM {self._database.source}"
        with self._database.batches(select, 1) as reader:
            rows = reader.read_all().column(0)[0].as_py()
        return 8 * int(rows) * len(self.names)
