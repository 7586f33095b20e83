"""The workbook itself: what its sheets hold, read from the file, calculated by our own reader and by LibreOffice."""

import re
import shutil
import sys
from datetime import datetime

import numpy as np
import pytest
from hypothesis import assume, given, settings

from discriminant.export import ExportError, Vectors, export
from discriminant.export.excel import layout, letters
from discriminant.export.plan import plan_of
from discriminant.export.vectors import typical
from discriminant.export.workbook import TEST_HEADER, layout_of_test, spreadsheet_vectors, workbook_bytes
from tests.export import models
from tests.export.runtimes import need
from tests.export.test_hostile import odd_models
from tests.export.workbook_reader import Workbook

SHEETS = ["Decide", "Rows", "Test", "Working", "Lists"]
FIRST = 8  # row of Decide


@pytest.fixture(autouse=True)
def _writer():
    need("excel")


def made(model, n=12):
    """The workbook of a model, with a few of its vectors."""
    cells = spreadsheet_vectors(model).cells
    vectors = Vectors.of(model, {name: own[:n] for name, own in cells.items()})
    return Workbook(workbook_bytes(model, plan_of(model), vectors)), vectors


@pytest.mark.parametrize("name", models.MODELS)
def test_no_row_of_test_differs(name):
    workbook, vectors = made(models.MODELS[name]())
    assert workbook.names == SHEETS
    assert workbook.value("Test!A3") == 0
    row = workbook.row("Test", TEST_HEADER + len(vectors))
    assert [v for v in row.values() if isinstance(v, Exception)] == []


def test_a_row_that_differs_is_counted():
    workbook, _ = made(models.two_with_reject())
    plan = plan_of(models.two_with_reject())
    answer, *numbers = layout_of_test(plan).shown
    model_answer = len(plan.columns) + len(layout_of_test(plan).cells)
    first = TEST_HEADER + 1
    workbook.type(f"Test!{letters(model_answer)}{first}", "another")
    assert workbook.value("Test!A3") == 1
    where = f"Test!{letters(model_answer + len(numbers))}{first + 1}"
    workbook.type(where, workbook.value(where) + 1e-7)
    assert workbook.value("Test!A3") == 2
    workbook.type(f"Test!A{first + 2}", "a text")
    assert workbook.value("Test!A3") == 3
    assert str(workbook.value(f"Test!{answer.letters}{first + 2}")).endswith("not a number")


def test_blanks_of_test_are_said_in_every_way():
    workbook, _ = made(models.two(), n=400)
    cells = [v for w, v in workbook.typed.items() if w.startswith("Test!")]
    assert {"NA", "N/A", "-", "?", "unknown"} <= {v for v in cells if isinstance(v, str)}


# --- Rows -------------------------------------------------------------------------------------------------------


def pasted(model, rows):
    workbook, _ = made(model, 1)
    plan = plan_of(model)
    for row, cells in enumerate(rows, 3):
        for place, cell in enumerate(cells):
            workbook.type(f"Rows!{'ABCDEFGHIJKLMNOP'[place]}{row}", cell)
    shown = layout(plan, header=2, empty_rows=True).shown
    return [[workbook.value(f"Rows!{cell.letters}{row}") for cell in shown] for row in range(3, 3 + len(rows))]


def small(rule="threshold", also_blank=()):
    columns = [
        models.number("age", 45.0, 12.0, blank=0.1),
        models.category("town", "Bonn", ["Ulm", "ulm"], other=True, also_blank=also_blank),
        models.flag("member"),
        models.date("since"),
    ]
    return models.model(columns, ("no", "yes"), rule=rule, posterior=models.Posterior(1.3, (0.0, -0.2)))


def test_rows_are_answered_as_by_the_model():
    model = small()
    day = datetime(2020, 2, 29)
    cells = {"age": [50.0, None, 20.5], "town": ["ulm", "Ulm", None], "member": [True, False, None]}
    vectors = Vectors.of(model, cells | {"since": [day, None, day]})
    found = pasted(model, [[50.0, "ulm", True, 43890.0], ["NA", " Ulm ", "false", "-"], [20.5, "?", None, 43890.0]])
    assert [row[0] for row in found] == list(vectors.labels)
    assert np.array([row[1:3] for row in found]) == pytest.approx(vectors.probabilities, rel=1e-9)
    assert [row[-1] for row in found] == pytest.approx(vectors.scores[:, 0].tolist(), rel=1e-9)


def test_an_empty_row_shows_nothing_and_a_wrong_one_says_why():
    empty, wrong = pasted(small(), [[None] * 4, ["old", "Ulm", True, 43890.0]])
    assert empty == [""] * len(empty)
    assert wrong == ["age: not a number", *[""] * (len(wrong) - 1)]


def test_two_hundred_rows_have_formulas_and_a_wide_model_fewer():
    workbook, _ = made(small(), 1)
    last = max(int(re.search("[0-9]+$", w).group()) for w in workbook.formulas if w.startswith("Rows!"))
    assert last == 202
    assert "rows 3 to 202" in workbook.value("Rows!A1")
    assert [workbook.value(f"Rows!{c}2") for c in "ABCD"] == ["age", "town", "member", "since"]
    wide, _ = made(models.wide(), 2)
    assert "rows 3 to 22:" in wide.value("Rows!A1")


# --- Decide -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", models.MODELS)
def test_decide_shows_what_the_model_says_of_the_case_typed_in(name):
    """Calculated, and as stored for readers that do not calculate."""
    model = models.MODELS[name]()
    workbook, _ = made(model, 1)
    case = Vectors.of(model, {c.name: [typical(c)] for c in model.encoding.used})
    assert workbook.value("Decide!B4") == _as_shown(case.labels[0])
    for where, stored in workbook.stored.items():
        if where.startswith("Decide!") and stored is not None:
            found = workbook.value(where)
            same = found == stored if isinstance(stored, str | bool) else found == pytest.approx(stored, rel=1e-9)
            assert same, (where, stored, found)
    assert sum(isinstance(v, float) for w, v in workbook.stored.items() if w.startswith("Decide!")) > 5


def _as_shown(label):
    return label.replace("\r\n", "\n") if isinstance(label, str) else label


def test_decide_reads_what_is_typed():
    workbook, _ = made(small(also_blank=("unknown",)), 1)
    assert [workbook.value(f"Decide!A{FIRST + i}") for i in range(4)] == ["age", "town", "member", "since"]
    answered = workbook.value("Decide!B5")
    workbook.type(f"Decide!B{FIRST}", "NA")
    assert workbook.value(f"Decide!D{FIRST}") == "blank: counts as unknown"
    assert workbook.value("Decide!B5") != answered
    workbook.type(f"Decide!B{FIRST}", "forty")
    assert workbook.value(f"Decide!D{FIRST}") == "not a number"
    assert workbook.value("Decide!B4") == "age: not a number"
    assert workbook.value("Decide!B5") == ""
    assert workbook.value(f"Decide!E{FIRST}") == ""
    workbook.type(f"Decide!B{FIRST}", 40.0)
    workbook.type(f"Decide!B{FIRST + 1}", "ULM")
    assert workbook.value(f"Decide!D{FIRST + 1}") == "a text the model has not seen"
    workbook.type(f"Decide!B{FIRST + 1}", "unknown")
    assert workbook.value(f"Decide!D{FIRST + 1}") == "blank: counts as unknown"
    workbook.type(f"Decide!B{FIRST + 3}", 50000.0)
    assert workbook.value(f"Decide!D{FIRST + 3}") == "beyond what the model has seen"
    assert workbook.value("Decide!B4") in ("no", "yes")


def test_what_each_column_adds_makes_the_score():
    workbook, _ = made(small(), 1)
    assert sum(workbook.value(f"Decide!E{FIRST + i}") for i in range(5)) == pytest.approx(workbook.value("Decide!B5"))


def test_categories_and_flags_have_lists():
    workbook, _ = made(small(), 1)
    rules = workbook.file.read("xl/worksheets/sheet1.xml").decode()
    assert "<formula1>Lists!$A$2:$A$4</formula1>" in rules
    assert '<formula1>"TRUE,FALSE"</formula1>' in rules
    assert [workbook.value(f"Lists!A{row}") for row in range(1, 5)] == ["town", "Bonn", "Ulm", "ulm"]


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        (models.number("x", 45.678, 3.0), 45.7),
        (models.number("x", 45.678, 3.0, low=46.25), 46.25),
        (models.Column("x", "number", (models.Feature("x", "value", 45.678, 3.0),), step=1.0), 46.0),
        (models.Column("x", "number", (models.Feature("x", "value", np.log(3), 1.0, unit=120.0),)), 240.0),
        (next(c for c in models.in_pieces() if c.name == "steps"), 12.5),
        (models.flag("f"), False),
        (models.date("d"), datetime(2020, 1, 1)),
        (models.category("c", "u", ["v"]), "u"),
        (models.Column("x", "number", models.number("x", blank=0.2).features[1:]), 0.0),
    ],
)
def test_typical_values(column, cell):
    assert typical(column) == cell


# --- hostile texts ----------------------------------------------------------------------------------------------

DANGEROUS = ["=1+1", "+1", "-1+2", "@SUM(A1)", "{=1}", '=HYPERLINK("http://x")', 'a"b', "a\nb", "a\x01b", "http://x.y"]


def test_texts_are_never_formulas():
    columns = [models.category(name, "=2+2", DANGEROUS) for name in DANGEROUS[:5]]
    columns += [models.number(name) for name in DANGEROUS[5:]]
    model = models.model(columns, ("=3+3", "@x"), rule="threshold", posterior=models.Posterior(1.0, (0.0, 0.0)))
    workbook, _ = made(model)
    texts = {v for v in workbook.typed.values() if isinstance(v, str)}
    assert {*DANGEROUS, "=2+2", "@x"} <= texts
    assert workbook.value("Test!A3") == 0
    parts = "".join(workbook.file.namelist())
    assert "externalLink" not in parts
    assert not any(b"<hyperlink" in workbook.file.read(name) for name in workbook.file.namelist())
    for formula in set(workbook.formulas.values()):
        outside = "".join(formula.split('"')[::2])
        assert "HYPERLINK" not in outside
        assert outside.isprintable()


@settings(max_examples=12, deadline=None)
@given(odd_models())
def test_any_names(model):
    texts = [column.name for column in model.encoding.used] + [t for c in model.encoding.used for t in c.levels]
    assume(not any(c in t for t in [*texts, *model.classes] for c in "\ufffe\uffff\r"))
    workbook, _ = made(model)
    assert workbook.value("Test!A3") == 0


@pytest.mark.parametrize("name", ["a\x1fb", "a\nb", "_x0041_", "SORT(x)", '"', "<&>"])
def test_any_class(name):
    """Also as what a formula held when it was written: a control character there makes a file that nothing opens."""
    columns = [models.category("c", "u", ["v"])]
    workbook, _ = made(models.model(columns, (name, name + "!"), rule="threshold"), 4)
    assert workbook.value("Test!A3") == 0
    assert workbook.value("Decide!B4") in (name, name + "!")


def test_texts_that_differ_by_line_ends_alone():
    model = models.model([models.category("c", "a\nb", ["a\r\nb"])], ("x", "y"), rule="threshold")
    with pytest.raises(ExportError, match="differ by their line ends alone"):
        export(model, "excel")


def test_characters_that_no_workbook_holds():
    columns = [models.number("nul\0 and \uffff"), models.number("n" * 40_000)]
    workbook, _ = made(models.model(columns, ("a", "b"), rule="threshold"), 3)
    assert workbook.value(f"Decide!A{FIRST}") == "nul\ufffd and \ufffd"
    assert len(workbook.value(f"Decide!A{FIRST + 1}")) == 250
    model = models.model([models.category("c", "a", ["b\uffff"])], ("x", "y"), rule="threshold")
    with pytest.raises(ExportError, match=r"holds U\+FFFF, which a spreadsheet cannot"):
        export(model, "excel")


def test_dates_before_those_of_spreadsheets():
    old = models.Column("d", "date", (models.Feature("d", "value", -40000.0, 100.0),), low=-40100.0, high=-39900.0)
    recent = models.Column("d", "date", (models.Feature("d", "value", -25500.0, 100.0),), low=-25700.0, high=-25300.0)
    vectors = spreadsheet_vectors(models.model([recent], ("a", "b"), rule="threshold"))
    assert 0 < len(vectors) < 400
    assert min(d for d in vectors.cells["d"] if d) >= datetime(1900, 3, 1)
    with pytest.raises(ExportError, match="dates of column 'd' lie before 1900-03-01"):
        export(models.model([old], ("a", "b"), rule="threshold"), "excel")


def test_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(ExportError, match=r"pip install discriminant\[excel\]"):
        export(models.two(), "excel")


# --- LibreOffice ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["hostile", "two_in_pieces_with_reject", "three_with_reject", "two_without_posterior"])
def test_libreoffice_agrees(name):
    if shutil.which("soffice") is None:
        pytest.skip("NOT TESTED: LibreOffice is not on this machine, so no workbook was calculated by it")
    result = export(models.MODELS[name](), "excel").check()
    assert result.passed, result.text
    assert result.rows >= 300
