"""How a text table is written: delimiter, header, decimal comma; seen in its first rows."""

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from discriminant.findings import listed, shown
from discriminant.table.errors import TableError
from discriminant.table.texts import BLANK_TOKENS

_SNIFFED_ROWS = 200
# A text with commas may stand in a table that is separated by any of the others; the other way round is rare.
_DELIMITERS = ("\t", ";", "|", ",", "\x01", "^", "~", ":", "!", "#")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_COMMA_NUMBER = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
_MAYBE_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_POINT_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+")
_POINT_GROUPED_COMMA = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+,\d+")
_COMMA_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}((,\d{3}){2,}(\.\d+)?|,\d{3}\.\d+)")

Row = Sequence[str]


class Dialect(NamedTuple):
    """How the rows are written."""

    delimiter: str
    names: tuple[str, ...]
    has_header: bool
    decimal_comma: bool
    notes: tuple[str, ...]


def rows_of(text: str, delimiter: str, most: int = _SNIFFED_ROWS) -> list[Row]:
    """The first rows of a text, cells trimmed; empty lines left out."""
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    rows: list[Row] = []
    for cells in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
        if any(cell.strip() for cell in cells) or len(cells) > 1:
            rows.append([cell.strip() for cell in cells])
        if len(rows) >= most:
            break
    return rows


def sniff_dialect(text: str, name: str, delimiter: str | None) -> Dialect:
    """From the beginning of a text that ends at the end of a row (or of the file)."""
    delimiter = checked_delimiter(delimiter) if delimiter is not None else sniff_delimiter(text)
    rows = rows_of(text, delimiter)
    if not rows:
        raise TableError(f"{name} is empty", "name a table with a header line and rows")
    has_header = not looks_like_data(rows[0])
    names, notes = named(rows[0], name, has_header)
    comma, example = sniff_decimal_comma(rows[has_header:], delimiter)
    if comma:
        notes.append(f"{name} has decimal commas: {example} was read as {with_point(example)}.")
    return Dialect(delimiter, names, has_header, comma, tuple(notes))


def checked_delimiter(delimiter: str) -> str:
    """A delimiter as a person gives it."""
    delimiter = {"\\t": "\t", "tab": "\t", "comma": ",", "semicolon": ";", "space": " "}.get(delimiter, delimiter)
    if len(delimiter) != 1 or delimiter in '"\r\n' or not delimiter.isascii():
        raise TableError(f"{shown(delimiter)} is no delimiter", "give one character, such as ; or tab")
    return delimiter


def sniff_delimiter(text: str) -> str:
    """The character that cuts most rows into as many cells as the first one."""
    best, best_share = ",", 0.0
    for candidate in _DELIMITERS:
        if candidate not in text:
            continue
        share = _agreement(rows_of(text, candidate))
        if share > best_share + 0.05:
            best, best_share = candidate, share
    if best_share == 0.0 and " " in text:
        rows = rows_of(text, " ")
        if rows and len(rows[0]) > 2 and _agreement(rows) == 1.0:
            return " "
    return best


def _agreement(rows: list[Row]) -> float:
    """Share of rows with as many cells as the first, 0 if that is a single cell."""
    if not rows or len(rows[0]) < 2:
        return 0.0
    return Counter(len(row) for row in rows)[len(rows[0])] / len(rows)


def looks_like_data(row: Row) -> bool:
    """Whether a first line is no header: it holds numbers and nothing else."""
    filled = [cell for cell in row if cell not in BLANK_TOKENS]
    return bool(filled) and all(_NUMBER.fullmatch(cell) or _COMMA_NUMBER.fullmatch(cell) for cell in filled)


def named(first: Row, name: str, has_header: bool) -> tuple[tuple[str, ...], list[str]]:
    """Names of the columns, each once, and what was done to them."""
    if not has_header:
        names = tuple(f"column {j + 1}" for j in range(len(first)))
        return names, [
            f"{name} has no header line (its first line holds only numbers): the columns are {_span(names)}."
        ]
    names, notes = distinct_names(first, name)
    numeric = [cell for cell in first if _NUMBER.fullmatch(cell)]
    if numeric:
        notes.append(
            f"{name} has column names that look like data ({listed(numeric, 3)}): "
            "if its first line is no header, add one."
        )
    return names, notes


def distinct_names(given: Row, name: str) -> tuple[tuple[str, ...], list[str]]:
    """Names trimmed, empty ones numbered, repeated ones told apart; and what was done."""
    notes: list[str] = []
    trimmed = [cell.strip() or f"column {j + 1}" for j, cell in enumerate(given)]
    nameless = [new for cell, new in zip(given, trimmed, strict=True) if not cell.strip()]
    if nameless:
        notes.append(f"{name} has columns without a name: {listed(nameless)}.")
    taken = set(trimmed)
    seen: Counter[str] = Counter()
    names: list[str] = []
    renamed: list[str] = []
    for cell in trimmed:
        seen[cell] += 1
        if seen[cell] > 1:
            while (new := f"{cell} ({seen[cell]})") in taken:
                seen[cell] += 1
            taken.add(new)
            renamed.append(new)
            cell = new
        names.append(cell)
    if renamed:
        notes.append(f"{name} repeats column names: the later ones are called {listed(renamed)}.")
    return tuple(names), notes


def _span(names: Row) -> str:
    return f"called {names[0]!r}" if len(names) == 1 else f"called {names[0]!r} to {names[-1]!r}"


def sniff_decimal_comma(rows: Sequence[Row], delimiter: str) -> tuple[bool, str]:
    """Whether numbers are written 3,14; and one of them. Decimal points beside them, or 1,234,567, speak against it."""
    if delimiter == ",":
        return False, ""
    sure, unsure = "", ""
    for row in rows:
        for cell in row:
            if _COMMA_GROUPED.fullmatch(cell):
                return False, ""
            if _NUMBER.fullmatch(cell) and "." in cell and not _POINT_GROUPED.fullmatch(cell):
                return False, ""
            if _POINT_GROUPED_COMMA.fullmatch(cell) or _COMMA_NUMBER.fullmatch(cell):
                if _MAYBE_GROUPED.fullmatch(cell):
                    unsure = unsure or cell
                else:
                    sure = sure or cell
    # Spreadsheets separate with semicolons just where the comma is taken by decimals.
    example = sure or (unsure if delimiter == ";" else "")
    return bool(example), example


def with_point(cell: str) -> str:
    """3,14 as 3.14 and 1.234,5 as 1234.5."""
    return cell.replace(".", "").replace(",", ".")
