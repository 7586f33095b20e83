"""Room for a table, asked for before it is read: a process that is told no in the middle is often aborted."""

from discriminant.memory import available_bytes, readable_size
from discriminant.table.errors import TableError

_HINT = "take fewer rows, or fewer columns, or a machine with more memory"


class TooLarge(TableError):
    """A table that does not fit into memory."""


def require_room(needed: int, what: str, available: int | None = None) -> None:
    """Refuse what needs more bytes than there are; ``what`` begins the sentence."""
    there = available_bytes() if available is None else available
    if there is not None and needed > there:
        raise TooLarge(
            f"{what} needs about {readable_size(needed)} of memory, and there are {readable_size(there)}", _HINT
        )


def too_large(name: str) -> TooLarge:
    """What to say where memory was refused all the same."""
    there = available_bytes()
    left = "" if there is None else f" ({readable_size(there)} are left)"
    return TooLarge(f"{name} does not fit into memory{left}", _HINT)
