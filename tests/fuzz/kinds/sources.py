"""Rows of files, batches and queries, sound and unsound: the model that the same rows in memory give, or a refusal."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
from scipy import sparse
from sklearn.base import clone

import discriminant as d
from discriminant import rows
from tests.fuzz.judging import REFUSALS, require, require_among, require_finite
from tests.fuzz.kinds.arrow_files import damaged

_LEARNERS = (
    d.LinearDiscriminantAnalysis(),
    d.LinearDiscriminantAnalysis(shrinkage="auto"),
    d.FisherDiscriminant(),
    d.FisherDiscriminant(threshold="accuracy"),
    d.LeastSquaresClassifier(alpha=0.5),
    d.NaiveBayes(),
    d.LogisticRegression(alpha=1.0),
    d.LinearSVM(),
    d.Perceptron(max_iter=5, random_state=0),
)
_PLAIN_NAMES = ("a", "b b", "é", "Select", "c-1", "d.e", "x--", "f'g")
_ODD_NAMES = (
    "x;--",
    '"',
    "",
    " ",
    "a",
    "A",
    "1",
    "rowid",
    "discriminant_rows",
    "label",
    "w",
    "x0",
    "\x00",
    "#",
    "a,b",
    "\n",
)
_ODD_CELLS = (float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 5e-324, 1e200, 2.0**53)
_QUERIES = (
    "SELECT * FROM {} LIMIT 5", "SELECT * FROM {} WHERE 1 = 0", "SELECT * FROM {} --", "SELECT * FROM {};", "",
    "SELECT * FROM {} ORDER BY random()", "SELECT * FROM {0} UNION ALL SELECT * FROM {0}", "SELECT 1", "DROP TABLE {}",
    "SELECT * FROM {0}; DROP TABLE {0}", "SELECT *) AS x; DELETE FROM {}; --", "SELECT a.*, b.* FROM {0} a, {0} b",
    "PRAGMA database_list", "ATTACH 'other' AS o", "COPY {} TO 'stolen.csv'", "SELECT * FROM {} /*", "\x00", "SELECT ?",
    "WITH discriminant_rows AS (SELECT * FROM {}) SELECT * FROM discriminant_rows", "VALUES (1, 2)", "\udcff",
)  # fmt: skip
_TOLERANCE = 1e-8


@dataclass(frozen=True)
class _Table:
    """Rows in parts. The target stands last among the columns, behind the weights where there are any."""

    X: Any
    y: Any
    weight: Any
    cuts: tuple[int, ...]
    names: tuple[str, ...]

    @property
    def parts(self) -> Iterator["_Table"]:
        for a, b in zip((0, *self.cuts), (*self.cuts, len(self.y)), strict=True):
            yield replace(
                self, X=self.X[a:b], y=self.y[a:b], weight=None if self.weight is None else self.weight[a:b], cuts=()
            )

    @property
    def options(self) -> dict[str, Any]:
        return {"target": self.names[-1], **({} if self.weight is None else {"weight": self.names[-2]})}

    @property
    def columns(self) -> list[Any]:
        return [*self.X.T, *(() if self.weight is None else (self.weight,)), self.y]

    @property
    def arrow(self) -> pa.Table:
        return pa.Table.from_arrays([pa.array(cells) for cells in self.columns], names=list(self.names))


def attempt(random: Random, folder: Path) -> None:
    table = _table(random)
    if random.random() < 0.15:
        table = replace(table, X=_with_odd_cell(random, table.X))
    learner = clone(random.choice(_LEARNERS))
    random.choice((_of_files, _of_files, _of_sparse_files, _of_batches, _of_duckdb, _of_sqlite))(
        random, folder, table, learner
    )


# --- laws -----------------------------------------------------------------------------------------------


def _require_same(table: _Table, learner: Any, found: Any, may_refuse: bool = False) -> None:
    """The model of a source is the model of the same rows in memory; what memory refuses, no source answers."""
    wanted = _fitted(lambda: clone(learner).fit(table.X, table.y, **_weights(table)))
    if isinstance(wanted, Exception) or isinstance(found, Exception):
        require(may_refuse or isinstance(found, Exception), "answers what memory refuses", (learner, wanted))
        told = (learner, found)
        require(
            may_refuse or isinstance(wanted, Exception), f"refuses what memory answers: {type(found).__name__}", told
        )
        return
    require(_difference(table.X, wanted, found) <= _TOLERANCE, "another model than of memory", (learner, table))


def _difference(X: Any, wanted: Any, found: Any) -> float:
    """Of scores, relative to the largest."""
    if list(map(_named, wanted.classes_)) != list(map(_named, found.classes_)):
        return float("inf")
    scores, own = wanted.decision_function(X), found.decision_function(X)
    return float(np.abs(scores - own).max() / max(np.abs(scores).max(), 1e-300))


def _named(label: Any) -> str:
    """Text files do not say whether 1 is a fraction."""
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _require_lawful(model: Any, X: Any) -> None:
    """For rows that nobody else can tell."""
    if not isinstance(model, Exception):
        X = X[:, : model.n_features_in_]
        if X.shape[1] == model.n_features_in_ and np.isfinite(X).all():
            require_among(model.predict(X), model.classes_)
            require_finite(model.coef_, "weights")


def _fitted(fit: Callable[[], Any]) -> Any:
    """A model, or the refusal."""
    try:
        return fit()
    except REFUSALS as error:
        require("\n" not in str(error), "a refusal in several lines", error)
        return error


def _weights(table: _Table) -> dict[str, Any]:
    return {} if table.weight is None else {"sample_weight": table.weight}


# --- tables ---------------------------------------------------------------------------------------------


def _table(random: Random) -> _Table:
    rng = np.random.default_rng(random.getrandbits(64))
    n, width, K = random.choice((16, 40, 200)), random.randrange(1, 4), random.choice((1, 2, 2, 2, 3))
    codes = rng.integers(0, K, n)
    X = rng.normal(size=(n, width)) + codes[:, None]
    X = np.stack([_column(random, x) for x in X.T], axis=1)
    if random.random() < 0.3:
        codes.sort()  # so that some parts have one class alone
    kinds = (
        np.array([0, 1, 2]),
        np.array(["no", "yes", "perhaps"]),
        np.array(["01", "1", "x"]),
        np.array([-1.0, 1, 2.5]),
    )
    y = random.choice(kinds)[codes]
    weight = None if random.random() < 0.6 else rng.integers(0, 3, n) * random.choice((1.0, 0.3, 1e-9))
    cuts = tuple(sorted(random.choice((0, n, random.randrange(n + 1))) for _ in range(random.randrange(5))))
    if weight is not None and cuts and random.random() < 0.3:
        weight[: cuts[-1]] = 0.0
    pool = _PLAIN_NAMES if random.random() < 0.85 else _ODD_NAMES
    names = random.sample(pool, width + (weight is not None) + 1)
    return _Table(X, y, weight, cuts, tuple(names))


def _column(random: Random, x: Any) -> Any:
    return random.choice((x, x, x * 1e-5, x * 1e5 + 1e6, np.round(x), (x > 0) * 1.0, np.where(x > 0, x, 0.0)))


def _with_odd_cell(random: Random, X: Any) -> Any:
    X = X.copy()
    X[random.randrange(len(X)), random.randrange(X.shape[1])] = random.choice(_ODD_CELLS)
    return X


# --- files ----------------------------------------------------------------------------------------------


def _of_files(random: Random, folder: Path, table: _Table, learner: Any) -> None:
    suffix = random.choice(("parquet", "feather", "arrow", "csv", "csv.gz"))
    paths = [folder / f"{k}.{suffix}" for k, _ in enumerate(table.parts)]
    for path, part in zip(paths, table.parts, strict=True):
        _write(random, path, _other_order(random, part.arrow))
    harm = random.choice((None, None, "bytes", "schema", "changed", "removed"))
    if harm == "bytes":
        _damage(random, random.choice(paths))
    if harm == "schema":
        _write(random, random.choice(paths), _other_schema(random, table.arrow.slice(0, 5)))
    spool = random.choice((True, "auto", "auto", False, str(folder)))
    engine = random.choice((None, rows.ThreadEngine(1), rows.ThreadEngine(3)))
    opened = _fitted(
        lambda: rows.open(
            paths, columns=list(table.names[: table.X.shape[1]]), spool=spool, engine=engine, **table.options
        )
    )
    if isinstance(opened, Exception):
        found = opened
    else:
        if harm in ("changed", "removed"):
            _change(random, random.choice(paths), table, harm)
        found = _fitted(lambda: clone(learner).fit(opened))
    if harm in ("bytes", "schema"):
        return _require_lawful(found, table.X)
    odd = harm is not None or not set(table.names) <= set(_PLAIN_NAMES) or not table.y.size
    odd = odd or not np.isfinite(table.X).all()  # in rows without weight memory does not look at them
    return _require_same(table, learner, found, may_refuse=odd or (spool is False and _goes_back(found)))


def _goes_back(found: Any) -> bool:
    return isinstance(found, rows.NeedsRowsInMemory)


def _other_order(random: Random, table: pa.Table) -> pa.Table:
    """Files may have their columns in any order."""
    names = table.column_names
    if random.random() < 0.8 or len(set(names)) < len(names):
        return table
    return table.select(random.sample(names, len(names)))


def _write(random: Random, path: Path, table: pa.Table) -> None:
    if table.num_rows == 0 and random.random() < 0.5:
        path.write_bytes(b"")
    elif path.suffix == ".parquet":
        pa.parquet.write_table(
            table, path, row_group_size=random.choice((1, 7, 1000)), version=random.choice(("1.0", "2.6"))
        )
    elif path.suffix == ".feather":
        pa.feather.write_feather(
            table, str(path), chunksize=random.choice((1, 7, 1000)), compression=random.choice((None, "zstd"))
        )
    elif path.suffix == ".arrow":
        with pa.ipc.new_stream(str(path), table.schema) as writer:
            writer.write_table(table, max_chunksize=random.choice((1, 7, 1000)))
    else:
        options = pa.csv.WriteOptions(include_header=True)
        with pa.output_stream(str(path)) as out:  # compressed where the name says so
            pa.csv.write_csv(table, out, options)


def _damage(random: Random, path: Path) -> None:
    data = path.read_bytes()
    if len(data) > 4:
        path.write_bytes(damaged(random, data))


def _other_schema(random: Random, table: pa.Table) -> pa.Table:
    """A column more or less, of another type, or of another name."""
    j = random.randrange(table.num_columns)
    field, cells = table.schema.field(j), table.column(j)
    match random.randrange(5):
        case 0:
            return table.remove_column(j)
        case 1:
            return table.append_column(random.choice(("more", field.name)), cells)
        case 2:
            return table.rename_columns([name + ("" if k != j else "?") for k, name in enumerate(table.column_names)])
        case 3:
            return table.set_column(j, field.name, pa.array(["text", "1", None, "1e5", ""][: table.num_rows]))
        case _:
            return table.set_column(j, field.name, pa.nulls(table.num_rows))


def _change(random: Random, path: Path, table: _Table, harm: str) -> None:
    """What another process may do between two passes."""
    if harm == "removed":
        path.unlink()
    elif random.random() < 0.5:
        _write(random, path, table.arrow.slice(0, 3))
    else:
        with path.open("ab") as file:
            file.write(b"1" * random.choice((1, 9)))


def _of_sparse_files(random: Random, folder: Path, table: _Table, learner: Any) -> None:
    X = np.nan_to_num(table.X, posinf=1e5, neginf=-1e5)
    width = max((int(j) + 1 for j in np.flatnonzero(X.any(axis=0))), default=0)
    codes = np.unique(table.y, return_inverse=True)[1]
    table = replace(table, X=X, y=codes, weight=None)
    zero_based = random.random() < 0.3 and bool(X[:, 0].any())
    paths = []
    for k, part in enumerate(part for part in table.parts if len(part.y)):
        paths.append(folder / f"{k}.svm")
        paths[-1].write_text(_svmlight(part, first=1 - zero_based))
    harm = random.random() < 0.25
    if harm:
        _damage(random, random.choice(paths))
    found = _fitted(lambda: clone(learner).fit(rows.open(paths)))
    if harm or width < X.shape[1]:
        return _require_lawful(found, X)
    return _require_same(replace(table, X=sparse.csr_array(X)), learner, found)


def _svmlight(part: _Table, first: int) -> str:
    """Every digit of the numbers that are not zero."""
    lines = []
    for row, label in zip(part.X.tolist(), part.y.tolist(), strict=True):
        lines.append(" ".join([str(label), *(f"{j + first}:{x!r}" for j, x in enumerate(row) if x)]) + "\n")
    return "".join(lines)


# --- batches --------------------------------------------------------------------------------------------


def _of_batches(random: Random, folder: Path, table: _Table, learner: Any) -> None:
    form = random.choice((np.asarray, np.asfortranarray, sparse.csr_array, np.ndarray.tolist))
    batches = [(form(part.X), part.y, part.weight) for part in table.parts if len(part.y) or random.random() < 0.5]
    harm = random.choice((None, None, "width", "length", "changed"))
    at = random.randrange(len(batches)) if batches else 0
    if batches and harm == "width":
        batches[at] = (table.X[:, :-1], table.y, table.weight)
    elif batches and harm == "length":
        batches[at] = (table.X[1:], table.y, table.weight)
    passes = iter(range(10**6))

    def read() -> Sequence[Any]:
        return batches[: -1 - random.randrange(2)] if harm == "changed" and next(passes) > 1 else batches

    made = _fitted(lambda: rows.from_batches(read if harm == "changed" or random.random() < 0.5 else batches))
    found = made if isinstance(made, Exception) else _fitted(lambda: clone(learner).fit(made))
    if harm in ("width", "length"):
        return _require_lawful(found, table.X)
    return _require_same(table, learner, found, may_refuse=harm == "changed")


# --- queries --------------------------------------------------------------------------------------------


def _of_duckdb(random: Random, folder: Path, table: _Table, learner: Any) -> None:
    import duckdb

    name = _quoted(random.choice((*_PLAIN_NAMES, "t", "t", "discriminant_rows")))
    with closing(duckdb.connect()) as connection:
        connection.execute("SET enable_external_access = false")
        connection.register("given", _fitted(lambda: table.arrow))
        try:
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
        except duckdb.Error:
            return  # names that the database does not take
        connection.unregister("given")
        pushdown = random.choice(("auto", True, False))
        opened = partial(rows.from_duckdb, connection=connection, pushdown=pushdown)
        _ask(random, table, learner, name, opened)
        left = connection.execute(f"SELECT count(*) FROM {name}").fetchone()
    require(left == (len(table.y),), "a table that a query changed", left)


def _of_sqlite(random: Random, folder: Path, table: _Table, learner: Any) -> None:
    path = folder / random.choice(("t.sqlite", "a b.db", "é", "x?mode=rwc", "a%20b.db", "#"))
    name = _quoted(random.choice((*_PLAIN_NAMES, "t", "t", "discriminant_rows")))
    marks = ", ".join("?" * len(table.names))
    with closing(sqlite3.connect(path)) as connection:
        try:
            connection.execute(f"CREATE TABLE {name} ({', '.join(map(_quoted, table.names))})")
        except (sqlite3.Error, ValueError):
            return  # names that the database does not take
        cells = zip(*(column.tolist() for column in table.columns), strict=True)
        connection.executemany(f"INSERT INTO {name} VALUES ({marks})", cells)
        connection.commit()
    before = path.read_bytes()
    _ask(random, table, learner, name, partial(rows.from_sql, f"sqlite:{path}"))
    require(path.read_bytes() == before, "a database that was written to")
    require([entry.name for entry in folder.iterdir()] == [path.name], "files beside the database")


def _ask(random: Random, table: _Table, learner: Any, name: str, opened: Callable[..., Any]) -> None:
    """The rows of a plain query, or of one that is none."""
    features = list(table.names[: table.X.shape[1]])
    if random.random() < 0.3:
        query = random.choice(_QUERIES).format(name)
        options = table.options if random.random() < 0.5 else {"target": random.choice((*table.names, "1", "nothing"))}
        return _require_lawful(_fitted(lambda: clone(learner).fit(opened(query, **options))), table.X)
    query = f"SELECT * FROM {name}"
    found = _fitted(lambda: clone(learner).fit(opened(query, columns=features, **table.options)))
    plain = set(table.names) <= set(_PLAIN_NAMES)
    return _require_same(table, learner, found, may_refuse=not plain or "pushdown=True" in str(found))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
