"""ColumnGain <-> the part ``gain.columns`` of a model's document: a number, or a factor and a column, for each pair."""

from typing import Any

from discriminant.gain.columns import ColumnGain, Term
from discriminant.model.fields import Field
from discriminant.model.plain_json import ModelFileError


def terms_document(gains: ColumnGain) -> list[list[Any]]:
    """As plain data."""
    return [
        [term.factor if term.column is None else {"times": term.factor, "column": term.column} for term in row]
        for row in gains.terms
    ]


def read_terms(field: Field, n_rows: int, n_columns: int) -> tuple[tuple[Term, ...], ...]:
    """The terms in a document, of this shape."""
    rows = tuple(tuple(_term(each) for each in row.items()) for row in field.items())
    if len(rows) != n_rows or any(len(row) != n_columns for row in rows):
        raise ModelFileError(f"{field.path} must have {n_rows} rows of {n_columns}")
    return rows


def _term(field: Field) -> Term:
    if not isinstance(field.value, dict):
        return Term(field.number())
    parts = field.object(("times", "column"))
    return Term(parts["times"].number(), parts["column"].text())
