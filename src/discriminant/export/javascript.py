"""JavaScript without dependencies: the same code as an ES module and for ``require``."""

from collections.abc import Iterable, Mapping, Sequence

from discriminant.export.bodies import body
from discriminant.export.literals import ascii_text, number
from discriminant.export.plan import Chosen, Measured, Piece, Plan
from discriminant.model.decision_model import Label
from discriminant.table.date_texts import date_parts, date_pattern
from discriminant.table.number_format import LIKENESSES
from discriminant.table.texts import GROUPED_NUMBER, PLAIN_NUMBER, SPACES

_PUBLIC = "scores, probabilities, decide, label, CLASSES as classes, ANSWERS as answers"
_LARGEST_EXACT = 2**53


def js_files(plan: Plan, name: str) -> dict[str, bytes]:
    """``.mjs`` for import, ``.cjs`` for require."""
    code = source(plan)
    common = "module.exports = { scores, probabilities, decide, label, classes: CLASSES, answers: ANSWERS };\n"
    return {
        f"{name}.mjs": f"{code}\nexport {{ {_PUBLIC} }};\n".encode(),
        f"{name}.cjs": f'"use strict";\n{code}\n{common}'.encode(),
    }


def source(plan: Plan) -> str:
    """The model as data, then the code that is the same for all."""
    inputs = body("cells.js") if plan.indexed is None else body("sparse.js")
    return "\n".join(
        [
            f"// Written by discriminant. Predicts {ascii_text(plan.target)}.",
            "// A blank cell is null, undefined, NaN or an empty text.",
            "// Dates are Dates, texts or days since 1970-01-01.",
            "// Texts are read as the model reads them; a cell that it refuses is a RangeError.",
            *([f"// {plan.text_numbers}"] if plan.text_numbers else []),
            f"const CLASSES = {_list(map(_label, plan.classes))};",
            f"const ANSWERS = {_list(map(_label, plan.answers))};",
            "const MODEL = {",
            *(f"  {key}: {value}," for key, value in _fields(plan).items()),
            "};",
            inputs + body("decision.js"),
        ]
    )


def _fields(plan: Plan) -> dict[str, str]:
    fields = {
        "rule": ascii_text(plan.rule),
        "thresholds": _numbers(plan.thresholds),
        "slope": number(plan.slope),
        "offsets": "null" if plan.offsets is None else _numbers(plan.offsets),
        "advantage": _list(map(_numbers, plan.advantage)),
        "segments": _list(_numbers((s.start, s.base, s.slope, s.height)) for s in plan.segments),
    }
    if plan.indexed is not None:
        weights = ",\n    ".join(map(_numbers, plan.indexed.weights))
        return fields | {"firstIndex": str(plan.indexed.first_index), "weights": f"[\n    {weights},\n  ]"}
    columns = ",\n    ".join(map(_column, plan.columns))
    return fields | _text_fields() | {"columns": f"[\n    {columns},\n  ]"}


def _text_fields() -> dict[str, str]:
    """What is the same for the texts of all columns."""
    alike = [(other, plain) for plain, others in LIKENESSES.items() for other in others]
    return {
        "spaces": ascii_text(SPACES),
        "alike": _list(f"[{ascii_text(other)}, {ascii_text(plain)}]" for other, plain in alike),
        "plainNumber": ascii_text(PLAIN_NUMBER),
        "groupedNumber": ascii_text(GROUPED_NUMBER),
    }


def _column(column: Measured | Chosen) -> str:
    blank_texts = _list(map(ascii_text, column.blank_texts))
    own = {"name": ascii_text(column.name), "blank": _numbers(column.blank), "blankTexts": blank_texts}
    if isinstance(column, Chosen):
        pairs = zip(column.levels, column.added, strict=True)
        own |= {
            "kind": '"category"',
            "unseen": _numbers(column.unseen),
            "levels": _list(f"[{ascii_text(text)}, {_numbers(added)}]" for text, added in pairs),
        }
    else:
        own |= {
            "kind": ascii_text(column.kind),
            "pieces": _list(map(_piece, column.pieces)),
            "filled": _numbers(column.filled),
            **_reading(column),
        }
    return _object(own)


def _reading(column: Measured) -> dict[str, str]:
    """How texts of a column are read, where that is a matter of the column."""
    if column.date_formats:
        forms = ((ascii_text(date_pattern(f)), _list(map(ascii_text, date_parts(f)))) for f in column.date_formats)
        return {"dates": _list(f"[{pattern}, {parts}]" for pattern, parts in forms)}
    form = column.number_format
    if form is None:
        return {}
    own = {"pattern": form.pattern, "decimal": form.decimal, "grouping": form.grouping}
    written = {key: ascii_text(value) for key, value in own.items()}
    written["powers"] = _list(f"[{ascii_text(word)}, {power}]" for word, power in form.suffixes.items())
    return {"written": _object(written | {"parentheses": "true" if form.parentheses else "false"})}


def _piece(piece: Piece) -> str:
    form = {"low": piece.low, "high": piece.high, "unit": piece.unit}
    own = {key: number(value) for key, value in form.items() if value is not None}
    own |= {"centre": number(piece.centre), "scale": number(piece.scale), "weights": _numbers(piece.weights)}
    return _object(own)


def _label(label: Label) -> str:
    if isinstance(label, bool):
        return "true" if label else "false"
    if isinstance(label, int):
        return str(label) if abs(label) <= _LARGEST_EXACT else f"{label}n"
    return number(label) if isinstance(label, float) else ascii_text(label)


def _numbers(values: Sequence[float]) -> str:
    return _list(map(number, values))


def _object(fields: Mapping[str, str]) -> str:
    return "{ " + ", ".join(f"{key}: {value}" for key, value in fields.items()) + " }"


def _list(parts: Iterable[str]) -> str:
    return "[" + ", ".join(parts) + "]"
