"""New rows of a table -> their scores, block by block: what `predict`, `evaluate` and `explain` share."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from discriminant.table.errors import BadRow


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


def row_word(source: Any) -> str:
    """How rows are counted in messages: text files by lines, so that a row can be found in an editor."""
    return "line" if source.format in ("csv", "svmlight") else "row"


def rows_of_the_fit(model: Any, source: Any, n_rows: int) -> bool:
    """Whether these are the files the model was learnt from, whose scores differ from those of rows not seen.

    Where the number of rows tells that they are not, no file is read again.
    """
    learnt = model.provenance.get("sha256")
    as_many = source.skipped_rows > 0 or model.provenance.get("rows", n_rows) == n_rows
    return isinstance(learnt, str) and as_many and source.sha256() == learnt
