"""A Python module that needs nothing but the standard library."""

from discriminant.export.bodies import body
from discriminant.export.plan import Chosen, Measured, Piece, Plan
from discriminant.table.date_texts import date_parts, date_pattern
from discriminant.table.number_format import LIKENESSES
from discriminant.table.texts import GROUPED_NUMBER, PLAIN_NUMBER, SPACES


def python_files(plan: Plan, name: str) -> dict[str, bytes]:
    """One module."""
    return {f"{name}.py": source(plan).encode("ascii")}


def source(plan: Plan) -> str:
    """The model as data, then the code that is the same for all."""
    lines = [
        '"""Written by discriminant: a linear classifier as data, and the code that decides by it.',
        "",
        _usage(plan),
        *([plan.text_numbers.replace("\\", "\\\\")] if plan.text_numbers else []),
        '"""',
        "",
        "import datetime",
        "import math",
        "import re",
        "",
        "MODEL = {",
        *(f"    {key!a}: {value}," for key, value in _fields(plan).items()),
        "}",
    ]
    inputs = body("cells.py.txt") if plan.indexed is None else body("sparse.py.txt")
    if plan.indexed is not None:
        lines = [line for line in lines if line not in ("import datetime", "import re")]
    return "\n".join(lines) + "\n" + inputs + body("decision.py.txt")


def _usage(plan: Plan) -> str:
    if plan.indexed is not None:
        return "label(indices, values) answers for a sparse row; scores and probabilities likewise."
    return (
        "label(row) answers for a row, a mapping from columns to cells; scores(row) and probabilities(row) likewise.\n"
        "A blank cell is None, NaN or an empty text. Dates may be dates, datetimes, texts or days since 1970-01-01.\n"
        "Texts are read as the model reads them; a cell that it refuses is a ValueError."
    )


def _fields(plan: Plan) -> dict[str, str]:
    fields = {
        "target": ascii(plan.target),
        "classes": ascii(list(plan.classes)),
        "answers": ascii(list(plan.answers)),
        "rule": ascii(plan.rule),
        "thresholds": ascii(list(plan.thresholds)),
        "slope": ascii(plan.slope),
        "offsets": ascii(None if plan.offsets is None else list(plan.offsets)),
        "advantage": ascii([list(row) for row in plan.advantage]),
        "segments": ascii([[s.start, s.base, s.slope, s.height] for s in plan.segments]),
    }
    if plan.indexed is not None:
        weights = ",\n        ".join(ascii(list(w)) for w in plan.indexed.weights)
        return fields | {"first_index": ascii(plan.indexed.first_index), "weights": f"[\n        {weights},\n    ]"}
    columns = ",\n        ".join(map(_column, plan.columns))
    return fields | _text_fields() | {"columns": f"[\n        {columns},\n    ]"}


def _text_fields() -> dict[str, str]:
    """What is the same for the texts of all columns."""
    return {
        "spaces": ascii(SPACES),
        "alike": ascii({other: plain for plain, others in LIKENESSES.items() for other in others}),
        "plain_number": ascii(PLAIN_NUMBER),
        "grouped_number": ascii(GROUPED_NUMBER),
    }


def _column(column: Measured | Chosen) -> str:
    own: dict[str, object] = {"name": column.name, "blank": list(column.blank), "blank_texts": column.blank_texts}
    if isinstance(column, Chosen):
        own |= {
            "kind": "category",
            "unseen": list(column.unseen),
            "levels": {text: list(added) for text, added in zip(column.levels, column.added, strict=True)},
        }
    else:
        own |= {
            "kind": column.kind,
            "pieces": [_piece(piece) for piece in column.pieces],
            "filled": list(column.filled),
            **_reading(column),
        }
    return ascii(own)


def _reading(column: Measured) -> dict[str, object]:
    """How texts of a column are read, where that is a matter of the column."""
    if column.date_formats:
        return {"dates": [[date_pattern(form), list(date_parts(form))] for form in column.date_formats]}
    form = column.number_format
    if form is None:
        return {}
    signs = {"decimal": form.decimal, "grouping": form.grouping, "parentheses": bool(form.parentheses)}
    return {"written": {"pattern": form.pattern, "powers": form.suffixes, **signs}}


def _piece(piece: Piece) -> dict[str, object]:
    form = {"low": piece.low, "high": piece.high, "unit": piece.unit}
    own = {"centre": piece.centre, "scale": piece.scale, "weights": list(piece.weights)}
    return {key: value for key, value in form.items() if value is not None} | own
