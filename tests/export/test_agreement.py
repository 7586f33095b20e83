"""Exports give the answers of their model on rows with blanks, texts never seen and extreme numbers."""

from functools import cache

import numpy as np
import pytest

from discriminant.export import Vectors, export
from tests.export import models
from tests.export.runtimes import need

ROWS = [1_000, pytest.param(10_000, marks=pytest.mark.slow)]
ENGINES = [("sql", "sqlite"), ("sql", "duckdb"), ("c", None), ("js", None), ("python", None), ("onnx", None)]


@cache
def tried(name, n_rows, trimmed):
    model = models.MODELS[name]()
    return model, Vectors.of(model, models.rows(model, n_rows, trimmed=trimmed))


@pytest.mark.parametrize("n_rows", ROWS)
@pytest.mark.parametrize("name", models.MODELS)
@pytest.mark.parametrize(("to", "dialect"), ENGINES)
def test_the_export_answers_as_the_model_does(to, dialect, name, n_rows):
    need(to, dialect)
    model, vectors = tried(name, n_rows, trimmed=to == "onnx")  # texts go to ONNX without blanks around them
    result = export(model, to, dialect=dialect).check(vectors)
    assert result.passed, result.text
    assert (result.rows, result.flips) == (n_rows, 0)


def test_the_rows_are_worth_trying():
    for name in models.MODELS:
        model, vectors = tried(name, 1_000, trimmed=False)
        assert set(vectors.labels) == set(model.answers), name
        cells = [c for column in vectors.cells.values() for c in column]
        assert None in cells
        assert 1e300 in cells
        assert "never seen" in cells


def test_what_a_row_is_worth_by_hand():
    """The vectors against the definition of the encoding, feature by feature."""
    model, vectors = tried("three_by_gain", 1_000, trimmed=False)
    for i in range(0, 1000, 3):
        x = [_encoded(c, f, vectors.cells[c.name][i]) for c in model.encoding.used for f in c.features]
        expected = model.weights @ np.array(x) - model.thresholds
        assert vectors.scores[i] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def _encoded(column, feature, cell):
    text = cell.strip() if isinstance(cell, str) else cell
    blank = text is None or text in ("", "NA", *column.also_blank)
    if feature.role == "blank":
        return (blank - feature.centre) / feature.scale
    if blank:
        return 0.0
    if column.kind == "category":
        unseen = text not in (column.reference, *column.levels)
        grouped = any(f.role == "other" for f in column.features)
        if unseen and not grouped:
            return 0.0
        raw = float(unseen) if feature.role == "other" else float(text == feature.level)
    else:
        raw = (cell - models.EPOCH).total_seconds() / 86400 if column.kind == "date" else float(cell)
    return (raw - feature.centre) / feature.scale


@pytest.mark.parametrize("n_columns", [300, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("to", "dialect"), [e for e in ENGINES if "duckdb" not in e])
def test_many_columns(to, dialect, n_columns):
    need(to, dialect)
    result = export(models.wide(n_columns), to, dialect=dialect).check()
    assert result.passed, result.text
    least = 100 if to in ("c", "onnx") else 201  # with rows of texts, where they are read
    assert result.rows == least if n_columns == 2000 else result.rows > least


@pytest.mark.parametrize(("to", "dialect"), ENGINES)
def test_two_thousand_levels(to, dialect):
    need(to, dialect)
    result = export(models.many_levels(), to, dialect=dialect).check()
    assert result.passed, result.text


@pytest.mark.slow  # DuckDB plans such a query for longer than it runs
def test_two_thousand_columns_in_duckdb():
    need("sql", "duckdb")
    result = export(models.wide(), "sql", dialect="duckdb").check()
    assert result.passed, result.text


@pytest.mark.slow
@pytest.mark.parametrize(("to", "dialect"), ENGINES)
def test_two_thousand_columns_of_three_classes(to, dialect):
    need(to, dialect)
    assert export(models.wide(classes=("a", "b", "c")), to, dialect=dialect).check().passed


@pytest.mark.parametrize("classes", [("a", "b"), (1, 2, 3)])
@pytest.mark.parametrize("first_index", [0, 1])
@pytest.mark.parametrize("to", ["c", "js", "python"])
def test_sparse_rows(to, classes, first_index):
    need(to)
    model = models.sparse(classes, first_index=first_index)
    result = export(model, to).check()
    assert result.passed, result.text


@pytest.mark.parametrize("to", ["sql", "onnx", "excel"])
def test_sparse_rows_have_no_columns(to):
    with pytest.raises(ValueError, match=r"sparse rows .* export to python, c or js instead"):
        export(models.sparse(), to)
