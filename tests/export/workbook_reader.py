"""What a file .xlsx holds, and what its formulas give."""

import io
import re
import xml.etree.ElementTree as ET
import zipfile

from tests.export.formula_engine import Formula

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


class Workbook:
    """Cells by sheet and address: ``texts_and_numbers`` as typed, ``formulas``, and what formulas held when written."""

    def __init__(self, content):
        self.file = zipfile.ZipFile(io.BytesIO(content))
        self.strings = ["".join(t.text or "" for t in s.iter(f"{_MAIN}t")) for s in self.xml("xl/sharedStrings.xml")]
        self.names = [s.get("name") for s in self.xml("xl/workbook.xml").iter(f"{_MAIN}sheet")]
        self.typed, self.formulas, self.stored, self.found = {}, {}, {}, {}
        for i, name in enumerate(self.names, 1):
            for cell in self.xml(f"xl/worksheets/sheet{i}.xml").iter(f"{_MAIN}c"):
                self._take(f"{name}!{cell.get('r')}", cell)

    def xml(self, name):
        return ET.fromstring(self.file.read(name))

    def _take(self, where, cell):
        value, formula = cell.find(f"{_MAIN}v"), cell.find(f"{_MAIN}f")
        held = None if value is None or value.text is None else self._value(value.text, cell.get("t"))
        if formula is None:
            self.typed[where] = held
        else:
            self.formulas[where] = "=" + formula.text
            self.stored[where] = held

    def _value(self, text, kind):
        if kind == "s":
            return _unescaped(self.strings[int(text)])
        return _unescaped(text) if kind == "str" else text == "1" if kind == "b" else float(text)

    def type(self, where, value):
        """Into a cell; everything is calculated anew."""
        self.typed[where] = value
        self.found.clear()

    def value(self, where):
        if where in self.found or where not in self.formulas:
            return self.found.get(where, self.typed.get(where))
        sheet = where.partition("!")[0]
        self.found[where] = Formula(self.formulas[where])(_Cells(self, sheet))
        return self.found[where]

    def row(self, sheet, row):
        """The cells of a row that hold something, by letters."""
        every = {**self.typed, **self.formulas}
        own = [w for w in every if re.fullmatch(rf"{sheet}![A-Z]+{row}", w)]
        return {re.search("![A-Z]+", w).group()[1:]: self.value(w) for w in own}


class _Cells:
    """Addresses as formulas of a sheet say them."""

    def __init__(self, workbook, sheet):
        self.workbook, self.sheet = workbook, sheet

    def __getitem__(self, where):
        return self.workbook.value(where if "!" in where else f"{self.sheet}!{where}")


def _unescaped(text):
    return re.sub("_x([0-9A-Fa-f]{4})_", lambda m: chr(int(m.group(1), 16)), text)
