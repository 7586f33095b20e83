"""The whole decision as one SELECT, in steps that can be read:

    (cells) -> scores -> (posteriors) -> (expected gains) -> label

Every step puts its own columns before those of the step below, so that where the table already has a column of the
same name, the new one is the first.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from discriminant.export.literals import ExportError, as_text, ascii_text
from discriminant.export.plan import Plan
from discriminant.export.sql import expressions as say
from discriminant.export.sql.dialect import Dialect


@dataclass(frozen=True)
class SqlStep:
    """A named SELECT: expressions with the names they get, over the step before, without some columns of that one."""

    name: str
    columns: tuple[tuple[str, str], ...]
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class Names:
    """The names of the result, chosen so that none is a column of the table."""

    cells: tuple[str, ...]
    scores: tuple[str, ...]
    probabilities: tuple[str, ...]
    advantages: tuple[str, ...]
    label: str
    expected_gain: str
    log_odds: str
    other_probability: str
    top: str
    log_sum: str


def names_of(plan: Plan) -> Names:
    """``score`` for two classes, ``score_1``, ``score_2``, ... for more, and so on."""
    taken = {name.casefold() for name in plan.taken_names}

    def free(name: str) -> str:
        while name.casefold() in taken:
            name = "discriminant_" + name
        return name

    def numbered(name: str, n: int) -> tuple[str, ...]:
        return tuple(free(f"{name}_{i + 1}") for i in range(n))

    many = plan.planes > 1
    return Names(
        cells=numbered("cell", len(plan.measured)),
        scores=numbered("score", plan.planes) if many else (free("score"),),
        probabilities=numbered("probability", len(plan.classes)) if many else (free("probability"),),
        advantages=numbered("advantage", len(plan.answers)),
        label=free("label"),
        expected_gain=free("expected_gain"),
        log_odds=free("log_odds"),
        other_probability=free("other_probability"),
        top=free("largest_log_odds"),
        log_sum=free("log_sum"),
    )


def select(plan: Plan, d: Dialect, table: str) -> str:
    """The full query."""
    refuse_names(plan, d)
    first, *between, last = _steps(plan, d)
    names = [step.name for step in (first, *between)]
    tables = [_first_step(first, plan, d, table)]
    tables += [_common_table(step, _rest(step, d), below, d) for step, below in zip(between, names, strict=False)]
    final = f"SELECT {_step_text(last, d)},\n  {_rest(last, d)}\nFROM {names[-1]} AS t"
    return "\n".join([*heading(plan, d), "WITH " + ",\n".join(tables), final, ""])


def _steps(plan: Plan, d: Dialect) -> list[SqlStep]:
    names, q = names_of(plan), d.identifier
    scores = [q(n) for n in names.scores]
    steps = _score_steps(plan, d, names)
    if plan.offsets is None:
        return steps + _answer_steps(plan, d, names, scores, [])
    if plan.planes == 1:
        steps.append(SqlStep("discriminant_log_odds", ((say.two_log_odds(plan, scores[0], d), names.log_odds),)))
        of_first, of_second = say.two_probabilities(q(names.log_odds))
        both = ((of_second, names.probabilities[0]), (of_first, names.other_probability))
        steps.append(SqlStep("discriminant_posteriors", both if plan.rule == "gain" else both[:1]))
        posteriors = [q(names.other_probability), q(names.probabilities[0])]
    else:
        top, total = q(names.top), q(names.log_sum)
        steps.append(SqlStep("discriminant_log_odds", ((say.largest_log_odds(plan, scores, d), names.top),)))
        steps.append(SqlStep("discriminant_log_sum", ((say.log_sum(plan, scores, top, d), names.log_sum),)))
        made = tuple(zip(say.probabilities(plan, scores, top, total, d), names.probabilities, strict=True))
        steps.append(SqlStep("discriminant_posteriors", made))
        posteriors = [q(n) for n in names.probabilities]
    return steps + _answer_steps(plan, d, names, scores, posteriors)


def _score_steps(plan: Plan, d: Dialect, names: Names) -> list[SqlStep]:
    """Cells are read in a step of their own where the next can leave it out of what it gives."""
    cells = dict(zip((c.name for c in plan.measured), names.cells, strict=True)) if d.leaving_out else {}
    made = tuple((say.score(plan, p, d, cells), n) for p, n in enumerate(names.scores))
    if not cells:
        return [SqlStep("discriminant_scores", made)]
    read = tuple((say.read_cell(c, d), cells[c.name]) for c in plan.measured)
    return [SqlStep("discriminant_cells", read), SqlStep("discriminant_scores", made, tuple(cells.values()))]


def _answer_steps(
    plan: Plan, d: Dialect, names: Names, scores: Sequence[str], posteriors: Sequence[str]
) -> list[SqlStep]:
    if plan.rule == "threshold":
        return [SqlStep("discriminant_label", ((say.label_by_sign(plan, scores[0], d), names.label),))]
    if plan.rule == "largest":
        return [SqlStep("discriminant_label", ((say.label_of_largest(plan, scores, scores, d), names.label),))]
    advantages = [d.identifier(n) for n in names.advantages]
    earned = f"{say.of_largest(advantages, advantages)} + {say.least_gain(plan, posteriors, d)}"
    made = tuple(zip(say.advantages(plan, posteriors, d), names.advantages, strict=True))
    label = say.label_of_largest(plan, advantages, scores, d)
    return [
        SqlStep("discriminant_gains", made),
        SqlStep("discriminant_label", ((label, names.label), (earned, names.expected_gain))),
    ]


# --- as text -----------------------------------------------------------------------------------------------


def heading(plan: Plan, d: Dialect) -> list[str]:
    """Comments: what the columns of the result are. Names in them are escaped, on one line each."""
    names = names_of(plan)
    lines = [f"-- Written by discriminant for {d.name}: predicts {ascii_text(plan.target)}."]
    if plan.planes == 1:
        positive = ascii_text(as_text(plan.classes[1]))
        probability = f"; {names.probabilities[0]}: of that class" if plan.offsets is not None else ""
        lines.append(f"-- {names.scores[0]}: positive for {positive}{probability}")
    else:
        lines += [
            f"-- {s}{' and ' + p if plan.offsets is not None else ''}: of {ascii_text(as_text(c))}"
            for s, p, c in zip(names.scores, names.probabilities, plan.classes, strict=True)
        ]
    if plan.rule == "gain":
        lines += [
            f"-- {n}: expected gain of {ascii_text(as_text(a))}, beyond the least that each class earns"
            for n, a in zip(names.advantages, plan.answers, strict=True)
        ]
    written = plan.text_numbers if d.reads_formats else plan.plain_numbers
    if written:
        lines.append(f"-- {written}")
    lines.append("-- A row with a cell that cannot be read (an infinite number, no date) has NULL as its label.")
    return lines


def _rest(step: SqlStep, d: Dialect) -> str:
    """The columns of the step below, which is called t like the table."""
    hidden = ", ".join(map(d.identifier, step.without))
    return f"t.* {d.leaving_out} ({hidden})" if hidden else "t.*"


def _first_step(step: SqlStep, plan: Plan, d: Dialect, table: str) -> str:
    wide = d.most_columns is not None and len(plan.taken_names) + 200 > d.most_columns
    # a result may not have more columns than a table, so a wide table is told by the place of its rows
    rest = "t.rowid AS " + d.identifier("row") if wide else "t.*"
    return _common_table(step, rest, d.table(table), d)


def _common_table(step: SqlStep, rest: str, below: str, d: Dialect) -> str:
    body = f"SELECT {_step_text(step, d)},\n  {rest}\n  FROM {below} AS t{d.after_step}"
    return f"{step.name} AS {d.before_step}(\n  {body}\n)"


def _step_text(step: SqlStep, d: Dialect) -> str:
    return ",\n  ".join(f"{text} AS {d.identifier(name)}" for text, name in step.columns)


# --- single expressions -------------------------------------------------------------------------------------


def single_expressions(plan: Plan, d: Dialect) -> dict[str, str]:
    """Scores, probabilities and the label, each an expression over the columns of a table that the query calls t."""
    refuse_names(plan, d)
    steps = _steps(plan, d)
    names = names_of(plan)
    wanted = [*names.scores, *(names.probabilities if plan.offsets is not None else ()), names.label]
    made = {name for step in steps for _, name in step.columns}
    return {name: _nest_steps(steps, name, d) for name in wanted if name in made}


def _nest_steps(steps: Sequence[SqlStep], wanted: str, d: Dialect) -> str:
    """The steps up to the one that makes it, each the FROM of the next, over nothing but the row t."""
    place = next(i for i, step in enumerate(steps) if wanted in {name for _, name in step.columns})
    own = {name: text for text, name in steps[place].columns}[wanted]
    if place == 0:
        return own
    if d.flat_steps:
        return _side_by_side(steps[:place], own, d)
    inner = f"(SELECT {_step_text(steps[0], d)}) AS below"
    for step in steps[1:place]:
        inner = f"(SELECT {_step_text(step, d)}, below.* FROM {inner}{d.after_step}) AS below"
    return f"(SELECT {own} FROM {inner})"


def _side_by_side(steps: Sequence[SqlStep], wanted: str, d: Dialect) -> str:
    first, *others = steps
    tables = [f"{first.name} AS {d.before_step}(SELECT {_step_text(first, d)})"]
    for below, step in zip(steps, others, strict=False):
        tables.append(
            f"{step.name} AS {d.before_step}(SELECT {_step_text(step, d)}, below.* FROM {below.name} AS below)"
        )
    return f"(WITH {', '.join(tables)} SELECT {wanted} FROM {steps[-1].name} AS below)"


def expressions_text(plan: Plan, d: Dialect) -> str:
    """The expressions under comments with their names."""
    parts = "\n\n".join(f"-- {name}\n{text}" for name, text in single_expressions(plan, d).items())
    note = "-- Expressions to use in your own queries, over a table that they call t: SELECT ... FROM your_table AS t"
    return "\n".join([*heading(plan, d), note, "", parts, ""])


# --- what a database cannot name ------------------------------------------------------------------------------


def refuse_names(plan: Plan, d: Dialect) -> None:
    """Columns that the database cannot have, or cannot tell apart."""
    if plan.indexed is not None:
        raise ExportError("a model of sparse rows has no columns for SQL to name; export to python, c or js instead")
    seen: dict[str, str] = {}
    for column in plan.columns:
        if not column.name:
            raise ExportError("a column without a name cannot be named in SQL; name it in the table and fit again")
        same = column.name if d.case_matters else column.name.lower()
        same = same.encode()[: d.longest_name].decode(errors="replace") if d.longest_name else same
        if same in seen:
            raise ExportError(
                f"{d.name} cannot tell the columns {seen[same]!r} and {column.name!r} apart; rename one and fit again"
            )
        seen[same] = column.name
