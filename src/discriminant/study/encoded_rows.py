"""All rows of a table, encoded as they are read: what the chosen learner is fitted to where a table exceeds memory."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from discriminant.rows import ArrayRows
from discriminant.rows.parts import Engine, Part, PartRows
from discriminant.rows.protocol import Schema
from discriminant.study.table_passes import BatchedTable, TableSummary, used_rows, without_progress
from discriminant.study.target_counts import TargetCoding
from discriminant.table.encoding import Encoding
from discriminant.table.errors import BadRow

_MOST_CELLS = 1 << 19  # of a block


@dataclass(frozen=True)
class EncodedPart(Part):
    """The used rows of one file; classes are called by their codes, whose order is that of the question."""

    table: BatchedTable
    coding: TargetCoding
    encoding: Encoding
    n_bytes: int
    first_row: int | None = None
    columns: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        used = [column.name for column in self.encoding.used]
        object.__setattr__(self, "columns", tuple(dict.fromkeys([*self.coding.columns, *used])))

    def blocks(self) -> Iterator[ArrayRows]:
        """Rows as the model reads them."""
        names, rows = self.encoding.feature_names, max(_MOST_CELLS // max(self.encoding.n_features, 1), 1)
        source = self.table.source
        for batch in source.typed_batches(self.table.types, self.columns, on_error=self.table.on_error):
            for start in range(0, batch.table.num_rows, rows):
                part = replace(batch, table=batch.table.slice(start, rows), rows=batch.rows[start : start + rows])
                used, codes, weight, numbers = used_rows(part, self.coding)
                if codes.size:
                    matrix = self._encode(used, batch, numbers)
                    present, places = np.unique(codes, return_inverse=True)
                    numbers = numbers + (self.first_row or 0)
                    yield ArrayRows(matrix, present, places.astype(np.int32), weight, names, numbers.astype(np.intp))
        self.table.refuse_changed()

    def _encode(self, cells: Any, batch: Any, numbers: Any) -> Any:
        encoded = self.encoding.encode(cells)
        if encoded.bad:
            cell = encoded.bad[0]
            line = int(batch.lines[int(np.searchsorted(batch.rows, numbers[cell.row] + 1))])
            counted = "line" if self.table.source.format == "csv" else "row"
            raise BadRow(batch.file, line, f"{cell.column!r} holds {cell.text!r}, not {cell.wanted}", counted)
        return encoded.matrix


def encoded_rows(
    table: BatchedTable, coding: TargetCoding, encoding: Encoding, found: TableSummary, engine: Engine | None = None
) -> PartRows:
    """All used rows of a table of this summary, a part for each file."""
    classes = np.arange(len(coding.target.classes))
    schema = Schema(encoding.n_features, encoding.feature_names, classes, int(found.totals.counts.sum()))
    parts = [
        EncodedPart(
            replace(table, source=source, follow=without_progress),
            coding,
            encoding,
            size,
            found.first_rows.get(source.files[0], 0),
        )
        for source, size in table.source.each_file()
    ]
    rows = PartRows(parts, schema, engine, name=table.source.files[0])
    rows.check.n_rows = schema.n_rows  # the passes before have counted them
    return rows
