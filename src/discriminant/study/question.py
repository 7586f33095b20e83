"""What is asked of a table: which column is predicted, of which classes, with which weights.

Two classes are put in the order (negative, positive): sorted, so that "no" < "yes" and 0 < 1, unless told otherwise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from discriminant.findings import listed
from discriminant.gain.reading import label_text
from discriminant.study.class_making import (
    AS_THEY_ARE,
    ClassOptions,
    count_codes,
    cut_codes,
    cut_names,
    cut_note,
    cut_points,
    kept_classes,
    middle_number,
    refuse_strays,
    spelt_alike,
    target_numbers,
)
from discriminant.table.cells import numbers_of_cells, texts_of_cells
from discriminant.table.errors import MissingColumn, TableError, refuse_final_nul
from discriminant.table.number_format import NumberFormat
from discriminant.table.summaries import stored_kind
from discriminant.table.texts import fold_case

Array = NDArray[np.float64]
Label = str | int | float | bool

MOST_CLASSES = 100
_MANY_BLANKS = 0.05  # of the rows without a class, from which on it is said what counts as blank


@dataclass(frozen=True)
class ClassTotals:
    """How many of all used rows of a table each class has, and the sum of their weights."""

    counts: NDArray[np.intp]
    mass: Array


@dataclass(frozen=True)
class Question:
    """Classes in order, the code of each row that is used, their numbers in the table, and their weights.

    Where these are rows drawn from a table that is read in batches, ``totals`` are those of all its used rows.
    """

    name: str
    classes: tuple[Label, ...]
    codes: NDArray[np.int32]
    rows: NDArray[np.intp] | None  # None: all of them
    weight: Array | None
    notes: tuple[str, ...] = ()
    cut: tuple[float, ...] = ()  # where the numbers of the target were cut into classes
    number_format: NumberFormat | None = None  # of such numbers
    totals: ClassTotals | None = None

    @property
    def counts(self) -> NDArray[np.intp]:
        """Rows of each class in the table."""
        return count_codes(self.codes, len(self.classes)) if self.totals is None else self.totals.counts

    @property
    def n_rows(self) -> int:
        """Used rows of the table."""
        return int(self.counts.sum())

    @property
    def mass(self) -> Array:
        """The weights of each class in the table."""
        if self.totals is not None:
            return self.totals.mass
        return np.bincount(self.codes, weights=self.weight, minlength=len(self.classes)).astype(np.float64)

    @property
    def shares(self) -> Array:
        """The shares of the classes among the rows, by weight."""
        return np.asarray(self.mass / self.mass.sum())


def ask(
    table: pa.Table,
    target: str,
    *,
    positive: Any = None,
    weight: str | None = None,
    least_rows: int = 1,
    asked: ClassOptions = AS_THEY_ARE,
) -> Question:
    """The question about a table's column; classes of fewer than ``least_rows`` rows are left out."""
    check_columns(table.schema.names, target, weight)
    if table.num_rows == 0:
        raise TableError(NO_ROWS[0], hint=NO_ROWS[1])
    omega = None if weight is None else read_weights(table.column(weight), weight)
    kept = None if omega is None else (omega > 0).astype(np.float64)
    found = code_target(table.column(target), target, positive, least_rows, asked, kept=kept)
    used = found.codes >= 0 if omega is None else (found.codes >= 0) & (omega > 0)
    rows = None if used.all() else np.flatnonzero(used)
    codes = found.codes if rows is None else found.codes[rows]
    omega = omega if omega is None or rows is None else omega[rows]
    return Question(target, found.classes, codes, rows, omega, found.notes, found.cut, found.number_format)


NO_ROWS = ("the table has a header and no rows", "give it rows whose class is known")


def check_columns(names: Sequence[str], target: str, weight: str | None) -> None:
    """Refuse a target or weights that a table has not."""
    for name, option in ((target, "--target"), (weight, "--weight")):
        if name is not None and name not in names:
            raise MissingColumn(name, names, f"{option}: the table")
    if weight == target:
        raise TableError(f"--weight {weight!r} is the target itself", hint="name the column with the weights of rows")


@dataclass(frozen=True)
class CodedTarget:
    """The classes that the cells of a target hold, and the code of each cell, −1 where it is left out."""

    classes: tuple[Label, ...]
    codes: NDArray[np.int32]
    notes: tuple[str, ...]
    cut: tuple[float, ...] = ()
    number_format: NumberFormat | None = None


def code_target(
    cells: Any,
    name: str,
    positive: Any,
    least_rows: int,
    asked: ClassOptions,
    *,
    times: Array | None = None,
    kept: Array | None = None,
) -> CodedTarget:
    """The classes of a target. A cell stands for so many rows (``times``), of which ``kept`` have a weight.

    Without ``times`` every cell is one row; without ``kept`` all rows have a weight.
    """
    notes: list[str] = []
    absent = _count_blanks(cells, times)
    codes, classes, cut = _classes(cells, name, asked, notes, times)
    of_rows = kept if kept is not None else times
    all_rows = len(cells) if times is None else times.sum()
    if kept is not None and (unweighted := int(all_rows - kept.sum())):
        notes.append(f"{_rows(unweighted)} of weight 0 left out")
    if absent:
        also = " (or NA, None, null and the like)" if absent > _MANY_BLANKS * all_rows else ""
        notes.insert(0, f"{_rows(absent)} where {name} is blank{also} left out")
    counts = count_codes(codes, len(classes), of_rows)
    rare = _rare_classes(name, counts, classes, least_rows, notes)
    counts[rare] = 0
    codes = np.where(np.isin(codes, rare), np.int32(-1), codes)
    if not asked.keep and not cut:
        refuse_strays(counts, classes, name)
    codes, classes = _present_classes(codes, classes, counts, name)
    if positive is not None:
        codes, classes = _positive_last(codes, classes, positive, name)
    return CodedTarget(tuple(classes), codes, tuple(notes), **cut)


def ask_labels(
    labels: NDArray[Any], *, positive: Any = None, least_rows: int = 1, asked: ClassOptions = AS_THEY_ARE
) -> Question:
    """The question of a sparse file, whose rows begin with their label."""
    return ask(pa.table({"label": pa.array(labels)}), "label", positive=positive, least_rows=least_rows, asked=asked)


def _classes(
    cells: Any, name: str, asked: ClassOptions, notes: list[str], times: Array | None
) -> tuple[NDArray[np.int32], list[Label], dict[str, Any]]:
    """(code of each row, −1 where it is left out; the classes; how numbers were cut into them)."""
    if asked.cuts:
        values, number_format = target_numbers(cells, name)
        points = cut_points(values, asked, name, times)
        notes.append(cut_note(points, asked, name))
        return cut_codes(values, points), list(cut_names(points)), {"cut": points, "number_format": number_format}
    codes, classes = code_cells(cells, name, times)
    refuse_final_nul(classes, f"column {name!r}")
    codes, classes = spelt_alike(codes, classes, notes, times)
    if asked.keep:
        matched = [matched_text(text, classes) for text in asked.keep]
        codes, classes = kept_classes(codes, classes, asked.keep, matched, name, notes, times)
    return codes, classes, {}


def _count_blanks(cells: Any, times: Array | None) -> int:
    """Rows whose cell names no class."""
    if stored_kind(cells.type) == "text":
        blank = texts_of_cells(cells, ())[1]
    else:
        blank = pc.is_null(cells, nan_is_null=True).to_numpy(zero_copy_only=False)
    return int(blank.sum() if times is None else times[blank].sum())


def _rare_classes(
    name: str, counts: NDArray[np.intp], classes: Sequence[Label], least: int, notes: list[str]
) -> NDArray[np.intp]:
    """Classes of too few rows, which are noted, unless fewer than two classes are left."""
    rare = np.flatnonzero((counts > 0) & (counts < least))
    if not rare.size:
        return rare
    names = listed([label_text(classes[int(k)]) for k in rare], 3)
    if (counts >= least).sum() < 2:
        raise TableError(
            f"too few rows of the classes of {name!r}: {names} ha{'s' if rare.size == 1 else 've'} a single row",
            hint="a class needs two rows, one to learn from and one to try; is it the right --target?",
        )
    notes.append(f"{_rows(int(counts[rare].sum()))} of {names} left out: a class needs {least} rows")
    return rare


def _present_classes(
    codes: NDArray[np.int32], classes: Sequence[Label], counts: NDArray[np.intp], name: str
) -> tuple[NDArray[np.int32], list[Label]]:
    """The classes that have rows, with codes that count them alone."""
    here = counts > 0
    found = [c for c, has_rows in zip(classes, here, strict=True) if has_rows]
    if len(found) < 2:
        only = f"only {found[0]!r}" if found else "nothing"
        raise TableError(
            f"column {name!r} holds {only}", hint="two classes or more are needed; is it the right column?"
        )
    place = np.append(np.where(here, np.cumsum(here) - 1, -1), -1).astype(np.int32)
    return place[codes], found


def code_cells(cells: Any, name: str, times: Array | None = None) -> tuple[NDArray[np.int32], list[Label]]:
    """(code of each cell, −1 where blank; the classes, sorted); a cell may stand for many rows (``times``)."""
    kind = stored_kind(cells.type)
    if kind == "other":
        raise TableError(f"column {name!r} is stored as {cells.type}", hint="classes are texts, numbers or flags")
    if kind == "number" and pa.types.is_floating(cells.type):
        cells = pc.if_else(pc.is_nan(cells), pa.scalar(None, cells.type), cells)
    if kind == "text":
        cells, _ = texts_of_cells(cells, ())
    elif kind == "date":
        cells = pc.cast(cells, pa.string())
    encoded = pc.dictionary_encode(cells)
    encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    encoded = encoded.chunk(0) if isinstance(encoded, pa.ChunkedArray) else encoded
    values = encoded.dictionary.to_pylist()
    filled = len(cells) - cells.null_count if times is None else int(times.sum() - _count_blanks(cells, times))
    _refuse_measurements(name, kind, cells, len(values), filled, times)
    order = sorted(range(len(values)), key=lambda i: _in_order(values[i]))
    place = np.empty(len(values) + 1, dtype=np.int32)
    place[order] = np.arange(len(values), dtype=np.int32)
    place[-1] = -1
    indices = encoded.indices.fill_null(len(values)).to_numpy(zero_copy_only=False)
    return place[indices], [_plain(values[i]) for i in order]


def _refuse_measurements(name: str, kind: str, cells: Any, different: int, filled: int, times: Array | None) -> None:
    if different <= max(MOST_CLASSES, filled / (50 if kind == "number" else 10)):
        return
    if (middle := middle_number(cells, name, times)) is not None:
        raise TableError(
            f"column {name!r} holds {different:,} different numbers, which are measurements and no classes",
            hint=f"make classes of them with --above {middle:.6g} (half of them are) or --bins 3, or choose another "
            "--target",
        )
    raise TableError(
        f"column {name!r} holds {different:,} different values in {filled:,} rows",
        hint="a class needs rows to learn from; choose another --target",
    )


def _in_order(value: Any) -> Any:
    """Texts by their letters, whatever their case: "no" comes before "Yes"."""
    return (value.casefold(), value) if isinstance(value, str) else value


def _plain(value: Any) -> Label:
    """A class as plain data: the float 1.0 is the class 1."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _positive_last(
    codes: NDArray[np.int32], classes: Sequence[Label], positive: Any, name: str
) -> tuple[NDArray[np.int32], list[Label]]:
    texts, wanted = [label_text(c) for c in classes], matched_text(positive, classes)
    if wanted not in texts:
        raise TableError(f"--positive {wanted!r} is no class of {name!r}", hint=f"its classes are {', '.join(texts)}")
    if len(classes) > 2:
        raise TableError(f"--positive is of two classes, and {name!r} has {len(classes)}", hint="leave it out")
    place = texts.index(wanted)
    if place == 1:
        return codes, list(classes)
    return np.where(codes < 0, codes, 1 - codes).astype(np.int32), [classes[1], classes[0]]


def matched_text(value: Any, classes: Sequence[Label]) -> str:
    """The text of a value that may stand for one of these classes: a text file knows no types, so 1.0 is 1."""
    text = label_text(value)
    if all(isinstance(c, bool) for c in classes):
        return {"1": "True", "true": "True", "0": "False", "false": "False"}.get(text.lower(), text)
    if any(label_text(c) == text for c in classes):
        return text
    alike = [label_text(c) for c in classes if fold_case(label_text(c)) == fold_case(text)]
    if len(alike) == 1:
        return alike[0]
    try:
        return label_text(float(text))
    except ValueError:
        return text


def read_weights(cells: Any, name: str, first_row: int = 0) -> Array:
    """The weights of rows, of which the first has this number in the table."""
    values, wrong = numbers_of_cells(cells, ())
    bad = wrong | np.isnan(values) | ~np.isfinite(values) | (values < 0)
    if bad.any():
        row = int(bad.argmax())
        raise TableError(
            f"row {first_row + row + 1} of the weights in {name!r} is {cells[row]}",
            hint="weights are numbers of zero or more",
        )
    return values


def _rows(count: int) -> str:
    return f"{count:,} row{'s' * (count != 1)}"
