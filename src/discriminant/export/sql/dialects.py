"""The databases."""

from collections.abc import Callable
from dataclasses import replace

from discriminant.export.plan import NumberColumn
from discriminant.export.sql import sqlite_texts
from discriminant.export.sql.dialect import Dialect, without_nul
from discriminant.export.sql.regex_texts import RegexDialect
from discriminant.table.texts import SPACES

_CODES = ", ".join(str(ord(space)) for space in SPACES)
_ESCAPED_SPACES = "'" + "".join(f"\\u{ord(space):04x}" for space in SPACES) + "'"


class SQLite(Dialect):
    """Any cell may hold anything, whatever its column was declared as: each is read as what it is."""

    name = "sqlite"
    double = "REAL"
    largest_function = "MAX"
    most_columns = 2000
    before_step = "MATERIALIZED "
    flat_steps = True
    infinity = "9e999"
    text_test = "TYPEOF({x}) = 'text'"
    text_cast = "{x}"  # as it is: 1 is '1' and 1.0 is '1.0'
    trim = f"TRIM({{x}}, CHAR({_CODES})) COLLATE BINARY"
    number_cast = "CASE WHEN TYPEOF({x}) IN ('integer', 'real') THEN {x} END"  # the rest are blobs

    def blank(self, x: str, column: NumberColumn) -> str:
        """Numbers need not be made texts for it."""
        texts = ", ".join(map(self.text, column.blank_texts))
        return f"{x} IS NULL OR (TYPEOF({x}) = 'text' AND {self.trimmed(x)} IN ({texts}))"

    def given(self, value: str, body: Callable[[str], str]) -> str:
        """Give the value a name, as the only column of a row."""
        return f"(SELECT {body('given.x')} FROM (SELECT {value} AS x) AS given)"

    def flag(self, x: str, column: NumberColumn) -> str:
        """Stored as 1 and 0, or as texts."""
        word = f"LOWER({self.trimmed(x)})"
        number = f"CASE {x} WHEN 1 THEN 1e0 WHEN 0 THEN 0e0 END"
        text = f"CASE {word} WHEN 'true' THEN 1e0 WHEN '1' THEN 1e0 WHEN 'false' THEN 0e0 WHEN '0' THEN 0e0 END"
        return f"CASE TYPEOF({x}) WHEN 'text' THEN {text} WHEN 'blob' THEN NULL ELSE {number} END"

    def number_of_text(self, text: str, column: NumberColumn) -> str:
        """Read the text step by step."""
        form = column.number_format
        read = sqlite_texts.plain_number(text) if form is None else sqlite_texts.written_number(text, form)
        return _without_nuls(text, read)

    def days_of_text(self, text: str, column: NumberColumn) -> str:
        """Read the text step by step."""
        forms = [sqlite_texts.days(text, form) for form in column.date_formats]
        return _without_nuls(text, f"COALESCE({', '.join(forms)})" if len(forms) > 1 else forms[0])


def _without_nuls(text: str, read: str) -> str:
    """Some functions of SQLite see a text only up to its first NUL character, which no number or date has."""
    return f"CASE WHEN INSTR({text}, CHAR(0)) = 0 THEN {read} END"


class DuckDB(RegexDialect):
    """Dates are DATE, TIMESTAMP or TIMESTAMP WITH TIME ZONE; TYPEOF is known before a row is read."""

    name = "duckdb"
    double = "DOUBLE"
    leaving_out = "EXCLUDE"
    infinity = "CAST('Infinity' AS DOUBLE)"
    text_test = "TYPEOF({x}) = 'VARCHAR'"
    text_cast = "CAST({x} AS VARCHAR)"
    trim = f"TRIM({text_cast}, {' || '.join(f'CHR({ord(space)})' for space in SPACES)})"
    number_cast = "TRY_CAST({x} AS DOUBLE)"
    days_cast = (
        "CASE WHEN TYPEOF({x}) = 'TIMESTAMP WITH TIME ZONE' THEN EPOCH_US(TRY_CAST({x} AS TIMESTAMPTZ)) "
        "ELSE EPOCH_US(TRY_CAST({x} AS TIMESTAMP)) END / 86400000000e0"
    )
    match_test = "REGEXP_FULL_MATCH({text}, {pattern})"
    group_text = "REGEXP_EXTRACT({text}, {pattern}, 1)"
    double_cast = "TRY_CAST({text} AS DOUBLE)"  # infinity is refused with the score

    def blank(self, x: str, column: NumberColumn) -> str:
        """Texts are looked at where there are any."""
        texts = f"{self.trimmed(x)} IN ({', '.join(map(self.text, column.blank_texts))})"
        nan = f"COALESCE(ISNAN(TRY_CAST({x} AS DOUBLE)), FALSE)" if column.kind != "date" else "FALSE"
        return f"{x} IS NULL OR CASE WHEN {self.is_text(x)} THEN {texts} ELSE {nan} END"

    def day_of(self, year: str, month: str, day: str) -> str:
        """The calendar has a year 0."""
        date = f"TRY_CAST(CONCAT(NULLIF({year}, '0000'), '-', {month}, '-', {day}) AS DATE)"
        return f"({date} - DATE '1970-01-01')"


class PostgreSQL(RegexDialect):
    """Backslashes are escaped in E'' texts, which mean the same under every setting of the server."""

    name = "postgresql"
    case_matters = True
    longest_name = 63
    after_step = "\n  OFFSET 0"
    text_test = "CAST(PG_TYPEOF({x}) AS TEXT) IN ('text', 'character varying', 'character')"
    text_cast = "CAST({x} AS TEXT)"
    trim = f"BTRIM({text_cast}, E{_ESCAPED_SPACES})"
    # the tiniest are 0: what underflows is an error of the whole query
    number_cast = (
        "CASE WHEN ABS(CAST({x} AS DOUBLE PRECISION)) < 1e-290 THEN 0e0 ELSE CAST({x} AS DOUBLE PRECISION) END"
    )
    match_test = "{text} ~ {pattern}"

    def text(self, text: str) -> str:
        """A quoted text."""
        plain = super().text(text)
        return "E" + plain.replace("\\", "\\\\") if "\\" in text else plain

    def given(self, value: str, body: Callable[[str], str]) -> str:
        """Give the value a name, as the only column of a row; OFFSET keeps it from being put in place of its name."""
        return f"(SELECT {body('given.x')} FROM (SELECT {value} AS x OFFSET 0) AS given)"

    def raw(self, x: str, column: NumberColumn) -> str:
        """Dates are read by their text in ISO 8601, whatever type they have: EXTRACT takes no column of texts."""
        if column.kind != "date":
            return super().raw(x, column)
        return self.days_of_text(f"BTRIM(TO_JSONB({x}) #>> '{{}}', E{_ESCAPED_SPACES})", column)

    def with_groups(self, text: str, pattern: str, body: Callable[[Callable[[int], str]], str]) -> str:
        """Match the text once, whatever is taken of it."""
        matched = f"(SELECT REGEXP_MATCH({text}, {self.text(pattern)}) AS found OFFSET 0) AS matched"
        read = body(lambda place: f"COALESCE(matched.found[{place}], '')")
        return f"(SELECT {read} FROM {matched})"

    def double_of(self, text: str) -> str:
        """Numbers beyond double precision are errors of PostgreSQL: they are told by their decimal value before.

        Such a value has a limit of its own, so exponents have at most four digits and numbers a thousand characters.
        """
        short, tiny = f"LENGTH({text}) <= 1000", f"{text} ~ '[eE]-0*[1-9][0-9]{{4}}'"
        fits = f"{short} AND {text} !~ '[eE][+]?0*[1-9][0-9]{{4}}'"
        size = f"ABS(CAST({text} AS NUMERIC))"
        exact = f"WHEN {size} < 1e-290 THEN 0e0 WHEN {size} < 1.797693134862315e308 THEN CAST({text} AS {self.double})"
        return f"CASE WHEN {short} AND {tiny} THEN 0e0 WHEN {fits} THEN CASE {exact} END END"

    def day_of(self, year: str, month: str, day: str) -> str:
        """The day after so many from the first of the month, if it is in the same month."""
        y, m, d = map(self.integer_of, (year, month, day))
        date = f"(MAKE_DATE({y}, {m}, 1) + ({d} - 1))"
        known = f"{y} > 0 AND {m} BETWEEN 1 AND 12 AND {d} BETWEEN 1 AND 31"
        in_month = f"CASE WHEN EXTRACT(MONTH FROM {date}) = {m} THEN {date} - DATE '1970-01-01' END"
        return f"CASE WHEN {known} THEN {in_month} END"


class BigQuery(RegexDialect):
    """Texts and names have backslash escapes, names stand in backticks. Every cell is read by its text."""

    name = "bigquery"
    double = "FLOAT64"
    reads_formats = False
    leaving_out = "EXCEPT"
    infinity = "CAST('Infinity' AS FLOAT64)"
    text_cast = "CAST({x} AS STRING)"
    trim = f"TRIM({text_cast}, {_ESCAPED_SPACES})"
    match_test = "REGEXP_CONTAINS({text}, {pattern})"
    group_text = "IFNULL(REGEXP_EXTRACT({text}, {pattern}), '')"
    double_cast = "SAFE_CAST({text} AS FLOAT64)"  # infinity is refused with the score
    integer_cast = "CAST(CONCAT('0', {digits}) AS INT64)"

    def identifier(self, name: str) -> str:
        """A name in backticks."""
        return "`" + _escape_with_backslashes(without_nul(name), "`") + "`"

    def table(self, name: str) -> str:
        """Project, dataset and table in one pair of backticks."""
        return self.identifier(name)

    def text(self, text: str) -> str:
        """A quoted text."""
        return "'" + _escape_with_backslashes(without_nul(text), "'") + "'"

    def number_of_text(self, text: str, column: NumberColumn) -> str:
        """Plain, whatever format the table had: 1234.5 may have been a number."""
        return super().number_of_text(text, replace(column, number_format=None))

    def day_of(self, year: str, month: str, day: str) -> str:
        """NULL where there is no such day."""
        date = f"SAFE_CAST(CONCAT({year}, '-', {month}, '-', {day}) AS DATE)"
        return f"DATE_DIFF({date}, DATE '1970-01-01', DAY)"


DIALECTS: dict[str, Dialect] = {d.name: d for d in (SQLite(), DuckDB(), PostgreSQL(), BigQuery())}


def _escape_with_backslashes(text: str, quote: str) -> str:
    escaped = text.replace("\\", "\\\\").replace(quote, "\\" + quote)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped)
