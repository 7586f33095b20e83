"""`discriminant explain`: why a row is decided as it is, and what would change it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from discriminant.cli.models import load_model, open_rows
from discriminant.cli.outcome import amount, console, print_json, safe, shorten
from discriminant.cli.scoring import needed_columns
from discriminant.table.errors import TableError

_MOST_COLUMNS = 12
_MOST_FLIPS = 5
_MOST_CLASSES = 4
_MOST_PLANES = 6
_MOST_CHANGES = 6
_SMALLEST_CHANGE = 0.03  # of the largest one: smaller ones are only counted
_LONG_CELL = 10  # characters of a number, from which six digits are shown


def explain_command(
    model_path: Path, data: Sequence[str], row: int, hold: Sequence[str], delimiter: str | None, json: bool
) -> None:
    """Run `discriminant explain`."""
    from discriminant.model import explain

    model = load_model(model_path)
    table, place = _row(model, data, row, delimiter)
    _refuse_bad_cells(model, table, place, row)
    _refuse_overflow(model, table, place, row)
    found = explain(model, table, place, hold)
    if json:
        print_json({"row": row, **found.as_dict()})
    else:
        _print(found, row, model)


def _counts_right_answers(matrix: Any) -> bool:
    """Whether a gain is 1 for a right answer and 0 for a wrong one."""
    return all(cell == (k == a) for k, row in enumerate(matrix) for a, cell in enumerate(row))


def _row(model: Any, data: Sequence[str], row: int, delimiter: str | None) -> tuple[Any, int]:
    """The block that holds the row, numbered as `predict` numbers it, and its place there: the rest is not read."""
    source = open_rows(model, data, delimiter)
    last = 0
    for block, numbers in _blocks(model, source):
        last = int(numbers[-1])
        if row in numbers:
            return block, int(numbers.searchsorted(row))
        if row < last:
            break
    if source.skipped:
        file, line, what = source.skipped[0]
        raise TableError(
            f"--row {row} is none of the rows that can be read; {source.skipped_rows:,} cannot, the first: "
            f"{file}, line {line}: {what}"
        )
    raise TableError(f"--row {row}: the table has {last:,} rows", hint="rows are counted from 1")


def _refuse_bad_cells(model: Any, table: Any, place: int, row: int) -> None:
    if model.encoding.layout == "table" and (bad := model.encoding.encode(table.slice(place, 1)).bad):
        raise TableError(
            f"row {row}: {bad[0].column!r} holds {bad[0].text!r}, not {bad[0].wanted}", hint="correct or blank the cell"
        )


def _refuse_overflow(model: Any, table: Any, place: int, row: int) -> None:
    from discriminant.model.prediction import refuse_overflow

    layout = model.encoding.layout
    matrix = model.encoding.encode(table.slice(place, 1)).matrix if layout == "table" else table[[place]]
    refuse_overflow(model, matrix, row)


def _blocks(model: Any, source: Any) -> Iterator[tuple[Any, Any]]:
    """(rows, their numbers); those that cannot be read are passed over, but count."""
    if model.encoding.layout == "svmlight":
        for rows in source.sparse_batches(model.encoding.n_features, model.encoding.first_index, on_error="skip"):
            yield rows.matrix, rows.rows
    else:
        as_written = model.encoding.as_written
        for batch in source.batches(needed_columns(model), on_error="skip", as_written=as_written):
            yield batch.table, batch.rows


def _print(found: Any, row: int, model: Any) -> None:
    out = console()
    out.print(f"[bold]Row {row}: {safe(found.answer)}[/bold]")
    for line in (_probability_line(found), _gain_line(found, model.gain), _boundary_line(found, model.rule)):
        if line:
            out.print(safe(line))
    planes = _told_planes(found)
    parts = sorted(found.contributions, key=lambda part: -max(abs(part.amount[k]) for k in planes))
    parts = [part for part in parts if any(part.amount)]
    if parts:
        out.print(_contribution_table(found, parts[:_MOST_COLUMNS], planes))
    if len(planes) < len(found.planes):
        out.print(f"These are the likeliest {len(planes)} of {len(found.planes)} classes; --json has all")
    if len(parts) > _MOST_COLUMNS:
        rest = len(parts) - _MOST_COLUMNS
        out.print(f"{rest} more {'columns add' if rest > 1 else 'column adds'} less; --json has all")
    for head, line in _change_lines(found):
        out.print(f"[bold]{head}[/bold] {safe(line)}")


def _probability_line(found: Any) -> str:
    if found.probabilities is None:
        return ""
    likely = sorted(found.probabilities.items(), key=lambda item: -item[1])[:_MOST_CLASSES]
    return "Probability: " + ", ".join(f"{_percent(p)} for {label}" for label, p in likely) + "."


def _percent(p: float) -> str:
    """One decimal; never 0% or 100% for what may still happen or not."""
    return "below 0.1%" if p < 0.001 else "above 99.9%" if p > 0.999 else f"{p:.1%}"


def _gain_line(found: Any, gain: Any) -> str:
    """What the answer earns, where a gain was given: else it is the probability of being right."""
    if found.expected_gain is None or found.posteriors is None or _counts_right_answers(gain.matrix):
        return ""
    told = f"This answer is expected to {_earns(found.expected_gain, gain.unit)}"
    likeliest = max(range(len(found.classes)), key=lambda k: found.posteriors[k])
    if found.classes[likeliest] == found.answer:
        return f"{told}."
    other = sum(p * row[likeliest] for p, row in zip(found.posteriors, gain.matrix, strict=True))
    return f"{told}; {found.classes[likeliest]}, though likelier, is expected to {_earns(float(other), gain.unit)}."


def _earns(value: float, unit: str) -> str:
    """Write, say, "lose 112 EUR" for −112."""
    return f"{'lose' if value < 0 else 'earn'} {amount(abs(value), 'gain')}{' ' + unit if unit else ''}"


def _boundary_line(found: Any, rule: str) -> str:
    """Where the row lies and how far it is from another answer."""
    score = ""
    if len(found.scores) == 1:
        means = "above 0 the answer is" if rule == "threshold" else "more of it speaks for"
        score = f"Score {found.scores[0]:+.4g}: {means} {found.planes[0]}"
    away = f"the boundary is {found.distance:.3g} {found.unit} away" if found.distance is not None else ""
    told = "; ".join(part for part in (score, away) if part)
    return f"{told[:1].upper()}{told[1:]}." if told else ""


def _told_planes(found: Any) -> list[int]:
    """The places of the planes that are told: all, or of many classes those of the likeliest, the answer's first."""
    places = range(len(found.planes))
    if len(places) <= _MOST_PLANES:
        return list(places)
    likely = found.scores if found.posteriors is None else found.posteriors
    first = sorted(places, key=lambda k: (found.planes[k] != found.answer, -likely[k]))
    return first[:_MOST_PLANES]


def _contribution_table(found: Any, parts: Sequence[Any], planes: Sequence[int]) -> Any:
    """What each column adds to the score of each plane: more than 0 speaks for the plane's class."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    heads = [f"towards {safe(shorten(str(found.planes[k]), 16))}" for k in planes]
    one = len(found.planes) == 1
    for name in ("column", "cell", *heads, *(["for one more"] if one else [])):
        table.add_column(name, justify="left" if name in ("column", "cell") else "right")
    for part in parts:
        amounts = [f"{part.amount[k]:+.3g}" for k in planes]
        unit = [] if not one else [""] if part.per_unit is None else [f"{part.per_unit[0]:+.3g}"]
        table.add_row(safe(shorten(part.column, 30)), safe(shorten(_few_digits(part.cell), 24)), *amounts, *unit)
    return table


def _few_digits(cell: str) -> str:
    """A cell as it is; of a number with many decimals, six digits. Codes such as 007.5 are texts."""
    whole, point, decimals = cell.partition(".")
    if len(cell) <= _LONG_CELL or not point or not decimals.isdigit() or not whole.lstrip("-").isdigit():
        return cell
    digits = whole.lstrip("-")
    return cell if len(digits) >= 6 or (digits[0] == "0" and len(digits) > 1) else f"{float(cell):.6g}"


def _change(change: Any) -> str:
    return str(replace(change, before=_few_digits(change.before)))


def _change_lines(found: Any) -> Iterator[tuple[str, str]]:
    """The smallest change over all columns, among values that were seen if there is one; then changes of one column."""
    if found.seen is not None:
        yield f"Change among values seen, to {safe(found.seen.answer)}:", f"{_changes(found.seen)}."
    elif found.nearest is not None:
        yield f"Smallest change to {safe(found.nearest.answer)}:", f"{_changes(found.nearest)}."
    told = found.seen or found.nearest
    seen = [flip for flip in found.single if not any(change.unseen for change in flip.changes)]
    others = [flip for flip in seen if told is None or flip.changes != told.changes]
    for flip in others[:_MOST_FLIPS]:
        yield f"One column alone, to {safe(flip.answer)}:", f"{_changes(flip)}."
    if not seen and (found.nearest is not None or found.single):
        yield "One column alone", "changes the answer only with values that were never seen; --json has them."
    if found.nearest is None and not found.single:
        why = found.why_none or "no change of the columns that may change would change the answer"
        yield "No change:", why.rstrip(".") + "."


def _changes(flip: Any) -> str:
    largest = max((change.size for change in flip.changes), default=0.0)
    changes = [_change(change) for change in flip.changes if change.size >= _SMALLEST_CHANGE * largest][:_MOST_CHANGES]
    more = len(flip.changes) - len(changes)
    rest = f" and {more} smaller change{'s' if more > 1 else ''}" if more > 0 else ""
    return ", ".join(changes) + rest
