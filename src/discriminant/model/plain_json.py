"""JSON of unknown origin -> plain data, in bounded memory and time; and plain data -> JSON that people can read.

A text is measured before it is parsed: its bytes, its values and its depth. So no text, however it was made, can use up
memory or the stack. Numbers that are not finite, keys that occur twice and numbers of thousands of digits are refused.
The fields of a document are read as what they must be, or refused by their path in it.
"""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from discriminant.findings import shown
from discriminant.table.errors import SavedFileError

# Together they hold a table of 100,000 columns, and what is read of any text within them stays below 400 MB.
MOST_BYTES = 24 * 2**20
MOST_VALUES = 1_000_000
MOST_IN_A_ROW = 100_000  # values without a list or object between them
MOST_DEPTH = 64
_LONGEST_NUMBER = 1000  # digits; a float is written in 25 at most
_WIDTH = 180
_LARGEST_LABEL = 2**63

Choice = TypeVar("Choice", bound=str)

_BLOCK_BYTES = 2**20
_QUOTE = ord('"')
_COMMA = 1
# what a character means: 1 a comma, 2 an opening bracket (before each value stands one of them), -1 a closing one
_MARKS = np.zeros(256, dtype=np.int8)
_MARKS[[ord(c) for c in ",[{]}"]] = [1, 2, 2, -1, -1]
_STEPS = np.array([0, 0, 1, -1], dtype=np.int8)  # how much deeper each mark leads; -1 is the last


class ModelFileError(SavedFileError):
    """A file that is no model, or no longer one; one line that names the place in the document."""


# --- reading --------------------------------------------------------------------------------------------


def read_json(data: bytes, *, most_bytes: int = MOST_BYTES, most_values: int = MOST_VALUES) -> Any:
    """The value a JSON text stands for."""
    refuse_large(data, most_bytes=most_bytes, most_values=most_values)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelFileError(f"not JSON: byte {error.start} is not UTF-8 text") from None
    try:
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_float,
            parse_constant=_refuse_constant,
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise ModelFileError(f"not valid JSON at {where} ({error.msg}): the file is damaged or incomplete") from None


def refuse_large(data: bytes, *, most_bytes: int = MOST_BYTES, most_values: int = MOST_VALUES) -> None:
    """Bytes, values and depth within bounds, found without parsing."""
    if len(data) > most_bytes:
        raise ModelFileError(f"too large: such a file has at most {most_bytes // 2**20} MB")
    values = depth = in_a_row = 0
    for marks in _marks_outside_strings(data):
        values += int(np.count_nonzero(marks > 0))
        steps = np.cumsum(_STEPS[marks], dtype=np.int32)
        deepest = depth + int(steps.max(initial=0))
        depth += int(steps[-1]) if steps.size else 0
        brackets = np.flatnonzero(marks != _COMMA)
        runs = np.diff(brackets, prepend=-1 - in_a_row, append=marks.size)
        in_a_row = int(runs[-1]) - 1
        if values > most_values:
            raise ModelFileError(f"too large: such a file has at most {most_values:,} values")
        if int(runs.max()) > MOST_IN_A_ROW:
            raise ModelFileError(f"too large: such a file has at most {MOST_IN_A_ROW:,} values in a row")
        if deepest > MOST_DEPTH:
            raise ModelFileError(f"too deep: lists and objects stand in one another {MOST_DEPTH} times at most")


def _marks_outside_strings(data: bytes) -> Iterator[NDArray[np.int8]]:
    """What brackets and commas that are not between quotes mean, block by block."""
    if b"\\" in data:  # pairs of backslashes first: what is left before a quote then belongs to it
        data = data.replace(b"\\\\", b"__").replace(b'\\"', b"__")
    inside = False
    for start in range(0, len(data), _BLOCK_BYTES):
        characters = np.frombuffer(data, np.uint8, min(_BLOCK_BYTES, len(data) - start), start)
        within = np.logical_xor.accumulate(characters == _QUOTE) ^ inside
        inside = bool(within[-1])
        marks = _MARKS[characters]
        yield marks[~within & (marks != 0)]


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ModelFileError(f"the key {shown(twice)} occurs twice in one object")
    return found


def _integer(digits: str) -> int:
    if len(digits) > _LONGEST_NUMBER:
        raise ModelFileError(f"a number of {len(digits)} digits, {digits[:12]}…, is too long")
    return int(digits)


def _float(digits: str) -> float:
    if len(digits) > _LONGEST_NUMBER:
        raise ModelFileError(f"a number of {len(digits)} characters, {digits[:12]}…, is too long")
    number = float(digits)
    if math.isinf(number):
        raise ModelFileError(f"the number {shown(digits)[1:-1]} is too large")
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise ModelFileError(f"{name} is no number of a model: all must be finite")


# --- plain data -----------------------------------------------------------------------------------------


def plain(value: Any, path: str, depth: int = 0) -> Any:
    """Mappings, lists, text, numbers, true, false and None as JSON has them; anything else is refused by its path."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return plain_text(value, path)
    if isinstance(value, int):
        if abs(value) >= 10**_LONGEST_NUMBER:
            raise ModelFileError(f"{path} is an integer of too many digits")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ModelFileError(f"{path} must be finite, got {value}")
        return float(value)
    if depth > MOST_DEPTH:
        raise ModelFileError(f"{path[:80]}… is too deep: lists and objects within one another, {MOST_DEPTH} at most")
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise ModelFileError(f"{path} has the key {key!r}; keys must be text")
        return {plain_text(k, path): plain(v, f"{path}.{key_text(k)}", depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v, f"{path}[{i}]", depth + 1) for i, v in enumerate(value)]
    raise ModelFileError(f"{path} must be plain data (mappings, lists, text, numbers), got {type(value).__name__}")


def key_text(key: str) -> str:
    """A key of unknown origin within a path: quoted and cut short where it is no plain word."""
    return key if key.isascii() and key.isidentifier() and len(key) <= 40 else shown(key)


def plain_text(value: str, path: str) -> str:
    """Text that every encoding of Unicode can hold."""
    if not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
        raise ModelFileError(f"{path} holds half of a surrogate pair, which is no text")
    return value


# --- writing --------------------------------------------------------------------------------------------


def json_text(value: Any, indent: int = 0) -> str:
    """Plain data as JSON: what fits on a line on one line, lists of numbers filled, everything else indented."""
    compact = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if len(compact) + indent <= _WIDTH or not isinstance(value, dict | list) or not value:
        return compact
    pad = " " * (indent + 2)
    if isinstance(value, dict):
        parts = [f"{json.dumps(key, ensure_ascii=False)}: {json_text(item, indent + 2)}" for key, item in value.items()]
        body = f",\n{pad}".join(parts)
    elif any(isinstance(item, dict | list) for item in value):
        body = f",\n{pad}".join(json_text(item, indent + 2) for item in value)
    else:
        body = _fill_lines([json.dumps(item, ensure_ascii=False) for item in value], pad)
    left, right = "{}" if isinstance(value, dict) else "[]"
    return f"{left}\n{pad}{body}\n{' ' * indent}{right}"


def _fill_lines(items: list[str], pad: str) -> str:
    """Put as many items on a line as fit."""
    lines: list[list[str]] = [[]]
    length = len(pad)
    for item in items:
        if lines[-1] and length + len(item) + 2 > _WIDTH:
            lines.append([])
            length = len(pad)
        lines[-1].append(item)
        length += len(item) + 2
    return f",\n{pad}".join(", ".join(line) for line in lines)


# --- fields of a document ----------------------------------------------------------------------------------


class Field:
    """A value and where it stands: ``encoding.columns[3].features[0].scale``."""

    __slots__ = ("_key", "_parent", "value")

    def __init__(self, value: Any, parent: "Field | None" = None, key: str | int = "") -> None:
        self.value = value
        self._parent = parent
        self._key = key

    @property
    def path(self) -> str:
        """Where the field stands, from the top of the document."""
        if self._parent is None:
            return str(self._key) or "the document"
        if isinstance(self._key, int):
            return f"{self._parent.path}[{self._key}]"
        key = key_text(self._key)
        return key if self._parent._parent is None and not self._parent._key else f"{self._parent.path}.{key}"

    def refuse(self, wanted: str) -> NoReturn:
        """The error that the field is not what it must be."""
        raise ModelFileError(f"{self.path} must be {wanted}, got {_describe(self.value)}")

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
        number = _as_float(self.value)
        return number if math.isfinite(number) else self.refuse("a finite number")

    def positive(self) -> float:
        """A finite number above zero."""
        if not _is_number(self.value) or not 0 < _as_float(self.value) < math.inf:
            self.refuse("a positive number")
        return _as_float(self.value)

    def count(self, least: int = 0, most: int = 2**53) -> int:
        """A whole number."""
        if not isinstance(self.value, int) or isinstance(self.value, bool) or not least <= self.value <= most:
            self.refuse(f"a whole number from {least} to {most}")
        return self.value

    def label(self) -> str | int | float | bool:
        """What a class may be called: text, a number, true or false."""
        if isinstance(self.value, str):
            return self.text() if not self.value.endswith("\0") else self.refuse("a label without a NUL at its end")
        if isinstance(self.value, bool):
            return self.value
        if isinstance(self.value, int):
            return self.value if abs(self.value) < _LARGEST_LABEL else self.refuse("an integer of 64 bits")
        return self.number() if isinstance(self.value, float) else self.refuse("a label (text, number, true or false)")

    # --- numbers ----------------------------------------------------------------------------------------

    def numbers(self, n: int) -> NDArray[np.float64]:
        """A list of n finite numbers."""
        if not isinstance(self.value, list):
            self.refuse(f"a list of {n} numbers")
        if len(self.value) != n:
            raise ModelFileError(f"{self.path} must have {n} numbers, got {len(self.value)}")
        if not all(map(_is_number, self.value)):
            next(field for field in self.items() if not _is_number(field.value)).refuse("a number")
        array = np.array([_as_float(value) for value in self.value], dtype=np.float64)
        bad = np.flatnonzero(~np.isfinite(array))
        if bad.size:
            Field(self.value[bad[0]], self, int(bad[0])).refuse("a finite number")
        return array

    def matrix(self, n_rows: int, n_columns: int) -> NDArray[np.float64]:
        """A list of rows."""
        if not isinstance(self.value, list):
            self.refuse(f"a list of {n_rows} lists")
        if len(self.value) != n_rows:
            raise ModelFileError(f"{self.path} must have {n_rows} rows, got {len(self.value)}")
        return np.array([row.numbers(n_columns) for row in self.items()]).reshape(n_rows, n_columns)


def _is_number(value: Any) -> bool:
    return type(value) is float or type(value) is int


def _as_float(value: float | int) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _describe(value: Any) -> str:
    if isinstance(value, str):
        return shown(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict | list):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    text = repr(value)
    return text if len(text) <= 30 else f"{text[:30]}…"
