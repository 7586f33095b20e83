"""Rows of a database: `from_duckdb`, `from_sql`.

Rows come in Arrow batches, a few at a time, and the query is asked again for every pass. SQL promises no order of rows
unless the query has one; samples and folds then go by the column named by ``id``. Class moments of few columns are left
to the database where that takes it less time than handing over the rows (`sql_sums`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discriminant.rows.databases import Costs, Database, OutOfRange, adbc_database, duck_database
from discriminant.rows.memory import ArrayRows
from discriminant.rows.parts import Part, PartRows
from discriminant.rows.protocol import ClassProducts, Schema
from discriminant.rows.sql_sums import ProductSums, quoted
from discriminant.rows.sqlite import SqliteDatabase, sqlite_path
from discriminant.rows.table_blocks import Origin, RowColumns, choose_columns, learn_encoding, plain_cells_of
from discriminant.table.encoding import Encoding
from discriminant.table.errors import OptionError

_BATCH_NUMBERS = 1 << 20


@dataclass(frozen=True)
class QueryPart(Part):
    """All rows of a query: it cannot be divided, since no order is promised."""

    database: Database
    columns: RowColumns
    expressions: tuple[str, ...]
    first_row: int | None = 0
    n_bytes: int = 0

    def blocks(self) -> Iterator[ArrayRows]:
        """The rows as the database hands them over."""
        first = 0
        for batch in self._batches():
            origin = Origin(self.database.name, range(first + 1, first + batch.num_rows + 1))
            yield self.columns.block_of(plain_cells_of(batch, self.columns.encoded), origin, first)
            first += batch.num_rows

    def learn_encoding(self) -> Encoding:
        """How texts, dates and blanks of the features become numbers, from one pass over them."""
        return learn_encoding(self._batches(), self.columns.features, self.database.name)

    def _batches(self) -> Iterator[Any]:
        """The columns that are needed, some rows at a time."""
        named = zip(self.expressions, self.columns.needed, strict=True)
        select = f"SELECT {', '.join(f'{x} AS {quoted(n)}' for x, n in named)} FROM {self.database.source}"
        with self.database.batches(select, max(_BATCH_NUMBERS // max(len(self.expressions), 1), 1)) as reader:
            yield from (batch for batch in reader if batch.num_rows)


class QueryRows(PartRows):
    """Rows of a query, which may leave sums to its database."""

    def __init__(self, part: QueryPart, sums: ProductSums | None, pushdown: Any, spool: bool | str) -> None:
        schema = Schema(len(part.columns.names), part.columns.names)
        super().__init__([part], schema, name=part.database.name, spool=spool)
        self._database = part.database
        self._sums = sums
        self._pushdown = pushdown
        if pushdown is True and sums is None:
            raise OptionError(
                f"pushdown=True: {self.name} has columns that are no numbers, or its database is not known to sum "
                "(DuckDB and PostgreSQL are)",
                "name columns= of numbers, or leave pushdown at 'auto'",
            )

    def class_products(self, full: bool, by_class: bool = False) -> ClassProducts | None:
        """The sums as the database makes them; None where reading the rows is cheaper or names what is wrong."""
        sums = self._sums
        if sums is None or not self._wants_sums(sums, full):
            return None
        try:
            origin = None if by_class else self._pilot(sums)
            answer = None if origin is None and not by_class else self._answer(sums.query(origin, full))
        except OutOfRange:  # a product overflows or underflows, which reading the rows survives or explains
            return None
        if answer is None or not answer.num_rows or answer.column(0).null_count:
            return None
        labels = RowColumns((), "label").block_of(answer, Origin(self.name, range(answer.num_rows)), 0)
        answer = answer.take(np.argsort(labels.codes))
        products = sums.products(answer, labels.classes, origin, full)
        if products is not None:
            self.passes += 1
            self.check.compare(products.n_rows)
        return products

    def _wants_sums(self, sums: ProductSums, full: bool) -> bool:
        costs = self._database.costs
        if costs is None or self._pushdown is False:
            return False
        n_sums = sums.n_sums(full) + 2 * sums.n_columns + 5  # with origins and checks
        if self._pushdown is True and n_sums > costs.most_sums:
            raise OptionError(
                f"pushdown=True: {sums.n_columns} columns need {n_sums} sums, and {self.name} returns at most "
                f"{costs.most_sums}",
                "leave pushdown at 'auto', or take fewer columns",
            )
        return self._pushdown is True or _pays(costs, sums, full)

    def _pilot(self, sums: ProductSums) -> list[float] | None:
        """Means of some rows; None where these have none."""
        table = self._answer(sums.pilot_query())
        means = [column[0].as_py() for column in table.columns]
        return means if all(m is not None and np.isfinite(m) for m in means) else None

    def _answer(self, select: str) -> Any:
        with self._database.batches(select, 1 << 16) as reader:
            return reader.read_all()


def _pays(costs: Costs, sums: ProductSums, full: bool) -> bool:
    """Whether adding up takes the database less time than handing over the rows."""
    return costs.sum * sums.n_sums(full) <= costs.row + costs.cell * sums.n_columns


def from_duckdb(
    query: Any,
    *,
    target: str,
    connection: Any = None,
    database: Any = None,
    parameters: Any = None,
    columns: Any = None,
    weight: str | None = None,
    id: str | None = None,
    encoding: Any = None,
    pushdown: Any = "auto",
    spool: bool | str = "auto",
) -> QueryRows:
    """Rows of a relation of DuckDB, or of a SELECT.

    Parameters
    ----------
    query : relation or str
        A relation such as ``con.sql("…")`` or ``con.table("t")``, or the text of one SELECT.
    target : str
        The column of classes.
    connection : DuckDB connection or None
        For a text: where to ask; None takes the default connection of ``duckdb``.
    database : path or None
        For a text: a database file, opened read-only.
    parameters : sequence, mapping or None
        Values for the ``?`` or ``$name`` of a text; values are bound, never pasted into the text.
    columns : sequence of str or None
        The features; None takes all but the target, the weight and the id.
    weight, id : str or None
        Columns of weights, and of row ids (integers or texts) that samples and folds go by. Without ids they go by the
        order of the rows, which SQL leaves to the database unless the query has an ORDER BY.
    encoding : Encoding, "auto" or None
        How texts, dates and blanks become numbers; "auto" learns it in a pass of its own, None refuses them.
    pushdown : "auto", True or False
        Whether the sums of LDA, Fisher's discriminant, least squares and Gaussian naive Bayes are made by the database.
    spool : {"auto", True, False} or folder
        Where rows are written for learners that go back to single rows, as for `open`.

    Returns
    -------
    QueryRows
        A source for ``fit``; every pass asks the query again.

    Examples
    --------
    >>> import duckdb, pyarrow
    >>> from discriminant import LinearDiscriminantAnalysis, rows
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE t AS SELECT i % 2 AS y, 3.0 * (i % 2) + sin(i) AS x FROM range(100) AS r(i)")
    >>> source = rows.from_duckdb(con.table("t"), target="y")
    >>> LinearDiscriminantAnalysis().fit(source).predict(pyarrow.table({"x": [0.0, 3.0]})).tolist()
    [0, 1]
    """
    found = duck_database(query, connection, database, parameters)
    return _rows_of(found, target, columns, weight, id, encoding, pushdown, spool)


def from_sql(
    connection: Any,
    query: str,
    *,
    target: str,
    parameters: Any = None,
    columns: Any = None,
    weight: str | None = None,
    id: str | None = None,
    encoding: Any = None,
    pushdown: Any = "auto",
    spool: bool | str = "auto",
) -> QueryRows:
    """Rows of a query to PostgreSQL, SQLite or any database that has an ADBC driver.

    Parameters
    ----------
    connection : ADBC connection or str
        A connection of the user's, or an address: ``postgresql://host/name``, ``postgresql://?service=name``,
        ``sqlite:path``. Passwords belong into ``PGPASSWORD``, ``~/.pgpass`` or the service file. An address is opened
        anew for every pass, read-only.
    query : str
        One SELECT.
    target : str
        The column of classes.
    parameters : sequence or None
        Values for the ``$1``, ``$2``, … (``?`` in SQLite) of the query; values are bound, never pasted into the text.
    columns, weight, id, encoding, pushdown, spool
        As for `from_duckdb`.

    Returns
    -------
    QueryRows
        A source for ``fit``; every pass asks the query again.

    Examples
    --------
    >>> from discriminant import LinearDiscriminantAnalysis, rows
    >>> rows.from_sql("postgresql://?service=bank", "SELECT * FROM loans", target="paid")  # doctest: +SKIP
    """
    lite = sqlite_path(connection) if isinstance(connection, str) else None
    found = adbc_database(connection, query, parameters) if lite is None else SqliteDatabase(lite, query, parameters)
    return _rows_of(found, target, columns, weight, id, encoding, pushdown, spool)


def _rows_of(
    database: Database,
    target: str,
    columns: Any,
    weight: str | None,
    id: str | None,
    encoding: Any,
    pushdown: Any,
    spool: bool | str,
) -> QueryRows:
    if not isinstance(pushdown, bool) and pushdown != "auto":
        raise OptionError(f"pushdown={pushdown!r} is not known", "choose 'auto', True or False")
    with database.batches(f"SELECT * FROM {database.source} LIMIT 0", 1) as reader:
        schema = reader.schema
    chosen = choose_columns(schema.names, database.name, target, columns, weight, id)

    def part_of(chosen: RowColumns) -> QueryPart:
        expressions = (_expression(schema.field(n), "int8" if n == id else "float8") for n in chosen.needed)
        return QueryPart(database, chosen, tuple(expressions))

    chosen = replace(chosen, encoding=part_of(chosen).learn_encoding() if encoding == "auto" else encoding)
    return QueryRows(part_of(chosen), _product_sums(database, chosen, schema), pushdown, spool)


def _expression(column: Any, number: str) -> str:
    """A column as it is read: numbers of any number of digits are made floats by the database."""
    return f"CAST({quoted(column.name)} AS {number})" if _is_decimal(column.type) else quoted(column.name)


def _is_decimal(kind: Any) -> bool:
    import pyarrow as pa

    return pa.types.is_decimal(kind) or getattr(kind, "type_name", "") == "numeric"


def _product_sums(database: Database, columns: RowColumns, schema: Any) -> ProductSums | None:
    """The statements of sums, where the database can sum and all columns are numbers or flags."""
    import pyarrow as pa

    def number(name: str) -> str | None:
        kind = schema.field(name).type
        if pa.types.is_boolean(kind):
            return f"CAST(CAST({quoted(name)} AS integer) AS float8)"
        countable = pa.types.is_integer(kind) or pa.types.is_floating(kind) or _is_decimal(kind)
        return f"CAST({quoted(name)} AS float8)" if countable else None

    features = [number(name) for name in columns.features]
    weight = None if columns.weight is None else number(columns.weight)
    unusable = None in features or (columns.weight is not None and weight is None)
    if database.costs is None or columns.encoding is not None or unusable:
        return None
    whole = tuple(j for j, name in enumerate(columns.features) if _wide_integer(schema.field(name).type))
    label = _expression(schema.field(columns.target), "float8")
    named = [f"{label} AS label", *([f"{weight} AS w"] if weight else [])]
    named += [f"{x} AS x{j}" for j, x in enumerate(features)]
    rows = f"SELECT {', '.join(named)} FROM {database.source}"
    return ProductSums(rows, len(features), weight is not None, whole, database.fence)


def _wide_integer(kind: Any) -> bool:
    import pyarrow as pa

    return pa.types.is_integer(kind) and bool(kind.bit_width == 64)


__all__ = ["QueryRows", "from_duckdb", "from_sql"]
