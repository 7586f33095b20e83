"""What databases write differently: names, texts, types, dates, and what a blank or an unreadable cell is.

A cell is read as whether it is blank and as its raw number (NULL where it cannot be read, so that the score is NULL and
not wrong), or as its text. Where a database itself refuses what it cannot read, raw numbers are NULL for blanks alone.
Numbers are written with an exponent, which makes them double precision where plain decimals are not, and negative ones
in parentheses, since two hyphens start a comment.
"""

from collections.abc import Sequence
from typing import ClassVar

from discriminant.export.errors import ExportError
from discriminant.model.decision_model import Label
from discriminant.table.blanks import BLANK_TOKENS

_TOKENS = BLANK_TOKENS
_LARGEST = "1.7976931348623157e308"


class Dialect:
    """Standard SQL, as far as there is one."""

    name: ClassVar[str] = ""
    double: ClassVar[str] = "DOUBLE PRECISION"
    largest_function: ClassVar[str] = "GREATEST"
    most_columns: ClassVar[int | None] = None
    longest_name: ClassVar[int | None] = None
    case_matters: ClassVar[bool] = False
    # Around a step, so that the optimiser does not put its expressions in place of their names in the next: a score
    # would be computed again wherever it stands.
    before_step: ClassVar[str] = ""
    after_step: ClassVar[str] = ""

    # --- names and values -------------------------------------------------------------------------------

    def identifier(self, name: str) -> str:
        """A quoted name."""
        return '"' + _without_nul(name).replace('"', '""') + '"'

    def table(self, name: str) -> str:
        """A table, perhaps with its schema: a dot separates them."""
        return ".".join(self.identifier(part) for part in name.split("."))

    def text(self, text: str) -> str:
        """A quoted text."""
        return "'" + _without_nul(text).replace("'", "''") + "'"

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

    def trimmed(self, x: str) -> str:
        """The text of a cell without blanks around it."""
        raise NotImplementedError

    def blank_text(self, x: str, texts: Sequence[str] = _TOKENS) -> str:
        """Whether a cell is NULL or a text that stands for nothing."""
        return f"{x} IS NULL OR {self.trimmed(x)} IN ({', '.join(self.text(t) for t in texts)})"

    def blank(self, x: str, kind: str) -> str | None:
        """Whether a cell of a number, flag or date is blank; None where its raw number is NULL for blanks alone."""
        return self.blank_text(x) if kind == "flag" else None

    def raw(self, x: str, kind: str) -> str:
        """The number of a cell that is not blank; NULL if it has none."""
        return {"number": self.value, "flag": self.flag, "date": self.days}[kind](x)

    def value(self, x: str) -> str:
        """A number, NULL for NaN."""
        return f"NULLIF(CAST({x} AS {self.double}), CAST('NaN' AS {self.double}))"

    def finite(self, x: str) -> str:
        """Whether a double is neither infinite nor NaN."""
        return f"{x} BETWEEN (-{_LARGEST}) AND {_LARGEST}"

    def flag(self, x: str) -> str:
        """1 for true and 0 for false, however the database stores them."""
        word = f"LOWER({self.trimmed(x)})"
        true, false = self.number(1.0), self.number(0.0)
        yes, no = f"{word} IN ('true', '1', '1.0')", f"{word} IN ('false', '0', '0.0')"
        return f"CASE WHEN {yes} THEN {true} WHEN {no} THEN {false} END"

    def days(self, x: str) -> str:
        """Days since 1970-01-01."""
        raise NotImplementedError


class SQLite(Dialect):
    """Any cell may hold anything, whatever its column was declared as: text is read as a text file would be."""

    name = "sqlite"
    double = "REAL"
    largest_function = "MAX"
    most_columns = 2000
    before_step = "MATERIALIZED "

    def trimmed(self, x: str) -> str:
        """Without blanks around it."""
        return f"TRIM({x}, CHAR(9, 10, 11, 12, 13, 32)) COLLATE BINARY"

    def blank(self, x: str, kind: str) -> str:
        """Any text that stands for nothing, in every kind of column."""
        return self.blank_text(x)

    def value(self, x: str) -> str:
        """A number, or a text that is one."""
        plain = f"TRIM({x}, CHAR(9, 10, 11, 12, 13, 32))"
        return (
            f"CASE WHEN TYPEOF({x}) IN ('integer', 'real') THEN {x} "
            f"WHEN {x} GLOB '*[0-9]*' AND NOT {plain} GLOB '*[^-+.0-9eE]*' THEN CAST({plain} AS REAL) END"
        )

    def days(self, x: str) -> str:
        """Since 1970-01-01."""
        # a number would be taken for a Julian day, and the 30th of February for the 2nd of March
        start = f"SUBSTR(TRIM({x}), 1, 10)"
        is_date = f"TYPEOF({x}) = 'text' AND DATE({start}, '+0 days') = {start}"
        return f"CASE WHEN {is_date} THEN JULIANDAY(TRIM({x})) - 2440587.5e0 END"


class DuckDB(Dialect):
    """Dates are DATE, TIMESTAMP or TIMESTAMP WITH TIME ZONE."""

    name = "duckdb"
    double = "DOUBLE"

    def trimmed(self, x: str) -> str:
        """Without blanks around it."""
        return f"TRIM(CAST({x} AS VARCHAR), ' ' || CHR(9) || CHR(10) || CHR(11) || CHR(12) || CHR(13))"

    def days(self, x: str) -> str:
        """Since 1970-01-01."""
        return f"EPOCH_US({x}) / 86400000000e0"


class PostgreSQL(Dialect):
    """Backslashes are escaped in E'' texts, which mean the same under every setting of the server."""

    name = "postgresql"
    case_matters = True
    longest_name = 63
    after_step = "\n  OFFSET 0"

    def text(self, text: str) -> str:
        """A quoted text."""
        plain = super().text(text)
        return "E" + plain.replace("\\", "\\\\") if "\\" in text else plain

    def trimmed(self, x: str) -> str:
        """Without blanks around it."""
        return f"BTRIM(CAST({x} AS TEXT), E' \\t\\n\\x0b\\f\\r')"

    def days(self, x: str) -> str:
        """Since 1970-01-01."""
        return f"CAST(EXTRACT(EPOCH FROM {x}) AS DOUBLE PRECISION) / 86400e0"


class BigQuery(Dialect):
    """Texts and names have backslash escapes, names stand in backticks."""

    name = "bigquery"
    double = "FLOAT64"

    def identifier(self, name: str) -> str:
        """A name in backticks."""
        return "`" + _backslashed(_without_nul(name), "`") + "`"

    def table(self, name: str) -> str:
        """Project, dataset and table in one pair of backticks."""
        return self.identifier(name)

    def text(self, text: str) -> str:
        """A quoted text."""
        return "'" + _backslashed(_without_nul(text), "'") + "'"

    def trimmed(self, x: str) -> str:
        """Without blanks around it."""
        return f"TRIM(CAST({x} AS STRING), ' \\t\\n\\v\\f\\r')"

    def value(self, x: str) -> str:
        """A number, or a text that is one."""
        value = f"CAST({x} AS FLOAT64)"
        return f"IF(IS_NAN({value}), NULL, {value})"

    def days(self, x: str) -> str:
        """Since 1970-01-01."""
        return f"UNIX_MICROS(CAST({x} AS TIMESTAMP)) / 86400000000e0"


DIALECTS: dict[str, Dialect] = {d.name: d for d in (SQLite(), DuckDB(), PostgreSQL(), BigQuery())}


def _backslashed(text: str, quote: str) -> str:
    escaped = text.replace("\\", "\\\\").replace(quote, "\\" + quote)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped)


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise ExportError(f"{text!r} holds a NUL character, which SQL cannot write; export to python or js instead")
    return text
