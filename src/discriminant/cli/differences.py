"""New rows that differ from those of training, in one line."""

from collections.abc import Sequence
from typing import Any

from discriminant.table.errors import TableError

_MOST_TOLD = 2


def differences_text(found: Sequence[Any]) -> str:
    """The worst two, and how many more there are."""
    told = "; ".join(difference.text for difference in found[:_MOST_TOLD])
    more = len(found) - _MOST_TOLD
    return f"these rows differ from training: {told}" + (f"; and {more} more: --json lists them" if more > 0 else "")


class NewRowsDiffer(TableError):
    """Rows that differ from those of training, where --strict asks that they do not."""

    def __init__(self, found: Sequence[Any], counts: Any = None) -> None:
        super().__init__(differences_text(found), "without --strict this is only said")
        self.counts = counts
