"""Encoding <-> the part ``encoding`` of a model's document."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, get_args

from discriminant.findings import shown
from discriminant.model.plain_json import Field, ModelFileError, refuse_large
from discriminant.table.date_texts import DATE_FORMATS
from discriminant.table.encoding import Column, Encoding, Feature, IndexedEncoding, Kind, Role, piece_name
from discriminant.table.errors import TableError
from discriminant.table.number_format import DECIMAL_SIGNS, GROUPING_SIGNS, POWERS, NumberFormat

Document = dict[str, Any]

_FORM = ("low", "high", "unit")  # of a feature
_KINDS: tuple[Kind, ...] = get_args(Kind)
# fields of a column that are left out of a document where they have these values
_UNSAID: Document = {
    "reason": "",
    "reference": None,
    "also_blank": [],
    "date_format": None,
    "blanks": 0,
    "low": None,
    "high": None,
    "deviation": None,
    "step": None,
    "features": [],
    "number_format": None,
    "aliases": {},
}


def encoding_document(encoding: Encoding | IndexedEncoding) -> Document:
    """An encoding as plain data."""
    if isinstance(encoding, IndexedEncoding):
        return {"layout": "svmlight", "n_features": int(encoding.n_features), "first_index": int(encoding.first_index)}
    return {"layout": "table", "columns": [_column_document(column) for column in encoding.columns]}


def refuse_wide(encoding: Encoding) -> None:
    """Refuse a table of so many columns that no model of it could be saved, before anything is learnt from it."""
    try:
        refuse_large(json.dumps(encoding_document(encoding)).encode())
    except ModelFileError as error:
        raise TableError(
            f"the table has {encoding.n_features:,} features, more than a model file holds ({error})",
            "leave columns out with --ignore, or give the rows as a sparse file (svmlight)",
        ) from None


def _column_document(column: Column) -> Document:
    said = {
        "name": column.name,
        "kind": column.kind,
        "reason": column.reason,
        "reference": column.reference,
        "also_blank": list(column.also_blank),
        "date_format": column.date_format,
        "blanks": int(column.blanks),
        **{
            key: None if (x := getattr(column, key)) is None else float(x)
            for key in ("low", "high", "deviation", "step")
        },
        "features": [_feature_document(feature, column) for feature in column.features],
        "number_format": number_format_document(column.number_format),
        "aliases": dict(column.aliases),
    }
    return {key: value for key, value in said.items() if key not in _UNSAID or value != _UNSAID[key]}


def _feature_document(feature: Feature, column: Column) -> Document:
    level = {} if feature.level is None else {"level": feature.level}
    form = {key: float(value) for key in _FORM if (value := getattr(feature, key)) is not None}
    usual = feature.name == usual_name(column.name, feature, alone=len(column.values) < 2)
    name = {} if usual else {"name": feature.name}
    role = {} if feature.role == "value" else {"role": feature.role}
    return {**role, **level, **form, "centre": float(feature.centre), "scale": float(feature.scale), **name}


def usual_name(column: str, feature: Feature, *, alone: bool) -> str:
    """What a feature is called unless the document says otherwise; ``alone``: as the column's only value."""
    if feature.role == "value":
        return column if alone else piece_name(column, feature.low, feature.high)
    endings = {"level": f" = {feature.level}", "other": " = (other)", "blank": " is blank"}
    return column + endings[feature.role]


def read_encoding(field: Field) -> Encoding | IndexedEncoding:
    """The encoding in a document."""
    layout = field.object(("layout",), ("columns", "n_features", "first_index"))["layout"].choice(("table", "svmlight"))
    if layout == "svmlight":
        sizes = field.object(("layout", "n_features", "first_index"))
        return IndexedEncoding(sizes["n_features"].count(), sizes["first_index"].count())
    columns = field.object(("layout", "columns"))["columns"]
    encoding = Encoding(tuple(_column(column) for column in columns.items()))
    refuse_twice([column.name for column in encoding.columns], columns)
    return encoding


def _column(field: Field) -> Column:
    parts = field.object(("name", "kind"), tuple(_UNSAID))

    def read(key: str, how: Callable[[Field], Any], otherwise: Any) -> Any:
        return how(parts[key]) if key in parts and parts[key].value is not None else otherwise

    name, kind = parts["name"].text(), parts["kind"].choice(_KINDS)
    column = Column(
        name,
        kind,
        features=read("features", lambda f: _features(f, name, kind), ()),
        reference=read("reference", Field.text, None),
        also_blank=read("also_blank", lambda f: tuple(each.text() for each in f.items()), ()),
        date_format=read("date_format", lambda f: f.choice(DATE_FORMATS), None),
        blanks=read("blanks", Field.count, 0),
        low=read("low", Field.number, None),
        high=read("high", Field.number, None),
        reason=read("reason", Field.text, ""),
        deviation=read("deviation", Field.positive, None),
        step=read("step", Field.positive, None),
        number_format=read("number_format", read_number_format, None),
        aliases=read("aliases", read_aliases, ()),
    )
    _check_column(column, field)
    return column


def _features(field: Field, column: str, kind: Kind) -> tuple[Feature, ...]:
    read = [_feature(each, kind) for each in field.items()]
    alone = sum(feature.role == "value" for feature, _ in read) < 2
    return tuple(
        feature if named else replace(feature, name=usual_name(column, feature, alone=alone)) for feature, named in read
    )


def _feature(field: Field, kind: Kind) -> tuple[Feature, bool]:
    """A feature, and whether the document names it."""
    parts = field.object(("centre", "scale"), ("role", "level", "name", *_FORM))
    roles: tuple[Role, ...] = ("level", "other", "blank") if kind == "category" else ("value", "blank")
    role = parts.get("role", Field("value", field, "role")).choice(roles)
    if (role == "level") != ("level" in parts):
        raise ModelFileError(f"{field.path} must have a level if its role is level, and none otherwise")
    level = parts["level"].text() if "level" in parts else None
    name = parts["name"].text() if "name" in parts else ""
    form = _form(parts, field, may_bend=role == "value" and kind != "flag")
    return Feature(name, role, parts["centre"].number(), parts["scale"].positive(), level, *form), "name" in parts


def _form(parts: Mapping[str, Field], field: Field, *, may_bend: bool) -> tuple[float | None, ...]:
    """(low, high, unit)."""
    for key in _FORM:
        if key in parts and not may_bend:
            raise ModelFileError(f"{field.path} has the key {key!r}, which only values of numbers and dates have")
    low, high = (parts[key].number() if key in parts else None for key in ("low", "high"))
    if low is not None and high is not None and low >= high:
        raise ModelFileError(f"{field.path}.low must be below its high")
    return low, high, parts["unit"].positive() if "unit" in parts else None


def _check_column(column: Column, field: Field) -> None:
    """Features that belong together."""
    if column.kind == "dropped" and column.features:
        raise ModelFileError(f"{field.path} is dropped and must have no features")
    what = [(f.role, f.level, f.low, f.high, f.unit) for f in column.features]
    refuse_twice(what, Field(None, field, "features"))
    if column.kind == "category":
        if column.reference is None:
            raise ModelFileError(f"{field.path} lacks the key 'reference', which a category has")
        if column.reference in column.levels:
            raise ModelFileError(f"{field.path}.reference {shown(column.reference)} has a feature of its own")
    names = {column.reference, *column.levels}
    for spelling, level in column.aliases:
        if spelling in names or level not in names:
            raise ModelFileError(f"{field.path}.aliases: {shown(spelling)} must be another spelling of a level")
    if column.low is not None and column.high is not None and column.low > column.high:
        raise ModelFileError(f"{field.path}.low must not be above its high")


def refuse_twice(values: list[Any], field: Field) -> None:
    """Refuse a list that holds something twice."""
    if len(set(values)) < len(values):
        seen: set[Any] = set()
        for i, value in enumerate(values):
            if value in seen:
                raise ModelFileError(f"{field.path}[{i}] repeats an earlier one")
            seen.add(value)


# --- how cells are written ---------------------------------------------------------------------------------


def number_format_document(number_format: NumberFormat | None) -> dict[str, Any] | None:
    """A number format as plain data."""
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
