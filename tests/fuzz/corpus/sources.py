"""Sources of rows that gave another model than memory, or were left in a bad state."""

from contextlib import closing
from pathlib import Path

import numpy as np

from discriminant import LinearDiscriminantAnalysis, NaiveBayes, rows
from tests.fuzz.judging import require

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
