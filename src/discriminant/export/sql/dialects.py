"""The databases."""

import re
from collections.abc import Callable
from dataclasses import replace

from discriminant.export.plan import Measured
from discriminant.export.sql import sqlite_texts
from discriminant.export.sql.dialect import Dialect, without_nul
from discriminant.export.sql.regex_texts import RegexDialect
from discriminant.table.texts import SPACES

_CODES = ", ".join(str(ord(space)) for space in SPACES)


class SQLite(Dialect):
    """Any cell may hold anything, whatever its column was declared as: each is read as what it is."""

    name = "sqlite"
    double = "REAL"
    largest_function = "MAX"
    most_columns = 2000
    before_step = "MATERIALIZED "
    flat_steps = True
    infinity = "9e999"

    def blank(self, x: str, column: Measured) -> str:
        """Numbers need not be made texts for it."""
        texts = ", ".join(map(self.text, column.blank_texts))
        return f"{x} IS NULL OR (TYPEOF({x}) = 'text' AND {self.trimmed(x)} IN ({texts}))"

    def is_text(self, x: str) -> str:
        """By its own type."""
        return f"TYPEOF({x}) = 'text'"

    def as_text(self, x: str) -> str:
        """As it is: 1 is '1' and 1.0 is '1.0'."""
        return x

    def trimmed(self, x: str) -> str:
        """Without spaces around it."""
        return f"TRIM({x}, CHAR({_CODES})) COLLATE BINARY"

    def given(self, value: str, body: Callable[[str], str]) -> str:
        """As the only column of a row."""
        return f"(SELECT {body('given.x')} FROM (SELECT {value} AS x) AS given)"

    def value(self, x: str) -> str:
        """Of integers and reals; the rest are blobs."""
        return f"CASE WHEN TYPEOF({x}) IN ('integer', 'real') THEN {x} END"

    def flag(self, x: str, column: Measured) -> str:
        """Stored as 1 and 0, or as texts."""
        word = f"LOWER({self.trimmed(x)})"
        number = f"CASE {x} WHEN 1 THEN 1e0 WHEN 0 THEN 0e0 END"
        text = f"CASE {word} WHEN 'true' THEN 1e0 WHEN '1' THEN 1e0 WHEN 'false' THEN 0e0 WHEN '0' THEN 0e0 END"
        return f"CASE TYPEOF({x}) WHEN 'text' THEN {text} WHEN 'blob' THEN NULL ELSE {number} END"

    def number_of_text(self, text: str, column: Measured) -> str:
        """Step by step."""
        form = column.number_format
        read = sqlite_texts.plain_number(text) if form is None else sqlite_texts.written_number(text, form)
        return _without_nuls(text, read)

    def days_of_text(self, text: str, column: Measured) -> str:
        """Step by step."""
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

    def is_text(self, x: str) -> str:
        """By the type of its column."""
        return f"TYPEOF({x}) = 'VARCHAR'"

    def as_text(self, x: str) -> str:
        """Of any type."""
        return f"CAST({x} AS VARCHAR)"

    def trimmed(self, x: str) -> str:
        """Without spaces around it."""
        return f"TRIM({self.as_text(x)}, {_spaces('CHR')})"

    def blank(self, x: str, column: Measured) -> str:
        """Texts are looked at where there are any."""
        texts = f"{self.trimmed(x)} IN ({', '.join(map(self.text, column.blank_texts))})"
        nan = f"COALESCE(ISNAN(TRY_CAST({x} AS DOUBLE)), FALSE)" if column.kind != "date" else "FALSE"
        return f"{x} IS NULL OR CASE WHEN {self.is_text(x)} THEN {texts} ELSE {nan} END"

    def value(self, x: str) -> str:
        """Of numbers and flags."""
        return f"TRY_CAST({x} AS DOUBLE)"

    def days(self, x: str) -> str:
        """Since 1970-01-01."""
        zoned, plain = (f"EPOCH_US(TRY_CAST({x} AS {kind}))" for kind in ("TIMESTAMPTZ", "TIMESTAMP"))
        is_zoned = f"TYPEOF({x}) = 'TIMESTAMP WITH TIME ZONE'"
        return f"CASE WHEN {is_zoned} THEN {zoned} ELSE {plain} END / 86400000000e0"

    def matches(self, text: str, pattern: str) -> str:
        """The same regular expressions as the model has."""
        return f"REGEXP_FULL_MATCH({text}, {self.text(pattern)})"

    def group(self, text: str, pattern: str, place: int) -> str:
        """Empty where it is not used; it has to be one of the first nine."""
        return f"REGEXP_EXTRACT({text}, {self.text(_with_one_group(pattern, place))}, 1)"

    def double_of(self, text: str) -> str:
        """Infinity is refused with the score."""
        return f"TRY_CAST({text} AS DOUBLE)"

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

    def text(self, text: str) -> str:
        """A quoted text."""
        plain = super().text(text)
        return "E" + plain.replace("\\", "\\\\") if "\\" in text else plain

    def is_text(self, x: str) -> str:
        """By the type of its column."""
        return f"CAST(PG_TYPEOF({x}) AS TEXT) IN ('text', 'character varying', 'character')"

    def as_text(self, x: str) -> str:
        """Of any type."""
        return f"CAST({x} AS TEXT)"

    def trimmed(self, x: str) -> str:
        """Without spaces around it."""
        return f"BTRIM({self.as_text(x)}, {_escaped_spaces('E')})"

    def given(self, value: str, body: Callable[[str], str]) -> str:
        """As the only column of a row; OFFSET keeps it from being put in place of its name."""
        return f"(SELECT {body('given.x')} FROM (SELECT {value} AS x OFFSET 0) AS given)"

    def value(self, x: str) -> str:
        """The tiniest are 0: what underflows is an error of the whole query."""
        number = f"CAST({x} AS DOUBLE PRECISION)"
        return f"CASE WHEN ABS({number}) < 1e-290 THEN 0e0 ELSE {number} END"

    def raw(self, x: str, column: Measured) -> str:
        """Dates are read by their text in ISO 8601, whatever type they have: EXTRACT takes no column of texts."""
        if column.kind != "date":
            return super().raw(x, column)
        return self.days_of_text(f"BTRIM(TO_JSONB({x}) #>> '{{}}', {_escaped_spaces('E')})", column)

    def matches(self, text: str, pattern: str) -> str:
        """Advanced regular expressions."""
        return f"{text} ~ {self.text(pattern)}"

    def group(self, text: str, pattern: str, place: int) -> str:
        """Empty where it is not used."""
        return f"COALESCE((REGEXP_MATCH({text}, {self.text(pattern)}))[{place}], '')"

    def with_groups(self, text: str, pattern: str, body: Callable[[Callable[[int], str]], str]) -> str:
        """Matched once."""
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

    def identifier(self, name: str) -> str:
        """A name in backticks."""
        return "`" + _backslashed(without_nul(name), "`") + "`"

    def table(self, name: str) -> str:
        """Project, dataset and table in one pair of backticks."""
        return self.identifier(name)

    def text(self, text: str) -> str:
        """A quoted text."""
        return "'" + _backslashed(without_nul(text), "'") + "'"

    def as_text(self, x: str) -> str:
        """Of any type."""
        return f"CAST({x} AS STRING)"

    def trimmed(self, x: str) -> str:
        """Without spaces around it."""
        return f"TRIM({self.as_text(x)}, {_escaped_spaces('')})"

    def number_of_text(self, text: str, column: Measured) -> str:
        """Plain, whatever format the table had: 1234.5 may have been a number."""
        return super().number_of_text(text, replace(column, number_format=None))

    def integer_of(self, digits: str) -> str:
        """Of digits, 0 of none."""
        return f"CAST(CONCAT('0', {digits}) AS INT64)"

    def matches(self, text: str, pattern: str) -> str:
        """The same regular expressions as the model has."""
        return f"REGEXP_CONTAINS({text}, {self.text(pattern)})"

    def group(self, text: str, pattern: str, place: int) -> str:
        """A pattern may have one group."""
        return f"IFNULL(REGEXP_EXTRACT({text}, {self.text(_with_one_group(pattern, place))}), '')"

    def double_of(self, text: str) -> str:
        """Infinity is refused with the score."""
        return f"SAFE_CAST({text} AS FLOAT64)"

    def day_of(self, year: str, month: str, day: str) -> str:
        """NULL where there is no such day."""
        date = f"SAFE_CAST(CONCAT({year}, '-', {month}, '-', {day}) AS DATE)"
        return f"DATE_DIFF({date}, DATE '1970-01-01', DAY)"


DIALECTS: dict[str, Dialect] = {d.name: d for d in (SQLite(), DuckDB(), PostgreSQL(), BigQuery())}


def _spaces(function: str) -> str:
    """By a function that makes a character of its number."""
    return " || ".join(f"{function}({ord(space)})" for space in SPACES)


def _escaped_spaces(prefix: str) -> str:
    """As a text with escapes."""
    return prefix + "'" + "".join(f"\\u{ord(space):04x}" for space in SPACES) + "'"


def _with_one_group(pattern: str, place: int) -> str:
    """Other groups than one hold nothing back."""
    counted = iter(range(1, len(pattern)))
    return re.sub(r"(?<!\\)\((?!\?)", lambda _: "(" if next(counted) == place else "(?:", pattern)


def _backslashed(text: str, quote: str) -> str:
    escaped = text.replace("\\", "\\\\").replace(quote, "\\" + quote)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped)
