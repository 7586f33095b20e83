"""Spreadsheet formulas, evaluated by a small reader of our own on many rows, and by ``formulas`` on a few."""

from datetime import datetime

import numpy as np
import pytest

from discriminant.export import ExportError, Vectors, export
from discriminant.export.checks import Answers, compared
from discriminant.export.excel import LONGEST, letters, sheet
from discriminant.export.plan import plan_of
from discriminant.export.vectors import days_of
from tests.export import models
from tests.export.formula_engine import Formula, address, place_of


def as_cell(value):
    if isinstance(value, datetime):
        return days_of(value) + 25569
    return None if value == "" else value


def evaluated(model, vectors):
    """Every formula for every row, in the order of the sheet."""
    plan = plan_of(model)
    made = sheet(plan)
    compiled = [(cell, Formula(cell.formula)) for cell in made.cells]
    found = []
    for i in range(len(vectors)):
        cells = {where: as_cell(vectors.cells[name][i]) for where, name in made.inputs}
        for cell, formula in compiled:
            cells[cell.address] = formula(cells)
        found.append(cells)
    return answers(plan, made, found)


def answers(plan, made, found):
    where = {cell.title: cell.address for cell in made.cells}
    titles = [t for t in where if t == "score" or (t.startswith("score of") and ", part" not in t)]
    scores = np.array([[cells[where[t]] for t in titles] for cells in found], dtype=float)
    chances = [t for t in where if t.startswith("probability of")]
    posteriors = np.array([[cells[where[t]] for t in chances] for cells in found], dtype=float)
    if len(chances) == 1:
        posteriors = np.column_stack([1 - posteriors, posteriors])
    return Answers(scores, posteriors if plan.offsets is not None else None, [c[where["label"]] for c in found])


@pytest.mark.parametrize("name", models.MODELS)
def test_formulas_answer_as_the_model_does(name):
    model = models.MODELS[name]()
    cells = models.rows(model, 10_000 if name == "two" else 500, trimmed=True)
    for own in cells.values():  # beyond what a cell of a spreadsheet holds
        own[:] = [1e100 if isinstance(c, float) and c == 1e300 else c for c in own]
    vectors = Vectors.of(model, cells)
    result = compared(vectors, evaluated(model, vectors), "formulas")
    assert result.passed, result.text


@pytest.mark.parametrize("make", [models.wide, models.many_levels])
def test_two_thousand_features_are_split_over_cells(make):
    model = make()
    vectors = Vectors.of(model, {k: v[:40] for k, v in export(model, "excel").vectors.cells.items()})
    made = sheet(plan_of(model))
    assert all(len(cell.formula) <= LONGEST for cell in made.cells)
    assert sum(", part" in cell.title for cell in made.cells) > 10
    assert compared(vectors, evaluated(model, vectors), "formulas").passed


def test_a_short_score_is_one_formula():
    assert [c.title for c in sheet(plan_of(models.two())).cells] == ["score", 'probability of "yes"', "label"]


def test_another_engine_agrees():
    formulas = pytest.importorskip("formulas", reason="NOT TESTED: formulas is not installed (it is in the test group)")
    gain = models.Gain(np.eye(3), classes=("a", "b", 3), reject=0.5)
    columns = [
        models.number("x", 1e6 + 0.123456789012, 0.01, blank=0.1),
        *(column for column in models.in_pieces() if column.name in ("ratio", "steps", "opened")),
        models.flag("f"),
        models.date("d"),
        models.category("c", "u", ['V "1"', "v\n2"], other=True, also_blank=("none",)),
    ]
    model = models.model(
        columns, ("a", "b", 3), rule="gain", gain=gain, posterior=models.Posterior(0.4, (0.0, 0.1, 0.2))
    )
    vectors = Vectors.of(model, {k: v[:25] for k, v in export(model, "excel").vectors.cells.items()})
    plan = plan_of(model)
    made = sheet(plan)
    compiled = [(cell, formulas.Parser().ast(cell.formula)[1].compile()) for cell in made.cells]
    found = []
    for i in range(len(vectors)):
        cells = {where: as_cell(vectors.cells[name][i]) for where, name in made.inputs}
        for cell, formula in compiled:
            cells[cell.address] = _plain(formula(*(_given(name, cells) for name in formula.inputs)))
        found.append(cells)
    result = compared(vectors, answers(plan, made, found), "formulas")
    assert result.passed, result.text


def _given(name, cells):
    first, _, last = name.partition(":")
    places = range(place_of(first), place_of(last or first) + 1)
    given = [cells[address(p)] for p in places]
    return np.array([["" if c is None else c for c in given]], dtype=object)


def _plain(value):
    value = np.asarray(value, dtype=object).ravel()[0]
    return value.item() if isinstance(value, np.generic) else value


def test_texts_in_formulas():
    """Quotes are doubled, line ends spelt out, long texts in pieces: every formula stays on its line."""
    long = "x" * 300 + 'q"'
    model = models.model([models.category("c", "a", [long, "line\nend", '"'])], ("=1+1", "b"), rule="threshold")
    text = export(model, "excel").files["model.excel.txt"].decode()
    assert '"line"&CHAR(10)&"end"' in text
    assert max(len(part) for part in text.split('"')) < 256
    vectors = Vectors.of(model, {"c": [long, "line\nend", '"', "a", None, "?"]})
    assert compared(vectors, evaluated(model, vectors), "formulas").passed


def test_digits_beyond_the_fifteenth():
    """A centre of 17 digits, far from 0: what a formula cannot say in one number it says in two."""
    model = models.model([models.number("x", 123456789012.34567, 1e-4)], ("a", "b"), rule="threshold")
    vectors = Vectors.of(model, {"x": [123456789012.34567, 123456789012.3457, 123456789012.0]})
    assert compared(vectors, evaluated(model, vectors), "formulas").passed
    assert float(f"{123456789012.34567:.15g}") != 123456789012.34567


def test_text_among_numbers_is_an_error_of_the_sheet():
    made = sheet(plan_of(models.model([models.number("x")], ("a", "b"), rule="threshold")))
    with pytest.raises(ValueError, match="#VALUE!"):
        Formula(made.cells[0].formula)({"A2": "12 apples"})


@pytest.mark.parametrize("column", [column for column in models.in_pieces() if column.kind == "number"])
def test_text_among_clipped_numbers_is_an_error_too(column):
    made = sheet(plan_of(models.model([column], ("a", "b"), rule="threshold")))
    with pytest.raises(ValueError, match="#VALUE!"):
        Formula(made.cells[0].formula)({"A2": "12 apples"})


def test_columns_have_letters():
    assert [letters(i) for i in (0, 25, 26, 51, 701, 702)] == ["A", "Z", "AA", "AZ", "ZZ", "AAA"]


def test_too_many_answers():
    classes = tuple(range(255))
    model = models.model([models.number("x")], classes, rule="largest")
    with pytest.raises(ExportError, match="at most 254 answers"):
        export(model, "excel")
