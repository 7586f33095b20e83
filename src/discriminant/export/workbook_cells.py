"""Cells of a workbook: texts that stay texts, formats, lists to choose from, and rows of formulas."""

import re
from datetime import datetime
from typing import Any

from discriminant.export.excel import DAYS_TO_1970, Layout, layout, letters
from discriminant.export.excel_texts import spreadsheet_label
from discriminant.export.plan import CategoryColumn, NumberColumn, Plan
from discriminant.export.vectors import Cell, days_of
from discriminant.model.decision_model import Label

LISTS = "Lists"
WORKING = "Working"
DECIDE = "Decide"
DECIDE_HEADER = 7
DAY = "yyyy-mm-dd"
_LONGEST_SHOWN = 250
_CHARACTERS_WIDE = (10, 40)


class Book:
    """The formats of a workbook and what its sheets share."""

    def __init__(self, written: Any, plan: Plan) -> None:
        self.written = written
        self.sheet_class = _quick_sheet(type(written).worksheet_class)
        self.plan = plan
        first = DECIDE_HEADER + 1
        self.inputs = [f"{DECIDE}!$B${first + i}" for i in range(len(plan.columns))]
        self.working = layout(plan, self.inputs)
        made = written.add_format
        self.title = made({"bold": True, "font_size": 14})
        self.hint = made({"italic": True, "font_color": "#595959"})
        self.note = made({"italic": True, "font_color": "#595959", "indent": 1})
        self.header = made({"bold": True, "bottom": 1, "text_wrap": True, "valign": "bottom"})
        self.name = made({"text_wrap": True, "valign": "top"})
        self.remark = made({"font_color": "#C00000", "text_wrap": True, "valign": "top"})
        self.answer = made({"bold": True, "font_size": 14, "align": "left", "bg_color": "#E2EFDA"})
        self.bold = made({"bold": True})
        self.number = made({"num_format": "0.0000", "align": "right"})
        self.share = made({"num_format": "0.0%", "align": "right"})
        self.gain = made({"num_format": "#,##0.00", "align": "right"})
        self.verdict = made({"bold": True, "font_size": 14, "align": "left"})
        self.good = made({"bg_color": "#C6EFCE"})
        self.bad = made({"bg_color": "#FFC7CE"})
        box = {"bg_color": "#FFF9DB", "border": 1, "border_color": "#BFBFBF"}
        self.box = {kind: made(box | {"num_format": own}) for kind, own in _NUMBER_FORMATS.items()}
        self.cell = {kind: made({"num_format": own}) for kind, own in _NUMBER_FORMATS.items()}

    def sheet(self, name: str, hidden: bool = False) -> Any:
        """A new sheet, set to print across one page."""
        sheet = self.written.add_worksheet(name, self.sheet_class)
        sheet.set_landscape()
        sheet.fit_to_pages(1, 0)
        if hidden:
            sheet.hide()
        return sheet

    def write_text(self, sheet: Any, row: int, place: int, text: str, form: Any = None) -> None:
        """Write a text as text, whatever it begins with; row and place count from 0."""
        sheet.write_string(row, place, shown(text), form)

    def write_value(self, sheet: Any, row: int, place: int, value: Any, form: Any = None) -> None:
        """A number, flag or text as what it is, or nothing; row and place from 0."""
        if value is None or value == "":
            sheet.write_blank(row, place, None, form)
        elif isinstance(value, str):
            sheet.write_string(row, place, value, form)
        elif isinstance(value, bool):
            sheet.write_boolean(row, place, value, form)
        else:
            sheet.write_number(row, place, value, form)

    def working_sheet(self) -> None:
        """The formulas of Decide, in a row."""
        sheet = self.sheet(WORKING, hidden=True)
        for cell in self.working.cells:
            self.write_text(sheet, 0, cell.place, cell.title)
            sheet.write_formula(1, cell.place, cell.formula(2), None, "")

    def list_of(self, column: CategoryColumn) -> str:
        """Where the texts of a category stand."""
        place = letters([c for c in self.plan.columns if isinstance(c, CategoryColumn)].index(column))
        return f"{LISTS}!${place}$2:${place}${1 + len(column.levels)}"

    def choices(self, sheet: Any, column: NumberColumn | CategoryColumn, area: tuple[int, int, int, int]) -> None:
        """A list to choose from for categories and flags; other texts may be typed after a word of warning."""
        if isinstance(column, NumberColumn) and column.kind != "flag":
            return
        category = isinstance(column, CategoryColumn)
        rule = {
            "validate": "list",
            "source": f"={self.list_of(column)}" if isinstance(column, CategoryColumn) else ["TRUE", "FALSE"],
            "error_type": "information",
            "error_title": "Not in the list",
            "error_message": "The model has not seen this text." if category else "TRUE, FALSE or an empty cell.",
        }
        sheet.data_validation(*area, rule)


def _quick_sheet(usual: type) -> type:
    """Takes formulas as they are: looking through each for functions of newer Excels takes most of the time."""

    def as_it_is(sheet: Any, formula: str, expand_future_functions: bool = False) -> str:
        return formula.removeprefix("=")

    return type("QuickSheet", (usual,), {"_prepare_formula": as_it_is})


_FLAG = '"TRUE";"TRUE";"FALSE"'  # 1 and 0 are shown as what they stand for
_NUMBER_FORMATS = {"number": "General", "flag": _FLAG, "date": DAY, "category": "@"}


def kind_of(column: NumberColumn | CategoryColumn) -> str:
    """What a column holds: number, flag, date or category."""
    return column.kind if isinstance(column, NumberColumn) else "category"


def shown(text: str) -> str:
    """A text as a cell can show it: cut where it is long, characters that a workbook cannot hold replaced."""
    held = re.sub("[\0\ufffe\uffff\ud800-\udfff]", "\ufffd", text)
    return held if len(held) <= _LONGEST_SHOWN else held[: _LONGEST_SHOWN - 1] + "…"


def as_typed(cell: Cell) -> str | float | bool | None:
    """A cell as it would be typed: dates by their number."""
    return days_of(cell) + DAYS_TO_1970 if isinstance(cell, datetime) else cell


class DataSheet:
    """A sheet with a row of formulas beside the cells of each row."""

    def __init__(self, book: Book, name: str, made: Layout, header: int) -> None:
        self.book = book
        self.made = made
        self.header = header
        self.sheet = book.sheet(name)
        for place, column in enumerate(book.plan.columns):
            self.text(header, place, column.name, book.header)
            width = min(max(len(column.name) + 2, _CHARACTERS_WIDE[0]), _CHARACTERS_WIDE[1])
            self.sheet.set_column(place, place, width, book.cell[kind_of(column)])
        for cell in made.cells:
            self.text(header, cell.place, cell.title, book.header)
        first = made.shown[0].place
        self.sheet.set_column(len(book.plan.columns), first - 1, 12, None, {"hidden": True, "level": 1})
        self.sheet.set_column(first, first, 24, None, {"collapsed": True})
        self.sheet.set_column(first + 1, first + 2 * len(made.shown), 14)
        self.forms = dict(zip((cell.place for cell in made.shown), self._forms(), strict=True))

    def _forms(self) -> list[Any]:
        book = self.book
        posterior = len(self.made.probabilities)
        return [
            book.bold,
            *[book.share] * posterior,
            *[book.gain] * bool(posterior),
            *[book.number] * len(self.made.scores),
        ]

    def text(self, row: int, place: int, text: str, form: Any = None) -> None:
        """Write a text into a row counted from 1."""
        self.book.write_text(self.sheet, row - 1, place, text, form)

    def as_typed(self, row: int, place: int, value: str | float | bool | None) -> None:
        """A cell as a person would type it."""
        if value is not None and value != "":
            form = self.book.cell[kind_of(self.book.plan.columns[place])]
            self.book.write_value(self.sheet, row - 1, place, value, form)

    def empty(self, row: int) -> None:
        """Cells to paste into."""
        for place, column in enumerate(self.book.plan.columns):
            self.sheet.write_blank(row - 1, place, None, self.book.box[kind_of(column)])

    def formulas(self, row: int) -> None:
        """Every formula of a row."""
        for cell in self.made.cells:
            self.sheet.write_formula(row - 1, cell.place, cell.formula(row), self.forms.get(cell.place), "")

    def label(self, row: int, place: int, label: Label) -> None:
        """An answer, as the formulas give it."""
        self.book.write_value(self.sheet, row - 1, place, spreadsheet_label(label))

    def choices(self, column: NumberColumn | CategoryColumn, place: int, first: int, last: int) -> None:
        """A list to choose from, in rows first to last."""
        self.book.choices(self.sheet, column, (first - 1, place, last - 1, place))

    def finish(self) -> None:
        """End the sheet; the names of its columns stay in sight."""
        self.sheet.freeze_panes(self.header, 0)
