"""What `predict` says of each row, column by column, wherever the rows are read."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from discriminant.cli.scoring import scored_batches


@dataclass(frozen=True)
class Answers:
    """The answers of a model, beside the columns ``kept`` of the table; ``tells_file`` where it has several files."""

    model: Any
    kept: tuple[str, ...]
    on_error: str
    tells_file: bool

    def write(self, source: Any, seen: Any, writer: Any, first_row: int = 0) -> Any:
        """Write the answers to all rows, which are noted in ``seen``; how many rows have each answer."""
        counts = np.zeros(len(self.model.answers), dtype=np.int64)
        for decided, copied, file, numbers in self._decided(source, seen):
            counts += np.bincount(decided.assigned, minlength=counts.size)
            columns = columns_of(self.model, decided, copied, numbers + first_row, file if self.tells_file else None)
            writer.write(pa.RecordBatch.from_arrays(columns, self.names))
        return counts

    def _decided(self, source: Any, seen: Any) -> Iterator[tuple[Any, pa.RecordBatch | None, str, Any]]:
        """(decisions, the columns to copy, the file, the number of each row) block by block."""
        model, kept = self.model, self.kept
        for batch, rows, scores, gain in scored_batches(model, source, kept, self.on_error, seen):
            copied = batch.table.select(kept) if kept and model.encoding.layout == "table" else None
            if copied is not None and rows is not None:
                copied = copied.take(pa.array(rows))
            numbers = batch.rows if rows is None else batch.rows[rows]
            yield model.decide_scores(scores, gain), copied, batch.file, numbers

    @property
    def names(self) -> list[str]:
        """The columns of the answer."""
        model = self.model
        own = ["file"] if self.tells_file else []
        own += ["row", "label", "score"]
        if model.posterior is not None:
            own += [f"P({c})" for c in (model.classes[1:] if len(model.classes) == 2 else model.classes)]
            own.append("expected_gain")
        if model.has_distance:
            own.append("distance")
        if model.gain.has_reject:
            own.append("rejected")
        return [*(f"{name} (given)" if name in own else name for name in self.kept), *own]


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
