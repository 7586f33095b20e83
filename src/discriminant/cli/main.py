"""The commands and their options."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from discriminant.cli.failures import USAGE, report_failure, run_guarded, while_read
from discriminant.cli.process import check_address_space, raising_signals, reserve_streams

app = typer.Typer(
    name="discriminant",
    help="From a table to a decision: linear classifiers, the threshold that earns most, and a report.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 defect, 2 wrong usage, 3 unusable data, 4 unreadable model, 5 file error, 128 + n "
    "ended by signal n.",
)

Data = Annotated[
    list[str] | None,
    typer.Argument(
        help="Tables: CSV, TSV (.gz, .zst), Parquet, Arrow, Feather, svmlight; globs; - for standard input."
    ),
]
Files = Annotated[list[str], typer.Argument(help="Tables, as fit takes them.")]
Sql = Annotated[str | None, typer.Option("--sql", help="A SELECT whose rows are the table, instead of files.")]
Database = Annotated[
    str | None,
    typer.Option(
        help="Of --sql: a DuckDB or SQLite file, or an address, postgresql://host/name; the password is better left to "
        "PGPASSWORD or ~/.pgpass."
    ),
]
Model = Annotated[Path, typer.Argument(help="A model.json, or the folder of a run.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
Delimiter = Annotated[str | None, typer.Option(help="Of CSV files; found out by default.")]
OnError = Annotated[str, typer.Option("--on-error", help="Of rows that cannot be read: stop or skip.")]
GainOption = Annotated[
    str | None,
    typer.Option(
        "--gain",
        help='What answers earn: a CSV or TOML file, a matrix "2,-3;-4,4" (true classes in rows), or '
        '"tp=50,fp=-4,fn=-20,unit=EUR"; fn=-amount takes the gain of each row from a column.',
    ),
]
Positive = Annotated[str | None, typer.Option(help="The class to detect, of two; by default the second in order.")]
Classes = Annotated[str | None, typer.Option(help="Classes to keep, separated by commas; rows of others are left out.")]
Above = Annotated[float | None, typer.Option(help="Of a target of numbers: the classes are above this one or not.")]
Bins = Annotated[int | None, typer.Option(help="Of a target of numbers: so many classes, with as many rows each.")]
Group = Annotated[str | None, typer.Option(help="The column that says which rows belong together, such as a patient.")]
Time = Annotated[
    str | None, typer.Option(help="A column of dates or numbers: rows are judged by models of earlier rows alone.")
]
Gap = Annotated[
    float | None, typer.Option(min=0, help="Of --time: days (or units) between rows learnt from and rows judged.")
]
Threshold = Annotated[
    float | None,
    typer.Option(help="Answer the positive class where its probability is above this: between 0 and 1."),
]
Priors = Annotated[
    str | None,
    typer.Option(help='Shares of the classes where the model is used: "yes=0.1,no=0.9", or "0.9,0.1" in their order.'),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Write nothing and end with 3 where rows differ from those of training.")
]
Memory = Annotated[
    str | None,
    typer.Option(
        help="What the command may take, such as 2GB: a larger table is read in passes. Half of what is free."
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        help="A cluster that reads the files and does the work on all rows: dask://host:port, spark://host:port."
    ),
]
Increasing = Annotated[
    str | None, typer.Option(help="Columns of which more never speaks against the positive class, by commas.")
]
Decreasing = Annotated[
    str | None, typer.Option(help="Columns of which more never speaks for the positive class, by commas.")
]
Seed = Annotated[int, typer.Option(min=0, help="Of everything drawn at random.")]


def _names(text: str | None) -> list[str]:
    """Column names separated by commas; a name with a comma can be written in quotes."""
    import csv

    given = [] if text is None else next(csv.reader([text], skipinitialspace=True), [])
    return [name.strip() for name in given if name.strip()]


def _run(call: Any, debug: bool) -> None:
    raise typer.Exit(run_guarded(call, debug=debug))


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        from discriminant import __version__

        typer.echo(f"discriminant {__version__}")
        raise typer.Exit
    refused = run_guarded(check_address_space, debug=False)
    if refused:
        raise typer.Exit(refused)


@app.command()
def fit(
    data: Data = None,
    target: Annotated[str, typer.Option("--target", "-t", help="The column to predict (svmlight has its own).")] = "",
    gain: GainOption = None,
    positive: Positive = None,
    learner: Annotated[str, typer.Option(help="all, closed-form or names, separated by commas.")] = "all",
    cv: Annotated[
        int | None,
        typer.Option(min=2, help="Folds of the cross-validation: 5, or 10 where fewer than 500 rows differ."),
    ] = None,
    group: Group = None,
    time: Time = None,
    gap: Gap = None,
    weight: Annotated[str | None, typer.Option(help="The column with the weights of rows.")] = None,
    ignore: Annotated[str | None, typer.Option(help="Columns to leave out, separated by commas.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for model.json, report.html, run.json.")
    ] = None,
    forms: Annotated[
        str, typer.Option(help="How numbers enter: auto (clipped, by logarithm or bent where it pays) or straight.")
    ] = "auto",
    dates: Annotated[
        str | None, typer.Option(help="What 03/04/2020 is where no cell tells: day-first or month-first.")
    ] = None,
    held_out: Annotated[
        Path | None,
        typer.Option("--held-out", help="CSV: the compared rows, answered by rules that had not seen them."),
    ] = None,
    test: Annotated[
        str | None, typer.Option(help="A file that is kept apart: the model is tried on it after the fit.")
    ] = None,
    sql: Sql = None,
    database: Database = None,
    memory: Memory = None,
    engine: Engine = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from what an interrupted run of the same command had read.")
    ] = False,
    seed: Seed = 0,
    delimiter: Delimiter = None,
    on_error: OnError = "stop",
    classes: Classes = None,
    above: Above = None,
    bins: Bins = None,
    increasing: Increasing = None,
    decreasing: Decreasing = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Compare learners on a table, fit the best, find its threshold, and write model.json and report.html."""
    from discriminant.cli.fitting import FitOptions, fit_command
    from discriminant.cli.tables import Query

    options = FitOptions(
        data or [], target, gain, positive, _names(learner), cv, weight, _names(ignore), out, seed, delimiter, on_error,
        json, forms, held_out, test, _names(classes), above, bins, dates, group, time, gap, memory, resume,
        Query(sql, database), engine, _names(increasing), _names(decreasing),
    )  # fmt: skip
    _run(lambda: fit_command(options), debug)


@app.command()
def predict(
    model: Model,
    data: Data = None,
    out: Annotated[
        str,
        typer.Option(
            "--out", "-o", help="CSV, TSV, Parquet or Arrow by its ending; a folder of Parquet files; - prints CSV."
        ),
    ] = "-",
    partition: Annotated[
        int | None, typer.Option(min=1, help="Of a folder: rows of each of its files; a million by default.")
    ] = None,
    keep: Annotated[str | None, typer.Option(help="Columns of the table to copy, separated by commas; or all.")] = None,
    threshold: Threshold = None,
    priors: Priors = None,
    gain: GainOption = None,
    sql: Sql = None,
    database: Database = None,
    engine: Engine = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Of a folder: keep what is done file by file, and go on from it if interrupted."),
    ] = False,
    strict: Strict = False,
    on_error: OnError = "stop",
    delimiter: Delimiter = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Decide new rows: label, score, probability, expected gain and distance to the boundary of each."""
    from discriminant.cli.models import Decision
    from discriminant.cli.predicting import PredictOptions, predict_command
    from discriminant.cli.tables import Query

    options = PredictOptions(
        on_error, delimiter, strict, json, Query(sql, database), engine, out, _names(keep), partition, resume
    )
    _run(lambda: predict_command(model, data or [], options, Decision(threshold, priors, gain)), debug)


@app.command()
def evaluate(
    model: Model,
    data: Data = None,
    threshold: Threshold = None,
    priors: Priors = None,
    gain: GainOption = None,
    sql: Sql = None,
    database: Database = None,
    engine: Engine = None,
    strict: Strict = False,
    on_error: OnError = "stop",
    delimiter: Delimiter = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Judge a model by rows whose class is known."""
    from discriminant.cli.evaluating import evaluate_command
    from discriminant.cli.models import Decision, RowOptions
    from discriminant.cli.tables import Query

    options = RowOptions(on_error, delimiter, strict, json, Query(sql, database), engine)
    _run(lambda: evaluate_command(model, data or [], options, Decision(threshold, priors, gain)), debug)


@app.command("set")
def set_(
    model: Model,
    out: Annotated[Path, typer.Option("--out", "-o", help="The new model: a .json file, or a folder for model.json.")],
    threshold: Threshold = None,
    priors: Priors = None,
    gain: GainOption = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Write a model with another threshold, other priors or another gain; nothing is learnt anew."""
    from discriminant.cli.models import Decision
    from discriminant.cli.setting import set_command

    _run(lambda: set_command(model, out, Decision(threshold, priors, gain), json), debug)


@app.command()
def explain(
    model: Model,
    data: Files,
    row: Annotated[
        int, typer.Option("--row", "-r", min=1, help="The row to explain, counted from 1, as in the output of predict.")
    ] = 1,
    hold: Annotated[str | None, typer.Option(help="Columns that may not change, separated by commas.")] = None,
    delimiter: Delimiter = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Say why a row is decided as it is, and the smallest change that would flip it."""
    from discriminant.cli.explaining import explain_command

    _run(lambda: explain_command(model, data, row, _names(hold), delimiter, json), debug)


@app.command()
def separable(
    data: Files,
    target: Annotated[str, typer.Option("--target", "-t", help="The column with the classes.")] = "",
    ignore: Annotated[str | None, typer.Option(help="Columns to leave out, separated by commas.")] = None,
    delimiter: Delimiter = None,
    classes: Classes = None,
    above: Above = None,
    bins: Bins = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Does a plane separate the classes? A plane, or a proof that there is none."""
    from discriminant.cli.separating import separable_command

    asked = (_names(classes), above, bins)
    _run(lambda: separable_command(data, target, _names(ignore), delimiter, json, *asked), debug)


@app.command()
def inspect(model: Model, json: Json = False, debug: Debug = False) -> None:
    """Show what a model holds: columns, weights, threshold, gain, findings, where it came from."""
    from discriminant.cli.inspecting import inspect_command

    _run(lambda: inspect_command(model, json), debug)


@app.command()
def compare(
    runs: Annotated[list[Path], typer.Argument(help="Two or more runs: run.json files, or the folders of runs.")],
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Compare runs: their figures side by side, and what changed in columns and weights."""
    from discriminant.cli.runs import compare_command

    _run(lambda: compare_command(runs, json), debug)


@app.command()
def report(
    run: Annotated[Path, typer.Argument(help="A run.json, or the folder of a run.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The HTML file; beside run.json by default.")] = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Write the report of a saved run again."""
    from discriminant.cli.runs import report_command

    _run(lambda: report_command(run, out, json), debug)


@app.command()
def export(
    model: Model,
    to: Annotated[str, typer.Option("--to", help="sql, onnx, c, js, python or excel.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A folder, or the first file; beside the model by default.")
    ] = None,
    dialect: Annotated[str | None, typer.Option(help="Of sql: sqlite, duckdb, postgresql or bigquery.")] = None,
    table: Annotated[str, typer.Option(help="Of sql: the table to select from.")] = "your_table",
    no_check: Annotated[
        bool, typer.Option("--no-check", help="Do not run what is written (by gcc, node, Python, ...) to check it.")
    ] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Write the whole decision in another language, checked against the model on its own test vectors."""
    from discriminant.cli.exporting import export_command

    _run(lambda: export_command(model, to, out, dialect, table, not no_check, json), debug)


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the results.")] = Path("discriminant-demo"),
    seed: Seed = 0,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Breast-cancer screening, where a missed cancer costs most: data, gain, model and report in one go."""
    from discriminant.cli.demonstrating import demo_command

    _run(lambda: demo_command(out, seed, json), debug)


def main() -> None:
    """The entry point of the command."""
    reserve_streams()
    with raising_signals():
        if "--debug" in sys.argv:
            while_read(app)
            return
        try:
            while_read(app)
        except (UnicodeError, RecursionError) as error:
            sys.stderr.write(f"discriminant: {error}\n")
            raise SystemExit(USAGE) from error
        except OSError as error:  # of help and version, which no command prints
            raise SystemExit(report_failure(error, debug=False)) from error
