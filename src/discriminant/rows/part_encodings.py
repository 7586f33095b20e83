"""The encoding of a table in parts: learnt wherever its parts are read, and equal to that of the whole table."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from discriminant.rows.parts import Engine, Part
from discriminant.rows.table_blocks import add_summaries, encoding_of
from discriminant.table.encoding import Encoding
from discriminant.table.summaries import ColumnSummary


def encoding_of_parts(parts: Sequence[Any], names: Sequence[str], engine: Engine, where: str) -> Encoding:
    """How these columns become numbers, from one pass over parts that tell ``summaries`` of their cells."""
    found: list[ColumnSummary] = engine.fold(parts, partial(_summaries, names=names), add_summaries)
    return encoding_of(found, where)


def _summaries(part: Part, names: Sequence[str]) -> list[ColumnSummary]:
    return part.summaries(names)  # type: ignore[attr-defined,no-any-return]
