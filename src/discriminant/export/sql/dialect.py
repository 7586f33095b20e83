"""What databases write differently: names, texts, types, dates, and what a blank or an unreadable cell is.

A cell is read as whether it is blank and as its raw number (NULL where it cannot be read, so that the score is NULL and
not wrong), or as its text. Columns may hold what they were meant for, or texts, which are read as the model reads them.
Numbers are written with an exponent, which makes them double precision where plain decimals are not, and negative ones
in parentheses, since two hyphens start a comment.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

from discriminant.export.literals import ExportError
from discriminant.export.plan import NumberColumn
from discriminant.model.decision_model import Label

_LARGEST = "1.7976931348623157e308"


class Dialect(ABC):
    """Standard SQL, as far as there is one."""

    name: ClassVar[str] = ""
    double: ClassVar[str] = "DOUBLE PRECISION"
    largest_function: ClassVar[str] = "GREATEST"
    most_columns: ClassVar[int | None] = None
    longest_name: ClassVar[int | None] = None
    case_matters: ClassVar[bool] = False
    flat_steps: ClassVar[bool] = False  # where queries may not be nested deep
    reads_formats: ClassVar[bool] = True  # of numbers as people write them
    # Leaves columns out of a *; where there is such a word, a step reads every cell once and is left out of the result.
    leaving_out: ClassVar[str] = ""
    # Around a step, so that the optimiser does not put its expressions in place of their names in the next: a score
    # would be computed again wherever it stands.
    before_step: ClassVar[str] = ""
    after_step: ClassVar[str] = ""
    infinity: ClassVar[str] = "CAST('Infinity' AS DOUBLE PRECISION)"
    # of a cell {x}
    text_test: ClassVar[str] = "TRUE"  # whether it holds a text; all do where every cell is read by its text
    text_cast: ClassVar[str]  # as a text, of whatever type it is
    trim: ClassVar[str]  # its text without spaces around it
    number_cast: ClassVar[str] = "NULL"  # the number of a cell that is no text
    days_cast: ClassVar[str] = "NULL"  # days since 1970-01-01 of a cell that is no text; a number says no unit

    # --- names and values -------------------------------------------------------------------------------

    def identifier(self, name: str) -> str:
        """A quoted name."""
        return '"' + without_nul(name).replace('"', '""') + '"'

    def table(self, name: str) -> str:
        """A table, perhaps with its schema: a dot separates them."""
        return ".".join(self.identifier(part) for part in name.split("."))

    def text(self, text: str) -> str:
        """A quoted text."""
        return "'" + without_nul(text).replace("'", "''") + "'"

    def number(self, x: float) -> str:
        """A double."""
        digits = repr(float(x))
        digits = digits if "e" in digits else digits + "e0"
        return f"({digits})" if digits.startswith("-") else digits

    def label(self, label: Label) -> str:
        """An answer, as what it is."""
        if isinstance(label, bool):
            return "TRUE" if label else "FALSE"
        if isinstance(label, int):
            return f"({label})" if label < 0 else str(label)
        return self.number(label) if isinstance(label, float) else self.text(label)

    # --- cells ------------------------------------------------------------------------------------------

    def is_text(self, x: str) -> str:
        """Whether a cell holds a text."""
        return self.text_test.format(x=x)

    def trimmed(self, x: str) -> str:
        """The text of a cell without spaces around it."""
        return self.trim.format(x=x)

    @abstractmethod
    def number_of_text(self, text: str, column: NumberColumn) -> str:
        """The number of a text without spaces around it; NULL if it is none."""

    @abstractmethod
    def days_of_text(self, text: str, column: NumberColumn) -> str:
        """Days since 1970-01-01 of such a text."""

    def given(self, value: str, body: Callable[[str], str]) -> str:
        """An expression that uses a value many times."""
        return body(value)

    def blank_text(self, x: str, texts: Sequence[str]) -> str:
        """Whether a cell is NULL or a text that stands for nothing."""
        return f"{x} IS NULL OR {self.trimmed(x)} IN ({', '.join(self.text(t) for t in texts)})"

    def blank(self, x: str, column: NumberColumn) -> str:
        """Whether a cell of a number, flag or date is blank."""
        return self.blank_text(x, column.blank_texts)

    def raw(self, x: str, column: NumberColumn) -> str:
        """The number of a cell that is not blank; NULL if it has none."""
        return {"number": self._number, "flag": self.flag, "date": self._days}[column.kind](x, column)

    def _number(self, x: str, column: NumberColumn) -> str:
        text = self.number_of_text(self.trimmed(x), column)
        return f"CASE WHEN {self.is_text(x)} THEN {text} ELSE {self.number_cast.format(x=x)} END"

    def _days(self, x: str, column: NumberColumn) -> str:
        text = self.days_of_text(self.trimmed(x), column)
        return f"CASE WHEN {self.is_text(x)} THEN {text} ELSE {self.days_cast.format(x=x)} END"

    def flag(self, x: str, column: NumberColumn) -> str:
        """1 for true and 0 for false, however the database stores them; a number is written 1.0 by some."""
        word, number = f"LOWER({self.trimmed(x)})", f"NOT ({self.is_text(x)}) AND {self.text_cast.format(x=x)}"
        yes, no = f"{word} IN ('true', '1') OR ({number} = '1.0')", f"{word} IN ('false', '0') OR ({number} = '0.0')"
        return f"CASE WHEN {yes} THEN {self.number(1.0)} WHEN {no} THEN {self.number(0.0)} END"

    def finite(self, x: str) -> str:
        """Whether a double is neither infinite nor NaN."""
        return f"{x} BETWEEN (-{_LARGEST}) AND {_LARGEST}"


def without_nul(text: str) -> str:
    """The text, if SQL can write it."""
    if "\0" in text:
        raise ExportError(f"{text!r} holds a NUL character, which SQL cannot write; export to python or js instead")
    return text
