"""`discriminant evaluate`: a model against rows whose class is known."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from discriminant.cli.models import load_model, open_rows, read_on_error
from discriminant.cli.outcome import amount, console, print_json, safe
from discriminant.cli.predicting import readable
from discriminant.table.errors import TableError


def evaluate_command(
    model_path: Path, data: Sequence[str], gain: str | None, on_error: str, delimiter: str | None, json: bool
) -> None:
    """The whole command."""
    from discriminant.study.evaluation import evaluation
    from discriminant.study.gains import read_gain_option

    read_on_error(on_error)
    model = load_model(model_path)
    source = open_rows(model, data, delimiter)
    scores, codes = _scored(model, source, on_error)
    if not codes.size:
        left = f"; all {source.skipped_rows:,} were left out" if source.skipped_rows else ""
        raise TableError(f"no row to judge the model by{left}", hint="give rows whose class is known")
    gains = model.gain if gain is None else read_gain_option(gain, model.classes)
    found = evaluation(model, scores, codes, gains)
    found["files"], found["skipped"] = list(source.files), int(source.skipped_rows)
    if json:
        print_json(found)
    else:
        _print(model, found, gains.unit)


def _scored(model: Any, source: Any, on_error: str) -> tuple[Any, Any]:
    """(scores of the rows that have a known class, their codes)."""
    from discriminant.study.evaluation import codes_of_target

    scores, codes = [], []
    if model.encoding.layout == "svmlight":
        for batch in source.sparse_batches(model.encoding.n_features, model.encoding.first_index, on_error=on_error):
            scores.append(model.scores(batch.matrix))
            codes.append(codes_of_target(pa.array(batch.labels), model.target))
    else:
        target = model.target.name
        if target not in source.names:
            raise TableError(f"the table has no column {target!r}", hint="to judge a model the true classes are needed")
        columns = [*(c.name for c in model.encoding.used), target]
        plain = model.target.cut and model.target.number_format is None
        named = [target] if not plain and any(isinstance(label, str) for label in model.classes) else []
        as_written = [*model.encoding.as_written, *named]
        for batch in source.batches(columns, on_error=on_error, as_written=as_written):
            matrix, rows = readable(model, batch, source, on_error)
            own = codes_of_target(batch.table.column(target), model.target)
            scores.append(model.scores(matrix if rows is None else matrix[rows]))
            codes.append(own if rows is None else own[rows])
    if not scores:
        return np.empty((0, len(model.thresholds))), np.empty(0, dtype=np.int32)
    return np.concatenate(scores), np.concatenate(codes)


def _print(model: Any, found: dict[str, Any], unit: str) -> None:
    from rich.table import Table

    out = console()
    unknown = f"; {found['without_class']:,} without a known class left out" if found["without_class"] else ""
    out.print(f"[bold]{found['rows']:,} rows[/bold]{unknown}")
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("", "", "95% interval"):
        table.add_column(name, justify="left" if not table.columns else "right")
    for name, label in (
        ("gain", f"gain a row{' in ' + unit if unit else ''}"),
        ("accuracy", "accuracy"),
        ("auc", "AUC"),
        ("log_loss", "log loss"),
    ):
        if name not in found:
            continue
        kind = "accuracy" if name == "accuracy" else "gain"
        figure = found[name]
        span = f"{amount(figure['low'], kind)} to {amount(figure['high'], kind)}"
        table.add_row(safe(label), amount(figure["value"], kind), span)
    out.print(table)
    out.print("Rows by true class (down) and answer (across):")
    counts = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("", *map(safe, model.answers)):
        counts.add_column(name, justify="right" if name else "left")
    for label, row in zip(model.classes, found["confusion"], strict=True):
        counts.add_row(safe(label), *(f"{count:,}" for count in row))
    out.print(counts)
