"""What a text cell is read as, for all that read one: the model, its exports, and `docs/text-cells.md`.

around it     `SPACES` do not count; characters without width do, and so no text with one of them is a number
blank         nothing, one of `BLANK_TOKENS`, or a text that the column counts as blank
number        `PLAIN_NUMBER`, or `GROUPED_NUMBER` with its commas taken out; in a column with a `NumberFormat`,
              its pattern and nothing else. What is larger than any double is no number
flag          true, false, 1 or 0; capitals do not count
date          `date_pattern` of ISO 8601 or of the format of the column, and in the calendar from the year 1 on
category      the same characters as a level or one of its spellings; every other text is one never seen
"""

import re

SPACES = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
PLAIN_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
GROUPED_NUMBER = r"^[+-]?[1-9][0-9]{0,2}((,[0-9]{3}){2,}(\.[0-9]+)?|,[0-9]{3}\.[0-9]+)$"


def escaped(text: str) -> str:
    """A text as part of a regular expression, in the dialects of every language that has them."""
    return re.sub(r"([\\^$.*+?()\[\]{}|/])", r"\\\1", text)
