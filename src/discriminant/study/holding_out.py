"""How the rows of a table are held out: by groups that belong together, in the order of time, or else at random.

    --group COL   rows with the same cell belong together: no model judges rows of a group that it has learnt from
    --time COL    blocks of rows in the order of time, each judged by a model of earlier rows alone; with --gap N, of
                  rows N days (or units of the column) earlier at least

Neither column is a predictor. Rows before the first block are learnt from and never judged. Otherwise copies of a row
are kept together, but for those that are copies by chance.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from discriminant.rows import ArrayRows
from discriminant.study.duplicates import copies_of, kept_together
from discriminant.table.cells import days_of_cells, numbers_of_cells, texts_of_cells
from discriminant.table.errors import MissingColumn, OptionError, TableError
from discriminant.table.learning import learn_column
from discriminant.table.summaries import ColumnSummary, stored_kind
from discriminant.validation.dealing import groups_of_classes, number_groups
from discriminant.validation.folds import Folds, read_folds
from discriminant.validation.table import Table
from discriminant.validation.time_order import TimeOrder

Array = NDArray[np.float64]
Codes = NDArray[np.int32]
Numbers = NDArray[np.intp]

_FOLDS, _FOLDS_OF_FEW = 5, 10
_FEW_ROWS = 500


@dataclass(frozen=True)
class HoldingOut:
    """The columns that say which rows belong together and which come earlier, and what they say of each used row."""

    group: str | None = None
    time: str | None = None
    gap: float = 0.0
    groups: Numbers | None = None
    times: Array | None = None
    unit: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are no predictors."""
        return tuple(name for name in (self.group, self.time) if name is not None)

    def read(self, table: pa.Table, row_numbers: Numbers, day_first: bool | None) -> "HoldingOut":
        """Read the cells of the used rows, which have these numbers in the file."""
        groups, times, unit = None, None, ""
        if self.group is not None:
            groups = _groups(table.column(self.group), self.group, row_numbers)
        if self.time is not None:
            times, unit = _times(table.column(self.time), self.time, row_numbers, day_first)
        return replace(self, groups=groups, times=times, unit=unit)

    def take(self, rows: Numbers | None) -> "HoldingOut":
        """The same for some of the rows; None for all."""
        if rows is None:
            return self
        groups = None if self.groups is None else self.groups[rows]
        return replace(self, groups=groups, times=None if self.times is None else self.times[rows])

    def folds(self, rows: ArrayRows, n_folds: int | None, seed: int) -> Folds:
        """Which rows judge which.

        No class has fewer rows than there are folds. Where nobody says how many, there are ten for few rows: what is
        found of them depends half as much on how they fall as with five.
        """
        table, cv = Table.read(rows, None, None, "the study"), n_folds or 0
        groups = self.groups
        if self.times is None:
            cv, groups = self._number_and_groups(rows, n_folds)
        splits = cv if self.times is None else TimeOrder(self.times, cv or _default_folds(rows.n_rows), self.gap)
        try:
            return read_folds(splits, table, groups, seed)
        except ValueError as error:
            what = " and ".join(f"--{option}" for option in ("group", "time") if getattr(self, option))
            raise TableError(
                f"{what or 'folds'}: {error}", hint="take fewer folds with --cv, or a column that divides the rows more"
            ) from None

    def _number_and_groups(self, rows: ArrayRows, n_folds: int | None) -> tuple[int, Numbers | None]:
        copies = copies_of(rows.matrix, rows.codes)
        different = rows.n_rows if copies is None or copies.by_chance else int(copies.groups.max()) + 1
        cv = min(n_folds or _default_folds(different), int(np.bincount(rows.codes).min()))
        together = kept_together(rows.codes, copies, cv)
        if self.groups is None:
            return cv, together
        joined = self.groups if together is None else _join_groups(self.groups, together)
        if groups_of_classes(rows.codes, joined).min() < 2:
            joined = self.groups
        return max(min(cv, int(groups_of_classes(rows.codes, joined).min())), 2), joined

    def describe(self, folds: Folds) -> dict[str, Any]:
        """What the run file keeps: how rows were held out, in words, and how many rows judged which."""
        sizes = [{"learnt": int(learnt.size), "judged": int(judged.size)} for learnt, judged in folds.split()]
        return {"group": self.group, "time": self.time, "gap": self.gap, "text": self._text(folds), "folds": sizes}

    def _text(self, folds: Folds) -> str:
        by_group = f"no model judges rows of a {self.group} that it has learnt from" if self.group is not None else ""
        if self.time is None:
            return f"rows were judged in {folds.n_folds} folds: {by_group}" if by_group else ""
        never = int((folds.of_row < 0).sum())
        gap = f", {self.gap:g}{self.unit} earlier at least" if self.gap else ""
        text = (
            f"each of {folds.n_folds} blocks of rows in the order of {self.time} was judged by a model of earlier rows "
            f"alone{gap}; the {never:,} rows before the first block were learnt from and never judged"
        )
        return f"{text}; {by_group}" if by_group else text


def _default_folds(n_rows: int) -> int:
    return _FOLDS_OF_FEW if n_rows <= _FEW_ROWS else _FOLDS


def read_holding_out(
    group: str | None, time: str | None, gap: float | None, names: list[str], taken: dict[str, str | None]
) -> HoldingOut:
    """The options of the command; ``taken`` are the columns that other options name."""
    if gap is not None and time is None:
        raise OptionError("--gap is of --time", hint="name the column of dates with --time, or leave --gap out")
    for option, name in (("--group", group), ("--time", time)):
        if name is not None and name not in names:
            raise MissingColumn(name, names, f"{option}: the table")
        for other, column in taken.items():
            if name is not None and name == column:
                raise TableError(f"{option} {name!r} is the column of {other} too", hint="name another column")
    return HoldingOut(group, time, gap or 0.0)


def _groups(cells: Any, name: str, row_numbers: Numbers) -> Numbers:
    if stored_kind(cells.type) == "text":
        cells, blank = texts_of_cells(cells, ())
    else:
        blank = np.asarray(pc.is_null(cells, nan_is_null=True).to_numpy())
    _refuse_blank(blank, name, row_numbers, "group")
    found = pc.dictionary_encode(cells)
    found = found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found
    found = found.chunk(0) if isinstance(found, pa.ChunkedArray) else found
    groups = number_groups(found.indices.to_numpy(zero_copy_only=False))
    if int(groups.max()) == 0:
        raise TableError(f"--group {name!r} is the same in every row", hint="name a column with several groups")
    return groups


def _times(cells: Any, name: str, row_numbers: Numbers, day_first: bool | None) -> tuple[Array, str]:
    """(the time of each row, what its unit is called)."""
    column = learn_column(ColumnSummary.of(name, cells), day_first=day_first)
    if column.kind == "date":
        (values, wrong), unit = days_of_cells(cells, column.also_blank, column.date_format), " days"
    elif stored_kind(cells.type) == "number" or column.kind == "number":
        (values, wrong), unit = numbers_of_cells(cells, column.also_blank, column.number_format), ""
    else:
        raise TableError(
            f"--time {name!r} holds neither dates nor numbers" + (f": {column.reason}" if column.reason else ""),
            hint="name a column of dates or numbers; --dates says what 03/04/2020 is",
        )
    _refuse_blank(wrong | np.isnan(values), name, row_numbers, "time")
    return values, unit


def _refuse_blank(blank: NDArray[np.bool_], name: str, row_numbers: Numbers, what: str) -> None:
    if blank.any():
        row = int(row_numbers[blank.argmax()]) + 1
        raise TableError(f"row {row} has no {what} in {name!r}", hint="fill the cell, or leave the row out")


def _join_groups(groups: Numbers, copies: Numbers) -> Numbers:
    """Groups that have a copy of a row in common are one."""
    shape = (int(groups.max()) + 1, int(copies.max()) + 1)
    links = sparse.coo_array((np.ones(groups.size), (groups, copies)), shape=shape)
    both = sparse.block_array([[None, links], [links.T, None]])
    return number_groups(connected_components(both, directed=False)[1][groups])
