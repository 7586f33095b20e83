"""Scores, probabilities and labels as SQL expressions over the columns of a table called t.

Sums are nested in groups, since databases limit how deep an expression may be: a sum of 2,000 terms in a row is 2,000
deep.
"""

from collections.abc import Mapping, Sequence

from discriminant.export.literals import labels_of_one_type
from discriminant.export.plan import CategoryColumn, NumberColumn, Plan, ValuePiece
from discriminant.export.sql.dialect import Dialect

_GROUP = 40


def score(plan: Plan, plane: int, d: Dialect, cells: Mapping[str, str]) -> str:
    """w·x − θ. ``cells`` are the names of columns that have been read already."""
    terms = [_term(column, plane, d, cells) for column in plan.columns]
    return f"{_sum(terms)}\n  - {d.number(plan.thresholds[plane])}"


def read_cell(column: NumberColumn, d: Dialect) -> str:
    """The number of a cell; NULL where it is blank, infinite where it cannot be read."""
    x = f"t.{d.identifier(column.name)}"
    return f"CASE WHEN {d.blank(x, column)} THEN NULL ELSE COALESCE({d.raw(x, column)}, {d.infinity}) END"


def _term(column: NumberColumn | CategoryColumn, plane: int, d: Dialect, cells: Mapping[str, str]) -> str:
    if isinstance(column, CategoryColumn):
        added = _of_text(f"t.{d.identifier(column.name)}", column, plane, d)
    elif column.name in cells:
        added = _of_number(d.identifier(cells[column.name]), column, plane, d)
    else:
        added = d.given(read_cell(column, d), lambda cell: _of_number(cell, column, plane, d))
    return f"CAST({added} AS {d.double})"  # a CASE over constants alone would be a decimal in PostgreSQL


def _of_number(cell: str, c: NumberColumn, p: int, d: Dialect) -> str:
    """NULL where the cell could not be read, so that there is no score."""
    n = d.number
    pieces = (f"{n(e.weights[p])} * (({_raw(cell, e, d)} - {n(e.centre)}) / {n(e.scale)})" for e in c.pieces)
    added = f"{n(c.filled[p])} + " + " + ".join(pieces)
    return f"CASE WHEN {cell} IS NULL THEN {n(c.blank[p])} WHEN {d.finite(cell)} THEN {added} END"


def _raw(cell: str, piece: ValuePiece, d: Dialect) -> str:
    cases = []
    if piece.low is not None:
        cases.append(f"WHEN {cell} < {d.number(piece.low)} THEN {d.number(piece.low)}")
    if piece.high is not None:
        cases.append(f"WHEN {cell} > {d.number(piece.high)} THEN {d.number(piece.high)}")
    v = f"(CASE {' '.join(cases)} ELSE {cell} END)" if cases else cell
    return v if piece.unit is None else f"SIGN({v}) * LN(1e0 + ABS({v}) / {d.number(piece.unit)})"


def _of_text(x: str, c: CategoryColumn, p: int, d: Dialect) -> str:
    levels = " ".join(
        f"WHEN {d.text(text)} THEN {d.number(added[p])}" for text, added in zip(c.levels, c.added, strict=True)
    )
    known = f"CASE {d.trimmed(x)} {levels} ELSE {d.number(c.unseen[p])} END" if levels else d.number(c.unseen[p])
    return f"CASE WHEN {d.blank_text(x, c.blank_texts)} THEN {d.number(c.blank[p])} ELSE {known} END"


def _sum(terms: Sequence[str]) -> str:
    """Nested so that no level has more than a group of terms."""
    while len(terms) > _GROUP:
        terms = ["(" + "\n  + ".join(terms[i : i + _GROUP]) + ")" for i in range(0, len(terms), _GROUP)]
    return "\n  + ".join(terms)


def _largest(values: Sequence[str], d: Dialect) -> str:
    while len(values) > 1:
        groups = [values[i : i + _GROUP] for i in range(0, len(values), _GROUP)]
        values = [f"{d.largest_function}({', '.join(g)})" if len(g) > 1 else g[0] for g in groups]
    return values[0]


# --- from scores, given as names of columns ----------------------------------------------------------------


def exponential(x: str) -> str:
    """exp, 0 where it would be lost in rounding beside 1: PostgreSQL refuses to underflow."""
    return f"CASE WHEN {x} < -690e0 THEN 0e0 ELSE EXP({x}) END"


def log_odds(plan: Plan, scores: Sequence[str], d: Dialect) -> list[str]:
    """slope·s_k + offset_k of more than two classes."""
    offsets = plan.offsets or ()
    return [f"({d.number(plan.slope)} * {s} + {d.number(b)})" for s, b in zip(scores, offsets, strict=True)]


def largest_log_odds(plan: Plan, scores: Sequence[str], d: Dialect) -> str:
    """The largest of the log-odds."""
    return _largest(log_odds(plan, scores, d), d)


def log_sum(plan: Plan, scores: Sequence[str], top: str, d: Dialect) -> str:
    """ln Σ_k exp(l_k − top)."""
    return f"LN({_sum([exponential(f'({odds} - {top})') for odds in log_odds(plan, scores, d)])})"


def probabilities(plan: Plan, scores: Sequence[str], top: str, log_total: str, d: Dialect) -> list[str]:
    """exp(l_k − top − log_total)."""
    return [exponential(f"({odds} - {top} - {log_total})") for odds in log_odds(plan, scores, d)]


def two_log_odds(plan: Plan, score: str, d: Dialect) -> str:
    """The log-odds of the second class against the first."""
    if plan.segments:
        straight, *others = (
            f"{d.number(g.height)} + {d.number(g.slope)} * ({score} - {d.number(g.base)})" for g in plan.segments
        )
        starts = [d.number(g.start) for g in plan.segments[1:]]
        cases = [f"WHEN {score} >= {a} THEN {z}" for a, z in zip(starts, others, strict=True)]
        return f"CASE {' '.join(reversed(cases))} ELSE {straight} END"
    first, second = plan.offsets or (0.0, 0.0)
    return f"{d.number(plan.slope)} * {score} + {d.number(second)} - {d.number(first)}"


def two_probabilities(z: str) -> list[str]:
    """The probabilities of the first and the second class: 1/(1 + exp(±z)), each by what does not overflow."""
    small, large = f"({exponential(f'(-{z})')})", f"({exponential(z)})"
    of_first = f"CASE WHEN {z} >= 0e0 THEN {small} / (1e0 + {small}) ELSE 1e0 / (1e0 + {large}) END"
    of_second = f"CASE WHEN {z} >= 0e0 THEN 1e0 / (1e0 + {small}) ELSE {large} / (1e0 + {large}) END"
    return [of_first, of_second]


def advantages(plan: Plan, posteriors: Sequence[str], d: Dialect) -> list[str]:
    """Σ_k p_k (g[k, a] − least_k) of every answer a."""
    return [_weighted_sum([row[a] for row in plan.advantage], posteriors, d) for a in range(len(plan.answers))]


def least_gain(plan: Plan, posteriors: Sequence[str], d: Dialect) -> str:
    """Σ_k p_k least_k: what every answer earns."""
    return _weighted_sum(plan.least, posteriors, d)


def _weighted_sum(numbers: Sequence[float], values: Sequence[str], d: Dialect) -> str:
    return _sum([f"{v} * {d.number(x)}" for x, v in zip(numbers, values, strict=True)])


def label_by_sign(plan: Plan, score: str, d: Dialect) -> str:
    """The second class where the score is positive; NULL where it is not finite."""
    first, second = (d.label(a) for a in labels_of_one_type(plan.answers))
    chosen = f"CASE WHEN {score} > 0e0 THEN {second} ELSE {first} END"
    return f"CASE WHEN {d.finite(score)} THEN {chosen} END"


def label_of_largest(plan: Plan, values: Sequence[str], scores: Sequence[str], d: Dialect) -> str:
    """The answer of the largest value, the first of equals; NULL where the scores are not finite."""
    finite = " AND ".join(d.finite(s) for s in scores)
    return f"CASE WHEN {finite} THEN {of_largest(values, [d.label(a) for a in labels_of_one_type(plan.answers)])} END"


def of_largest(values: Sequence[str], results: Sequence[str]) -> str:
    """The result beside the largest value: each is compared with later ones only, as earlier ones were smaller."""
    cases = []
    for i, result in enumerate(results):
        later = " AND ".join(f"{values[i]} >= {v}" for v in values[i + 1 :]) or f"{values[i]} IS NOT NULL"
        cases.append(f"WHEN {later} THEN {result}")
    return "CASE " + " ".join(cases) + " END"
