"""`discriminant explain`: why a row is decided as it is, and what would change it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from discriminant.cli.models import load_model, open_rows
from discriminant.cli.outcome import console, print_json, safe, shortened
from discriminant.table.errors import TableError

_MOST_COLUMNS = 12
_MOST_FLIPS = 5


def explain_command(
    model_path: Path, data: Sequence[str], row: int, hold: Sequence[str], delimiter: str | None, json: bool
) -> None:
    """The whole command."""
    from discriminant.model import explain

    model = load_model(model_path)
    table, place = _row(model, data, row, delimiter)
    _refuse_bad_cells(model, table, place, row)
    found = explain(model, table, place, hold)
    if json:
        print_json({"row": row, **found.as_dict()})
    else:
        _print(found, row)


def _row(model: Any, data: Sequence[str], row: int, delimiter: str | None) -> tuple[Any, int]:
    """The block that holds the row, and its place there: the rest of the table is not read."""
    source = open_rows(model, data, delimiter)
    seen = 0
    for block in _blocks(model, source):
        if row <= seen + block.shape[0]:
            return block, row - seen - 1
        seen += block.shape[0]
    raise TableError(f"--row {row}: the table has {seen:,} rows", hint="rows are counted from 1")


def _refuse_bad_cells(model: Any, table: Any, place: int, row: int) -> None:
    if model.encoding.layout == "table" and (bad := model.encoding.encode(table.slice(place, 1)).bad):
        raise TableError(
            f"row {row}: {bad[0].column!r} holds {bad[0].text!r}, not {bad[0].wanted}", hint="correct or blank the cell"
        )


def _blocks(model: Any, source: Any) -> Iterator[Any]:
    if model.encoding.layout == "svmlight":
        for rows in source.sparse_batches(model.encoding.n_features, model.encoding.first_index):
            yield rows.matrix
    else:
        for batch in source.batches(
            [column.name for column in model.encoding.used], as_written=model.encoding.as_written
        ):
            yield batch.table


def _print(found: Any, row: int) -> None:
    from rich.table import Table

    out = console()
    chance = ""
    if found.probabilities is not None:
        likely = sorted(found.probabilities.items(), key=lambda item: -item[1])[:4]
        chance = "; " + ", ".join(f"P({safe(k)}) = {p:.3g}" for k, p in likely)
    scores = ", ".join(f"{s:+.4g}" for s in found.scores[:6])
    out.print(f"[bold]Row {row}: {safe(found.answer)}[/bold] (score {scores}{chance})")
    if found.expected_gain is not None:
        away = "" if found.distance is None else f"; distance to the boundary {found.distance:.3g} {found.unit}"
        out.print(f"Expected gain {found.expected_gain:.4g}{away}.")
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    planes = (
        ["adds to the score"]
        if len(found.scores) == 1
        else [f"to {safe(shortened(str(p), 12))}" for p in found.planes[:6]]
    )
    for name in ("column", "cell", *planes, "per unit"):
        table.add_column(name, justify="left" if name in ("column", "cell") else "right")
    parts = sorted(found.contributions, key=lambda part: -max(map(abs, part.amount)))
    parts = [part for part in parts if any(part.amount)]
    for part in parts[:_MOST_COLUMNS]:
        unit = "" if part.per_unit is None or len(part.per_unit) > 1 else f"{part.per_unit[0]:+.4g}"
        amounts = [f"{a:+.4g}" for a in part.amount[:6]]
        table.add_row(safe(shortened(part.column, 30)), safe(shortened(part.cell, 24)), *amounts, unit)
    if parts:
        out.print(table)
    if len(parts) > _MOST_COLUMNS:
        out.print(f"{len(parts) - _MOST_COLUMNS} more columns add less; --json has all")
    if found.nearest is not None:
        out.print(f"[bold]The nearest change:[/bold] {safe(_flip(found.nearest, found.unit))}")
    for flip in found.single[:_MOST_FLIPS]:
        out.print(f"[bold]One column alone:[/bold] {safe(_flip(flip, found.unit))}")
    if found.nearest is None and not found.single:
        why = found.why_none or "no change of the columns that may change would change the answer"
        out.print(safe(why[:1].upper() + why[1:].rstrip(".") + "."))


def _flip(flip: Any, unit: str) -> str:
    changes = [str(change) for change in flip.changes]
    more = f" and {len(changes) - 6} smaller changes" if len(changes) > 6 else ""
    return f"{flip.answer} with {', '.join(changes[:6])}{more} ({flip.size:.3g} {unit})"
