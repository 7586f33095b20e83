"""Random options and values of every command, in this process, beside sound and unsound files."""

import json
import shutil
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import typer.main

from discriminant.cli.main import app
from tests.fuzz.judging import require
from tests.fuzz.kinds import commands

_FILES = (
    "rows.csv", "rows.csv", "rows.csv", "few.csv", "three.csv", "rows.tsv", "rows.parquet", "rows.svm", "odd.csv",
    "empty.csv",
    "model", "model/model.json", "model/run.json", "three/model.json", "sparse/model.json", "gain.csv", "gain.toml",
    "bytes", "no-such-file",
    "*.csv", "-", "", ".", "/dev/null", "a" * 300, "loop", "bad\x00name", "\udcff", "dir", "rows.csv/x",
)  # fmt: skip
_MODELS = ("model", "model/model.json", "three/model.json", "sparse/model.json", "model", *_FILES)
_OUTPUTS = (
    "out", "out.csv", "out.parquet", "out.arrow", "out.tsv", "out.json", "-", "", ".", "dir", "no/such/out.csv",
    "rows.csv", "/dev/null", "/dev/full", "a" * 300, "parts/", "dir/", "model/", "rows.sqlite",
)  # fmt: skip
_COLUMNS = (
    "y",
    "x1",
    "x2",
    "colour",
    "day",
    "w",
    "y,x1",
    '"x1","x2"',
    "all",
    "no such column",
    "",
    ",",
    '"',
    "\x00",
    "é",
)
_NUMBERS = (
    "0",
    "1",
    "2",
    "3",
    "0.5",
    "-1",
    "1e308",
    "1e-320",
    "inf",
    "nan",
    "99999999999999999999",
    "x",
    "",
    "0x1",
    "½",
    "1_0",
)
_GAINS = (
    "1,0;0,1", "2,-3;-4,4", "tp=50,fp=-4,fn=-20", "tp=1,fn=-x1", "tp=1,unit=EUR", "1,0", "a,b;c,d", "1e400,0;0,1",
    "nan,0;0,1", "tp=",
    "tp=1,tp=2", "zz=1", "1,0,0;0,1,0;0,0,1", "1,0,0.5;0,1,0.5", "", ";", "gain.csv", "gain.toml", "fn=-no such",
    "1;" * 5000,
)  # fmt: skip
_PRIORS = (
    "0.9,0.1",
    "yes=0.1,no=0.9",
    "yes=0.1",
    "1,1",
    "0,1",
    "nan,1",
    "a=1",
    "yes=0.5,yes=0.5",
    "",
    "=",
    "1e308,1e308",
)
_LEARNERS = (
    "least-squares",
    "lda",
    "fisher",
    "naive-bayes",
    "closed-form",
    "lda,lda",
    "nobody",
    "",
    ",",
    "lda-shrinkage",
)
_QUERIES = (
    "SELECT * FROM 'rows.csv'", "SELECT * FROM rows", "SELECT * FROM 'rows.csv'", "SELECT * FROM rows", "SELECT 1", "",
    "SELECT", "DROP TABLE rows", "SELECT 1; SELECT 2", "SELECT 1 AS a, 2 AS a", "SELECT 1 AS a, 2 AS A", "\x00", "--",
    "COPY (SELECT 1) TO 'out.csv'", "SELECT * FROM rows WHERE 1 = 0", "SELECT *, 'x' AS \"a\"\"b\" FROM rows --",
    "SELECT 1) AS x; DROP TABLE rows; --", "SELECT * FROM 'no-such-file.csv'", "PRAGMA database_list", "\udcff",
    "SELECT x1, x2, y FROM rows UNION ALL SELECT NULL, 1e308, 'no' FROM rows", "SELECT error('password=secret')",
)  # fmt: skip
_DATABASES = (
    "rows.duckdb", "rows.sqlite", "rows.duckdb", "rows.sqlite", "sqlite:rows.sqlite", "duckdb:rows.duckdb", "rows.csv",
    "empty.csv", "no-such-file", "sqlite:no-such-file", "postgresql://me:secret@localhost:1/x", "postgres://me:se/cret@",
    "sqlite:", ":memory:", "", "dir", "bytes", "sqlite:rows.sqlite?mode=rwc", "postgresql://[", "loop", "\x00",
)  # fmt: skip
_SOURCES = ("data", "sql", "database", "delimiter")  # where rows come from

_VALUES: dict[str, tuple[str, ...]] = {
    "target": ("y", "y", "y", *_COLUMNS), "gain": _GAINS, "positive": ("yes", "no", "1", "", "nobody"),
    "learner": _LEARNERS,
    "cv": ("2", "3", *_NUMBERS), "weight": ("w", *_COLUMNS), "ignore": _COLUMNS, "keep": _COLUMNS, "hold": _COLUMNS,
    "out": _OUTPUTS,
    "forms": ("straight", "straight", "bent"), "held_out": _OUTPUTS, "test": _FILES, "seed": _NUMBERS,
    "delimiter": (",", ";", "tab", "", "ab", "\x00", "é", '"'),
    "on_error": ("stop", "skip", "run"), "classes": ("yes,no", "yes", "red,green", "", "a,b,c"), "above": _NUMBERS,
    "bins": ("2", "3", *_NUMBERS),
    "threshold": _NUMBERS, "priors": _PRIORS, "row": _NUMBERS, "to": ("python", "sql", "python", "sql", "java", ""),
    "dialect": ("sqlite", "duckdb", "postgresql", "bigquery", "oracle", ""),
    "table": ("t", "a.b", "a.b.c.d", "", '"', "x;--", "\x00"),
    "sql": _QUERIES, "database": _DATABASES,
    "memory": ("100MB", "101MB", "2GB", "1", "9" * 400 + "GB", "-1GB", "", "x"),
    "engine": (
        "dask://localhost:1", "spark://", "dask://:", "spark://\x00:1", f"dask://{'a' * 300}:80", "ray://x:1", "",
    ),
    "partition": ("1", "7", *_NUMBERS), "increasing": ("x1", *_COLUMNS), "decreasing": ("x2", "x1", *_COLUMNS),
    "group": ("w", *_COLUMNS), "time": ("day", "x1", *_COLUMNS), "gap": _NUMBERS,
    "dates": ("day-first", "month-first", "no", ""),
    "data": _FILES, "model": _MODELS, "run": ("model", *_FILES), "runs": ("model", "model/run.json", *_FILES),
}  # fmt: skip

_ODD_ARGUMENTS = ("--no-such-option", "extra", "--", "-x", "--json=1", "--out", "-h", "--version", "--debug=", "\udcff")


def attempt(random: Random, folder: Path) -> None:
    shutil.copytree(folder.parent / "files", folder, dirs_exist_ok=True, symlinks=True)
    arguments = _arguments(random)
    before = (folder / "rows.csv").read_bytes()
    result = commands.run(*arguments, stdin=random.choice((b"", before, b"\xff\x00")))
    if result.code == 0 and "--json" in arguments and not set(arguments) & set(_ODD_ARGUMENTS):
        require(_is_json(result.out), "standard output that is no JSON", (arguments, result.out[:200]))
    require("secret" not in result.err + result.out.decode(), "a password that is told", arguments)
    if arguments.count("rows.csv") > 1 - any("'rows.csv'" in argument for argument in arguments):
        require((folder / "rows.csv").read_bytes() == before, "an input that was written over", arguments)
    names = {path.name for path in folder.iterdir()}
    require(not any(".part" in name or name.startswith(".out-") for name in names), "what is left behind", arguments)


def _arguments(random: Random) -> list[str]:
    name = random.choice([name for name in _parameters() if name != "demo" or random.random() < 0.1])
    found = [name]
    parameters = _parameters()[name]
    if any(parameter.name == "sql" for parameter in parameters) and random.random() < 0.25:
        found += _query(random)
        parameters = [parameter for parameter in parameters if parameter.name not in _SOURCES]
    for parameter in parameters:
        found += _argument(random, parameter, needless=name == "demo")
    if random.random() < 0.05 or name == "demo":  # which is a long fit, unless it is refused
        found.insert(random.randrange(len(found) + 1), random.choice(_ODD_ARGUMENTS))
    return found


def _query(random: Random) -> list[str]:
    """Most often one that is sound, of the database that has its table."""
    sql, database = random.choice(_QUERIES), random.choice(_DATABASES)
    if random.random() < 0.6:
        sql, database = random.choice((("SELECT * FROM rows", "rows.sqlite"), ("SELECT * FROM rows", "rows.duckdb")))
    return ["--sql", sql, *([] if random.random() < 0.1 or "'rows.csv'" in sql else ["--database", database])]


def _argument(random: Random, parameter: Any, *, needless: bool) -> list[str]:
    values = _VALUES.get(parameter.name, _NUMBERS)
    ordinary = random.random() < 0.7
    if parameter.param_type_name == "argument":
        return [values[0] if ordinary else random.choice(values) for _ in range(_repeats(random, parameter))]
    if parameter.name == "debug" or parameter.name == "help":
        return []
    if parameter.is_flag:
        return [parameter.opts[0]] if random.random() < 0.25 else []
    usual = parameter.name in ("target", "to", "learner", "forms", "out") and not needless
    if random.random() >= (0.97 if usual else 0.08):
        return []
    return [random.choice(parameter.opts), values[0] if ordinary and usual else random.choice(values)]


def _repeats(random: Random, parameter: Any) -> int:
    several = parameter.nargs == -1
    few = 2 if parameter.name == "runs" else 1
    return random.choice((0, few + several)) if random.random() < 0.05 else few


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@cache
def _parameters() -> dict[str, list[Any]]:
    """Of every command, as the parser knows them."""
    return {name: command.params for name, command in typer.main.get_command(app).commands.items()}


# --- files ----------------------------------------------------------------------------------------------


def prepare(folder: Path) -> None:
    """A folder with tables, models and runs, beside that of the cases; the same for every case."""
    files, made = folder.parent / "files", folder.parent / "files-made"
    if files.exists():
        return
    made.mkdir()
    _write_tables(made)
    _fit(made, "rows.csv", "model")
    _fit(made, "three.csv", "three")
    _fit(made, "rows.svm", "sparse")
    (made / "dir").mkdir()
    (made / "loop").symlink_to("loop")
    made.rename(files)


def _fit(folder: Path, table: str, out: str) -> None:
    target = [] if table.endswith(".svm") else ["--target", "y"]
    options = ["--learner", "lda", "--forms", "straight", "-o", folder / out]
    result = commands.run("fit", folder / table, *target, *options)
    require(result.code == 0, "no model to begin with", result.err)


def _write_tables(folder: Path) -> None:
    import pyarrow.csv
    import pyarrow.parquet

    random = Random(0)
    header, rows = "x1,x2,colour,day,w,y", []
    for i in range(30):
        numbers = f"{random.gauss(i % 2, 1):.3f},{random.gauss(0, 5):.2f}"
        rows.append(
            f"{numbers},{random.choice(('red', 'blue'))},2020-01-{1 + i % 28:02},{1 + i % 3},{('no', 'yes')[i % 2]}"
        )
    text = "\n".join([header, *rows]) + "\n"
    (folder / "rows.csv").write_text(text)
    (folder / "rows.tsv").write_text(text.replace(",", "\t"))
    (folder / "few.csv").write_text("\n".join([header, *rows[:3]]))
    in_three = "\n".join([header, *(f"{row.rsplit(',', 1)[0]},{1 + i % 3}" for i, row in enumerate(rows))])
    (folder / "three.csv").write_text(in_three)
    (folder / "odd.csv").write_text(text.replace("red", "inf").replace("0.", "1e308", 4))
    (folder / "rows.svm").write_text("".join(f"{i % 2} 1:{i} 3:{random.gauss(0, 1):.2f}\n" for i in range(12)))
    _write_databases(folder)
    (folder / "empty.csv").write_bytes(b"")
    (folder / "bytes").write_bytes(bytes(range(256)) * 4)
    (folder / "gain.csv").write_text(",no,yes\nno,1,-2\nyes,-3,4\n")
    (folder / "gain.toml").write_text('unit = "EUR"\n[gain]\nno = {no = 1, yes = -2}\nyes = {no = -3, yes = 4}\n')
    pyarrow.parquet.write_table(pyarrow.csv.read_csv(folder / "rows.csv"), folder / "rows.parquet")


def _write_databases(folder: Path) -> None:
    import sqlite3

    import duckdb
    import pyarrow.csv

    table = pyarrow.csv.read_csv(folder / "rows.csv")
    with duckdb.connect(folder / "rows.duckdb") as duck:
        duck.register("given", table)
        duck.execute("CREATE TABLE rows AS SELECT * FROM given")
    with sqlite3.connect(folder / "rows.sqlite") as lite:
        lite.execute("CREATE TABLE rows (x1 REAL, x2 REAL, colour TEXT, day TEXT, w INTEGER, y TEXT)")
        rows = [tuple(map(str, row.values())) for row in table.to_pylist()]
        lite.executemany("INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?)", rows)
