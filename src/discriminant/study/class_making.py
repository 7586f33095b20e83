"""Which classes a target has, where its column alone does not say: numbers that are cut, spellings of one class,
classes that were asked for, and a few stray values, which are asked about and not made a class.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.findings import listed, shown
from discriminant.gain.reading import label_text
from discriminant.model.decision_model import Label
from discriminant.table.cells import numbers_of_cells
from discriminant.table.errors import TableError, is_number
from discriminant.table.number_format import NumberFormat
from discriminant.table.summaries import ColumnSummary, stored_kind
from discriminant.table.texts import BLANK_TOKENS, fold_case, one_spelling, spellings_text

Codes = NDArray[np.int32]
Array = NDArray[np.float64]

_STRAY_ROWS = 5  # a class of fewer rows may be a slip,
_STRAY_SHARE = 0.001  # as may one with a smaller share of the rows,
_STRAY_TEXTS = 0.015  # or texts among numbers, or beside a yes and a no, with a smaller share,
_YES_OR_NO = (("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f"), ("ja", "nein"), ("oui", "non"), ("si", "no"))
_FEW_WORDS = 0.1  # share of cells that are no numbers in a column of numbers
_HALF = np.float64(0.5)
_TWO_MAIN = (0.99, 0.985)  # where two other classes have so large a share: any, and two numbers or a yes and a no


@dataclass(frozen=True)
class ClassOptions:
    """The options of the command: ``keep`` these classes, or cut numbers ``above`` one, or into ``bins``."""

    keep: tuple[str, ...] = ()
    above: float | None = None
    bins: int | None = None

    def __post_init__(self) -> None:
        given = [("--classes", self.keep or None), ("--above", self.above), ("--bins", self.bins)]
        named = [option for option, value in given if value is not None]
        if len(named) > 1:
            raise TableError(f"{' and '.join(named)} are two ways to make classes", hint="give one of them")
        if self.above is not None and not np.isfinite(self.above):
            raise TableError(f"--above {self.above} is no number to compare with", hint="give a number, such as 4000")
        if self.bins is not None and self.bins < 2:
            raise TableError(f"--bins {self.bins} makes no classes", hint="give two or more")

    @property
    def cuts(self) -> bool:
        """Whether numbers are cut into classes."""
        return self.above is not None or self.bins is not None


def count_codes(codes: Codes, n_classes: int, times: Array | None = None) -> NDArray[np.intp]:
    """Rows of each class; a cell stands for so many rows (``times``), or for one, and those of code −1 for none."""
    known = codes >= 0
    weights = None if times is None else times[known]
    return np.bincount(codes[known], weights=weights, minlength=n_classes).astype(np.intp)


AS_THEY_ARE = ClassOptions()


# --- numbers that are cut -------------------------------------------------------------------------------


def target_numbers(cells: Any, name: str) -> tuple[Array, NumberFormat | None]:
    """The numbers of a target, NaN where blank, and how they are written."""
    if middle_number(cells, name) is None:
        raise TableError(f"column {name!r} holds no numbers to cut", hint="--above and --bins are for numbers")
    values, wrong, number_format = _numbers(cells, name)
    if wrong.any():
        row = int(wrong.argmax())
        raise TableError(
            f"row {row + 1} of {name!r} is {shown(str(cells[row]))}, which is no number to cut",
            hint="blank the cell, for rows without a target are left out",
        )
    return values, number_format


def _numbers(cells: Any, name: str) -> tuple[Array, NDArray[np.bool_], NumberFormat | None]:
    values, wrong = numbers_of_cells(cells, ())
    if wrong.any() and (found := ColumnSummary.of(name, cells).written_numbers) is not None:
        return *numbers_of_cells(cells, (), found.format), found.format
    return values, wrong, None


def middle_number(cells: Any, name: str, times: Array | None = None) -> float | None:
    """The median of a column of numbers; None where it is none."""
    if stored_kind(cells.type) not in ("number", "text"):
        return None
    values, wrong, _ = _numbers(cells, name)
    if wrong.mean() > _FEW_WORDS or np.isnan(values).all():
        return None
    filled = ~np.isnan(values)
    return float(np.median(values[filled]) if times is None else _quantiles(values[filled], _HALF, times[filled]))


def cut_points(values: Array, asked: ClassOptions, name: str, times: Array | None = None) -> tuple[float, ...]:
    """The values between classes: up to and including the first is the first class, and so on."""
    filled = ~np.isnan(values)
    known = values[filled]
    if asked.above is not None:
        if known.size and not known.min() <= asked.above < known.max():
            raise TableError(
                f"--above {_digits(asked.above)} leaves one class: {name} goes from {_digits(known.min())} to "
                f"{_digits(known.max())}",
                hint=f"its middle is {_digits(float(np.median(known)))}",
            )
        return (float(asked.above),)
    shares = np.arange(1, asked.bins or 2) / (asked.bins or 2)
    points = np.unique(_quantiles(known, shares, times if times is None else times[filled])) if known.size else known
    points = points[points < known.max(initial=-np.inf)]
    if not points.size:
        raise TableError(f"--bins: the numbers of {name!r} are (nearly) all the same", hint="take --above a number")
    return tuple(points.tolist())


def _quantiles(values: Array, shares: Array | np.float64, times: Array | None) -> Array:
    return np.asarray(np.quantile(values, shares, method="inverted_cdf", weights=times))


def cut_names(points: Sequence[float]) -> list[str]:
    """The names of the classes: "up to 10", "above 10 to 20", "above 20"."""
    texts = [_digits(point) for point in points]
    between = [f"above {low} to {high}" for low, high in pairwise(texts)]
    return [f"up to {texts[0]}", *between, f"above {texts[-1]}"]


def cut_codes(values: Array, points: Sequence[float]) -> Codes:
    """The class of each number among `cut_names`; −1 where there is none."""
    codes = np.searchsorted(np.asarray(points), values, side="left").astype(np.int32)
    return np.where(np.isnan(values), np.int32(-1), codes)


def cut_note(points: Sequence[float], asked: ClassOptions, name: str) -> str:
    """What was done with the numbers."""
    fewer = f" into {len(points) + 1} classes and not {asked.bins}, for many rows have the same number"
    where = ", ".join(map(_digits, points))
    return f"numbers of {name} cut at {where}" + fewer * (asked.bins is not None and len(points) + 1 < asked.bins)


def _digits(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


# --- classes that are named -----------------------------------------------------------------------------


def spelt_alike(
    codes: Codes, classes: Sequence[Label], notes: list[str], times: Array | None = None
) -> tuple[Codes, list[Label]]:
    """Classes that differ in case or blanks only as one, named by the commonest spelling."""
    if not all(isinstance(label, str) for label in classes):
        return codes, list(classes)
    rows = count_codes(codes, len(classes), times)
    counts = {str(label): int(n) for label, n in zip(classes, rows, strict=True)}
    together, others = one_spelling(counts)
    if not others:
        return codes, list(classes)
    names = sorted(together)
    place = {fold_case(name): k for k, name in enumerate(names)}
    new = np.array([*(place[fold_case(str(label))] for label in classes), -1], dtype=np.int32)
    notes.append("spellings of a class: " + spellings_text([(o, name) for name in names for o in others.get(name, ())]))
    return new[codes], list(names)


def kept_classes(
    codes: Codes,
    classes: Sequence[Label],
    keep: Sequence[str],
    matched: Sequence[str],
    name: str,
    notes: list[str],
    times: Array | None = None,
) -> tuple[Codes, list[Label]]:
    """The codes of the classes that were asked for, −1 for others; ``matched`` are their texts in the column."""
    texts = [label_text(label) for label in classes]
    for asked, text in zip(keep, matched, strict=True):
        if text not in texts:
            blank = f"; {asked} stands for a blank, so write that class otherwise" if asked in BLANK_TOKENS else ""
            raise TableError(f"--classes {asked!r} is no class of {name!r}", hint=f"it holds {listed(texts, 6)}{blank}")
    if len(set(matched)) < 2:
        raise TableError(f"--classes names {len(set(matched))} class", hint="two or more are needed")
    own = [k for k, text in enumerate(texts) if text in set(matched)]
    new = np.full(len(classes) + 1, -1, dtype=np.int32)
    new[own] = np.arange(len(own))
    rows = count_codes(codes, len(classes), times)
    if left := [texts[k] for k in range(len(texts)) if k not in own and rows[k]]:
        many = int(rows.sum() - rows[own].sum())
        notes.append(f"{many:,} row{'s' * (many != 1)} of {listed(left, 6)} left out, as --classes asks")
    return _as_numbers(new[codes], [classes[k] for k in own])


def _as_numbers(codes: Codes, classes: list[Label]) -> tuple[Codes, list[Label]]:
    """Texts that are all numbers, once others are left out, as numbers."""
    try:
        values = [float(label) for label in classes if isinstance(label, str)]
    except ValueError:
        return codes, classes
    if len(values) < len(classes) or not np.isfinite(values).all() or len(set(values)) < len(values):
        return codes, classes
    order = np.argsort(values)
    place = np.append(np.argsort(order), -1).astype(np.int32)
    numbers: list[Label] = [int(v) if v.is_integer() else v for v in np.asarray(values)[order].tolist()]
    return place[codes], numbers


def refuse_strays(rows: NDArray[np.intp], classes: Sequence[Label], name: str) -> None:
    """Ask about a few rows of other classes beside two that have nearly all rows; ``rows`` are those of each class."""
    present = np.flatnonzero(rows)
    n = int(rows.sum())
    if present.size < 3:
        return
    main = np.argsort(-rows, kind="stable")[:2]
    texts = [label_text(label) for label in classes]
    numeric = all(is_number(texts[k]) for k in main)
    whole = numeric or {fold_case(texts[k]) for k in main} in [set(pair) for pair in _YES_OR_NO]
    stray = [
        k
        for k in present.tolist()
        if k not in main
        and (
            rows[k] < max(_STRAY_ROWS, _STRAY_SHARE * n)
            or (whole and not (numeric and is_number(texts[k])) and rows[k] < _STRAY_TEXTS * n)
        )
    ]
    if not stray or rows[main].sum() < _TWO_MAIN[whole] * n:
        return
    kept = ",".join(texts[k] for k in sorted(main.tolist()))
    told = ", ".join(f"{texts[k]!r} ({rows[k]:,} row{'s' * int(rows[k] != 1)})" for k in stray[:4])
    more = f" and {len(stray) - 4} more" if len(stray) > 4 else ""
    every = ",".join(texts[k] for k in present.tolist()) if present.size <= 8 else "and all their names"
    raise TableError(
        f"beside {' and '.join(repr(texts[k]) for k in main)}, {name!r} holds {told}{more}, which may be no class",
        hint=f"--classes '{kept}' leaves such rows out, --classes '{every}' keeps them",
    )
