"""Texts as numbers and days in SQLite, which has no regular expressions: taken apart step by step.

Each step is a SELECT over the one before, of a single row. A text compared with a number is taken for a number by
SQLite if the whole of it is one (digits, one point, an exponent) and is larger than every number if not.
"""

from collections.abc import Sequence

from discriminant.table.date_texts import date_parts
from discriminant.table.number_format import LIKENESSES, NumberFormat

_LARGEST = "CAST(1.7976931348623157e308 AS REAL)"
_DIGIT = "[0-9]"


def text_literal(text: str) -> str:
    """A text without NUL characters."""
    return "'" + text.replace("'", "''") + "'"


def is_number(text: str) -> str:
    """Whether a text is a plain number that is not infinite."""
    return f"{text} BETWEEN -{_LARGEST} AND {_LARGEST}"


def plain_number(text: str) -> str:
    """A number with a decimal point, perhaps with commas between thousands where they cannot be decimal commas."""
    bare = "REPLACE(s.p, ',', '')"
    several = "(s.p GLOB '*,*,*' OR s.p GLOB '*,*.[0-9]*')"
    grouped = (
        f"{several} AND {_is_grouped('LTRIM(s.p, ' + text_literal('+-') + ')', ',', '.')} AND NOT s.p GLOB '*[eE]*'"
    )
    grouped += f" AND NOT s.p GLOB '*.' AND {is_number(bare)}"
    read = f"CASE WHEN {is_number('s.p')} THEN CAST(s.p AS REAL) WHEN {grouped} THEN CAST({bare} AS REAL) END"
    return f"(SELECT {read} FROM (SELECT {text} AS p) AS s)"


def _is_grouped(digits: str, sign: str, decimal: str) -> str:
    """Whether thousands are set apart as they should be: one to three digits, then three behind each sign."""
    own = text_literal(sign)[1:-1]
    starts = " OR ".join(f"{digits} GLOB '[1-9]{_DIGIT * n}{own}*'" for n in range(3))
    short = [f"{own}{_DIGIT * n}[^0-9]" for n in range(3)]
    wrong = [*short, own + _DIGIT * 4, f"{decimal}*{own}", f"[eE]*{own}"]
    return f"({starts}) AND " + " AND ".join(f"NOT {digits} || '~' GLOB '*{shape}*'" for shape in wrong)


def written_number(text: str, form: NumberFormat) -> str:
    """A number as people write it, such as $1,234.50, 1.2M or (17 %): taken off from both ends down to the digits."""
    steps = [
        f"SELECT {text} AS a",
        *map(_unify_signs, LIKENESSES),
        _taking_first("'('"),
        _taking_first("'+', '-'"),
        f"SELECT {_without_prefix(form)} AS a, s",
        _taking_first("'+', '-'"),
        f"SELECT {_without_last(')')} AS a, s, SUBSTR(a, -1) = ')' AS closed",
        f"SELECT {_without_last('-')} AS a, s || CASE WHEN SUBSTR(a, -1) = '-' THEN '-' ELSE '' END AS s, closed",
        f"SELECT {_without_suffix(form)} AS a, {_power(form)} AS e, s, closed",
        f"SELECT {_plain_digits(form)} AS n, {_are_digits(form)} AS fits, s, closed",
    ]
    allowed = "('', '+', '-', '(')" if form.parentheses else "('', '+', '-')"
    good = f"fits AND {is_number('n')} AND s IN {allowed} AND (s = '(') = closed"
    last = f"SELECT CASE WHEN {good} THEN CASE WHEN s IN ('-', '(') THEN -1e0 ELSE 1e0 END * CAST(n AS REAL) END"
    return in_steps([*steps, last])


def in_steps(steps: Sequence[str]) -> str:
    """Each step over the one before; side by side, since SQLite limits how deep a query may be nested.

    MATERIALIZED keeps it from putting the expressions of a step in place of their names, again and again.
    """
    named = [f"s{i} AS MATERIALIZED ({step}{f' FROM s{i - 1}' if i else ''})" for i, step in enumerate(steps[:-1])]
    return f"(WITH {', '.join(named)} {steps[-1]} FROM s{len(steps) - 2})"


def _unify_signs(plain: str) -> str:
    """One kind of space, minus or apostrophe."""
    text = "a"
    for other in LIKENESSES[plain]:
        text = f"REPLACE({text}, CHAR({ord(other)}), {text_literal(plain)})"
    return f"SELECT {text} AS a, '' AS s"


def _taking_first(signs: str) -> str:
    first = f"SUBSTR(a, 1, 1) IN ({signs})"
    rest = f"CASE WHEN {first} THEN LTRIM(SUBSTR(a, 2), ' ') ELSE a END AS a"
    return f"SELECT {rest}, s || CASE WHEN {first} THEN SUBSTR(a, 1, 1) ELSE '' END AS s"


def _without_last(sign: str) -> str:
    return f"CASE WHEN SUBSTR(a, -1) = '{sign}' THEN RTRIM(SUBSTR(a, 1, LENGTH(a) - 1), ' ') ELSE a END"


def _without_prefix(form: NumberFormat) -> str:
    cases = " ".join(
        f"WHEN SUBSTR(a, 1, {len(word)}) = {text_literal(word)} THEN LTRIM(SUBSTR(a, {len(word) + 1}), ' ')"
        for word in form.prefixes
    )
    return f"CASE {cases} ELSE a END" if cases else "a"


def _ends_with(word: str) -> str:
    return f"SUBSTR(a, -{len(word)}) = {text_literal(word)}"


def _without_suffix(form: NumberFormat) -> str:
    cases = " ".join(
        f"WHEN {_ends_with(word)} THEN RTRIM(SUBSTR(a, 1, LENGTH(a) - {len(word)}), ' ')" for word in form.suffixes
    )
    return f"CASE {cases} ELSE a END" if cases else "a"


def _power(form: NumberFormat) -> str:
    powers = {word: f"'e{power}'" if power else "''" for word, power in form.suffixes.items()}
    cases = " ".join(f"WHEN {_ends_with(word)} THEN {power}" for word, power in powers.items())
    return f"CASE {cases} ELSE '' END" if cases else "''"


def _plain_digits(form: NumberFormat) -> str:
    digits = f"REPLACE(a, {text_literal(form.grouping)}, '')" if form.grouping else "a"
    return f"REPLACE({digits}, ',', '.') || e" if form.decimal == "," else f"{digits} || e"


def _are_digits(form: NumberFormat) -> str:
    """What a text of digits must be beside a number once its signs are gone."""
    tests = [f"(a GLOB '{_DIGIT}*' OR a GLOB '{form.decimal}{_DIGIT}*')", "(e = '' OR NOT a GLOB '*[eE]*')"]
    tests.append("NOT a GLOB '*[^0-9eE.,+'' -]*'")  # a line end behind a number would be passed over
    if form.grouping:
        sign = text_literal(form.grouping)[1:-1]
        tests.append(f"(NOT a GLOB '*{sign}*' OR ({_is_grouped('a', form.grouping, form.decimal)}))")
    if form.decimal == "," and form.grouping != ".":
        tests.append("NOT a GLOB '*.*'")
    return " AND ".join(tests)


# --- dates --------------------------------------------------------------------------------------------------


def days(text: str, form: str) -> str:
    """Days since 1970-01-01 of a date in a format, perhaps with a time and a zone behind it."""
    separator = form[2]
    names = date_parts(form)
    behind = "SUBSTR(r, 1, LENGTH(r) - LENGTH(z))"
    before_space = f"SUBSTR({behind}, 1, LENGTH({behind}) - 1)"
    steps = [
        f"SELECT {text} AS p",
        "SELECT p, INSTR(REPLACE(p, 'T', ' '), ' ') AS i",
        "SELECT i, CASE i WHEN 0 THEN p ELSE SUBSTR(p, 1, i - 1) END AS a, "
        "CASE i WHEN 0 THEN '' ELSE LTRIM(SUBSTR(p, i), 'T ') END AS r",
        f"SELECT i, r, SUBSTR(a, 1, INSTR(a, '{separator}') - 1) AS {names[0]}, "
        f"SUBSTR(a, INSTR(a, '{separator}') + 1) AS a, {_zone()} AS z",
        f"SELECT i, r, z, {names[0]}, SUBSTR(a, 1, INSTR(a, '{separator}') - 1) AS {names[1]}, "
        f"SUBSTR(a, INSTR(a, '{separator}') + 1) AS {names[2]}, "
        f"CASE WHEN z <> '' AND {behind} GLOB '* ' THEN {before_space} ELSE {behind} END AS h",
        "SELECT i, z, year, month, day, CASE WHEN h GLOB '[0-9]' OR h GLOB '[0-9]:*' THEN '0' || h ELSE h END AS h",
        f"SELECT z, h, year || '-' || SUBSTR('0' || month, -2) || '-' || SUBSTR('0' || day, -2) AS d, "
        f"{_well_formed()} AS fits",
    ]
    in_calendar = "DATE(d, '+0 days') = d AND d >= '0001'"
    return in_steps(
        [*steps, f"SELECT CASE WHEN fits AND {in_calendar} THEN JULIANDAY(d) - 2440587.5e0 + {_time()} END"]
    )


def _zone() -> str:
    """The end of a time from its Z or sign on."""
    start = "INSTR(REPLACE(r, '-', '+'), '+')"
    return f"CASE WHEN r GLOB '*Z' THEN 'Z' WHEN {start} > 0 THEN SUBSTR(r, {start}) ELSE '' END"


def _well_formed() -> str:
    two, fraction = _DIGIT * 2, "SUBSTR(h, 10)"
    times = [two, f"{two}:{two}", f"{two}:{two}:{two}"]
    plain = " OR ".join(f"h GLOB '{shape}'" for shape in times)
    fine = f"h GLOB '{times[2]}[.,]*' AND LENGTH({fraction}) BETWEEN 1 AND 9 AND NOT {fraction} GLOB '*[^0-9]*'"
    zones = " OR ".join(f"z GLOB '{shape}'" for shape in ("", "Z", f"[-+]{two}", f"[-+]{two}{two}", f"[-+]{two}:{two}"))
    within = "SUBSTR(h, 1, 2) < '24' AND SUBSTR(h, 4, 2) < '60' AND SUBSTR(h, 7, 2) < '61'"
    date = [f"year GLOB '{two}{two}'", *(f"({p} GLOB '{_DIGIT}' OR {p} GLOB '{two}')" for p in ("month", "day"))]
    return f"{' AND '.join(date)} AND (i = 0 OR (({plain} OR ({fine})) AND ({zones}) AND {within}))"


def _time() -> str:
    """The time of a day, to the microsecond."""
    own = "3600 * SUBSTR(h, 1, 2) + 60 * SUBSTR(h, 4, 2) + SUBSTR(h, 7, 2)"
    own += " + SUBSTR(SUBSTR(h, 10) || '000000', 1, 6) / 1e6"
    away = "3600 * SUBSTR(z, 2, 2) + 60 * SUBSTR(REPLACE(z, ':', ''), 4, 2)"
    return f"({own} - CASE WHEN z GLOB '-*' THEN -1 ELSE 1 END * ({away})) / 86400e0"
