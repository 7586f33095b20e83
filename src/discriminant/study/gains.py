"""--gain as people type it -> a `Gain` of these classes.

a path                    a CSV or TOML file (see `Gain.from_text` and docs/gain-files.md)
"2,-3;-4,4"               rows are true classes, columns assigned ones, in the order of the classes; as many of each
"tp=50,fp=-4,fn=-20"      two classes by outcome; what is not named earns 0; unit=EUR and reject=-1 may be added
"fn=-amount,fp=-4"        the same, with the gain of each row from a column of the table
"""

import contextlib
import csv
import math
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from discriminant.findings import listed
from discriminant.gain.columns import ColumnGain, Term
from discriminant.gain.matrix import Gain
from discriminant.gain.reading import GainTable, read_text
from discriminant.table.errors import OptionError, TableError

_OUTCOMES = ("tp", "fp", "fn", "tn")
_TERM = re.compile(r"(?P<sign>[+-]?)\s*(?:(?P<factor>[0-9]+\.?[0-9]*|\.[0-9]+)\s*\*)?\s*(?P<column>[^\s*+\-0-9.][^*]*)")


def read_gain_option(text: str, classes: Sequence[Any]) -> Gain:
    """The gain an option says, in the order of the classes."""
    try:
        if "=" in text and not _is_file(text):
            return _by_outcome(text, classes)
        if _is_matrix(text):
            return Gain(_square(_matrix(text), classes), list(classes))
        if not _is_file(text):
            raise OptionError(
                f"--gain {text!r} is neither a file nor a gain",
                hint='give a CSV or TOML file, "2,-3;-4,4" or "tp=50,fp=-4,fn=-20"',
            )
        return _of_file(Path(text).read_text(encoding="utf-8-sig"), classes)
    except (TypeError, ValueError, UnicodeDecodeError) as error:
        if isinstance(error, TableError):
            raise
        raise OptionError(f"--gain: {error}", hint=f"the classes are {', '.join(map(str, classes))}") from error


def _is_file(text: str) -> bool:
    """Whether a text names a file; one that is too long for a name, as a large matrix is, does not."""
    return os.path.isfile(text)


def _of_file(text: str, classes: Sequence[Any]) -> Gain:
    """CSV or TOML; rows without names have no column for rejecting, which only a name (or ``reject``) says."""
    read = read_text(text)
    if read.table.classes is None and read.reject is None:
        _square(read.table.matrix.tolist(), read.classes or classes)
    return Gain.from_text(text).aligned(list(classes))


def _square(rows: list[list[float]], classes: Sequence[Any]) -> list[list[float]]:
    """Refuse other than as many rows and columns as classes: one column more may be a mistake or a wish to reject."""
    K = len(classes)
    if len(rows) != K or any(len(row) != K for row in rows):
        raise OptionError(
            f"--gain has {len(rows)}×{len(rows[0])} numbers, and {K}×{K} are needed: a row for each true class and a "
            "column for each answer",
            hint=f"the classes are {', '.join(map(str, classes))}; a column for rejecting has its name in a file",
        )
    return rows


def _is_matrix(text: str) -> bool:
    return ";" in text and set(text) <= set("0123456789+-.eE,; ")


def _matrix(text: str) -> list[list[float]]:
    rows = [row.split(",") for row in text.strip().strip(";").split(";")]
    if len({len(row) for row in rows}) > 1:
        raise OptionError(
            f"--gain: the rows of {text!r} have {', '.join(str(len(row)) for row in rows)} numbers",
            hint='every row has as many, such as "2,-3;-4,4"',
        )
    return [[float(cell) for cell in row] for row in rows]


def _by_outcome(text: str, classes: Sequence[Any]) -> Gain:
    gains = _terms_by_outcome(text, classes)
    if gains.columns:
        raise OptionError(
            f"--gain: {text!r} takes the gains of rows from {listed(gains.columns)}, which cannot be done here",
            hint="give numbers, as in tp=50,fp=-4,fn=-20",
        )
    matrix = [[term.factor for term in row] for row in gains.terms]
    return Gain(GainTable(np.array(matrix), tuple(classes)), None, gains.unit)


def read_column_gain(text: str, classes: Sequence[Any]) -> ColumnGain | None:
    """Gains that differ by row, "fn=-amount,fp=-4"; None where the option names no column."""
    if "=" not in text or _is_file(text):
        return None
    gains = _terms_by_outcome(text, classes)
    return gains if gains.columns else None


def _terms_by_outcome(text: str, classes: Sequence[Any]) -> ColumnGain:
    given: dict[str, str] = {}
    for part in next(csv.reader([text], skipinitialspace=True)):
        name, equals, value = (p.strip() for p in part.partition("="))
        if not equals or name not in (*_OUTCOMES, "unit", "reject"):
            raise OptionError(
                f"--gain: {part.strip()!r} is no outcome",
                hint="name tp, fp, fn, tn (and unit, reject), as in tp=50,fp=-4",
            )
        given[name] = value
    if len(classes) != 2:
        raise TableError(
            f"--gain by outcomes is for two classes, and there are {len(classes)}: {', '.join(map(str, classes))}",
            hint="give a matrix, true classes in rows, such as '1,0,-2;0,1,0;-5,0,1'",
        )
    tp, fp, fn, tn = (_term(given.get(name, "0"), name) for name in _OUTCOMES)
    last = (_term(given["reject"], "reject"),) if "reject" in given else ()
    return ColumnGain(((tn, fp, *last), (fn, tp, *last)), given.get("unit", ""))


def _term(text: str, name: str) -> Term:
    """A number, the name of a column, or a number times a column: -4, -amount, 0.5*amount."""
    number = None
    with contextlib.suppress(ValueError):
        number = float(text)
    if number is not None:
        if not math.isfinite(number):
            raise OptionError(f"--gain: {name}={text} is no finite number", hint="as in tp=50,fp=-4,fn=-20")
        return Term(number)
    match = _TERM.fullmatch(text)
    if match is None:
        raise OptionError(
            f"--gain: {name}={text} is neither a number nor a column", hint="as in fp=-4, fn=-amount or tp=0.2*amount"
        )
    factor = float(match["factor"] or 1) * (-1 if match["sign"] == "-" else 1)
    return Term(factor, match["column"].strip())
