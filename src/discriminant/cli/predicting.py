"""`discriminant predict`: rows in, decisions out, block by block in constant memory."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discriminant.cli.answers import Answers
from discriminant.cli.engines import check_engine, open_engine
from discriminant.cli.models import (
    Decision,
    NewRowsDiffer,
    RowOptions,
    differences_text,
    load_model,
    open_rows,
    read_on_error,
    with_decision,
)
from discriminant.cli.outcome import console, print_json, safe
from discriminant.cli.outputs import model_inputs, refuse_inputs
from discriminant.cli.progress import Steps
from discriminant.cli.scoring import row_word, rows_of_the_fit
from discriminant.table.errors import OptionError

_MOST_ANSWERS = 12  # that are counted in a line


@dataclass(frozen=True)
class PredictOptions(RowOptions):
    """The options of the command, as typed."""

    out: str = "-"
    keep: Sequence[str] = ()
    partition: int | None = None
    resume: bool = False


def predict_command(model_path: Path, data: Sequence[str], options: PredictOptions, decision: Decision) -> None:
    """The whole command; with --json a summary is printed, and the rows go to --out."""
    from discriminant.model.new_data import NewData

    if options.json and options.out == "-":
        raise OptionError(
            "--json prints a summary, and standard output is taken by the rows", hint="name a file with -o"
        )
    read_on_error(options.on_error)
    check_engine(options.engine)
    model = with_decision(load_model(model_path), decision)
    source = open_rows(model, data, options.delimiter, options.query)
    inputs = [*data, *source.files, *options.query.inputs, *model_inputs(model_path), decision.gain]
    refuse_inputs([options.out], inputs)
    kept = tuple(source.names) if list(options.keep) == ["all"] else tuple(options.keep)
    answers = Answers(model, kept, options.on_error, len(source.files) > 1)
    seen = NewData(model)
    try:
        with Steps(quiet=options.json or (options.out == "-" and sys.stdout.isatty())) as steps:
            steps.watch(source, 1)
            steps.begin_pass("rows decided")
            if options.engine is not None or options.resume:
                counts, seen = _write_file_by_file(answers, source, options, model_path, decision)
            else:
                counts = _write_rows(answers, source, seen, options)
    except NewRowsDiffer as error:
        _tell(model, source, error.seen, error.counts, options, written=False)
        raise
    _tell(model, source, seen, counts, options, written=True)


def _write_rows(answers: Answers, source: Any, seen: Any, options: PredictOptions) -> Any:
    """Rows by answer, after all of them are written; with --strict none are where they differ from training."""
    with _writer(options, answers.names) as writer:
        counts = answers.write(source, seen, writer)
        _refuse_different(answers.model, source, options, seen, counts)
    return counts


def _refuse_different(model: Any, source: Any, options: PredictOptions, seen: Any, counts: Any) -> None:
    if options.strict and seen.differences() and not rows_of_the_fit(model, source, int(counts.sum())):
        raise NewRowsDiffer(seen.differences(), counts, seen)


def _writer(options: PredictOptions, names: Sequence[str]) -> Any:
    """A writer of one file, or of a folder of Parquet files."""
    from discriminant.table.partitions import ROWS_EACH, FolderWriter, names_folder
    from discriminant.table.writing import TableWriter

    if names_folder(options.out):
        return FolderWriter(options.out, names, options.partition or ROWS_EACH)
    if options.partition is not None:
        raise OptionError("--partition is of a folder of Parquet files", hint="name one with -o, such as -o answers/")
    return TableWriter(options.out, names)


def _write_file_by_file(
    answers: Answers, source: Any, options: PredictOptions, model_path: Path, decision: Decision
) -> tuple[Any, Any]:
    """(rows by answer, what was seen of them): the files are decided one by one, on an engine if one is named."""
    from discriminant.cli.answered_files import UnfinishedAnswers, answer_files, answers_key
    from discriminant.rows.thread_engine import ThreadEngine
    from discriminant.table.partitions import ROWS_EACH, names_folder

    if not names_folder(options.out):
        asks = "--resume" if options.engine is None else "--engine"
        raise OptionError(f"{asks} writes a folder of Parquet files", hint="name one with -o, such as -o answers/")
    rows_each = options.partition or ROWS_EACH
    key = None
    if options.resume:
        gain, own = answers.model.gain, answers.model.column_gain
        asked = [decision, gain.matrix.tolist(), gain.unit, own, answers.kept, options.on_error, rows_each]
        key = answers_key(source, model_inputs(model_path)[0], asked)
    with open_engine(options.engine) as engine, UnfinishedAnswers(options.out, key) as unfinished:
        found = answer_files(answers, source, unfinished, rows_each, engine or ThreadEngine(1))
        source.note_skipped(found.skipped)
        _refuse_different(answers.model, source, options, found.seen, found.counts)
        unfinished.complete(found.files, answers.names)
    return found.counts, found.seen


def _tell(model: Any, source: Any, seen: Any, counts: Any, options: PredictOptions, *, written: bool) -> None:
    found, skipped = seen.differences(), int(source.skipped_rows)
    learnt_from = bool(found) and rows_of_the_fit(model, source, int(counts.sum()))
    found = [] if learnt_from else found
    answers = {str(a): int(c) for a, c in zip(model.answers, counts, strict=True)}
    if options.json:
        told: dict[str, Any] = {"rows": int(counts.sum()), "skipped": skipped, "answers": answers}
        told |= {"out": options.out if written else None, "compared_with_training": bool(seen.compared)}
        print_json(told | {"differences": [difference.as_dict() for difference in found]})
        return
    if written and options.out != "-":
        each = ", ".join(f"{answer}: {count:,}" for answer, count in list(answers.items())[:_MOST_ANSWERS])
        each += f" and {len(answers) - _MOST_ANSWERS} more answers" if len(answers) > _MOST_ANSWERS else ""
        alike = "; nothing in them differs from training" if seen.compared and not found else ""
        alike = "; these are the rows the model was learnt from" if learnt_from else alike
        console().print(f"Written: {safe(options.out)}: {int(counts.sum()):,} rows ({safe(each)}){alike}.")
    if skipped:
        file, line, what = source.skipped[0]
        many = f"{skipped:,} row{'s' if skipped > 1 else ''} left out; the first"
        sys.stderr.write(f"discriminant: {many}: {file}, {row_word(source)} {line}: {what}\n")
    if found and written:
        sys.stderr.write(f"discriminant: {differences_text(found)}\n")
