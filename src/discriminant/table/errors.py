"""What can be wrong with a table: one line for a person, with the way out in `hint`."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

_LONGEST_SHOWN = 60


class TableError(ValueError):
    """A table that cannot be read or written as asked. ``str`` is one line: the fact, then the way out."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message


class BadRow(TableError):
    """A row that is no row of its table: where it stands, and what is wrong with it."""

    def __init__(self, file: str, line: int, what: str, *, counted: str = "line") -> None:
        super().__init__(f"{file}, {counted} {line}: {what}", "fix it, or --on-error skip leaves such rows out")
        self.args = (file, line, what)
        self.file = file
        self.line = line
        self.what = what


class MissingColumn(TableError):
    """A column that was asked for and is not in the table."""

    def __init__(self, column: str, names: Sequence[str], where: str) -> None:
        near = nearest_names(column, names)
        hint = f"did you mean {' or '.join(near)}?" if near else f"its columns are {listed(names)}"
        super().__init__(f"{where} has no column {shown(column)}", hint)
        self.args = (column, names, where)
        self.column = column


def shown(text: str) -> str:
    """Text of unknown origin, quoted, on one line and short enough for a message."""
    short = text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"
    return repr(short)


def listed(texts: Iterable[str], most: int = 8) -> str:
    """``'a', 'b', 'c' and 12 more``."""
    texts = list(texts)
    named = ", ".join(shown(text) for text in texts[:most])
    return named if len(texts) <= most else f"{named} and {len(texts) - most} more"


def nearest_names(name: str, names: Sequence[str], most: int = 3) -> list[str]:
    """The names a person may have meant: the same but for case and blanks, or a few letters off."""
    plain: dict[str, str] = {}
    for known in names:
        plain.setdefault(known.strip().casefold(), known)
    near = get_close_matches(name.strip().casefold(), list(plain), n=most, cutoff=0.6)
    return [shown(plain[match]) for match in near]
