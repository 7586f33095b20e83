"""Which classes a table has, from one pass over its target: each different cell, and how many rows hold it.

Counts of parts add to those of the whole, so that a table that is read in batches is asked the same question as one in
memory, with the same notes. Numbers that are to be cut into classes may all differ: beyond `MOST_VALUES` of them,
those that lie close together are counted as one, but never across the cut of ``--above``.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from discriminant.study.class_making import AS_THEY_ARE, ClassOptions, cut_codes, middle_number, target_numbers
from discriminant.study.question import CodedTarget, code_target, read_weights
from discriminant.table.cells import numbers_of_cells
from discriminant.table.errors import TableError
from discriminant.table.spreads import Quantiles
from discriminant.table.summaries import stored_kind

Array = NDArray[np.float64]
Codes = NDArray[np.int32]

MOST_VALUES = 100_000  # different cells that are counted one by one


@dataclass(frozen=True, eq=False)
class TargetCounts:
    """Different cells of a target (one of them may be blank), the rows that hold each, and those that have a weight."""

    values: Any
    times: Array
    kept: Array

    @classmethod
    def of(cls, cells: Any, weight: Array | None, asked: ClassOptions = AS_THEY_ARE) -> "TargetCounts":
        """The counts of some rows, whose numbers may have to be cut."""
        weighted = np.ones(len(cells)) if weight is None else (weight > 0).astype(np.float64)
        return cls(cells, np.ones(len(cells)), weighted)._counted(asked)

    def plus(self, other: "TargetCounts", asked: ClassOptions = AS_THEY_ARE) -> "TargetCounts":
        """The counts of both parts."""
        values = pa.concat_arrays([self.values, other.values])
        times, kept = (np.concatenate(pair) for pair in ((self.times, other.times), (self.kept, other.kept)))
        return TargetCounts(values, times, kept)._counted(asked)

    def _counted(self, asked: ClassOptions) -> "TargetCounts":
        found = pc.dictionary_encode(self.values, null_encoding="encode")
        places = found.indices.to_numpy(zero_copy_only=False)
        n = len(found.dictionary)
        counted = TargetCounts(found.dictionary, *(_sums(places, each, n) for each in (self.times, self.kept)))
        many = n > MOST_VALUES and asked.cuts and stored_kind(self.values.type) == "number"
        return counted._binned(asked.above) if many else counted

    def _binned(self, above: float | None) -> "TargetCounts":
        """Numbers that lie close together as one."""
        numbers = numbers_of_cells(self.values, ())[0]
        side = np.where(np.isnan(numbers), -1, 0 if above is None else numbers > above)
        parts = []
        for each in np.unique(side):
            own = side == each
            if each < 0:
                parts.append((np.array([np.nan]), *(c[own].sum(keepdims=True) for c in (self.times, self.kept))))
            else:
                bins = Quantiles.of(numbers[own], self.times[own])
                place = np.searchsorted(bins.values, numbers[own], side="right") - 1
                parts.append((bins.values, bins.counts, _sums(place, self.kept[own], bins.values.size)))
        values, times, kept = (np.concatenate(each) for each in zip(*parts, strict=True))
        return TargetCounts(pa.array(values, pa.float64(), from_pandas=True), times, kept)

    def code(self, name: str, positive: Any, least_rows: int, asked: ClassOptions) -> CodedTarget:
        """The classes, and the code of each of ``values``."""
        if len(self.values) > MOST_VALUES and not asked.cuts:
            middle = middle_number(self.values, name, self.times)
            cut = "" if middle is None else f", or make classes of numbers with --above {middle:.6g}"
            raise TableError(
                f"column {name!r} holds over {MOST_VALUES:,} different values",
                hint=f"a class needs rows to learn from; choose another --target{cut}",
            )
        return code_target(self.values, name, positive, least_rows, asked, times=self.times, kept=self.kept)


@dataclass(frozen=True, eq=False)
class TargetCoding:
    """The code of every row, read in batches, of a target whose classes are known."""

    name: str
    weight_name: str | None
    target: CodedTarget
    values: Any  # those whose codes ``target`` has

    @property
    def columns(self) -> list[str]:
        """The columns that are no predictors."""
        return [self.name] if self.weight_name is None else [self.name, self.weight_name]

    def read(self, batch: pa.RecordBatch, first_row: int) -> tuple[Codes, Array | None]:
        """(codes, −1 for rows that are left out; weights) of rows, of which the first has this number in the table."""
        cells = batch.column(self.name)
        weight = None
        if self.weight_name is not None:
            weight = read_weights(batch.column(self.weight_name), self.weight_name, first_row)
        codes = self._codes(cells)
        return codes if weight is None else np.where(weight > 0, codes, np.int32(-1)), weight

    def _codes(self, cells: Any) -> Codes:
        if self.target.cut:
            numbers = numbers_of_cells(cells, (), self.target.number_format)[0]
            places = cut_codes(numbers, self.target.cut)
            return np.append(self._code_of_class, np.int32(-1))[places]
        places = pc.index_in(cells, value_set=self.values).fill_null(-1).to_numpy(zero_copy_only=False)
        return np.asarray(np.append(self.target.codes, np.int32(-1))[places])

    @property
    def _code_of_class(self) -> Codes:
        """The code of each interval of numbers, in rising order, among the classes as they were put in order."""
        numbers = target_numbers(pa.chunked_array([self.values]), self.name)[0]
        intervals = cut_codes(numbers, self.target.cut)
        code = np.full(len(self.target.cut) + 1, -1, dtype=np.int32)
        code[intervals[intervals >= 0]] = self.target.codes[intervals >= 0]
        return code


def _sums(places: NDArray[Any], values: Array, n: int) -> Array:
    return np.bincount(places, weights=values, minlength=n).astype(np.float64)
