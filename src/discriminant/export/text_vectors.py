"""Texts that try how cells are read: numbers, flags, dates and levels as people and programs write them, and worse."""

from collections.abc import Sequence
from datetime import datetime

from discriminant.table.encoding import Column
from discriminant.table.number_format import NumberFormat

_NUMBERS = (
    "7", "+7", "-7.25", ".5", "5.", "1e3", "1E+3", "-1e-3", "007", "1,234.5", "1,234,567", "-0", "1e-999",
    "1-2", "5e", "e5", "--5", "+-5", "5-", "(5)", "1,234", "12,34,567", "0,123,456", "1,234,567.", "1,2345.5",
    "1_000", "0x10", "1e999", "inf", "-Infinity", "nan(1)", "1.2.3", "1 234", "$5", "5%", "1.2M", "12 apples", "٣",
    "５", "1٫5", "−5", "5\u200b", "\ufeff5", "5\u00a0", "\u20095\u3000", "\x1f5", "5\n", "1\n2", "'5'", '"5"', "=5",
    "1e", "1e+", ".", "+", "1..2", "½", "²", "1d3", "1f", "0b1", "Ⅷ", "9" * 400, "0." + "0" * 400 + "1", "TRUE",
)  # fmt: skip
_FLAGS = (
    "true", "TRUE", " False\t", "1", "0", "\u00a0true", "2", "-1", "1.0", "0.0", "01", "yes", "no", "t", "T", "on",
    "true.", "tr ue", "ｔｒｕｅ", "true\u200b", "TRUE\x00", "wahr", "+1", "1e0", "İ",
)  # fmt: skip
_DATES = (
    "2020-01-05", "2020-1-5", " 2020-01-05T12", "2020-01-05 7", "2020-01-05 12:30", "2020-01-05T12:30:15.25Z",
    "2020-01-05 12:30:15,123456789 +01:30", "2020-01-05T12:30-0530", "2020-01-05 12:30:60", "2020-01-05  12:30",
    "\u00a02020-01-05", "2020-02-29", "2019-02-29", "2020-13-01", "2020-00-10", "2020-01-00", "2020-01-32",
    "2020-04-31", "0000-01-01", "0001-01-01", "9999-12-31", "2020-01-05 24:00", "2020-01-05 12:60", "2020-01-05T",
    "2020-01-05 12:30:61", "2020-01-05 1230", "2020-01-05T12:30+1", "2020-01-05T12:30+01:", "2020-01-05t12:30",
    "19700102", "1970", "1970-01", "1970-W01-1", "1970-002", "18262", "2440588", "now", "05/01/2020", "2020/01/05",
    "01/05/2020", "5.1.2020", "2020.01.05", "31-12-2020", "5 Jan 2020", "20-01-05", "12020-01-05", "-2020-01-05",
    "+2020-01-05", "2020–01–05", "2020-01-05\u200b", "２０２０-01-05", "2020-01-05\x00", "2020-01-05 12:30 Z",
    "2020-01-05  Z", "2020-01-05Z", "2020-01-05 12:30  Z", "2020- 1- 5", "30/02/2020", "2020-01-05 12:30:15.",
    "2020-01-05 12:30:15.1234567890",
)  # fmt: skip


def hostile_texts(column: Column) -> Sequence[str]:
    """Texts for a cell of a column: some it can read, some it refuses."""
    if column.kind == "category":
        return level_texts(column)
    own = {"number": _NUMBERS, "flag": _FLAGS, "date": _DATES}[column.kind]
    blanks = [f"\u2003{text}\r\n" for text in ("", "NA", "null", *column.also_blank)]
    written = [] if column.number_format is None else written_texts(column.number_format)
    return [*own, *written, *blanks, "na", "N A", "–", "\x00", "\u200b"]


def level_texts(column: Column) -> list[str]:
    """A level with other characters around and in it."""
    level = column.reference or next(iter(column.levels), "level")
    around = ("\u00a0{}", "{}\u3000", "\x1c\x85{}\u2028", "{}\u200b", "\ufeff{}", "'{}'", "{}.", "{}  x")
    changed = [level.upper(), level.lower(), level.title(), level.replace(" ", "\u00a0"), level.replace(" ", "  ")]
    doubled = [level[:1] + "  " + level[1:], level[:1] + "\u00ad" + level[1:]]
    return [form.format(level) for form in around if "{" not in level] + changed + doubled + ["\u2003NA\n", "na"]


def written_texts(form: NumberFormat) -> list[str]:
    """Numbers in a format, in one that is like it, and in none."""
    plain = [form.written(x) for x in (1234.5, -1234.5, 0.25, 1234567.0)]
    units = [*form.prefixes[:3], *list(form.suffixes)[:6]]
    around = [f"{u}{x}" for u in units for x in ("5", "-5", " 5")] + [
        f"{x}{u}" for u in units for x in ("5", "-5 ", "1e2")
    ]
    signed = [f"({plain[0]})", f"-({plain[0]})", f"({plain[0]}", f"{plain[0]}-", f"+{plain[0]}-", f"\u2212{plain[0]}"]
    odd = [f"{form.decimal}5", f"5{form.decimal}", "1.234", "1,234", "1 234", "1'234", "1\u202f234", "1’234", "12.34,5"]
    inner = [f"5\n {unit}" for unit in units] + [f"{unit}\t5" for unit in units]
    spaced = [*inner, f"( {' ' * 2000}x", *(text.replace(" ", "\u00a0") for text in plain), *(t.lower() for t in plain)]
    return [
        *plain,
        *around,
        *signed,
        *odd,
        *spaced,
        "1e5",
        "1.5e3",
        "1,5e3",
        "5 5",
        "5k",
        "5 M",
        "1e5k",
        "kg 5",
        "Rs.5",
    ]


def usual_text(column: Column, cell: object) -> str | None:
    """A cell as its table would write it."""
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ")
    number = float(cell)  # type: ignore[arg-type]
    return repr(number) if column.number_format is None else column.number_format.written(number)
