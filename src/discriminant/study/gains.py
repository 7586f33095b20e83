"""--gain as people type it -> a `Gain` of these classes.

a path                    a CSV or TOML file (see `Gain.from_text`)
"2,-3;-4,4"               rows are true classes, columns assigned ones, in the order of the classes
"tp=50,fp=-4,fn=-20"      two classes by outcome; what is not named earns 0; unit=EUR and reject=-1 may be added
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from discriminant.gain.matrix import Gain
from discriminant.table.errors import TableError

_OUTCOMES = ("tp", "fp", "fn", "tn")


def read_gain_option(text: str, classes: Sequence[Any]) -> Gain:
    """The gain an option says, in the order of the classes."""
    path = Path(text)
    try:
        if "=" in text and not path.is_file():
            return _by_outcome(text, classes)
        if _is_matrix(text):
            return Gain(_matrix(text), list(classes))
        if not path.is_file():
            raise TableError(
                f"--gain {text!r} is neither a file nor a gain",
                hint='give a CSV or TOML file, "2,-3;-4,4" or "tp=50,fp=-4,fn=-20"',
            )
        return Gain.from_text(path.read_text(encoding="utf-8-sig")).aligned(list(classes))
    except (TypeError, ValueError, UnicodeDecodeError) as error:
        if isinstance(error, TableError):
            raise
        raise TableError(f"--gain: {error}", hint=f"the classes are {', '.join(map(str, classes))}") from error


def _is_matrix(text: str) -> bool:
    return ";" in text and set(text) <= set("0123456789+-.eE,; ")


def _matrix(text: str) -> list[list[float]]:
    rows = [row.split(",") for row in text.strip().strip(";").split(";")]
    if len({len(row) for row in rows}) > 1:
        raise TableError(
            f"--gain: the rows of {text!r} have {', '.join(str(len(row)) for row in rows)} numbers",
            hint='every row has as many, such as "2,-3;-4,4"',
        )
    return [[float(cell) for cell in row] for row in rows]


def _by_outcome(text: str, classes: Sequence[Any]) -> Gain:
    given: dict[str, str] = {}
    for part in text.split(","):
        name, equals, value = (p.strip() for p in part.partition("="))
        if not equals or name not in (*_OUTCOMES, "unit", "reject"):
            raise TableError(
                f"--gain: {part.strip()!r} is no outcome",
                hint="name tp, fp, fn, tn (and unit, reject), as in tp=50,fp=-4",
            )
        given[name] = value
    if len(classes) != 2:
        raise TableError(
            f"--gain by outcomes is for two classes, and there are {len(classes)}: {', '.join(map(str, classes))}",
            hint="give a matrix, true classes in rows, such as '1,0,-2;0,1,0;-5,0,1'",
        )
    amounts = {name: _amount(given.get(name, "0"), name) for name in _OUTCOMES}
    gain = Gain.binary(**amounts, classes=list(classes), unit=given.get("unit", ""))
    return Gain(gain, reject=_amount(given["reject"], "reject")) if "reject" in given else gain


def _amount(text: str, name: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise TableError(f"--gain: {name}={text} is no number", hint="as in tp=50,fp=-4,fn=-20") from None
