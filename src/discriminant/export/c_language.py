"""C99 without dependencies: a header with a struct of inputs, and tables that loops run over."""

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate

from discriminant.export.bodies import body
from discriminant.export.literals import ExportError, LabelType, as_text, c_text, common_type, number
from discriminant.export.plan import LARGEST, CategoryColumn, NumberColumn, Plan, SparseColumns
from discriminant.model.decision_model import Label

# keywords of C up to C23 and of C++ up to C++26, and macros in small letters that common headers define
_RESERVED = re.compile(
    "alignas|alignof|auto|bool|break|case|char|const|constexpr|continue|default|do|double|else|"
    "enum|extern|false|float|for|goto|if|inline|int|long|nullptr|register|restrict|return|short|"
    "signed|sizeof|static|static_assert|struct|switch|thread_local|true|typedef|typeof|typeof_unqual|"
    "union|unsigned|void|volatile|while|and|and_eq|asm|atomic_cancel|atomic_commit|atomic_noexcept|"
    "bitand|bitor|catch|char8_t|char16_t|char32_t|class|co_await|co_return|co_yield|compl|concept|"
    "const_cast|consteval|constinit|contract_assert|decltype|delete|dynamic_cast|explicit|export|final|"
    "friend|import|module|mutable|namespace|new|noexcept|not|not_eq|operator|or|or_eq|override|post|"
    "pre|private|protected|public|reflexpr|reinterpret_cast|requires|static_cast|synchronized|template|"
    "this|throw|try|typeid|typename|using|virtual|wchar_t|xor|xor_eq|assert|complex|errno|far|"
    "fortran|i386|imaginary|isnan|linux|near|noreturn|offsetof|setjmp|signbit|stderr|stdin|stdout|"
    "unix|va_arg|va_copy|va_end|va_start"
)
_RETURNS: dict[LabelType, str] = {
    "text": "const char *",
    "integer": "long long ",
    "real": "double ",
    "flag": "int ",
}
_SAID = {"number": "number", "flag": "1 or 0", "date": "days since 1970-01-01 (UTC)"}
_LONGEST_TEXT = 4000  # bytes; C99 promises 4095 characters in a literal


def c_files(plan: Plan, name: str) -> dict[str, bytes]:
    """The header and the source."""
    return {f"{name}.h": header(plan).encode(), f"{name}.c": source(plan, name).encode()}


def field_names(names: Sequence[str]) -> list[str]:
    """An identifier for each column, of letters, digits and underscores, all different."""
    fields: dict[str, None] = {}
    for place, name in enumerate(names):
        plain = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[:40] or f"column_{place + 1}"
        plain = f"x_{plain}" if plain[0].isdigit() else plain
        plain = f"{plain}_" if _RESERVED.fullmatch(plain) or plain.isupper() else plain  # capitals may be macros
        unique, n = plain, 2
        while unique in fields:
            unique, n = f"{plain}_{n}", n + 1
        fields[unique] = None
    return list(fields)


def header(plan: Plan) -> str:
    """The struct of a row and the functions."""
    answers = "\n".join(f" *   {place}: {c_text(as_text(a))}" for place, a in enumerate(plan.answers))
    plain = f"\n * {plan.plain_numbers}" if plan.plain_numbers else ""
    return f"""/* Written by discriminant. Predicts {c_text(plan.target)}; the answers are
{answers}{plain}
 * discriminant_decide gives the place of the answer, or -1 for a row with an infinite number, a flag that is
 * neither 1 nor 0, or a wrong index.
 * Compile without -ffast-math, which takes NaN away. Link with the library of mathematics (-lm).
 */
#ifndef DISCRIMINANT_MODEL_H
#define DISCRIMINANT_MODEL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {{
#endif

#define DISCRIMINANT_PLANES {plan.planes}
#define DISCRIMINANT_CLASSES {len(plan.classes)}
#define DISCRIMINANT_ANSWERS {len(plan.answers)}
#define DISCRIMINANT_HAS_PROBABILITIES {int(plan.offsets is not None)}

{_row_type(plan)}
#if DISCRIMINANT_HAS_PROBABILITIES
void discriminant_probabilities(const double *scores, double *probabilities);
#endif
int discriminant_decide(const double *scores);
{_RETURNS[common_type(plan.answers)]}discriminant_label(int answer);

#ifdef __cplusplus
}}
#endif

#endif
"""


def _row_type(plan: Plan) -> str:
    if plan.indexed is not None:
        return (
            f"/* Indices begin with {plan.indexed.first_index}, as in the file the model was learnt from. */\n"
            "void discriminant_scores(size_t n, const long *indices, const double *values, double *scores);"
        )
    fields = field_names([c.name for c in plan.columns])
    lines = []
    for field, column in zip(fields, plan.columns, strict=True):
        kind, what = (
            ("const char *", "text in UTF-8") if isinstance(column, CategoryColumn) else ("double ", _SAID[column.kind])
        )
        lines.append(f"    {kind}{field}; /* {c_text(column.name)}: {what} */")
    return (
        "/* A blank cell is NAN, or NULL for a text. */\ntypedef struct discriminant_row {\n"
        + "\n".join(lines)
        + "\n} discriminant_row;\n\nvoid discriminant_scores(const discriminant_row *row, double *scores);"
    )


def source(plan: Plan, name: str) -> str:
    """The tables of the model, then the code that is the same for all."""
    headers = "\n".join(f"#include <{h}.h>" for h in ("float", "limits", "math", "string"))
    rule = (
        f"#define DECIDE_BY_SIGN {int(plan.rule == 'threshold')}\n#define DECIDE_BY_GAIN {int(plan.rule == 'gain')}\n"
    )
    if plan.indexed is not None:
        inputs = _indexed_tables(plan.indexed) + body("sparse.c")
    else:
        inputs = _column_tables(plan) + body("cells.c")
    return "\n".join(
        [
            "/* Written by discriminant. */",
            f'#include "{name}.h"\n\n{headers}\n',
            rule,
            _table("thresholds[DISCRIMINANT_PLANES]", [number(t) for t in plan.thresholds]),
            _decision_tables(plan),
            inputs,
            body("decision.c"),
            _label_function(plan),
        ]
    )


def _decision_tables(plan: Plan) -> str:
    parts = [f"#define SEGMENTS {len(plan.segments)}"]
    if plan.offsets is not None and not plan.segments:
        parts.append(f"static const double slope = {number(plan.slope)};")
        parts.append(_table("offsets[DISCRIMINANT_CLASSES]", [number(b) for b in plan.offsets]))
    if plan.segments:
        rows = [_row((s.start, s.base, s.slope, s.height)) for s in plan.segments]
        parts.append(
            "/* of log-odds that bend: the score they start at, another score, the slope, and their value there */"
        )
        parts.append(_table("segments[SEGMENTS][4]", rows))
    if plan.rule == "gain":
        parts.append(_table("advantage[DISCRIMINANT_CLASSES][DISCRIMINANT_ANSWERS]", map(_row, plan.advantage)))
    return "\n".join(parts)


def _column_tables(plan: Plan) -> str:
    measured, chosen = plan.measured, plan.chosen
    parts = [f"#define MEASURED {len(measured)}\n#define CHOSEN {len(chosen)}\n"]
    if measured:
        parts += [
            _piece_tables(measured),
            _table("is_flag[MEASURED]", [str(int(c.kind == "flag")) for c in measured], "int"),
            _table("filled[MEASURED][DISCRIMINANT_PLANES]", [_row(c.filled) for c in measured]),
            _table("blank[MEASURED][DISCRIMINANT_PLANES]", [_row(c.blank) for c in measured]),
            _gather(plan, "gather_numbers", "double *raw", texts=False),
        ]
    if chosen:
        parts += [_choice_tables(chosen), _gather(plan, "gather_texts", "const char **texts", texts=True)]
    return "\n".join(parts)


def _piece_tables(measured: Sequence[NumberColumn]) -> str:
    """The pieces of all columns in a row, and where those of each begin; a unit of 0 is none."""
    pieces = [piece for column in measured for piece in column.pieces]
    firsts = [0, *accumulate(len(column.pieces) for column in measured)]
    ends = [(-LARGEST if p.low is None else p.low, LARGEST if p.high is None else p.high) for p in pieces]
    return "\n".join(
        [
            f"#define PIECES {len(pieces)}",
            _table("first_piece[MEASURED + 1]", map(str, firsts), "int"),
            _table("low[PIECES]", [number(low) for low, _ in ends]),
            _table("high[PIECES]", [number(high) for _, high in ends]),
            _table("unit[PIECES]", [number(p.unit or 0.0) for p in pieces]),
            _table("centre[PIECES]", [number(p.centre) for p in pieces]),
            _table("scale[PIECES]", [number(p.scale) for p in pieces]),
            _table("weights[PIECES][DISCRIMINANT_PLANES]", [_row(p.weights) for p in pieces]),
        ]
    )


def _choice_tables(chosen: Sequence[CategoryColumn]) -> str:
    levels = [(text, added) for c in chosen for text, added in zip(c.levels, c.added, strict=True)]
    levels = levels or [("", chosen[0].unseen)]  # an array has at least one element
    blanks = [text for c in chosen for text in c.blank_texts]
    rows, level, blank = [], 0, 0
    for c in chosen:
        counts = f"{level}, {len(c.levels)}, {blank}, {len(c.blank_texts)}"
        rows.append(f"{{{counts}, {_row(c.unseen)}, {_row(c.blank)}}}")
        level, blank = level + len(c.levels), blank + len(c.blank_texts)
    return "\n".join(
        [
            "struct choice {\n    int first_level, level_count, first_blank, blank_count;",
            "    double unseen[DISCRIMINANT_PLANES], blank[DISCRIMINANT_PLANES];\n};",
            _table(f"levels[{len(levels)}]", [_literal(text) for text, _ in levels], "char *const"),
            _table(f"level_adds[{len(levels)}][DISCRIMINANT_PLANES]", [_row(added) for _, added in levels]),
            _table(f"blank_texts[{len(blanks)}]", [_literal(text) for text in blanks], "char *const"),
            _table("choices[CHOSEN]", rows, "struct choice"),
        ]
    )


def _gather(plan: Plan, function: str, out: str, *, texts: bool) -> str:
    fields = field_names([c.name for c in plan.columns])
    own = [f for f, c in zip(fields, plan.columns, strict=True) if isinstance(c, CategoryColumn) == texts]
    into = out.split("*")[-1]
    lines = "\n".join(f"    {into}[{i}] = row->{field};" for i, field in enumerate(own))
    return f"\nstatic void {function}(const discriminant_row *row, {out})\n{{\n{lines}\n}}\n"


def _indexed_tables(indexed: SparseColumns) -> str:
    return f"#define FIRST_INDEX {indexed.first_index}\n#define FEATURES {len(indexed.weights)}\n" + _table(
        "weights[FEATURES][DISCRIMINANT_PLANES]", [_row(w) for w in indexed.weights]
    )


def _label_function(plan: Plan) -> str:
    kind = common_type(plan.answers)
    nothing = {"text": "NULL", "integer": "LLONG_MIN", "real": "NAN", "flag": "-1"}[kind]
    labels = ", ".join(_label(a, kind) for a in plan.answers)
    pointer = "char *const" if kind == "text" else _RETURNS[kind].strip()
    return f"""
{_RETURNS[kind]}discriminant_label(int answer)
{{
    static const {pointer} labels[DISCRIMINANT_ANSWERS] = {{{labels}}};
    return answer >= 0 && answer < DISCRIMINANT_ANSWERS ? labels[answer] : {nothing};
}}
"""


def _label(label: Label, kind: LabelType) -> str:
    if kind == "text":
        return _literal(as_text(label))
    if kind == "integer":
        return "(-9223372036854775807LL - 1)" if label == -(2**63) else f"{label}LL"
    return number(float(label)) if kind == "real" else str(int(label))


def _table(declared: str, values: Iterable[str], kind: str = "double") -> str:
    return f"static const {kind} {declared} = {{\n    " + ",\n    ".join(values) + "\n};"


def _row(values: Sequence[float]) -> str:
    return "{" + ", ".join(number(v) for v in values) + "}"


def _literal(text: str) -> str:
    if "\0" in text:
        raise ExportError(f"{text!r} holds a NUL character, which ends a C text; export to python or js instead")
    if len(text.encode()) > _LONGEST_TEXT:
        raise ExportError(f"a text of {len(text)} characters is too long for C99; export to python or js instead")
    return c_text(text)
