"""Fields of a document of unknown origin: each is read as what it must be, or refused by its path in the document."""

import math
from collections.abc import Iterator
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from discriminant.findings import shown
from discriminant.model.plain_json import ModelFileError, key_text, plain, plain_text

Array = NDArray[np.float64]
Choice = TypeVar("Choice", bound=str)

_LARGEST_LABEL = 2**63


class Field:
    """A value and where it stands: ``encoding.columns[3].features[0].scale``."""

    __slots__ = ("_key", "_parent", "value")

    def __init__(self, value: Any, parent: "Field | None" = None, key: str | int = "") -> None:
        self.value = value
        self._parent = parent
        self._key = key

    @property
    def path(self) -> str:
        """From the top of the document."""
        if self._parent is None:
            return str(self._key) or "the document"
        if isinstance(self._key, int):
            return f"{self._parent.path}[{self._key}]"
        key = key_text(self._key)
        return key if self._parent._parent is None and not self._parent._key else f"{self._parent.path}.{key}"

    def refuse(self, wanted: str) -> NoReturn:
        """It is not what it must be."""
        raise ModelFileError(f"{self.path} must be {wanted}, got {_described(self.value)}")

    # --- containers -------------------------------------------------------------------------------------

    def object(self, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> "dict[str, Field]":
        """The fields of an object that has these keys and no others."""
        if not isinstance(self.value, dict):
            self.refuse("an object")
        for key in required:
            if key not in self.value:
                raise ModelFileError(f"{self.path} lacks the key {key!r}")
        for key in self.value:
            if key not in required and key not in optional:
                raise ModelFileError(f"{self.path} has the key {shown(key)}, which is not known")
        return {key: Field(value, self, key) for key, value in self.value.items()}

    def at(self, *keys: str) -> "Field":
        """The field under these keys, one within the other, of objects that may have other keys."""
        found = self
        for key in keys:
            if not isinstance(found.value, dict):
                found.refuse("an object")
            if key not in found.value:
                raise ModelFileError(f"{found.path} lacks the key {key!r}")
            found = Field(found.value[key], found, key)
        return found

    def items(self) -> "Iterator[Field]":
        """The fields of a list."""
        if not isinstance(self.value, list):
            self.refuse("a list")
        return (Field(value, self, i) for i, value in enumerate(self.value))

    def mapping(self) -> dict[str, Any]:
        """An object with any keys and plain data."""
        if not isinstance(self.value, dict):
            self.refuse("an object")
        return dict(self.free())

    def free(self) -> Any:
        """Any plain data."""
        return plain(self.value, self.path)

    # --- single values ----------------------------------------------------------------------------------

    def text(self) -> str:
        """Text."""
        if not isinstance(self.value, str):
            self.refuse("text")
        return plain_text(self.value, self.path)

    def choice(self, choices: tuple[Choice, ...]) -> Choice:
        """One of a few words."""
        for choice in choices:
            if isinstance(self.value, str) and self.value == choice:
                return choice
        return self.refuse("one of " + ", ".join(choices))

    def number(self) -> float:
        """A finite number."""
        if not _is_number(self.value):
            self.refuse("a number")
        number = _float(self.value)
        return number if math.isfinite(number) else self.refuse("a finite number")

    def positive(self) -> float:
        """A finite number above zero."""
        if not _is_number(self.value) or not 0 < _float(self.value) < math.inf:
            self.refuse("a positive number")
        return _float(self.value)

    def count(self, least: int = 0, most: int = 2**53) -> int:
        """A whole number."""
        if not isinstance(self.value, int) or isinstance(self.value, bool) or not least <= self.value <= most:
            self.refuse(f"a whole number from {least} to {most}")
        return self.value

    def label(self) -> str | int | float | bool:
        """What a class may be called: text, a number, true or false."""
        if isinstance(self.value, str):
            return self.text()
        if isinstance(self.value, bool):
            return self.value
        if isinstance(self.value, int):
            return self.value if abs(self.value) < _LARGEST_LABEL else self.refuse("an integer of 64 bits")
        return self.number() if isinstance(self.value, float) else self.refuse("a label (text, number, true or false)")

    # --- numbers ----------------------------------------------------------------------------------------

    def numbers(self, n: int) -> Array:
        """A list of n finite numbers."""
        if not isinstance(self.value, list):
            self.refuse(f"a list of {n} numbers")
        if len(self.value) != n:
            raise ModelFileError(f"{self.path} must have {n} numbers, got {len(self.value)}")
        if not all(map(_is_number, self.value)):
            next(field for field in self.items() if not _is_number(field.value)).refuse("a number")
        array = np.array([_float(value) for value in self.value], dtype=np.float64)
        bad = np.flatnonzero(~np.isfinite(array))
        if bad.size:
            Field(self.value[bad[0]], self, int(bad[0])).refuse("a finite number")
        return array

    def matrix(self, n_rows: int, n_columns: int) -> Array:
        """A list of rows."""
        if not isinstance(self.value, list):
            self.refuse(f"a list of {n_rows} lists")
        if len(self.value) != n_rows:
            raise ModelFileError(f"{self.path} must have {n_rows} rows, got {len(self.value)}")
        return np.array([row.numbers(n_columns) for row in self.items()]).reshape(n_rows, n_columns)


def _is_number(value: Any) -> bool:
    return type(value) is float or type(value) is int


def _float(value: float | int) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _described(value: Any) -> str:
    if isinstance(value, str):
        return shown(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict | list):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    text = repr(value)
    return text if len(text) <= 30 else f"{text[:30]}…"
