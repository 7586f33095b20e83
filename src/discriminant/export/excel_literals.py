"""Numbers, texts and answers as formulas write them."""

import re

from discriminant.export.errors import ExportError
from discriminant.model.decision_model import Label

_CONTROLS = {chr(i) for i in (*range(1, 32), 127)}
_PIECE = 120  # characters of a text; Excel allows 255, and counts some of them twice


def number(x: float) -> str:
    """15 digits; negative numbers in parentheses, the tiniest are 0."""
    if abs(x) > 9.99e307:
        raise ExportError(f"{x!r} is larger than any number of Excel")
    digits = "0" if abs(x) < 2.3e-308 else f"{x:.15g}".replace("e", "E")
    return f"({digits})" if digits.startswith("-") else digits


def quoted(text: str) -> str:
    """Quotes doubled, control characters by number; in pieces, since a text in a formula has at most 255 characters."""
    refuse_odd_characters(text)
    pieces = re.findall(rf"[\x01-\x1f\x7f]|[^\x01-\x1f\x7f]{{1,{_PIECE}}}", text) or [""]
    return "&".join(f"CHAR({ord(p)})" if p in _CONTROLS else _in_quotes(p) for p in pieces)


def refuse_odd_characters(text: str) -> None:
    """Characters that no file of a workbook can hold."""
    for character, name in (("\0", "a NUL character"), ("\ufffe", "U+FFFE"), ("\uffff", "U+FFFF")):
        if character in text:
            raise ExportError(f"{text!r} holds {name}, which a spreadsheet cannot; export to python or js instead")


def _in_quotes(piece: str) -> str:
    """In parts where something looks like _x0041_, which in a file stands for a character, or like a function."""
    parts = re.split(r"(?<=_)(?=x[0-9a-fA-F]{4}_)|(?<=\w)(?=\()", piece)
    return "&".join('"' + part.replace('"', '""') + '"' for part in parts)


def spreadsheet_label(label: Label) -> str | float | bool:
    """As a cell holds it: a number as text where a spreadsheet would round it."""
    if isinstance(label, bool):
        return label
    if isinstance(label, str):
        return with_cell_line_ends(label)
    return label if abs(label) < 1e300 and float(f"{float(label):.15g}") == label else str(label)


def label_literal(label: Label) -> str:
    """An answer in a formula."""
    value = spreadsheet_label(label)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return quoted(value) if isinstance(value, str) else number(value)


def with_cell_line_ends(text: str) -> str:
    """Lines in a cell end with LF; some spreadsheets make every other line end one, some keep them."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
