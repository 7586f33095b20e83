"""`discriminant predict`: rows in, decisions out, block by block in constant memory."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

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
from discriminant.table.errors import BadRow, OptionError

_MOST_ANSWERS = 12  # that are counted in a line


@dataclass(frozen=True)
class PredictOptions(RowOptions):
    """The options of the command, as typed."""

    out: str = "-"
    keep: Sequence[str] = ()
    partition: int | None = None


def predict_command(model_path: Path, data: Sequence[str], options: PredictOptions, decision: Decision) -> None:
    """The whole command; with --json a summary is printed, and the rows go to --out."""
    from discriminant.model.new_data import NewData

    if options.json and options.out == "-":
        raise OptionError(
            "--json prints a summary, and standard output is taken by the rows", hint="name a file with -o"
        )
    read_on_error(options.on_error)
    model = with_decision(load_model(model_path), decision)
    source = open_rows(model, data, options.delimiter, options.query)
    inputs = [*data, *source.files, *options.query.inputs, *model_inputs(model_path), decision.gain]
    refuse_inputs([options.out], inputs)
    seen = NewData(model)
    try:
        counts = _write_rows(model, source, seen, options)
    except NewRowsDiffer as error:
        _tell(model, source, seen, error.counts, options, written=False)
        raise
    _tell(model, source, seen, counts, options, written=True)


def _write_rows(model: Any, source: Any, seen: Any, options: PredictOptions) -> Any:
    """Rows by answer, after all of them are written; with --strict none are where they differ from training."""
    kept = list(source.names) if list(options.keep) == ["all"] else list(options.keep)
    counts = np.zeros(len(model.answers), dtype=np.int64)
    names = names_of(model, source, kept)
    with _writer(options, names) as writer:
        for decided, copied, file, numbers in decided_batches(model, source, kept, options.on_error, seen):
            counts += np.bincount(decided.assigned, minlength=counts.size)
            columns = columns_of(model, decided, copied, numbers, file if len(source.files) > 1 else None)
            writer.write(pa.RecordBatch.from_arrays(columns, names))
        if options.strict and seen.differences() and not rows_of_the_fit(model, source):
            raise NewRowsDiffer(seen.differences(), counts)
    return counts


def _writer(options: PredictOptions, names: Sequence[str]) -> Any:
    """A writer of one file, or of a folder of Parquet files."""
    from discriminant.table.partitions import ROWS_EACH, FolderWriter, names_folder
    from discriminant.table.writing import TableWriter

    if names_folder(options.out):
        return FolderWriter(options.out, names, options.partition or ROWS_EACH)
    if options.partition is not None:
        raise OptionError("--partition is of a folder of Parquet files", hint="name one with -o, such as -o answers/")
    return TableWriter(options.out, names)


def _tell(model: Any, source: Any, seen: Any, counts: Any, options: PredictOptions, *, written: bool) -> None:
    found, skipped = seen.differences(), int(source.skipped_rows)
    learnt_from = bool(found) and rows_of_the_fit(model, source)
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


def rows_of_the_fit(model: Any, source: Any) -> bool:
    """Whether these are the files the model was learnt from, whose scores differ from those of rows not seen."""
    learnt = model.provenance.get("sha256")
    return isinstance(learnt, str) and source.sha256() == learnt


def decided_batches(
    model: Any, source: Any, kept: Sequence[str], on_error: str, seen: Any
) -> Iterator[tuple[Any, pa.RecordBatch | None, str, Any]]:
    """(decisions, the columns to copy, the file, the number of each row) block by block."""
    for batch, rows, scores, gain in scored_batches(model, source, kept, on_error, seen):
        copied = batch.table.select(kept) if kept and model.encoding.layout == "table" else None
        if copied is not None and rows is not None:
            copied = copied.take(pa.array(rows))
        yield model.decide_scores(scores, gain), copied, batch.file, batch.rows if rows is None else batch.rows[rows]


def scored_batches(
    model: Any, source: Any, more: Sequence[str], on_error: str, seen: Any, as_written: Sequence[str] = ()
) -> Iterator[tuple[Any, Any, Any, Any]]:
    """(block, the rows of it that have a score; None for all, their scores, their gains), noted in ``seen``.

    Blocks hold the columns that the model needs and ``more``; those of ``as_written`` as texts.
    """
    if model.encoding.layout == "svmlight":
        for batch in source.sparse_batches(model.encoding.n_features, model.encoding.first_index, on_error=on_error):
            scores, rows = score_matrix(model, batch, source, on_error, batch.matrix, {})
            seen.add((), None, None, scores)
            yield batch, rows, scores, None
        return
    columns = list(dict.fromkeys([*needed_columns(model), *more]))
    for batch in source.batches(columns, on_error=on_error, as_written=[*model.encoding.as_written, *as_written]):
        scores, rows, observed, gain = score_batch(model, batch, source, on_error)
        seen.add(observed, batch.table, rows, scores)
        yield batch, rows, scores, gain


def needed_columns(model: Any) -> list[str]:
    """The columns that the model reads: those of its features, and those of gains that differ by row."""
    gains = () if model.column_gain is None else model.column_gain.columns
    return list(dict.fromkeys([*(c.name for c in model.encoding.used), *gains]))


def score_batch(model: Any, batch: Any, source: Any, on_error: str) -> tuple[Any, Any, list[Any], Any]:
    """(scores, the rows that could be read and have one; None for all, the cells as read, the gains of the rows)."""
    observed: list[Any] = []
    encoded = model.encoding.encode(batch.table, observed)
    gain, bad = _own_gains(model, batch.table)
    for cell in encoded.bad:
        bad.setdefault(cell.row, f"{cell.column!r} holds {cell.text!r}, not {cell.wanted}")
    scores, rows = score_matrix(model, batch, source, on_error, encoded.matrix, bad)
    return scores, rows, observed, gain if gain is None or rows is None else gain.take(rows)


def score_matrix(
    model: Any, batch: Any, source: Any, on_error: str, matrix: Any, bad: dict[int, str]
) -> tuple[Any, np.ndarray[Any, Any] | None]:
    """(scores, the rows that have one; None for all), where ``bad`` rows, and those without, stop or are left out."""
    from discriminant.model.prediction import overflow_text, without_score

    scores = model.scores(matrix)
    for row in without_score(scores).tolist():
        bad.setdefault(row, overflow_text(model, matrix, row))
    if not bad:
        return scores, None
    if on_error == "stop":
        row = min(bad)
        raise BadRow(batch.file, int(batch.lines[row]), bad[row], counted=row_word(source))
    for row, what in sorted(bad.items()):
        source.skip(batch.file, int(batch.lines[row]), what)
    rows = np.setdiff1d(np.arange(len(scores)), np.array(sorted(bad)))
    return scores[rows], rows


def _own_gains(model: Any, table: Any) -> tuple[Any, dict[int, str]]:
    """(the gains of the rows, or None where all have the same, {row without: what it holds instead})."""
    if model.column_gain is None:
        return None, {}
    from discriminant.model.prediction import gains_of, lacking_text

    gain, lacking = gains_of(model.encoding, model.column_gain, table)
    return gain, {int(row): lacking_text(model.column_gain, table, row) for row in lacking}


def names_of(model: Any, source: Any, kept: Sequence[str]) -> list[str]:
    """The columns of the answer."""
    own = ["file"] if len(source.files) > 1 else []
    own += ["row", "label", "score"]
    if model.posterior is not None:
        own += [f"P({c})" for c in (model.classes[1:] if len(model.classes) == 2 else model.classes)]
        own.append("expected_gain")
    if model.has_distance:
        own.append("distance")
    if model.gain.has_reject:
        own.append("rejected")
    return [*(f"{name} (given)" if name in own else name for name in kept), *own]


def row_word(source: Any) -> str:
    """How rows are counted in messages: text files by lines, so that a row can be found in an editor."""
    return "line" if source.format in ("csv", "svmlight") else "row"


def _label_type(model: Any) -> pa.DataType:
    kinds = {type(answer) for answer in model.answers}
    if kinds == {bool}:
        return pa.bool_()
    if kinds == {int}:
        return pa.int64()
    return pa.float64() if kinds <= {int, float} else pa.string()


def columns_of(model: Any, decided: Any, copied: pa.RecordBatch | None, numbers: Any, file: str | None) -> list[Any]:
    """The answer of some rows, column by column."""
    n = decided.assigned.size
    kind = _label_type(model)
    answers = pa.array([str(a) if kind == pa.string() else a for a in model.answers], kind)
    two = len(model.classes) == 2
    columns = [] if copied is None else list(copied.columns)
    columns += [] if file is None else [pa.repeat(file, n)]
    columns += [pa.array(np.asarray(numbers)), answers.take(pa.array(decided.assigned))]
    own = np.minimum(decided.assigned, len(model.classes) - 1)
    columns.append(pa.array(decided.scores[:, 0] if two else decided.scores[np.arange(n), own]))
    if decided.posteriors is not None:
        columns += [pa.array(np.ascontiguousarray(p)) for p in decided.posteriors.T[1 if two else 0 :]]
        columns.append(pa.array(decided.expected_gain))
    if model.has_distance:
        columns.append(pa.nulls(n, pa.float64()) if decided.distance is None else _or_blank(decided.distance))
    if model.gain.has_reject:
        columns.append(pa.array(decided.assigned == len(model.classes)))
    return columns


def _or_blank(values: Any) -> pa.Array:
    """Numbers, with those left blank that are larger than any float."""
    return pa.array(values, mask=~np.isfinite(values))
