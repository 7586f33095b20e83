"""A workbook to decide with: cells to type into, rows to paste, and rows that try the formulas against the model.

    Decide    one cell a column to type into; the answer, probabilities, expected gain, and what each column adds
    Rows      a row of cells for each row that is pasted, formulas beside
    Test      the vectors of the export, the answers of the formulas beside those of the model, and how many differ
    Working   (hidden) the formulas of Decide
    Lists     (hidden) the texts that categories know, to choose from

Whatever comes from the table is written as text, never as a formula. The same model gives the same bytes.
"""

import io
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np

from discriminant.export.excel import DAYS_TO_1970, FIRST_DAY, Layout, layout, letters
from discriminant.export.literals import ExportError
from discriminant.export.plan import CategoryColumn, Plan
from discriminant.export.vectors import Cell, ExportVectors, days_of, vectors_of
from discriminant.export.workbook_cells import LISTS, Book, DataSheet, as_typed
from discriminant.export.workbook_decide import decide_sheet
from discriminant.model.decision_model import DecisionModel, Label

TEST = "Test"
TEST_PLACE = 3  # among the sheets, from 1
TEST_HEADER = 5
_ROWS = "Rows"
_ROWS_HEADER = 2
_MOST_ROWS = 200
_FEWEST_ROWS = 20
_MOST_CHARACTERS = 12_000_000  # of formulas in a sheet, so that a spreadsheet opens it in seconds
_TOLERANCE = "1E-9"


def workbook_bytes(model: DecisionModel, plan: Plan, vectors: ExportVectors, *, every_row: bool = False) -> bytes:
    """The file; needs the xlsxwriter package. Of many long vectors, Test has some, unless it is to have every row."""
    rows = layout(plan, header=_ROWS_HEADER, empty_rows=True)
    test = layout_of_test(plan)
    xlsxwriter = _xlsxwriter()
    out = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(out, options) as written:
        written.set_properties({"title": "Decide", "created": datetime(2000, 1, 1)})
        book = Book(written, plan)
        decide_sheet(book, model)
        _rows_sheet(book, rows)
        _test_sheet(book, test, vectors, every_row)
        book.working_sheet()
        _lists_sheet(book)
    return out.getvalue()


def spreadsheet_vectors(model: DecisionModel) -> ExportVectors:
    """Vectors whose cells a spreadsheet can hold: numbers of 15 digits, no dates before 1900-03-01."""
    made = vectors_of(model)
    if made.sparse_rows is not None:
        return made
    names = list(made.cells)
    rows = [list(map(_cell_value, row)) for row in zip(*made.cells.values(), strict=True)]
    kept = [
        row for row in rows if not any(isinstance(c, datetime) and days_of(c) + DAYS_TO_1970 < FIRST_DAY for c in row)
    ]
    for i, name in enumerate(names):
        if _has_dates(rows, i) and not _has_dates(kept, i):
            raise ExportError(
                f"the dates of column {name!r} lie before 1900-03-01, where those of a spreadsheet begin; "
                "export to sql, python, c or js instead"
            )
    tried = ExportVectors.of(model, {name: [row[i] for row in kept] for i, name in enumerate(names)})
    answered = [i for i, label in enumerate(tried.labels) if label is not None]  # the sheet has no word for the others
    return ExportVectors.of(model, {name: [own[i] for i in answered] for name, own in tried.cells.items()})


def _has_dates(rows: Sequence[Sequence[Cell]], place: int) -> bool:
    return any(isinstance(row[place], datetime) for row in rows)


def layout_of_test(plan: Plan) -> Layout:
    """The formulas of the sheet Test; its rows begin below TEST_HEADER."""
    return layout(plan, header=TEST_HEADER)


def _xlsxwriter() -> Any:
    try:
        import xlsxwriter
    except ImportError:
        raise ExportError("to export to Excel, install what writes it: pip install discriminant[excel]") from None
    return xlsxwriter


def _cell_value(cell: Cell) -> Cell:
    return float(f"{cell:.15g}") if isinstance(cell, float) else cell


def _rows_that_fit(made: Layout, most: int) -> int:
    characters = sum(len(cell.template) for cell in made.cells)
    return min(most, max(_FEWEST_ROWS, _MOST_CHARACTERS // characters))


# --- Rows -------------------------------------------------------------------------------------------------------


def _rows_sheet(book: Book, made: Layout) -> None:
    n = _rows_that_fit(made, _MOST_ROWS)
    sheet = DataSheet(book, _ROWS, made, _ROWS_HEADER)
    last = _ROWS_HEADER + n
    where = f"Formulas stand in rows {_ROWS_HEADER + 1} to {last}: copy the last row down for more."
    hint = "Paste rows into the yellow cells, columns in this order; the answers appear behind them."
    sheet.text(1, 0, " ".join(part for part in (hint, where, book.plan.plain_numbers) if part), book.hint)
    for row in range(_ROWS_HEADER + 1, last + 1):
        sheet.empty(row)
        sheet.formulas(row)
    for place, column in enumerate(book.plan.columns):
        sheet.choices(column, place, _ROWS_HEADER + 1, last)
    sheet.finish()


# --- Test -------------------------------------------------------------------------------------------------------


def _test_sheet(book: Book, made: Layout, vectors: ExportVectors, every_row: bool) -> None:
    n = len(vectors)
    taken = _spread_rows(n, n if every_row else _rows_that_fit(made, most=n))
    sheet = DataSheet(book, TEST, made, TEST_HEADER)
    answers, numbers = _model_answers(book.plan, vectors)
    own = len(book.plan.columns) + len(made.cells)  # where the answers of the model begin
    differs = own + len(made.shown)
    for place, title in enumerate([*(f"model: {cell.title}" for cell in made.shown), "differs"], start=own):
        sheet.text(TEST_HEADER, place, title, book.header)
    for row, i in enumerate(taken, start=TEST_HEADER + 1):
        for place, column in enumerate(book.plan.columns):
            cell, texts = vectors.cells[column.name][i], column.blank_texts
            blank = cell is None or cell in texts
            sheet.as_typed(row, place, as_typed(texts[(i + place) % len(texts)] if blank else cell))
        sheet.formulas(row)
        answer = answers[i]
        if answer is not None:
            sheet.label(row, own, answer)
            for place, number in enumerate(numbers[i].tolist(), start=own + 1):
                sheet.sheet.write_number(row - 1, place, number)
        sheet.sheet.write_formula(row - 1, differs, _differs(made, own, row), None, "")
    _count(sheet, len(taken), letters(differs))
    sheet.finish()


def _count(sheet: DataSheet, n: int, differs: str) -> None:
    """How many rows differ, above them."""
    book = sheet.book
    sheet.text(1, 0, f"{n} rows that try every column, with the answers of the model beside those of the formulas.")
    sheet.text(2, 0, "Blank cells are empty here or say so, as NA does. Rows that differ (0 is expected):", book.hint)
    counted = f"=SUM({differs}{TEST_HEADER + 1}:{differs}{TEST_HEADER + n})"
    sheet.sheet.write_formula(2, 0, counted, book.verdict, "")
    for sign, colour in (("==", book.good), ("!=", book.bad)):
        rule = {"type": "cell", "criteria": sign, "value": 0, "format": colour}
        sheet.sheet.conditional_format(2, 0, 2, 0, rule)


def _spread_rows(n: int, most: int) -> list[int]:
    """Choose at most so many of n rows, evenly spread, the first among them."""
    return list(range(n)) if n <= most else [i * n // most for i in range(most)]


def _model_answers(plan: Plan, vectors: ExportVectors) -> tuple[Sequence[Label | None], Any]:
    """Labels, None of refused rows; and probabilities and expected gain, if any, and scores, as in Layout.shown."""
    if vectors.probabilities is None:
        return vectors.labels, vectors.scores
    gain = np.array(plan.advantage) + np.array(plan.least)[:, None]
    places = {(type(a), a): place for place, a in enumerate(plan.answers)}
    chosen = [places.get((type(label), label), 0) for label in vectors.labels]  # type: ignore[arg-type]
    expected = (vectors.probabilities * gain[:, chosen].T).sum(axis=1)
    return vectors.labels, np.column_stack([vectors.probabilities, expected, vectors.scores])


def _differs(made: Layout, own: int, row: int) -> str:
    """1 where the answer is another, or a number is off by more than 1e-9 of max(1, |number|)."""
    answer, *numbers = made.shown
    ours = f"{numbers[0].letters}{row}:{numbers[-1].letters}{row}"
    models = f"{letters(own + 1)}{row}:{letters(own + len(numbers))}{row}"
    off = f"(ABS({ours}-{models})>{_TOLERANCE})*(ABS({ours}-{models})>{_TOLERANCE}*ABS({models}))"
    same = f"EXACT({answer.letters}{row},{letters(own)}{row})"
    return f"=IFERROR(IF({same},IF(SUMPRODUCT({off})=0,0,1),1),1)"


# --- Lists ------------------------------------------------------------------------------------------------------


def _lists_sheet(book: Book) -> None:
    sheet = book.sheet(LISTS, hidden=True)
    chosen = [c for c in book.plan.columns if isinstance(c, CategoryColumn)]
    for place, column in enumerate(chosen):
        for row, text in enumerate(("", *column.levels)):
            book.write_text(sheet, row, place, text if row else column.name)
