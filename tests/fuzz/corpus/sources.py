"""Sources of rows that gave another model than memory, or were left in a bad state."""

from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from discriminant import LinearDiscriminantAnalysis, NaiveBayes, rows
from tests.fuzz.judging import REFUSALS, require

_MORE_THAN_IS_READ_AHEAD = 5 << 19


def batch_without_weight(folder: Path) -> None:
    X, y = np.arange(12.0)[:, None] % 5, np.arange(12) % 2
    weight = np.repeat([1.0, 0.0, 2.0], 4)
    batches = [(X[part], y[part], weight[part]) for part in (slice(0, 4), slice(4, 8), slice(8, 12))]
    wanted, found = NaiveBayes().fit(X, y, weight), NaiveBayes().fit(rows.from_batches(batches))
    require(np.allclose(wanted.coef_, found.coef_, rtol=1e-9), "another model than of memory", found.coef_)
    require(
        rows.from_batches(batches).collect().numbers.tolist() == [0, 1, 2, 3, 8, 9, 10, 11], "other numbers of rows"
    )


def refused_rows_of_a_query(folder: Path) -> None:
    """The connection can be asked again while the refusal is kept, as a notebook keeps it."""
    import duckdb

    cells = "CASE i WHEN 5 THEN 'inf'::double ELSE i % 7 END AS x, 1.0 * (i % 3) AS z, i % 2 AS y"
    query = f"SELECT {cells} FROM range({_MORE_THAN_IS_READ_AHEAD}) AS r(i)"
    with closing(duckdb.connect()) as connection:
        kept = []
        for learner in (LinearDiscriminantAnalysis(), NaiveBayes()) * 2:
            try:
                learner.fit(rows.from_duckdb(query, target="y", connection=connection, pushdown=False))
            except ValueError as error:
                kept.append(error)
            connection.execute("SELECT 1").fetchall()
        require([str(error).startswith("Input X contains infinity") for error in kept] == [True] * 4, "others", kept)


def sparse_rows_of_zeros(folder: Path) -> None:
    """Lines of labels alone, in the first file or a later one."""
    empty, full = folder / "0.svm", folder / "1.svm"
    empty.write_text("1\n0\n0\n")
    full.write_text("1 1:2 2:-1\n0 1:-3.5\n1 2:4\n")
    for paths in ([empty, full], [full, empty]):
        try:
            found = rows.open(paths)
        except REFUSALS as error:
            return require(False, "files that were not read", error)
        require(found.schema.n_rows == 6 and found.schema.n_columns == 2, "other rows than written", found.schema)
        LinearDiscriminantAnalysis().fit(found)
    return None


def query_with_half_a_character(folder: Path) -> None:
    for opened in (rows.from_duckdb, partial(rows.from_sql, f"sqlite:{folder / 'no.db'}")):
        for query in ("\udcff", "SELECT '\ud800' AS y"):
            try:
                opened(query, target="y")
            except REFUSALS as error:
                require("surrogate" in str(error) and "\n" not in str(error), "other words", error)
            else:
                require(False, "a query that no database can be asked", query)


def classes_that_differ_by_a_nul_at_their_end(folder: Path) -> None:
    pq.write_table(pa.table({"x": np.arange(8.0), "y": ["a", "a\0"] * 4}), folder / "t.parquet")
    try:
        rows.open(folder / "t.parquet", target="y").collect()
    except ValueError as error:
        require("NUL" in str(error), "other words", error)
    else:
        require(False, "two classes of one name")
