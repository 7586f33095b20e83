"""How much memory a command may take, and whether a table fits into it."""

import os
import re
from dataclasses import dataclass
from typing import Any

from discriminant.table.errors import OptionError

_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_SIZE = re.compile(r"(\d+(?:\.\d+)?|\.\d+)\s*([kmgt]?)(i?)b?", re.IGNORECASE)
_LONGEST = 30  # signs of a size
_COPIES = 3  # of a table that a study in memory holds: its cells, the rows encoded, and what is computed of them
_LEAST = 100_000_000  # bytes beside the libraries, with which a table can be read at all
_BYTES_A_THREAD = 100_000_000  # measured on Parquet files of 22 columns
_BATCHES = 150_000_000  # bytes of the batches that are being read and of their statistics


@dataclass(frozen=True)
class Room:
    """``memory`` bytes may be taken in all, or are free; ``out_of_core`` says that the table is more than that."""

    memory: int | None
    out_of_core: bool

    @property
    def for_rows(self) -> int:
        """Bytes for the rows that are drawn, beside the libraries and the batches that are read."""
        from discriminant.memory import resident_bytes

        return max((self.memory or 0) - resident_bytes() - _BATCHES, _LEAST // 2)

    @property
    def threads(self) -> int | None:
        """How many files may be read at a time; None for as many as there are processors."""
        from discriminant.memory import resident_bytes

        if self.memory is None:
            return None
        many = max((self.memory - resident_bytes()) // _BYTES_A_THREAD, 1)
        return None if many >= (os.cpu_count() or 1) else int(many)


def read_size(text: str) -> int:
    """Bytes of a size as typed.

    >>> read_size("2GB"), read_size("500 mb"), read_size("1.5g"), read_size("2GiB")
    (2000000000, 500000000, 1500000000, 2147483648)
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None or len(text) > _LONGEST:
        raise OptionError(f"--memory {text!r} is no size", hint="write it like 2GB or 500MB")
    number, unit, binary = found.groups()
    return int(float(number) * (1024 if binary else 1000) ** _POWERS[unit.lower()])


def room_for(source: Any, memory: str | None, elsewhere: bool = False) -> Room:
    """Whether a table is read at once or in passes: the latter beyond --memory, or half of what is free.

    A table that is to be summed ``elsewhere`` is always read in passes.
    """
    from discriminant.memory import available_bytes

    asked = None if memory is None else read_size(memory)
    if asked is not None and asked < _LEAST:
        raise OptionError(f"--memory {memory} is too little to work in", hint="give 400MB or more")
    if not source.rereadable():
        if asked is not None:
            raise OptionError(f"--memory: {source.files[0]} can be read only once", hint="write it to a file first")
        return Room(None, False)
    free = available_bytes()
    most = asked if asked is not None else None if free is None else free // 2
    needed = _COPIES * source.bytes_in_memory()
    return Room(most, elsewhere or (most is not None and needed > most))
