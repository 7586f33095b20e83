"""The options of `fit` and a table -> its design: read at once where it fits into memory, else in passes."""

from typing import Any

from discriminant.cli.progress import Steps
from discriminant.cli.resuming import SavedRun
from discriminant.cli.room import Room, room_for
from discriminant.table.errors import OptionError, TableError

DATES = ("day-first", "month-first")


def make_design(source: Any, options: Any, steps: Steps, saved: SavedRun, engine: Any = None) -> tuple[Any, int]:
    """(the design of a table, how many rows the table has)."""
    if source.format == "svmlight":
        return _of_sparse(source, options)
    room = room_for(source, options.memory, engine is not None)
    if not options.target:
        raise OptionError("--target is missing", hint=f"name the column to predict; the last is {source.names[-1]!r}")
    if room.out_of_core:
        return _in_passes(source, options, room, steps, saved, engine)
    if options.resume:
        raise OptionError("--resume is of tables larger than memory", hint="this one is read at once; leave it out")
    return _at_once(source, options)


def _of_sparse(source: Any, options: Any) -> tuple[Any, int]:
    from discriminant.study.design import design_of_sparse

    if options.weight or options.ignore or options.group or options.time:
        raise TableError(
            "an svmlight file has no named columns", hint="leave --weight, --ignore, --group and --time out"
        )
    if options.memory is not None:
        raise OptionError("--memory: svmlight files are read into memory", hint="leave --memory out")
    X, labels = source.read_sparse(on_error=options.on_error)
    design = design_of_sparse(
        X,
        labels,
        positive=options.positive,
        first_index=source.first_index,
        least_rows=2,
        asked=_class_options(options),
    )
    return design, X.shape[0]


def _at_once(source: Any, options: Any) -> tuple[Any, int]:
    from discriminant.study.contenders import have_ridge
    from discriminant.study.design import design_of_table

    table = source.read(on_error=options.on_error, labels=options.target)
    design = design_of_table(
        table,
        options.target,
        positive=options.positive,
        weight=options.weight,
        ignore=options.ignore,
        least_rows=2,
        asked=_class_options(options),
        forms=options.forms,
        day_first=_day_first(options),
        seed=options.seed,
        holding_out=_holding_out(options, source),
        penalised=have_ridge(options.learners),
    )
    return design, table.num_rows


def _in_passes(source: Any, options: Any, room: Room, steps: Steps, saved: SavedRun, engine: Any) -> tuple[Any, int]:
    from discriminant.rows.thread_engine import ThreadEngine
    from discriminant.study.beyond_memory import TableOptions, design_of_summary, read_table
    from discriminant.study.contenders import have_ridge
    from discriminant.study.table_passes import BatchedTable

    asked = TableOptions(
        options.target,
        options.positive,
        options.weight,
        options.ignore,
        _class_options(options),
        options.forms,
        _day_first(options),
        options.seed,
        _holding_out(options, source),
        have_ridge(options.learners),
    )
    steps.watch(source, 4 if source.format == "csv" else 3)

    def follow(what: str, batches: Any) -> Any:
        steps.begin_pass(what)
        return batches

    before = saved.load(options, source)
    if before is None:
        if source.format == "csv":
            steps.begin_pass("types")
        types = source.find_types(options.on_error, labels=options.target)
        table = BatchedTable(source, types, options.on_error, follow)
        coding, found = read_table(table, asked, room.for_rows)
        notes = {"by_cells": source.types_by_cells(), "skipped": source.skipped_rows}
        saved.save(options, source, coding, found, notes)
    else:
        coding, found, notes = before
        types = {field.name: field.type for field in found.drawn.table.schema}
        source.restore_types(types, notes["by_cells"], notes["skipped"])
        table = BatchedTable(source, types, options.on_error, follow)
    engine = ThreadEngine(room.threads) if engine is None else engine
    return design_of_summary(table, asked, coding, found, room.for_rows, engine), found.n_rows


def _class_options(options: Any) -> Any:
    from discriminant.study.class_making import ClassOptions

    return ClassOptions(tuple(options.classes), options.above, options.bins)


def _holding_out(options: Any, source: Any) -> Any:
    from discriminant.study.holding_out import read_holding_out

    taken = {"--target": options.target, "--weight": options.weight}
    return read_holding_out(options.group, options.time, options.gap, list(source.names), taken)


def _day_first(options: Any) -> bool | None:
    return None if options.dates is None else bool(options.dates == DATES[0])
