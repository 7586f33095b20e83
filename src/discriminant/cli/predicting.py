"""`discriminant predict`: rows in, decisions out, block by block in constant memory."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from discriminant.cli.models import load_model, open_rows, read_on_error
from discriminant.cli.outcome import print_json
from discriminant.table.errors import BadRow, TableError


def predict_command(
    model_path: Path,
    data: Sequence[str],
    out: str,
    keep: Sequence[str],
    on_error: str,
    delimiter: str | None,
    json: bool,
) -> None:
    """The whole command; with --json a summary is printed, and the rows go to --out."""
    from discriminant.table.writing import open_writer

    if json and out == "-":
        raise TableError(
            "--json prints a summary, and standard output is taken by the rows", hint="name a file with -o"
        )
    read_on_error(on_error)
    model = load_model(model_path)
    source = open_rows(model, data, delimiter)
    kept = list(source.names) if list(keep) == ["all"] else list(keep)
    counts = np.zeros(len(model.answers), dtype=np.int64)
    names = names_of(model, source, kept)
    with open_writer(out, names) as writer:
        for decided, copied, batch, numbers in decided_batches(model, source, kept, on_error):
            counts += np.bincount(decided.assigned, minlength=counts.size)
            file = batch.file if len(source.files) > 1 else None
            columns = columns_of(model, decided, copied, numbers, file)
            writer.write(pa.RecordBatch.from_arrays(columns, names))
    skipped = int(source.skipped_rows)
    if json:
        answers = {str(a): int(c) for a, c in zip(model.answers, counts, strict=True)}
        print_json({"rows": int(counts.sum()), "skipped": skipped, "answers": answers, "out": out})
    elif skipped:
        file, line, what = source.skipped[0]
        many = f"{skipped:,} row{'s' * (skipped > 1)} left out; the first"
        sys.stderr.write(f"discriminant: {many}: {file}, {counted(source)} {line}: {what}\n")


def decided_batches(
    model: Any, source: Any, kept: Sequence[str], on_error: str
) -> Iterator[tuple[Any, pa.RecordBatch | None, Any, Any]]:
    """(decisions, the columns to copy, the block, the number of each row) block by block."""
    if model.encoding.layout == "svmlight":
        for batch in source.sparse_batches(model.encoding.n_features, model.encoding.first_index, on_error=on_error):
            yield model.decide(batch.matrix), None, batch, batch.lines
        return
    columns = list(dict.fromkeys([*(c.name for c in model.encoding.used), *kept]))
    for batch in source.batches(columns, on_error=on_error, as_written=model.encoding.as_written):
        matrix, rows = readable(model, batch, source, on_error)
        copied = batch.table.select(kept) if kept else None
        if rows is not None:
            matrix = matrix[rows]
            copied = None if copied is None else copied.take(pa.array(rows))
        yield model.decide(matrix), copied, batch, batch.lines if rows is None else batch.lines[rows]


def readable(model: Any, batch: Any, source: Any, on_error: str) -> tuple[Any, Any]:
    """(the design matrix, the rows of it that could be read; None for all)."""
    encoded = model.encoding.encode(batch.table)
    if not encoded.bad:
        return encoded.matrix, None
    if on_error == "stop":
        cell = min(encoded.bad)
        what = f"{cell.column!r} holds {cell.text!r}, not {cell.wanted}"
        raise BadRow(batch.file, int(batch.lines[cell.row]), what, counted=counted(source))
    bad: dict[int, Any] = {}
    for cell in encoded.bad:
        bad.setdefault(cell.row, cell)
    for row, cell in sorted(bad.items()):
        source.skip(batch.file, int(batch.lines[row]), f"{cell.column!r} holds {cell.text!r}, not {cell.wanted}")
    return encoded.matrix, np.setdiff1d(np.arange(len(encoded.matrix)), np.array(sorted(bad)))


def names_of(model: Any, source: Any, kept: Sequence[str]) -> list[str]:
    """The columns of the answer."""
    own = ["file"] if len(source.files) > 1 else []
    own += [counted(source), "label", "score"]
    if model.posterior is not None:
        each = [f"probability of {c}" for c in model.classes] if len(model.classes) > 2 else []
        own += ["probability", *each, "expected_gain"]
    if model.has_distance:
        own.append("distance")
    if model.gain.has_reject:
        own.append("rejected")
    return [*(f"{name} (given)" if name in own else name for name in kept), *own]


def counted(source: Any) -> str:
    """How rows are counted: text files by lines, so that a row can be found again."""
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
        columns.append(pa.array(decided.posteriors[:, 1] if two else decided.posteriors[np.arange(n), own]))
        columns += [] if two else [pa.array(np.ascontiguousarray(p)) for p in decided.posteriors.T]
        columns.append(pa.array(decided.expected_gain))
    if model.has_distance:
        columns.append(pa.nulls(n, pa.float64()) if decided.distance is None else pa.array(decided.distance))
    if model.gain.has_reject:
        columns.append(pa.array(decided.assigned == len(model.classes)))
    return columns
