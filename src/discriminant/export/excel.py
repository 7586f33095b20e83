"""Formulas of a spreadsheet, for one row of cells: the input cells, helper cells, and what is shown.

Only functions that every Excel since 2007 has, each formula within 8192 characters and with few levels of nesting: each
column has helper cells of its own, and what is longer is split over several. Numbers in formulas keep 15 digits; where
the rest of a centre would show in the score, it is subtracted as well. Texts are compared by EXACT, since = does not
tell capitals apart.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from discriminant.export.excel_texts import (
    COMMON_SPACES,
    is_blank,
    is_text,
    label_literal,
    trim_formula,
    with_cell_line_ends,
    with_plain_spaces,
)
from discriminant.export.excel_texts import number as _number
from discriminant.export.literals import ExportError, as_text
from discriminant.export.plan import CategoryColumn, NumberColumn, Plan, ValuePiece

LONGEST = 8192
MOST_COLUMNS = 16_384
ROW = "\0"  # stands for the number of the row in a formula; no text of a formula holds this character
DAYS_TO_1970 = 25569  # Excel counts days from the end of 1899
FIRST_DAY, LAST_DAY = 61, 2_958_465  # 1900-03-01 (Excel's 1900 has a 29th of February) and 9999-12-31
WANTED = {"number": "not a number", "flag": "not true or false", "date": "not a date"}
_LONGEST_PART = 6000  # characters; Excel also counts the bytes of a formula, which are more where numbers are short
_MOST_ANSWERS = 254  # of CHOOSE
_EMPTY = "empty"
_NOT_CALCULATED = "cannot be calculated"


@dataclass(frozen=True)
class FormulaCell:
    """A formula, and the column of the sheet (from 0) where it goes."""

    place: int
    title: str
    template: str

    @property
    def letters(self) -> str:
        """The letters of the column."""
        return letters(self.place)

    def formula(self, row: int) -> str:
        """The formula as it stands in a row, counted from 1."""
        return "=" + self.template.replace(ROW, str(row))


@dataclass(frozen=True)
class Layout:
    """The cells of a row in an order in which each uses only those before it, and which of them say what."""

    cells: tuple[FormulaCell, ...]
    texts: tuple[FormulaCell | None, ...]  # by column: of a category, the text without spaces around it
    reads: tuple[FormulaCell | None, ...]  # by column: the number, "" where blank, or what is wrong; none of a category
    adds: tuple[tuple[FormulaCell, ...], ...]  # by plane and column
    scores: tuple[FormulaCell, ...]
    probabilities: tuple[FormulaCell, ...]
    gains: tuple[FormulaCell, ...]  # by answer
    state: FormulaCell  # "", or why there is no answer
    shown: tuple[
        FormulaCell, ...
    ]  # the answer; probabilities and expected gain, if any; scores; "" where there are none


def layout(plan: Plan, inputs: Sequence[str] | None = None, *, header: int = 1, empty_rows: bool = False) -> Layout:
    """Formulas beside the columns of the table, which are in A, B, ...; or from A on, with the cells of the columns
    elsewhere, in ``inputs``. ``header`` is the row with the titles. With ``empty_rows`` an empty row has no answer.
    """
    if plan.indexed is not None:
        raise ExportError("a model of sparse rows has no cells for formulas; export to python, c or js instead")
    if len(plan.answers) > _MOST_ANSWERS:
        raise ExportError(
            f"a formula chooses among at most {_MOST_ANSWERS} answers, this model has {len(plan.answers)}"
        )
    _refuse_same_lines(plan)
    return _Builder(plan, inputs, header, empty_rows).built()


def _refuse_same_lines(plan: Plan) -> None:
    """Texts that differ by their line ends alone are one text in a cell."""
    for column in plan.chosen:
        if len(set(map(with_cell_line_ends, column.levels))) < len(column.levels):
            raise ExportError(
                f"texts of column {column.name!r} differ by their line ends alone, which are alike in a spreadsheet; "
                "export to sql, python or js instead"
            )


def letters(place: int) -> str:
    """A, B, ..., Z, AA, ...: the name of a column by its place, from 0."""
    text = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        text = chr(ord("A") + rest) + text
    return text


class _Builder:
    """Cells as they are added, each to the right of the last."""

    def __init__(self, plan: Plan, inputs: Sequence[str] | None, header: int, empty_rows: bool) -> None:
        self.plan = plan
        self.start = len(plan.columns) if inputs is None else 0
        self.inputs = [f"{letters(i)}{ROW}" for i in range(len(plan.columns))] if inputs is None else list(inputs)
        self.header = header
        self.empty_rows = empty_rows
        self.cells: list[FormulaCell] = []

    def built(self) -> Layout:
        plan = self.plan
        texts = self._texts()
        reads = [
            self._add(c.name, read_of(c, cell)) if isinstance(c, NumberColumn) else None
            for c, cell in zip(plan.columns, self.inputs, strict=True)
        ]
        state = self._state([cell for cell in reads if cell is not None])
        taken = [_at(cell) for pair in zip(texts, reads, strict=True) for cell in pair if cell is not None]
        adds = [self._adds(p, taken) for p in range(plan.planes)]
        scores = [self._score(p, own) for p, own in enumerate(adds)]
        probabilities = self._probabilities(scores) if plan.offsets is not None else []
        gains = self._gains(probabilities)
        choice = self._choice(scores, probabilities)
        shown = self._shown(state, choice, scores, probabilities, gains)
        if self.start + len(self.cells) > MOST_COLUMNS:
            raise ExportError(
                f"the formulas take {self.start + len(self.cells):,} columns of a sheet, which has {MOST_COLUMNS:,}; "
                "export to sql, python, c or js instead"
            )
        every = tuple(self.cells)
        own = tuple(tuple(row) for row in adds)
        return Layout(
            every,
            tuple(texts),
            tuple(reads),
            own,
            tuple(scores),
            tuple(probabilities),
            tuple(gains),
            state,
            tuple(shown),
        )

    def _texts(self) -> list[FormulaCell | None]:
        """The formulas of categories."""
        texts: list[FormulaCell | None] = []
        for column, cell in zip(self.plan.columns, self.inputs, strict=True):
            if isinstance(column, NumberColumn):
                texts.append(None)
                continue
            plain = self._add(f"{column.name}, with plain spaces", with_plain_spaces(cell))
            texts.append(self._add(f"{column.name}, trimmed", trim_formula(cell, _at(plain))))
        return texts

    def _add(self, title: str, formula: str) -> FormulaCell:
        if len(formula) >= LONGEST:
            raise ExportError(
                f"the formula of {title!r} would have {len(formula)} characters, beyond Excel's {LONGEST}; "
                "export to sql, python, c or js instead"
            )
        self.cells.append(FormulaCell(self.start + len(self.cells), title, formula))
        return self.cells[-1]

    def _state(self, reads: Sequence[FormulaCell]) -> FormulaCell:
        """Which column could not be read, and why; nothing if all could."""
        said = '""'
        if reads:
            span, last = _span(reads), reads[-1].letters
            names = f"${reads[0].letters}${self.header}:${last}${self.header}"
            found = f'MATCH("not *",{span},0)'
            said = f'IF(COUNTIF({span},"not *")=0,"",INDEX({names},{found})&": "&INDEX({span},{found}))'
        if self.empty_rows:
            said = f'IF(COUNTA({self.inputs[0]}:{self.inputs[-1]})=0,"{_EMPTY}",{said})'
        return self._add("state", said)

    def _adds(self, plane: int, taken: Sequence[str]) -> list[FormulaCell]:
        """One cell a column, side by side; what is too long for a cell is in others before them."""
        sums = []
        to = self._of_plane(plane)
        for column, cell in zip(self.plan.columns, taken, strict=True):
            terms = terms_of(column, cell, plane)
            while sum(len(t) + 1 for t in terms) > _LONGEST_PART:
                groups = _groups(terms, _LONGEST_PART)
                if len(groups) == len(terms):
                    break
                terms = [_at(self._add(f"{column.name}{to}, part {i + 1}", "+".join(g))) for i, g in enumerate(groups)]
            sums.append("+".join(terms))
        return [self._add(f"{c.name} adds{to}", text) for c, text in zip(self.plan.columns, sums, strict=True)]

    def _score(self, plane: int, adds: Sequence[FormulaCell]) -> FormulaCell:
        theta = _number(-self.plan.thresholds[plane])
        return self._add(f"score{self._of_plane(plane)}", f"SUM({_span(adds)})+{theta}")

    def _of_plane(self, plane: int) -> str:
        return "" if self.plan.planes == 1 else f" of {as_text(self.plan.classes[plane])}"

    def _probabilities(self, scores: Sequence[FormulaCell]) -> list[FormulaCell]:
        plan = self.plan
        offsets = plan.offsets or ()
        slope = _number(plan.slope)
        if plan.planes == 1:
            straight = f"{slope}*{_at(scores[0])}+{_number(offsets[1])}-{_number(offsets[0])}"
            odds = self._add(
                f"log-odds of {as_text(plan.classes[1])}", self._bent(_at(scores[0])) if plan.segments else straight
            )
            x = _at(odds)
            first = f"IF({x}>=0,EXP(-{x})/(1+EXP(-{x})),1/(1+EXP({x})))"
            second = f"IF({x}>=0,1/(1+EXP(-{x})),EXP({x})/(1+EXP({x})))"
            return [
                self._add(f"probability of {as_text(c)}", text)
                for c, text in zip(plan.classes, (first, second), strict=True)
            ]
        logs = [
            self._add(f"log-odds of {as_text(c)}", f"{slope}*{_at(s)}+{_number(b)}")
            for c, s, b in zip(plan.classes, scores, offsets, strict=True)
        ]
        top = _at(self._add("largest log-odds", f"MAX({_span(logs)})"))
        parts = [
            self._add(f"part of {as_text(c)}", f"EXP({_at(x)}-{top})") for c, x in zip(plan.classes, logs, strict=True)
        ]
        total = _at(self._add("sum of parts", f"SUM({_span(parts)})"))
        return [
            self._add(f"probability of {as_text(c)}", f"{_at(x)}/{total}")
            for c, x in zip(plan.classes, parts, strict=True)
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
        return "+".join(parts)

    def _expected(
        self, title: str, probabilities: Sequence[FormulaCell], worth: Callable[[int, int], float]
    ) -> list[FormulaCell]:
        """The expected gain of each answer: the sum over classes of probability times gain."""
        return [
            self._add(
                f"{title} of {as_text(answer)}",
                "+".join(f"{_at(p)}*{_number(worth(k, a))}" for k, p in enumerate(probabilities)),
            )
            for a, answer in enumerate(self.plan.answers)
        ]

    def _gains(self, probabilities: Sequence[FormulaCell]) -> list[FormulaCell]:
        if not probabilities:
            return []
        plan = self.plan
        return self._expected("expected gain", probabilities, lambda k, a: plan.advantage[k][a] + plan.least[k])

    def _choice(self, scores: Sequence[FormulaCell], probabilities: Sequence[FormulaCell]) -> FormulaCell:
        """The place of the answer among the answers, from 1."""
        plan = self.plan
        if plan.rule == "threshold":
            return self._add("choice", f"IF({_at(scores[0])}>0,2,1)")
        values = scores
        if plan.rule == "gain":
            values = self._expected("advantage", probabilities, lambda k, a: plan.advantage[k][a])
        return self._add("choice", f"MATCH(MAX({_span(values)}),{_span(values)},0)")

    def _shown(
        self,
        state: FormulaCell,
        choice: FormulaCell,
        scores: Sequence[FormulaCell],
        probabilities: Sequence[FormulaCell],
        gains: Sequence[FormulaCell],
    ) -> list[FormulaCell]:
        why = f'IF({_at(state)}="{_EMPTY}","",{_at(state)})' if self.empty_rows else _at(state)
        label = f"CHOOSE({_at(choice)},{','.join(map(label_literal, self.plan.answers))})"
        answer = f'IFERROR(IF({_at(state)}="",{label},{why}),"{_NOT_CALCULATED}")'
        values = [(f"P({as_text(c)})", _at(p)) for c, p in zip(self.plan.classes, probabilities, strict=False)]
        if gains:
            values.append(("expected gain", f"INDEX({_span(gains)},{_at(choice)})"))
        values += [(cell.title, _at(cell)) for cell in scores]
        return [
            self._add("answer", answer),
            *(self._add(title, f'IFERROR(IF({_at(state)}="",{value},""),"")') for title, value in values),
        ]


def _at(cell: FormulaCell) -> str:
    return f"{cell.letters}{ROW}"


def _span(cells: Sequence[FormulaCell]) -> str:
    """The range of cells side by side."""
    return f"{_at(cells[0])}:{_at(cells[-1])}"


# --- what a column holds --------------------------------------------------------------------------------------


def read_of(column: NumberColumn, cell: str) -> str:
    """The number of a cell (of a flag 1 or 0), "" where it is blank, or what is wrong with it."""
    wrong = f'"{WANTED[column.kind]}"'
    text = with_plain_spaces(cell, COMMON_SPACES)  # beside others, the text is refused
    if column.kind == "flag":
        true, false = (f'OR(TRIM({text})="{word}",TRIM({text})="{digit}")' for word, digit in _FLAGS)
        filled = f"IF({true},1,IF({false},0,{wrong}))"
    elif column.kind == "date":
        within = f"IF({cell}<{FIRST_DAY},{wrong},IF({cell}>={LAST_DAY + 1},{wrong},{cell}))"
        filled = f"IF(ISNUMBER({cell}),{within},{wrong})"
    else:
        filled = f"IF(ISNUMBER({cell}),{cell},{wrong})"
    read = f'IF({is_blank(cell, column.blank_texts, text)},"",{filled})'
    if column.kind == "flag":
        read = f"IF(ISLOGICAL({cell}),IF({cell},1,0),{read})"  # as a text it would be in the language of the user
    return f"IF(ISERROR({cell}),{wrong},{read})"


_FLAGS = (("true", "1"), ("false", "0"))


# --- what a column adds ---------------------------------------------------------------------------------------


def terms_of(column: NumberColumn | CategoryColumn, cell: str, p: int) -> list[str]:
    """What a column adds to the score of plane p, as parts of a sum."""
    if isinstance(column, NumberColumn):
        value = f"{cell}-{DAYS_TO_1970}" if column.kind == "date" else cell
        pieces = [_piece(value, piece, p) for piece in column.pieces]
        first = f'IF({cell}="",{_number(column.blank[p])},{_number(column.filled[p])}+{pieces[0]})'
        return [first, *(f'IF({cell}="",0,{piece})' for piece in pieces[1:])]
    # of a text that is none of the levels; each level then adds what it has beyond that
    blank = ",".join(is_text(cell, text) for text in column.blank_texts if text)
    unseen = column.unseen[p]
    base = f'IF(OR({cell}="",{blank}),{_number(column.blank[p])},{_number(unseen)})'
    beyond = ((text, added[p] - unseen) for text, added in zip(column.levels, column.added, strict=True))
    return [base, *(f"IF({is_text(cell, text)},{_number(x)},0)" for text, x in beyond)]


def _piece(value: str, piece: ValuePiece, p: int) -> str:
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


def _centre(column: ValuePiece, p: int) -> str:
    """The centre as text, with a second part for the digits beyond the 15th where they matter."""
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
