"""Results on a terminal, at most a screen, and JSON for programs; text of a table is escaped before rich sees it."""

import json
import math
import sys
from pathlib import Path
from typing import Any

_MOST_ROWS = 6
_MOST_FINDINGS = 4


def print_json(value: Any) -> None:
    """One document on standard output; numbers that JSON has not are null."""
    sys.stdout.write(json.dumps(_plain(value), ensure_ascii=False, indent=1, allow_nan=False) + "\n")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def console() -> Any:
    """Standard output; as wide as it is, or 100 columns where it is a file."""
    from rich.console import Console

    plain = Console(highlight=False, soft_wrap=False)
    return plain if plain.is_terminal else Console(highlight=False, width=100)


def safe(text: Any) -> str:
    """Text of a table: no markup, no control characters."""
    from rich.markup import escape

    return escape("".join(c if c.isprintable() else "�" for c in str(text)))


def shortened(text: str, most: int) -> str:
    """At most so many characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def print_summary(run: dict[str, Any], folder: Path) -> None:
    """What `fit` found."""
    out = console()
    out.print(f"[bold]{safe(run['verdict'])}[/bold]")
    out.print(_data_line(run))
    for line in _column_lines(run):
        out.print(line)
    out.print(shortened(safe(run["separation"]["text"].split(": ")[0].rstrip(".")), 200) + ".")
    out.print(_comparison_table(run))
    if run["two"] is not None:
        out.print(_operating_line(run))
    if weights := _weights_line(run):
        out.print(weights)
    for line in _finding_lines(run):
        out.print(line)
    out.print(f"Written: {safe(folder / 'model.json')}, {safe(folder / 'report.html')}")


def _finding_lines(run: dict[str, Any]) -> list[str]:
    """Of the table and the chosen learner, doubtful ones first; what others met with is in the report."""
    own = [finding for finding in run["findings"] if finding["about"] in ("data", run["best"])]
    lines = []
    for finding in sorted(own, key=lambda f: not f["doubtful"])[:_MOST_FINDINGS]:
        head = "Doubt" if finding["doubtful"] else "Finding"
        about = "" if finding["about"] == "data" else f" ({safe(finding['about'])})"
        fact, remedy = (safe(shortened(finding[part].rstrip("."), 200)) for part in ("fact", "remedy"))
        lines.append(f"[bold]{head}[/bold]{about}: {fact}. {remedy}.")
    if more := len(run["findings"]) - len(lines):
        lines.append(f"{more} more finding{'s are' if more > 1 else ' is'} in the report.")
    return lines


def _data_line(run: dict[str, Any]) -> str:
    data = run["data"]
    classes = ", ".join(f"{safe(c['label'])} {c['share']:.1%}" for c in data["classes"][:6])
    more = f" and {len(data['classes']) - 6} more" if len(data["classes"]) > 6 else ""
    notes = "".join(f" {safe(_sentence(note))}" for note in data["notes"][:4])
    return f"{data['used_rows']:,} rows; {safe(data['target'])}: {classes}{more}.{notes}"


def _sentence(note: str) -> str:
    """With a capital, unless it begins with the name of a file, and a full stop."""
    named = "." in note.split(" ", 1)[0]
    return (note if named else note[:1].upper() + note[1:]).rstrip(".") + "."


def _column_lines(run: dict[str, Any]) -> list[str]:
    columns = run["columns"]
    if not columns:
        return [f"{run['columns_left_out']:,} sparse columns, taken as they are."]
    plural = {"number": "numbers", "category": "categories", "flag": "flags", "date": "dates"}
    kinds = run["kinds"].items()
    used = ", ".join(f"{count:,} {plural[kind] if count > 1 else kind}" for kind, count in kinds if kind in plural)
    lines = [f"Columns: {used}."]
    dropped = [column for column in columns if column["kind"] == "dropped"]
    told = [
        f"{safe(shortened(c['name'], 30))} ({safe(shortened(c['done'].removeprefix('dropped: '), 60))})"
        for c in dropped[:4]
    ]
    if dropped:
        more = run["kinds"]["dropped"] - len(told)
        lines.append(f"Dropped: {', '.join(told)}" + (f" and {more:,} more." if more else "."))
    return lines


def _comparison_table(run: dict[str, Any]) -> Any:
    from rich.table import Table

    criterion = run["criterion"]
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    head = f"{criterion}{' ' + safe(run['unit']) if run['unit'] else ''}"
    for name in ("", "learner", head, "95% interval", "accuracy" if criterion == "gain" else "", "AUC", "seconds"):
        table.add_column(name, justify="left" if name in ("", "learner") else "right", no_wrap=True)
    done = [entry for entry in run["comparison"] if entry["failure"] is None]
    for place, entry in enumerate(done[:_MOST_ROWS]):
        figures = entry["figures"]
        own = figures[criterion]
        mark = "*" if place == 0 else "~" if entry["tied"] else ""
        accuracy = f"{figures['accuracy']['value']:.1%}" if criterion == "gain" else ""
        auc = f"{figures['auc']['value']:.3f}" if "auc" in figures else ""
        span = f"{amount(own['low'], criterion)} to {amount(own['high'], criterion)}"
        table.add_row(
            mark, entry["text"], amount(own["value"], criterion), span, accuracy, auc, f"{entry['seconds']:.2f}"
        )
    rest = len(run["comparison"]) - min(len(done), _MOST_ROWS)
    caption = "* best   ~ not clearly worse" + (f"   {rest} more in the report" if rest else "")
    table.caption, table.caption_justify = caption, "left"
    return table


def amount(value: float, criterion: str) -> str:
    """An accuracy in per cent, or an amount."""
    if criterion == "accuracy":
        return f"{value:.1%}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _operating_line(run: dict[str, Any]) -> str:
    two, chosen = run["two"], run["two"]["chosen"]
    missed = 1 - two["positives"][chosen] / two["totals"][1]
    alarms = two["negatives"][chosen] / two["totals"][0]
    negative, positive = (safe(c["label"]) for c in run["data"]["classes"])
    return (
        f"At the threshold: {missed:.1%} of {positive} are missed, {alarms:.1%} of {negative} are false alarms "
        "(rows not seen by the model)."
    )


def _weights_line(run: dict[str, Any]) -> str:
    largest = [(f["name"], max(f["standardised"], key=abs)) for f in run["weights"]["features"][:5]]
    told = ", ".join(f"{safe(shortened(name, 30))} {weight:+.2g}" for name, weight in largest if weight)
    units = "standardised" if run["columns"] else "per unit"
    return f"Largest weights ({units}): {told}." if told else ""
