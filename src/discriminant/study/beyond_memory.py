"""The design of a table that is larger than memory: encoded as all its rows say, studied on rows drawn from it.

The table is read in passes (`table_passes`). As many rows are drawn as there is room for, and at most so many that a
person waits no longer for the study than for one of a table in memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from discriminant.rows.parts import Engine
from discriminant.study.class_making import AS_THEY_ARE, ClassOptions
from discriminant.study.design import AT_RANDOM, Design, check_ignored, make_design, predictors
from discriminant.study.drawn_rows import Draw, bytes_a_row
from discriminant.study.encoded_rows import encoded_rows
from discriminant.study.holding_out import HoldingOut
from discriminant.study.table_passes import BatchedTable, TableSummary, find_classes, summarise_table
from discriminant.study.target_counts import TargetCoding
from discriminant.table.learning import learn

_MOST_CELLS = 20_000_000  # of the drawn rows
_LEAST_ROWS = 10_000  # with fewer nothing is learnt of a large table, however little memory there is
_COPIES = 6  # of the drawn rows, encoded, that a study holds at its most: their folds, the trees' and the table's own


@dataclass(frozen=True)
class TableOptions:
    """The options that say what is asked of a table."""

    target: str
    positive: Any = None
    weight: str | None = None
    ignore: Sequence[str] = ()
    asked: ClassOptions = AS_THEY_ARE
    forms: str = "straight"
    day_first: bool | None = None
    seed: int = 0
    holding_out: HoldingOut = AT_RANDOM
    penalised: bool = True  # whether some learner will have a ridge


def read_table(table: BatchedTable, asked: TableOptions, room: int) -> tuple[TargetCoding, TableSummary]:
    """The passes over a table; the drawn rows and what is made of them will take about ``room`` bytes."""
    check_ignored(asked.ignore, list(table.types))
    coding = find_classes(table, asked.target, asked.weight, asked.positive, asked.asked)
    names = predictors(list(table.types), asked.target, asked.weight, asked.holding_out)
    draw = Draw(rows_to_draw(len(names), 8.0 * len(table.types), room), asked.seed)
    return coding, summarise_table(table, coding, names, draw)


def rows_to_draw(n_features: int, row_bytes: float, room: int) -> int:
    """How many rows to draw: as many as there is room for."""
    cost = _COPIES * (8.0 * n_features + row_bytes)
    return int(min(max(room / cost, _LEAST_ROWS), max(_MOST_CELLS / max(n_features, 1), _LEAST_ROWS)))


def design_of_summary(
    table: BatchedTable,
    asked: TableOptions,
    coding: TargetCoding,
    found: TableSummary,
    room: int,
    engine: Engine | None = None,
) -> Design:
    """The design of a table whose passes are done: the drawn rows, with all rows behind them."""
    features = learn(found.columns, asked.ignore, asked.day_first).n_features
    drawn = found.drawn.thinned(rows_to_draw(features, bytes_a_row(found.drawn.table), room), asked.seed)
    question = replace(found, drawn=drawn).question(coding)
    design = make_design(
        question, drawn.table, found.columns, asked.ignore, asked.forms, asked.day_first, asked.seed, asked.holding_out,
        asked.penalised,
    )  # fmt: skip
    encoding: Any = design.encoding
    return replace(design, whole=encoded_rows(table, coding, encoding, found, engine))
