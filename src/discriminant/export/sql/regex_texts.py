"""Texts as numbers and days where the database has regular expressions.

The patterns are those that the model reads by. What does not match is NULL, and never an error of the whole query.
"""

import re
from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import ClassVar

from discriminant.export.plan import NumberColumn
from discriminant.export.sql.dialect import Dialect
from discriminant.table.date_texts import date_parts, date_pattern
from discriminant.table.number_format import LIKENESSES, NumberFormat
from discriminant.table.texts import GROUPED_NUMBER, PLAIN_NUMBER

_GROUPS = {"opened": 1, "sign": 2, "inner": 4, "digits": 5, "exponent": 6, "suffix": 7, "after": 8, "closed": 9}


class RegexDialect(Dialect):
    """What a database says in its own way, and the reading that follows from it."""

    match_test: ClassVar[str]  # whether a {text} matches a {pattern}
    group_text: ClassVar[str]  # the only group of a match; empty where it is not used
    double_cast: ClassVar[str]  # of a {text} of digits, point and exponent; NULL or infinite where it is too large
    integer_cast: ClassVar[str] = "CAST(CONCAT('0', {digits}) AS INTEGER)"  # of digits, 0 of none

    @abstractmethod
    def day_of(self, year: str, month: str, day: str) -> str:
        """Days since 1970-01-01 of texts of digits; NULL where the calendar has no such day."""

    def matches(self, text: str, pattern: str) -> str:
        """Whether a text matches one of the patterns that the model reads by."""
        return self.match_test.format(text=text, pattern=self.text(pattern))

    def with_groups(self, text: str, pattern: str, body: Callable[[Callable[[int], str]], str]) -> str:
        """An expression that uses many groups of a match; each is asked for alone."""
        return body(lambda place: self.group_text.format(text=text, pattern=self.text(_with_one_group(pattern, place))))

    def double_of(self, text: str) -> str:
        """The number of a text."""
        return self.double_cast.format(text=text)

    def integer_of(self, digits: str) -> str:
        """The whole number of a text."""
        return self.integer_cast.format(digits=digits)

    # --- reading ----------------------------------------------------------------------------------------

    def number_of_text(self, text: str, column: NumberColumn) -> str:
        """The number that a text says, as `discriminant.table.texts` reads it."""
        form = column.number_format
        if form is not None:
            return self._written_number(text, form)
        plain, grouped = self.matches(text, PLAIN_NUMBER), self.matches(text, GROUPED_NUMBER)
        ungrouped = self.double_of(f"REPLACE({text}, ',', '')")
        return f"CASE WHEN {plain} THEN {self.double_of(text)} WHEN {grouped} THEN {ungrouped} END"

    def _written_number(self, text: str, form: NumberFormat) -> str:
        """A number as people write it, such as $1,234.50, 1.2M or (17 %)."""
        others, plain = ("".join(LIKENESSES.values()), "".join(sign * len(own) for sign, own in LIKENESSES.items()))
        x = f"TRANSLATE({text}, {self.text(others)}, {self.text(plain)})"
        read = self.with_groups(x, form.pattern, partial(self._number_in, form))
        return f"CASE WHEN {self.matches(x, form.pattern)} THEN {read} END"

    def _number_in(self, form: NumberFormat, group_at: Callable[[int], str]) -> str:
        part = {name: group_at(place) for name, place in _GROUPS.items()}
        signs = f"CONCAT({part['opened']}, {part['sign']}, {part['inner']}, {part['after']})"
        allowed = "('', '+', '-', '(')" if form.parentheses else "('', '+', '-')"
        powers = {word: power for word, power in form.suffixes.items() if power}
        fits = f"{signs} IN {allowed} AND ({signs} = '(') = ({part['closed']} = ')')"
        exponent = part["exponent"]
        if powers:
            words = ", ".join(map(self.text, powers))
            fits += f" AND ({part['exponent']} = '' OR {part['suffix']} NOT IN ({words}))"
            cases = " ".join(f"WHEN {self.text(word)} THEN 'e{power}'" for word, power in powers.items())
            exponent = f"{exponent}, CASE {part['suffix']} {cases} ELSE '' END"
        digits = f"REPLACE({part['digits']}, {self.text(form.grouping)}, '')" if form.grouping else part["digits"]
        digits = f"REPLACE({digits}, ',', '.')" if form.decimal == "," else digits
        sign = f"CASE WHEN {signs} IN ('-', '(') THEN {self.number(-1.0)} ELSE {self.number(1.0)} END"
        return f"CASE WHEN {fits} THEN {sign} * {self.double_of(f'CONCAT({digits}, {exponent})')} END"

    def days_of_text(self, text: str, column: NumberColumn) -> str:
        """The day that a text says, in each of the formats of a column."""
        cases = [
            f"WHEN {self.matches(text, pattern)} THEN {self.with_groups(text, pattern, partial(self._days_in, form))}"
            for form, pattern in ((form, date_pattern(form)) for form in column.date_formats)
        ]
        return f"CASE {' '.join(cases)} END"

    def _days_in(self, form: str, group_at: Callable[[int], str]) -> str:
        group = [group_at(place) for place in range(1, 11)]
        date = dict(zip(date_parts(form), group, strict=False))
        hour, minute, second, east, past = (self.integer_of(group[place]) for place in (3, 4, 5, 8, 9))
        micro = self.integer_of(f"SUBSTR(CONCAT({group[6]}, '000000'), 1, 6)")
        away = f"CASE WHEN {group[7]} = '-' THEN -1 ELSE 1 END * (3600 * {east} + 60 * {past})"
        seconds = f"(3600 * {hour} + 60 * {minute} + {second} - {away})"
        day = self.day_of(date["year"], date["month"], date["day"])
        whole = f"{day} + ({seconds} + {micro} / 1000000e0) / 86400e0"
        return f"CASE WHEN {hour} < 24 AND {minute} < 60 AND {second} < 61 THEN {whole} END"


def _with_one_group(pattern: str, place: int) -> str:
    """Other groups than one hold nothing back."""
    counted = iter(range(1, len(pattern)))
    return re.sub(r"(?<!\\)\((?!\?)", lambda _: "(" if next(counted) == place else "(?:", pattern)
