"""Results on a terminal, at most a screen, and JSON for programs; text of a table is escaped before rich sees it."""

import json
import math
import sys
from pathlib import Path
from typing import Any

_MOST_ROWS = 6


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
    out.print(safe(run["separation"]["text"]).split(":")[0].rstrip(".") + ".")
    out.print(_comparison_table(run))
    if run["two"] is not None:
        out.print(_operating_line(run))
    out.print(_weights_line(run))
    for finding in run["findings"][:3]:
        out.print(f"[bold]{'Doubt' if finding['doubtful'] else 'Finding'}[/bold] ({safe(finding['about'])}): "
                  f"{safe(shortened(finding['fact'], 200))}. {safe(shortened(finding['remedy'], 200))}.")  # fmt: skip
    if len(run["findings"]) > 3:
        out.print(f"{len(run['findings']) - 3} more findings are in the report.")
    out.print(f"Written: {safe(folder / 'model.json')}, {safe(folder / 'report.html')}")


def _data_line(run: dict[str, Any]) -> str:
    data = run["data"]
    classes = ", ".join(f"{safe(c['label'])} {c['share']:.1%}" for c in data["classes"][:6])
    more = f" and {len(data['classes']) - 6} more" if len(data["classes"]) > 6 else ""
    notes = "".join(f" {safe(note[:1].upper() + note[1:])}." for note in data["notes"][:4])
    return f"{data['used_rows']:,} rows; {safe(data['target'])}: {classes}{more}.{notes}"


def _column_lines(run: dict[str, Any]) -> list[str]:
    columns = run["columns"]
    if not columns:
        return [f"{run['columns_left_out']:,} sparse columns, taken as they are."]
    kinds: dict[str, int] = {}
    for column in columns:
        kinds[column["kind"]] = kinds.get(column["kind"], 0) + 1
    plural = {"number": "numbers", "category": "categories", "flag": "flags", "date": "dates"}
    used = ", ".join(
        f"{count} {plural[kind] if count > 1 else kind}" for kind, count in kinds.items() if kind in plural
    )
    lines = [
        f"Columns: {used}" + (f" (of {run['columns_left_out'] + len(columns):,})." if run["columns_left_out"] else ".")
    ]
    dropped = [column for column in columns if column["kind"] == "dropped"]
    told = [
        f"{safe(shortened(c['name'], 30))} ({safe(shortened(c['done'].removeprefix('dropped: '), 60))})"
        for c in dropped[:4]
    ]
    if dropped:
        lines.append(f"Dropped: {', '.join(told)}" + (f" and {len(dropped) - 4} more." if len(dropped) > 4 else "."))
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
    features = run["weights"]["features"][:5]
    told = ", ".join(f"{safe(shortened(f['name'], 30))} {max(f['standardised'], key=abs):+.2g}" for f in features)
    return f"Largest weights (standardised): {told}."
