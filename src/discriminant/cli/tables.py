"""The table that a command reads: files, or a query on a database."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from discriminant.table.errors import OptionError


@dataclass(frozen=True)
class Query:
    """--sql and --database, as typed."""

    sql: str | None = None
    database: str | None = None

    @property
    def inputs(self) -> list[str]:
        """The files that are read: the database if it is one, and those that the query names."""
        from discriminant.rows.query_table import files_of_query

        return [] if self.sql is None else files_of_query(self.sql, self.database)


FILES_ALONE = Query()


def open_data(data: Sequence[str], delimiter: str | None, query: Query = FILES_ALONE, format: str | None = None) -> Any:
    """The files, or the query in their place."""
    if query.sql is None:
        if query.database is not None:
            raise OptionError("--database is of --sql", hint='say what to read, such as --sql "SELECT * FROM orders"')
        if not data:
            raise OptionError("no table was named", hint="name files, or a query with --sql and --database")
        from discriminant.table.reading import open_table

        return open_table(data, delimiter=delimiter, format=format)
    if data:
        raise OptionError(f"--sql takes the place of files, and {data[0]} is one", hint="give one of them")
    from discriminant.rows.query_table import open_query

    return open_query(query.sql, query.database)
