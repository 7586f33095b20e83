"""Formulas for a spreadsheet: the columns of a row in A2, B2, ..., the score, probabilities and label beside them.

Only functions that every Excel has (IF, OR, EXACT, EXP, LN, ABS, SIGN, MIN, MAX, MATCH, CHOOSE), each formula within
8192 characters: a score that is longer is split over helper cells. Numbers in formulas keep 15 digits; where the rest
of a centre would show in the score, it is subtracted as well. Texts are compared by EXACT, since = does not tell
capitals apart.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from discriminant.export.errors import ExportError
from discriminant.export.labels import as_text
from discriminant.export.literals import ascii_text
from discriminant.export.plan import Chosen, Measured, Piece, Plan
from discriminant.model.decision_model import Label

LONGEST = 8192
_CONTROLS = {chr(i) for i in (*range(1, 32), 127)}
_PIECE = 120  # characters of a text; Excel allows 255, and counts some of them twice
_MOST_ANSWERS = 254  # of CHOOSE
_DAYS_TO_1970 = 25569  # Excel counts days from the end of 1899


@dataclass(frozen=True)
class Cell:
    """A formula and where it goes."""

    address: str
    title: str
    formula: str


@dataclass(frozen=True)
class Sheet:
    """Which column is expected where, and the formulas beside."""

    inputs: tuple[tuple[str, str], ...]  # address, name of the column
    cells: tuple[Cell, ...]


def excel_files(plan: Plan, name: str) -> dict[str, bytes]:
    """A text with the formulas, to be pasted into row 2."""
    return {f"{name}.excel.txt": _text(sheet(plan), plan).encode("utf-8")}


def sheet(plan: Plan) -> Sheet:
    """The cells in an order in which each uses only those before it."""
    if plan.indexed is not None:
        raise ExportError("a model of sparse rows has no cells for formulas; export to python, c or js instead")
    if len(plan.answers) > _MOST_ANSWERS:
        raise ExportError(
            f"a formula chooses among at most {_MOST_ANSWERS} answers, this model has {len(plan.answers)}"
        )
    return _Builder(plan).built()


def letters(place: int) -> str:
    """A, B, ..., Z, AA, ...: the name of a column by its place, from 0."""
    text = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        text = chr(ord("A") + rest) + text
    return text


class _Builder:
    """Cells as they are added, to the right of the columns of the table."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.cells: list[Cell] = []

    def built(self) -> Sheet:
        plan = self.plan
        titles = ["score"] if plan.planes == 1 else [f"score of {_title(c)}" for c in plan.classes]
        scores = [self._score(p, title) for p, title in enumerate(titles)]
        posteriors = self._posteriors(scores) if plan.offsets is not None else []
        self._label(scores, posteriors)
        inputs = tuple((f"{letters(i)}2", c.name) for i, c in enumerate(plan.columns))
        return Sheet(inputs, tuple(self.cells))

    def _add(self, title: str, formula: str) -> str:
        if len(formula) >= LONGEST:
            raise ExportError(
                f"the formula of {title!r} would have {len(formula)} characters, beyond Excel's {LONGEST}"
            )
        address = f"{letters(len(self.plan.columns) + len(self.cells))}2"
        self.cells.append(Cell(address, title, "=" + formula))
        return address

    def _score(self, plane: int, title: str) -> str:
        """In one cell if it fits, else as sums of parts in cells before it."""
        terms = [t for place, c in enumerate(self.plan.columns) for t in terms_of(c, f"{letters(place)}2", plane)]
        theta = _number(-self.plan.thresholds[plane])
        while sum(len(t) + 1 for t in terms) + len(theta) > LONGEST - 2:
            groups = _groups(terms, LONGEST - 10)
            terms = [self._add(f"{title}, part {i + 1}", "+".join(group)) for i, group in enumerate(groups)]
        return self._add(title, "+".join([*terms, theta]))

    def _posteriors(self, scores: Sequence[str]) -> list[str]:
        plan = self.plan
        offsets = plan.offsets or ()
        slope = _number(plan.slope)
        if plan.planes == 1:
            odds = f"({slope}*{scores[0]}+{_number(offsets[1])}-{_number(offsets[0])})"
            odds = self._bent(scores[0]) if plan.segments else odds
            first = f"IF({odds}>=0,EXP(-{odds})/(1+EXP(-{odds})),1/(1+EXP({odds})))"
            second = f"IF({odds}>=0,1/(1+EXP(-{odds})),EXP({odds})/(1+EXP({odds})))"
            made = [second] if plan.rule == "threshold" else [first, second]
            classes = plan.classes[-len(made) :]
            return [self._add(f"probability of {_title(c)}", text) for c, text in zip(classes, made, strict=True)]
        logs = [
            self._add(f"log-odds of {_title(c)}", f"{slope}*{s}+{_number(b)}")
            for c, s, b in zip(plan.classes, scores, offsets, strict=True)
        ]
        top = self._add("largest log-odds", f"MAX({logs[0]}:{logs[-1]})")
        parts = [self._add(f"part of {_title(c)}", f"EXP({x}-{top})") for c, x in zip(plan.classes, logs, strict=True)]
        total = self._add("sum of parts", f"SUM({parts[0]}:{parts[-1]})")
        return [
            self._add(f"probability of {_title(c)}", f"{x}/{total}") for c, x in zip(plan.classes, parts, strict=True)
        ]

    def _bent(self, score: str) -> str:
        """Log-odds that bend: what each segment adds up to the score."""
        first, *others = self.plan.segments
        parts = [
            f"{_number(first.height)}+{_number(first.slope)}*(MIN({score},{_number(first.base)})-{_number(first.base)})"
        ]
        for segment, following in zip_longest(others, others[1:]):
            start = _number(segment.start)
            end = "" if following is None else f",{_number(following.start)}"
            reached = f"MAX({score},{start})"
            reached = f"MIN({reached}{end})" if end else reached
            parts.append(f"{_number(segment.slope)}*({reached}-{start})")
        return self._add(f"log-odds of {_title(self.plan.classes[1])}", "+".join(parts))

    def _label(self, scores: Sequence[str], posteriors: Sequence[str]) -> None:
        plan = self.plan
        if plan.rule == "threshold":
            first, second = map(_label, plan.answers)
            self._add("label", f"IF({scores[0]}>0,{second},{first})")
            return
        values = list(scores)
        if plan.rule == "gain":
            values = [
                self._add(
                    f"advantage of {_title(a)}",
                    "+".join(f"{p}*{_number(row[i])}" for p, row in zip(posteriors, plan.advantage, strict=True)),
                )
                for i, a in enumerate(plan.answers)
            ]
        span = f"{values[0]}:{values[-1]}"
        self._add("label", f"CHOOSE(MATCH(MAX({span}),{span},0),{','.join(map(_label, plan.answers))})")


# --- what a column adds ---------------------------------------------------------------------------------------


def terms_of(column: Measured | Chosen, cell: str, p: int) -> list[str]:
    """What a column adds to the score of plane p, as parts of a sum."""
    if isinstance(column, Measured):
        value = f"{cell}-{_DAYS_TO_1970}" if column.kind == "date" else cell
        pieces = [_piece(value, piece, p) for piece in column.pieces]
        first = f'IF({cell}="",{_number(column.blank[p])},{_number(column.filled[p])}+{pieces[0]})'
        return [first, *(f'IF({cell}="",0,{piece})' for piece in pieces[1:])]
    # of a text that is none of the levels; each level then adds what it has beyond that
    blank = ",".join(_is_text(cell, text) for text in column.blank_texts if text)
    unseen = column.unseen[p]
    base = f'IF(OR(TRIM({cell})="",{blank}),{_number(column.blank[p])},{_number(unseen)})'
    known = dict(zip(column.levels, column.added, strict=True))
    # a text that TRIM makes one of the others is found as that one already
    beyond = [(t, added[p] - unseen) for t, added in known.items() if _trimmed(t) == t or _trimmed(t) not in known]
    return [base, *(f"IF({_is_text(cell, text)},{_number(x)},0)" for text, x in beyond)]


def _trimmed(text: str) -> str:
    return " ".join(part for part in text.split(" ") if part)


def _piece(value: str, piece: Piece, p: int) -> str:
    """w·((raw − centre)/scale)."""
    v = value
    if piece.low is not None or piece.high is not None:
        v = f"{v}+0"  # MIN and MAX pass over a cell with a text, which is an error beside a plus
    if piece.low is not None:
        v = f"MAX({_number(piece.low)},{v})"
    if piece.high is not None:
        v = f"MIN({_number(piece.high)},{v})"
    if piece.unit is not None:
        v = f"SIGN({v})*LN(1+ABS({v})/{_number(piece.unit)})"
    return f"{_number(piece.weights[p])}*(({v}-{_centre(piece, p)})/{_number(piece.scale)})"


def _is_text(cell: str, text: str) -> str:
    """Whether a cell holds a text, blanks around it aside; TRIM also takes away every second blank within."""
    return f"EXACT({cell if '  ' in text else f'TRIM({cell})'},{_quoted(text)})"


def _centre(column: Piece, p: int) -> str:
    """With a second part for the digits beyond the 15th, where they matter."""
    rest = column.centre - float(f"{column.centre:.15g}")
    if abs(rest / column.scale * column.weights[p]) < 1e-13:
        return _number(column.centre)
    return f"{_number(column.centre)}-{_number(rest)}"


def _groups(terms: Sequence[str], most: int) -> list[list[str]]:
    groups: list[list[str]] = [[]]
    length = 0
    for term in terms:
        if groups[-1] and length + len(term) + 1 > most:
            groups.append([])
            length = 0
        groups[-1].append(term)
        length += len(term) + 1
    return groups


# --- literals ---------------------------------------------------------------------------------------------------


def _number(x: float) -> str:
    """15 digits; negative numbers in parentheses, the tiniest are 0."""
    if abs(x) > 9.99e307:
        raise ExportError(f"{x!r} is larger than any number of Excel")
    digits = "0" if abs(x) < 2.3e-308 else f"{x:.15g}".replace("e", "E")
    return f"({digits})" if digits.startswith("-") else digits


def _quoted(text: str) -> str:
    """Quotes doubled, control characters by number; in pieces, since a text in a formula has at most 255 characters."""
    if "\0" in text:
        raise ExportError(f"{text!r} holds a NUL character, which a spreadsheet cannot; export to python or js instead")
    pieces = re.findall(rf"[\x01-\x1f\x7f]|[^\x01-\x1f\x7f]{{1,{_PIECE}}}", text) or [""]
    return "&".join(f"CHAR({ord(p)})" if p in _CONTROLS else _in_quotes(p) for p in pieces)


def _in_quotes(piece: str) -> str:
    return '"' + piece.replace('"', '""') + '"'


def _label(label: Label) -> str:
    if isinstance(label, bool):
        return "TRUE" if label else "FALSE"
    return _quoted(label) if isinstance(label, str) else _exact_number(label)


def _exact_number(label: float) -> str:
    """A label that is a number; as text where a spreadsheet would round it."""
    return _number(label) if float(f"{float(label):.15g}") == label else _quoted(str(label))


def _title(label: Label) -> str:
    return ascii_text(as_text(label))


def _text(sheet: Sheet, plan: Plan) -> str:
    lines = [
        f"Formulas written by discriminant. They predict {ascii_text(plan.target)}.",
        "",
        "Put the columns of the table in these cells, with names in row 1 (or edit the letters in the formulas):",
        "",
        *(f"{address}\t{ascii_text(name)}" for address, name in sheet.inputs),
        "",
        "Then put each formula into its cell of row 2, and copy the cells down.",
        "A blank is an empty cell; flags are TRUE or FALSE (or 1 and 0); dates are cells that Excel knows as dates.",
        *([plan.plain_numbers] if plan.plain_numbers else []),
        "",
    ]
    for cell in sheet.cells:
        lines += [f"{cell.address}\t{cell.title}", cell.formula, ""]
    return "\n".join(lines)
