"""The sheet Decide: cells to type a case into, the answer, and why.

Cells that are calculated also hold what the model says of the case typed in, for readers that do not calculate.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.export.excel import DAYS_TO_1970, FormulaCell
from discriminant.export.excel_texts import is_blank, spreadsheet_label
from discriminant.export.literals import as_text
from discriminant.export.plan import CategoryColumn
from discriminant.export.vectors import Cell, ExportVectors, arrow_table, typical
from discriminant.export.workbook_cells import DECIDE, DECIDE_HEADER, WORKING, Book, as_typed, kind_of
from discriminant.model.decision_model import DecisionModel
from discriminant.table.date_texts import day_text
from discriminant.table.encoding import Column

_FIRST = DECIDE_HEADER  # row of the first column, counted from 0
_BLANK = "blank: counts as unknown"
_BEYOND = "beyond what the model has seen"
_UNSEEN = "a text the model has not seen"


@dataclass(frozen=True)
class _Case:
    """What is typed in at first, and what the model says of it."""

    cells: dict[str, Cell]
    adds: NDArray[np.float64]  # by plane and column
    vectors: ExportVectors

    @classmethod
    def of(cls, model: DecisionModel) -> "_Case":
        used = model.encoding.used  # type: ignore[union-attr]
        cells = {column.name: typical(column) for column in used}
        vectors = ExportVectors.of(model, {name: [cell] for name, cell in cells.items()})
        row = model.encoding.encode(arrow_table(model, vectors.cells)).matrix[0]  # type: ignore[union-attr]
        places = model.encoding.places()  # type: ignore[union-attr]
        adds = [model.weights[:, start:stop] @ row[start:stop] for _, start, stop in places]
        return cls(cells, np.array(adds).T, vectors)


def decide_sheet(book: Book, model: DecisionModel) -> None:
    """The first sheet of the workbook."""
    case = _Case.of(model)
    sheet = book.sheet(DECIDE)
    one = book.plan.planes == 1
    beside = 6 if one else 5  # where the table of answers begins
    book.write_text(sheet, 0, 0, f"{book.plan.target}: type a case, read the answer", book.title)
    hint = "Type into the yellow cells; all else is calculated. Leave empty what is not known (NA, - and ? will do)."
    book.write_text(sheet, 1, 0, hint, book.hint)
    if book.plan.plain_numbers:
        book.write_text(sheet, 2, 0, book.plan.plain_numbers, book.hint)
    _answer(book, sheet, case)
    _inputs(book, sheet, model, case)
    after = _answers(book, sheet, case, beside)
    _adds(book, sheet, case, 4 if one else after + 1)
    for place, width in enumerate((28, 20, 46, 30, 20 if one else 3, 3)):
        sheet.set_column(place, place, width)
    sheet.set_column(beside, beside, 18)
    sheet.set_column(beside + 1, after + 1 + book.plan.planes, 16)
    if not one:
        sheet.set_column(after, after, 3)
    sheet.set_row(DECIDE_HEADER - 1, 30)
    sheet.freeze_panes(DECIDE_HEADER, 0)
    sheet.set_selection(_FIRST, 1, _FIRST, 1)


def _is_filled(cell: FormulaCell) -> str:
    return f"{WORKING}!${cell.letters}$2"


def _write(sheet: Any, book: Book, row: int, place: int, cell: FormulaCell, form: Any, value: Any) -> None:
    """A number of the sheet Working, empty where there is no answer."""
    formula = f'=IF({_is_filled(book.working.state)}="",{_is_filled(cell)},"")'
    sheet.write_formula(row, place, formula, form, float(value) if np.isfinite(value) else "")


def _answer(book: Book, sheet: Any, case: _Case) -> None:
    plan, made = book.plan, book.working
    book.write_text(sheet, 3, 0, "Answer", book.bold)
    said = case.vectors.labels[0]
    label = "" if said is None else spreadsheet_label(said)
    if isinstance(label, str) and (not label.isprintable() or "_x" in label):
        label = ""  # stored values of formulas are written as they are, control characters and all
    sheet.write_formula(3, 1, f"={_is_filled(made.shown[0])}", book.answer, label)
    if plan.planes == 1:
        book.write_text(sheet, 4, 0, "Score", book.bold)
        _write(sheet, book, 4, 1, made.scores[0], book.number, case.vectors.scores[0, 0])
        if plan.rule == "threshold":
            book.write_text(sheet, 4, 2, f"above 0: {as_text(plan.answers[1])}", book.note)


def _inputs(book: Book, sheet: Any, model: DecisionModel, case: _Case) -> None:
    for place, title in enumerate(("Column", "Value", "What it is", "Remark")):
        book.write_text(sheet, DECIDE_HEADER - 1, place, title, book.header)
    used = {column.name: column for column in model.encoding.used}  # type: ignore[union-attr]
    for i, column in enumerate(book.plan.columns):
        row, own = _FIRST + i, used[column.name]
        book.write_text(sheet, row, 0, column.name, book.name)
        book.write_value(sheet, row, 1, as_typed(case.cells[column.name]), book.box[kind_of(column)])
        book.choices(sheet, column, (row, 1, row, 1))
        book.write_text(sheet, row, 2, _column_description(own), book.note)
        sheet.write_formula(row, 3, f'=IFERROR({_remark(book, i, own)},"cannot be read")', book.remark, "")


def _column_description(column: Column) -> str:
    if column.kind == "flag":
        return "TRUE or FALSE"
    if column.kind == "category":
        return f"text, one of {len(column.levels) + 1}"
    if column.low is None or column.high is None:
        return column.kind
    if column.kind == "date":
        return f"date, {day_text(column.low)} to {day_text(column.high)} in the data"
    return f"number, {column.low:,.6g} to {column.high:,.6g} in the data"


def _remark(book: Book, place: int, own: Column) -> str:
    """What is to be said of a cell, as a formula."""
    column, read = book.plan.columns[place], book.working.reads[place]
    if isinstance(column, CategoryColumn):
        known = book.list_of(column)
        text = book.working.texts[place]
        assert text is not None
        times = f"SUMPRODUCT(--EXACT({_is_filled(text)},{known}))"
        return f'IF({is_blank(_is_filled(text), column.blank_texts)},"{_BLANK}",IF({times}=0,"{_UNSEEN}",""))'
    assert read is not None
    at = _is_filled(read)
    beyond = '""'
    if own.kind != "flag" and own.low is not None and own.high is not None:
        shift = DAYS_TO_1970 if own.kind == "date" else 0
        beyond = f'IF(OR({at}<{own.low + shift:.15g},{at}>{own.high + shift:.15g}),"{_BEYOND}","")'
    return f'IF({at}="","{_BLANK}",IF(ISTEXT({at}),{at},{beyond}))'


def _answers(book: Book, sheet: Any, case: _Case, place: int) -> int:
    """A row for each answer: its score, probability and expected gain, those that there are. The place after them."""
    plan, made, vectors = book.plan, book.working, case.vectors
    own: list[tuple[str, tuple[FormulaCell, ...], Any, Any]] = []
    if plan.planes > 1:
        own.append(("Score", made.scores, book.number, vectors.scores[0]))
    if vectors.probabilities is not None:
        gain = np.array(plan.advantage) + np.array(plan.least)[:, None]
        own.append(("Probability", made.probabilities, book.share, vectors.probabilities[0]))
        own.append(("Expected gain", made.gains, book.gain, vectors.probabilities[0] @ gain))
    if not own:
        return place
    book.write_text(sheet, DECIDE_HEADER - 1, place, "Possible answer", book.header)
    for i, answer in enumerate(plan.answers):
        book.write_text(sheet, _FIRST + i, place, as_text(answer), book.name)
    for j, (title, cells, form, values) in enumerate(own, start=1):
        book.write_text(sheet, DECIDE_HEADER - 1, place + j, title, book.header)
        for i, (cell, value) in enumerate(zip(cells, values, strict=True)):
            _write(sheet, book, _FIRST + i, place + j, cell, form, value)
    return place + 1 + len(own)


def _adds(book: Book, sheet: Any, case: _Case, place: int) -> None:
    """What each column adds to a score; with the fixed part they add up to it."""
    plan = book.plan
    last = _FIRST + len(plan.columns)
    book.write_text(sheet, last, 0, "(fixed part)", book.hint)
    for p, cells in enumerate(book.working.adds):
        to = "Adds to the score" if plan.planes == 1 else f"Adds to the score of {as_text(plan.classes[p])}"
        book.write_text(sheet, DECIDE_HEADER - 1, place + p, to, book.header)
        for i, cell in enumerate(cells):
            formula = f'=IFERROR({_is_filled(cell)},"")'
            sheet.write_formula(_FIRST + i, place + p, formula, book.number, float(case.adds[p, i]))
        sheet.write_number(last, place + p, -plan.thresholds[p], book.number)
        bars = {"type": "data_bar", "bar_color": "#9DC3E6", "bar_negative_color": "#F4B183", "data_bar_2010": True}
        sheet.conditional_format(_FIRST, place + p, last - 1, place + p, bars)
