"""`discriminant fit`: read, study, write, and say it on one screen."""

import platform
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from errno import ENOTDIR
from importlib.metadata import version
from pathlib import Path
from typing import Any

from discriminant.cli.designs import DATES, make_design
from discriminant.cli.engines import check_engine, open_engine
from discriminant.cli.evaluating import judge_table, print_test
from discriminant.cli.models import RowOptions, read_on_error
from discriminant.cli.outcome import print_json, print_summary
from discriminant.cli.outputs import output_folder, refuse_inputs, refuse_twice
from discriminant.cli.progress import Steps
from discriminant.cli.resuming import SavedRun
from discriminant.cli.tables import FILES_ALONE, Query, open_data
from discriminant.table.errors import OptionError

MODEL, REPORT, RUN = "model.json", "report.html", "run.json"


@dataclass(frozen=True)
class FitOptions:
    """The options of the command, as typed."""

    data: Sequence[str]
    target: str
    gain: str | None = None
    positive: str | None = None
    learners: Sequence[str] = ("all",)
    cv: int | None = None
    weight: str | None = None
    ignore: Sequence[str] = ()
    out: Path | None = None
    seed: int = 0
    delimiter: str | None = None
    on_error: str = "stop"
    json: bool = False
    forms: str = "auto"
    held_out: Path | None = None
    test: str | None = None
    classes: Sequence[str] = ()
    above: float | None = None
    bins: int | None = None
    dates: str | None = None
    group: str | None = None
    time: str | None = None
    gap: float | None = None
    memory: str | None = None
    resume: bool = False
    query: Query = FILES_ALONE
    engine: str | None = None
    increasing: Sequence[str] = ()
    decreasing: Sequence[str] = ()


FORMS = ("auto", "straight")


def fit_command(options: FitOptions) -> None:
    """Run `discriminant fit`."""
    from discriminant.table.reading import open_table

    if options.forms not in FORMS:
        raise OptionError(f"--forms {options.forms!r} is not known", hint=f"known are {' and '.join(FORMS)}")
    if options.dates not in (None, *DATES):
        raise OptionError(f"--dates {options.dates!r} is not known", hint=f"known are {' and '.join(DATES)}")
    read_on_error(options.on_error)
    folder = options.out if options.out is not None else Path(_stem(options.data) + "-model")
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(ENOTDIR, "is a file; --out names a folder", str(folder))
    saved = SavedRun(folder.with_name(folder.name + ".unfinished"), options.resume)
    check_engine(options.engine)
    if options.engine is not None and options.query.sql is not None:
        raise OptionError("--engine reads files, and --sql is a query", hint="name files, or leave --engine out")
    with (
        output_folder(folder),
        Steps(quiet=options.json) as steps,
        saved.kept_on_failure(),
        open_engine(options.engine) as engine,
    ):
        steps.tell("reading", 0, 1)
        source = open_data(options.data, options.delimiter, options.query)
        if options.test is not None:
            open_table([options.test], delimiter=options.delimiter)  # said now if it is not there, not after the fit
        _refuse_outputs(options, folder, source)
        design, n_rows = make_design(source, options, steps, saved, engine)
        notes = [f"{source.skipped_rows:,} unreadable rows left out"] if source.skipped_rows else []
        n_columns = design.X.shape[1] if source.format == "svmlight" else len(source.names)
        about = about_of(source, options, n_rows, n_columns, notes)
        run = study_and_write(design, about, options, folder, steps)
    if options.json:
        print_json({"model": str(folder / MODEL), "report": str(folder / REPORT), **run})
    else:
        print_summary(run, folder)
        if "test" in run:
            print_test(run["test"])


def _refuse_outputs(options: FitOptions, folder: Path, source: Any) -> None:
    """Refuse, before the work, to write over what is read, or where nothing can be written."""
    from discriminant.table.saving import refuse_unwritable

    outputs = [folder / name for name in (MODEL, RUN, REPORT)]
    if options.held_out is not None:
        outputs.append(options.held_out)
    refuse_inputs(outputs, [*options.data, *source.files, *options.query.inputs, options.test, options.gain])
    refuse_twice(outputs)
    for path in outputs:
        refuse_unwritable(path)


def study_and_write(
    design: Any, about: dict[str, Any], options: FitOptions, folder: Path, steps: Steps
) -> dict[str, Any]:
    """Study the design and write the three files; the run is returned."""
    from discriminant.model.settings import with_column_gain
    from discriminant.study.gains import read_column_gain
    from discriminant.study.held_out_rows import held_out_csv
    from discriminant.study.row_gains import gains_of_design, tell_row_gains
    from discriminant.study.run import run_of
    from discriminant.study.study import study

    by_row = None if options.gain is None else read_column_gain(options.gain, design.question.classes)
    own, mean = (None, None) if by_row is None else gains_of_design(design, by_row)
    found = study(
        design,
        gain=options.gain if mean is None else mean,
        learners=options.learners,
        cv=options.cv,
        seed=options.seed,
        progress=lambda step, done, total: _tell(steps, design, step, done, total),
        provenance=provenance_of(about),
        increasing=options.increasing,
        decreasing=options.decreasing,
        row_gains=own,
    )
    steps.tell("report", 0, 1)
    run, model = run_of(found, about), found.model
    if by_row is not None:
        tell_row_gains(run, found, by_row)
        model = with_column_gain(model, by_row, mean)
    if options.test is not None:
        run["test"] = _figures_on_test_file(model, options.test, options)
    beside = {} if options.held_out is None else {options.held_out: held_out_csv(found)}
    write_run(folder, model, run, beside)
    return run


def _tell(steps: Steps, design: Any, step: str, done: int, total: int) -> None:
    """A step of the study; the fit to a table that is read in batches is shown by its passes."""
    from discriminant.learners.registry import known_learners

    steps.tell(step, done, total)
    if design.drawn and step.startswith("fit "):
        steps.begin_pass(step, known_learners()[step.removeprefix("fit ")].passes - 1)


def write_run(folder: Path, model: Any, run: dict[str, Any], beside: Mapping[Path, str]) -> None:
    """Write a run as one: the folder holds the old one, or all of this one."""
    from discriminant.model.file import model_files
    from discriminant.report import render
    from discriminant.study.run_file import run_bytes
    from discriminant.table.saving import NewFile, write_together

    files = [
        *model_files(model, folder / MODEL),
        NewFile(folder / RUN, run_bytes(run)),
        NewFile(folder / REPORT, render(run).encode()),
        *(NewFile(path, text.encode()) for path, text in beside.items()),
    ]
    write_together(files)


def _figures_on_test_file(model: Any, file: str, options: FitOptions) -> dict[str, Any]:
    """The model on a file that it has not seen."""
    found, _ = judge_table(model, [file], RowOptions(options.on_error, options.delimiter))
    return {"file": Path(file).name, "rows": found["rows"], "figures": found}


def about_of(source: Any, options: FitOptions, rows: int, columns: int, notes: Sequence[str]) -> dict[str, Any]:
    """Where the table came from and how this was made."""
    files = [Path(name).name if name != "-" else "standard input" for name in source.files]
    target = options.target or "label"
    return {
        "title": f"{files[0]}{' and others' if len(files) > 1 else ''}: {target}",
        "made": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "command": command_line(),
        "seed": options.seed,
        "versions": versions(),
        "files": files,
        "rows": rows,
        "columns": columns,
        "sha256": source.sha256(),
        "weight": options.weight,
        "notes": [*source.notes, *notes],
        "reproduce": {
            "commands": [f"pip install discriminant=={versions()['discriminant']}", command_line()],
            "python": f"Python {platform.python_version()}",
        },
    }


def provenance_of(about: dict[str, Any]) -> dict[str, Any]:
    """What the model file keeps of it."""
    kept = ("files", "rows", "columns", "sha256", "made", "command", "seed", "versions", "notes")
    weighed = {"weight": about["weight"]} if about.get("weight") is not None else {}
    return {key: about[key] for key in kept} | weighed


def command_line() -> str:
    """The command line as it could be typed again, but for passwords."""
    from discriminant.rows.databases import hide_passwords

    return shlex.join(["discriminant", *map(hide_passwords, sys.argv[1:])])


def versions() -> dict[str, str]:
    """The versions of everything that takes part in the arithmetic."""
    return {name: version(name) for name in ("discriminant", "numpy", "scipy", "scikit-learn", "numba", "pyarrow")}


def _stem(data: Sequence[str]) -> str:
    if not data:
        return "query"
    name = Path(data[0]).name if data[0] != "-" else "table"
    return name.split(".")[0].replace("*", "").strip("-_ ") or "table"
