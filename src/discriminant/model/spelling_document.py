"""How cells are written <-> the parts ``number_format`` and ``aliases`` of a model's document."""

from typing import Any

from discriminant.model.fields import Field
from discriminant.table.number_format import DECIMAL_SIGNS, GROUPING_SIGNS, POWERS, NumberFormat


def number_format_document(number_format: NumberFormat | None) -> dict[str, Any] | None:
    """As plain data."""
    if number_format is None:
        return None
    return {
        "decimal": number_format.decimal,
        "grouping": number_format.grouping,
        "units": list(number_format.units),
        "multipliers": {word: 10**power for word, power in number_format.multipliers.items()},
        "parentheses": bool(number_format.parentheses),
    }


def read_number_format(field: Field) -> NumberFormat:
    """The format in a document."""
    parts = field.object(("decimal", "grouping", "units", "multipliers", "parentheses"))
    decimal, grouping = parts["decimal"].choice(DECIMAL_SIGNS), parts["grouping"].choice(GROUPING_SIGNS)
    if decimal == grouping:
        parts["grouping"].refuse("another sign than the decimal one")
    words = parts["multipliers"].mapping()
    factors = {10**power: power for power in POWERS}
    for word, factor in words.items():
        if not isinstance(factor, int) or factor not in factors:
            Field(factor, parts["multipliers"], word).refuse("one of " + ", ".join(map(str, factors)))
    if not isinstance(parts["parentheses"].value, bool):
        parts["parentheses"].refuse("true or false")
    units = tuple(unit.text() for unit in parts["units"].items())
    powers = {word: factors[factor] for word, factor in words.items()}
    return NumberFormat(decimal, grouping, units, powers, parts["parentheses"].value)


def read_aliases(field: Field) -> tuple[tuple[str, str], ...]:
    """Other spellings of levels in a document, each with its level."""
    return tuple((spelling, Field(level, field, spelling).text()) for spelling, level in field.mapping().items())
