"""Spreadsheet formulas, evaluated by a small reader of our own on many rows, and by ``formulas`` on a few."""

import dataclasses
from datetime import datetime

import numpy as np
import pytest

from discriminant.export import ExportError, Vectors, export
from discriminant.export.checks import Answers, compare_answers
from discriminant.export.excel import LONGEST, layout, letters
from discriminant.export.plan import plan_of
from discriminant.export.vectors import days_of
from discriminant.table.texts import BLANK_TOKENS
from tests.export import models
from tests.export.formula_engine import Formula, address, place_of

OLDEST = datetime(1900, 3, 1)


def as_cell(value):
    if isinstance(value, datetime):
        return days_of(value) + 25569
    return None if value == "" else value


def in_a_spreadsheet(cells):
    """Cells that a spreadsheet can hold."""
    for own in cells.values():
        own[:] = [1e100 if isinstance(c, float) and c == 1e300 else c for c in own]
        own[:] = [OLDEST if isinstance(c, datetime) and c < OLDEST else c for c in own]
    return cells


def calculated(made, plan, rows):
    """Every formula for every row of typed cells, in the order of the layout."""
    compiled = [(f"{cell.letters}2", Formula(cell.formula(2))) for cell in made.cells]
    titles = {f"{cell.letters}1": cell.title for cell in made.cells}
    for row in rows:
        cells = titles | {address(i): cell for i, cell in enumerate(row)}
        for where, formula in compiled:
            cells[where] = formula(cells)
        yield cells


def evaluated(model, vectors):
    plan = plan_of(model)
    made = layout(plan)
    rows = zip(*([as_cell(c) for c in vectors.cells[column.name]] for column in plan.columns), strict=True)
    return answers(plan, made, list(calculated(made, plan, rows)))


def answers(plan, made, found):
    shown = np.array([[cells[f"{cell.letters}2"] for cell in made.shown[1:]] for cells in found], dtype=float)
    posterior = len(made.probabilities)
    labels = [cells[f"{made.shown[0].letters}2"] for cells in found]
    return Answers(shown[:, -plan.planes :], shown[:, :posterior] if posterior else None, labels)


def answer_to(column, *cells):
    """What one column, alone in a model, is answered with."""
    model = models.model([column], ("a", "b"), rule="threshold")
    plan = plan_of(model)
    made = layout(plan)
    found = list(calculated(made, plan, [[cell] for cell in cells]))
    return [(row[f"{made.shown[0].letters}2"], row[f"{made.shown[1].letters}2"]) for row in found]


@pytest.mark.parametrize(
    ("name", "n_rows"), [*((name, 500) for name in models.MODELS), pytest.param("two", 10_000, marks=pytest.mark.slow)]
)
def test_formulas_answer_as_the_model_does(name, n_rows):
    model = models.MODELS[name]()
    cells = in_a_spreadsheet(models.rows(model, n_rows, trimmed=True))
    vectors = Vectors.of(model, cells)
    result = compare_answers(vectors, evaluated(model, vectors), "formulas")
    assert result.passed, result.text


def test_two_thousand_columns_have_cells_of_their_own():
    model = models.wide()
    vectors = Vectors.of(model, {k: v[:10] for k, v in export(model, "python").vectors.cells.items()})
    made = layout(plan_of(model))
    assert all(len(cell.formula(1_000_000)) <= LONGEST for cell in made.cells)
    assert compare_answers(vectors, evaluated(model, vectors), "formulas").passed


def test_many_levels_are_split_over_cells():
    columns = [models.category("c", "none", [f"level {i}" for i in range(600)], other=True), models.number("x")]
    model = models.model(columns, ("a", "b"), rule="threshold")
    vectors = Vectors.of(model, {"c": ["level 0", "level 599", "none", None, "else"], "x": [1.0] * 5})
    made = layout(plan_of(model))
    assert all(len(cell.formula(1_000_000)) <= LONGEST for cell in made.cells)
    assert sum(", part" in cell.title for cell in made.cells) > 3
    assert compare_answers(vectors, evaluated(model, vectors), "formulas").passed


def test_what_is_shown():
    made = layout(plan_of(models.two()))
    assert [c.title for c in made.shown] == ["answer", "P(no)", "P(yes)", "expected gain", "score"]
    made = layout(plan_of(models.three_by_largest()))
    assert [c.title for c in made.shown] == ["answer", "score of 0.5", "score of 1.5", "score of -2.5"]


def test_what_columns_add_makes_the_score():
    model = models.three_in_pieces()
    plan = plan_of(model)
    made = layout(plan)
    cells = export(model, "python").vectors.cells
    row = [as_cell(cells[column.name][7]) for column in plan.columns]
    (found,) = calculated(made, plan, [row])
    for plane, (own, score) in enumerate(zip(made.adds, made.scores, strict=True)):
        total = sum(found[f"{cell.letters}2"] for cell in own) - plan.thresholds[plane]
        assert found[f"{score.letters}2"] == pytest.approx(total, rel=1e-12)


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
    vectors = Vectors.of(model, {k: v[:25] for k, v in export(model, "python").vectors.cells.items()})
    plan = plan_of(model)
    made = layout(plan)
    compiled = [(f"{c.letters}2", formulas.Parser().ast(c.formula(2))[1].compile()) for c in made.cells]
    found = []
    for i in range(len(vectors)):
        cells = {address(j): _blank_or(vectors.cells[c.name][i], c, i + j) for j, c in enumerate(plan.columns)}
        cells |= {f"{cell.letters}1": cell.title for cell in made.cells}
        for where, formula in compiled:
            cells[where] = _plain(formula(*(_given(name, cells) for name in formula.inputs)))
        found.append(cells)
    result = compare_answers(vectors, answers(plan, made, found), "formulas")
    assert result.passed, result.text


def _blank_or(value, column, turn):
    """The cell, with one text after the other for a blank."""
    return column.blank_texts[turn % len(column.blank_texts)] or None if value in (None, "") else as_cell(value)


def _given(name, cells):
    first, _, last = name.replace("$", "").partition(":")
    row = int(first.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    places = range(place_of(first), place_of(last or first) + 1)
    given = [cells[address(p, row)] for p in places]
    return np.array([["" if c is None else c for c in given]], dtype=object)


def _plain(value):
    value = np.asarray(value, dtype=object).ravel()[0]
    return value.item() if isinstance(value, np.generic) else value


# --- texts and numbers ------------------------------------------------------------------------------------------

ODD_LEVELS = [
    "x" * 300 + 'q"',
    "line\nend",
    "line\r\nbreak",
    '"',
    "_x0041_",
    "A",
    "SORT(x)",
    "=1+1",
    "a  b",
    "{1,2}",
]


def test_texts_in_formulas():
    """Quotes are doubled, line ends spelt out, long texts in pieces, nothing that a file or a writer would change."""
    model = models.model([models.category("c", "a", ODD_LEVELS)], ("=1+1", "SORT(b)"), rule="threshold")
    every = " ".join(cell.formula(2) for cell in layout(plan_of(model)).cells)
    assert '"line"&CHAR(10)&"end"' in every
    assert max(len(part) for part in every.split('"')) < 6000
    assert "_x0041_" not in every
    assert "SORT(" not in every
    vectors = Vectors.of(model, {"c": [*ODD_LEVELS, "a", None, "?"]})
    assert compare_answers(vectors, evaluated(model, vectors), "formulas").passed


def test_digits_beyond_the_fifteenth():
    """A centre of 17 digits, far from 0: what a formula cannot say in one number it says in two."""
    model = models.model([models.number("x", 123456789012.34567, 1e-4)], ("a", "b"), rule="threshold")
    vectors = Vectors.of(model, {"x": [123456789012.34567, 123456789012.3457, 123456789012.0]})
    assert compare_answers(vectors, evaluated(model, vectors), "formulas").passed
    assert float(f"{123456789012.34567:.15g}") != 123456789012.34567


# --- blanks, and cells that are not what their column holds -----------------------------------------------------

KINDS = [models.number("x", blank=0.1), models.flag("x", blank=0.1), models.date("x", blank=0.1)]
KINDS += [models.category("x", "u", ["v"], blank=0.1)]


@pytest.mark.parametrize("column", KINDS, ids=lambda c: c.kind)
def test_every_text_for_a_blank_counts_as_one(column):
    column = dataclasses.replace(column, also_blank=("unknown", "-999", "li\nne", "f(x)"))
    texts = [*BLANK_TOKENS, "unknown", " NA ", "   ", "-999", "li\nne", "f(x)"]
    empty, *others = answer_to(column, None, *texts)
    assert isinstance(empty[1], float)
    assert others == [empty] * len(texts)
    (filled,) = answer_to(column, {"flag": True, "category": "u"}.get(column.kind, 43000.0))
    assert filled != empty


def test_a_number_that_stands_for_a_blank():
    column = dataclasses.replace(models.number("x", blank=0.1), also_blank=("-999",))
    assert len(set(answer_to(column, None, -999.0, -999))) == 1


@pytest.mark.parametrize("cell", ["12 apples", "12", "na", "#N/A", True, ValueError("#N/A")])
@pytest.mark.parametrize("column", [c for c in (models.number("x"), *models.in_pieces()) if c.kind == "number"])
def test_what_is_no_number_is_told(column, cell):
    assert answer_to(column, cell) == [(f"{column.name}: not a number", "")]


@pytest.mark.parametrize("cell", ["2020-01-31", "soon", 20200131.0, -4.0, 60.0, 2958466.0, True])
def test_what_is_no_date_is_told(cell):
    assert answer_to(models.date("d"), cell) == [("d: not a date", "")]


def test_the_first_and_the_last_day():
    """Those of the calendar that Excel and all others share."""
    model = models.model([models.date("d")], ("a", "b"), rule="threshold")
    vectors = Vectors.of(model, {"d": [OLDEST, datetime(9999, 12, 31, 12)]})
    assert as_cell(OLDEST) == 61
    assert compare_answers(vectors, evaluated(model, vectors), "formulas").passed


def test_flags_in_every_form():
    true, false = answer_to(models.flag("f"), True, False)
    assert answer_to(models.flag("f"), 1.0, "true", "TRUE", " True ", "1") == [true] * 5
    assert answer_to(models.flag("f"), 0.0, "false", "FALSE", "0") == [false] * 4
    assert set(answer_to(models.flag("f"), "yes", 2.0, "2")) == {("f: not true or false", "")}


def test_the_first_column_that_is_wrong_is_named():
    columns = [models.category("c", "u", ["not a level"]), models.number("x"), models.date("d")]
    plan = plan_of(models.model(columns, ("a", "b"), rule="threshold"))
    made = layout(plan)
    answer = f"{made.shown[0].letters}2"
    found = [row[answer] for row in calculated(made, plan, [["not a level", 1.0, "?"], ["u", 1.0, "x"]])]
    assert found[0] in ("a", "b")
    assert found[1] == "d: not a date"


# --- limits -----------------------------------------------------------------------------------------------------


def test_columns_have_letters():
    assert [letters(i) for i in (0, 25, 26, 51, 701, 702)] == ["A", "Z", "AA", "AZ", "ZZ", "AAA"]


def test_too_many_answers():
    classes = tuple(range(255))
    model = models.model([models.number("x")], classes, rule="largest")
    with pytest.raises(ExportError, match="at most 254 answers"):
        export(model, "excel")


def test_too_many_columns():
    with pytest.raises(ExportError, match=r"16,384; export to sql, python, c or js instead"):
        layout(plan_of(models.wide(6000)))


def test_a_text_too_long_for_a_formula():
    model = models.model([models.category("c", "a", ["x" * 9000])], ("a", "b"), rule="threshold")
    with pytest.raises(ExportError, match="beyond Excel's 8192"):
        layout(plan_of(model))
