"""What can be wrong with a table: one line for a person, with the way out in `hint`."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from discriminant.findings import listed, shown
from discriminant.memory import available_bytes, readable_size

_MOST_NAMED = 6  # columns, in a hint
_FEWER = "take fewer rows, or fewer columns, or a machine with more memory"


class TableError(ValueError):
    """A table that cannot be read or written as asked. ``str`` is one line: the fact, then the way out."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message


class OptionError(TableError):
    """A command line that makes no sense, whatever the table."""


class FileError(TableError):
    """A file that cannot be read or written: it is not there, may not be opened, or there is no room."""


class SavedFileError(ValueError):
    """A file that this package wrote, a model or a run, and that can no longer be read."""


class BadRow(TableError):
    """A row that is no row of its table: where it stands, and what is wrong with it."""

    def __init__(self, file: str, line: int, what: str, counted: str = "line") -> None:
        super().__init__(f"{file}, {counted} {line}: {what}", "fix it, or --on-error skip leaves such rows out")
        self.args = (file, line, what, counted)
        self.file = file
        self.line = line
        self.what = what


class MissingColumn(TableError):
    """A column that was asked for and is not among these ``names``; ``why`` may say who asked."""

    def __init__(self, column: str, names: Sequence[str], where: str, why: str = "") -> None:
        super().__init__(f"{where} has no column {shown(column)}{why}", _likely_names(column, names))
        self.args = (column, names, where, why)
        self.column = column


def _likely_names(column: str, names: Sequence[str]) -> str:
    """The names that come near; where none does, whether the table has a header line, and the names there are."""
    if names and all(name == f"column {j}" for j, name in enumerate(names, 1)):
        return f"without a header line the columns are called 'column 1' to 'column {len(names)}'; or write one"
    if near := nearest_names(column, names):
        return f"did you mean {' or '.join(near)}?"
    if cells := [name for name in names if is_number(name)]:
        return f"it has a column called {shown(cells[0])}: has the table no header line? Write one"
    last = f", the last {shown(names[-1])}" if len(names) > _MOST_NAMED else ""
    return f"its columns are {listed(names, _MOST_NAMED)}{last}"


def is_number(text: str) -> bool:
    """Whether a text reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def nearest_names(name: str, names: Sequence[str], most: int = 3) -> list[str]:
    """The names a person may have meant: the same but for case and blanks, or a few letters off."""
    plain: dict[str, str] = {}
    for known in names:
        plain.setdefault(known.strip().casefold(), known)
    near = get_close_matches(name.strip().casefold(), list(plain), n=most, cutoff=0.6)
    return [shown(plain[match]) for match in near]


class TooLarge(TableError):
    """A table that does not fit into memory."""


def require_room(needed: int, what: str, available: int | None = None) -> None:
    """Refuse what needs more bytes than there are, before it is read: told no later, a process is often aborted.

    ``what`` begins the sentence.
    """
    there = available_bytes() if available is None else available
    if there is not None and needed > there:
        raise TooLarge(
            f"{what} needs about {readable_size(needed)} of memory, and there are {readable_size(there)}", _FEWER
        )


def too_large(name: str) -> TooLarge:
    """What to say where memory was refused all the same."""
    there = available_bytes()
    left = "" if there is None else f" ({readable_size(there)} are left)"
    return TooLarge(f"{name} does not fit into memory{left}", _FEWER)


def refuse_final_nul(labels: Iterable[Any], where: str) -> None:
    """Refuse a class whose name ends in a NUL character, which arrays of texts take for padding and lose."""
    for label in labels:
        if isinstance(label, str) and label.endswith("\0"):
            raise TableError(f"{where}: the class {shown(label)} ends in a NUL character", "give it another name")
