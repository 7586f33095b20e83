"""Numbers, texts and answers as formulas write them; texts of cells without spaces around them, blank, or the same.

TRIM takes away spaces of one kind only, and also those within a text, so it is used only to find where a text begins
and ends.
"""

import re
from collections.abc import Sequence

from discriminant.export.literals import ExportError
from discriminant.model.decision_model import Label
from discriminant.table.texts import SPACES

_CONTROLS = {chr(i) for i in (*range(1, 32), 127)}
_PIECE = 120  # characters of a text; Excel allows 255, and counts some of them twice
_MARK = "CHAR(1)&CHAR(2)&CHAR(1)"  # stands for no text that a person has

COMMON_SPACES = "\t\n\r\xa0\u2009\u202f"


def with_plain_spaces(cell: str, spaces: str = SPACES) -> str:
    """Every kind of space as the usual one; as long as before."""
    for space in spaces.replace(" ", ""):
        cell = f'SUBSTITUTE({cell},{text_literal(space)}," ")'
    return cell


def trim_formula(cell: str, plain: str) -> str:
    """A text without spaces around it, given where it stands with plain spaces."""
    first, last = f"FIND(LEFT(TRIM({plain}),1),{plain})", f"RIGHT(TRIM({plain}),1)"
    times = f'LEN({plain})-LEN(SUBSTITUTE({plain},{last},""))'
    end = f"FIND({_MARK},SUBSTITUTE({plain},{last},{_MARK},{times}))"
    return f'IF(TRIM({plain})="","",MID({cell},{first},{end}-{first}+1))'


def is_blank(cell: str, texts: Sequence[str], plain: str | None = None) -> str:
    """Whether a cell is empty or holds one of the texts, spaces around it aside; ``plain``: with plain spaces."""
    said = {text: text_literal(text) for text in ("", *texts)}
    short = [text for text in said if re.fullmatch(r"[^\x00-\x1f\x7f\"(_]{0,100}", text)]  # others may be in parts
    listed = ",".join(said[text] for text in short)
    others = (is_text(f"TRIM({cell})", text) for text in said if text not in short)
    return f"OR({','.join([f'EXACT(TRIM({plain or cell}),{{{listed}}})', *others])})"


def is_text(cell: str, text: str) -> str:
    """Whether a cell holds a text; lines may end in other ways."""
    held = cell
    if "\r" in text:
        held = f"SUBSTITUTE(SUBSTITUTE({held},CHAR(13)&CHAR(10),CHAR(10)),CHAR(13),CHAR(10))"
    return f"EXACT({held},{text_literal(with_cell_line_ends(text))})"


def number(x: float) -> str:
    """15 digits; negative numbers in parentheses, the tiniest are 0."""
    if abs(x) > 9.99e307:
        raise ExportError(f"{x!r} is larger than any number of Excel")
    digits = "0" if abs(x) < 2.3e-308 else f"{x:.15g}".replace("e", "E")
    return f"({digits})" if digits.startswith("-") else digits


def text_literal(text: str) -> str:
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
    """Quote a text; in parts where something looks like _x0041_, which stands for a character, or like a function."""
    parts = re.split(r"(?<=_)(?=x[0-9a-fA-F]{4}_)|(?<=\w)(?=\()", piece)
    return "&".join('"' + part.replace('"', '""') + '"' for part in parts)


def spreadsheet_label(label: Label) -> str | float | bool:
    """A label as a cell holds it: a number as text where a spreadsheet would round it."""
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
    return text_literal(value) if isinstance(value, str) else number(value)


def with_cell_line_ends(text: str) -> str:
    """Lines in a cell end with LF; some spreadsheets make every other line end one, some keep them."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
