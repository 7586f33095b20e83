"""Databases that answer a query in Arrow batches: DuckDB, and PostgreSQL and others through ADBC.

A database is read, never written: our statements are SELECTs around the user's query, transactions of our own
connections are read-only, and names of columns are quoted. Passwords come from where the driver looks for them
(``PGPASSWORD``, ``~/.pgpass``, a service file) or from the address, and stand in no message, representation or model.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from discriminant.findings import shown
from discriminant.forks import importing
from discriminant.table.errors import OptionError, TableError

SOURCE = "discriminant_rows"  # what the user's query is called in ours
_IN_ADDRESS = re.compile(r"(://[^:/@\s]*:)\S*(?=@)")  # up to the last @, which a password may hold too
_PASSWORD = re.compile(
    r"(?<=:)[^:@/?#\s]+(?=@)"
    r"|(?P<name>pass(?:word|wd)?\s*=\s*)('(?:\\.|''|[^'\\])*'|\"[^\"]*\"|[^&\s'\"]+)",
    re.IGNORECASE,
)
_BARE_NAME = re.compile(r'[\w.]+|"[^"]+"')
_UNQUOTED = re.compile(r"://[^/?#@]*:(?!\d*(?:[/?#]|$))[^@]*[/?#][^@]*@")  # a sign in a password that ends a host


class DatabaseError(TableError):
    """A database that cannot be reached, or a query that it refuses."""


class OutOfRange(DatabaseError):
    """A number that is too large or too small for the database to compute with."""


@dataclass(frozen=True)
class Costs:
    """What a database takes for a row, in nanoseconds: to add up a sum, and to hand over a row and each of its cells.

    Measured with 10⁶ rows of 5 to 20 columns on one machine; they decide only where the sums are made.
    """

    sum: float
    row: float
    cell: float
    most_sums: int  # that one statement may return


class Database(Protocol):
    """A query that can be asked again and again."""

    @property
    def name(self) -> str:
        """What the database is called in messages."""

    @property
    def source(self) -> str:
        """The user's query as it stands after FROM."""

    @property
    def costs(self) -> Costs | None:
        """None where sums are not left to the database."""

    @property
    def fence(self) -> str:
        """Ends a subquery that shall be computed once."""

    def batches(self, select: str, rows_each: int) -> AbstractContextManager[Any]:
        """A reader of Arrow batches that holds a few at a time."""


@dataclass(frozen=True, repr=False)
class DuckDatabase:
    """A relation of DuckDB."""

    relation: Any
    owner: Any = None  # a connection of ours, which lives as long as the source
    name: str = "the DuckDB query"
    source: str = SOURCE
    costs: Costs | None = Costs(sum=3, row=0, cell=37, most_sums=100_000)
    fence: str = ""

    @contextmanager
    def batches(self, select: str, rows_each: int) -> Iterator[Any]:
        """Read through a relation, whose reader streams; the reader of a cursor would hold everything."""
        with (
            plain_errors(self.name),
            closing(self.relation.query(SOURCE, select).to_arrow_reader(rows_each)) as reader,
        ):
            yield reader


@dataclass(frozen=True, repr=False)
class AdbcDatabase:
    """A query through ADBC, over a connection of the user's or one that is opened for each pass."""

    connect: Callable[[], AbstractContextManager[Any]]
    query: str
    parameters: Any = None
    name: str = "the query"
    costs: Costs | None = None
    fence: str = ""

    @property
    def source(self) -> str:
        """The query in brackets, on lines of its own so that a comment at its end does no harm."""
        return f"(\n{self.query}\n) AS {SOURCE}"

    @contextmanager
    def batches(self, select: str, rows_each: int) -> Iterator[Any]:
        """Read through a cursor of its own; batches have the driver's size, some megabytes."""
        with plain_errors(self.name), self.connect() as connection, connection.cursor() as cursor:
            cursor.execute(select, self.parameters)
            with closing(cursor.fetch_record_batch()) as reader:
                yield reader


# --- opening --------------------------------------------------------------------------------------------


def duck_database(query: Any, connection: Any, database: Any, parameters: Any) -> DuckDatabase:
    """The database of a relation, or of SQL over a connection, a file (read-only) or the default connection."""
    if not isinstance(query, str):
        if connection is not None or database is not None or parameters is not None:
            raise OptionError("a relation has its own connection", "leave connection=, database= and parameters= out")
        return DuckDatabase(query)
    if connection is not None and database is not None:
        raise OptionError("connection= and database= were both given", "give one of them")
    if isinstance(connection, str | os.PathLike):
        raise OptionError("connection= takes a connection of DuckDB", f"for a file write database={str(connection)!r}")
    refuse_no_query(query)
    duckdb = _module("duckdb")
    with plain_errors("the DuckDB query"):
        owner = None if database is None else duckdb.connect(str(database), read_only=True)
        used = owner if owner is not None else duckdb.default_connection() if connection is None else connection
        statements = used.extract_statements(query)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise OptionError("the query is not one SELECT", "pass a single SELECT; nothing else is run")
        relation = used.sql(query, params=parameters)
    return DuckDatabase(relation, owner)


def adbc_database(connection: Any, query: str, parameters: Any) -> AdbcDatabase:
    """The database of a connection of ADBC, or of the address of a PostgreSQL database."""
    query = query.strip().rstrip(";")
    refuse_no_query(query)
    if not isinstance(connection, str):
        vendor = str(connection.adbc_get_info().get("vendor_name", ""))
        costs, fence = _costs_of(vendor)
        return AdbcDatabase(lambda: nullcontext(connection), query, parameters, f"the {vendor} query", costs, fence)
    if address_has_open_password(connection):
        raise OptionError("the password in the address has a /, ? or #", "write %2F, %3F or %23 in its place")
    costs, fence = _costs_of("PostgreSQL")
    return AdbcDatabase(lambda: _postgresql(connection), query, parameters, "the PostgreSQL query", costs, fence)


def refuse_no_query(query: str) -> None:
    """Refuse the name of a table in the place of a query, and what no driver can be given."""
    if not query.isprintable() and any("\ud800" <= letter <= "\udfff" for letter in query):
        raise OptionError(f"the query {shown(query)} has half a character (a lone surrogate)", "write it whole")
    if _BARE_NAME.fullmatch(query.strip()):
        raise OptionError(f"the query {shown(query.strip())} is a name", f"write SELECT * FROM {query.strip()}")


def address_has_open_password(address: str) -> bool:
    """Whether a sign in a password would end the host: the driver would take parts of it for names, and say them.

    >>> address_has_open_password("postgresql://me:pa/ss@host"), address_has_open_password("postgresql://me:pa%2Fss@host")
    (True, False)
    """
    return _UNQUOTED.search(address) is not None


def _costs_of(vendor: str) -> tuple[Costs | None, str]:
    """PostgreSQL returns at most 1,664 columns, and a subquery with an OFFSET is computed once."""
    return (Costs(sum=25, row=1000, cell=150, most_sums=1600), " OFFSET 0") if vendor == "PostgreSQL" else (None, "")


@contextmanager
def _postgresql(address: str) -> Iterator[Any]:
    """A connection that may only read, sees one state of the database, and scans tables from their beginning."""
    dbapi = _module("adbc_driver_postgresql.dbapi")
    with dbapi.connect(address) as connection:
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SET LOCAL synchronize_seqscans = off")
            cursor.execute("SET LOCAL jit = off")  # compiling hundreds of sums takes longer than they do
        try:
            yield connection
        finally:
            connection.rollback()


def _module(name: str) -> Any:
    from importlib import import_module

    try:
        with importing:
            return import_module(name)
    except ImportError as error:
        package = name.split(".")[0].replace("_", "-")
        raise DatabaseError(f"{package} is not installed", f"pip install {package}") from error


# --- errors ---------------------------------------------------------------------------------------------


def hide_passwords(text: str) -> str:
    """A text with the passwords of addresses in it made unreadable.

    >>> hide_passwords("postgresql://me:secret@host/db")
    'postgresql://me:***@host/db'
    """
    return _PASSWORD.sub(lambda found: (found["name"] or "") + "***", _IN_ADDRESS.sub(r"\1***", text))


@contextmanager
def plain_errors(name: str) -> Iterator[None]:
    """What a driver complains of, on one line and without passwords."""
    try:
        yield
    except TableError:
        raise
    except Exception as error:
        driver = type(error).__module__.split(".")[0].lstrip("_").startswith(("duckdb", "adbc", "sqlite3", "pyarrow"))
        if not driver and not isinstance(error, OSError):
            raise
        _refuse(name, error)


def _refuse(name: str, error: Exception) -> NoReturn:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = hide_passwords(lines[0] if lines else type(error).__name__)
    kind = OutOfRange if "out of range" in said.lower() else DatabaseError
    raise kind(f"{name} failed: {said}", "check the query and the connection") from None
