"""Tables of Google's flatbuffers, in which Arrow writes what its bytes mean: read with every place checked.

A table has an entry for each field that says where the field stands; fields that are absent have their default.
"""

import struct

import numpy as np
from numpy.typing import NDArray


class Damaged(ValueError):
    """Bytes that cannot be what they should be."""


class FlatTable:
    """One table within ``data``, which begins at ``place``."""

    def __init__(self, data: bytes, place: int) -> None:
        self._data = data
        self._place = place
        self._entries = place - self._number("<i", place)
        self._size = self._number("<H", self._entries)

    @classmethod
    def root(cls, data: bytes) -> "FlatTable":
        """The table that all others hang from."""
        return cls(data, FlatTable._unpacked(data, "<I", 0))

    def number(self, field: int, form: str, default: int = 0) -> int:
        """The whole number in a field, in a form of `struct`."""
        place = self._field(field)
        return default if place is None else self._number(form, place)

    def table(self, field: int) -> "FlatTable | None":
        """The table that a field names."""
        place = self._field(field)
        return None if place is None else FlatTable(self._data, place + self._number("<I", place))

    def pairs(self, field: int) -> NDArray[np.int64]:
        """A vector of pairs of 64-bit numbers, as rows."""
        place = self._field(field)
        if place is None:
            return np.empty((0, 2), dtype=np.int64)
        start = place + self._number("<I", place)
        n = self._number("<I", start)
        if start + 4 + 16 * n > len(self._data):
            raise Damaged("a list in its description is longer than the description")
        return np.frombuffer(self._data, dtype="<i8", count=2 * n, offset=start + 4).reshape(n, 2)

    def _field(self, field: int) -> int | None:
        entry = 4 + 2 * field
        if entry + 2 > self._size:
            return None
        away = self._number("<H", self._entries + entry)
        return self._place + away if away else None

    def _number(self, form: str, place: int) -> int:
        return self._unpacked(self._data, form, place)

    @staticmethod
    def _unpacked(data: bytes, form: str, place: int) -> int:
        if place < 0 or place + struct.calcsize(form) > len(data):
            raise Damaged("its description points outside itself")
        return int(struct.unpack_from(form, data, place)[0])
