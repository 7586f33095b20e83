"""Texts of cells in formulas: without spaces around them, blank, or the same as a text.

TRIM takes away spaces of one kind only, and also those within a text, so it is used only to find where a text begins
and ends.
"""

import re
from collections.abc import Sequence

from discriminant.export.excel_literals import quoted, with_cell_line_ends
from discriminant.table.texts import SPACES

_MARK = "CHAR(1)&CHAR(2)&CHAR(1)"  # stands for no text that a person has


COMMON_SPACES = "\t\n\r\xa0\u2009\u202f"


def with_plain_spaces(cell: str, spaces: str = SPACES) -> str:
    """Every kind of space as the usual one; as long as before."""
    for space in spaces.replace(" ", ""):
        cell = f'SUBSTITUTE({cell},{quoted(space)}," ")'
    return cell


def trimmed(cell: str, plain: str) -> str:
    """A text without spaces around it, given where it stands with plain spaces."""
    first, last = f"FIND(LEFT(TRIM({plain}),1),{plain})", f"RIGHT(TRIM({plain}),1)"
    times = f'LEN({plain})-LEN(SUBSTITUTE({plain},{last},""))'
    end = f"FIND({_MARK},SUBSTITUTE({plain},{last},{_MARK},{times}))"
    return f'IF(TRIM({plain})="","",MID({cell},{first},{end}-{first}+1))'


def is_blank(cell: str, texts: Sequence[str], plain: str | None = None) -> str:
    """Whether a cell is empty or holds one of the texts, spaces around it aside; ``plain``: with plain spaces."""
    said = {text: quoted(text) for text in ("", *texts)}
    short = [text for text in said if re.fullmatch(r"[^\x00-\x1f\x7f\"(_]{0,100}", text)]  # others may be in parts
    listed = ",".join(said[text] for text in short)
    others = (is_text(f"TRIM({cell})", text) for text in said if text not in short)
    return f"OR({','.join([f'EXACT(TRIM({plain or cell}),{{{listed}}})', *others])})"


def is_text(cell: str, text: str) -> str:
    """Whether a cell holds a text; lines may end in other ways."""
    held = cell
    if "\r" in text:
        held = f"SUBSTITUTE(SUBSTITUTE({held},CHAR(13)&CHAR(10),CHAR(10)),CHAR(13),CHAR(10))"
    return f"EXACT({held},{quoted(with_cell_line_ends(text))})"
