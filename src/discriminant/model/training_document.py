"""TrainingSummary <-> the part ``training`` of a model's document."""

from typing import Any

import numpy as np

from discriminant.model.fields import Field
from discriminant.model.plain_json import ModelFileError
from discriminant.model.training import SCORE, Shares, TrainingSummary
from discriminant.table.encoding import Encoding, IndexedEncoding

Document = dict[str, Any]

_NUMBERS = ("edges", "low", "high", "sizes")
_TEXTS = ("levels", "rare")
# fields that are left out of a document where they have these values
_UNSAID: Document = {"blank": 0.0, "edges": [], "levels": [], "rare": [], "low": None, "high": None, "sizes": []}


def training_document(summary: TrainingSummary) -> Document:
    """As plain data."""
    return {
        "rows": summary.rows,
        "columns": [{"name": column.name, **_shares_document(column)} for column in summary.columns],
        "score": _shares_document(summary.score),
    }


def _shares_document(shares: Shares) -> Document:
    said: Document = {"cells": shares.cells, "shares": list(shares.shares), "blank": shares.blank}
    said |= {key: list(getattr(shares, key)) for key in ("edges", "levels", "rare", "sizes")}
    said |= {"low": shares.low, "high": shares.high}
    return {key: value for key, value in said.items() if key not in _UNSAID or value != _UNSAID[key]}


def read_training(field: Field, encoding: Encoding | IndexedEncoding) -> TrainingSummary:
    """The summary in a document, of columns that its encoding uses."""
    parts = field.object(("rows", "columns", "score"))
    used = {column.name: column.kind for column in encoding.used} if isinstance(encoding, Encoding) else {}
    columns = []
    for each in parts["columns"].items():
        own = each.object(("name", "cells", "shares"), tuple(_UNSAID))
        name = own["name"].text()
        if name not in used:
            own["name"].refuse("a column that the encoding uses, named once")
        columns.append(_shares(own, each, name, levels=used.pop(name) == "category"))
    score = parts["score"].object(("cells", "shares"), tuple(_UNSAID))
    return TrainingSummary(
        parts["rows"].count(),
        tuple(columns),
        _shares(score, parts["score"], SCORE, levels="levels" in score),
    )


def _shares(parts: dict[str, Field], field: Field, name: str, *, levels: bool) -> Shares:
    for key in _NUMBERS if levels else _TEXTS:
        if key in parts:
            raise ModelFileError(f"{field.path} must have {'levels' if levels else 'edges'} and no {key}")
    texts = {key: tuple(each.text() for each in parts[key].items()) if key in parts else () for key in _TEXTS}
    if levels and not texts["levels"]:
        raise ModelFileError(f"{field.path} must have levels")
    edges = _ascending(parts["edges"]) if "edges" in parts else ()
    return Shares(
        name,
        parts["cells"].count(),
        _read_shares(parts["shares"], 1 + len(texts["levels"]) + len(edges)),
        _share(parts["blank"]) if "blank" in parts else 0.0,
        edges,
        texts["levels"],
        texts["rare"],
        parts["low"].number() if "low" in parts else None,
        parts["high"].number() if "high" in parts else None,
        _ascending(parts["sizes"], 3) if "sizes" in parts else (),
    )


def _share(field: Field) -> float:
    return field.number() if 0 <= field.number() <= 1 else field.refuse("a share, from 0 to 1")


def _read_shares(field: Field, n: int) -> tuple[float, ...]:
    shares = field.numbers(n)
    if (shares < 0).any() or shares.sum() > 1 + 1e-6:
        raise ModelFileError(f"{field.path} must be 0 or more and sum to at most 1, got a sum of {shares.sum():.9g}")
    return tuple(shares.tolist())


def _ascending(field: Field, n: int | None = None) -> tuple[float, ...]:
    numbers = field.numbers(len(field.value) if n is None and isinstance(field.value, list) else n or 0)
    if (np.diff(numbers) < 0).any():
        raise ModelFileError(f"{field.path} must be in ascending order")
    return tuple(numbers.tolist())
