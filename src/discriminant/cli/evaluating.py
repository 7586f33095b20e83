"""`discriminant evaluate`: a model against rows whose class is known."""

import operator
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from discriminant.cli.engines import TableFile, check_engine, files_of, open_engine
from discriminant.cli.models import (
    Decision,
    NewRowsDiffer,
    RowOptions,
    differences_text,
    load_model,
    open_rows,
    read_on_error,
    with_decision,
)
from discriminant.cli.outcome import amount, console, print_json, safe, shorten
from discriminant.cli.progress import Steps
from discriminant.cli.scoring import rows_of_the_fit, scored_batches
from discriminant.table.errors import TableError


def evaluate_command(model_path: Path, data: Sequence[str], options: RowOptions, decision: Decision) -> None:
    """Run `discriminant evaluate`."""
    read_on_error(options.on_error)
    model = with_decision(load_model(model_path), decision)
    check_engine(options.engine)
    with Steps(quiet=options.json) as steps:
        found, differences = judge_table(model, data, options, steps)
    if options.json:
        print_json(found)
    elif not (options.strict and differences):
        _print(model, found, model.gain.unit)
    if options.strict and differences:
        raise NewRowsDiffer(differences)
    if differences and not options.json:
        sys.stderr.write(f"discriminant: {differences_text(differences)}\n")


def judge_table(
    model: Any, data: Sequence[str], options: RowOptions, steps: Steps | None = None
) -> tuple[dict[str, Any], list[Any]]:
    """(figures of the model on rows whose class is known, in what they differ from training)."""
    from discriminant.study.evaluation import evaluation

    source = open_rows(model, data, options.delimiter, options.query)
    target = model.target.name
    if model.encoding.layout != "svmlight" and target not in source.names:
        raise TableError(f"the table has no column {target!r}", hint="to judge a model the true classes are needed")
    if steps is not None:
        steps.watch(source, 1)
        steps.begin_pass("rows judged")
    judged = _judge(model, source, options)
    rows, gain, seen = judged.rows, judged.gain, judged.seen
    if not rows.n_rows:
        left = f"; all {source.skipped_rows:,} were left out" if source.skipped_rows else ""
        raise TableError(f"no row to judge the model by{left}", hint="give rows whose class is known")
    found = evaluation(model, rows, gain)
    found["files"], found["skipped"] = list(source.files), int(source.skipped_rows)
    found["learnt_from"] = rows_of_the_fit(model, source, rows.n_rows)
    found["fitted_with_weights"] = model.provenance.get("weight")
    found["compared_with_training"] = bool(seen.compared)
    differences = [] if found["learnt_from"] else seen.differences()
    found["differences"] = [difference.as_dict() for difference in differences]
    return found, differences


@dataclass(frozen=True, eq=False)
class Judged:
    """Rows with their classes and scores, their own gains if they have some, and what was noted; it adds up."""

    rows: Any
    gains: tuple[Any, ...]
    seen: Any
    skipped: Any = None

    def __add__(self, other: "Judged") -> "Judged":
        return Judged(
            self.rows + other.rows, self.gains + other.gains, self.seen + other.seen, self.skipped + other.skipped
        )

    @property
    def gain(self) -> Any:
        """The gains of the rows, or those that all have."""
        from discriminant.gain.columns import join_gains

        return join_gains(self.gains) if self.gains else self.rows.model.gain


def _judge(model: Any, source: Any, options: RowOptions) -> Judged:
    """All rows of a table, file by file on an engine if one is named."""
    judge = JudgeRows(model, options.on_error)
    if options.engine is None:
        return judge.of_source(source)
    with open_engine(options.engine) as engine:
        judged: Judged = engine.fold(files_of(source), judge, operator.add)
    source.note_skipped(judged.skipped)
    return judged


@dataclass(frozen=True)
class JudgeRows:
    """Scores rows and reads their classes."""

    model: Any
    on_error: str

    def __call__(self, file: TableFile) -> Judged:
        """The rows of a file."""
        judged = self.of_source(file.source)
        return replace(judged, skipped=file.source.own_skipped())

    def of_source(self, source: Any) -> Judged:
        """The rows of a table."""
        from discriminant.model.new_data import NewData
        from discriminant.study.evaluation import codes_of_target
        from discriminant.study.judged_rows import JudgedRows

        model, seen = self.model, NewData(self.model)
        judged, gains = JudgedRows(model), []
        target, sparse = model.target.name, model.encoding.layout == "svmlight"
        plain = model.target.cut and model.target.number_format is None
        named = [target] if not plain and any(isinstance(label, str) for label in model.classes) else []
        for batch, rows, scores, gain in scored_batches(model, source, [target], self.on_error, seen, named):
            codes = codes_of_target(pa.array(batch.labels) if sparse else batch.table.column(target), model.target)
            judged.add(scores, codes if rows is None else codes[rows], own_gains=gain is not None)
            gains += [] if gain is None else [gain]
        return Judged(judged, tuple(gains), seen)


_LABEL = 24  # characters of a class in a table of counts
_MOST_MISTAKES = 10
_FIGURES = (("gain", "gain a row"), ("accuracy", "accuracy"), ("auc", "AUC"), ("log_loss", "log loss"))


def print_test(test: dict[str, Any]) -> None:
    """What is to be said of a file kept apart, beside its figures."""
    out, figures = console(), test["figures"]
    if figures["learnt_from"]:
        out.print("These are the rows the model was learnt from: the figures flatter it.")
    for difference in figures["differences"][:2]:
        out.print(f"It differs from the rows of the fit: {safe(difference['text'])}.")


def _print(model: Any, found: dict[str, Any], unit: str) -> None:
    from rich.table import Table

    out = console()
    unknown = f"; {found['without_class']:,} without a known class left out" if found["without_class"] else ""
    out.print(f"[bold]{found['rows']:,} rows[/bold]{unknown}")
    if found["learnt_from"]:
        out.print("These are the rows the model was learnt from: the figures flatter it.")
    if (weight := found["fitted_with_weights"]) is not None:
        out.print(f"Each row counts once here; in the fit rows counted as {safe(weight)} says.")
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("", "", "95% interval"):
        table.add_column(name, justify="left" if not table.columns else "right")
    for name, label in _FIGURES:
        if name not in found or (name == "gain" and counts_right_answers(model)):
            continue
        label = f"{label} in {unit}" if name == "gain" and unit else label
        kind = name if name in ("accuracy", "auc") else "gain"
        figure = found[name]
        span = f"{amount(figure['low'], kind)} to {amount(figure['high'], kind)}"
        table.add_row(safe(label), amount(figure["value"], kind), span)
    out.print(table)
    _print_confusion(out, model, found["confusion"])


def counts_right_answers(model: Any) -> bool:
    """Whether a gain is 1 for a right answer and 0 for a wrong one, so that it says what the accuracy does."""
    import numpy as np

    return model.column_gain is None and np.array_equal(model.gain.matrix, np.eye(len(model.classes)))


def _print_confusion(out: Any, model: Any, confusion: Sequence[Sequence[float]]) -> None:
    """All counts where they fit on a line, else the commonest mistakes."""
    from rich.table import Table

    answers = [shorten(str(answer), _LABEL) for answer in model.answers]
    cells = [[f"{count:,}" for count in row] for row in confusion]
    columns = [max(map(len, column)) + 2 for column in zip(answers, *cells, strict=True)]
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    if max(len(shorten(str(c), _LABEL)) for c in model.classes) + 2 + sum(columns) <= out.width:
        out.print("Rows by true class (down) and answer (across):")
        for name in ("", *answers):
            table.add_column(safe(name), justify="right" if name else "left", no_wrap=True)
        for label, row in zip(model.classes, cells, strict=True):
            table.add_row(safe(shorten(str(label), _LABEL)), *row)
        out.print(table)
        return
    mistakes = [(count, k, a) for k, row in enumerate(confusion) for a, count in enumerate(row) if count and a != k]
    if not mistakes:
        out.print("Every row is answered with its class.")
        return
    more = "; --json has all" if len(mistakes) > _MOST_MISTAKES else ""
    out.print(f"The commonest mistakes, of {len(mistakes):,} kinds{more}:")
    for name in ("true class", "answer", "rows"):
        table.add_column(name, justify="right" if name == "rows" else "left")
    for count, k, a in sorted(mistakes, key=lambda mistake: -mistake[0])[:_MOST_MISTAKES]:
        table.add_row(safe(shorten(str(model.classes[k]), 40)), safe(shorten(str(model.answers[a]), 40)), f"{count:,}")
    out.print(table)
