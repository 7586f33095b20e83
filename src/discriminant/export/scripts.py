"""Python and JavaScript that need no package: the model as data, then the code that is the same for all models.

JavaScript comes as an ES module and for ``require``.
"""

from collections.abc import Callable
from typing import Any

from discriminant.export.bodies import body
from discriminant.export.literals import ascii_text, number
from discriminant.export.plan import CategoryColumn, NumberColumn, Plan
from discriminant.table.date_texts import date_parts, date_pattern
from discriminant.table.number_format import LIKENESSES
from discriminant.table.texts import GROUPED_NUMBER, PLAIN_NUMBER, SPACES

_PUBLIC = "scores, probabilities, decide, label, CLASSES as classes, ANSWERS as answers"
_LARGEST_EXACT = 2**53

Record = dict[str, Any]


class Lookup(dict[str, Any]):
    """A lookup of values by texts; in JavaScript a list of pairs, since a text may be the name of a property."""


# --- the model as data ----------------------------------------------------------------------------------------


def model_data(plan: Plan) -> Record:
    """What the code needs to know, by name."""
    data: Record = {
        "rule": plan.rule,
        "thresholds": plan.thresholds,
        "slope": plan.slope,
        "offsets": plan.offsets,
        "advantage": plan.advantage,
        "segments": [(s.start, s.base, s.slope, s.height) for s in plan.segments],
    }
    if plan.indexed is not None:
        return data | {"first_index": plan.indexed.first_index, "weights": plan.indexed.weights}
    return data | {
        "spaces": SPACES,
        "alike": Lookup({other: plain for plain, others in LIKENESSES.items() for other in others}),
        "plain_number": PLAIN_NUMBER,
        "grouped_number": GROUPED_NUMBER,
        "columns": [_column(column) for column in plan.columns],
    }


def _column(column: NumberColumn | CategoryColumn) -> Record:
    own: Record = {"name": column.name, "blank": column.blank, "blank_texts": column.blank_texts}
    if isinstance(column, CategoryColumn):
        levels = Lookup(zip(column.levels, column.added, strict=True))
        return own | {"kind": "category", "unseen": column.unseen, "levels": levels}
    own |= {"kind": column.kind, "filled": column.filled}
    own["pieces"] = [{key: x for key, x in vars(piece).items() if x is not None} for piece in column.pieces]
    if column.date_formats:
        own["dates"] = [(date_pattern(form), date_parts(form)) for form in column.date_formats]
    if (form := column.number_format) is not None:
        signs = {"decimal": form.decimal, "grouping": form.grouping, "parentheses": bool(form.parentheses)}
        own["written"] = {"pattern": form.pattern, "powers": Lookup(form.suffixes), **signs}
    return own


def _by_lines(key: str, value: Any, write: Callable[[Any], str], indent: str) -> str:
    """A field as source code, with a line for each column of the table."""
    if key not in ("columns", "weights"):
        return write(value)
    inner = f",\n{indent}  ".join(map(write, value))
    return f"[\n{indent}  {inner},\n{indent}]"


# --- Python ---------------------------------------------------------------------------------------------------


def python_files(plan: Plan, name: str) -> dict[str, bytes]:
    """One module, with docstrings and data in ASCII."""
    data = {"target": plan.target, "classes": list(plan.classes), "answers": list(plan.answers)} | model_data(plan)
    lines = [
        '"""Written by discriminant: a linear classifier as data, and the code that decides by it.\n',
        _python_usage(plan),
        *([plan.text_numbers.replace("\\", "\\\\")] if plan.text_numbers else []),
        '"""\n',
        *(f"import {module}" for module in (("math",) if plan.indexed else ("datetime", "math", "re"))),
        "",
        "MODEL = {",
        *(f"    {key!a}: {_by_lines(key, value, ascii, '    ')}," for key, value in data.items()),
        "}",
    ]
    inputs = body("cells.py.txt") if plan.indexed is None else body("sparse.py.txt")
    return {f"{name}.py": ("\n".join(lines) + "\n" + inputs + body("decision.py.txt")).encode("ascii")}


def _python_usage(plan: Plan) -> str:
    if plan.indexed is not None:
        return "label(indices, values) answers for a sparse row; scores and probabilities likewise."
    return (
        "label(row) answers for a row, a mapping from columns to cells; scores(row) and probabilities(row) likewise.\n"
        "A blank cell is None, NaN or an empty text. Dates may be dates, datetimes, texts or days since 1970-01-01.\n"
        "Texts are read as the model reads them; a cell that it refuses is a ValueError."
    )


# --- JavaScript -----------------------------------------------------------------------------------------------


def js_files(plan: Plan, name: str) -> dict[str, bytes]:
    """``.mjs`` for import, ``.cjs`` for require."""
    lines = [
        f"// Written by discriminant. Predicts {ascii_text(plan.target)}.",
        "// A blank cell is null, undefined, NaN or an empty text.",
        "// Dates are Dates, texts or days since 1970-01-01.",
        "// Texts are read as the model reads them; a cell that it refuses is a RangeError.",
        *([f"// {plan.text_numbers}"] if plan.text_numbers else []),
        f"const CLASSES = {_js(plan.classes)};",
        f"const ANSWERS = {_js(plan.answers)};",
        "const MODEL = {",
        *(f"  {_camel(key)}: {_by_lines(key, value, _js, '  ')}," for key, value in model_data(plan).items()),
        "};",
        (body("cells.js") if plan.indexed is None else body("sparse.js")) + body("decision.js"),
    ]
    code = "\n".join(lines)
    common = "module.exports = { scores, probabilities, decide, label, classes: CLASSES, answers: ANSWERS };\n"
    return {
        f"{name}.mjs": f"{code}\nexport {{ {_PUBLIC} }};\n".encode(),
        f"{name}.cjs": f'"use strict";\n{code}\n{common}'.encode(),
    }


def _js(value: Any) -> str:
    """Plain data as JavaScript has it; whole numbers beyond its doubles as BigInt."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return ascii_text(value)
    if isinstance(value, int):
        return str(value) if abs(value) <= _LARGEST_EXACT else f"{value}n"
    if isinstance(value, float):
        return number(value)
    if isinstance(value, Lookup):
        return _js(list(value.items()))
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_camel(key)}: {_js(own)}" for key, own in value.items()) + " }"
    return "[" + ", ".join(map(_js, value)) + "]"


def _camel(key: str) -> str:
    first, *others = key.split("_")
    return first + "".join(word.title() for word in others)
